/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the scheduling thread and the engine: what thread.c calls, and view,
 * feed and apply are behind (Slurm's records -> engine events, engine actions ->
 * Slurm).
 *
 * An adapter holds an engine, the picture of Slurm that the engine was given, and
 * the lines of the event log.  Only the scheduling thread calls it.  A cycle is
 *
 *	lock		look (again, while it says more)		unlock
 *			build, feed
 *	until decide says 0 (mode shadow: once):
 *			decide
 *	    lock	act (again, while it says more)			unlock
 *	lock		texts (again, while it says more)		unlock
 *
 * Mode act: every lock is cs_slurm_write_locks() (Slurm's own test of who may
 * start writes to job records).  Mode shadow: cs_slurm_read_locks(), and act
 * only records what would have been done.
 *
 * No pointer of Slurm's may live across an unlock.  `until_us` (of
 * cs_gate_now_us()) is when the locks have to be let go: look, act, texts do one
 * piece of work at least, stop in time, and return 1 where more is left.
 *
 * Errors are negative errnos with one line in @err.  -ESTALE: engine and Slurm
 * have different pictures, a new adapter is built.  Any other: an internal check
 * failed; mode act ends and stock scheduling goes on.
 */
#ifndef CS_SCHED_ADAPTER_ADAPTER_H
#define CS_SCHED_ADAPTER_ADAPTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"
#include "common/params/params.h"

struct cs_ask;
struct cs_adapter;
struct cs_logfile;
struct json_object;

struct cs_adapter_setup {
	const struct cs_params *params; /* copied */
	enum cs_mode mode;   /* act or shadow.  Partitions in another mode are
			       left out (cs_params_mode_of), unless: */
	bool all_partitions; /* partition_modes could not be followed: all in */
	bool factors; /* order is shown by site factors (site_factor/ostrich) */
	struct cs_logfile *log; /* may be NULL; outlives the adapter */
	const char *state; /* as cs_checkpoint_save() gave it, or NULL; for the
			       call only.  What is not understood is ignored */
	size_t state_len;
	const struct cs_adapter *before; /* that this one follows, or NULL; for
					   the call only */
	bool same_profiles; /* those of `before`: the file is not read again */
};

/* Read the profile file, make an empty adapter.  No lock.  NULL with @err. */
struct cs_adapter *cs_adapter_create(const struct cs_adapter_setup *setup,
				     struct cs_err *err);
void cs_adapter_free(struct cs_adapter *b);

/* Copy what has changed since the last look. */
int cs_adapter_look(struct cs_adapter *b, int64_t until_us, struct cs_err *err);

/* Build the engine, where there is none yet: what it is told from now on may be
 * logged (cs_logfile_ready()).  No lock. */
int cs_adapter_build(struct cs_adapter *b, struct cs_err *err);

/* Tell the engine what was seen.  No lock. */
int cs_adapter_feed(struct cs_adapter *b, struct cs_err *err);

/* Does the last snapshot show somebody who waits and may start? */
bool cs_room_waits(const struct cs_adapter *b);
/* Tell the gate what it may give to jobs that start at once or never.  After a
 * feed, and when all of it is @decided and done; no lock. */
void cs_room_tell(const struct cs_adapter *b, bool decided);

/* Ask the engine.  1: there are actions, call act; 0: nothing to do, or enough of
 * it for this cycle.  No lock. */
int cs_adapter_decide(struct cs_adapter *b, struct cs_err *err);

#define CS_ADAPTER_GUARD 2

/* Do what was decided.  Each start stands between cs_gate_start_begin() and
 * cs_gate_start_end().  CS_ADAPTER_GUARD: the rest is to be done later, when who was
 * told to stop has; no look, feed or decide before. */
int cs_adapter_act(struct cs_adapter *b, int64_t until_us, struct cs_err *err);

/* When the rest of such a batch is due, cs_gate_now_us(); 0: there is none. */
int64_t cs_adapter_guard_us(const struct cs_adapter *b);

/* What is left of the batch will not be done: the starts in it are refused, or the next
 * decide would find them without an answer.  No lock. */
int cs_adapter_give_up(struct cs_adapter *b, struct cs_err *err);

/* Reasons and predicted starts of waiting jobs, where they differ (mode act). */
int cs_adapter_texts(struct cs_adapter *b, int64_t until_us,
		     struct cs_err *err);

/* Without an adapter: take back our reasons and predicted starts, of whatever job has
 * them.  Under write locks.  O(jobs), once at a change of mode. */
void cs_apply_leave(void);

/* Where no time slices are: let jobs go on that one has stopped; true where some did,
 * and records are to be saved.  *@ret_left could not: others run on their cores.  Their
 * srun is told of each attempt.  Write locks; O(jobs) for each that is stopped. */
bool cs_apply_let_go(unsigned *ret_left);

/*
 * order=ostrich without decides: number the waiting jobs in their order.  1: some
 * numbers are to be written; 0; a negative errno.  No lock.
 */
int cs_adapter_rank(struct cs_adapter *b, struct cs_err *err);
/* Write them, under write locks; 1: more are left. */
int cs_adapter_rank_write(struct cs_adapter *b, int64_t until_us,
			  struct cs_err *err);
/* A number behind all of them, for who comes next. */
uint32_t cs_adapter_rank_behind(const struct cs_adapter *b);

/* The engine's invariants; for the watchdog.  No lock.  0 or -EINVAL. */
int cs_adapter_check(const struct cs_adapter *b, struct cs_err *err);

/* In how many microseconds a cycle is due though nothing changed (0 or less:
 * now); CS_TIME_NONE. */
int64_t cs_adapter_wakeup_in_us(struct cs_adapter *b);

/* Were Slurm's records changed since this was last asked?  They should be saved
 * then. */
bool cs_adapter_wrote(struct cs_adapter *b);

/* Node sets are never forgotten: are those of jobs that are gone so many that a new
 * adapter should follow? */
bool cs_adapter_outgrown(const struct cs_adapter *b);

/* Has what cs_checkpoint_save() would write changed since it last did? */
bool cs_checkpoint_dirty(const struct cs_adapter *b);

/* It has, by what jobs did meanwhile and what was served virtually, until now: for
 * the last time it is written. */
void cs_adapter_mark_dirty(struct cs_adapter *b);

/* The state to keep over a restart, text; the caller frees it.  NULL: no
 * memory. */
char *cs_checkpoint_save(struct cs_adapter *b, size_t *ret_len);

/* The log was opened: write header and the state of the moment to it.  @after:
 * cs_logfile_after(). */
void cs_adapter_log_opened(struct cs_adapter *b, const char *after);

/* Figures of the last cycle, for sdiag. */
struct cs_adapter_figures {
	uint32_t queue;	 /* jobs that wait */
	uint32_t looked; /* of them looked at */
	uint32_t started;
	uint32_t reserved; /* reservations held */
};
void cs_adapter_figures(const struct cs_adapter *b,
			struct cs_adapter_figures *ret);

/* ---- answers; no lock ---------------------------------------------------- */

/* Why job ask->job waits and so on, lines of text.  A user may ask about
 * his own jobs, and with PrivateData=jobs reads of no others.  0 with *ret (freed
 * by the caller), -ENOENT, -EACCES, -ENOMEM; -EAGAIN: nothing is known yet. */
int cs_adapter_explain(const struct cs_adapter *b, const struct cs_ask *ask,
		       char **ret);

/* Add what `cosched status` and `cosched groups` show of the engine.  groups: 0,
 * -EAGAIN. */
void cs_adapter_status(const struct cs_adapter *b, struct json_object *into);
int cs_adapter_groups(const struct cs_adapter *b, struct json_object *into);
/* sites_reply.c.  0, -EAGAIN, -ENOMEM; -ENOENT: there are none. */
int cs_adapter_sites(const struct cs_adapter *b, struct json_object *into);
/* slices_reply.c.  As before; -ENOENT: there are none, or none has begun. */
int cs_adapter_slices(const struct cs_adapter *b, struct json_object *into);
/* Campaigns of users; with PrivateData=jobs a user reads of his own.  0, -EAGAIN,
 * -ENOMEM. */
int cs_adapter_users(struct cs_adapter *b, const struct cs_ask *ask,
		     struct json_object *into);

#endif
