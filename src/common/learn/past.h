/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is kept of jobs that have ended: whose they were, how long they ran, and who was
 * beside them meanwhile.
 *
 * A kind is a user and a job name; a group is a kind with its partition, its size and
 * the order of magnitude of its limit, or with all limits.  Runs of one group do the
 * same work, as far as can be told; what a neighbour costs is taken for the same over a
 * kind.  Theory, bounds of memory and who is forgotten: past.c.
 *
 * Pure: integers in, integers kept, so that state that was written is state that is
 * read.  Strings are hostile and are only hashed, and shown with '?' for what is not
 * a printable ASCII letter.
 */
#ifndef CS_LEARN_PAST_H
#define CS_LEARN_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/textbuf.h"

#define CS_PAST_KINDS 512
#define CS_PAST_GROUPS 2048
#define CS_PAST_RUNS 1024
#define CS_PAST_ALONE 9	    /* runs alone that a group keeps */
#define CS_PAST_PARTS 6	    /* neighbours that a run keeps, one after another */
#define CS_PAST_NAME 64	    /* bytes of "user/name", with its 0 */
#define CS_PAST_LINE 512    /* bytes of a line of state, with its 0 */
#define CS_PAST_ALONE_MIN 3 /* runs alone that make a time alone known */

/* Neighbours that are no kind. */
#define CS_BESIDE_FULL 0   /* none, on all the cores that it can use */
#define CS_BESIDE_NOBODY 1 /* none, on a part of the cores of its nodes */

/* Who a job is, as far as it can be told from others. */
struct cs_kin {
	uint64_t user;
	uint64_t kind;	   /* > CS_BESIDE_NOBODY */
	uint64_t group[2]; /* with limits of its size; with all */
	char name[CS_PAST_NAME];
};

/* Any string may be NULL.  @limit_us > 0. */
void cs_kin_make(struct cs_kin *k, const char *user, const char *name,
		 const char *partition, uint32_t procs, int64_t limit_us);

struct cs_run_part {
	uint64_t beside; /* a kind, or one of the above */
	int64_t us;
};

/* A job that has ended. */
struct cs_ended {
	const struct cs_kin *kin;
	int64_t t_us;	/* its end */
	int64_t ran_us; /* without suspensions */
	uint32_t n_part;
	struct cs_run_part part[CS_PAST_PARTS]; /* they last ran_us together */
};

struct cs_kind {
	uint64_t key; /* 0: a free place */
	uint64_t user;
	int64_t last_us; /* its last end */
	uint64_t ended;	 /* runs that were told, ever */
	uint32_t runs;	 /* scratch of past.c: it has among the runs */
	char name[CS_PAST_NAME];
};

struct cs_group {
	uint64_t key, kind, user;
	int64_t last_us;
	uint32_t n, next; /* of alone, a ring */
	struct {
		int64_t t_us, us;
	} alone[CS_PAST_ALONE];
};

struct cs_run {
	uint64_t kind, group[2];
	int64_t t_us, us;
	uint32_t n_part;
	struct cs_run_part part[CS_PAST_PARTS];
};

struct cs_past {
	uint64_t machine; /* a number of the types of nodes it was learned on */
	int64_t half_life_us;
	int64_t least_us; /* the shortest run that teaches anything; a minute */
	uint64_t told;	  /* runs that have taught something since it began */
	size_t n_kind, n_group, n_run;
	struct cs_kind kind[CS_PAST_KINDS];    /* [n_kind] */
	struct cs_group group[CS_PAST_GROUPS]; /* [n_group] */
	struct cs_run run[CS_PAST_RUNS];       /* [n_run], oldest first */
	struct cs_past *reading; /* state that is being read; NULL */
	uint64_t sum;		 /* of its lines so far */
	uint64_t lines;
};

/* NULL: no memory. */
struct cs_past *cs_past_create(uint64_t machine, int64_t half_life_us);
void cs_past_free(struct cs_past *h);

/*
 * A job has ended.  False: it teaches nothing (too short, a time that cannot be, parts
 * that do not make up its time).  O(kinds + groups + runs).
 */
bool cs_past_ended(struct cs_past *h, const struct cs_ended *r);

/* What is known of the time that a job takes alone on full nodes. */
struct cs_alone {
	double ln_us; /* ln of it in microseconds */
	double base;  /* variance of that */
	double noise; /* variance of ln time from run to run */
	uint32_t runs;
};

/* By the one of its groups that knows it best.  False: too few runs alone.
 * O(groups). */
bool cs_past_alone(const struct cs_past *h, const uint64_t group[2],
		   int64_t now_us, struct cs_alone *ret);

/* Is it known of any group of that kind?  O(groups). */
bool cs_past_known(const struct cs_past *h, uint64_t kind, int64_t now_us);

/* What counts of a run that ended at @t_us: 2^(-age / half-life), at most 1. */
double cs_past_weight(const struct cs_past *h, int64_t t_us, int64_t now_us);

const struct cs_kind *cs_past_kind(const struct cs_past *h, uint64_t key);

/*
 * All of it as lines, each shorter than CS_PAST_LINE and with its '\n':
 *
 *	learn first 1 MACHINE TOLD
 *	learn kind KEY USER LAST ENDED NAME
 *	learn group KEY KIND USER LAST N {TIME US}...
 *	learn run KIND GROUP GROUP TIME US N {BESIDE US}...
 *	learn last LINES SUM		(SUM: of the text of all lines before)
 *
 * Keys in hex, times in microseconds.
 */
void cs_past_write(const struct cs_past *h, struct cs_textbuf *t);

/*
 * The next of those lines, without '\n'.  What was known stays until the last line came
 * and its sum is right, then the new takes its place.  0, -ENOMEM, -EINVAL: the line
 * is none, the sum or the version is wrong, -ESTALE: it was learned on other nodes;
 * then all lines up to the next first one are refused.
 */
int cs_past_read(struct cs_past *h, const char *line, struct cs_err *err);

/* Is @line meant as one of them? */
bool cs_past_is_line(const char *line);

/* 0, or -EINVAL with the first breach in @err. */
int cs_past_check(const struct cs_past *h, struct cs_err *err);

#endif
