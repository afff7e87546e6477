/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What crossing really costs: jobs of one group (past.h: a user's jobs of one name,
 * partition and size) that ran on one site and over several.  Shown, never used.
 *
 *	p = median over split runs of (t / T - 1) / g(k)		(1)
 *
 *   t	running time of a split run, over k sites
 *   T	median time of the runs on one site
 *   g	growth of the cost with k (model/sites.h): g(4) = 1
 *
 * Bounded, whatever users submit: CS_CROSSED_KINDS groups, of which a user has an
 * eighth at most, and the last CS_CROSSED_RUNS of each sort of run.  A new group
 * replaces one that has not run both ways, else the least recent; a user who has his
 * eighth, one of his own.
 */
#ifndef CS_LEARN_CROSSED_H
#define CS_LEARN_CROSSED_H

#include "base/err.h"
#include "base/textbuf.h"
#include "learn/past.h"

#define CS_CROSSED_KINDS 256
#define CS_CROSSED_RUNS 7
#define CS_CROSSED_SITES_MAX 65535
#define CS_CROSSED_LINE 1024 /* bytes of a line of state, with its 0 */

struct cs_crossed_run {
	int64_t us;
	uint32_t sites; /* 1, or k */
};

struct cs_crossed_runs { /* a ring */
	uint32_t n, next;
	struct cs_crossed_run run[CS_CROSSED_RUNS];
};

struct cs_crossed_kind {
	uint64_t key, user;
	int64_t last_us;
	uint32_t procs;
	struct cs_crossed_runs one, split;
	char name[CS_PAST_NAME];
};

struct cs_crossed {
	uint32_t n;
	struct cs_crossed_kind kind[CS_CROSSED_KINDS]; /* [n] */
};

/* A job of @procs processes has ended at @t_us (>= 0), having run @ran_us (> 0) over
 * @sites (>= 1).  O(kinds). */
void cs_crossed_ended(struct cs_crossed *c, const struct cs_kin *kin,
		      uint32_t procs, int64_t t_us, int64_t ran_us,
		      uint32_t sites);

/* g(@sites) > 0, for @sites >= 2. */
typedef double cs_crossed_growth_fn(const void *arg, uint32_t sites);

/* (1).  False: it has not run both ways.  O(runs). */
bool cs_crossed_across(const struct cs_crossed_kind *k,
		       cs_crossed_growth_fn *growth, const void *arg,
		       double *ret);

/*
 * The table as lines, each shorter than CS_CROSSED_LINE and with its '\n':
 *
 *	crossed KEY USER LAST PROCS N {US}... N {US SITES}... NAME
 *
 * the keys in hex, each ring oldest first.
 */
void cs_crossed_write(const struct cs_crossed *c, struct cs_textbuf *t);
bool cs_crossed_is_line(const char *line);
/* Add a line's group, without '\n', to a table that has it not.  0, -EINVAL. */
int cs_crossed_read(struct cs_crossed *c, const char *line, struct cs_err *err);

#endif
