/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "alloc" of a log line: which cores a job holds on which nodes, as written.
 *
 *	{"0-7":"0,2", "9,11":"0-3"}
 *
 * A key is a list of node indexes, its value a list of core indexes used on each of
 * them.  The ranges are kept as written, so the size is bounded by the line's, whatever
 * the machine; callers that know the machine check that these nodes and cores exist.
 */
#ifndef CS_LOG_LOG_ALLOC_H
#define CS_LOG_LOG_ALLOC_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct cs_range {
	uint32_t first, last; /* first <= last */
};

/* Nodes of one range and the cores used on each. */
struct cs_log_part {
	struct cs_range nodes;
	size_t core;   /* its first range in the alloc's `core` ... */
	size_t n_core; /* ... and how many, >= 1 */
};

struct cs_log_alloc {
	size_t n_part, n_core;
	size_t room_part, room_core;
	struct cs_log_part *part; /* [room_part], disjoint, increasing */
	struct cs_range *core;	  /* [room_core], increasing within a part, and
				     never two that touch */
};

/*
 * Read "3,5-8" into a new array of increasing ranges with gaps between.  0; -EINVAL: no
 * such list (@what names it in @err), or an empty one; -ENOMEM.
 */
int cs_log_ranges_read(const char *text, const char *what,
		       struct cs_range **ret_range, size_t *ret_n,
		       struct cs_err *err);

/* Read numbers of GPUs, "0,2-3", into the set *ret; "" is the empty set.  0; -EINVAL: no such
 * list, or a number of CS_GPUS_MOST or more; -ENOMEM. */
int cs_log_gpus_read(const char *text, uint64_t *ret, struct cs_err *err);

/* *ret_alloc becomes the caller's.  0; -EINVAL, -ENOMEM. */
int cs_log_alloc_read(struct json_object *o, struct cs_log_alloc **ret_alloc,
		      struct cs_err *err);

/* Do both name the same cores on the same nodes, however written?  O(ranges) */
bool cs_log_alloc_equal(const struct cs_log_alloc *a,
			const struct cs_log_alloc *b);

void cs_log_alloc_free(struct cs_log_alloc *a);

#endif
