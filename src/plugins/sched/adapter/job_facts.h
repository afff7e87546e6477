/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm's records say of a waiting job that the engine does not hold. */
#ifndef CS_SCHED_ADAPTER_JOB_FACTS_H
#define CS_SCHED_ADAPTER_JOB_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/textbuf.h"

struct cs_job_facts {
	int64_t deadline_s; /* --deadline, since 1970; 0: none */
	int64_t start_by_s; /* Slurm cancels it if it has not started then; 0: never */
	bool no_limit;	 /* neither it nor its partition has a time limit */
	bool no_nodes;	 /* its partitions have no node yet */
	bool more_nodes; /* more may register there (dynamic nodes) */
	char away[384]; /* nodes of -w that take no job: "n2 (drained: test), n3 (down)" */
};

/* Those of job @id, all unset if it does not wait.  Takes Slurm's read locks. */
void cs_job_facts(uint32_t id, struct cs_job_facts *ret);

/* A line each, as explain has them; @start_s: its planned start, 0: none. */
void cs_job_facts_say(const struct cs_job_facts *f, int64_t start_s,
		      struct cs_textbuf *t);

#endif
