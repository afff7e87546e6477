/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job that the host's own test places (CS_JOB_HOST).
 *
 * Problem.  It has wishes beyond the model, or the host has refused the model's
 * placement (refused.c).  Only the host knows which nodes it takes; only we know which
 * ones others can spare.
 *
 * Rules.
 *  1. It is offered all nodes of its partition that reservations leave it (resv.c) and
 *     where it could hold a core, beside only packed jobs and others placed by the
 *     host.
 *  2. Under a plan, before its promised start by the model, or without one, only as
 *     many of each class as keep every other promise, empty ones first; and, from its
 *     start on, those kept for it (forecast.c).  So too at the promised start if it may
 *     take more nodes than promised, until the host has refused it there once.
 *  3. Fewer nodes or hardware threads than it asks for are not offered: the host could
 *     only refuse.  This applies only if the machine has enough for it by the model,
 *     which may be wrong.
 *  4. A job that keeps its nodes to its user (alone.c, rule 6) is offered, before its
 *     time, also that user's nodes on which it has a layout; only those if the plan
 *     leaves no other room.
 *  5. Behind an EASY head it starts only if it ends in time.
 *  6. A job that the host may put on held cores (CS_JOB_SHARES_CORES) is also offered
 *     nodes without room: those where it would not hinder a promise once their present
 *     holders have ended.  Only the host knows how many jobs a core may have.
 *  7. If the host has refused it beside idle nodes, it is offered these alone, if they
 *     are enough (refused.c, rule 6).
 *
 * Differs: Zeng09 has no such jobs.
 *
 * Cost: O(nodes), plus the host's test; O(classes) for one without room.
 */
#include "place/host_start.h"

#include <errno.h>
#include <string.h>

#include "backfill/easy.h"
#include "backfill/plan.h"
#include "job/alone.h"
#include "job/forecast.h"
#include "job/refused.h"
#include "job/resv.h"
#include "lifecycle/proposal.h"
#include "place/place.h"
#include "place/start_alone.h"
#include "state/pass.h"

/* Rule 1: remove from @mask nodes without room in @o for @s. */
static void keep_roomy(const struct cs_occ *o, const struct cs_shape *s,
		       uint64_t *mask)
{
	for (uint32_t n = 0; n < o->machine->n_node; n++)
		if (cs_bit(mask, n) && !cs_layout_fit(o, n, s))
			cs_bit_clear(mask, n);
}

/* Rule 3. */
static bool enough(const struct cs_occ *o, const struct cs_job *job,
		   const uint64_t *mask)
{
	uint64_t threads = 0;
	uint32_t nodes = 0;

	for (uint32_t n = 0; n < o->machine->n_node; n++) {
		if (!cs_bit(mask, n))
			continue;
		nodes++;
		threads += (uint64_t)o->node[n].free_cores *
			   o->machine->node[n].threads;
	}
	return nodes >= job->min_nodes &&
	       threads >= (uint64_t)job->procs * job->cpus_per_proc;
}

/* A quick test of rules 2 and 3: does the plan leave it enough cores? */
static bool has_room(struct cs_engine *e, const struct cs_ejob *j,
		     uint32_t option)
{
	return cs_plan_room(e, j, j->job.option[option].nodeset,
			    cs_layout_cores(j->job.procs, j->job.cpus_per_proc,
					    e->machine->core_threads),
			    j->job.estimate_us);
}

/* Rule 4: add the user's nodes to @mask.  1: there are some, 0, -ENOMEM. */
static int with_own(struct cs_pass *p, const struct cs_entry *entry,
		    uint64_t *mask)
{
	struct cs_engine *e = p->e;
	size_t size = cs_node_words(e->machine) * sizeof(*mask);
	struct cs_alloc *a;
	bool nomem = false;

	if (entry->job->plan.option != entry->option ||
	    !cs_alone_layout(e, entry->job, entry->option))
		return 0;
	memcpy(e->mask2, mask, size);
	a = cs_start_alone_among_own(p, entry, &nomem); /* scratch: e->mask */
	memcpy(mask, e->mask2, size);
	if (!a)
		return nomem ? -ENOMEM : 0;
	cs_alloc_mark(a, mask);
	cs_alloc_free(a);
	return 1;
}

/* The same, and no others. */
static int only_own(struct cs_pass *p, const struct cs_entry *entry,
		    uint64_t *mask)
{
	memset(mask, 0, cs_node_words(p->e->machine) * sizeof(*mask));
	return with_own(p, entry, mask);
}

/* Rule 5. */
static bool passes_heads(const struct cs_pass *p, const struct cs_job *job)
{
	for (size_t i = 0; i < p->heads->n; i++)
		if (p->e->now_us + job->estimate_us >
			    p->heads->promise[i].start_us &&
		    !cs_promise_own(p, &p->heads->promise[i]))
			return false;
	return true;
}

/* Rule 2: of e->mask; nodes kept for it are its own from its start on. */
static void spare(struct cs_pass *p, const struct cs_entry *entry,
		  const struct cs_occ *o, const struct cs_shape *s)
{
	struct cs_engine *e = p->e;
	const struct cs_held_nodes *kept = cs_forecast_of(e, entry->job);
	uint32_t words = cs_node_words(e->machine);

	if (!kept || kept->start_us > e->now_us) {
		cs_plan_spare(p, o, s, entry->job->job.estimate_us, e->mask);
		return;
	}
	memcpy(e->mask2, e->mask, words * sizeof(*e->mask2));
	cs_plan_spare(p, o, s, entry->job->job.estimate_us, e->mask);
	for (uint32_t w = 0; w < words; w++)
		e->mask[w] |= e->mask2[w] & kept->nodes[w];
}

/* Rule 2, at its start: e->mask, or what others' promises leave of it if that is
 * enough. */
static void spare_if_enough(struct cs_pass *p, const struct cs_entry *entry,
			    const struct cs_occ *o, const struct cs_shape *s)
{
	struct cs_engine *e = p->e;
	const struct cs_job *job = &entry->job->job;
	size_t size = cs_node_words(e->machine) * sizeof(*e->mask2);

	if (job->max_nodes <= s->nodes ||
	    cs_refused_of(entry->job, entry->option))
		return;
	memcpy(e->mask2, e->mask, size);
	cs_plan_spare(p, o, s, job->estimate_us, e->mask);
	if (!enough(o, job, e->mask))
		memcpy(e->mask, e->mask2, size);
}

/* Rule 6: remove from @mask nodes with jobs that allow neighbours only in a group. */
static void keep_packed(const struct cs_occ *o, uint64_t *mask)
{
	for (uint32_t n = 0; n < o->machine->n_node; n++)
		if (o->node[n].counted)
			cs_bit_clear(mask, n);
}

/* Rule 6: of e->mask. */
static int offer_taken(struct cs_pass *p, const struct cs_entry *entry,
		       const struct cs_occ *o, const struct cs_shape *s,
		       bool early)
{
	struct cs_engine *e = p->e;
	const struct cs_job *job = &entry->job->job;
	bool whole = cs_job_flags(entry->job, entry->option) & CS_JOB_EXCLUSIVE;
	uint32_t cores = cs_layout_cores(job->procs, job->cpus_per_proc,
					 e->machine->core_threads);

	keep_packed(o, e->mask);
	if (early)
		spare(p, entry, o, s);
	if (cs_pass_plans(p))
		cs_plan_behind(p, o, s, job->estimate_us,
			       whole ? UINT32_MAX : cores, e->mask);
	return passes_heads(p, job);
}

/* The nodes it is offered, into e->mask.  1: there are some, 0, -ENOMEM. */
static int offer(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	bool early = cs_pass_plans(p) && !cs_plan_due(p);
	bool shares = cs_job_flags(j, entry->option) & CS_JOB_SHARES_CORES &&
		      !(j->job.flags & CS_JOB_NO_SHARE);
	const struct cs_occ *o;
	struct cs_shape s;

	if (!cs_alone_least(e, j, entry->option, &s))
		return 0;
	if (shares && !cs_may_search(e))
		return 0;
	if (early && (s.owner || !shares) && !j->forecast &&
	    !has_room(e, j, entry->option) &&
	    cs_alone_ever(e, j, entry->option))
		return s.owner ? only_own(p, entry, e->mask) : 0;
	o = cs_resv_room(e, j, entry->option, &s, &e->sm->now, e->now_us,
			 j->job.estimate_us, e->mask);
	if (shares)
		return offer_taken(p, entry, o, &s, early);
	keep_roomy(o, &s, e->mask);
	if (early)
		spare(p, entry, o, &s);
	else if (cs_pass_plans(p))
		spare_if_enough(p, entry, o, &s);
	if (early && s.owner && with_own(p, entry, e->mask) < 0)
		return -ENOMEM;
	if (!enough(o, &j->job, e->mask) && cs_alone_ever(e, j, entry->option))
		return 0;
	return passes_heads(p, &j->job);
}

/* Rule 7: of e->mask.  Is it offered others beside enough idle nodes? */
static bool idle_only(struct cs_engine *e, const struct cs_entry *entry)
{
	const struct cs_refusals *r = cs_refused_of(entry->job, entry->option);
	uint32_t words = cs_node_words(e->machine);
	bool beside = false;

	memcpy(e->mask2, e->mask, words * sizeof(*e->mask));
	for (uint32_t n = 0; n < e->machine->n_node; n++)
		if (cs_bit(e->mask, n) && e->sm->on[n].n) {
			cs_bit_clear(e->mask2, n);
			beside = true;
		}
	beside &= enough(&e->sm->now, &entry->job->job, e->mask2);
	if (!beside || !r || !r->idle)
		return beside;
	memcpy(e->mask, e->mask2, words * sizeof(*e->mask));
	return false;
}

int cs_place_host(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	struct cs_action *act;
	struct cs_alloc *a;
	bool beside;
	uint32_t k;
	int rc = offer(p, entry);

	if (rc <= 0)
		return rc;
	beside = idle_only(e, entry);
	k = cs_bits_count(e->mask, cs_node_words(e->machine));
	e->sm->moved |= k > 0; /* what may be asked from now on */
	if (k && !cs_refused_may_ask(e, j, entry->option)) {
		cs_pass_verdict(e, j, CS_WHY_TURN);
		p->unasked = true;
		return 0;
	}
	a = k ? cs_alloc_create(k, e->machine->words) : NULL;
	if (!a)
		return k ? -ENOMEM : 0;
	k = 0;
	for (uint32_t n = 0; n < e->machine->n_node; n++)
		if (cs_bit(e->mask, n))
			a->node[k++] =
				(struct cs_alloc_node){ .node = n, .procs = 1 };
	j = cs_proposal_make(e, j, entry->option, a,
			     j->job.flags & CS_JOB_NO_SHARE ? CS_NODE_COUNTED
							    : CS_NODE_PACKED);
	act = j ? cs_engine_action(e, CS_ACT_HOST_START) : NULL;
	if (!act)
		return -ENOMEM;
	j->asked_beside = beside;
	j->asked_us = entry->job->asked_us; /* an array's task is a new job */
	j->asked_early = entry->job->asked_early;
	act->seq = j->seq;
	act->job_id = j->master ? j->master : j->job.id;
	act->option = entry->option;
	act->alloc = j->alloc;
	act->packed = j->hold == CS_NODE_PACKED;
	act->ask = cs_forecast_wanted(e, entry->job, p->before);
	entry->job->asked = act->ask;
	act->slowdown = 1;
	cs_tell(e->order, note, e, j, act);
	p->ended = true;
	return 1;
}

bool cs_host_start_takes_over(struct cs_engine *e, const struct cs_entry *entry)
{
	struct cs_ejob *j = entry->job;
	struct cs_shape s;

	if (cs_job_flags(j, entry->option) & CS_JOB_HOST)
		return false;
	if (cs_alone_ever(e, j, entry->option) &&
	    (!cs_alone_shape(e, j, entry->option, &s) ||
	     !cs_alone_too_slow(e, j, entry->option, &s)))
		return false;
	if (!cs_refused_by_model(e, j, entry->option))
		return false;
	e->sm->moved = true;
	return true;
}
