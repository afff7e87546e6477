/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Slurm's commands show of the plan: StartTime and SchedNodes of waiting jobs, nodes
 * PLANNED.
 *
 * Nothing else of a waiting job is written.  Its reason is the main loop's, which goes
 * through the queue under mode act as under stock, so that other tools find the words
 * that they compare; `cosched explain` has what else there is to say.  The main loop saw
 * jobs wait that a cycle of ours started, so it is asked for another pass after those
 * starts (sched_cycle.c).
 *
 * Rules.
 *  1. A start is shown in whole seconds where the engine has planned it; one that should
 *     have come by now is not.  Slurm clears a start whenever it looks at the job, so it
 *     is compared with the record at every look.  Its nodes are those that the engine
 *     keeps for it, or would choose then (planned_nodes.c): of starts within the horizon, the
 *     first MOST, or on a large machine as many as STEPS nodes allow.
 *     With start_estimates the start that is shown is the job's estimate
 *     (start_estimates.h) if it has one, but never a time that has passed: where the
 *     estimate has, the next full minute.  That moves with time alone, so no client is
 *     told of it.  Its nodes are shown as before: only of a start that is planned.
 *  2. A job that may not start has none: stock's backfill clears it, too.
 *  3. A node is PLANNED if a start is planned there within the horizon, and Slurm's release
 *     would show that beside its jobs (cs_slurm_plan()).
 *  4. With cosched_partition_modes the other partitions' nodes are stock's: it marks them.
 *  5. When mode act ends all that is taken back (leave.c).
 *
 * A job that could not run with all nodes up and empty is named in the log, once, and
 * in cosched status while it waits.
 */
#include "sched/apply/apply.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/adapter/start_estimates.h"
#include "sched/view/view_table.h"

#define MOST 256
#define STEPS 1000000
#define ANY_S INT64_C(3153600000) /* without a horizon: a century */

/* ---- the plan, between two locks ------------------------------------------------- */

void cs_apply_text_plan(struct cs_adapter *b)
{
	struct cs_texts *t = &b->texts;
	uint32_t words = cs_node_words(b->view->machine);
	uint32_t most = STEPS / b->view->machine->n_node;

	most = most > MOST ? MOST : most ? most : 1;
	t->n_plan = 0;
	if (!t->plan_id)
		t->plan_id = calloc(MOST, sizeof(*t->plan_id));
	free(t->plan);
	t->plan = calloc((size_t)most * words, sizeof(*t->plan));
	if (t->plan_id && t->plan)
		t->n_plan = cs_explain_nodes(b->engine,
					     b->now_us + t->window_s * 1000000,
					     most, t->plan_id, t->plan);
	for (int i = 0; i < t->n_plan; i++) {
		struct cs_known_job *k =
			cs_known_find(&b->known, t->plan_id[i]);

		if (k)
			k->plan = i;
	}
}

/* Its nodes there, or NULL. */
static const uint64_t *nodes_in_plan(const struct cs_adapter *b,
				     const struct cs_known_job *k)
{
	const struct cs_texts *t = &b->texts;

	if (!k || k->plan >= t->n_plan || t->plan_id[k->plan] != k->id)
		return NULL;
	return t->plan + (size_t)k->plan * cs_node_words(b->view->machine);
}

/* ---- starts ------------------------------------------------------------------ */

struct shown {
	int64_t start_s; /* 0: none */
	bool overdue;	 /* that is the next full minute */
	const uint64_t *nodes;
};

static struct shown planned_start(const struct cs_adapter *b, uint32_t id,
				  const struct cs_known_job *k)
{
	struct shown s = { 0 };
	int64_t at_us = cs_engine_host_start_us(b->engine, id, &s.nodes);

	if (at_us != CS_TIME_NONE && at_us > b->now_us)
		s.start_s = (at_us + 999999) / 1000000;
	if (!s.start_s)
		s.nodes = NULL;
	else if (!s.nodes)
		s.nodes = nodes_in_plan(b, k);
	return s;
}

/* Rule 1: the start that is shown in place of the planned one. */
static void estimate_start(const struct cs_adapter *b,
			   const struct cs_known_job *k, struct shown *s)
{
	const struct cs_estimate *x = cs_start_estimates_of(b, k);

	if (!x)
		return;
	s->overdue = x->start_us <= b->now_us;
	s->start_s = s->overdue ? (b->now_us / 60000000 + 1) * 60
				: (x->start_us + 999999) / 1000000;
}

static uint64_t hash_of(const struct cs_adapter *b, const struct shown *s)
{
	uint64_t h = 0; /* of no nodes, as of a job that is new to us */

	for (uint32_t w = 0; s->nodes && w < cs_node_words(b->view->machine);
	     w++)
		h = (h ^ (s->nodes[w] + 1)) * UINT64_C(0x9e3779b97f4a7c15);
	return h;
}

static char *node_names(const struct cs_adapter *b, const uint64_t *words)
{
	bitstr_t *nodes = bit_alloc(b->view->machine->n_node);
	char *names;

	for (uint32_t i = 0; i < b->view->machine->n_node; i++)
		if (cs_bit(words, i))
			bit_set(nodes, i);
	names = bitmap2node_name(nodes);
	FREE_NULL_BITMAP(nodes);
	return names;
}

static int set_start(void *x, void *arg)
{
	const struct shown *s = arg;

	((job_record_t *)x)->start_time = (time_t)s->start_s;
	return 0;
}

/* One that completes still needs its last start.  False: nothing is shown. */
static bool show(const struct cs_adapter *b, uint32_t id, struct shown *s)
{
	job_record_t *job_ptr = find_job_record(id);

	if (!job_ptr || !IS_JOB_PENDING(job_ptr) || IS_JOB_COMPLETING(job_ptr))
		return false;
	set_start(job_ptr, s);
	if (job_ptr->het_job_list)
		list_for_each(job_ptr->het_job_list, set_start, s);
	xfree(job_ptr->sched_nodes);
	if (s->nodes)
		job_ptr->sched_nodes = node_names(b, s->nodes);
	return true;
}

/* Rules 1 and 2. */
static void show_start(struct cs_adapter *b, struct cs_view_job *j,
		       struct cs_known_job *k, struct shown *s)
{
	uint64_t hash = hash_of(b, s);
	bool moves = s->overdue && j->shown_s && k && k->shown == hash;

	if (j->shown_s == s->start_s && (!k || k->shown == hash))
		return;
	j->shown_s = s->start_s;
	if (k)
		k->shown = hash;
	if (show(b, j->id, s) && !moves)
		last_job_update = time(NULL);
}

/* ---- nodes ------------------------------------------------------------------- */

/* Rule 3. */
static void plan_nodes(struct cs_adapter *b, const struct shown *s)
{
	int64_t now_s = b->now_us / 1000000;

	if (!b->texts.planned || !s->nodes ||
	    s->start_s > now_s + b->texts.window_s)
		return;
	for (uint32_t w = 0; w < cs_node_words(b->view->machine); w++)
		b->texts.planned[w] |= s->nodes[w];
}

static int add_nodes(void *x, void *arg)
{
	const struct cs_adapter *b = ((void **)arg)[0];
	const part_record_t *part_ptr = x;
	bitstr_t *nodes = ((void **)arg)[1];

	if (part_ptr->node_bitmap && cs_view_part_ours(b->view, part_ptr))
		bit_or(nodes, part_ptr->node_bitmap);
	return 0;
}

/* Rules 3 and 4.  No memory: nodes keep what they show. */
static void show_nodes(struct cs_adapter *b)
{
	bitstr_t *ours = bit_alloc(node_record_count);
	void *arg[] = { b, ours };
	node_record_t *node_ptr;

	if (part_list && b->texts.planned)
		list_for_each(part_list, add_nodes, arg);
	for (int i = 0; (node_ptr = next_node(&i)); i++) {
		uint32_t n = (uint32_t)i;
		struct cs_node_now now;

		if (n >= b->view->machine->n_node || !bit_test(ours, i))
			continue;
		now = cs_engine_node(b->engine, n);
		cs_slurm_plan(node_ptr, cs_bit(b->texts.planned, n),
			      now.used >= now.cores);
	}
	FREE_NULL_BITMAP(ours);
}

/* A round begins. */
static void begin(struct cs_adapter *b)
{
	cs_apply_account(b);
	cs_apply_limit_tidy(b);
	b->texts.n_never = 0;
	b->texts.window_s = b->params.horizon_s ? b->params.horizon_s : ANY_S;
	free(b->texts.planned);
	b->texts.planned = calloc(cs_node_words(b->view->machine),
				  sizeof(*b->texts.planned));
}

/* ---- jobs that fit nowhere ---------------------------------------------------- */

/* Could it run with all nodes up and empty?  Asked once per description and round of the
 * view: it may cost O(nodes). */
static bool could_run(const struct cs_adapter *b, struct cs_known_job *k)
{
	if (k->fit == CS_FIT_UNKNOWN || k->fit_round != b->view->round)
		k->fit = cs_engine_could_run(b->engine, k->id) ? CS_FIT_SOME
							       : CS_FIT_NONE;
	k->fit_round = b->view->round;
	return k->fit == CS_FIT_SOME;
}

/* Could it run on no nodes, were all up and empty?  That is not known in a partition without
 * nodes, nor in one to which nodes may come. */
static bool fits_nowhere(const struct cs_adapter *b, struct cs_known_job *k)
{
	job_record_t *job_ptr;

	if (could_run(b, k) || (!cs_explain_never(b->engine, k->id) &&
				k->kept != CS_KEPT_PART_NODES))
		return false;
	job_ptr = find_job_record(k->id);
	return job_ptr && cs_job_has_nodes(job_ptr) &&
	       !cs_job_gains_nodes(job_ptr);
}

/* Report once per job. */
static void say_never(struct cs_adapter *b, struct cs_known_job *k)
{
	if (k->said_never ||
	    !cs_rate_lets(b, &b->texts.never,
			  "jobs wait that no set of nodes can hold"))
		return;
	k->said_never = true;
	cs_say(false,
	       "job %u waits: no set of nodes can hold it, were all up and empty",
	       k->id);
}

static void note_never(struct cs_adapter *b, struct cs_known_job *k)
{
	if (!k || k->ghost || !fits_nowhere(b, k))
		return;
	if (!b->texts.n_never++)
		b->texts.first_never = k->id;
	say_never(b, k);
}

/* ---- the round ----------------------------------------------------------------- */

int cs_apply_text(struct cs_adapter *b, int64_t until_us)
{
	struct cs_view_job *j = cs_view_next(b->view, NULL);
	uint32_t i = 0;

	if (!b->texts.next)
		begin(b);
	for (; j && i < b->texts.next; i++)
		j = cs_view_next(b->view, j);
	for (; j; j = cs_view_next(b->view, j), i++) {
		struct cs_known_job *k;
		struct shown s = { 0 };

		if (i && !(i % 64) && i > b->texts.next &&
		    cs_step_over(b, until_us)) {
			b->texts.next = i;
			return 1;
		}
		if (j->state != CS_VIEW_WAITING)
			continue;
		k = cs_known_find(&b->known, j->id);
		note_never(b, k);
		if (!(j->desc.flags & CS_JOB_BLOCKED))
			s = planned_start(b, j->id, k);
		plan_nodes(b, &s);
		if (!(j->desc.flags & CS_JOB_BLOCKED))
			estimate_start(b, k, &s);
		show_start(b, j, k, &s);
	}
	show_nodes(b);
	return 0;
}
