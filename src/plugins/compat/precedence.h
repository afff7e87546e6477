/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm's sort of the queue puts before tiers of partitions: see precedence.c.  No
 * Slurm types here. */
#ifndef CS_COMPAT_PRECEDENCE_H
#define CS_COMPAT_PRECEDENCE_H

#include <stdbool.h>
#include <stdint.h>

struct cs_precedence {
	uint16_t *level; /* [n] by QOS id; malloc'ed */
	uint32_t n;
	bool by_tier; /* jobs preempt those of lower tiers */
	bool by_qos;  /* ... those whose QOS theirs names */
};

/* Read who may preempt whom; has it changed?  Under the read lock on QOS.  Without memory
 * no job precedes another by its QOS. */
bool cs_precedence_read(struct cs_precedence *p);

/* Of a job in a partition of @tier under @qos (0: none), in a reservation or not: larger
 * ones go first. */
uint32_t cs_precedence_of(const struct cs_precedence *p, uint32_t tier,
			  uint32_t qos, bool reserved);

#endif
