/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backfill=stock: which jobs Slurm's own schedulers start, and when.  Others are compared
 * with them: they plan neither exactly nor all the time.
 *
 * Rules.
 *  1. Main loop: at every event jobs start in the queue's order.  Behind the first one
 *     that does not fit no job gets a node of that one's partition, planned or not; unless
 *     that one keeps nothing (horizon.c, rule 2).
 *  2. sched/backfill: every stock_every_s, if there was an event since, each job in the
 *     queue's order starts or is planned.  A planned job has its nodes whole, from its
 *     planned start until its limit, both rounded down to stock_resolution_s; the next
 *     jobs get none of these in that time.  Plans are made anew each time.
 *  3. A job's nodes are looked for as they are now, without those planned while it would
 *     run; then as they will be (4).  A start later than the next instant at which planned
 *     or reserved nodes come free is looked for from there once more.
 *  4. Ends of running jobs are taken in groups, and a start is looked for after each group:
 *     the start is the last end of its group, even if it needs fewer ends.  With b the
 *     first end, moved on to a multiple of WINDOW_US, a group ends with the last end up to
 *     b + w; w is WINDOW_US at first, then twice as long each time, or longer by
 *     stock_linear_s.  So a planned start lies late by up to its own distance, and others
 *     pass meanwhile.  A group that GROUP_JOBS ends have filled gives no start.
 *  5. A job that would start beyond horizon_s (bf_window) has nothing planned.
 *
 *	ends        |  |    |   |       |      |           |
 *	            b
 *	groups      [ w ][ 2w  ][   4w      ][      8w             ]
 *
 * Source: Slurm 22.05.8: schedule() in slurmctld/job_scheduler.c, _attempt_backfill() in
 * sched/backfill/backfill.c, _will_run_test() in select/cons_common/job_test.c.
 *
 * Differs: passes take no time, and one that others interrupt is not made up; of an array
 * one task is planned (bf_max_job_array_resv: 20); the main loop looks at every event and
 * not up to a second later, and as far as depth, not default_queue_depth; b is rounded by
 * the engine's clock, not the calendar's.  Running jobs that take whole nodes
 * (--exclusive) go by rule 4, while Slurm plans around their exact ends.  In the main loop
 * a job's own nodes count as its partition, also where it names or excludes some, and a job
 * of another partition waits for all of them, also for nodes that are not common.  A
 * planned job may get other nodes at the same instant where its first ones are planned for
 * another then; Slurm tries later.  In 24.11.5 a start that is looked for once more (3)
 * is exact, and groups end at instants at which planned nodes come free.
 *
 * Cost: a pass, for each job and instant tried (3), O(nodes + running + planned nodes/64),
 * and a test of the shape for each group.
 */
#include "backfill/backfill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/endings.h"
#include "base/array.h"
#include "job/alone.h"
#include "job/horizon.h"
#include "job/resv.h"
#include "model/layout.h"
#include "params/host_number.h"
#include "state/pass.h"

#define WINDOW_US INT64_C(30000000)
#define GROUP_JOBS 202

struct planned {
	uint32_t job_id, option;
	int64_t start_us;	/* of the job */
	int64_t from_us, to_us; /* its nodes are taken */
	uint64_t *nodes;
};

struct cs_stock {
	int64_t passed_us; /* the last pass of backfill */
	bool due;	   /* something may have changed since the last one */
	struct planned *plan; /* [n], nodes allocated up to made */
	size_t n, made, cap;
	struct cs_occ then; /* scratch: the machine behind a group */
	uint64_t *nodes;    /* scratch: node set */
};

/* ---- what is planned ------------------------------------------------------- */

/* Take out of @set what is planned between @from_us and @until_us. */
static void take_planned(const struct cs_engine *e, int64_t from_us,
			 int64_t until_us, uint64_t *set)
{
	const struct cs_stock *s = e->sm->stock;

	for (size_t i = 0; i < s->n; i++)
		if (s->plan[i].from_us <= until_us &&
		    s->plan[i].to_us > from_us)
			for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
				set[w] &= ~s->plan[i].nodes[w];
}

/* The next instant after @t_us at which planned nodes come free; CS_TIME_NONE. */
static int64_t next_free_us(const struct cs_stock *s, int64_t t_us)
{
	int64_t next = CS_TIME_NONE;

	for (size_t i = 0; i < s->n; i++)
		if (s->plan[i].to_us > t_us && s->plan[i].to_us < next)
			next = s->plan[i].to_us;
	return next;
}

/* The last pass's plan for a job. */
static const struct planned *plan_of(const struct cs_stock *s, uint32_t job_id)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->plan[i].job_id == job_id)
			return &s->plan[i];
	return NULL;
}

static int64_t rounded_us(const struct cs_engine *e, int64_t t_us)
{
	int64_t step = e->params.stock_resolution_s * CS_SECOND_US;

	return t_us / step * step;
}

/* Plan @j in partition @option on the nodes of @a (rule 2).  0, -ENOMEM. */
static int add_plan(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, int64_t start_us, const struct cs_alloc *a)
{
	struct cs_stock *s = e->sm->stock;
	uint32_t words = cs_node_words(e->machine);
	struct planned *q;

	if (cs_array_room(&s->plan, &s->cap, s->n + 1))
		return -ENOMEM;
	q = &s->plan[s->n];
	if (s->n == s->made) {
		uint64_t *nodes = malloc(words * sizeof(*nodes));

		if (!nodes)
			return -ENOMEM;
		q->nodes = nodes;
		s->made++;
	}
	q->job_id = j->job.id;
	q->option = option;
	q->start_us = start_us;
	q->from_us = rounded_us(e, start_us);
	q->to_us = rounded_us(e, cs_later_us(start_us, j->plan.run_us));
	if (q->to_us <= q->from_us)
		q->to_us =
			cs_later_us(q->from_us, e->params.stock_resolution_s *
							CS_SECOND_US);
	memset(q->nodes, 0, words * sizeof(*q->nodes));
	cs_alloc_mark(a, q->nodes);
	s->n++;
	return 0;
}

/* ---- the earliest start ---------------------------------------------------- */

/* Cores of @a on nodes of @set. */
static uint32_t cores_on(const struct cs_alloc *a, const uint64_t *set)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n_node; i++)
		if (cs_bit(set, a->node[i].node))
			n += cs_alloc_count(a, i);
	return n;
}

/* Free cores on nodes of @set. */
static uint64_t free_on(const struct cs_engine *e, const struct cs_occ *o,
			const uint64_t *set)
{
	uint64_t n = 0;

	for (uint32_t w = 0; w < cs_node_words(e->machine); w++)
		for (uint64_t left = set[w] & ~o->down[w]; left;)
			n += o->node[w * 64 + cs_bit_pop(&left)].free_cores;
	return n;
}

/* Does @j fit on nodes of @set, which have @free free cores, in s->then? */
static bool job_fits(const struct cs_engine *e, const struct cs_ejob *j,
		     const uint64_t *set, uint64_t free)
{
	const struct cs_shape *s = &j->plan.shape;

	return free * e->machine->core_threads >=
		       (uint64_t)s->procs * s->cpus_per_proc &&
	       cs_layout_fits(&e->sm->stock->then, s, set);
}

/* Rule 4: the end of the next group. */
static int64_t wider_us(const struct cs_engine *e, int64_t window_us,
			int64_t least_us)
{
	int64_t step = e->params.stock_linear_s * CS_SECOND_US;

	if (step)
		return least_us > window_us + step
			       ? window_us +
					 cs_spans(least_us - window_us, step) *
						 step
			       : window_us + step;
	do
		window_us *= 2;
	while (window_us < least_us);
	return window_us;
}

/*
 * Rule 4: when @j's shape fits on nodes of @set, now or behind a group of ends, in
 * s->then as it is then.  CS_TIME_NONE: never.
 */
static int64_t fits_us(const struct cs_engine *e, const struct cs_ejob *j,
		       const uint64_t *set)
{
	const struct cs_endings *x = &e->sm->endings;
	struct cs_stock *s = e->sm->stock;
	int64_t base_us = 0, window_us = WINDOW_US, last_us;
	uint64_t free = free_on(e, &e->sm->now, set);
	uint32_t i = 0, n;

	cs_occ_copy(&s->then, &e->sm->now);
	if (job_fits(e, j, set, free))
		return e->now_us;
	while (i < x->n) {
		bool full = false;

		for (last_us = 0, n = 0; i < x->n; i++) {
			const struct cs_ending *end = &x->ending[i];
			uint32_t cores;

			if (end->end_us == CS_TIME_NONE ||
			    (n && end->end_us > base_us + window_us))
				break;
			full = n == GROUP_JOBS;
			if (full)
				break;
			cores = cores_on(end->job->alloc, set);
			if (!cores)
				continue;
			free += cores;
			if (!base_us)
				base_us = (end->end_us / WINDOW_US + 1) *
					  WINDOW_US;
			cs_occ_remove(&s->then, end->job->alloc,
				      end->job->hold);
			last_us = end->end_us;
			n++;
		}
		if (!n)
			break;
		if (full)
			continue;
		if (job_fits(e, j, set, free))
			return last_us > e->now_us ? last_us : e->now_us;
		window_us =
			wider_us(e, window_us,
				 i < x->n && x->ending[i].end_us != CS_TIME_NONE
					 ? x->ending[i].end_us - base_us
					 : 0);
	}
	return CS_TIME_NONE;
}

/* The next instant after @t_us at which planned or reserved nodes come free. */
static int64_t look_again_us(const struct cs_engine *e, const struct cs_ejob *j,
			     uint32_t option, int64_t t_us)
{
	int64_t free_us = next_free_us(e->sm->stock, t_us);

	return e->n_held ? cs_endings_sooner_us(e, j, option, free_us, t_us)
			 : free_us;
}

/* Rule 3: the start of @j into *@ret_us, and into s->nodes those that it may use then, in
 * s->then.  0; -ECANCELED. */
static int start_us(struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, int64_t *ret_us)
{
	struct cs_stock *s = e->sm->stock;
	int64_t run_us = j->plan.run_us, try_us = e->now_us, start, later;
	int rc;

	for (;;) {
		rc = cs_step(e, cs_node_words(e->machine) +
					(int64_t)e->sm->endings.n / 8);
		if (rc)
			return rc;
		cs_resv_nodes(e, j, option, try_us, run_us, s->nodes);
		take_planned(e, try_us, cs_later_us(try_us, run_us), s->nodes);
		later = look_again_us(e, j, option, try_us);
		start = fits_us(e, j, s->nodes);
		if (start < try_us)
			start = try_us;
		if (start > later) {
			try_us = later;
			continue;
		}
		*ret_us = start;
		if (start == CS_TIME_NONE || start == try_us)
			return 0;
		/* are its nodes planned for others when it starts? */
		try_us = start;
		cs_resv_nodes(e, j, option, start, run_us, e->mask);
		take_planned(e, rounded_us(e, start),
			     rounded_us(e, cs_later_us(start, run_us)) - 1,
			     e->mask);
		if (job_fits(e, j, e->mask, free_on(e, &s->then, e->mask))) {
			memcpy(s->nodes, e->mask,
			       cs_node_words(e->machine) * sizeof(*s->nodes));
			return 0;
		}
	}
}

/* ---- a walk ---------------------------------------------------------------- */

/* Rule 1: behind @entry no job gets a node of its partition. */
static void block_partition(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_ejob *j = entry->job;
	const struct planned *q = plan_of(e->sm->stock, j->job.id);
	const uint64_t *set = cs_engine_set(e, &j->job.option[entry->option]);

	if (!cs_layout_holds(e->machine, e->sm->now.down, &j->plan.shape, set))
		return;
	if (!cs_horizon_keeps(e, j, entry->option, e->now_us + 1)) {
		cs_pass_far(e, j, entry->option, e->now_us + 1);
		return;
	}
	cs_pass_verdict(e, j, CS_WHY_HEAD);
	j->verdict.option = entry->option;
	if (q)
		j->verdict.start_us = q->start_us;
	cs_bits_or(e->waited, set, cs_node_words(e->machine));
}

static int promise(struct cs_pass *p, const struct cs_entry *entry)
{
	struct cs_engine *e = p->e;
	struct cs_stock *s = e->sm->stock;
	struct cs_ejob *j = entry->job;
	struct cs_alloc *a;
	bool nomem = false;
	int64_t start;
	int rc;

	cs_pass_verdict(e, j, CS_WHY_NEVER);
	if (!cs_alone_layout(e, j, entry->option))
		return 0;
	if (!p->behind) {
		block_partition(p, entry);
		return 0;
	}
	cs_endings_sort(e);
	rc = start_us(e, j, entry->option, &start);
	if (rc || start == CS_TIME_NONE)
		return rc;
	if (!cs_horizon_keeps(e, j, entry->option, start)) {
		cs_pass_far(e, j, entry->option, start);
		return 0;
	}
	cs_pass_verdict(e, j, CS_WHY_PLANNED);
	j->verdict.option = entry->option;
	j->verdict.start_us = start;
	a = cs_layout_choose(&s->then, &j->plan.shape, s->nodes, &nomem);
	if (!a)
		return nomem ? -ENOMEM : 0;
	rc = add_plan(e, j, entry->option, start, a);
	cs_alloc_free(a);
	e->reservations += !rc;
	return rc;
}

static int64_t next_us(const struct cs_engine *e)
{
	int64_t every_s =
		e->params.stock_every_s ?: cs_host_number(NULL, "bf_interval=");

	return e->sm->stock->passed_us + every_s * CS_SECOND_US;
}

/* p->behind: it is a pass of backfill (2), else the main loop's (1). */
static int begin(struct cs_pass *p)
{
	struct cs_engine *e = p->e;
	struct cs_stock *s = e->sm->stock;

	p->behind = e->now_us == s->passed_us || e->now_us >= next_us(e);
	s->due = !p->behind && e->waiting.n;
	if (!p->behind)
		return 0;
	s->n = 0;
	s->passed_us = e->now_us;
	e->changed =
		true; /* later decides go by it, also where nothing starts */
	return 0;
}

static void confine(const struct cs_pass *p, int64_t end_us, uint64_t *allowed)
{
	if (p->behind)
		take_planned(p->e, p->e->now_us, end_us, allowed);
}

static bool leaves(struct cs_pass *p, const struct cs_alloc *a,
		   enum cs_node_use hold, int64_t end_us)
{
	const struct cs_stock *s = p->e->sm->stock;

	(void)hold;
	for (size_t i = 0; p->behind && i < s->n; i++)
		if (s->plan[i].from_us <= end_us &&
		    cores_on(a, s->plan[i].nodes))
			return false;
	return true;
}

static bool leaves_moved(struct cs_pass *p, const struct cs_alloc *a,
			 enum cs_node_use hold, int64_t a_end_us,
			 struct cs_ejob *const *moved, const int64_t *end_us,
			 size_t n)
{
	(void)moved, (void)end_us, (void)n; /* no job of place=pack has any */
	return leaves(p, a, hold, a_end_us);
}

static int64_t stays_us(struct cs_engine *e, const struct cs_alloc *a,
			enum cs_node_use hold, int64_t from_us,
			int64_t until_us)
{
	const struct cs_stock *s = e->sm->stock;

	(void)hold;
	(void)from_us;
	for (size_t i = 0; i < s->n; i++)
		if (s->plan[i].from_us < until_us &&
		    cores_on(a, s->plan[i].nodes))
			until_us = s->plan[i].from_us;
	return until_us;
}

static int64_t wakeup_us(const struct cs_engine *e)
{
	return e->sm->stock->due ? next_us(e) : CS_TIME_NONE;
}

/* The main loop looks more often than backfill, and keeps its plans. */
static int64_t planned_us(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t *ret_option)
{
	const struct planned *q = plan_of(cs_sm_of(e, j)->stock, j->job.id);

	if (!q)
		return CS_TIME_NONE;
	*ret_option = q->option;
	return q->start_us;
}

/* ---- its life -------------------------------------------------------------- */

static int init(const struct cs_engine *e, struct cs_slice_machine *sm)
{
	struct cs_stock *s = calloc(1, sizeof(*s));

	sm->stock = s;
	if (!s)
		return -ENOMEM;
	s->passed_us = INT64_MIN / 2;
	s->nodes = calloc(cs_node_words(e->machine), sizeof(*s->nodes));
	return s->nodes ? cs_occ_init(&s->then, e->machine) : -ENOMEM;
}

static void done(struct cs_slice_machine *sm)
{
	struct cs_stock *s = sm->stock;

	if (!s)
		return;
	for (size_t i = 0; i < s->made; i++)
		free(s->plan[i].nodes);
	free(s->plan);
	free(s->nodes);
	cs_occ_done(&s->then);
	free(s);
	sm->stock = NULL;
}

static int copy(struct cs_engine *to, const struct cs_engine *from, uint32_t sm)
{
	const struct cs_stock *was = from->sms[sm].stock;
	struct cs_stock *s = to->sms[sm].stock;
	size_t size = cs_node_words(to->machine) * sizeof(*s->nodes);

	if (cs_array_room(&s->plan, &s->cap, was->n))
		return -ENOMEM;
	for (; s->n < was->n; s->n++, s->made++) {
		uint64_t *nodes = malloc(size);

		if (!nodes)
			return -ENOMEM;
		s->plan[s->n] = was->plan[s->n];
		s->plan[s->n].nodes =
			memcpy(nodes, was->plan[s->n].nodes, size);
	}
	s->passed_us = was->passed_us;
	s->due = was->due;
	return 0;
}

const struct cs_backfill_ops cs_backfill_stock = {
	.behind = true,
	.init = init,
	.done = done,
	.copy = copy,
	.begin = begin,
	.promise = promise,
	.confine = confine,
	.leaves = leaves,
	.leaves_moved = leaves_moved,
	.stays_us = stays_us,
	.wakeup_us = wakeup_us,
	.planned_us = planned_us,
};
