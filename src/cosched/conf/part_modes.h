/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does cosched_partition_modes give partitions with a node in common different modes, or
 * act to one and shadow to another? */
#ifndef CS_COSCHED_CONF_PART_MODES_H
#define CS_COSCHED_CONF_PART_MODES_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf_parts.h"

/*
 * slurmctld would let all partitions follow cosched_mode then.  Of @parts, and @sched,
 * SchedulerParameters.  If so @ret says why: two that share a node, by name, with their
 * modes; or that there is act and shadow.  False also if @sched has errors, or memory is
 * out.
 */
bool cs_part_modes_clash(const char *sched, const struct cs_confparts *parts,
			 char *ret, size_t size);

#endif
