/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The synthetic workloads wl1 to wl5; mix.c has their rules. */
#ifndef CS_PROCSIM_MIX_H
#define CS_PROCSIM_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "procsim/setting.h"

#define CS_MIX_NAMES "wl1, wl2, wl3, wl4, wl5"

/* A job to come. */
struct cs_mix_job {
	int64_t arrive_ns;
	uint32_t size;	/* nodes, one process each */
	uint32_t loops; /* >= 1 */
	unsigned type;	/* 0 to 3: J1 to J4 */
	bool all_to_all;
	double compute_ns, io_ns; /* of a loop, before skew */
	int64_t alone_ns;	  /* its loops' sum on idle nodes */
};

/* Is @name a workload, is @name a load? */
bool cs_mix_is_workload(const char *name);
bool cs_mix_is_load(const char *name);

/* One-way latency of a message. */
int64_t cs_mix_latency_ns(const struct cs_setting *s);

/*
 * Draw s->jobs jobs in order of arrival: the same for every scheme.  @workload and @load
 * are names for which cs_mix_is_...() is true.  The caller frees the result; NULL: no
 * memory.
 */
struct cs_mix_job *cs_mix_draw(const struct cs_setting *s, const char *workload,
			       const char *load, uint64_t seed);

#endif
