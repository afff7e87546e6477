/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores that are freed and taken again: job_fini, job_suspend, job_resume,
 * reconfigure.
 *
 * Two faults of the stock plugin are healed on the way:
 *
 *  1. job_fini leaves a pointer to a suspended job behind when the job is
 *     requeued (23.11.7 to 25.11: it forgets the job only when in a row, or when
 *     finished), and reads it after the record was freed.  For the time of the
 *     call such a job looks finished.
 *  2. job_resume adds the job's cores whoever holds them now, says "job overflow"
 *     and books them twice; and it adds them on a node that is down, where the
 *     resume then fails and nobody takes them away.  Both are refused before.
 */
#include "compat/slurm.h"

#include "select.h"

#include "plan/plan.h"

extern int select_p_job_fini(job_record_t *job_ptr);
extern int select_p_job_suspend(job_record_t *job_ptr, bool indf_susp);
extern int select_p_job_resume(job_record_t *job_ptr, bool indf_susp);
extern int select_p_reconfigure(void);

extern int select_p_job_fini(job_record_t *job_ptr)
{
	uint32_t state;
	int rc;

	if (!cs_select_live(job_ptr))
		return cs_stock.job_fini(job_ptr);

	state = job_ptr->job_state;
	if (job_ptr->suspend_time && !IS_JOB_FINISHED(job_ptr)) {
		job_ptr->job_state = JOB_COMPLETE;
		cs_plan_count(CS_COUNT_HEALED);
	}
	rc = cs_stock.job_fini(job_ptr);
	job_ptr->job_state = state;
	cs_plan_wake(CS_WAKE_FREED);
	return rc;
}

extern int select_p_job_suspend(job_record_t *job_ptr, bool indf_susp)
{
	int rc = cs_stock.job_suspend(job_ptr, indf_susp);

	if (!rc && cs_select_live(job_ptr))
		cs_plan_wake(CS_WAKE_FREED);
	return rc;
}

/* The cores that @jr holds on node @node, as a position in its core map;
 * *ret_count is 0 where it has none there. */
static uint32_t cores_on(const job_resources_t *jr, int node,
			 uint32_t *ret_count)
{
	uint16_t sockets, cores;
	uint32_t first = 0;
	int n = 0;

	*ret_count = 0;
	for (int i = bit_ffs(jr->node_bitmap); i >= 0 && i <= node; i++) {
		if (!bit_test(jr->node_bitmap, i))
			continue;
		if (get_job_resources_cnt((job_resources_t *)jr, n++, &sockets,
					  &cores))
			return 0;
		if (i == node)
			*ret_count = sockets * cores;
		else
			first += sockets * cores;
	}
	return first;
}

static bool share_core(const job_resources_t *a, const job_resources_t *b,
		       int node)
{
	uint32_t n_a, n_b;
	uint32_t at_a = cores_on(a, node, &n_a), at_b = cores_on(b, node, &n_b);

	for (uint32_t c = 0; c < n_a && c < n_b; c++)
		if (bit_test(a->core_bitmap, at_a + c) &&
		    bit_test(b->core_bitmap, at_b + c))
			return true;
	return false;
}

/* Does @other run on a core of @job_ptr? */
static bool runs_on_cores_of(const job_record_t *other,
			     const job_record_t *job_ptr)
{
	const job_resources_t *a = job_ptr->job_resrcs, *b = other->job_resrcs;

	if (other == job_ptr || !IS_JOB_RUNNING(other) || !b ||
	    !b->core_bitmap || !b->node_bitmap ||
	    !bit_overlap_any(a->node_bitmap, b->node_bitmap))
		return false;
	for (int i = bit_ffs(a->node_bitmap); i <= bit_fls(a->node_bitmap); i++)
		if (bit_test(a->node_bitmap, i) &&
		    bit_test(b->node_bitmap, i) && share_core(a, b, i))
			return true;
	return false;
}

/* With an iterator: list_find_first() locks the list for the whole walk. */
static bool cores_taken(const job_record_t *job_ptr)
{
	list_itr_t *iter = list_iterator_create(job_list);
	const job_record_t *other;
	bool taken = false;

	while (!taken && (other = list_next(iter)))
		taken = runs_on_cores_of(other, job_ptr);
	list_iterator_destroy(iter);
	return taken;
}

static bool on_down_node(const job_record_t *job_ptr)
{
	node_record_t *node_ptr;

	for (int i = 0; (node_ptr = next_node(&i)); i++)
		if (bit_test(job_ptr->node_bitmap, i) && IS_NODE_DOWN(node_ptr))
			return true;
	return false;
}

extern int select_p_job_resume(job_record_t *job_ptr, bool indf_susp)
{
	const job_resources_t *jr;

	if (!indf_susp || !cs_select_live(job_ptr))
		return cs_stock.job_resume(job_ptr, indf_susp);

	jr = job_ptr->job_resrcs;
	if (job_ptr->node_bitmap && jr && jr->core_bitmap && jr->node_bitmap &&
	    (on_down_node(job_ptr) || cores_taken(job_ptr))) {
		cs_plan_count(CS_COUNT_RESUME_BUSY);
		return ESLURM_NODES_BUSY;
	}
	return cs_stock.job_resume(job_ptr, indf_susp);
}

extern int select_p_reconfigure(void)
{
	int rc = cs_stock.reconfigure();

	if (cs_select_live(NULL))
		cs_plan_wake(CS_WAKE_MACHINE);
	return rc;
}
