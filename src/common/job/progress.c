/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress of running jobs, their predicted ends, and the limits they need.
 *
 * Symbols	C name		unit
 *   E		estimate_us	us, runtime or limit without a neighbour
 *   f		factor		us that a us of the estimate takes
 *   d, r	done_us, ran_us	us of the estimate done, us of running time
 *
 * Rules.
 *  1. f = SL_self(PPN) / SL_self(base) * SL_cos, with base the processes a node that E
 *     is for (one for Zeng09's T) and SL_cos the largest over the job's nodes.  Where E
 *     is a limit (base given) f >= 1: a kinder layout does not shorten a limit.  For a
 *     packed job, see rule 5.
 *     Over several sites, times the cost of crossing (crossing.h).
 *  2. Between two changes of neighbours, d grows by dt / f and r by dt.  Not while the
 *     host has not yet let the job go on, as a slice has asked (seq).
 *  3. Predicted end: now + (E - d) * f.  For a job past it, the end of what the host
 *     lets it run beyond its limit (over_s; CS_OVER_ANY: E from now on); past that, too,
 *     a second on.
 *  4. Limit: r + (E - d) * f, not below E if nothing slows the job down, nor below the
 *     host's own, nor what it got for crossing (floor_us).  Until that it may run, so
 *     its predicted end is not before it.  In mode shadow no limit is raised: a job ends
 *     by its own at the latest.
 *  5. A job packed by core takes any neighbour, even unknown ones
 *     (cs_slowdown_known()).  Those count as if their cores were its own: with p of the
 *     node's cores its own and q theirs, SL_cos of the others times SL_self(p + q) /
 *     SL_self(p), if above 1.  If E is a limit it was given for such neighbours:
 *     f = 1.
 *  6. Times what jobs on its own cores cost (oversub.c), also where f = 1 by rule 5; these
 *     are no neighbours.  Nothing is learned of such a run.
 *
 * Source: Zeng09 (see slowdown.h), sections 4.6 and 4.9; rules 3 to 6 are ours.
 *
 * Why 5: unknown_pair keeps strangers apart: so high that jobs on a packed node would
 * hardly move; a node full of processes has been measured.
 *
 * Example: E = 100 min, at f = 1.2 for the first 60 min: d = 50, r = 60.  The
 * partner ends: f = 1, limit 60 + 50 = 110 min instead of 120.
 *
 * Cost: O(jobs a node * nodes of the job) a job on the nodes of a change.
 */
#include "job/crossing.h"
#include "job/oversub.h"
#include "job/progress.h"

#include <math.h>

/* Rule 2: the time run since at_us. */
static int64_t since_us(const struct cs_ejob *j, int64_t now_us)
{
	bool runs = j->state == CS_RUNNING && !j->seq && now_us > j->at_us;

	return runs ? now_us - j->at_us : 0;
}

int64_t cs_progress_ran_us(const struct cs_ejob *j, int64_t now_us)
{
	return j->ran_us + since_us(j, now_us);
}

void cs_progress_bring(struct cs_ejob *j, int64_t now_us)
{
	int64_t since = since_us(j, now_us);

	if (since > 0) {
		j->ran_us += since;
		j->done_us += (int64_t)((double)since / j->slowdown);
	}
	j->at_us = now_us;
}

int64_t cs_progress_past_end_us(const struct cs_engine *e,
				const struct cs_ejob *j, int64_t end_us)
{
	uint32_t over_s = j->job.option[j->option].over_s;

	if (over_s == CS_OVER_ANY)
		return e->now_us + j->job.estimate_us;
	end_us += over_s * (int64_t)CS_SECOND_US;
	return end_us > e->now_us ? end_us : e->now_us + CS_SECOND_US;
}

double cs_progress_self(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t procs, const struct cs_node *node)
{
	return cs_slowdown_self(&e->model, cs_who_is(j),
				cs_job_cores(&j->job, node, procs),
				node->sockets, cs_node_cores(node));
}

double cs_progress_factor(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t procs, const struct cs_node *node,
			  double cos)
{
	uint32_t base = j->job.base_procs ? j->job.base_procs : 1;
	double f = cos;

	if (procs != base)
		f *= cs_progress_self(e, j, procs, node) /
		     cs_progress_self(e, j, base, node);

	return j->job.base_procs && f < 1 ? 1 : f;
}

/* Cores of a job on node @n, which is one of its own. */
static uint32_t cores_on(const struct cs_ejob *j, uint32_t n)
{
	return cs_bits_count(cs_alloc_cores_on(j->alloc, n), j->alloc->words);
}

/* Rule 5: beside @strange cores on node @n. */
static double beside_strangers(const struct cs_engine *e,
			       const struct cs_ejob *j, uint32_t n,
			       uint32_t strange)
{
	const struct cs_node *node = &e->machine->node[n];
	uint32_t own = cores_on(j, n), all = cs_node_cores(node);
	double f = cs_slowdown_self(&e->model, cs_who_is(j), own + strange,
				    node->sockets, all) /
		   cs_slowdown_self(&e->model, cs_who_is(j), own, node->sockets,
				    all);

	return f > 1 ? f : 1;
}

/* How the others on node @n slow a job down. */
static double cos_on(const struct cs_engine *e, const struct cs_ejob *j,
		     uint32_t n)
{
	struct cs_who beside[CS_BESIDE_MAX], who = cs_who_is(j);
	const struct cs_slots *on = &e->sm->on[n];
	uint32_t strange = 0;
	size_t known = 0;
	double sl = 1;

	for (uint32_t k = 0; k < on->n; k++) {
		const struct cs_ejob *other = e->slot[on->slot[k]];

		if (other == j || other->state == CS_SUSPENDED)
			continue; /* it only holds cores */
		if (cs_oversub_on(e) && cs_oversub_meet(j, other, n))
			continue; /* rule 6 */
		if (j->hold == CS_NODE_PACKED &&
		    !cs_slowdown_known(&e->model, who, cs_who_is(other)))
			strange += cores_on(other, n);
		else if (known < CS_BESIDE_MAX)
			beside[known++] = cs_who_is(other);
	}
	if (known)
		sl = cs_slowdown_beside(&e->model, who, beside, known);
	return strange ? sl * beside_strangers(e, j, n, strange) : sl;
}

/* The largest coscheduling slowdown over the nodes of a job. */
static double cos_of(const struct cs_engine *e, const struct cs_ejob *j)
{
	double worst = 0;

	if (!e->sm->now.shared_nodes)
		return 1;
	for (uint32_t i = 0; i < j->alloc->n_node; i++) {
		double sl = cos_on(e, j, j->alloc->node[i].node);

		if (sl > worst)
			worst = sl;
	}
	return worst > 0 ? worst : 1;
}

/* Does a job run as its estimate says, whatever its neighbours? */
static bool steady(const struct cs_ejob *j)
{
	return j->placed_by_host ||
	       (j->hold == CS_NODE_PACKED && j->job.base_procs && !j->group);
}

double cs_progress_beside(const struct cs_engine *e, const struct cs_ejob *j,
			  double cos)
{
	const struct cs_alloc *a = j->alloc;
	uint32_t most = 0;

	if (j->placed_by_host)
		return 1;
	if (steady(j))
		return cs_crossing_of(e, j) * j->cores_slow;
	for (uint32_t i = 0; i < a->n_node; i++)
		if (a->node[i].procs > most)
			most = a->node[i].procs;
	return cs_progress_factor(e, j, most,
				  &e->machine->node[a->node[0].node], cos) *
	       cs_crossing_of(e, j) * j->cores_slow;
}

void cs_progress_refresh(struct cs_engine *e, struct cs_ejob *j)
{
	double f;

	j->co_slowdown = steady(j) ? 1 : cos_of(e, j);
	j->cores_slow = cs_oversub_on(e) ? cs_oversub_slowdown(e, j) : 1;
	j->resized |= j->cores_slow > 1;
	f = cs_progress_beside(e, j, j->co_slowdown);
	/* its end must not move unless something changes: each step rounds */
	if (f != j->slowdown) {
		cs_progress_bring(j, e->now_us);
		j->limit_dirty = true;
		e->limits = true;
		cs_speed_note(e, j);
		/* the plan has its old end */
		if (j->state == CS_RUNNING)
			e->sm->stale = true;
		else if (j->seq + 1 != e->next_seq) /* not the newest */
			e->sm->moved = true;
	}
	j->slowdown = f;
}

void cs_progress_neighbours(struct cs_engine *e, const struct cs_alloc *a)
{
	uint64_t round = ++e->refreshes;

	for (uint32_t i = 0; i < a->n_node; i++) {
		const struct cs_slots *on = &e->sm->on[a->node[i].node];

		for (uint32_t k = 0; k < on->n; k++) {
			struct cs_ejob *j = e->slot[on->slot[k]];

			if (j->refreshed != round)
				cs_progress_refresh(e, j);
			j->refreshed = round;
		}
	}
}

int64_t cs_progress_latest_us(const struct cs_engine *e,
			      const struct cs_ejob *j)
{
	int64_t end = cs_progress_end_us(e, j), left;
	struct cs_ejob at = *j;

	cs_progress_bring(&at, e->now_us);
	left = at.limit_us > at.ran_us ? at.limit_us - at.ran_us : 0;
	return j->job.base_procs && left < end - e->now_us ? e->now_us + left
							   : end;
}

int64_t cs_progress_host_us(const struct cs_engine *e, const struct cs_ejob *j,
			    int64_t at_us)
{
	int64_t service_us = at_us - e->now_us, host_us;

	if (at_us == CS_TIME_NONE || !e->slice->until_us)
		return at_us;
	host_us = e->slice->until_us(e, j, service_us > 0 ? service_us : 1);
	if (host_us == CS_TIME_NONE)
		return at_us;
	return service_us > 0 ? host_us : host_us - 1;
}

int64_t cs_progress_host_start_us(const struct cs_engine *e,
				  const struct cs_ejob *j, int64_t start_us)
{
	const struct cs_slice_machine *sm = cs_sm_of(e, j);

	if (start_us == CS_TIME_NONE || j->forecast || !e->slice->until_us)
		return start_us;
	if (j->seat)
		return e->slice->again_us(e, j);
	if (e->backfill->all && j->plan.start_us != CS_TIME_NONE)
		start_us = j->plan.start_us - sm->ahead_us;
	else if (e->backfill->all && j->plan.far_us)
		start_us = j->plan.far_us - sm->ahead_us;
	return cs_progress_host_us(e, j, start_us);
}

int64_t cs_progress_limit_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	struct cs_ejob at = *j;
	int64_t limit;

	cs_progress_bring(&at, e->now_us);
	limit = at.ran_us +
		cs_stretch_us(cs_progress_rest_us(&at), at.slowdown);
	return limit > j->job.estimate_us ? limit : j->job.estimate_us;
}
