/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running jobs that one may come beside (joinable.c). */
#ifndef CS_PLACE_JOINABLE_H
#define CS_PLACE_JOINABLE_H

#include "state/pass.h"

/*
 * Running jobs with room beside them, the least delayed first (time lost to
 * sharing so far, then id).  The caller frees the array; NULL: no memory.
 */
struct cs_ejob **cs_join_candidates(const struct cs_engine *e, size_t *ret_n);

/* The same, which the pass keeps until the next start. */
struct cs_ejob **cs_joinable_jobs(struct cs_pass *p, size_t *ret_n);
/* The machine has changed: what was derived from it is no longer true. */
void cs_joinable_forget(struct cs_pass *p);

#endif
