/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GPUs (gres/gpu) of nodes, and of jobs: what they ask for and what they hold.
 *
 * Slurm numbers the devices of a node by the order of gres.conf; the machine numbers them
 * type by type (model/gpu.h).
 */
#ifndef CS_COMPAT_GRES_H
#define CS_COMPAT_GRES_H

#include "compat/slurm.h"

#include <stdbool.h>
#include <stdint.h>

#include "common/model/gpu.h"

enum cs_gres_kind {
	CS_GRES_NONE,	/* the node has no GPU */
	CS_GRES_PLAIN,	/* GPUs of which each job holds whole ones */
	CS_GRES_BEYOND, /* GPUs beyond the model: without files, shared by MPS or
			   shards, not consumed, more than CS_GPUS_MOST, or of more
			   than CS_GPU_KINDS types */
};

/*
 * The GPUs of @node_ptr by type, if CS_GRES_PLAIN, and the machine's number of each of
 * Slurm's devices; else both stay as they are.  Of a node that has not registered yet the configuration says how many
 * there are.  Read locks on nodes.
 */
enum cs_gres_kind cs_gres_node(const node_record_t *node_ptr,
			       struct cs_gpus *ret,
			       uint8_t ret_number[CS_GPUS_MOST]);

/* Slurm's numbers, as bits, of the devices that @job_ptr holds on its @i-th node. */
uint64_t cs_gres_held(const job_record_t *job_ptr, uint32_t i);

/* GPUs that a job asks for on each of its nodes. */
struct cs_gres_ask {
	uint32_t per_node;
	const char *type; /* NULL: any; valid as long as the record */
	/* CPUs and memory (MB) that a node gives for each; 0: what the job asks for
	 * otherwise */
	uint32_t cpus;
	uint64_t mem_mb;
};

/*
 * Does @job_ptr ask for GPUs in a form that says how many each node gives: --gres and
 * --gpus-per-node; --gpus for one node; --gpus-per-task for one node, or with
 * --ntasks-per-node?  Only one type, no other generic resource, no tasks counted by GPU,
 * CPUs and memory by GPU (also DefCpuPerGPU, DefMemPerGPU) alike in all of its partitions,
 * and neither --gres-flags=enforce-binding nor disable-binding.
 */
bool cs_gres_asks(const job_record_t *job_ptr, struct cs_gres_ask *ret);

/* Does it ask for generic resources in another form, or for other ones? */
bool cs_gres_beyond(const job_record_t *job_ptr);

#endif
