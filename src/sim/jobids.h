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
	uint32_t *direct; /* [max + 1] index + 1 by id, 0: none; NULL if ids are
			     too scattered */
	uint32_t max;
};

/* 0; -EEXIST: a duplicate id, named in @err; -ENOMEM.  O(n log n) at most, O(n)
 * if ids increase. */
int cs_jobids_init(struct cs_jobids *ret, const struct cs_trace *t,
		   struct cs_err *err);
void cs_jobids_done(struct cs_jobids *ids);

/* Index of job @id, UINT32_MAX: none.  O(log n) at most, O(1) if ids are
 * dense. */
uint32_t cs_jobids_find(const struct cs_jobids *ids, uint32_t id);

#endif
