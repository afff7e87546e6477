/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs of a trace by their ids. */
#ifndef CS_JOBIDS_H
#define CS_JOBIDS_H

#include <stddef.h>
#include <stdint.h>

#include "trace.h"

struct cs_jobid {
	uint32_t id;
	uint32_t job; /* index into the trace */
};

struct cs_jobids {
	struct cs_jobid *sorted; /* [n] by id */
	size_t n;
	uint32_t *direct; /* [max + 1] index + 1 by id, 0: none; NULL where the
			     ids are too scattered for it */
	uint32_t max;
};

/* 0; -EEXIST: an id stands there twice, @err says which; -ENOMEM.  O(n log n)
 * at most, O(n) where ids increase. */
int cs_jobids_init(struct cs_jobids *ret, const struct cs_trace *t,
		   struct cs_err *err);
void cs_jobids_done(struct cs_jobids *ids);

/* Index of job @id, UINT32_MAX: none.  O(log n) at most, O(1) where ids are
 * dense. */
uint32_t cs_jobids_find(const struct cs_jobids *ids, uint32_t id);

#endif
