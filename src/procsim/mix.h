/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workloads wl1 to wl5, of synthetic jobs, and those of NPB's programs; mix.c has the
 * rules. */
#ifndef CS_PROCSIM_MIX_H
#define CS_PROCSIM_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "procsim/npb.h"
#include "procsim/setting.h"

#define CS_MIX_NAMES "wl1, wl2, wl3, wl4, wl5, bt, mg, ft, is, cg, mix"

#define CS_MIX_TYPES (4 + CS_NPB_COUNT)

/* A job to come. */
struct cs_mix_job {
	int64_t arrive_ns;
	uint32_t size;	/* nodes, one process each */
	uint32_t loops; /* >= 1 */
	unsigned type;	/* 0 to 3: J1 to J4; 4 to 8: NPB's programs */
	bool all_to_all;
	double compute_ns, io_ns; /* of a loop, before skew */
	int64_t alone_ns;	  /* its loops' sum on idle nodes */
	/* Latencies of its messages by size, and the size of each loop, again and again;
	 * n_cycle is 0: messages have message_bytes. */
	uint8_t n_cycle, cycle[CS_NPB_CYCLE_MAX];
	int64_t latency_ns[CS_NPB_SIZES];
};

/* Is @name a workload, is @name a load? */
bool cs_mix_is_workload(const char *name);
bool cs_mix_is_load(const char *name);

/* One-way latency of a message of @bytes. */
int64_t cs_mix_latency_ns(const struct cs_setting *s, double bytes);

/* Peers of a process, to which it sends in a loop. */
uint32_t cs_mix_peers(const struct cs_mix_job *j);

/*
 * Draw s->jobs jobs in order of arrival: the same for every scheme.  @workload and @load
 * are names for which cs_mix_is_...() is true.  The caller frees the result; NULL: no
 * memory.
 */
struct cs_mix_job *cs_mix_draw(const struct cs_setting *s, const char *workload,
			       const char *load, uint64_t seed);

#endif
