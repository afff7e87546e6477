/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts: on the planned nodes and cores, or where Slurm's own test likes.
 *
 * Rules.
 *  1. The job is found again by its number and asked again all that stock's
 *     schedulers ask: pending, not held, not completing, partition still its and
 *     up, dependency, begin time, array throttle, licences, limits, federation.
 *  2. No start on a node where a job is completing: stock's test would refuse it.
 *     The engine knows such nodes, but for those of the last moment.
 *  3. Planned cores: exactly these.  To keep Slurm from using fewer nodes than
 *     planned where a core holds more than it needs (hardware threads), min and
 *     max nodes are the plan's for the time of the call; the user's own come back
 *     behind it, in the job and, for an array, in the record of what is left.
 *  4. TimeMin: tested and counted with the least limit, then given as much as the
 *     reservations of waiting heads leave (cs_limit_stretch(): Slurm counts the
 *     difference only from the limit that the job has).
 *  5. An array's task gets its number inside of select_nodes(): it is read again.
 *  6. Where Slurm chose, it may have chosen cores of a job that ended since the
 *     snapshot and that the engine still has: the next look tells of both.
 *  7. Where Slurm could choose and found nothing, it is asked when it would, if the
 *     engine wants to know: its test of what running jobs leave.
 *  8. Where it may have given cores that others hold (CS_JOB_SHARES_CORES) the job
 *     waits on for the engine; the next look takes it for a ghost, until it holds
 *     its cores alone (feed.c, rule 3).
 */
#include "sched/apply/apply.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

static const struct cs_refusal gone = { CS_REFUSED_CHANGED,
					"it does not wait any more", false };
static const struct cs_refusal held = { CS_REFUSED_CHANGED, "it is held",
					false };
static const struct cs_refusal no_part = { CS_REFUSED_CHANGED,
					   "its partition has changed", false };
static const struct cs_refusal not_free = {
	CS_REFUSED_CHANGED, "a dependency, begin time or array limit", false
};
static const struct cs_refusal part_limit = {
	CS_REFUSED_CHANGED, "a limit of its partition", false
};
static const struct cs_refusal licenses = { CS_REFUSED_LIMIT,
					    "licenses are used up", true };
static const struct cs_refusal federation = {
	CS_REFUSED_TIMED, "another cluster of the federation has it", false
};
static const struct cs_refusal completing = {
	CS_REFUSED_CHANGED, "a job on its nodes is completing", false
};
/* It may be one that the engine does not have: its end is no change there. */
static const struct cs_refusal completing_ghost = {
	CS_REFUSED_TIMED, "a job on its nodes is completing", false
};
static const struct cs_refusal shares = {
	CS_REFUSED_GROUP, "it has started on cores of others", false
};

static const struct cs_refusal preempted = {
	CS_REFUSED_TIMED, "its cores are being freed for a job that preempts",
	false
};

/* ---- may it? --------------------------------------------------------------- */

static part_record_t *partition(const struct cs_bridge *b,
				job_record_t *job_ptr,
				const struct cs_view_option *o)
{
	const char *name = cs_view_name_of(b->view->partitions, o->partition);
	part_record_t *part_ptr = NULL;
	list_itr_t *it;

	if (!job_ptr->part_ptr_list)
		return job_ptr->part_ptr &&
				       !xstrcmp(job_ptr->part_ptr->name, name) ?
			       job_ptr->part_ptr :
			       NULL;
	it = list_iterator_create(job_ptr->part_ptr_list);
	while ((part_ptr = list_next(it)))
		if (!xstrcmp(part_ptr->name, name))
			break;
	list_iterator_destroy(it);
	return part_ptr;
}

static bool waits(const job_record_t *job_ptr)
{
	return job_ptr && job_ptr->details && IS_JOB_PENDING(job_ptr) &&
	       !IS_JOB_COMPLETING(job_ptr) && !IS_JOB_REVOKED(job_ptr) &&
	       (job_ptr->array_task_id == NO_VAL || !job_ptr->array_recs ||
		!job_ptr->array_recs->task_cnt);
}

/* A magnetic reservation is taken on for the attempt. */
static void join_reservation(job_record_t *job_ptr,
			     const struct cs_view_option *o)
{
	slurmctld_resv_t *r;
	list_itr_t *it;

	if (!o->resv || !resv_list)
		return;
	it = list_iterator_create(resv_list);
	while ((r = list_next(it)))
		if (r->resv_id == o->resv)
			break;
	list_iterator_destroy(it);
	if (!r)
		return;
	job_ptr->resv_ptr = r;
	job_ptr->resv_id = r->resv_id;
	if (!job_ptr->resv_name && !job_ptr->resv_list) {
		job_ptr->resv_name = xstrdup(r->name);
		job_ptr->bit_flags |= JOB_MAGNETIC;
	}
}

void cs_start_leave(job_record_t *job_ptr)
{
	if (!(job_ptr->bit_flags & JOB_MAGNETIC))
		return;
	job_ptr->bit_flags &= ~JOB_MAGNETIC;
	xfree(job_ptr->resv_name);
	job_ptr->resv_ptr = NULL;
	job_ptr->resv_id = 0;
}

bool cs_start_ready(struct cs_bridge *b, job_record_t *job_ptr,
		    const struct cs_view_option *o, struct cs_refusal *ret)
{
	part_record_t *part_ptr;

	*ret = gone;
	if (!waits(job_ptr))
		return false;
	*ret = held;
	if (!job_ptr->priority)
		return false;
	part_ptr = partition(b, job_ptr, o);
	*ret = no_part;
	if (!part_ptr || !part_ptr->node_bitmap ||
	    !(part_ptr->state_up & PARTITION_SCHED) ||
	    !cs_job_take_qos(job_ptr, o->qos))
		return false;
	job_ptr->part_ptr = part_ptr;
	*ret = not_free;
	if (!job_independent(job_ptr))
		return false;
	*ret = part_limit;
	if (job_limits_check(&job_ptr, true) != WAIT_NO_REASON)
		return false;
	*ret = licenses;
	if (license_job_test(job_ptr, time(NULL), true))
		return false;
	join_reservation(job_ptr, o);
	return true;
}

/* ---- maps ------------------------------------------------------------------ */

bitstr_t *cs_start_nodes(const struct cs_bridge *b, const struct cs_alloc *a)
{
	bitstr_t *nodes = bit_alloc(b->view->machine->n_node);

	for (uint32_t i = 0; i < a->n_node; i++)
		bit_set(nodes, a->node[i].node);
	return nodes;
}

bitstr_t *cs_start_set(const struct cs_bridge *b, uint32_t set)
{
	const uint64_t *words = cs_view_set_words(b->view->sets, set);
	bitstr_t *nodes = bit_alloc(b->view->machine->n_node);

	for (uint32_t i = 0; words && i < b->view->machine->n_node; i++)
		if (cs_bit(words, i))
			bit_set(nodes, i);
	return nodes;
}

static bitstr_t *cores_of(const struct cs_bridge *b, const struct cs_alloc *a)
{
	bitstr_t *cores = bit_alloc(b->view->n_core);

	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t node = a->node[i].node;
		uint32_t n = cs_view_system_cores(b->view, node);

		for (uint32_t c = 0; c < n; c++)
			if (cs_bit(cs_alloc_cores(a, i), c))
				bit_set(cores,
					cs_view_system_core(b->view, node, c));
	}
	return cores;
}

struct mark {
	bool whole;  /* set all cores of the job's nodes; else clear its own */
	bool packed; /* also where it is packed ... */
	const bitstr_t *but; /* ... but not on these; NULL: none */
};

/* Set, or clear, cores of the nodes of job @id in @map. */
static void mark(const struct cs_bridge *b, uint32_t id, const struct mark *m,
		 bitstr_t *map)
{
	struct cs_running r;

	if (cs_engine_running(b->engine, id, &r) || r.suspended ||
	    (r.packed && !m->packed))
		return;
	for (uint32_t i = 0; i < r.alloc->n_node; i++) {
		uint32_t node = r.alloc->node[i].node;
		uint32_t n = cs_view_system_cores(b->view, node);

		if (r.packed && m->but && bit_test((bitstr_t *)m->but, node))
			continue;
		for (uint32_t c = 0; c < n; c++) {
			uint32_t at = cs_view_system_core(b->view, node, c);

			if (m->whole)
				bit_set(map, at);
			else if (cs_bit(cs_alloc_cores(r.alloc, i), c))
				bit_clear(map, at);
		}
	}
}

bitstr_t *cs_start_kept(const struct cs_bridge *b, uint32_t id,
			const bitstr_t *checked)
{
	const struct cs_known_job *k = cs_known_find(&b->known, id);
	const struct cs_view_desc *d = k ? cs_known_desc(k) : NULL;
	bitstr_t *kept = bit_alloc(b->view->n_core);
	bool alone = d && d->flags & CS_JOB_NO_SHARE;
	const struct mark nodes = {
		.whole = true,
		.packed = alone || b->params.share_scope != CS_SCOPE_ANY,
		.but = alone ? NULL : checked,
	};
	const struct mark own = { .packed = true };

	for (uint32_t i = 0; i < b->known.n; i++)
		mark(b, b->known.list[i]->id, &nodes, kept);
	for (uint32_t i = 0; i < b->known.n; i++)
		mark(b, b->known.list[i]->id, &own, kept);
	return kept;
}

/* ---- the call -------------------------------------------------------------- */

struct before { /* what the call must not leave behind */
	uint32_t array_id; /* its array, or 0 */
	uint32_t min_nodes, max_nodes, time_limit;
};

/* @limit: that, too; never of a job that has started (rule 4). */
static void put_back(const struct before *was, job_record_t *job_ptr,
		     bool limit)
{
	if (!job_ptr || !job_ptr->details)
		return;
	job_ptr->details->min_nodes = was->min_nodes;
	job_ptr->details->max_nodes = was->max_nodes;
	if (limit)
		job_ptr->time_limit = was->time_limit;
}

static int call(job_record_t *job_ptr)
{
	cs_details_t *d = job_ptr->details;
	int rc = ESLURM_NODES_BUSY;

	if (d->prefer) {
		d->features_use = d->prefer;
		d->feature_list_use = d->prefer_list;
		rc = cs_slurm_select_nodes(job_ptr, false);
		if (!rc)
			return rc;
	}
	d->features_use = d->features;
	d->feature_list_use = d->feature_list;
	return cs_slurm_select_nodes(job_ptr, false);
}

int cs_start_select(job_record_t *job_ptr, const struct cs_where *where)
{
	const struct before was = {
		.array_id = job_ptr->array_recs ? job_ptr->job_id : 0,
		.min_nodes = job_ptr->details->min_nodes,
		.max_nodes = job_ptr->details->max_nodes,
		.time_limit = job_ptr->time_limit,
	};
	const struct cs_plan_start plan = {
		.job_id = job_ptr->job_id,
		.nodes = where->nodes,
		.cores = where->cores,
		.forbidden = where->forbidden,
	};
	bool least = job_ptr->time_min && job_ptr->time_min < was.time_limit;
	job_record_t *rest;
	int rc;

	if (where->n_node)
		job_ptr->details->min_nodes = job_ptr->details->max_nodes =
			where->n_node;
	if (least)
		job_ptr->time_limit = job_ptr->time_min;
	else
		cs_limit_until_deadline(job_ptr);
	job_ptr->bit_flags |= BACKFILL_SCHED;
	job_ptr->last_sched_eval = time(NULL);
	cs_plan_start_begin(&plan);
	rc = call(job_ptr);
	cs_plan_start_end();
	put_back(&was, job_ptr, rc);
	rest = was.array_id ? find_job_record(was.array_id) : NULL;
	if (rest && rest != job_ptr)
		put_back(&was, rest, true);
	if (rc)
		cs_start_leave(job_ptr);
	else
		cs_slurm_launch(job_ptr);
	return rc;
}

/* ---- an action ------------------------------------------------------------- */

/* Rule 8: has Slurm given it, on @got, a core that another holds? */
static bool beside(const struct cs_bridge *b, const struct cs_action *a,
		   const struct cs_alloc *got)
{
	const struct cs_known_job *k = cs_known_find(&b->known, a->job_id);

	return k && cs_known_desc(k) &&
	       cs_known_options(k)[a->option].flags & CS_JOB_SHARES_CORES &&
	       !cs_engine_has_room(b->engine, got);
}

int cs_start_confirm(struct cs_bridge *b, const struct cs_action *a,
		     job_record_t *job_ptr, struct cs_err *err)
{
	const struct cs_known_job *from = cs_known_find(&b->known, a->job_id);
	const struct cs_view_desc *d = from ? cs_known_desc(from) : NULL;
	struct cs_alloc *got = cs_view_alloc(b->view, job_ptr,
					     d ? d->procs : 1,
					     d ? d->cpus_per_proc : 1);
	struct cs_feed_start s = {
		.seq = a->seq,
		.id = job_ptr->job_id,
		.array_id = job_ptr->job_id != a->job_id ? a->job_id : 0,
		.option = a->option,
		.start_us = (int64_t)job_ptr->start_time * 1000000,
		.alloc = got,
		.action = a,
	};
	uint32_t flag = job_ptr->limit_set.time;
	struct cs_known_job *k;
	int rc;

	if (!got)
		/* It holds what the machine does not know: the next look will
		 * find it running and leave it out. */
		return cs_start_refuse(b, a, &gone, err);
	if (a->limit_us)
		cs_limit_set(job_ptr, a->limit_us);
	s.limit_us = cs_limit_us(job_ptr);
	s.n_node = job_ptr->job_resrcs->nhosts;
	s.cpus = job_ptr->job_resrcs->ncpus;
	if (beside(b, a, got))
		rc = cs_start_refuse(b, a, &shares, err);
	else
		rc = cs_feed_started(b, &s, err);
	cs_alloc_free(got);
	if (rc == -ESTALE && a->type == CS_ACT_HOST_START)
		return cs_start_refuse(b, a, &gone, err); /* rule 6 */
	k = cs_known_find(&b->known, s.id);
	if (!rc && k)
		cs_limit_started(b, a, job_ptr, k, flag);
	b->started++;
	b->cycle_started++;
	b->host_started |= a->type == CS_ACT_HOST_START;
	return rc;
}

/* Do the planned cores lie on nodes that are being freed? */
static bool on_completing(const bitstr_t *nodes)
{
	return cg_node_bitmap && bit_overlap_any((bitstr_t *)nodes,
						 cg_node_bitmap);
}

/* Why a start on exactly @cores of @nodes is not to be tried; NULL: it is. */
static const struct cs_refusal *in_the_way(const struct cs_bridge *b,
					   bitstr_t *nodes, bitstr_t *cores,
					   bitstr_t *others)
{
	if (others && bit_overlap_any(cores, others))
		return &preempted;
	if (on_completing(nodes))
		return b->ghosts ? &completing_ghost : &completing;
	return NULL;
}

/* Slurm's test of the start of job @id has set a preemption going. */
static void freed_by(struct cs_bridge *b, uint32_t id)
{
	struct cs_known_job *k = cs_known_find(&b->known, id);

	if (!k || !cs_preempts(b, k))
		return;
	cs_freed_begin(b, k);
	k->preempt_us = b->now_us + 1000000;
}

static int start_planned(struct cs_bridge *b, const struct cs_action *a,
			 job_record_t *job_ptr, struct cs_refusal *ret)
{
	bool exact = a->type == CS_ACT_START;
	bitstr_t *nodes = cs_start_nodes(b, a->alloc);
	bitstr_t *cores = exact ? cores_of(b, a->alloc) : NULL;
	bitstr_t *others = cs_freed_map(b, a->job_id);
	const struct cs_refusal *why =
		exact ? in_the_way(b, nodes, cores, others) : NULL;
	int rc = -1;

	if (why) {
		*ret = *why;
		cs_start_leave(job_ptr);
	} else {
		job_ptr->preempt_in_progress = false;
		rc = cs_start_select(job_ptr, &(struct cs_where){
						      .nodes = nodes,
						      .cores = cores,
						      .forbidden = others,
						      .n_node = exact ? a->alloc->n_node
								      : 0,
					      });
		if (rc)
			*ret = cs_refusal_of(rc);
		if (rc && job_ptr->preempt_in_progress)
			freed_by(b, a->job_id);
	}
	FREE_NULL_BITMAP(others);
	FREE_NULL_BITMAP(cores);
	FREE_NULL_BITMAP(nodes);
	return rc;
}

bool cs_start_forecast(const struct cs_bridge *b, time_t start,
		       const bitstr_t *nodes, struct cs_forecast *ret)
{
	uint32_t *node = NULL;

	*ret = (struct cs_forecast){ .start_us = (int64_t)start * 1000000 +
						 b->view->ahead_us };
	if (start)
		node = calloc(b->view->machine->n_node, sizeof(*node));
	for (uint32_t n = 0; node && n < b->view->machine->n_node; n++)
		if (bit_test((bitstr_t *)nodes, n))
			node[ret->n++] = n;
	ret->node = node;
	return ret->n > 0;
}

/* Rule 7. */
static bool forecast(const struct cs_bridge *b, job_record_t *job_ptr,
		     const struct cs_view_option *o, struct cs_forecast *ret)
{
	bitstr_t *nodes = cs_start_set(b, o->set);
	time_t start = cs_job_forecast(job_ptr, nodes);
	bool any = cs_start_forecast(b, start, nodes, ret);

	FREE_NULL_BITMAP(nodes);
	return any;
}

/* The start came to nothing, as @r says: answer, with a forecast where one is asked
 * for. */
static int refused(struct cs_bridge *b, const struct cs_action *a,
		   const struct cs_refusal *r, const struct cs_view_option *o,
		   struct cs_err *err)
{
	job_record_t *job_ptr = find_job_record(a->job_id);
	struct cs_forecast f = { 0 };
	bool asked = a->ask && r->class == CS_REFUSED_PLACE && job_ptr &&
		     job_ptr->details && forecast(b, job_ptr, o, &f);
	int rc = cs_start_refuse_until(b, a, r, asked ? &f : NULL, err);

	free((uint32_t *)f.node);
	return rc;
}

int cs_apply_start(struct cs_bridge *b, const struct cs_action *a,
		   int64_t until_us, struct cs_err *err)
{
	job_record_t *job_ptr = find_job_record(a->job_id);
	const struct cs_known_job *k = cs_known_find(&b->known, a->job_id);
	struct cs_refusal r = gone;
	int64_t max_us;
	uint32_t wanted;

	if (!k || !cs_known_desc(k) || a->option >= cs_known_desc(k)->n_option)
		return cs_start_refuse(b, a, &gone, err);
	if (!cs_start_ready(b, job_ptr, cs_known_options(k) + a->option, &r))
		return cs_start_refuse(b, a, &r, err);
	if (job_ptr->het_job_id && job_ptr->het_job_list)
		return cs_apply_het(b, a, job_ptr, until_us, err);
	if (fed_mgr_job_lock(job_ptr)) {
		cs_start_leave(job_ptr);
		return cs_start_refuse(b, a, &federation, err);
	}
	wanted = job_ptr->time_limit;
	max_us = cs_known_options(k)[a->option].limit_max_us;
	if (start_planned(b, a, job_ptr, &r)) {
		fed_mgr_job_unlock(job_ptr);
		return refused(b, a, &r, cs_known_options(k) + a->option, err);
	}
	b->wrote = true;
	fed_mgr_job_start(job_ptr, job_ptr->start_time);
	info("cosched: started %pJ in %s on %s%s", job_ptr,
	     job_ptr->part_ptr->name, job_ptr->nodes,
	     a->group ? ", sharing" : "");
	return cs_start_confirm(b, a, job_ptr, err) ?:
	       cs_limit_stretch(b, job_ptr, wanted, max_us, err);
}
