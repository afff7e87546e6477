/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heterogeneous jobs: all components start, or none.
 *
 * Rules.
 *  1. Components take different nodes, as under stock; nodes that one requires are left
 *     to it.
 *  2. Each is tested (Slurm's will-run) in its partitions, one after another, on the
 *     nodes left by those before it; if one does not fit now, none is started.
 *  3. Those with the fewest nodes to choose from go first: those that require some,
 *     then by their largest partition.  One that does not fit is moved before all
 *     others and all are tried again, at most ORDERS_MAX times and TESTS_MAX tests; but
 *     not in an order that begins like a failed one.
 *     A component that counts nodes by feature (-C '[a*2&b*1]') may need more nodes
 *     than its test, which ignores the counts, chooses: the others are tried first on
 *     nodes without these features.
 *  4. Each hold of the locks tries at least one order.  When its time is over, the job
 *     is tried again at once, with the next order, and after the last with the
 *     forecast: other threads have had the locks in between.
 *  5. Limits of associations and QOS, and licences, must let all of them begin, each
 *     counted with those before it (compat/limits.h); else none is started, and the job
 *     is at a limit, like any other.
 *  6. Then each is started on just the nodes that its test chose: first those that count
 *     nodes by feature, also on nodes that no other needs, since only they may fail; the
 *     others in their order.  If one still fails, those already started are taken back,
 *     as in stock: they wait beyond the life of their credential.  All have the limits
 *     again that they asked for.
 *  7. One with TimeMin gets that at first, then its request, as far as promises to
 *     others allow, like any job.
 *  8. Once scheduling is halted none is started; but if the first is, all are.
 *
 * Nodes: the engine's proposal, which covers all their partitions, except nodes with
 * cores kept from them: beside a job that is not packed, or for one that preempts.
 *
 * Example: on 4 nodes, -N2 : -w n1 : -N1 is tried as -w n1 (n1), -N2 (n2, n3),
 * -N1 (n4).
 *
 * Differs: stock leaves all components at their least TimeMin, or their own if it is
 * more.
 *
 * The engine gets the answer for the leader; the next look tells it of the others, so
 * nothing else is decided in this cycle.
 */
#include "sched/apply/apply.h"

#include <stdlib.h>
#include <string.h>

#include "compat/limits.h"
#include "sched/apply/freed.h"
#include "sched/apply/start_maps.h"
#include "sched/apply/start_step.h"

#define COMPONENTS_MAX 128 /* Slurm's own limit */
#define PARTS_MAX 8	   /* partitions tried of a component */
#define ORDERS_MAX 4
#define TESTS_MAX 256 /* of one start, including its forecast */

struct component {
	uint32_t id;
	uint32_t wide; /* nodes to choose from; 0: it requires some */
	bitstr_t *nodes;
	bitstr_t *counted; /* nodes of features that it counts; NULL: it does not */
	uint32_t wanted; /* minutes: its limit before the start */
	uint16_t flag;	 /* limit_set.time before the start */
	int64_t most_us; /* of one with TimeMin: its maximum */
};

struct failed {
	uint32_t n; /* of these, the last did not fit */
	uint32_t order[COMPONENTS_MAX];
};

struct het {
	struct component comp[COMPONENTS_MAX]; /* [n], leader first */
	uint32_t order[COMPONENTS_MAX];	       /* [n], order of tries */
	bitstr_t *kept;			       /* cores that none may use */
	bitstr_t *left; /* where all fit: nodes that none needs; else NULL */
	uint32_t n, tests;
	struct failed
		failed[ORDERS_MAX]; /* [n_failed], in this hold of the locks */
	uint32_t n_failed;
	uint32_t orders;  /* tried, also earlier; ORDERS_MAX: all */
	int64_t until_us; /* of this one */
};

static const struct cs_refusal no_room = {
	CS_REFUSED_PLACE, "not all components could start together", false
};
static const struct cs_refusal not_all = {
	CS_REFUSED_TIMED, "not all of its components may start now", false
};
static const struct cs_refusal no_time = {
	CS_REFUSED_GROUP, "its components are to be tried in another order",
	false
};

static void drop_nodes(struct het *h)
{
	for (uint32_t i = 0; i < h->n; i++)
		FREE_NULL_BITMAP(h->comp[i].nodes);
	FREE_NULL_BITMAP(h->left);
}

static void het_done(struct het *h)
{
	drop_nodes(h);
	FREE_NULL_BITMAP(h->kept);
	for (uint32_t i = 0; i < h->n; i++)
		FREE_NULL_BITMAP(h->comp[i].counted);
}

/* ---- the components ------------------------------------------------------- */

/* Does it count nodes by feature, or choose between features? */
static bool counts(const job_record_t *comp)
{
	return comp->details->feature_list && !cs_job_features_plain(comp);
}

static bool may_start(job_record_t *job_ptr)
{
	return job_ptr->details && job_ptr->part_ptr &&
	       job_ptr->part_ptr->node_bitmap && IS_JOB_PENDING(job_ptr) &&
	       !IS_JOB_COMPLETING(job_ptr) && job_ptr->priority &&
	       job_independent(job_ptr) &&
	       job_limits_check(&job_ptr, true) == WAIT_NO_REASON &&
	       acct_policy_job_runnable_pre_select(job_ptr, false);
}

/* Into @part: its partitions.  The leader's is already chosen. */
static uint32_t parts_of(job_record_t *comp, part_record_t **part)
{
	part_record_t *was = comp->part_ptr, *part_ptr;
	list_itr_t *it;
	uint32_t n = 0;

	part[0] = was;
	if (!comp->het_job_offset || !comp->part_ptr_list)
		return may_start(comp);
	it = list_iterator_create(comp->part_ptr_list);
	while (n < PARTS_MAX && (part_ptr = list_next(it))) {
		comp->part_ptr = part_ptr;
		if (may_start(comp))
			part[n++] = part_ptr;
	}
	list_iterator_destroy(it);
	comp->part_ptr = was;
	return n;
}

/* Rule 3: ahead of those with more nodes to choose from. */
static void line_up(struct het *h, uint32_t i)
{
	uint32_t k = i;

	for (; k && h->comp[h->order[k - 1]].wide > h->comp[i].wide; k--)
		h->order[k] = h->order[k - 1];
	h->order[k] = i;
}

static bool add(struct het *h, job_record_t *comp)
{
	struct component *c = &h->comp[h->n];
	part_record_t *part[PARTS_MAX];
	uint32_t n = parts_of(comp, part);

	*c = (struct component){ .id = comp->job_id };
	for (uint32_t i = 0; i < n && !comp->details->req_node_bitmap; i++) {
		uint32_t wide = (uint32_t)bit_set_count(part[i]->node_bitmap);

		c->wide = wide > c->wide ? wide : c->wide;
	}
	line_up(h, h->n++);
	if (counts(comp)) {
		c->counted = bit_alloc(node_record_count);
		cs_job_counted_nodes(comp, c->counted);
	}
	return n > 0;
}

/* The components that wait (view_het.c, rule 6), leader first (the order of Slurm's
 * list). */
static bool gather(struct het *h, job_record_t *leader)
{
	job_record_t *comp;
	list_itr_t *it = list_iterator_create(leader->het_job_list);
	bool ok = true;

	while (ok && (comp = list_next(it)))
		ok = IS_JOB_RUNNING(comp) ||
		     (h->n < COMPONENTS_MAX &&
		      comp->het_job_id == leader->job_id && comp->details &&
		      add(h, comp));
	list_iterator_destroy(it);
	return ok && h->n;
}

/* ---- a fit for all -------------------------------------------------------- */

/* The nodes with a core of @kept. */
static bitstr_t *nodes_of(const struct cs_adapter *b, const bitstr_t *kept)
{
	bitstr_t *nodes = bit_alloc(b->view->machine->n_node);

	for (uint32_t n = 0; n < b->view->machine->n_node; n++) {
		uint32_t cores = cs_view_system_cores(b->view, n);

		for (uint32_t c = 0; c < cores; c++)
			if (bit_test((bitstr_t *)kept,
				     cs_view_system_core(b->view, n, c)))
				bit_set(nodes, n);
	}
	return nodes;
}

/* Rule 1: @left without nodes that components other than @own require. */
static bitstr_t *left_for(const struct het *h, uint32_t own,
			  const bitstr_t *left)
{
	bitstr_t *nodes = bit_copy((bitstr_t *)left);

	for (uint32_t i = 0; i < h->n; i++) {
		job_record_t *comp = find_job_record(h->comp[i].id);

		if (i != own && comp->details->req_node_bitmap)
			bit_and_not(nodes, comp->details->req_node_bitmap);
	}
	return nodes;
}

/* @nodes without those of features that components other than @i count, and it does
 * not; NULL: all of them, or none. */
static bitstr_t *uncounted(const struct het *h, uint32_t i, bitstr_t *nodes)
{
	bitstr_t *theirs = bit_alloc(node_record_count), *left = NULL;

	for (uint32_t k = 0; k < h->n; k++)
		if (k != i && h->comp[k].counted)
			bit_or(theirs, h->comp[k].counted);
	if (h->comp[i].counted)
		bit_and_not(theirs, h->comp[i].counted);
	if (bit_overlap_any(nodes, theirs) && !bit_super_set(nodes, theirs)) {
		left = bit_copy(nodes);
		bit_and_not(left, theirs);
	}
	FREE_NULL_BITMAP(theirs);
	return left;
}

/* Could component @i start now on some of *@nodes?  Then these are just its own. */
static bool could_start(struct het *h, uint32_t i, bitstr_t **nodes)
{
	job_record_t *comp = find_job_record(h->comp[i].id);
	bitstr_t *first = uncounted(h, i, *nodes);

	if (first && h->tests++ < TESTS_MAX &&
	    cs_job_could_start(comp, first)) {
		FREE_NULL_BITMAP(*nodes);
		*nodes = first;
		return true;
	}
	FREE_NULL_BITMAP(first);
	return h->tests++ < TESTS_MAX && cs_job_could_start(comp, *nodes);
}

/* When component @i starts in its best partition; @now: at once, or 0.  Takes its nodes
 * out of @left. */
static time_t place(struct het *h, uint32_t i, bool now, bitstr_t *left)
{
	job_record_t *comp = find_job_record(h->comp[i].id);
	part_record_t *part[PARTS_MAX], *best = comp->part_ptr;
	uint32_t n = parts_of(comp, part);
	time_t first = 0;

	for (uint32_t k = 0; k < n && !(first && now); k++) {
		bitstr_t *nodes = left_for(h, i, left);
		time_t start = 0;

		comp->part_ptr = part[k];
		if (now)
			start = could_start(h, i, &nodes);
		else if (h->tests++ < TESTS_MAX)
			start = cs_job_forecast(comp, nodes);
		if (start && (!first || start < first)) {
			FREE_NULL_BITMAP(h->comp[i].nodes);
			h->comp[i].nodes = nodes;
			best = part[k];
			first = start;
		} else {
			FREE_NULL_BITMAP(nodes);
		}
	}
	comp->part_ptr = best;
	if (first)
		bit_and_not(left, h->comp[i].nodes);
	return first;
}

/* When all start, each on its own nodes of @from.  0: never (@now: not now), and
 * *@ret_k is the position of the one that fails. */
static time_t place_all(struct het *h, bool now, const bitstr_t *from,
			uint32_t *ret_k)
{
	bitstr_t *left = bit_copy((bitstr_t *)from);
	time_t last = 1;

	drop_nodes(h);
	for (uint32_t k = 0; last && k < h->n; k++) {
		time_t start = place(h, h->order[k], now, left);

		last = start && start > last ? start : start ? last : 0;
		*ret_k = k;
	}
	if (last)
		h->left = left;
	else
		FREE_NULL_BITMAP(left);
	return last;
}

static bool late(const struct cs_adapter *b, const struct het *h)
{
	return cs_step_over(b, h->until_us);
}

static bool has_failed(const struct het *h)
{
	for (uint32_t i = 0; i < h->n_failed; i++)
		if (!memcmp(h->order, h->failed[i].order,
			    h->failed[i].n * sizeof(*h->order)))
			return true;
	return false;
}

/* Rule 3: the next order after the one at position @k did not fit.  False: none. */
static bool next_order(struct het *h, uint32_t k)
{
	struct failed *f = &h->failed[h->n_failed];
	uint32_t first = h->order[k];

	if (!k || ++h->orders >= ORDERS_MAX)
		return false; /* it does not fit alone */
	f->n = k + 1;
	memcpy(f->order, h->order, f->n * sizeof(*f->order));
	h->n_failed++;
	memmove(h->order + 1, h->order, k * sizeof(*h->order));
	h->order[0] = first;
	return !has_failed(h);
}

/* Rules 2 to 4. */
static bool fit_together(const struct cs_adapter *b, struct het *h,
			 const bitstr_t *proposed)
{
	bitstr_t *kept = nodes_of(b, h->kept);
	bitstr_t *from = bit_copy((bitstr_t *)proposed);
	uint32_t k = 0;
	bool ok;

	bit_and_not(from, kept);
	do {
		ok = place_all(h, true, from, &k);
		if (!ok && !next_order(h, k))
			h->orders = ORDERS_MAX;
	} while (!ok && h->orders < ORDERS_MAX && !late(b, h));
	FREE_NULL_BITMAP(from);
	FREE_NULL_BITMAP(kept);
	return ok;
}

/* When all could start, each on its own nodes, by the running jobs. */
static bool forecast(const struct cs_adapter *b, struct het *h,
		     struct cs_forecast *ret)
{
	bitstr_t *from = bit_alloc(b->view->machine->n_node);
	bitstr_t *nodes = bit_alloc(b->view->machine->n_node);
	uint32_t k;
	time_t start;
	bool any;

	bit_set_all(from);
	start = place_all(h, false, from, &k);
	for (uint32_t i = 0; start && i < h->n; i++)
		bit_or(nodes, h->comp[i].nodes);
	any = cs_start_maps_forecast(b, start, nodes, ret);
	FREE_NULL_BITMAP(nodes);
	FREE_NULL_BITMAP(from);
	return any;
}

/* ---- the start ------------------------------------------------------------ */

/* Rule 5: 0, or the error of one that is over a limit. */
static int test_limits(const struct het *h)
{
	struct cs_limits *l = cs_limits_begin(h->n);
	int rc = 0;

	for (uint32_t i = 0; !rc && i < h->n; i++)
		rc = cs_limits_try(l, find_job_record(h->comp[i].id),
				   h->comp[i].nodes);
	cs_limits_end(l);
	return rc;
}

/* The maximum limit of @comp, which has TimeMin, in its partition. */
static int64_t most_us(const struct cs_adapter *b, job_record_t *comp)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK,
				   .qos = READ_LOCK,
				   .tres = READ_LOCK };
	struct cs_view_desc asks = { 0 };
	int64_t most;

	if (!comp->time_min)
		return 0;
	assoc_mgr_lock(&locks);
	cs_view_asked(b->view, &asks, comp, &comp->part_ptr, 1);
	most = cs_view_limit_max(b->view, &asks, comp, comp->part_ptr);
	assoc_mgr_unlock(&locks);
	return most;
}

/* Start component @i; no other may have its nodes then. */
static int start_one(struct cs_adapter *b, struct het *h, uint32_t i)
{
	struct component *c = &h->comp[i];
	job_record_t *comp = find_job_record(c->id);
	int rc;

	c->most_us = most_us(b, comp);
	if (c->counted)
		bit_or(c->nodes, h->left);
	if (fed_mgr_job_lock(comp))
		return ESLURM_FED_JOB_LOCK;
	rc = cs_start_step_select(
		comp,
		&(struct cs_where){ .nodes = c->nodes, .forbidden = h->kept });
	if (rc) {
		fed_mgr_job_unlock(comp);
		return rc;
	}
	fed_mgr_job_start(comp, comp->start_time);
	for (uint32_t k = 0; comp->node_bitmap && k < h->n; k++)
		if (k != i)
			bit_and_not(h->comp[k].nodes, comp->node_bitmap);
	if (comp->node_bitmap)
		bit_and_not(h->left, comp->node_bitmap);
	return 0;
}

/* Rule 6: what a start may have changed in a component whose others failed. */
static void take_back(const struct component *c)
{
	job_record_t *comp = find_job_record(c->id);

	if (!comp || IS_JOB_FINISHED(comp))
		return;
	if (!IS_JOB_PENDING(comp)) {
		info("cosched: %pJ is taken back: another component of it could not start",
		     comp);
		cs_job_unstart(comp);
	}
	comp->time_limit = c->wanted;
	comp->limit_set.time = c->flag;
}

/* Rule 6. */
static int start_all(struct cs_adapter *b, struct het *h)
{
	int rc = 0;

	for (uint32_t i = 0; i < h->n; i++) {
		const job_record_t *comp = find_job_record(h->comp[i].id);

		h->comp[i].wanted = comp->time_limit;
		h->comp[i].flag = comp->limit_set.time;
	}
	for (uint32_t i = 0; !rc && i < h->n; i++)
		if (h->comp[i].counted)
			rc = start_one(b, h, i);
	for (uint32_t i = 0; !rc && i < h->n; i++)
		if (!h->comp[i].counted)
			rc = start_one(b, h, i);
	if (!rc)
		return 0;
	for (uint32_t k = 0; k < h->n; k++)
		take_back(&h->comp[k]);
	return rc;
}

/* Rule 7, after the answer: the job's own promise is no longer in its way. */
static int stretch_all(struct cs_adapter *b, const struct het *h,
		       struct cs_err *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < h->n; i++) {
		job_record_t *comp = find_job_record(h->comp[i].id);

		if (comp)
			rc = cs_apply_limit_stretch(b, comp, h->comp[i].wanted,
						    h->comp[i].most_us, err);
	}
	return rc;
}

/* ---- an action ------------------------------------------------------------- */

/* Rule 4: continue from last time.  True: at the forecast. */
static bool resume(struct het *h, const struct cs_known_job *k)
{
	if (k->n_order != h->n)
		return false;
	memcpy(h->order, k->order, h->n * sizeof(*h->order));
	h->orders = k->orders;
	return h->orders >= ORDERS_MAX;
}

/* Is time over before all were tried?  Then the next try continues there. */
static bool leave_off(const struct cs_adapter *b, const struct het *h,
		      struct cs_known_job *k, bool forecast_left)
{
	bool left = late(b, h) && (h->orders < ORDERS_MAX || forecast_left);

	cs_known_order(k, h->order, left ? h->n : 0, h->orders);
	return k->n_order;
}

/* 0: all have started; else *@ret says why not, with a forecast in *@f if requested. */
static int try_all(struct cs_adapter *b, const struct cs_action *a,
		   struct het *h, struct cs_refusal *ret, struct cs_forecast *f)
{
	struct cs_known_job *k = cs_known_find(&b->known, a->job_id);
	bitstr_t *nodes = cs_start_maps_nodes(b, a->alloc);
	bool only_forecast = resume(h, k), fits;
	int rc = -1;

	h->kept = cs_start_maps_kept(b, a->job_id, nodes);
	cs_freed_forbid(b, a->job_id, h->kept);
	fits = fit_together(b, h, nodes);
	*ret = no_room;
	if (b->halted()) {
		*ret = cs_start_step_halted;
	} else if (fits) {
		rc = test_limits(h) ?: start_all(b, h);
		b->wrote = true;
		*ret = cs_refusal_of(rc);
		cs_known_order(k, NULL, 0, 0);
	} else if (leave_off(b, h, k, a->ask && !only_forecast)) {
		*ret = no_time;
	}
	FREE_NULL_BITMAP(nodes);
	if (rc && a->ask && ret->class == CS_REFUSED_PLACE)
		forecast(b, h, f);
	return rc;
}

int cs_apply_het(struct cs_adapter *b, const struct cs_action *a,
		 job_record_t *leader, int64_t until_us, struct cs_err *err)
{
	struct het h = { .until_us = until_us };
	struct cs_refusal r = not_all;
	struct cs_forecast f = { 0 };
	int rc = -1;

	if (gather(&h, leader))
		rc = try_all(b, a, &h, &r, &f);
	if (rc) {
		cs_start_step_leave(leader);
		rc = cs_start_step_refuse_until(b, a, &r, f.n ? &f : NULL, err);
		free((uint32_t *)f.node);
	} else {
		info("cosched: started %pJ and %u other components that waited",
		     leader, h.n - 1);
		/* the engine knows the leader's cores only */
		rc = cs_start_step_confirm(b, a, leader, err)
			     ?: stretch_all(b, &h, err) ?: CS_ADAPTER_LOOK;
	}
	het_done(&h);
	return rc;
}
