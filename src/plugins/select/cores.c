/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores that are freed and taken again: job_fini, job_suspend, job_resume,
 * select_nodeinfo_set, reconfigure.
 *
 * The stock plugin frees the cores of a job that an administrator suspends, not those
 * of one suspended by the gang scheduler.  A job stopped by a time slice
 * (compat/stop.h) looks like the second; its cores are freed like the first's: in the
 * call, and whenever the stock plugin recounts all cores, during which it has the
 * first's priority 0.
 *
 * This also heals two faults of the stock plugin:
 *
 *  1. job_fini leaves a pointer to a suspended job behind when the job is requeued
 *     (23.11.7 to 25.11: it forgets the job only when in a row, or when finished), and
 *     reads it after the record was freed.  During the call we make such a job look
 *     finished.
 *  2. job_resume adds the job's cores even if another job holds them, says "job
 *     overflow" and books them twice; and it adds them on a node that is down, where
 *     the resume then fails and they stay booked.  Both are refused first, the former
 *     except in a partition that gives a core to several jobs.
 *
 * A job that a time slice stopped may still run for a moment.  The scheduling thread
 * waits for that (slice_guard_s); an administrator's resume on its cores is refused
 * until its grace time has passed (cs_stop_ends()).
 */
#include "compat/slurm.h"

#include "select.h"

#include "compat/stop.h"
#include "gate/gate.h"

extern int select_p_job_fini(job_record_t *job_ptr);
extern int select_p_job_suspend(job_record_t *job_ptr, bool indf_susp);
extern int select_p_job_resume(job_record_t *job_ptr, bool indf_susp);
extern int select_p_select_nodeinfo_set(job_record_t *job_ptr);
extern int select_p_reconfigure(void);

extern int select_p_job_fini(job_record_t *job_ptr)
{
	uint32_t state;
	int rc;

	if (!cs_select_live(job_ptr))
		return cs_select_stock.job_fini(job_ptr);

	state = job_ptr->job_state;
	if (job_ptr->suspend_time && !IS_JOB_FINISHED(job_ptr)) {
		job_ptr->job_state = JOB_COMPLETE;
		cs_gate_count(CS_COUNT_HEALED);
	}
	rc = cs_select_stock.job_fini(job_ptr);
	job_ptr->job_state = state;
	cs_gate_wake(CS_WAKE_FREED);
	return rc;
}

extern int select_p_job_suspend(job_record_t *job_ptr, bool indf_susp)
{
	int rc;

	if (!cs_select_live(job_ptr))
		return cs_select_stock.job_suspend(job_ptr, indf_susp);
	rc = cs_select_stock.job_suspend(job_ptr, indf_susp || !cs_stop_gang());
	if (!rc && !indf_susp)
		cs_select_stopped();
	if (!rc)
		cs_gate_wake(CS_WAKE_FREED);
	return rc;
}

/* A walk over the nodes of a job, in order. */
struct walk {
	const job_resources_t *jr;
	int next; /* node by the job's own numbering */
	/* of the last node: where its cores are in the job's map, and how many */
	uint32_t at, count;
};

/* Step to node @i; false: the job is not there, or not known to be. */
static bool step(struct walk *w, int i)
{
	uint16_t sockets, cores;

	if (!bit_test(w->jr->node_bitmap, i))
		return false;
	w->at += w->count;
	w->count = 0;
	if (get_job_resources_cnt((job_resources_t *)w->jr, w->next++, &sockets,
				  &cores))
		return false;
	w->count = (uint32_t)sockets * cores;
	return true;
}

static bool share_core(const struct walk *a, const struct walk *b)
{
	for (uint32_t c = 0; c < a->count && c < b->count; c++)
		if (bit_test(a->jr->core_bitmap, a->at + c) &&
		    bit_test(b->jr->core_bitmap, b->at + c))
			return true;
	return false;
}

/* Does @other run, or stop (@stopping), on a core of @job_ptr?  O(nodes), and their
 * cores. */
static bool runs_on_cores_of(const job_record_t *other,
			     const job_record_t *job_ptr, bool stopping)
{
	struct walk a = { .jr = job_ptr->job_resrcs };
	struct walk b = { .jr = other->job_resrcs };
	int last;

	if (other == job_ptr ||
	    !(IS_JOB_RUNNING(other) || (stopping && cs_stop_ends(other))) ||
	    !b.jr || !b.jr->core_bitmap || !b.jr->node_bitmap ||
	    !bit_overlap_any(a.jr->node_bitmap, b.jr->node_bitmap))
		return false;
	last = bit_fls(a.jr->node_bitmap);
	for (int i = 0; i <= last; i++) {
		bool in_a = step(&a, i), in_b = step(&b, i);

		if (in_a && in_b && share_core(&a, &b))
			return true;
	}
	return false;
}

/* With an iterator: list_find_first() locks the list for the whole walk. */
static bool cores_taken(const job_record_t *job_ptr, bool stopping)
{
	list_itr_t *iter = list_iterator_create(job_list);
	const job_record_t *other;
	bool taken = false;

	while (!taken && (other = list_next(iter)))
		taken = runs_on_cores_of(other, job_ptr, stopping);
	list_iterator_destroy(iter);
	return taken;
}

/* OverSubscribe=YES:N or FORCE:N with N above 1: stock has N rows of cores, one for
 * each job. */
static bool oversubscribes(const part_record_t *part_ptr)
{
	return part_ptr && (part_ptr->max_share & ~SHARED_FORCE) > 1;
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

	if (!cs_select_live(job_ptr) || (!indf_susp && cs_stop_gang()))
		return cs_select_stock.job_resume(job_ptr, indf_susp);

	jr = job_ptr->job_resrcs;
	if (job_ptr->node_bitmap && jr && jr->core_bitmap && jr->node_bitmap &&
	    (on_down_node(job_ptr) || (!oversubscribes(job_ptr->part_ptr) &&
				       cores_taken(job_ptr, indf_susp)))) {
		cs_gate_count(CS_COUNT_RESUME_BUSY);
		return ESLURM_NODES_BUSY;
	}
	return cs_select_stock.job_resume(job_ptr, true);
}

extern int select_p_select_nodeinfo_set(job_record_t *job_ptr)
{
	uint32_t priority;
	int rc;

	if (!cs_select_live(job_ptr) || !cs_stopped(job_ptr))
		return cs_select_stock.select_nodeinfo_set(job_ptr);
	cs_select_stopped();
	priority = job_ptr->priority;
	job_ptr->priority = 0;
	rc = cs_select_stock.select_nodeinfo_set(job_ptr);
	job_ptr->priority = priority;
	return rc;
}

struct stopped {
	job_record_t *job_ptr;
	uint32_t priority;
};

/* All stopped jobs with their priorities, which become 0; *@ret_n. */
static struct stopped *disguise(size_t *ret_n)
{
	struct stopped *s = NULL;
	job_record_t *job_ptr;
	list_itr_t *iter;

	*ret_n = 0;
	if (!job_list)
		return NULL;
	iter = list_iterator_create(job_list);
	while ((job_ptr = list_next(iter))) {
		if (!cs_stopped(job_ptr))
			continue;
		xrealloc(s, (*ret_n + 1) * sizeof(*s));
		s[(*ret_n)++] = (struct stopped){ job_ptr, job_ptr->priority };
		job_ptr->priority = 0;
	}
	list_iterator_destroy(iter);
	return s;
}

extern int select_p_reconfigure(void)
{
	struct stopped *s;
	size_t n;
	int rc;

	if (!cs_select_live(NULL))
		return cs_select_stock.reconfigure();
	s = disguise(&n);
	rc = cs_select_stock.reconfigure();
	for (size_t i = 0; i < n; i++)
		s[i].job_ptr->priority = s[i].priority;
	xfree(s);
	if (n)
		cs_select_stopped();
	cs_gate_wake(CS_WAKE_MACHINE);
	return rc;
}
