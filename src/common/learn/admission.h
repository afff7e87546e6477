/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kinds may share nodes, as learned: the fit of a history, as a table that the
 * engine reads (struct cs_learned of profile/slowdown.h).
 *
 * It is rebuilt after a number of runs, never at a submit, and is constant in between.
 * Theory: admission.c.
 */
#ifndef CS_LEARN_ADMISSION_H
#define CS_LEARN_ADMISSION_H

#include "learn/fit.h"
#include "learn/past.h"
#include "profile/slowdown.h"

#define CS_ADMISSION_KINDS 128 /* kinds in the table, at most */
#define CS_ADMISSION_LEVEL .95 /* of bounds, by default */

struct cs_admission;

/* Bounds of pairs shall hold with probability @level (0 to 1).  NULL: no memory. */
struct cs_admission *cs_admission_create(double level);
void cs_admission_free(struct cs_admission *a);

/* Has @h enough new runs to rebuild the table? */
bool cs_admission_due(const struct cs_admission *a, const struct cs_past *h);
/* Rebuild the table.  O(runs * 11 fits + kinds^2): doc/admin/profiles.md has the
 * time. */
void cs_admission_make(struct cs_admission *a, const struct cs_past *h,
		       int64_t now_us);

/* Borrowed; the pointer never changes. */
const struct cs_learned *cs_admission_table(const struct cs_admission *a);
/* A kind's index in the table; -1: too little is known of it. */
int cs_admission_find(const struct cs_admission *a, uint64_t kind);

/* A kind of the table. */
struct cs_admission_kind {
	uint64_t key;
	double self;	   /* time on full nodes over time spread, both alone */
	uint32_t partners; /* different kinds it ran beside */
	uint32_t runs;	   /* beside another job, or spread */
};
struct cs_admission_kind cs_admission_kind(const struct cs_admission *a,
					   int kind);

/* @of beside @beside, both of the table: times relative to alone on full nodes. */
struct cs_admission_pair {
	double mean;
	double bound; /* at the level; 0: none */
	uint32_t runs;
};
struct cs_admission_pair cs_admission_pair(const struct cs_admission *a, int of,
					   int beside);
/* What a run that ended says of the promise to it (admission.c, rule 6). */
struct cs_admission_verdict {
	uint64_t beside; /* the kind that it was beside; 0: it says nothing */
	double slowdown; /* that its time comes to */
	bool broken;	 /* beyond @most, by more than runs vary */
};
struct cs_admission_verdict cs_admission_judge(const struct cs_admission *a,
					       const struct cs_past *h,
					       const struct cs_ended *r,
					       double most);
/* Is the pair admitted, both ways? */
bool cs_admission_promised(const struct cs_admission *a, uint64_t of,
			   uint64_t beside, double most);
/* Raise the bounds of pairs whose broken promise stands. */
void cs_admission_refuse(struct cs_admission *a, const struct cs_past *h,
			 int64_t now_us);

/* How many pairs the bound rests on. */
size_t cs_admission_seen(const struct cs_admission *a);

#endif
