/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtual schedule of OStrich: the machine divided among users by weight,
 * each of whom has his campaigns executed one after the other.
 *
 *	dV/dt = m / W			V: service to a unit of weight	(1)
 *	F     = max(V, F') + P / w	F: V at a campaign's end	(2)
 *
 * m = processors; W = sum of the weights w of the active users, those with a
 * campaign that has not ended virtually; P = work of the campaign; F' = F of the
 * user's campaign before it.  Virtual ends come in the order of F, whoever comes
 * or goes: F is a campaign's rank in the real schedule.
 *
 * Source: Emeras, Pinheiro, Rzadca, Trystram, Fair Scheduling for Multiple
 * Submissions, RR-LIG-033, 2012 ("Emeras12"), section IV; theory and differences in
 * ostrich.c.
 *
 * A pure data structure: time is an argument, int64 microseconds of any origin,
 * and an earlier one than the latest seen counts as that one.  Same calls, same
 * state, however often cs_ostrich_advance() is called in between.
 */
#ifndef CS_ORDER_OSTRICH_H
#define CS_ORDER_OSTRICH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/err.h"
#include "base/u128.h"

#define CS_OSTRICH_WEIGHT 1000000 /* of a user to whom none was given */
#define CS_OSTRICH_WEIGHT_MAX 1000000000
#define CS_CAMPAIGN_NAME 64  /* bytes of a campaign's name, with its 0 */
#define CS_OSTRICH_LINE 1024 /* bytes of a line of state, with its 0 */

enum cs_campaign_state {
	CS_CAMPAIGN_WAITS, /* for the virtual end of the one before it */
	CS_CAMPAIGN_RUNS,
	CS_CAMPAIGN_ENDED, /* virtually; jobs of it may wait or run */
};

/* A campaign.  All for reading but what stands under "the caller's". */
struct cs_campaign {
	struct cs_ostrich_user *user;
	uint64_t seq;	 /* among all, from 1, in the order they came */
	uint32_t number; /* among the user's, from 1 */
	enum cs_campaign_state state;
	int64_t submit_us;	  /* when its first job came */
	int64_t start_us, end_us; /* virtual ones; CS_TIME_NONE: to come */
	cs_u128 work;		  /* P, processor microseconds */
	cs_u128 start, finish;	  /* V at them; see CS_OSTRICH_UNIT */
	cs_u128 joined;		  /* V when its last job came */
	uint32_t jobs;		  /* that have not left */
	uint32_t busy;		  /* user->busy when it came */
	struct cs_campaign *prev, *next; /* of the user, in their order */
	struct cs_campaign *next_dirty, **dirty_at; /* NULL: not in the list */

	/* The caller's: kept, never looked at. */
	char name[CS_CAMPAIGN_NAME]; /* "": none */
	uint32_t array;		     /* of the job array that it is; 0 */
	int64_t left_us;	     /* when its last job left */
	int64_t longest_us;	     /* of all jobs, while it waited */
	uint32_t counted;	     /* scratch */
	bool key_runs;		     /* its rank as the queue has it */
	cs_u128 key;
};

struct cs_ostrich_user {
	char *name;
	uint32_t weight;
	uint32_t numbers; /* campaigns so far */
	uint32_t busy;	  /* times that he became active */
	uint32_t heap;	  /* place in the heap + 1; 0: not active */
	struct cs_campaign *first, *last; /* all there are */
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
	cs_u128 rest;	  /* service that did not make a unit of V yet */
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

/* Bring it to @now_us: whoever ends by then has ended.  Amortised O(log users)
 * a virtual end. */
void cs_ostrich_advance(struct cs_ostrich *o, int64_t now_us);

/* The machine has @procs processors from now on; 0: V stands still. */
void cs_ostrich_procs(struct cs_ostrich *o, uint64_t procs);

/* The user called @name, new if need be, who stays while he has campaigns.
 * NULL: no memory. */
struct cs_ostrich_user *cs_ostrich_user(struct cs_ostrich *o, const char *name);
struct cs_ostrich_user *cs_ostrich_find(const struct cs_ostrich *o,
					const char *name);

/* His weight from now on, 1 to CS_OSTRICH_WEIGHT_MAX (0: CS_OSTRICH_WEIGHT): what
 * is left of his running campaign goes at the new rate.  O(his campaigns). */
void cs_ostrich_share(struct cs_ostrich *o, struct cs_ostrich_user *u,
		      uint32_t weight);

/* A new campaign of @u with one job of @work > 0, behind his others.  NULL: no
 * memory, and a user without campaigns is forgotten.  O(log users). */
struct cs_campaign *cs_ostrich_submit(struct cs_ostrich *o,
				      struct cs_ostrich_user *u, cs_u128 work);

/* One more job of @work in @c, which has not ended.  O(log users + campaigns of
 * the user behind it). */
void cs_ostrich_join(struct cs_ostrich *o, struct cs_campaign *c, cs_u128 work);

/* One more job in @c whose work is counted there already. */
void cs_ostrich_claim(struct cs_campaign *c);

/*
 * A job of @c turns out to be @more longer or @less shorter than was thought (one
 * of the two is 0): later ends are as if it had been known from the beginning,
 * but for V itself, which never goes back.  Cost as cs_ostrich_join().
 */
void cs_ostrich_correct(struct cs_ostrich *o, struct cs_campaign *c,
			cs_u128 more, cs_u128 less);

/* A job of @c has left the system.  A campaign that has ended and has no job
 * left is freed, and so is a user without campaigns. */
void cs_ostrich_leave(struct cs_ostrich *o, struct cs_campaign *c);

/* A campaign that has not been looked at since it changed, or NULL.  It stays
 * for good until the next call of anything else. */
struct cs_campaign *cs_ostrich_changed(struct cs_ostrich *o);

/* When the next campaign ends virtually; CS_TIME_NONE: none does. */
int64_t cs_ostrich_next_us(const struct cs_ostrich *o);

/*
 * Virtual end of @c, as it was, or
 *
 *	t + (F - V) * W / m						(3)
 *
 * the projection that Emeras12 shows, as if the users of this moment stayed active.
 */
int64_t cs_ostrich_projected_us(const struct cs_ostrich *o,
				const struct cs_campaign *c);

/* Virtual end of @c, as it was or will be if nobody submits or ends early:
 *	t + sum over active users of w * (min(F, F of his last) - V) / m  (4)
 * O(active users). */
int64_t cs_ostrich_end_us(const struct cs_ostrich *o,
			  const struct cs_campaign *c);

/* The same for many campaigns of one moment: O(log users) each behind one sort. */
struct cs_ostrich_ends {
	const struct cs_ostrich *o;
	struct cs_ostrich_last *last; /* [n] active users by F of their last */
	size_t n;
};
struct cs_ostrich_last {
	cs_u128 finish; /* F of the user's last campaign */
	uint64_t weight;
	cs_u128 need;	  /* service to him and those before him until theirs */
	uint64_t weights; /* of those before him */
};
/* 0, -ENOMEM.  Good until the next call of anything that changes @o. */
int cs_ostrich_ends_init(struct cs_ostrich_ends *x, const struct cs_ostrich *o);
void cs_ostrich_ends_done(struct cs_ostrich_ends *x);
int64_t cs_ostrich_ends_us(const struct cs_ostrich_ends *x,
			   const struct cs_campaign *c);

/* What is left of @c virtually; processor microseconds. */
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

/* Where a walk over the state is; zeroed at its beginning. */
struct cs_ostrich_walk {
	uint32_t stage;
	const struct cs_ostrich_user *user;
	const struct cs_campaign *campaign;
};
/* The next line into @buf of CS_OSTRICH_LINE bytes; false: there is none. */
bool cs_ostrich_print(const struct cs_ostrich *o, struct cs_ostrich_walk *w,
		      char *buf);

/*
 * Take a line over, in the order they were written, into a schedule to which
 * nothing else was said yet, nor the time.  A clock that is ahead of @now_us is
 * set to that.  Campaigns, the last of o->told, have no jobs until
 * cs_ostrich_claim(); those behind a user who is refused are, too.  0; -EINVAL with @err: a line
 * that is wrong, and nothing changed; -ENOMEM.
 */
int cs_ostrich_read(struct cs_ostrich *o, const char *line, int64_t now_us,
		    struct cs_err *err);

/* A copy of @from behind the campaigns of @u; for cs_ostrich_read().  0,
 * -ENOMEM. */
int cs_ostrich_restore(struct cs_ostrich *o, struct cs_ostrich_user *u,
		       const struct cs_campaign *from);

/* Check every invariant.  0, or -EINVAL with the first breach.  O(all). */
int cs_ostrich_check(const struct cs_ostrich *o, struct cs_err *err);

#endif
