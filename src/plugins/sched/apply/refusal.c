/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's error codes as refusals.
 *
 * "Changed": only a change of job, nodes or partition can help, and such a change is
 * visible.  "Timed": it passes by itself, or its end is not visible.  "Limit": others
 * return their part of it when they end.  "Place": not on these nodes and cores, or on
 * none now; unknown codes count as this.
 */
#include "compat/job.h"

#include "sched/apply/refusal.h"

static const struct {
	int rc;
	struct cs_refusal as;
} table[] = {
	{ ESLURM_NODES_BUSY,
	  { CS_REFUSED_PLACE, "Slurm finds its nodes or cores taken", false } },
	{ CS_SWITCHES_BUSY,
	  { CS_REFUSED_PLACE,
	    "it waits for as few switches as it asked for (--switches)",
	    false } },
	{ ESLURM_NODE_NOT_AVAIL,
	  { CS_REFUSED_PLACE, "a node it needs is not available", false } },
	{ ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE,
	  { CS_REFUSED_PLACE, "no nodes have what it asks for", false } },
	{ ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE,
	  { CS_REFUSED_PLACE, "its partition does not allow it", false } },
	{ ESLURM_ACCOUNTING_POLICY,
	  { CS_REFUSED_LIMIT, "a limit of its association or QOS", true } },
	{ ESLURM_JOB_HELD, { CS_REFUSED_CHANGED, "it is held", false } },
	{ CS_LICENSES_UNAVAILABLE,
	  { CS_REFUSED_LIMIT, "licenses are used up", true } },
	{ ESLURM_RESERVATION_BUSY,
	  { CS_REFUSED_TIMED, "its reservation is busy", false } },
	{ ESLURM_RESERVATION_NOT_USABLE,
	  { CS_REFUSED_TIMED, "its reservation is not usable now", false } },
	{ ESLURM_RESERVATION_MAINT,
	  { CS_REFUSED_TIMED, "its nodes are reserved for maintenance",
	    false } },
	{ ESLURM_RESERVATION_INVALID,
	  { CS_REFUSED_CHANGED, "its reservation is gone", false } },
	{ ESLURM_BURST_BUFFER_WAIT,
	  { CS_REFUSED_TIMED, "its burst buffer is not ready", false } },
	{ ESLURM_PARTITION_DOWN,
	  { CS_REFUSED_CHANGED, "its partition is down", false } },
	{ ESLURM_INVALID_QOS,
	  { CS_REFUSED_CHANGED, "its QOS is not valid", false } },
	{ ESLURM_PORTS_BUSY,
	  { CS_REFUSED_LIMIT, "no ports are left for its steps", false } },
	{ ESLURM_FED_JOB_LOCK,
	  { CS_REFUSED_TIMED, "another cluster of the federation has it",
	    false } },
};

struct cs_refusal cs_refusal_of(int rc)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].rc == rc)
			return table[i].as;
	return (struct cs_refusal){ CS_REFUSED_PLACE,
				    "Slurm cannot start it now", false };
}
