/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When licences are free.  The theory is in licence.c.
 */
#ifndef CS_MODEL_LICENCE_H
#define CS_MODEL_LICENCE_H

#include <stddef.h>
#include <stdint.h>

#define CS_LICENCE_KINDS 64 /* most kinds in one table */

/* What a job needs of each kind while it runs: [n], each kind once. */
struct cs_licence_need {
	uint32_t kind, n;
};

struct cs_licence_step { /* from at_us on there are that many more, or fewer */
	int64_t at_us;
	uint32_t kind;
	int64_t more;
};

struct cs_licences {
	uint32_t n_kind;
	int64_t free[CS_LICENCE_KINDS]; /* before the first step */
	struct cs_licence_step *step; /* [n], in the order of time when sorted */
	size_t n, cap;
	size_t sorted; /* that many are sorted */
};

/* @l is zeroed, with n_kind and free set. */
void cs_licences_done(struct cs_licences *l);
/* @need [n] are taken from @from_us (INT64_MIN: they are in use) until @until_us.  0,
 * -ENOMEM: none are. */
int cs_licences_take(struct cs_licences *l, const struct cs_licence_need *need,
		     uint32_t n, int64_t from_us, int64_t until_us);
/* The first instant from @from_us on at which @need [n] are free for @run_us;
 * CS_TIME_NONE.  O(steps), the first time O(steps log steps). */
int64_t cs_licences_find(struct cs_licences *l,
			 const struct cs_licence_need *need, uint32_t n,
			 int64_t from_us, int64_t run_us);

#endif
