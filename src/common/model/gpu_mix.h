/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which node, and which of its GPUs, a job with GPUs gets, by what jobs ask for at this
 * site.  The theory is in gpu_mix.c.
 */
#ifndef CS_MODEL_GPU_MIX_H
#define CS_MODEL_GPU_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/gpu.h"

struct cs_occ;
struct cs_shape;

#define CS_GPU_MIX 128	      /* different requests that are remembered */
#define CS_GPU_MIX_COUNT 4096 /* requests after which all count half */

/* What a job asks for on one of its nodes. */
struct cs_gpu_request {
	uint32_t cores;
	uint32_t gpus;	/* >= 1 */
	uint32_t share; /* thousandths of each, 1 to CS_GPU_WHOLE */
	uint32_t id;	/* their type; 0: any */
	uint64_t mem_mb;
};

enum cs_gpu_pick { CS_GPU_FRAGMENTS, CS_GPU_BEST, CS_GPU_FIRST };

struct cs_gpu_mix {
	uint32_t pick;	/* enum cs_gpu_pick */
	uint32_t total; /* sum of the counts */
	uint32_t n;
	struct {
		struct cs_gpu_request of;
		uint32_t count;
	} kind[CS_GPU_MIX]; /* [n] */
};

/* Does it prefer some nodes? */
static inline bool cs_gpu_mix_orders(const struct cs_gpu_mix *m)
{
	return m->pick != CS_GPU_FIRST;
}

/* @n >= 1 more jobs ask for @r on a node. */
void cs_gpu_mix_note(struct cs_gpu_mix *m, const struct cs_gpu_request *r,
		     uint32_t n);

/* What is free on a node that has GPUs. */
struct cs_gpu_room {
	const struct cs_gpus *gpus;
	uint32_t cores;
	uint64_t mem_mb;
	uint32_t used[CS_GPUS_MOST]; /* [gpus->n] thousandths of each */
};

/* That of node @n, which has some. */
void cs_gpu_mix_room(const struct cs_occ *o, uint32_t n, struct cs_gpu_room *x);
/* Is the same free on both?  @b->gpus may be NULL: no. */
bool cs_gpu_mix_same_room(const struct cs_gpu_room *a,
			  const struct cs_gpu_room *b);

/* The sum over the requests of @m of their count times what is a fragment for them, in
 * thousandths of a GPU.  O(requests * GPUs). */
int64_t cs_gpu_mix_fragment(const struct cs_gpu_mix *m,
			    const struct cs_gpu_room *x);

/*
 * The GPUs of node @n that a part of a job of shape @s with @cores cores and @mem_mb takes,
 * s->gpus of them (0: they are not free).  By how much the fragment grows into
 * *@ret_more (may be NULL).
 */
uint64_t cs_gpu_mix_take(const struct cs_occ *o, uint32_t n,
			 const struct cs_shape *s, uint32_t cores,
			 uint64_t mem_mb, int64_t *ret_more);

/* The last key, for nodes like the last one; zeroed at first. */
struct cs_gpu_memo {
	const struct cs_gpus *gpus; /* NULL: none yet */
	const uint32_t *used;
	uint32_t cores, procs;
	uint64_t mem_mb;
	uint64_t key;
};

/* Of nodes of equal cost the lowest gets a part of @procs processes of shape @s, which fits
 * there. */
uint64_t cs_gpu_mix_key(const struct cs_occ *o, uint32_t n,
			const struct cs_shape *s, uint32_t procs,
			struct cs_gpu_memo *memo);

#endif
