/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GPUs that the jobs of an event log hold (check_state.h, rule 13). */
#ifndef CS_COSCHED_CHECK_CHECK_GPUS_H
#define CS_COSCHED_CHECK_CHECK_GPUS_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/model/machine.h"

/* All zero: a machine without GPUs. */
struct cs_check_gpus {
	uint32_t n_node, most; /* most: of a node */
	uint32_t *has;	       /* [n_node] */
	uint32_t *used;	       /* [n_node][most] thousandths */
};

/* What one job holds: of each of these nodes the same set. */
struct cs_check_gpu_part {
	uint32_t first, last;
	uint64_t set;
};

/* What it asks for. */
struct cs_check_gpu_ask {
	uint32_t node, all; /* GPUs on each of its nodes, or in all */
	uint32_t share;	    /* thousandths of each; 0: all */
	bool nodes_whole;   /* its nodes, whose other GPUs it may hold, too */
};

struct cs_check_gpu_hold {
	uint32_t share; /* thousandths of each */
	size_t n;
	struct cs_check_gpu_part *part; /* [n] owned */
};

/* 0, -ENOMEM. */
int cs_check_gpus_init(struct cs_check_gpus *g, const struct cs_machine *m);
void cs_check_gpus_done(struct cs_check_gpus *g);

/* Node @n has as many as @now from now on.  0; -EINVAL: more than any had. */
int cs_check_gpus_become(struct cs_check_gpus *g, uint32_t n,
			 const struct cs_node *now, struct cs_err *err);

/*
 * The job @job takes those of "node_gpus" of the line @line, @share thousandths of each (0:
 * all), into @ret.  0; -EINVAL: they are not there, or jobs hold too much of one: it then
 * holds none; -ENOMEM.
 */
int cs_check_gpus_take(struct cs_check_gpus *g, struct json_object *line,
		       uint32_t job, uint32_t share,
		       struct cs_check_gpu_hold *ret, struct cs_err *err);
/* Are the GPUs of @h, on @nodes nodes of the job @job, as many as it asks for, or more
 * where it asks for nodes_whole?  0, -EINVAL.
 * O(what it holds). */
int cs_check_gpus_enough(const struct cs_check_gpu_hold *h, uint64_t nodes,
			 const struct cs_check_gpu_ask *asks, uint32_t job,
			 struct cs_err *err);
/* It holds none any more. */
void cs_check_gpus_give(struct cs_check_gpus *g, struct cs_check_gpu_hold *h);

#endif
