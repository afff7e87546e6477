/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running jobs that another may join (joinable.c). */
#ifndef CS_PLACE_JOINABLE_H
#define CS_PLACE_JOINABLE_H

#include "state/pass.h"

/*
 * Running jobs with room beside them, the least delayed first (time lost to
 * sharing so far, then id).  The caller frees the array; NULL: no memory.
 */
struct cs_ejob **cs_join_candidates(const struct cs_engine *e, size_t *ret_n);

/* The same, kept by the pass until the next start. */
struct cs_ejob **cs_joinable_jobs(struct cs_pass *p, size_t *ret_n);
/* Those whose slowdowns are known, or not, in the same way (cs_match_known()). */
struct cs_alike {
	struct cs_who who;    /* of one of them */
	struct cs_ejob **job; /* [n] */
	size_t n;
};
/* All of them, by what is known, in any order; kept as the others are.  *ret_n: kinds.
 * NULL: no memory. */
const struct cs_alike *cs_joinable_alike(struct cs_pass *p, size_t *ret_n);

/* The machine has changed: discard what was derived from it. */
void cs_joinable_forget(struct cs_pass *p);

#endif
