/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The waiting jobs in numbers. */
#ifndef CS_SCHED_ADAPTER_QUEUE_REPLY_H
#define CS_SCHED_ADAPTER_QUEUE_REPLY_H

#include <json-c/json.h>

#include "sched/feed/adapter_state.h"

/* Jobs that wait, as squeue -r counts them, and of these the blocked ones (@ret_blocked,
 * may be NULL).  O(jobs). */
int64_t cs_queue_reply_waiting(const struct cs_adapter *b,
			       int64_t *ret_blocked);

/* The same by partition, user and Slurm's reason: a list of objects with these and `jobs`;
 * empty without memory. */
struct json_object *cs_queue_reply(const struct cs_adapter *b);

#endif
