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
bool cs_reason_clock(int64_t at_us, char *buf, size_t size);

/* cs_explain_reason() in words that the job's owner may read. */
int cs_reason(const struct cs_adapter *b, uint32_t id, char *buf, size_t size);

#endif
