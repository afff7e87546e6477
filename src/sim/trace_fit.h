/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Could the empty machine hold a job of a trace with its GPUs and nodes?
 *
 *  1. Parts of GPUs (gpu_share) are on one node, which holds the whole job.
 *  2. Whole GPUs, and processes, are in equal parts on N nodes, of which each holds the
 *     largest part.  N is the trace's number of nodes, or any; at least as many as the GPUs
 *     need where each node has the most of their type.
 *  3. Without GPUs, on N nodes, the N largest hold all processes.
 *  4. There are at least as many processes as nodes.
 */
#ifndef CS_TRACE_FIT_H
#define CS_TRACE_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/model/machine.h"
#include "trace.h"

struct cs_trace_fit;

/* Of the nodes of @m, which stays the caller's.  NULL: no memory.  O(nodes x kinds). */
struct cs_trace_fit *cs_trace_fit_create(const struct cs_machine *m);
void cs_trace_fit_free(struct cs_trace_fit *f);

/* The type of its GPUs is named in @names (may be NULL).  O(kinds), or, if the job fits on
 * no nodes, that times its processes. */
bool cs_trace_fits(const struct cs_trace_fit *f,
		   const struct cs_trace_names *names,
		   const struct cs_trace_job *j);

/* The fewest nodes of @m that have @gpus GPUs of type @gpu_id (gpu.h) if each has as many as
 * the node that has most; at least 1. */
uint32_t cs_trace_fit_least(const struct cs_machine *m, uint32_t gpus,
			    uint32_t gpu_id);

#endif
