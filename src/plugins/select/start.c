/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_test: may this job start now, and where.
 *
 * Every start passes through here with mode RUN_NOW: the submit path, the main loop,
 * sched/backfill, srun --immediate, scontrol, and our own thread's select_nodes().
 * With the gate on only the last passes, and gets the nodes and cores of the plan:
 * nodes by shrinking the offered set, cores by excluding all others on those nodes.  A
 * refusal says "busy", as on a full machine, or "no licences".  A job that starts at once
 * or never passes where it delays no other (room.c).
 *
 * TEST_ONLY and WILL_RUN are hypothetical: they pass untouched, so submission,
 * --test-only and squeue --start answer as always.
 */
#include "compat/slurm.h"

#include "select.h"

#include "compat/exccores.h"
#include "compat/job.h"
#include "gate/gate.h"

extern int select_p_job_test(CS_JOB_TEST_PARAMS);

/* All cores of @nodes except @wanted. */
static bitstr_t *cores_beside(const bitstr_t *nodes, const bitstr_t *wanted)
{
	bitstr_t *others = bit_alloc(cs_exccores_system());

	for (int n = 0; next_node(&n); n++) {
		uint32_t first, count;

		if (!bit_test((bitstr_t *)nodes, n))
			continue;
		first = cr_get_coremap_offset(n);
		count = node_record_table_ptr[n]->tot_cores;
		for (uint32_t c = first; c < first + count; c++)
			if (!bit_test((bitstr_t *)wanted, c))
				bit_set(others, c);
	}
	return others;
}

/* Do the plan's maps still fit the machine? */
static bool maps_fit(const struct cs_gate_start *start,
		     const bitstr_t *node_bitmap)
{
	bitoff_t cores = cs_exccores_system();

	if (start->nodes && bit_size((bitstr_t *)start->nodes) !=
				    bit_size((bitstr_t *)node_bitmap))
		return false;
	if (start->cores &&
	    (!start->nodes || bit_size((bitstr_t *)start->cores) != cores))
		return false;
	return !start->forbidden ||
	       bit_size((bitstr_t *)start->forbidden) == cores;
}

/*
 * The offered nodes have passed Slurm's filters: a plan with exact cores on a node
 * outside them is refused, not adapted.  If Slurm chooses, any offered part of the
 * plan's nodes will do.
 */
static bool offer_planned_nodes(const struct cs_gate_start *start,
				bitstr_t *node_bitmap)
{
	if (!start->nodes)
		return true;
	if (start->cores &&
	    !bit_super_set((bitstr_t *)start->nodes, node_bitmap))
		return false;
	bit_and(node_bitmap, (bitstr_t *)start->nodes);
	return true;
}

/* Slurm's own test without @cores (NULL: none), a map of the system's, which it
 * frees. */
static int test_without(bitstr_t *cores, CS_JOB_TEST_PARAMS)
{
	struct cs_exccores x = { 0 };
	int rc;

	if (!cores)
		return cs_select_stock.job_test(CS_JOB_TEST_ARGS);
	cs_exccores_add(&x, excluded, cores);
	excluded = x.arg;
	rc = cs_select_stock.job_test(CS_JOB_TEST_ARGS);
	cs_exccores_remove(&x);
	FREE_NULL_BITMAP(cores);
	return rc;
}

static int start_as_planned(const struct cs_gate_start *start,
			    CS_JOB_TEST_PARAMS)
{
	bitstr_t *others = NULL;

	/* else it may say so of an earlier test (cs_job_waits_for_switches()) */
	job_ptr->best_switch = true;
	if (!maps_fit(start, node_bitmap) ||
	    !offer_planned_nodes(start, node_bitmap))
		return SLURM_ERROR;
	if (start->cores)
		others = cores_beside(start->nodes, start->cores);
	else if (start->forbidden)
		others = bit_copy((bitstr_t *)start->forbidden);
	return test_without(others, CS_JOB_TEST_ARGS);
}

/* Where it delays no other, or not at all. */
static int start_at_once(CS_JOB_TEST_PARAMS)
{
	int rc = SLURM_ERROR;

	preemptee_candidates = NULL;
	if (cs_select_offer_room(job_ptr, node_bitmap))
		rc = cs_select_stock.job_test(CS_JOB_TEST_ARGS);
	if (rc)
		cs_gate_refused();
	else
		cs_gate_passed();
	return rc;
}

static enum cs_gate_verdict ask(const job_record_t *job_ptr,
				struct cs_gate_start *ret_start)
{
	const char *part = job_ptr->part_ptr ? job_ptr->part_ptr->name : "";

	return cs_select_at_once(job_ptr)
		       ? cs_gate_ask_now(job_ptr->job_id, part, ret_start)
		       : cs_gate_ask(job_ptr->job_id, part, ret_start);
}

extern int select_p_job_test(CS_JOB_TEST_PARAMS)
{
	struct cs_gate_start start;
	int rc;

	if (!SELECT_IS_MODE_RUN_NOW(mode) || !cs_select_live(job_ptr))
		return cs_select_stock.job_test(CS_JOB_TEST_ARGS);

	switch (ask(job_ptr, &start)) {
	case CS_VERDICT_REFUSE:
		return cs_job_refusal(job_ptr);
	case CS_VERDICT_ROOM:
		return start_at_once(CS_JOB_TEST_ARGS);
	case CS_VERDICT_IMPOSE:
		rc = start_as_planned(&start, CS_JOB_TEST_ARGS);
		if (!rc)
			cs_gate_count(CS_COUNT_IMPOSED);
		else if (cs_job_waits_for_switches(job_ptr))
			cs_gate_start_switches();
		else
			cs_gate_count(CS_COUNT_UNFIT);
		return rc;
	case CS_VERDICT_LAPSE:
		error("cosched: our select_cons_tres.so: no sign of life from the scheduling thread for cosched_hang_s: the gate is open, Slurm's main loop starts jobs until the thread is back");
		break;
	case CS_VERDICT_PASS:
		break;
	}
	/* as without us, except for jobs stopped by a time slice */
	return test_without(cs_select_stopped_cores(), CS_JOB_TEST_ARGS);
}
