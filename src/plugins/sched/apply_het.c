/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heterogeneous jobs: all components start, or none.
 *
 * Rules.
 *  1. Components take different nodes, as under stock.
 *  2. Each is tested (Slurm's will-run) on the nodes left by those before it; if
 *     one does not fit now none is started.
 *  3. Then each is started on just the nodes that its test chose.  If one fails
 *     all the same, those that have started are taken back, as stock does it: they
 *     wait behind the life of their credential.
 *
 * Nodes: those of the first component and of others in its partition are the
 * engine's proposal; components of another partition use that partition's.  In
 * neither case those with cores that are kept from them: beside a job that is not
 * packed, for one that preempts, or, but for the proposal, by share_scope.
 *
 * The engine is answered for the leader; the next look tells it of the others, so
 * nothing else is decided in this cycle.
 */
#include "apply.h"

#include <stdlib.h>

#define COMPONENTS_MAX 128 /* Slurm's own limit */

struct het {
	uint32_t id[COMPONENTS_MAX]; /* [n] */
	bitstr_t *nodes[COMPONENTS_MAX];
	bitstr_t *kept; /* cores that none may take */
	uint32_t n;
};

static const struct cs_refusal no_room = {
	CS_REFUSED_TIMED, "not all components could start together", false
};
static const struct cs_refusal not_all = {
	CS_REFUSED_TIMED, "not all of its components may start now", false
};

static void het_done(struct het *h)
{
	for (uint32_t i = 0; i < h->n; i++)
		FREE_NULL_BITMAP(h->nodes[i]);
	FREE_NULL_BITMAP(h->kept);
}

static bool may_start(job_record_t *job_ptr)
{
	return job_ptr->details && job_ptr->part_ptr &&
	       IS_JOB_PENDING(job_ptr) && !IS_JOB_COMPLETING(job_ptr) &&
	       job_ptr->priority && job_independent(job_ptr) &&
	       job_limits_check(&job_ptr, true) == WAIT_NO_REASON &&
	       acct_policy_job_runnable_pre_select(job_ptr, false);
}

/* The components, leader first (Slurm's list is in their order). */
static bool gather(struct het *h, job_record_t *leader)
{
	job_record_t *comp;
	list_itr_t *it = list_iterator_create(leader->het_job_list);
	bool ok = true;

	while (ok && (comp = list_next(it))) {
		ok = h->n < COMPONENTS_MAX &&
		     comp->het_job_id == leader->job_id && may_start(comp);
		if (ok)
			h->id[h->n++] = comp->job_id;
	}
	list_iterator_destroy(it);
	return ok && h->n;
}

/* The nodes with a core of @kept. */
static bitstr_t *nodes_of(const struct cs_bridge *b, const bitstr_t *kept)
{
	bitstr_t *nodes = bit_alloc(b->view->machine->n_node);

	for (uint32_t n = 0; n < b->view->machine->n_node; n++) {
		uint32_t cores = cs_node_cores(&b->view->machine->node[n]);

		for (uint32_t c = 0; c < cores; c++)
			if (bit_test((bitstr_t *)kept,
				     cs_view_system_core(b->view, n, c)))
				bit_set(nodes, n);
	}
	return nodes;
}

/* Rule 2. */
static bool fit_together(const struct cs_bridge *b, struct het *h,
			 const bitstr_t *proposed, const part_record_t *of)
{
	bitstr_t *used = nodes_of(b, h->kept);
	bool ok = true;

	for (uint32_t i = 0; ok && i < h->n; i++) {
		job_record_t *comp = find_job_record(h->id[i]);

		h->nodes[i] = bit_copy(comp->part_ptr == of ?
					       (bitstr_t *)proposed :
					       comp->part_ptr->node_bitmap);
		bit_and_not(h->nodes[i], used);
		ok = cs_job_could_start(comp, h->nodes[i]);
		if (ok)
			bit_or(used, h->nodes[i]);
	}
	FREE_NULL_BITMAP(used);
	return ok;
}

/* What a component that has started may have at most; else its TimeMin. */
static int64_t most_us(const struct cs_bridge *b, uint32_t id)
{
	const struct cs_known_job *k = cs_known_find(&b->known, id);

	return k && cs_known_desc(k) && cs_known_desc(k)->n_option ?
		       cs_known_options(k)->limit_max_us :
		       0;
}

/* Rule 3. */
static int start_all(struct cs_bridge *b, struct het *h)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < h->n; i++) {
		job_record_t *comp = find_job_record(h->id[i]);
		uint32_t wanted = comp->time_limit;

		rc = fed_mgr_job_lock(comp) ? ESLURM_FED_JOB_LOCK : 0;
		if (rc)
			break;
		rc = cs_start_select(comp, &(struct cs_where){
						   .nodes = h->nodes[i],
						   .forbidden = h->kept });
		if (rc) {
			fed_mgr_job_unlock(comp);
			break;
		}
		fed_mgr_job_start(comp, comp->start_time);
		cs_limit_stretch(b, comp, wanted, most_us(b, h->id[i]));
	}
	if (!rc)
		return 0;
	for (uint32_t k = 0; k < h->n; k++) {
		job_record_t *comp = find_job_record(h->id[k]);

		if (comp && !IS_JOB_PENDING(comp) && !IS_JOB_FINISHED(comp)) {
			info("cosched: %pJ is taken back: another component of it could not start",
			     comp);
			cs_job_unstart(comp);
		}
	}
	return rc;
}

int cs_apply_het(struct cs_bridge *b, const struct cs_action *a,
		 job_record_t *leader, struct cs_err *err)
{
	struct het h = { .n = 0 };
	struct cs_refusal r = not_all;
	bitstr_t *nodes;
	int rc = -1;

	if (gather(&h, leader)) {
		nodes = cs_start_nodes(b, a->alloc);
		h.kept = cs_start_kept(b, leader->job_id, nodes);
		cs_freed_forbid(b, leader->job_id, h.kept);
		r = no_room;
		if (fit_together(b, &h, nodes, leader->part_ptr)) {
			rc = start_all(b, &h);
			b->wrote = true;
			r = cs_refusal_of(rc);
		}
		FREE_NULL_BITMAP(nodes);
	}
	if (rc) {
		het_done(&h);
		cs_start_leave(leader);
		return cs_start_refuse(b, a, &r, err);
	}
	info("cosched: started %pJ and its %u other components", leader,
	     h.n - 1);
	het_done(&h);
	b->rounds = UINT32_MAX;
	return cs_start_confirm(b, a, leader, err);
}
