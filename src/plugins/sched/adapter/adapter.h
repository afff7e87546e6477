/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the scheduling thread and the engine: thread.c calls this, and view, feed and
 * apply do the work (Slurm's records -> engine events, engine actions -> Slurm).
 *
 * An adapter holds an engine, the state of Slurm that the engine was told, and the
 * lines of the event log.  Only the scheduling thread calls it.  A cycle is
 *
 *	lock		look (again, while it says more)		unlock
 *			build, feed
 *	until decide says 0 (mode shadow: once):
 *			decide, or in mode act a part of one
 *	    lock	act (again, while it says more)			unlock
 *	lock		texts (again, while it says more)		unlock
 *
 * Mode act: every lock is cs_slurm_write_locks() (Slurm's own test of which jobs may
 * start writes to job records).  Mode shadow: cs_slurm_read_locks(), and act only
 * records what it would have done.
 *
 * None of Slurm's pointers may live across an unlock.  `until_us` (of cs_gate_now_us())
 * is when the locks must be released: look, act, texts do at least one piece of work,
 * stop in time, and return 1 if more is left.
 *
 * Once scheduling is halted (`halted` of the setup) no step is begun any more (steps.h),
 * and act does none of the actions that are left.  Where it goes on later,
 * cs_adapter_drop_rest() does those of them that start nothing.
 *
 * Errors are negative errnos with one line in @err. -ERESTART: nodes, topology or sites
 * have changed, -ESTALE: engine and Slurm disagree; a new adapter is built.  -ENOMEM,
 * -ENODEV (slurmctld has no nodes): these pass.  Any other: an internal check failed.
 * Mode act ends then and stock scheduling continues, for a while or until the
 * administrator reconfigures (fallback.h).
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
	bool all_partitions; /* partition_modes is not followed: all in */
	bool factors; /* site factors show the order (site_factor/ostrich) */
	struct cs_logfile *log; /* may be NULL; outlives the adapter */
	/* Has scheduling ended, or is it disabled?  Asked under the locks before each
	 * step and each action.  Any thread may make it true at any time. */
	bool (*halted)(void);
	/* The second, since 1970, in which this slurmctld began: a job that was submitted
	 * in it or later is known to no earlier one, whose starts may be lost (feed.c,
	 * rule 8).
	 * 0: that is so long ago that none is. */
	int64_t served_us;
	const char *state; /* from cs_checkpoint_save(), or NULL; for the call
			       only.  Unknown parts are ignored */
	size_t state_len;
	const char *learned;   /* the same, from cs_checkpoint_learned() */
	const char *estimates; /* the same, from cs_adapter_estimates_save() */
	const struct cs_adapter *before; /* the predecessor, or NULL; for the
					   call only */
	bool same_files;   /* `before`'s: they are not read again */
	const char *sites; /* last good ones (site_list.h), or NULL; copied */
	const char *profiles; /* last good text of the profile file, which is
				 not read then, or NULL; copied */
	size_t profiles_len;
};

/* Read the files of profiles and of sites, make an empty adapter.  No lock.  NULL with @err. */
struct cs_adapter *cs_adapter_create(const struct cs_adapter_setup *setup,
				     struct cs_err *err);
void cs_adapter_free(struct cs_adapter *b);

/* The next cs_adapter_look() begins one, even if the last one has not come to its end. */
void cs_adapter_look_anew(struct cs_adapter *b);
/* Copy what has changed since the last look.  1: more is left.  -ERESTART: the machine has changed beyond
 * what another feed tells, so the adapter is obsolete. */
int cs_adapter_look(struct cs_adapter *b, int64_t until_us, struct cs_err *err);

/* Between two cycles, the jobs that have come since the last look (news.c).  Can that be
 * done, as things are?  No lock. */
bool cs_adapter_news_can(const struct cs_adapter *b);
/* Are there any?  Read locks. */
bool cs_adapter_news_there(const struct cs_adapter *b);
/* Copy them; as cs_adapter_look(). */
int cs_adapter_news_look(struct cs_adapter *b, int64_t until_us,
			 struct cs_err *err);
/* Feed them, as cs_adapter_feed(). */
int cs_adapter_news_feed(struct cs_adapter *b, struct cs_err *err);
/* Is there anything to decide about them, and to act? */
bool cs_adapter_news_any(const struct cs_adapter *b);
/* That is over.  Must another look come at once? */
bool cs_adapter_news_end(struct cs_adapter *b);

/* After a look: the sites in force, for the next adapter's setup: "", none, as is set;
 * NULL, they are not as set. */
const char *cs_adapter_sites_good(const struct cs_adapter *b);

/* The text of the profile file, for a later adapter's setup; NULL: none is set. */
const char *cs_adapter_profiles(const struct cs_adapter *b, size_t *ret_len);

/* Build the engine, if there is none yet: its events may be logged from now on
 * (cs_logfile_ready()).  No lock. */
int cs_adapter_build(struct cs_adapter *b, struct cs_err *err);

/* Tell the engine what the look saw.  No lock. */
int cs_adapter_feed(struct cs_adapter *b, struct cs_err *err);

/* Does the last snapshot show a waiting job that may start? */
bool cs_room_waits(const struct cs_adapter *b);
/* Tell the gate what it may give to jobs that start at once or never.  After a feed,
 * and when all is @decided and done; no lock. */
void cs_room_tell(const struct cs_adapter *b, bool decided);

/* Asked several times a millisecond while the engine decides: may it go on?  False: the
 * decide is given up, and this adapter decides nothing more. */
struct cs_adapter_host {
	bool (*goes_on)(void *arg);
	void *arg;
};

/* Ask the engine.  1: there are actions, call act; 0: nothing to do, or enough for this
 * cycle.  -ECANCELED: given up.  No lock. */
int cs_adapter_decide(struct cs_adapter *b, const struct cs_adapter_host *host,
		      struct cs_err *err);
/* Is there more of the last decide?  The next one continues it, or begins anew if a look
 * has told the engine of changes. */
bool cs_adapter_paused(const struct cs_adapter *b);
/* Starts of this cycle so far. */
uint32_t cs_adapter_started(const struct cs_adapter *b);

#define CS_ADAPTER_GUARD 2
#define CS_ADAPTER_LOOK 3

/* Do what was decided.  Each start is between cs_gate_start_begin() and
 * cs_gate_start_end().  CS_ADAPTER_GUARD: the rest must wait until jobs told to stop
 * have stopped; no look, feed or decide before.  CS_ADAPTER_LOOK: the rest was dropped:
 * look again, nodes have come or gone, or jobs have started of whose cores the engine does
 * not know (by preemption, components).  -ERESTART: more than the nodes has changed. */
int cs_adapter_act(struct cs_adapter *b, int64_t until_us, struct cs_err *err);

/* When the rest of such a batch is due, cs_gate_now_us(); 0: none. */
int64_t cs_adapter_guard_us(const struct cs_adapter *b);

/* Refuse the starts of the rest of the batch, or the next decide would find them
 * unanswered, and do what needs none.  Under locks as for act.  0 or an error. */
int cs_adapter_drop_rest(struct cs_adapter *b, int64_t until_us,
			 struct cs_err *err);

/* As this for the last time: what needs no start is only logged.  No lock. */
int cs_adapter_give_up(struct cs_adapter *b, struct cs_err *err);

/* Mode act ends, and no decide follows: what the last starts mean for the limits of
 * running jobs.  Under write locks; 1: more are left.  Not after a fault. */
int cs_adapter_limits_due(struct cs_adapter *b, int64_t until_us);

/* Planned starts of waiting jobs and nodes PLANNED, if changed (mode act). */
int cs_adapter_texts(struct cs_adapter *b, int64_t until_us,
		     struct cs_err *err);

/*
 * order=ostrich without decides: number the waiting jobs in order.  1: there are
 * numbers to write; 0; a negative errno.  No lock.
 */
int cs_adapter_rank(struct cs_adapter *b, struct cs_err *err);
/* Write them, under write locks; 1: more are left. */
int cs_adapter_rank_write(struct cs_adapter *b, int64_t until_us,
			  struct cs_err *err);
/* A number behind all of them, for the next arrival. */
uint32_t cs_adapter_rank_behind(const struct cs_adapter *b);

/* The engine's invariants; for the watchdog.  No lock.  0 or -EINVAL. */
int cs_adapter_check(const struct cs_adapter *b, struct cs_err *err);

/* Microseconds until a cycle is due without any change (0 or less: now);
 * CS_TIME_NONE. */
int64_t cs_adapter_wakeup_in_us(struct cs_adapter *b);

/* Have we changed Slurm's records since the last call?  Then they should be saved. */
bool cs_adapter_wrote(struct cs_adapter *b);

/* Node sets are never freed: are there so many of past jobs that a new adapter should
 * follow? */
bool cs_adapter_outgrown(const struct cs_adapter *b);

/* Has the output of these two changed since one last ran? */
bool cs_checkpoint_dirty(const struct cs_adapter *b);

/* Mark it changed, by progress and virtual service until now: for the final save. */
void cs_adapter_mark_dirty(struct cs_adapter *b);

/* The state to keep across a restart, text; the caller frees it.  NULL: no memory. */
char *cs_checkpoint_save(struct cs_adapter *b, size_t *ret_len);
/*
 * The same after a fault, without a question to the engine: the state @saved [@len] (NULL:
 * none), in which limits, marks, comments and stops of the jobs are those that are known
 * now.  A job that has none of these and no line there gets none.  O(jobs log jobs).
 */
char *cs_checkpoint_amend(const struct cs_adapter *b, const char *saved,
			  size_t len, size_t *ret_len);
/* What was learned, in every mode, as lines; the caller frees *@ret, which is NULL with
 * learn=off.  0, -ENOMEM. */
int cs_checkpoint_learned(struct cs_adapter *b, char **ret);
/* Was what we read as learned of other types of nodes?  Once. */
bool cs_checkpoint_odd_nodes(struct cs_adapter *b);

/* Estimates of starts (start_estimates.c): when a piece of work on them is due,
 * cs_gate_now_us(); CS_TIME_NONE: they are not made. */
int64_t cs_adapter_estimates_due_us(const struct cs_adapter *b);
/* Do that piece, a few milliseconds.  No lock.  1: there are new ones to show; 0;
 * -ESTALE. */
int cs_adapter_estimates_work(struct cs_adapter *b, struct cs_err *err);
/* Their history, to keep across a restart, text; the caller frees it.  @ends: the set that
 * is made is given up, so that what has happened since it began is part of it.  0;
 * -ENOENT: it has not changed since cs_adapter_estimates_saved(), or they are not made;
 * -ENOMEM. */
int cs_adapter_estimates_save(struct cs_adapter *b, bool ends, char **ret);
void cs_adapter_estimates_saved(struct cs_adapter *b);

/* The log was opened: write header and current state to it.  @after:
 * cs_logfile_after(). */
void cs_adapter_log_opened(struct cs_adapter *b, const char *after);

/* Figures of the last cycle, for sdiag. */
struct cs_adapter_figures {
	uint32_t queue;	 /* waiting jobs */
	uint32_t looked; /* of them examined */
	uint32_t started;
	uint32_t reserved; /* reservations held */
};
void cs_adapter_figures(const struct cs_adapter *b,
			struct cs_adapter_figures *ret);

/* ---- answers; no lock ---------------------------------------------------- */

/* Is ask->job, which is no job's, the number of an array with tasks that the asker may
 * see?  Then @ret says how to ask for them. */
bool cs_adapter_array(const struct cs_adapter *b, const struct cs_ask *ask,
		      char *ret, size_t size);

struct cs_job_facts; /* job_facts.h */

/* Why job ask->job waits and so on, lines of text or (ask->fields) an object
 * (explain_reply.c); @facts: of its record.  A user may ask about his own jobs, and with PrivateData=jobs reads
 * of no others.  0 with *ret, to be put by the caller; -ENOENT, -EACCES, -ENOMEM;
 * -EAGAIN: nothing is known yet. */
int cs_adapter_explain(struct cs_adapter *b, const struct cs_ask *ask,
		       const struct cs_job_facts *facts,
		       struct json_object **ret);

/* Add the engine's part of `cosched status` and `cosched groups`.  0; -EAGAIN: nothing is
 * known yet. */
int cs_adapter_status(const struct cs_adapter *b, struct json_object *into);
int cs_adapter_groups(const struct cs_adapter *b, struct json_object *into);
/* top_reply.c.  0, -EAGAIN, -ENOMEM. */
int cs_adapter_top(struct cs_adapter *b, struct json_object *into);
/* sites_reply.c.  0, -EAGAIN, -ENOMEM; -ENOENT: no sites. */
int cs_adapter_sites(const struct cs_adapter *b, struct json_object *into);
/* slices_reply.c.  As before; -ENOENT: no slices, or none has begun. */
int cs_adapter_slices(const struct cs_adapter *b, struct json_object *into);
/* "slice" of `cosched top`: whose it is, its end, how many jobs are stopped; nothing
 * without slices. */
void cs_adapter_slice_now(const struct cs_adapter *b, struct json_object *into);
/* Campaigns of users; with PrivateData=jobs, usage or users only the asker's own.  0,
 * -EAGAIN, -ENOMEM. */
int cs_adapter_users(struct cs_adapter *b, const struct cs_ask *ask,
		     struct json_object *into);

#endif
