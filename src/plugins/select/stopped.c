/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores of jobs stopped by a time slice, for starts outside the plan: with the gate
 * open, or past it.
 *
 * The stock plugin counts these cores as free.  The plan knows their owners; any other
 * job would still hold them when the stopped job's turn comes, in mode off for as long
 * as it runs.  So they are excluded.
 */
#include "compat/slurm.h"

#include "select.h"

#include "compat/exccores.h"
#include "compat/stop.h"

static bool maybe; /* a job is stopped; under the job lock */

void cs_select_stopped(void)
{
	maybe = true;
}

/* The cores of @job_ptr, into a map of the system's. */
static void mark(const job_record_t *job_ptr, bitstr_t *map)
{
	const job_resources_t *jr = job_ptr->job_resrcs;
	uint32_t at = 0;
	int next = 0;

	for (int n = 0; next_node(&n); n++) {
		uint32_t first = cr_get_coremap_offset(n);
		uint16_t sockets, cores;

		if (!bit_test(jr->node_bitmap, n))
			continue;
		if (get_job_resources_cnt((job_resources_t *)jr, next++,
					  &sockets, &cores))
			return;
		for (uint32_t c = 0; c < (uint32_t)sockets * cores; c++)
			if (bit_test(jr->core_bitmap, at + c) &&
			    first + c < bit_size(map))
				bit_set(map, first + c);
		at += (uint32_t)sockets * cores;
	}
}

bitstr_t *cs_select_stopped_cores(void)
{
	bitstr_t *map = NULL;
	const job_record_t *job_ptr;
	list_itr_t *iter;

	if (!maybe)
		return NULL;
	iter = list_iterator_create(job_list);
	while ((job_ptr = list_next(iter))) {
		const job_resources_t *jr = job_ptr->job_resrcs;

		if (!cs_stopped(job_ptr) || !jr || !jr->node_bitmap ||
		    !jr->core_bitmap)
			continue;
		if (!map)
			map = bit_alloc(cs_exccores_system());
		mark(job_ptr, map);
	}
	list_iterator_destroy(iter);
	maybe = map != NULL;
	return map;
}
