/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The site's switches or blocks, as in the running slurmctld.
 *
 * Up to 23.02 the table of switches is slurmctld's own.  From 23.11 on it is the
 * topology plugin's, and only the data for `scontrol show topology` is available: the
 * plugin packs it, we unpack it.
 */
#ifndef CS_COMPAT_TOPOLOGY_H
#define CS_COMPAT_TOPOLOGY_H

#include "slurm.h"

struct cs_switch {
	char *name;	 /* xmalloc()ed */
	uint32_t level;	 /* 0: a leaf, or a base block */
	uint32_t size;	 /* of a block: its nominal nodes */
	bitstr_t *nodes; /* below it */
};

struct cs_switches {
	bool blocks;
	uint32_t n; /* 0: the site has no topology, or an unknown one */
	/* xmalloc()ed; blocks above the base have level 1 */
	struct cs_switch *sw;
};

/* Read locks of conf and node, as both below. */
void cs_switches_read(struct cs_switches *s);
void cs_switches_free(struct cs_switches *s);

/* A number that changes with the result of cs_switches_read(), as long as the nodes
 * stay the same. */
uint64_t cs_switches_mark(void);

/* Does Slurm's test use it for a job without such wishes? */
bool cs_switches_count(void);

/*
 * Does a job of several nodes in @part_ptr follow a topology that cs_switches_read() does
 * not give: the partition's own (25.05), or one of another kind (26.05: ring, torus3d)?
 * The cluster's topology has number 0; a partition may name that, too.
 */
bool cs_compat_part_topology_other(const part_record_t *part_ptr);

#endif
