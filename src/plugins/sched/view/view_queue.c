/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which waiting jobs may start, by Slurm's own tests.
 *
 * Together compat/runnable.h and the tests below are what stock's schedulers ask before
 * they look for nodes: dependencies (including jobs whose dependency can never be met),
 * begin time, hold, throttled arrays, state and limits of the partition, reservation;
 * association and QOS limits; licences; deadline.  They write to job records, as in
 * stock, so they need the job write lock.  Each job is asked by itself, so that the locks
 * may be released between two of them; only jobs that need licences are asked together,
 * at the end, as these go by priority.
 *
 * A job without an entry is blocked; in one partition of several, blocked there.  A
 * heterogeneous one also if its components are over a limit only together.
 *
 * Differs from stock: a job that lacks licences is not passed over: it gets the time
 * when it should have them, and may hold a promise for then (view_licences.c).  So does
 * one whose burst buffer is not filled, by Slurm's estimate.  A job that waits only for
 * its reservation to begin may hold a promise there: it is no longer blocked, and the
 * engine knows the begin.
 *
 * Slurm fills the burst buffers of jobs in order of their expected starts within ten
 * hours, and of none that has no start_time.  Some plans predict starts of the first jobs
 * only; the others come behind these, as submitted.
 */
#include "sched/view/view_slurm.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/array.h"
#include "common/base/idmap.h"
#include "compat/limits.h"
#include "compat/runnable.h"
#include "sched/view/view_table.h"

/* It may start in the options @open (bits); in none of them: it is blocked altogether. */
static void set_open(struct cs_view_job *j, uint64_t open)
{
	for (uint32_t i = 0; i < j->desc.n_option; i++) {
		uint32_t *flags = &cs_view_options(j)[i].flags;

		*flags &= ~(uint32_t)CS_JOB_BLOCKED;
		if (open && !(open >> i & 1))
			*flags |= CS_JOB_BLOCKED;
	}
	j->open = open;
}

/* Until the tests say otherwise, it may start nowhere. */
static void block(struct cs_view *v, struct cs_view_job *j)
{
	v->blocked -= (j->desc.flags & CS_JOB_BLOCKED) != 0;
	j->ready = 0;
	j->desc.flags &= ~(uint32_t)CS_JOB_BLOCKED;
	for (uint32_t i = 0; i < j->desc.n_option; i++)
		cs_view_options(j)[i].flags |= CS_JOB_BLOCKED;
}

/* Does it wait only for its reservation to begin? (The queue's last test of a job.)
 * Then look again at that instant.  The engine does not know the begin of one without
 * nodes of its own. */
static bool waits_for_begin(struct cs_view *v, const struct cs_view_job *j)
{
	const job_record_t *job_ptr = find_job_record(j->id);
	const slurmctld_resv_t *r = job_ptr ? job_ptr->resv_ptr : NULL;
	int64_t begin_us;

	if (!r || job_ptr->state_reason != WAIT_RESERVATION ||
	    job_ptr->resv_list || j->desc.n_comp ||
	    r->flags & (RESERVE_FLAG_FLEX | RESERVE_FLAG_TIME_FLOAT))
		return false;
	begin_us = (int64_t)r->start_time * 1000000 + CS_VIEW_TICK_US;
	if (begin_us <= v->now_us)
		return false;
	if (begin_us < v->wake_us)
		v->wake_us = begin_us;
	return !(r->flags & RESERVE_FLAG_ANY_NODES) && r->node_bitmap &&
	       bit_ffs(r->node_bitmap) >= 0;
}

/* When it may have its licences; CS_TIME_NONE: not now, time unknown. */
static int64_t licensed_us(struct cs_view *v, struct cs_view_licences *l,
			   const struct cs_view_job *j, job_record_t *job_ptr)
{
	bool lacks;

	if (!job_ptr->license_list)
		return v->now_us;
	if (j->desc.after_us) /* in another partition */
		return j->desc.after_us;
	lacks = license_job_test(job_ptr, time(NULL), true) != 0;
	if (!l || job_ptr->het_job_id)
		return lacks ? CS_TIME_NONE : v->now_us;
	return cs_view_licences_at(l, job_ptr, j->desc.estimate_us, lacks);
}

static bool licensed(struct cs_view *v, struct cs_view_licences *l,
		     struct cs_view_job *j, job_record_t *job_ptr)
{
	int64_t at = licensed_us(v, l, j, job_ptr);

	if (at <= v->now_us) {
		if (j->kept == CS_KEPT_LICENSES)
			j->kept = CS_KEPT_OTHER;
		return true;
	}
	j->kept = CS_KEPT_LICENSES;
	if (at != CS_TIME_NONE)
		j->desc.after_us = at;
	return at != CS_TIME_NONE;
}

/* The nodes it asks for. */
static uint32_t wants_nodes(const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	uint32_t nodes = cs_job_max_nodes(job_ptr);

	if (d->ntasks_per_node && d->ntasks_per_node != NO_VAL16)
		nodes = cs_div_up(d->num_tasks, d->ntasks_per_node);
	else if (job_ptr->bit_flags & SPREAD_JOB)
		nodes = d->num_tasks;
	return nodes > d->min_nodes ? nodes : d->min_nodes;
}

/* Its tasks that fit on one node, by --ntasks-per-socket, memory a CPU and the
 * partition's MaxCPUsPerNode; at least 1. */
static uint32_t tasks_a_node(const struct cs_view *v,
			     const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	uint64_t each = cs_view_cpus_per_task(job_ptr);
	uint64_t cpus = job_ptr->part_ptr->max_cpus_per_node;
	uint64_t mem = d->pn_min_memory & ~MEM_PER_CPU, most;

	if (v->memory && mem && d->pn_min_memory & MEM_PER_CPU &&
	    d->pn_min_memory != NO_VAL64 && v->n_most > TRES_ARRAY_MEM &&
	    v->most[TRES_ARRAY_MEM] / mem < cpus)
		cpus = v->most[TRES_ARRAY_MEM] / mem;
	most = cpus / each;
	if (d->mc_ptr && d->mc_ptr->ntasks_per_socket &&
	    d->mc_ptr->ntasks_per_socket != INFINITE16 &&
	    d->mc_ptr->ntasks_per_socket * (uint64_t)v->sockets < most)
		most = d->mc_ptr->ntasks_per_socket * (uint64_t)v->sockets;
	return most ? (uint32_t)most : 1;
}

/* No layout has fewer nodes, nor fewer than @wanted: what stock would count when it
 * packs the job. */
static uint32_t least_nodes(const struct cs_view *v,
			    const job_record_t *job_ptr, uint32_t wanted)
{
	uint64_t n = cs_div_up(job_ptr->details->num_tasks,
			       tasks_a_node(v, job_ptr));

	for (int i = 0; i < v->n_most; i++) {
		uint64_t asked = job_ptr->tres_req_cnt[i];

		if (i == TRES_ARRAY_NODE || i == TRES_ARRAY_MEM ||
		    i == TRES_ARRAY_BILLING || !v->most[i] ||
		    asked == NO_CONSUME_VAL64)
			continue;
		asked = (asked + v->most[i] - 1) / v->most[i];
		n = asked > n ? asked : n;
	}
	n = n > wanted ? n : wanted;
	return n < v->machine->n_node ? (uint32_t)n : v->machine->n_node;
}

/* CPUs that it may hold beyond its request: whole nodes, its needs on each, or whole
 * cores for each process. */
static uint64_t most_cpus(const struct cs_view *v, const job_record_t *job_ptr)
{
	const cs_details_t *d = job_ptr->details;
	uint64_t each = d->cpus_per_task && d->cpus_per_task != NO_VAL16
				? d->cpus_per_task
				: 1;
	uint64_t cpus = d->num_tasks * ((each + v->threads - 1) / v->threads) *
			v->threads;
	uint64_t node = cs_job_whole(job_ptr) == CS_WHOLE_NODE
				? job_ptr->part_ptr->max_cpu_cnt
				: d->pn_min_cpus;

	node *= wants_nodes(job_ptr);
	return cpus > node ? cpus : node;
}

static bool may_hold(job_record_t *job_ptr, uint64_t nodes, uint64_t cpus)
{
	uint64_t *asked = job_ptr->tres_req_cnt;
	const uint64_t n = asked[TRES_ARRAY_NODE], c = asked[TRES_ARRAY_CPU];
	bool ok;

	asked[TRES_ARRAY_NODE] = nodes > n ? nodes : n;
	asked[TRES_ARRAY_CPU] = cpus > c ? cpus : c;
	ok = acct_policy_job_runnable_post_select(job_ptr, asked, false);
	asked[TRES_ARRAY_NODE] = n;
	asked[TRES_ARRAY_CPU] = c;
	return ok;
}

/* The same on as many nodes as possible of those that the jobs under its limits have. */
static bool may_join(job_record_t *job_ptr)
{
	assoc_mgr_lock_t locks = { .assoc = READ_LOCK, .qos = READ_LOCK };
	uint64_t *asked = job_ptr->tres_req_cnt;
	const uint64_t n = asked[TRES_ARRAY_NODE];
	struct cs_view_nodes under;
	bool ok;

	assoc_mgr_lock(&locks);
	under = cs_view_nodes(job_ptr, job_ptr->part_ptr, job_ptr->qos_ptr);
	assoc_mgr_unlock(&locks);
	if (under.left >= n || under.most < n)
		return false;
	asked[TRES_ARRAY_NODE] = n > under.used ? n - under.used : 0;
	ok = acct_policy_job_runnable_post_select(job_ptr, asked, false);
	asked[TRES_ARRAY_NODE] = n;
	return ok;
}

/*
 * Limits on what it would hold: stock tests with the chosen nodes, we with the request,
 * so that a job that could not start anyway is not a head that delays others.  The
 * least nodes are the strictest for a limit for each node, the request for a lower
 * limit (MinTRES); its layout respects limits on nodes.
 */
static bool within_limits(const struct cs_view *v, job_record_t *job_ptr)
{
	uint32_t nodes = wants_nodes(job_ptr), least;

	if (!job_ptr->tres_req_cnt || may_hold(job_ptr, nodes, 0) ||
	    may_hold(job_ptr, 0, 0) ||
	    may_hold(job_ptr, nodes, most_cpus(v, job_ptr)) ||
	    may_join(job_ptr))
		return true;
	least = least_nodes(v, job_ptr, nodes);
	return least > nodes && may_hold(job_ptr, least, 0);
}

/* Stock's tests after the queue's. */
static bool allowed(struct cs_view *v, struct cs_view_licences *l,
		    struct cs_view_job *j, job_queue_rec_t *rec)
{
	job_record_t *job_ptr = rec->job_ptr;

	if (job_ptr->deadline && job_ptr->deadline != NO_VAL &&
	    !deadline_ok(job_ptr, "cosched"))
		return false;
	if (accounting_enforce) {
		cs_slurm_take_queue_record(job_ptr, rec);
		if (!acct_policy_job_runnable_pre_select(job_ptr, false) ||
		    !within_limits(v, job_ptr))
			return false;
	}
	return licensed(v, l, j, job_ptr);
}

/* Is component @comp, with its least time in one of its partitions, within its limits
 * beside those counted?  Then it is, too. */
static bool counts(const struct cs_view *v, struct cs_limits *l,
		   job_record_t *comp)
{
	part_record_t *part_ptr = comp->part_ptr;
	uint32_t limit = comp->time_limit;
	list_itr_t *it = comp->part_ptr_list
				 ? list_iterator_create(comp->part_ptr_list)
				 : NULL;
	bool ok = false;

	if (comp->time_min && comp->time_min < limit)
		comp->time_limit = comp->time_min;
	for (part_ptr = it ? list_next(it) : part_ptr; !ok && part_ptr;
	     part_ptr = it ? list_next(it) : NULL) {
		comp->part_ptr = part_ptr;
		ok = acct_policy_job_runnable_pre_select(comp, false) &&
		     within_limits(v, comp);
	}
	if (it)
		list_iterator_destroy(it);
	comp->time_limit = limit;
	if (ok)
		cs_limits_count(l, comp);
	return ok;
}

/* Are all components of @j within their limits together?  Each is by itself. */
static bool all_allowed(const struct cs_view *v, struct cs_view_job *j)
{
	job_record_t *leader = find_job_record(j->id), *comp;
	struct cs_limits *l;
	list_itr_t *it;
	bool ok = true;

	if (!accounting_enforce || !leader || !leader->het_job_list)
		return true;
	l = cs_limits_begin((uint32_t)list_count(leader->het_job_list));
	it = list_iterator_create(leader->het_job_list);
	while (ok && (comp = list_next(it)))
		ok = !comp->details || !comp->part_ptr ||
		     IS_JOB_RUNNING(comp) || counts(v, l, comp);
	list_iterator_destroy(it);
	cs_limits_end(l);
	if (ok)
		return true;
	j->kept = CS_KEPT_LIMIT;
	if (leader->state_reason == WAIT_NO_REASON)
		leader->state_reason =
			WAIT_RESOURCES; /* another has the limit's */
	return false;
}

/* One that may start nowhere is blocked altogether. */
static void sum_up(struct cs_view *v, struct cs_view_job *j)
{
	uint64_t open = 0;

	for (uint32_t i = 0; i < j->desc.n_option; i++)
		if (!(cs_view_options(j)[i].flags & CS_JOB_BLOCKED))
			open |= UINT64_C(1) << i;
	if (j->desc.n_comp && open &&
	    (j->ready < j->desc.n_comp || !all_allowed(v, j)))
		open = 0;
	if (!open && !waits_for_begin(v, j)) {
		v->blocked++;
		j->desc.flags |= CS_JOB_BLOCKED;
	}
	set_open(j, open);
}

/* Only the options that it had in the look before, and its reason, decide. */
void cs_view_answer(struct cs_view *v, struct cs_view_job *j)
{
	uint64_t open = j->open;

	block(v, j);
	if (!open) {
		v->blocked++;
		j->desc.flags |= CS_JOB_BLOCKED;
	}
	set_open(j, open);
}

/* The reservation of an entry, besides the job's own. */
static uint32_t resv_of(const job_queue_rec_t *rec)
{
	const job_record_t *job_ptr = rec->job_ptr;

	return rec->resv_ptr && (!job_ptr->resv_name || job_ptr->resv_list)
		       ? rec->resv_ptr->resv_id
		       : 0;
}

static void open_option(struct cs_view *v, struct cs_view_job *j,
			job_queue_rec_t *rec)
{
	for (uint32_t i = 0; i < j->desc.n_option; i++) {
		struct cs_view_option *o = cs_view_options(j) + i;
		const char *name = cs_view_name_of(v->partitions, o->partition);

		if (xstrcmp(name, rec->part_ptr->name) ||
		    o->resv != resv_of(rec) ||
		    o->qos != cs_compat_queue_qos(rec))
			continue;
		o->flags &= ~(uint32_t)CS_JOB_BLOCKED;
		o->priority = rec->priority;
		return;
	}
}

/* Entries of a job, or of a heterogeneous one's components. */
struct entries {
	struct cs_view *v;
	struct cs_view_licences *l;
	struct cs_view_job *j;
	uint32_t last; /* id of the component of the last one */
};

static void take_entry(void *arg, job_queue_rec_t *rec)
{
	struct entries *e = arg;

	if (!rec->part_ptr || !allowed(e->v, e->l, e->j, rec))
		return;
	if (rec->job_id != e->last)
		e->j->ready++;
	e->last = rec->job_id;
	if (rec->job_id == e->j->id)
		open_option(e->v, e->j, rec);
}

static void ask_components(struct entries *e, const job_record_t *leader)
{
	list_itr_t *it = list_iterator_create(leader->het_job_list);
	job_record_t *comp;

	while ((comp = list_next(it))) {
		if (!comp->details || !IS_JOB_PENDING(comp))
			continue; /* view_het.c, rule 6 */
		cs_slurm_runnable(comp, false, take_entry, e);
		/* as stock's backfill has it: the main loop passes over such jobs */
		if (comp->state_reason == WAIT_NO_REASON) {
			comp->state_reason = WAIT_RESOURCES;
			xfree(comp->state_desc);
			last_job_update = time(NULL);
		}
	}
	list_iterator_destroy(it);
}

/* ---- lists of jobs --------------------------------------------------------- */

struct cs_view_later {
	size_t at; /* of its block, in words */
};

/* Append @j to @list [*n]. */
static void note(struct cs_view *v, struct cs_view_later **list, uint32_t *n,
		 uint32_t *cap, const struct cs_view_job *j)
{
	if (cs_array_room(list, cap, (size_t)*n + 1))
		v->nomem = true;
	else
		(*list)[(*n)++] = (struct cs_view_later){ (
			size_t)((const uint64_t *)j - v->mem) };
}

static struct cs_view_job *noted(const struct cs_view *v,
				 const struct cs_view_later *list, uint32_t i)
{
	return (struct cs_view_job *)(v->mem + list[i].at);
}

/* ---- licences -------------------------------------------------------------- */

static bool goes_later(const job_record_t *job_ptr)
{
	return job_ptr->license_list && !job_ptr->het_job_id;
}

static void append_entry(void *arg, job_queue_rec_t *rec)
{
	job_queue_rec_t *copy = xmalloc(sizeof(*copy));

	*copy = *rec;
	list_append(arg, copy);
}

/* Jobs with licences, by priority if any lacks some. */
static void ask_for_licences(struct cs_view *v)
{
	list_t *queue = list_create(xfree_ptr);
	struct cs_idmap x = { 0 };
	struct cs_view_licences *l;
	job_queue_rec_t *rec;
	list_itr_t *it;

	v->nomem |= cs_idmap_reserve(&x, v->n_later) != 0;
	for (uint32_t i = 0; !v->nomem && i < v->n_later; i++) {
		struct cs_view_job *j = noted(v, v->later, i);
		job_record_t *job_ptr = find_job_record(j->id);

		cs_idmap_add(&x, j->id, j);
		if (job_ptr && job_ptr->details)
			cs_slurm_runnable(job_ptr, cs_view_any_magnetic(v),
					  append_entry, queue);
	}
	l = cs_view_licences(v, queue);
	it = list_iterator_create(queue);
	while ((rec = l ? cs_view_licences_next(l) : list_next(it))) {
		struct entries e = { .v = v, .l = l };

		e.j = cs_idmap_find(&x, rec->job_id);
		if (e.j)
			take_entry(&e, rec);
	}
	list_iterator_destroy(it);
	FREE_NULL_LIST(queue);
	cs_view_licences_free(l);
	cs_idmap_done(&x);
	for (uint32_t i = 0; !v->nomem && i < v->n_later; i++)
		sum_up(v, noted(v, v->later, i));
}

/* ---- burst buffers -------------------------------------------------------- */

#define STAGING_S 60  /* its data is expected by the end of such a span */
#define PENDING_S 300 /* the same before it has a buffer */
#define BEHIND_S (9 * 3600)
#define AHEAD_S (10 * 3600) /* Slurm passes over jobs that start later */

static int forget_start(void *x, void *arg)
{
	(void)arg;
	((job_record_t *)x)->start_time = 0;
	return 0;
}

/* The record of the @i-th job with a buffer; NULL: it waits no more. */
static job_record_t *buffered(const struct cs_view *v, uint32_t i)
{
	job_record_t *job_ptr = find_job_record(noted(v, v->buffered, i)->id);

	return job_ptr && IS_JOB_PENDING(job_ptr) ? job_ptr : NULL;
}

/* Those that may not start get none: Slurm's main loop fills buffers, too. */
static void expect_no_blocked(struct cs_view *v)
{
	for (uint32_t i = 0; i < v->n_buffered; i++) {
		const struct cs_view_job *j = noted(v, v->buffered, i);
		job_record_t *job_ptr = buffered(v, i);

		if (job_ptr && j->desc.flags & CS_JOB_BLOCKED)
			job_ptr->start_time = 0;
	}
}

/* Let Slurm fill burst buffers, as often as its own schedulers do. */
static void stage_in(struct cs_view *v)
{
	list_t *unpredicted;
	time_t now = time(NULL), next = now + BEHIND_S;

	if (v->staged_us && v->now_us >= v->staged_us &&
	    v->now_us < v->staged_us + v->stage_us)
		return;
	v->staged_us = v->now_us;
	unpredicted = list_create(NULL);
	for (uint32_t i = 0; i < v->n_buffered; i++) {
		const struct cs_view_job *j = noted(v, v->buffered, i);
		job_record_t *job_ptr = buffered(v, i);

		if (job_ptr && !(j->desc.flags & CS_JOB_BLOCKED) &&
		    !job_ptr->start_time) {
			job_ptr->start_time = next;
			next += next < now + AHEAD_S;
			list_append(unpredicted, job_ptr);
		}
	}
	bb_g_job_try_stage_in();
	list_for_each(unpredicted, forget_start, NULL);
	FREE_NULL_LIST(unpredicted);
}

/* When the job's burst buffer should be filled, by Slurm's estimate.  The same instant for
 * some time, as each new one is a change. */
static int64_t filled_us(job_record_t *job_ptr, int64_t now_us, time_t span_s)
{
	time_t now = (time_t)(now_us / 1000000);
	time_t at = bb_g_job_get_est_start(job_ptr);

	return ((at > now ? at : now) / span_s + 1) * span_s * INT64_C(1000000);
}

/* Its reason is what stock's backfill writes: that of a job which has none. */
static void wait_for_buffer(struct cs_view *v, struct cs_view_job *j,
			    job_record_t *job_ptr)
{
	int filled = bb_g_job_test_stage_in(job_ptr, true);
	int64_t at_us;

	if (filled == 1) {
		if (j->kept == CS_KEPT_BUFFER)
			j->kept = CS_KEPT_OTHER;
		return;
	}
	j->kept = CS_KEPT_BUFFER;
	if (job_ptr->state_reason == WAIT_NO_REASON) {
		job_ptr->state_reason = filled ? WAIT_BURST_BUFFER_RESOURCE
					       : WAIT_BURST_BUFFER_STAGING;
		xfree(job_ptr->state_desc);
		last_job_update = time(NULL);
	}
	at_us = filled_us(job_ptr, v->now_us, filled ? PENDING_S : STAGING_S);
	if (j->desc.after_us < at_us)
		j->desc.after_us = at_us;
	/* a filled buffer is no event */
	if (v->wake_us > v->now_us + 1000000)
		v->wake_us = v->now_us + 1000000;
}

static void buffers(struct cs_view *v)
{
	expect_no_blocked(v);
	stage_in(v);
	for (uint32_t i = 0; i < v->n_buffered; i++) {
		struct cs_view_job *j = noted(v, v->buffered, i);
		job_record_t *job_ptr = buffered(v, i);

		if (job_ptr && !(j->desc.flags & CS_JOB_BLOCKED))
			wait_for_buffer(v, j, job_ptr);
	}
}

void cs_view_ask(struct cs_view *v, struct cs_view_job *j)
{
	job_record_t *job_ptr = find_job_record(j->id);
	struct entries e = { .v = v, .j = j };

	block(v, j);
	/* components of a heterogeneous job are tested when that is tried */
	if (job_ptr && slurm_conf.bb_type && !j->desc.n_comp &&
	    cs_job_has_buffer(job_ptr))
		note(v, &v->buffered, &v->n_buffered, &v->cap_buffered, j);
	if (job_ptr && goes_later(job_ptr)) {
		note(v, &v->later, &v->n_later, &v->cap_later, j);
		return;
	}
	if (job_ptr && job_ptr->het_job_list)
		ask_components(&e, job_ptr);
	else if (job_ptr)
		cs_slurm_runnable(job_ptr, cs_view_any_magnetic(v), take_entry,
				  &e);
	sum_up(v, j);
}

void cs_view_queue_end(struct cs_view *v)
{
	if (v->n_later)
		ask_for_licences(v);
	if (v->n_buffered && !v->nomem)
		buffers(v);
}
