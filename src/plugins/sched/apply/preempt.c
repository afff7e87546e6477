/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts that need a preemption.
 *
 * The engine starts jobs on free resources; only Slurm knows which jobs may be
 * suspended, requeued or cancelled for another.  So a waiting job that may preempt
 * (freed.c) and that the engine could not start goes to select_nodes() unchanged, on
 * all nodes that it may use: that finds out whether a preemption would do, and begins
 * it, as under stock.  The start follows in a later cycle, when the preempted jobs are
 * gone.
 *
 * Rules.
 *  1. Each option of a job (partition, QOS, reservation) is tried that is open and in
 *     which the job may preempt, in stock's order: that of its queue, where options of
 *     other jobs may stand between.  With the first that begins a preemption or starts
 *     the job its round ends.
 *  2. Some attempts a cycle; the next cycle resumes an unfinished round.  A job's next
 *     round begins after a second while its preemption lasts, else after retry_s.
 *  3. Behind a job that waits in vain only those are tried that use other nodes or end
 *     by its promised start: select_nodes() ignores promises, and would let all of them
 *     pass it where there is room without a preemption.  The others are looked at again
 *     after a second.
 *  4. Idle cores beside a job that is not packed are kept from it: it may take the cores
 *     of jobs it preempts (freed.c), but not share by chance; nor may it take those
 *     beside a packed job if share_scope or share=no forbids it such neighbours.
 *  5. Ten thousands of jobs may be allowed to preempt.  Those looked at in a cycle are
 *     the first ones by tier and priority, and are chosen before the locks are taken:
 *     under them Slurm compares each pair by the preempt plugin.
 */
#include "sched/apply/apply.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/apply/freed.h"
#include "sched/apply/start_maps.h"
#include "sched/apply/start_step.h"
#include "sched/view/view_table.h"

#define A_CYCLE 8  /* attempts */
#define LOOKED 256 /* options; a job has up to CS_VIEW_PARTS */
#define AGAIN_US INT64_C(1000000)

/* An option of a job, as an entry of stock's queue. */
struct candidate {
	job_queue_rec_t rec; /* first: Slurm sorts the candidates by it */
	struct cs_known_job *k;
	uint32_t option;
	int64_t start_us; /* promised; of those ahead of others */
};

static const struct cs_view_option *option_of(const struct candidate *c)
{
	return cs_known_options(c->k) + c->option;
}

/* ---- the jobs of a cycle (no lock) ------------------------------------------ */

/* Before others: those of higher tiers, then of higher priority, then the first ones. */
struct rank {
	uint64_t tier_priority;
	uint32_t id;
};

static bool before(const struct rank *a, const struct rank *b)
{
	return a->tier_priority != b->tier_priority
		       ? a->tier_priority > b->tier_priority
		       : a->id < b->id;
}

/* By the best of its @options (bits). */
static struct rank rank_of(const struct cs_known_job *k, uint64_t options)
{
	const struct cs_view_option *o = cs_known_options(k);
	struct rank r = { 0, k->id };

	for (uint32_t i = 0; i < CS_VIEW_PARTS; i++) {
		uint64_t key;

		if (!(options >> i & 1))
			continue;
		key = (uint64_t)o[i].tier << 32 | (uint32_t)o[i].priority;
		if (key > r.tier_priority)
			r.tier_priority = key;
	}
	return r;
}

/* Insert @r into the sorted @list [*@n] of at most CS_PREEMPT_JOBS, or leave it. */
static void insert(struct rank *list, uint32_t *n, struct rank r)
{
	uint32_t at = *n;

	if (at == CS_PREEMPT_JOBS && !before(&r, &list[at - 1]))
		return;
	if (at == CS_PREEMPT_JOBS)
		at--;
	else
		(*n)++;
	for (; at && before(&r, &list[at - 1]); at--)
		list[at] = list[at - 1];
	list[at] = r;
}

/* Not before AGAIN_US. */
static void again_soon(const struct cs_adapter *b, struct cs_known_job *k)
{
	if (k->preempt_us < b->now_us + AGAIN_US)
		k->preempt_us = b->now_us + AGAIN_US;
}

/* Rule 5: jobs behind @last are not looked at. */
static void put_off_behind(struct cs_adapter *b, const struct rank *last)
{
	for (uint32_t i = 0; i < b->known.n; i++) {
		struct cs_known_job *k = b->known.list[i];
		uint64_t options = cs_freed_preempts(b, k);
		struct rank r;

		if (!options)
			continue;
		r = rank_of(k, options);
		if (before(last, &r))
			again_soon(b, k);
	}
}

bool cs_preempt_choose(struct cs_adapter *b)
{
	struct rank list[CS_PREEMPT_JOBS];
	uint32_t n = 0;
	bool due = false;

	for (uint32_t i = 0; i < b->known.n && !due; i++)
		due = b->known.list[i]->preempt_us <= b->now_us &&
		      cs_freed_preempts(b, b->known.list[i]);
	for (uint32_t i = 0; due && i < b->known.n; i++) {
		const struct cs_known_job *k = b->known.list[i];
		uint64_t options = cs_freed_preempts(b, k);

		if (options)
			insert(list, &n, rank_of(k, options));
	}
	if (n == CS_PREEMPT_JOBS)
		put_off_behind(b, &list[n - 1]);
	for (uint32_t i = 0; i < n; i++)
		b->batch.preempts[i] = list[i].id;
	b->batch.n_preempts = n;
	return due;
}

/* ---- candidates ------------------------------------------------------------ */

/* 0, -ENOMEM. */
static int add_options(struct cs_adapter *b, struct cs_known_job *k,
		       list_t *candidates)
{
	uint64_t options = cs_freed_preempts(b, k);
	job_record_t *job_ptr = options ? find_job_record(k->id) : NULL;

	k->preempt_passed = 0;
	k->preempt_left &= options;
	if (!k->preempt_left)
		k->preempt_left = options;
	for (uint32_t i = 0; job_ptr && i < CS_VIEW_PARTS; i++) {
		struct candidate *c;

		if (!(options >> i & 1))
			continue;
		c = calloc(1, sizeof(*c));
		if (!c)
			return -ENOMEM;
		c->k = k;
		c->option = i;
		if (cs_start_step_entry(b, job_ptr, option_of(c), &c->rec)) {
			list_append(candidates, c);
		} else {
			k->preempt_left &= ~(UINT64_C(1) << i);
			free(c);
		}
	}
	return 0;
}

/* Rule 1.  NULL: no memory. */
static list_t *candidates_of(struct cs_adapter *b)
{
	list_t *candidates = list_create(free);
	int rc = 0;

	for (uint32_t i = 0; !rc && i < b->batch.n_preempts; i++) {
		struct cs_known_job *k =
			cs_known_find(&b->known, b->batch.preempts[i]);

		if (k)
			rc = add_options(b, k, candidates);
	}
	if (rc)
		FREE_NULL_LIST(candidates);
	else
		sort_job_queue(candidates);
	return candidates;
}

static bool meet(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

/* Rule 3.  @ahead [@n] */
static bool may_pass(const struct cs_adapter *b, const struct candidate *c,
		     struct candidate *const *ahead, uint32_t n)
{
	uint32_t words = cs_node_words(b->view->machine);
	const struct cs_view_sets *sets = b->view->sets;
	int64_t end_us = b->now_us + cs_known_desc(c->k)->estimate_us;

	for (uint32_t i = 0; i < n; i++)
		if (ahead[i]->k != c->k && end_us > ahead[i]->start_us &&
		    meet(cs_view_set_words(sets, option_of(c)->set),
			 cs_view_set_words(sets, option_of(ahead[i])->set),
			 words))
			return false;
	return true;
}

/* ---- attempts -------------------------------------------------------------- */

/* The round of @k is over, the next begins after @s seconds. */
static void end_round(const struct cs_adapter *b, struct cs_known_job *k,
		      int64_t s)
{
	k->preempt_left = 0;
	k->preempt_us = b->now_us + s * 1000000;
}

/* True: it has started. */
static bool attempt(struct cs_adapter *b, const struct candidate *c)
{
	const struct cs_view_option *o = option_of(c);
	struct cs_known_job *k = c->k;
	job_record_t *job_ptr = find_job_record(k->id);
	struct cs_refusal r;
	bitstr_t *nodes, *kept;
	uint32_t wanted;
	int rc;

	k->preempt_left &= ~(UINT64_C(1) << c->option);
	if (!k->preempt_left)
		end_round(b, k, b->params.retry_s);
	if (!cs_start_step_ready(b, job_ptr, o, &r)) {
		debug2("cosched: job %u: no preemption in %s: %s", k->id,
		       c->rec.part_ptr->name, r.why);
		return false;
	}
	if (fed_mgr_job_lock(job_ptr)) {
		cs_start_step_leave(job_ptr);
		return false;
	}
	nodes = cs_start_maps_set(b, o->set);
	kept = cs_start_maps_kept(b, k->id, NULL);
	cs_freed_forbid(b, k->id, kept);
	job_ptr->preempt_in_progress = false; /* as stock's schedulers do */
	wanted = job_ptr->time_limit;
	rc = cs_start_step_select(
		job_ptr,
		&(struct cs_where){ .nodes = nodes, .forbidden = kept });
	FREE_NULL_BITMAP(kept);
	FREE_NULL_BITMAP(nodes);
	if (rc) {
		fed_mgr_job_unlock(job_ptr);
		if (job_ptr->preempt_in_progress) {
			cs_freed_begin(b, k, o);
			end_round(b, k, 1);
		} else if (k->frees_us > b->now_us && !k->preempt_left) {
			end_round(b, k, 1);
		}
		return false;
	}
	fed_mgr_job_start(job_ptr, job_ptr->start_time);
	cs_apply_limit_stretch(b, job_ptr, wanted, o->limit_max_us, NULL);
	cs_freed_end(b, k);
	end_round(b, k, b->params.retry_s);
	b->wrote = true;
	info("cosched: started %pJ in %s on %s by preemption", job_ptr,
	     job_ptr->part_ptr->name, job_ptr->nodes);
	b->count.started++;
	b->count.cycle_started++;
	return true;
}

/* Is it this option's turn in a round of its job? */
static bool due(const struct cs_adapter *b, const struct candidate *c)
{
	return c->k->preempt_us <= b->now_us &&
	       c->k->preempt_left >> c->option & 1;
}

/* Rule 3: nothing of its job is left to try but what others are in the way of. */
static int put_off(void *x, void *arg)
{
	const struct candidate *c = x;
	const struct cs_adapter *b = arg;

	if (!(c->k->preempt_left & ~c->k->preempt_passed))
		again_soon(b, c->k);
	return 0;
}

int cs_preempt(struct cs_adapter *b, int64_t until_us, struct cs_err *err)
{
	struct candidate *ahead[LOOKED], *c;
	list_t *candidates = candidates_of(b);
	uint32_t looked = 0, tried = 0;
	list_itr_t *it;
	int rc = 0;

	if (!candidates)
		return cs_err_set(err, -ENOMEM, "no memory for attempts");
	it = list_iterator_create(candidates);
	while (!rc && tried < A_CYCLE && looked < LOOKED &&
	       (c = list_next(it))) {
		if (!may_pass(b, c, ahead, looked)) {
			c->k->preempt_passed |= UINT64_C(1) << c->option;
			continue;
		}
		c->start_us =
			cs_engine_predicted_start_us(b->engine, c->k->id, NULL);
		if (c->start_us == CS_TIME_NONE)
			c->start_us = 0;
		ahead[looked++] = c;
		if (!due(b, c))
			continue;
		if (attempt(b, c))
			/* The next look tells the engine: decide nothing until then. */
			b->batch.rounds = UINT32_MAX;
		tried++;
		rc = cs_step_over(b, until_us);
	}
	list_iterator_destroy(it);
	list_for_each(candidates, put_off, b);
	FREE_NULL_LIST(candidates);
	return rc;
}
