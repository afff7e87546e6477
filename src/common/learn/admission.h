/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may share with whom, by what was learned: the fit of a history as a table that
 * the engine asks (struct cs_learned of profile/slowdown.h).
 *
 * It is made anew after some runs, never for a submit; between two it does not change.
 * Theory: admission.c.
 */
#ifndef CS_LEARN_ADMISSION_H
#define CS_LEARN_ADMISSION_H

#include "learn/past.h"
#include "profile/slowdown.h"

#define CS_ADMISSION_KINDS 128 /* that are told apart at most */
#define CS_ADMISSION_LEVEL .95 /* of bounds, where nothing else is said */
#define CS_ADMISSION_PAIRS 19  /* that have to have met for one of that level */

struct cs_admission;

/* For pairs whose bound holds with @level (0 to 1).  NULL: no memory. */
struct cs_admission *cs_admission_create(double level);
void cs_admission_free(struct cs_admission *a);

/* Are there so many new runs in @h that it should be made anew? */
bool cs_admission_due(const struct cs_admission *a, const struct cs_past *h);
/* Make it anew.  O(runs * 11 fits + kinds^2): doc/admin/profiles.md has the time. */
void cs_admission_make(struct cs_admission *a, const struct cs_past *h,
		       int64_t now_us);

/* Borrowed, and the same one always. */
const struct cs_learned *cs_admission_table(const struct cs_admission *a);
/* A kind's place in the table; -1: too little is known of it. */
int cs_admission_find(const struct cs_admission *a, uint64_t kind);

/* Of a kind of the table. */
struct cs_admission_kind {
	uint64_t key;
	double self;	   /* time on full nodes over spread and alone */
	uint32_t partners; /* it was seen with */
	uint32_t runs;	   /* beside somebody, or spread */
};
struct cs_admission_kind cs_admission_kind(const struct cs_admission *a,
					   int kind);

/* Of @of beside @beside, two of the table: times over those alone on full nodes. */
struct cs_admission_pair {
	double mean;
	double bound; /* at the level; 0: there is none */
	uint32_t runs;
};
struct cs_admission_pair cs_admission_pair(const struct cs_admission *a, int of,
					   int beside);
/* The number of pairs that the bound rests on. */
size_t cs_admission_seen(const struct cs_admission *a);

#endif
