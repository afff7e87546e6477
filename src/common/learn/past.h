/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of jobs that have ended: what they were, how long they ran, and which
 * jobs were beside them.
 *
 * A kind is a user and a job name; a group is a kind with its partition, its size and
 * the order of magnitude of its limit, or with all limits.  Runs of one group are
 * assumed to do the same work; the cost of a neighbour is assumed equal over a kind.
 * Theory, bounds of memory and what is forgotten: past.c.
 *
 * Only integers are kept, so state is read back exactly as written.  Strings are
 * untrusted: they are hashed, and shown with '?' for what is not printable ASCII.
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
#define CS_PAST_BROKEN 64   /* pairs that broke their promise; of a user: 8 */
#define CS_PAST_ALONE 9	    /* runs alone kept per group */
#define CS_PAST_PARTS 6	    /* neighbours kept per run, one after another */
#define CS_PAST_NAME 64	    /* bytes of "user/name", with its 0 */
#define CS_PAST_LINE 512    /* bytes of a line of state, with its 0 */
#define CS_PAST_ALONE_MIN 3 /* runs that make a time alone known */

/* Neighbours other than kinds. */
#define CS_BESIDE_FULL 0   /* none, on all usable cores */
#define CS_BESIDE_NOBODY 1 /* none, on some cores of its nodes */

/* A job's identity, as far as it distinguishes runs. */
struct cs_kin {
	uint64_t user;
	uint64_t kind;	   /* > CS_BESIDE_NOBODY */
	uint64_t group[2]; /* with its limit's octave; with any limit */
	char name[CS_PAST_NAME];
};

/* Any string may be NULL.  @limit_us > 0. */
void cs_kin_make(struct cs_kin *k, const char *user, const char *name,
		 const char *partition, uint32_t procs, int64_t limit_us);

struct cs_run_part {
	uint64_t beside; /* a kind, or one of the two above */
	int64_t us;
};

/* A job that has ended. */
struct cs_ended {
	const struct cs_kin *kin;
	int64_t t_us;	/* its end */
	int64_t ran_us; /* excluding suspensions */
	uint32_t n_part;
	struct cs_run_part part[CS_PAST_PARTS]; /* add up to ran_us */
};

struct cs_kind {
	uint64_t key; /* 0: free */
	uint64_t user;
	int64_t last_us; /* when a run last ended */
	uint64_t ended;	 /* runs ever noted */
	uint32_t runs;	 /* scratch of past.c: its entries in run[] */
	uint16_t next;	 /* in its chain of kind_at: index + 1; 0: the last */
	char name[CS_PAST_NAME];
};

struct cs_group {
	uint64_t key, kind, user;
	int64_t last_us;
	uint16_t chain;	  /* the next in its chain of group_at: index + 1 */
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

/* @of took longer beside @beside than the bound that admitted the pair. */
struct cs_broken {
	uint64_t of, beside; /* kinds */
	int64_t t_us;	     /* the last time, ... */
	uint32_t ppm;	     /* ... and by which factor, in millionths */
	uint32_t times;
	uint32_t kept; /* runs since that took no longer than promised */
};

struct cs_past {
	uint64_t machine; /* hash of the types of nodes it was learned on */
	int64_t half_life_us;
	int64_t least_us; /* the shortest run that is noted; a minute */
	uint64_t told;	  /* runs noted since the beginning */
	size_t n_kind, n_group, n_run;
	struct cs_kind kind[CS_PAST_KINDS];    /* [n_kind] */
	struct cs_group group[CS_PAST_GROUPS]; /* [n_group] */
	struct cs_run run[CS_PAST_RUNS];       /* [n_run], oldest first */
	uint64_t promises;		       /* broken since the beginning */
	size_t n_broken;
	struct cs_broken broken[CS_PAST_BROKEN]; /* the last one last */
	/* Chains of kinds and groups by key: index + 1; 0: none. */
	uint16_t kind_at[CS_PAST_KINDS], group_at[CS_PAST_GROUPS];
	struct cs_past *reading; /* state being read; NULL */
	uint64_t sum;		 /* of its lines so far */
	uint64_t lines;
};

/* NULL: no memory. */
struct cs_past *cs_past_create(uint64_t machine, int64_t half_life_us);
void cs_past_free(struct cs_past *h);

/*
 * A job has ended.  False: its run is ignored (too short, impossible times, parts that
 * do not add up).  O(runs) once there are CS_PAST_RUNS of them; a new kind or group costs
 * O(kinds + groups).
 */
bool cs_past_ended(struct cs_past *h, const struct cs_ended *r);

/* What is known of a job's time alone on full nodes. */
struct cs_alone {
	double ln_us; /* ln of the time in microseconds */
	double base;  /* variance of that */
	double noise; /* variance of ln time from run to run */
	uint32_t runs;
};

/* From the group of the two that knows it better.  False: too few runs alone.
 * O(CS_PAST_ALONE^2). */
bool cs_past_alone(const struct cs_past *h, const uint64_t group[2],
		   int64_t now_us, struct cs_alone *ret);

/* For which kinds is the time alone of any group known?  @ret [n_kind].  O(kinds +
 * groups). */
void cs_past_known(const struct cs_past *h, int64_t now_us, bool *ret);

/* Weight of a run that ended at @t_us: 2^(-age / half-life), at most 1; 0 if too
 * old. */
double cs_past_weight(const struct cs_past *h, int64_t t_us, int64_t now_us);

/* A run of @of beside @beside, which was promised, ended at @t_us: @kept, or it took
 * @slowdown.  O(CS_PAST_BROKEN * kinds). */
void cs_past_promise(struct cs_past *h, uint64_t of, uint64_t beside,
		     int64_t t_us, double slowdown, bool kept);
/* Did @b happen within a half-life, and have fewer than CS_PAST_KEPT runs kept the
 * promise since? */
#define CS_PAST_KEPT 2
bool cs_past_stands(const struct cs_past *h, const struct cs_broken *b,
		    int64_t now_us);

const struct cs_kind *cs_past_kind(const struct cs_past *h, uint64_t key);

/*
 * The whole history as lines, each shorter than CS_PAST_LINE and with its '\n':
 *
 *	learn first 1 MACHINE TOLD
 *	learn kind KEY USER LAST ENDED NAME
 *	learn group KEY KIND USER LAST N {TIME US}...
 *	learn run KIND GROUP GROUP TIME US N {BESIDE US}...
 *	learn promises BROKEN		(both missing in older ones)
 *	learn broken KIND KIND TIME PPM TIMES KEPT
 *	learn last LINES SUM		(SUM: checksum of all lines before)
 *
 * Keys in hex, times in microseconds.
 */
void cs_past_write(const struct cs_past *h, struct cs_textbuf *t);

/*
 * Read the next of those lines, without '\n'.  The present history stays until the last
 * line has come with the right sum; then the one read replaces it.  0, -ENOMEM,
 * -EINVAL: not such a line, or a wrong sum or version, -ESTALE: learned on other nodes;
 * after an error all lines up to the next first one are refused.
 */
int cs_past_read(struct cs_past *h, const char *line, struct cs_err *err);

/* Would cs_past_read() take the lines of @text, "learn job" left out, of whatever
 * nodes?  0, -ENOMEM, -EINVAL. */
int cs_past_try(const char *text, struct cs_err *err);

/* The hash of node types in @text's first line.  False: there is none. */
bool cs_past_machine(const char *text, uint64_t *ret);

/* Build the chains of kind_at and group_at anew.  For past_text.c. */
void cs_past_index(struct cs_past *h);

/* Does @line claim to be one of them? */
bool cs_past_is_line(const char *line);

/* 0, or -EINVAL with the first breach in @err. */
int cs_past_check(const struct cs_past *h, struct cs_err *err);

#endif
