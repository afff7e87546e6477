/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What jobs tell of each other when they end, and which pairs are tried for that
 * (lesson.c).  With learn=off e->lessons is NULL and all of this does nothing.
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
	double credit_us; /* running time that may go into trials */
	int64_t at_us;	  /* it is of that instant */
	uint32_t trials;  /* running jobs that are in one */
	uint64_t tried;	  /* jobs that ever were */
	uint64_t made;	  /* tables */
	struct cs_lesson_trail *trail; /* [n_trail] of jobs that have not come
					  back yet (lesson_keep.c) */
	uint32_t n_trail;
};

/* In struct cs_ejob. */
struct cs_lesson {
	struct cs_kin kin;
	bool ready; /* its time alone is known: what it does beside others tells */
	bool seen;    /* somebody has looked who is beside it, ... */
	bool spoiled; /* ... and too many were */
	bool trial, trial_alone;
	int64_t ran_us; /* running time that is told of */
	uint64_t beside;
	uint32_t n;
	struct cs_run_part part[CS_PAST_PARTS];
};

/* 0, -ENOMEM. */
int cs_lesson_init(struct cs_engine *e);
void cs_lesson_done(struct cs_engine *e);
/* Time went on, to e->now_us. */
void cs_lesson_clock(struct cs_engine *e);

/* @j is new, or is described otherwise. */
void cs_lesson_describe(struct cs_engine *e, struct cs_ejob *j);
/* Somebody came to nodes of @a or left: who is beside whom now?
 * O(jobs a node * jobs on the nodes of @a). */
void cs_lesson_neighbours(struct cs_engine *e, const struct cs_alloc *a);
/* @j, off its nodes, has ended: it tells. */
void cs_lesson_ended(struct cs_engine *e, struct cs_ejob *j);
/* It waits again, or is gone: it tells nothing. */
void cs_lesson_drop(struct cs_engine *e, struct cs_ejob *j);
/* After jobs ended: a new table, if one is due. */
void cs_lesson_learn(struct cs_engine *e);

/* May the two, which may not share by what is known, be tried? */
bool cs_lesson_may_try(const struct cs_engine *e, const struct cs_ejob *a,
		       const struct cs_ejob *b);
/* Is @j, of a kind that was learned, faster when spread and alone?  Where that is to
 * be tried, *ret_trial. */
bool cs_lesson_spread(const struct cs_engine *e, const struct cs_ejob *j,
		      bool *ret_trial);
/* @j starts spread and alone for that. */
void cs_lesson_try_spread(struct cs_engine *e, struct cs_ejob *j);

/* All that was learned, and what running jobs have to tell, a line each. */
void cs_lesson_write(const struct cs_engine *e, struct cs_textbuf *t);
/* One of the latter?  Read it; @j, looked at first, goes on where it was. */
bool cs_lesson_is_trail(const char *line);
int cs_lesson_read_trail(struct cs_engine *e, const char *line,
			 struct cs_err *err);
void cs_lesson_go_on(struct cs_engine *e, struct cs_ejob *j);
/* A line of either (CS_EV_KEPT).  0, -EINVAL, -ENOMEM. */
int cs_lesson_read(struct cs_engine *e, const char *line, struct cs_err *err);

/* What @of suffers beside @beside at most by what was learned, 0: nobody can say; and
 * how many runs of just these two count. */
double cs_lesson_bound(const struct cs_engine *e, const struct cs_ejob *of,
		       const struct cs_ejob *beside);
uint32_t cs_lesson_runs(const struct cs_engine *e, const struct cs_ejob *of,
			const struct cs_ejob *beside);

/* O(kinds^2). */
struct cs_lessons_now cs_lesson_now(const struct cs_engine *e);

/* 0, or -EINVAL with the first breach in @err. */
int cs_lesson_check(const struct cs_engine *e, struct cs_err *err);

#endif
