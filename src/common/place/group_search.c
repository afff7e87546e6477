/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of jobs on shared nodes: the scheduling algorithm of G-LOMARC-TS.
 *
 * Problem.  Start the first waiting job so that the cores of its nodes are used well,
 * with as many others as fit, and at no great cost to any other job.
 *
 * Rules, for the current job (Zeng09, section 4.4, figure 3).
 *  1. Low load, and serial jobs beside serial ones: as in low_load.c.
 *  2. Case 1: it is the primary job, other waiting jobs are matched with it.
 *     Case 2: it is the primary job, running jobs are matched with it.
 *     Case 3: a running job is the primary one, it and other waiting jobs are matched
 *	       with that; of those that suit it (cs_join_suits()) the RUNNING_PRIM_NUM
 *	       least delayed are tried, as in join.c.
 *     Case 5: alone on all cores of its nodes, slowing itself by at most MAX_SL (with
 *	       layout=gain without bound).
 *     Of those that pass the fairness check, the one with the highest utilisation gain
 *     of at least MIN_UTILGAIN is taken, the lower case at a tie.  (`cases` names those
 *     tried; without case 5 a job never has all cores of a node.)
 *  3. Case 4: else alone, laid out by `layout`, when its time has come.
 *  4. Backfilling tries `backfill_cases` (Zeng09: 1, 4 and 5).  In another class's
 *     slice (pect.c) a group may delay no promise.
 *  5. Pairs (place=pair-best, pair-first) are groups with one matched job.  With
 *     backfill_join=yes a job that no group took joins a running one as in join.c, up
 *     to jobs_per_node on a node, if no promise suffers.  Without a plan (backfill=none,
 *     easy) the cases are those of group_unplanned.c.
 *
 *  6. layout=auto: a job for which no group is found starts packed by core, as stock
 *     does (alone.c, rule 8), and the members of a group hold their nodes as packed
 *     jobs do: others may use the remaining cores.  So no core is kept for a partner
 *     that may not come.  Rule 1 is skipped: serial jobs are packed anyway.
 *
 * group_match.c selects the jobs that may be matched, group_form.c the sets to try,
 * group_nodes.c their nodes; group_fair.c bounds the cost to others.
 *
 * Source: Zeng09 (see slowdown.h), sections 4.3 to 4.6.
 *
 * Differs.
 *  1. "No room under space sharing" is not a rule by itself: cases 1 to 3 are tried
 *     whether or not the job would fit alone.
 *  2. With jobs_per_node above 2, waiting matched jobs may also share a node with each
 *     other (group_layers.c).  Running ones do not: in case 2 a node has two jobs.
 *  3. The cases are taken in order of the best group that each offers, and all groups
 *     of one case are tried before the next: if the best is not fair, a lesser one of
 *     its case precedes a better one of another.  With first_suitable case 5 is not
 *     compared.
 *
 * Known weakness: those of group_unplanned.c and group_nodes.c.
 *
 * Cost: for each job placed, O(waiting) pair slowdowns and those of group_form.c, and a
 * plan for each group checked: search_steps bounds their sum in a pass. 10,000 jobs on
 * 1,000 nodes: 0.6 s at most with 100,000 steps.
 */
#include "place/group_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/plan.h"
#include "job/match.h"
#include "job/progress.h"
#include "place/attempt.h"
#include "place/joinable.h"
#include "place/low_load.h"
#include "place/place.h"
#include "profile/gain.h"
#include "place/join.h"
#include "state/pass.h"

/* Have checks of plans taken the pass's steps? */
static bool tired(const struct cs_search *s)
{
	return cs_pass_plans(s->p) && !cs_may_search(s->e);
}

int cs_search_choose(struct cs_search *s)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && !s->done && i < s->f.n_group; i++) {
		const struct cs_formed *g = &s->f.group[i];
		struct cs_group_alloc t;

		if (g->gain < s->least || tired(s))
			break;
		rc = cs_group_alloc_make(s, g, &t);
		if (rc > 0)
			rc = cs_search_fair(s, g, &t);
		if (rc > 0)
			rc = cs_search_start(s, g, &t);
		else
			cs_group_alloc_done(s, &t);
		cs_group_alloc_free(&t);
	}
	return rc;
}

/* The nodes of the group are at least like those of the waiting job @c, with at most
 * @layers matched jobs on each. */
static void begin(struct cs_search *s, uint32_t rule,
		  const struct cs_candidate *c, uint32_t layers)
{
	s->rule = rule;
	s->f.n = 0;
	s->f.n_group = 0;
	s->f.must = -1;
	s->f.candidate = s->all;
	s->f.layers = layers;
	s->f.cores = c->shape.cores;
	s->f.mem_mb = c->shape.like->memory_mb ? c->shape.like->memory_mb
					       : UINT64_MAX;
	s->f.primary.most = 1;
}

/* Layers beside the primary job: jobs_per_node with it. */
static uint32_t most_layers(const struct cs_search *s)
{
	return s->f.every ? 1 : (uint32_t)s->e->params.jobs_per_node - 1;
}

/* Form the groups of a case.  0, -ENOMEM. */

int cs_search_form_waiting(struct cs_search *s)
{
	struct cs_engine *e = s->e;
	struct cs_candidate *a = &s->f.primary;
	const struct cs_job_partition *o = &a->job->job.option[a->option];
	double lasts = cs_candidate_lasts_us(a, 1);
	int rc = cs_pass_plans(s->p) ? 1 : cs_search_may_lead(s);

	begin(s, 1, a, most_layers(s));
	if (rc <= 0)
		return rc;
	cs_search_takes(a);
	cs_search_nodes(s, a, e->mask);
	if (a->nodes > cs_search_empty(e))
		return 0;
	if (e->guests && cs_pass_plans(s->p) &&
	    !cs_plan_room(e, a->job, o->nodeset, a->nodes * a->shape.cores,
			  cs_stretch_us((int64_t)lasts, 1)))
		return 0;
	cs_search_add_waiting(s);
	return cs_group_form(&s->f);
}

/* Case 2. */
static int form_running(struct cs_search *s)
{
	size_t n;
	struct cs_ejob **r = cs_joinable_jobs(s->p, &n);

	if (!r)
		return -ENOMEM;
	/* each running job has nodes of its own */
	begin(s, 2, &s->f.primary, 1);
	cs_search_nodes(s, &s->f.primary, s->e->mask);
	cs_search_add_running(s, r, n, &s->f.primary.shape);
	return cs_group_form(&s->f);
}

/* What running job @r leaves matched jobs on its nodes. */
static void left_beside(struct cs_search *s, const struct cs_ejob *r)
{
	const struct cs_occ *o = &s->e->sm->now;

	for (uint32_t i = 0; i < r->alloc->n_node; i++) {
		uint32_t n = r->alloc->node[i].node;
		uint64_t mb = cs_occ_free_mb(o, n);

		if (!i || o->node[n].free_cores < s->f.cores)
			s->f.cores = o->node[n].free_cores;
		if (!i || mb < s->f.mem_mb)
			s->f.mem_mb = mb;
	}
}

/* Leave only the nodes of @a in e->mask. */
static void only_of(const struct cs_engine *e, const struct cs_alloc *a)
{
	memset(e->mask, 0, cs_node_words(e->machine) * sizeof(*e->mask));
	cs_alloc_mark(a, e->mask);
}

/* Case 3 with one running job: the entry's job must be matched. */
static int form_beside(struct cs_search *s, struct cs_ejob *r)
{
	struct cs_candidate own;

	if (!cs_search_waiting(s->e, s->entry, &own))
		return 0;
	cs_search_running(s->e, r, &s->f.primary);
	begin(s, 3, &own, most_layers(s));
	s->running = r;
	left_beside(s, r);
	if (!cs_search_suits(s, &own))
		return 0;
	cs_search_nodes(s, &own, s->e->mask);
	for (uint32_t i = 0; i < r->alloc->n_node; i++) {
		uint32_t at = r->alloc->node[i].node;

		if (!cs_bit(s->e->mask, at) ||
		    !cs_layout_usable(&s->e->sm->now, at, &own.shape))
			return 0;
	}
	s->all[s->f.n++] = own;
	s->f.must = 0;
	only_of(s->e, r->alloc);
	cs_search_add_waiting(s);
	return cs_group_form(&s->f);
}

/* Groups of all cases are formed first, then tried in order of the best gain that each
 * case offers. */
struct offer {
	uint32_t rule;
	struct cs_ejob *running;
	double gain;
};

static int form_again(struct cs_search *s, const struct offer *o)
{
	struct cs_candidate own;

	if (o->rule == 3)
		return form_beside(s, o->running);
	cs_search_waiting(s->e, s->entry, &own);
	s->f.primary = own;
	return o->rule == 1 ? cs_search_form_waiting(s) : form_running(s);
}

static int by_offer(const void *x, const void *y)
{
	const struct offer *a = x, *b = y;

	if (a->gain != b->gain)
		return a->gain > b->gain ? -1 : 1;
	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	return a->running && b->running ? cs_ejob_cmp(a->running, b->running)
					: 0;
}

/* Note what the case just formed offers. */
static void note(const struct cs_search *s, struct offer *o, uint32_t *n)
{
	struct cs_searches *of = &s->e->searches;

	of->all++;
	of->few += s->f.n < 4;
	of->none += !s->f.n;
	if (s->f.n_group)
		o[(*n)++] = (struct offer){ s->rule, s->running,
					    s->f.group[0].gain };
}

static int offers(struct cs_search *s, struct offer *o, uint32_t *n)
{
	int64_t most = s->e->params.running_prim_num, tried = 0;
	struct cs_ejob **r;
	size_t n_r;
	int rc = 0;

	*n = 0;
	s->running = NULL;
	if (cs_attempt_tries(s->p, 1)) {
		rc = cs_search_form_waiting(s);
		note(s, o, n);
	}
	if (!rc && cs_attempt_tries(s->p, 2)) {
		rc = form_running(s);
		note(s, o, n);
	}
	r = !rc && cs_attempt_tries(s->p, 3) ? cs_joinable_jobs(s->p, &n_r)
					     : NULL;
	for (size_t i = 0; r && !rc && i < n_r && (!most || tried < most);
	     i++) {
		if (!cs_search_free(s->e, r[i]) ||
		    cs_join_suits(s->e, s->entry, r[i], false) != CS_MATCH_OK)
			continue;
		tried++;
		rc = form_beside(s, r[i]);
		note(s, o, n);
	}
	s->running = NULL;
	return rc;
}

/* Case 5: the job's gain alone on all cores; below 0: unavailable. */
static double alone_gain(const struct cs_search *s)
{
	const struct cs_planned *q = &s->entry->job->plan;
	double self;

	if (!cs_attempt_tries(s->p, 5) || !cs_plan_due(s->p) ||
	    !q->shape.even ||
	    cs_shape_cores(&q->shape, q->shape.like, q->shape.quota) <
		    q->shape.cores)
		return -1;
	self = cs_progress_self(s->e, s->entry->job, q->shape.quota,
				q->shape.like);
	return self <= s->e->params.max_slowdown ||
			       s->e->params.layout == CS_LAYOUT_GAIN
		       ? cs_gain_alone(s->entry->job->job.procs, self,
				       q->shape.nodes)
		       : -1;
}

/* Rule 2. */
static int best_case(struct cs_search *s, struct offer *o)
{
	double alone = alone_gain(s);
	uint32_t n;
	int rc = offers(s, o, &n);

	if (s->f.first)
		alone = -1;
	else if (!rc && n > 1)
		qsort(o, n, sizeof(*o), by_offer);
	if (alone >= s->e->params.min_util_gain)
		s->least = alone;
	for (uint32_t i = 0; !rc && !s->done && i < n; i++) {
		if (o[i].gain < s->least)
			break;
		rc = form_again(s, &o[i]);
		if (!rc)
			rc = cs_search_choose(s);
	}
	return rc;
}

/* Is only a new group on empty nodes possible, with too few of them?  Mostly so in
 * backfill. */
static bool no_room(const struct cs_search *s)
{
	const struct cs_engine *e = s->e;
	const struct cs_part *q;

	if (cs_attempt_tries(s->p, 2) || cs_attempt_tries(s->p, 3))
		return false;
	q = cs_search_part(e, s->entry);
	return q && q->shape.nodes > e->machine->n_node - e->sm->now.used_nodes;
}

/* One extra entry is read past the last.  NULL: no memory. */
static struct cs_candidate *candidates(const struct cs_search *s)
{
	struct cs_engine *e = s->e;
	size_t behind, n;

	cs_attempt_behind(s->p, &behind);
	n = behind + e->started.n + 2;

	if (n > e->cap_candidate) {
		free(e->candidate);
		e->candidate = malloc(2 * n * sizeof(*e->candidate));
		e->cap_candidate = e->candidate ? 2 * n : 0;
	}
	return e->candidate;
}

/* Under a plan. */
static int planned(struct cs_search *s)
{
	struct cs_engine *e = s->e;
	struct offer *o;
	int rc = -ENOMEM;

	if (no_room(s))
		return 0;
	o = calloc(e->started.n + 4, sizeof(*o));
	if (o)
		rc = cs_search_waiting(e, s->entry, &s->f.primary)
			     ? best_case(s, o)
			     : 0;
	free(o);
	return rc ? rc : s->done;
}

static int grouped(struct cs_search *s)
{
	int rc = -ENOMEM;

	s->all = candidates(s);
	s->least = -1;
	if (s->all)
		rc = cs_pass_plans(s->p) ? planned(s) : cs_search_unplanned(s);
	free(s->f.group);
	return rc;
}

static uint32_t most_matched(const struct cs_engine *e)
{
	int64_t most =
		e->place->matched ? e->place->matched : e->params.matched_max;

	return most && most < CS_MATCHED_MAX ? (uint32_t)most : CS_MATCHED_MAX;
}

/* Has the job no promise in this partition, though jobs are promised starts? */
static bool unpromised(const struct cs_pass *p, const struct cs_entry *entry)
{
	const struct cs_planned *q = &entry->job->plan;

	return cs_pass_plans(p) &&
	       (q->start_us == CS_TIME_NONE || q->option != entry->option);
}

/* Rule 5's second half. */
static bool may_join(const struct cs_pass *p)
{
	const struct cs_engine *e = cs_attempt_engine(p);

	return cs_pass_plans(p) && e->place->joins &&
	       e->params.backfill_join == CS_BACKFILL_JOIN_YES;
}

int cs_place_group(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = cs_attempt_engine(p);
	struct cs_search s = { .p = p, .e = e, .entry = entry };
	int rc = 0;

	s.f.params = &e->params;
	s.f.model = &e->model;
	s.f.most = most_matched(e);
	s.f.first = e->params.first_suitable || e->place->first;
	s.f.every = !cs_pass_plans(p);
	if (unpromised(p, entry) || e->params.jobs_per_node < 2 ||
	    !cs_may_search(e) ||
	    cs_match_willing(e, entry->job, entry->option) != CS_MATCH_OK)
		return cs_place_alone(p, entry);
	cs_plan_settle(e); /* it goes by the promises of others */
	if (!cs_shares_packed(e))
		rc = cs_place_light(p, entry);
	if (!rc)
		rc = grouped(&s);
	if (!rc && may_join(p))
		rc = cs_place_beside(p, entry, false);
	return rc ? rc : cs_place_alone(p, entry);
}
