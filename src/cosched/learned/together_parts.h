/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that learn from a history; rules are in together.c. */
#ifndef CS_COSCHED_LEARNED_TOGETHER_PARTS_H
#define CS_COSCHED_LEARNED_TOGETHER_PARTS_H

#include "common/base/idmap.h"
#include "learned/together.h"

struct cs_together_held {
	struct cs_kin kin;
	int64_t start_us, end_us, run_us;
	uint32_t place, n_place; /* of the store's place[] */
	uint32_t cpus;
	uint32_t live; /* scratch of the sweep */
	bool teaches;
};

struct cs_together {
	int64_t since_us;
	uint32_t threads, cores;
	struct cs_together_counts counts;
	struct cs_together_held *job; /* [n_job] */
	size_t n_job, cap_job;
	uint32_t *place; /* [n_place] node of a job */
	size_t n_place, cap_place;
	struct cs_idmap nodes; /* hash of the name -> number + 1 */
	uint32_t n_node;
};

#endif
