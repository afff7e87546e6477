/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a job waits, in words that its reader may read.
 */
#ifndef CS_SCHED_APPLY_REASON_H
#define CS_SCHED_APPLY_REASON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sched/feed/adapter_state.h"

struct cs_reader {
	const struct cs_adapter *b;
	uid_t uid;
	bool privileged;
};

/* "job 12_3" as in squeue, if it is a task. */
void cs_reason_call_job(const struct cs_known_job *k, const char *before,
			char *buf, size_t size);

/* For a cs_audience, @arg a cs_reader.  PrivateData=jobs: other users' jobs have no
 * id. */
bool cs_reason_name_job(void *arg, uint32_t id, char *buf, size_t size);

/* For a cs_audience: "14:30", the host's time of day. */
bool cs_reason_clock(int64_t at_us, bool seconds, char *buf, size_t size);

/* What keeps it waiting, as Slurm has it; NULL: nothing that the engine does not tell. */
const char *cs_reason_kept(const struct cs_known_job *k);
/* The same, but of a begin time to come, which the engine tells. */
const char *cs_reason_kept_beside(const struct cs_known_job *k, int64_t now_us);

/* Until when it waits because slurmctld has just started (feed.c, rule 8), and for no
 * other reason; 0: it does not. */
int64_t cs_reason_settles_us(const struct cs_known_job *k);

/* Mode shadow: would the last decide have started it? */
bool cs_reason_would(const struct cs_adapter *b, const struct cs_known_job *k);

/* cs_explain_reason() in words that the job's owner may read. */
int cs_reason(const struct cs_adapter *b, uint32_t id, char *buf, size_t size);

#endif
