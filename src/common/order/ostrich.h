/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtual schedule of OStrich: the machine divided among users by weight, each
 * user's campaigns executed one after the other.
 *
 *	dV/dt = m / W			V: service to a unit of weight	(1)
 *	F     = max(V, F') + P / w	F: V at a campaign's end	(2)
 *
 * m = processors; W = sum of the weights w of the active users, those with a
 * campaign that has not ended virtually; P = work of the campaign; F' = F of the
 * user's campaign before it.  Virtual ends come in the order of F, whatever users come
 * or go: F is a campaign's rank in the real schedule.
 *
 * Source: Emeras, Pinheiro, Rzadca, Trystram, Fair Scheduling for Multiple
 * Submissions, RR-LIG-033, 2012 ("Emeras12"), section IV; theory and differences in
 * ostrich.c.
 *
 * A pure data structure: time is an argument, int64 microseconds of any origin,
 * and one before the latest seen counts as the latest.  Same calls, same state, however
 * often cs_ostrich_advance() is called in between.
 */
#ifndef CS_ORDER_OSTRICH_H
#define CS_ORDER_OSTRICH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/err.h"
#include "base/u128.h"

#define CS_OSTRICH_WEIGHT 1000000 /* of a user without one */
#define CS_OSTRICH_WEIGHT_MAX 1000000000
#define CS_CAMPAIGN_NAME 64  /* bytes of a campaign's name, with its 0 */
#define CS_OSTRICH_LINE 1024 /* bytes of a line of state, with its 0 */

enum cs_campaign_state {
	CS_CAMPAIGN_WAITS, /* for the virtual end of the one before it */
	CS_CAMPAIGN_RUNS,
	CS_CAMPAIGN_ENDED, /* virtually; its jobs may wait or run */
};

/* A campaign.  Read-only but for "the caller's". */
struct cs_campaign {
	struct cs_ostrich_user *user;
	uint64_t seq;	 /* among all, from 1, in order of arrival */
	uint32_t number; /* among the user's, from 1 */
	enum cs_campaign_state state;
	int64_t submit_us;		 /* when its first job arrived */
	int64_t start_us, end_us;	 /* virtual; CS_TIME_NONE: to come */
	cs_u128 work;			 /* P, processor microseconds */
	cs_u128 start, finish;		 /* V at them; see CS_OSTRICH_UNIT */
	cs_u128 joined;			 /* V when its last job arrived */
	uint32_t jobs;			 /* that have not left */
	uint32_t busy;			 /* user->busy on arrival */
	struct cs_campaign *prev, *next; /* of the user, in their order */
	struct cs_campaign *next_dirty, **dirty_at; /* NULL: not in the list */

	/* The caller's: stored, never read. */
	char name[CS_CAMPAIGN_NAME]; /* "": none */
	uint32_t array;		     /* its job array; 0 */
	int64_t left_us;	     /* when its last job left */
	int64_t longest_us;	     /* of all jobs, while it waited */
	uint32_t counted;	     /* scratch */
	bool key_runs;		     /* its rank in the queue */
	cs_u128 key;
};

struct cs_ostrich_user {
	char *name;
	uint32_t weight;
	uint32_t numbers; /* campaigns so far */
	uint32_t busy;	  /* times it became active */
	uint32_t heap;	  /* place in the heap + 1; 0: not active */
	struct cs_campaign *first, *last; /* all */
	struct cs_campaign *head; /* first that has not ended; NULL: idle */
	struct cs_ostrich_user *next_hash, *prev, *next;

	/* The caller's. */
	uint32_t last_job;
	int64_t last_join_us;
};

struct cs_ostrich {
	uint64_t procs; /* m */
	int64_t now_us;
	cs_u128 v;	  /* V */
	cs_u128 rest;	  /* service short of a unit of V */
	uint64_t weights; /* W */
	uint64_t seq;	  /* campaigns so far */
	uint32_t active;  /* k */
	uint32_t waits;	  /* campaigns that wait virtually */
	uint32_t n_user, cap_hash;
	struct cs_ostrich_user **heap; /* [active] by (head's finish, seq); room
					  for cap_hash */
	struct cs_ostrich_user **hash; /* [cap_hash] */
	struct cs_ostrich_user *first, *last;
	struct cs_ostrich_user *told; /* of the last "user" line; NULL: refused */
	struct cs_campaign *dirty;    /* whose state or finish has changed */
};

/* V, start, finish and joined are in units of 2^-32 processor microseconds to a
 * unit of weight. */
#define CS_OSTRICH_UNIT ((cs_u128)1 << 32)

/* NULL: no memory. */
struct cs_ostrich *cs_ostrich_create(uint64_t procs);
void cs_ostrich_free(struct cs_ostrich *o);

/* Bring it to @now_us: campaigns that end by then have ended.  Amortised O(log users) a
 * virtual end. */
void cs_ostrich_advance(struct cs_ostrich *o, int64_t now_us);

/* The machine has @procs processors from now on; 0: V stops. */
void cs_ostrich_procs(struct cs_ostrich *o, uint64_t procs);

/* The user called @name, new if need be, kept while it has campaigns. NULL: no
 * memory. */
struct cs_ostrich_user *cs_ostrich_user(struct cs_ostrich *o, const char *name);
struct cs_ostrich_user *cs_ostrich_find(const struct cs_ostrich *o,
					const char *name);

/* Its weight from now on, 1 to CS_OSTRICH_WEIGHT_MAX (0: CS_OSTRICH_WEIGHT): the rest
 * of its running campaign goes at the new rate.  O(its campaigns). */
void cs_ostrich_share(struct cs_ostrich *o, struct cs_ostrich_user *u,
		      uint32_t weight);

/* A new campaign of @u with one job of @work > 0, behind its others.  NULL: no memory,
 * and a user without campaigns is forgotten.  O(log users). */
struct cs_campaign *cs_ostrich_submit(struct cs_ostrich *o,
				      struct cs_ostrich_user *u, cs_u128 work);

/* One more job of @work in @c, which has not ended.  O(log users + campaigns of
 * the user behind it). */
void cs_ostrich_join(struct cs_ostrich *o, struct cs_campaign *c, cs_u128 work);

/* One more job in @c, its work already counted there. */
void cs_ostrich_claim(struct cs_campaign *c);

/*
 * A job of @c turns out @more longer or @less shorter than expected (one of the two is
 * 0): later ends are as if this had been known from the start, except for V itself,
 * which never goes back.  Cost as cs_ostrich_join().
 */
void cs_ostrich_correct(struct cs_ostrich *o, struct cs_campaign *c,
			cs_u128 more, cs_u128 less);

/* A job of @c has left the system.  An ended campaign without jobs is freed, and so is
 * a user without campaigns. */
void cs_ostrich_leave(struct cs_ostrich *o, struct cs_campaign *c);

/* A campaign not yet fetched since it changed, or NULL.  Valid until the next call of
 * anything else. */
struct cs_campaign *cs_ostrich_changed(struct cs_ostrich *o);

/* When the next campaign ends virtually; CS_TIME_NONE: none does. */
int64_t cs_ostrich_next_us(const struct cs_ostrich *o);

/*
 * Virtual end of @c, as it was, or
 *
 *	t + (F - V) * W / m						(3)
 *
 * the projection of Emeras12, as if the present users stayed active.
 */
int64_t cs_ostrich_projected_us(const struct cs_ostrich *o,
				const struct cs_campaign *c);

/* Virtual end of @c, as it was or will be without submits or early ends:
 *	t + sum over active users of w * (min(F, F of its last) - V) / m  (4)
 * O(active users). */
int64_t cs_ostrich_end_us(const struct cs_ostrich *o,
			  const struct cs_campaign *c);

/* The same for many campaigns at one instant: O(log users) each after one sort. */
struct cs_ostrich_ends {
	const struct cs_ostrich *o;
	struct cs_ostrich_last *last; /* [n] active users by F of their last */
	size_t n;
};
struct cs_ostrich_last {
	cs_u128 finish; /* F of the user's last campaign */
	uint64_t weight;
	cs_u128 need;	  /* service to it and those before it until theirs */
	uint64_t weights; /* of those before it */
};
/* 0, -ENOMEM.  Valid until the next call that changes @o. */
int cs_ostrich_ends_init(struct cs_ostrich_ends *x, const struct cs_ostrich *o);
void cs_ostrich_ends_done(struct cs_ostrich_ends *x);
int64_t cs_ostrich_ends_us(const struct cs_ostrich_ends *x,
			   const struct cs_campaign *c);

/* Work left of @c virtually; processor microseconds. */
cs_u128 cs_ostrich_left(const struct cs_ostrich *o,
			const struct cs_campaign *c);

/* ---- state that survives a restart (ostrich_state.c) ------------------------ */

/*
 * The state as lines of text, each shorter than CS_OSTRICH_LINE:
 *
 *	clock NOW V REST SEQ
 *	user =NAME WEIGHT NUMBERS BUSY LAST_JOB LAST_JOIN
 *	campaign SEQ NUMBER STATE BUSY SUBMIT START END WORK VSTART FINISH
 *		JOINED ARRAY LEFT =NAME		of the last user; in one line
 *
 * Times in microseconds, "-" for CS_TIME_NONE; V and work in hexadecimal; bytes
 * of names other than letters, digits and "._+-" as %XX.
 */

/* Position of a walk over the state; zeroed at its start. */
struct cs_ostrich_walk {
	uint32_t stage;
	const struct cs_ostrich_user *user;
	const struct cs_campaign *campaign;
};
/* The next line into @buf of CS_OSTRICH_LINE bytes; false: there is none. */
bool cs_ostrich_print(const struct cs_ostrich *o, struct cs_ostrich_walk *w,
		      char *buf);

/*
 * Read a line, in the order written, into an unused schedule that has not been told the
 * time.  A clock ahead of @now_us is set to that.  Campaigns, the last of o->told, have
 * no jobs until cs_ostrich_claim(); those after a refused user are refused.  0; -EINVAL
 * with @err: a wrong line, nothing changed; -ENOMEM.
 */
int cs_ostrich_read(struct cs_ostrich *o, const char *line, int64_t now_us,
		    struct cs_err *err);

/* Append a copy of @from to the campaigns of @u; for cs_ostrich_read().  0, -ENOMEM. */
int cs_ostrich_restore(struct cs_ostrich *o, struct cs_ostrich_user *u,
		       const struct cs_campaign *from);

/* Check every invariant.  0, or -EINVAL with the first breach.  O(all). */
int cs_ostrich_check(const struct cs_ostrich *o, struct cs_err *err);

#endif
