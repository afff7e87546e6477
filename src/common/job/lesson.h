/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ended jobs reveal of each other, and which pairs are tried to learn more
 * (lesson.c).  With learn=off e->lessons is NULL and these functions do nothing.
 */
#ifndef CS_JOB_LESSON_H
#define CS_JOB_LESSON_H

#include "learn/admission.h"
#include "learn/past.h"
#include "state/state.h"

struct cs_lesson_trail;

struct cs_lessons {
	struct cs_past *past;
	struct cs_admission *admission;
	double credit_us; /* running time available for trials */
	int64_t at_us;	  /* when that was computed */
	uint32_t trials;  /* running jobs in a trial */
	uint64_t tried;	  /* jobs ever in one */
	uint64_t made;	  /* tables built */
	bool broke;	  /* a promise, since the table was last looked at */
	struct cs_lesson_trail *trail; /* [n_trail] of jobs not yet seen again
					  (lesson_keep.c) */
	uint32_t n_trail;
};

/* In struct cs_ejob. */
struct cs_lesson {
	struct cs_kin kin;
	int64_t alone_us; /* its time alone, as learned: a trial of it measures; 0: not
			     known */
	bool seen;	  /* its neighbours were looked at, ... */
	bool spoiled; /* ... and too many were, or one did not run yet */
	bool trial, trial_alone;
	int64_t ran_us; /* running time accounted for */
	int64_t late_us; /* ... but for this, before the first look: with those who
			    are there when time goes on */
	uint64_t beside;
	uint32_t n;
	struct cs_run_part part[CS_PAST_PARTS];
};

/* 0, -ENOMEM. */
int cs_lesson_init(struct cs_engine *e);
void cs_lesson_done(struct cs_engine *e);
/* What was learned, as that of the types of nodes that are there now; there are
 * lessons.  O(nodes). */
struct cs_past *cs_lesson_past(const struct cs_engine *e);
/* Time has advanced to e->now_us. */
void cs_lesson_clock(struct cs_engine *e);

/* @j is new, or its description has changed. */
void cs_lesson_describe(struct cs_engine *e, struct cs_ejob *j);
/* Jobs on nodes of @a have changed: update every job's neighbours there.  O(jobs per
 * node * jobs on the nodes of @a). */
void cs_lesson_neighbours(struct cs_engine *e, const struct cs_alloc *a);
/* @j begins now (CS_EV_BEGIN): its run until now was none. */
void cs_lesson_begun(struct cs_engine *e, struct cs_ejob *j);
/* @j, off its nodes, has ended: record its run, unless it @failed. */
void cs_lesson_ended(struct cs_engine *e, struct cs_ejob *j, bool failed);
/* It waits again, or is gone: forget its run. */
void cs_lesson_drop(struct cs_engine *e, struct cs_ejob *j);
/* After jobs ended: rebuild the table, if due. */
void cs_lesson_learn(struct cs_engine *e);

/* Could two jobs of these kinds share with luck, by what was learned?  O(1). */
bool cs_lesson_hopes(const struct cs_engine *e, struct cs_who a,
		     struct cs_who b);
/* May the two, which may not share by what is known, start as a trial? */
bool cs_lesson_may_try(const struct cs_engine *e, const struct cs_ejob *a,
		       const struct cs_ejob *b);
/* Is @j, of a learned kind, faster spread and alone?  *ret_trial: only by the
 * optimistic guess. */
bool cs_lesson_spread(const struct cs_engine *e, const struct cs_ejob *j,
		      bool *ret_trial);
/* @j starts spread and alone as a trial. */
void cs_lesson_try_spread(struct cs_engine *e, struct cs_ejob *j);

/* All that was learned, then the record of each running job, one line each. */
void cs_lesson_write(const struct cs_engine *e, struct cs_textbuf *t);
/* Is it a record of a running job?  Read it; resume @j's record, at the first look at
 * @j, if there is one. */
bool cs_lesson_is_trail(const char *line);
int cs_lesson_read_trail(struct cs_engine *e, const char *line,
			 struct cs_err *err);
bool cs_lesson_go_on(struct cs_engine *e, struct cs_ejob *j);
/* Read a line of either kind (CS_EV_KEPT).  0, -EINVAL, -ENOMEM. */
int cs_lesson_read(struct cs_engine *e, const char *line, struct cs_err *err);

/* The learned bound on the slowdown of @of beside @beside, 0: none; and how many runs
 * of this very pair count. */
double cs_lesson_bound(const struct cs_engine *e, const struct cs_ejob *of,
		       const struct cs_ejob *beside);
uint32_t cs_lesson_runs(const struct cs_engine *e, const struct cs_ejob *of,
			const struct cs_ejob *beside);

/* Which pair broke its promise last, in words, as snprintf; -ENOENT: none. */
int cs_lesson_broken(const struct cs_engine *e, char *buf, size_t size);
/* O(kinds^2). */
struct cs_lessons_now cs_lesson_now(const struct cs_engine *e);

/* 0, or -EINVAL with the first breach in @err. */
int cs_lesson_check(const struct cs_engine *e, struct cs_err *err);

#endif
