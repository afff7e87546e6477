/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that start at once or never: srun and salloc --immediate.
 *
 * Slurm tests an allocation at submission, and one that must start at once is gone if
 * the test fails: our thread never sees it.  So it gets Slurm's own test, on the nodes
 * that the plan leaves:
 *
 *  1. nodes that no waiting job is promised, or may take, before its limit ends;
 *  2. of these, nodes without running jobs, or only with jobs that may have neighbours.
 *     Running jobs are read from Slurm's records, so they are current; it keeps away
 *     from a job that the thread does not know yet.  So too from a suspended one, which
 *     resumes on its cores, unless an administrator suspended it: then any job may use
 *     them;
 *  3. a job whose comment addresses us is kept apart from all others;
 *  4. no job is preempted for it: that would be a decision of the plan.
 *
 * It is interactive (a client that waits for an answer gives a port), not a batch job.
 * As always, Slurm itself refuses it earlier under `defer` and if a job of higher
 * priority waits.
 */
#include "compat/slurm.h"

#include "select.h"

#include "compat/stop.h"
#include "gate/gate.h"

bool cs_select_at_once(const job_record_t *job_ptr)
{
	return IS_JOB_PENDING(job_ptr) && !job_ptr->batch_flag &&
	       !job_ptr->alloc_resp_port && !job_ptr->het_job_id;
}

/* Its maximum run time. */
static int64_t limit_us(const job_record_t *job_ptr)
{
	uint32_t minutes = job_ptr->time_limit;

	if (minutes == NO_VAL)
		minutes = job_ptr->part_ptr->default_time;
	if (minutes == NO_VAL || minutes == INFINITE)
		minutes = job_ptr->part_ptr->max_time;
	return minutes * INT64_C(60000000);
}

static void drop_wanted(const struct cs_gate_room *room, int64_t end_us,
			bitstr_t *nodes)
{
	for (uint32_t i = 0; i < room->n_node; i++)
		if (room->wanted_us[i] < end_us)
			bit_clear(nodes, i);
}

/* Must it stay away from @other? */
static bool keeps_away(const struct cs_gate_room *room, bool alone,
		       const job_record_t *other)
{
	if (IS_JOB_SUSPENDED(other))
		return cs_stop_keeps(other);
	return IS_JOB_RUNNING(other) &&
	       (alone || !cs_gate_room_joinable(room, other->job_id));
}

static void drop_taken(const struct cs_gate_room *room, bool alone,
		       bitstr_t *nodes)
{
	list_itr_t *iter = list_iterator_create(job_list);
	const job_record_t *other;

	while ((other = list_next(iter)))
		if (other->node_bitmap && keeps_away(room, alone, other))
			bit_and_not(nodes, other->node_bitmap);
	list_iterator_destroy(iter);
}

bool cs_select_offer_room(const job_record_t *job_ptr, bitstr_t *nodes)
{
	const struct cs_gate_room *room = cs_gate_room_hold();
	bool fits = room && room->n_node == bit_size(nodes);

	if (fits) {
		drop_wanted(room, cs_gate_now_us() + limit_us(job_ptr), nodes);
		drop_taken(room, xstrcasestr(job_ptr->comment, "cosched:"),
			   nodes);
	}
	if (room)
		cs_gate_room_release(room);
	return fits;
}
