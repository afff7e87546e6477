/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does cosched_partition_modes give partitions with a node in common different modes? */
#ifndef CS_COSCHED_CONF_PART_MODES_H
#define CS_COSCHED_CONF_PART_MODES_H

#include <stdbool.h>
#include <stddef.h>

struct cs_confpart {
	char *name;
	char *nodes; /* as Slurm writes them, "ALL" too; NULL: none */
};

/*
 * slurmctld would let all partitions follow cosched_mode then.  Of the @n of @part, and
 * @sched, SchedulerParameters.  If so @ret names two, with their modes.  A nodeset counts
 * as one node of its name.  False also if @sched has errors, or memory is out.
 */
bool cs_part_modes_clash(const char *sched, const struct cs_confpart *part,
			 size_t n, char *ret, size_t size);

#endif
