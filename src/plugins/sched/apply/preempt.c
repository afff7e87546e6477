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
 *  2. CS_PREEMPT_CYCLE attempts a cycle; the next cycle resumes an unfinished round.  A
 *     job's next round begins after a second while its preemption lasts, else after
 *     retry_s.
 *  3. Behind a job that waits in vain only those are tried that use other nodes or end
 *     by its promised start: select_nodes() ignores promises, and would let all of them
 *     pass it where there is room without a preemption.  The others are looked at again
 *     after a second.
 *  4. Idle cores beside a job that is not packed are kept from it: it may take the cores
 *     of jobs it preempts (freed.c), but not share by chance; nor may it take those
 *     beside a packed job if share_scope or share=no forbids it such neighbours.
 *  5. Ten thousands of jobs may be allowed to preempt.  Those looked at in a cycle are
 *     the first ones by precedence, tier and priority, and are chosen before the locks
 *     are taken: under them Slurm compares each pair by the preempt plugin.
 *  6. Before each start that the engine has decided, those jobs are tried, if due, that
 *     stand before the starting job in stock's queue: on the idle cores that it takes one
 *     of them may count, beside those that its preemption frees, and would preempt one job
 *     more.  What they need is then kept for them (freed.c).  A job that the engine has
 *     not come to is not tried: the engine may still place it.
 */
#include "sched/apply/apply.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/apply/freed.h"
#include "sched/apply/start_maps.h"
#include "sched/apply/start_step.h"
#include "sched/view/view_table.h"

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

/* Before others: those of higher precedence, of higher tiers, of higher priority, then the
 * first ones. */
struct rank {
	uint32_t precedence;
	uint64_t tier_priority;
	uint32_t id;
};

static bool before(const struct rank *a, const struct rank *b)
{
	if (a->precedence != b->precedence)
		return a->precedence > b->precedence;
	return a->tier_priority != b->tier_priority
		       ? a->tier_priority > b->tier_priority
		       : a->id < b->id;
}

/* By the best of its @options (bits). */
static struct rank rank_of(const struct cs_known_job *k, uint64_t options)
{
	const struct cs_view_option *o = cs_known_options(k);
	struct rank r = { 0, 0, k->id };

	for (uint32_t i = 0; i < CS_VIEW_PARTS; i++) {
		struct rank of = { 0, 0, k->id };

		if (!(options >> i & 1))
			continue;
		of.precedence = o[i].precedence;
		of.tier_priority =
			(uint64_t)o[i].tier << 32 | (uint32_t)o[i].priority;
		if (before(&of, &r))
			r = of;
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

/* The options in which @k may preempt, by rule 6 if the engine has decided starts. */
static uint64_t options_now(const struct cs_adapter *b,
			    const struct cs_known_job *k)
{
	uint64_t options = cs_freed_preempts(b, k);

	return options && b->batch.n_action &&
			       !cs_engine_came_to(b->engine, k->id)
		       ? 0
		       : options;
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
	bool more =
		b->view->preempts && b->batch.preempt_tries < CS_PREEMPT_CYCLE;
	bool due = false;
	uint32_t n = 0;

	for (uint32_t i = 0; more && i < b->known.n && !due; i++)
		due = b->known.list[i]->preempt_us <= b->now_us &&
		      options_now(b, b->known.list[i]);
	for (uint32_t i = 0; due && i < b->known.n; i++) {
		const struct cs_known_job *k = b->known.list[i];
		uint64_t options = options_now(b, k);

		if (options)
			insert(list, &n, rank_of(k, options));
	}
	if (n == CS_PREEMPT_JOBS && !b->batch.n_action)
		put_off_behind(b, &list[n - 1]);
	b->batch.n_preempts = n;
	b->batch.n_due = 0;
	for (uint32_t i = 0; i < n; i++) {
		b->batch.preempts[i] = list[i].id;
		if (b->batch.n_due < CS_PREEMPT_CYCLE &&
		    cs_known_find(&b->known, list[i].id)->preempt_us <=
			    b->now_us)
			b->batch.due[b->batch.n_due++] = list[i].id;
	}
	return due;
}

/* ---- candidates ------------------------------------------------------------ */

/* 0, -ENOMEM. */
static int add_options(struct cs_adapter *b, struct cs_known_job *k,
		       list_t *candidates)
{
	uint64_t options = options_now(b, k);
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

/* The start @a, of no job that is tried, unless it can no longer be.  0, -ENOMEM. */
static int add_start(struct cs_adapter *b, const struct cs_action *a,
		     list_t *candidates)
{
	const struct cs_known_job *k = cs_known_find(&b->known, a->job_id);
	const struct cs_view_desc *d = k ? cs_known_desc(k) : NULL;
	job_record_t *job_ptr = find_job_record(a->job_id);
	struct candidate *c;

	if (!d || a->option >= d->n_option || !job_ptr)
		return 0;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	if (cs_start_step_entry(b, job_ptr, cs_known_options(k) + a->option,
				&c->rec))
		list_append(candidates, c);
	else
		free(c);
	return 0;
}

/* Jobs @id [@n], and @start, unless NULL, in stock's order (rule 1).  Tasks that its array
 * has left are not before it.  NULL: no memory. */
static list_t *candidates_of(struct cs_adapter *b, const uint32_t *id,
			     uint32_t n, const struct cs_action *start)
{
	list_t *candidates = list_create(free);
	int rc = start ? add_start(b, start, candidates) : 0;

	for (uint32_t i = 0; !rc && i < n; i++) {
		struct cs_known_job *k = cs_known_find(&b->known, id[i]);

		if (k && !(start && k->id == start->job_id))
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

	if (c->k && !(c->k->preempt_left & ~c->k->preempt_passed))
		again_soon(b, c->k);
	return 0;
}

/* Rule 6: is one due that goes before @start? */
static bool goes_before(struct cs_adapter *b, const struct cs_action *start)
{
	list_t *candidates =
		candidates_of(b, b->batch.due, b->batch.n_due, start);
	list_itr_t *it;
	const struct candidate *c;
	bool any = false;

	if (!candidates)
		return true; /* cs_preempt() tells of it */
	it = list_iterator_create(candidates);
	while ((c = list_next(it)) && c->k)
		any |= due(b, c);
	any &= c != NULL;
	list_iterator_destroy(it);
	FREE_NULL_LIST(candidates);
	return any;
}

/* 0; 1: more is left; -ENOMEM. */
static int try_all(struct cs_adapter *b, const struct cs_action *start,
		   int64_t until_us, struct cs_err *err)
{
	struct candidate *ahead[LOOKED], *c;
	list_t *candidates =
		candidates_of(b, b->batch.preempts, b->batch.n_preempts, start);
	uint32_t looked = 0, tries = b->batch.preempt_tries;
	list_itr_t *it;
	int rc = 0;

	if (!candidates)
		return cs_err_set(err, -ENOMEM, "no memory for attempts");
	it = list_iterator_create(candidates);
	while (!rc && b->batch.preempt_tries < CS_PREEMPT_CYCLE &&
	       looked < LOOKED && (c = list_next(it)) && c->k) {
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
		b->batch.preempt_tries++;
		b->batch.by_preempting |= attempt(b, c);
		rc = cs_step_over(b, until_us);
	}
	list_iterator_destroy(it);
	list_for_each(candidates, put_off, b);
	FREE_NULL_LIST(candidates);
	/* one without an attempt counts: a queue is sorted so often at most */
	b->batch.preempt_tries += tries == b->batch.preempt_tries;
	return rc;
}

int cs_preempt(struct cs_adapter *b, const struct cs_action *start,
	       int64_t until_us, struct cs_err *err)
{
	bool more = b->batch.preempting &&
		    b->batch.preempt_tries < CS_PREEMPT_CYCLE;
	int rc = 0;

	if (more && (!start || goes_before(b, start)))
		rc = try_all(b, start, until_us, err);
	return rc ?: b->batch.by_preempting ? CS_ADAPTER_LOOK : 0;
}
