/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the adapter; no other file includes this.
 *
 *	adapter.c	life, and the steps of a cycle
 *	news.c		jobs that have come since the last look
 *	feed.c		snapshot -> events; feed_job.c: one job;
 *			feed_event.[ch]: an event to the engine, and its time
 *			log_state.[ch]: the current state as such lines
 *	apply.c		actions, one by one
 *	apply_start.c	a start on planned nodes and cores, or where Slurm chooses
 *	start_step.[ch]	its steps: permission, select_nodes(), the answer
 *	start_maps.[ch]	nodes and cores as Slurm's bitmaps
 *	apply_het.c	all components of a heterogeneous job, or none
 *	apply_limit.c	time limits and comments of coscheduled jobs
 *	apply_text.c	planned starts, nodes PLANNED
 *	apply_rank.c	priorities that follow the order
 *	leave.[ch]	what waiting jobs show of ours is taken back
 *	after_act.[ch]	jobs that act has started, in another mode
 *	preempt.c	starts that need a preemption; freed.[ch]: may it, the cores that
 *			it frees
 *	checkpoint.c		state that outlives a restart
 *	clock.[ch]	the engine's time
 *	settle.[ch]	nodes that come back
 *	query_reply.c	status, groups, users; explain_reply.c: explain; top_reply.c
 *	reason.[ch]	why a job waits, for its owner
 *	refusal.[ch]	Slurm's error codes -> classes
 *	room.c		what the plan leaves to jobs that start at once or never
 *
 * In mode act, decide also returns 1 when a start that needs a preemption is due.
 */
#ifndef CS_SCHED_FEED_ADAPTER_STATE_H
#define CS_SCHED_FEED_ADAPTER_STATE_H

#include "gate/gate.h"
#include "sched/adapter/adapter.h"
#include "sched/feed/clock.h"
#include "sched/feed/estimates.h"
#include "sched/feed/kept.h"
#include "common/engine/engine.h"
#include "common/log/write_line.h"
#include "sched/feed/known.h"
#include "sched/feed/news.h"
#include "sched/store/log_file.h"
#include "sched/view/view.h"

struct cs_refusal; /* apply/refusal.h */

struct cs_times { /* of a cycle; microseconds */
	int64_t look, feed, decide, apply, texts;
	int64_t look_step; /* the last, or longest, step of a look */
};

/* Lines of one kind for slurmctld's log: CS_RATE_MAX in CS_RATE_US. */
#define CS_RATE_MAX 8
#define CS_RATE_US INT64_C(600000000)

struct cs_rate {
	int64_t since_us; /* the engine's time; 0: never */
	uint32_t n;	  /* lines since, plus one about more */
};

#define CS_BAD_NAMES 64

struct cs_faults {
	uint32_t n, job; /* so far, and the last one's job */
	struct cs_rate lines;
};

/* What the engine was last told of nodes and jobs (feed/). */
struct cs_told {
	uint32_t *nodeset; /* [n_nodeset] the engine's number of a view's set */
	uint32_t n_nodeset;
	uint64_t *up;		   /* node set */
	struct cs_view_resv *resv; /* [n_resv] */
	uint32_t n_resv, cap_resv;
	uint64_t *unready; /* node set and end */
	int64_t unready_us;
	uint64_t *rebooting; /* the same for nodes that are to reboot */
	int64_t rebooting_us;
	uint64_t *haunted; /* the same for ghosts' nodes */
	int64_t haunted_us;
	bool ghosts;   /* some running jobs are not in the engine (reported) */
	bool left_out; /* the same for waiting ones */
	uint64_t bad_profile[CS_BAD_NAMES]; /* hashes of the last unknown names */
	struct cs_faults profiles_bad;	    /* unknown names */
	struct cs_faults comments_bad; /* jobs whose comment is malformed */
};

/* Jobs that are not fed yet: the names of their users are being looked up (feed.c, rule
 * 11). */
struct cs_unnamed {
	uint32_t n;	/* in the last snapshot */
	int64_t due_us; /* the first is then fed at the latest; cs_gate_now_us() */
	uint64_t answers; /* cs_users_answers() before that snapshot was fed */
};

#define CS_PREEMPT_JOBS 256
#define CS_PREEMPT_CYCLE 8 /* attempts in a cycle */

/* What the engine decided, on its way to Slurm (apply.c). */
struct cs_batch {
	struct cs_action *action; /* [n_action] copies that own `alloc` */
	size_t n_action, cap_action, next;
	uint32_t *refused; /* [n_refused] seqs refused in this batch */
	size_t n_refused, cap_refused;
	bool host_started; /* a job of this batch, by Slurm's own test */
	uint32_t rounds;   /* decides of this cycle */
	uint32_t parts;	   /* of the last one so far, if it has more; else 0 */
	int64_t guard_us; /* when one that waits after a stop is due (apply_slice.c) */
	bool guards;
	size_t limit_next; /* at the end of act: cs_apply_limits_due() */
	bool preempting;   /* act does preempt.c's part: some are due */
	bool preempted;	   /* that is done in this cycle */
	uint32_t preempts[CS_PREEMPT_JOBS]; /* [n_preempts] jobs that it looks at */
	uint32_t n_preempts;
	uint32_t due[CS_PREEMPT_CYCLE]; /* [n_due] the first of them that are due */
	uint32_t n_due;
	uint32_t preempt_tries; /* of this cycle */
	bool by_preempting; /* one has started: the next look tells the engine */
	uint32_t *freed; /* [cores of the system] the job that preempts for it, or 0;
			  * NULL: none (freed.c) */
	bool let_go; /* some no longer are: the engine has yet to hear of it */
};

/* Slices (apply_slice.c). */
struct cs_stops {
	struct cs_slice_now now; /* as of the last decide, if there are any */
	bool sliced;
	int64_t stopped_us; /* when a job was last stopped, cs_gate_now_us(); 0 */
	bool others;	    /* a job that somebody else suspended was found */
	int64_t again_us;   /* when to tell nodes again of a stop; 0: none */
};

/* order=ostrich: priorities to write (apply_rank.c). */
struct cs_ranks {
	uint32_t *id; /* [n] */
	size_t n, next;
	uint32_t least; /* the last job's number; 0: none waits */
};

/* What users read (apply_text.c, explain_reply.c). */
struct cs_texts {
	uint32_t next; /* where to continue */
	uint64_t *planned; /* node set of this round: a start is planned there ... */
	int64_t window_s;  /* ... within so long */
	uint32_t *plan_id; /* [n_plan] jobs that have likely nodes: */
	uint64_t *plan;	   /* [n_plan] node sets */
	int n_plan;	   /* or negative: no memory */
	uint32_t n_never;  /* jobs that fit nowhere, as of the last round */
	uint32_t first_never;
	struct cs_rate never; /* lines of them */
	int64_t sooner_us; /* nobody is told before of what is sooner; cs_gate_now_us() */
};

/* For status and the exporter; so far, where nothing else is said. */
struct cs_counts {
	struct cs_times last, most; /* cycle */
	uint64_t cycles;
	uint64_t events, started, refusals, would; /* its predecessors' too */
	uint64_t pairs_before;			   /* predecessors' alone */
	struct cs_pledges pledges_before;
	uint32_t cycle_started; /* in this cycle */
	uint32_t ended, snapshots;
};

struct cs_adapter {
	struct cs_params params;
	enum cs_mode mode;
	const char *act_slice; /* the slice that mode act would have; NULL */
	bool all_partitions;
	bool (*halted)(void);
	struct cs_logfile *log; /* borrowed, may be NULL */
	struct cs_profiles *profiles;
	char *profile_file; /* its content, or NULL: none is set */
	size_t n_profile_file;
	struct cs_view *view;
	struct cs_engine *engine;
	struct {
		uint64_t changes; /* cs_engine_changes(), plus 1; 0: not queried */
		int64_t next_us;
	} wakeup; /* cs_engine_next_wakeup_us() */
	struct cs_known known;
	struct cs_unnamed unnamed;
	uint64_t names; /* cs_users_version() at the last save */

	int64_t now_us;	    /* latest time told the engine */
	int64_t decided_us; /* that of the last decide */
	int64_t looked_us;  /* that of the last snapshot */
	bool looking;	    /* a look has begun, and has steps left */
	int64_t began_us;   /* that of its first one, or of the first of those
			       adapters that it followed at once; 0: none yet */
	int64_t served_us;  /* as in struct cs_adapter_setup */
	struct cs_clock clock;

	uint64_t machine;    /* cs_gate_machine() at the last comparison */
	uint32_t first_sets; /* of the view at the first snapshot */
	bool untidy;	     /* a known job is to be tidied */
	bool dirty;	     /* what save() writes has changed */
	bool wrote;	     /* Slurm's records, which it should save */
	bool untold;	     /* some limits have changed: apply_account.c */

	char *line; /* [n_line] for the event log */
	size_t n_line;

	struct cs_told told;
	struct cs_news news;
	struct cs_restored restored;
	struct cs_ended_jobs ended;
	struct cs_batch batch;
	struct cs_stops stops;
	struct cs_ranks ranks;
	struct cs_texts texts;
	struct cs_start_estimates estimates;
	struct cs_counts count;
};

/* ---- feed.c ---------------------------------------------------------------- */

/* Nodes not ready yet, as an advance reservation that began before anything
 * relevant. */
#define CS_FEED_UNREADY UINT32_MAX
/* Nodes with running jobs unknown to the engine. */
#define CS_FEED_HAUNTED (UINT32_MAX - 1)
/* Nodes that are to reboot. */
#define CS_FEED_REBOOTING (UINT32_MAX - 2)
#define CS_FEED_LONG_US INT64_C(3600000000)
/* Our reservation number @id until @until_us: it has begun. */
static inline struct cs_view_resv
cs_feed_kept_off(const struct cs_adapter *b, uint32_t id, int64_t until_us)
{
	int64_t from_us = until_us < b->now_us ? until_us : b->now_us;

	return (struct cs_view_resv){
		.id = id,
		.start_us = from_us - CS_FEED_LONG_US,
		.end_us = until_us,
		.flags = id == CS_FEED_HAUNTED ? CS_RESV_ALL | CS_RESV_TAKEN
					       : CS_RESV_ALL,
	};
}

/* A new engine for the adapter's machine, by its parameters, in the mode in force: with
 * cosched_partition_modes the parameter may say another.  NULL with @err set. */
struct cs_engine *cs_feed_engine(const struct cs_adapter *b,
				 struct cs_err *err);

/* Tell the engine what is new in the snapshot.  0, -ESTALE, -ENOMEM. */
int cs_feed(struct cs_adapter *b, struct cs_err *err);

/* Tell the engine that cores are free that it never counted as taken: those of a ghost
 * (feed.c, rule 3), or kept for a job that preempts.  What was refused may be tried again.
 * 0, -ESTALE. */
int cs_feed_freed(struct cs_adapter *b, struct cs_err *err);

/* A stop takes 2 s.  Within slice_guard_s, which is 3 s or more: nodes are told again
 * before other jobs come. */
#define CS_SLICE_SOON_US INT64_C(2500000)

/* Tell nodes again at @at_us (apply_slice.c). */
static inline void cs_slice_again(struct cs_adapter *b, int64_t at_us)
{
	if (!b->stops.again_us || at_us < b->stops.again_us)
		b->stops.again_us = at_us;
}

/* ---- feed_job.c ------------------------------------------------------------- */

/* SUBMIT, CHANGE or REQUEUE of a job as now known; a job that the engine refuses is
 * left out. */
int cs_feed_describe(struct cs_adapter *b, struct cs_known_job *k,
		     enum cs_event_type type, struct cs_err *err);
/* A job known to wait runs, by @j, without a proposal. */
int cs_feed_running(struct cs_adapter *b, struct cs_known_job *k,
		    const struct cs_view_job *j, struct cs_err *err);
/* A running job holds @a now; if the engine refuses that, it is a ghost. */
int cs_feed_resize(struct cs_adapter *b, struct cs_known_job *k,
		   const struct cs_alloc *a, struct cs_err *err);
/* Make a running job that the engine refused for @err a ghost; @out, CANCEL or FINISH,
 * removes it from the engine. */
int cs_feed_ghost(struct cs_adapter *b, struct cs_known_job *k,
		  enum cs_event_type out, const struct cs_err *err);

/* The job in the engine's form; pointers into @k and @store. */
struct cs_feed_store {
	struct cs_job_partition option[CS_VIEW_PARTS];
	char partition[512];
	char profile[CS_PROFILE_NAME];
};
int cs_feed_job(struct cs_adapter *b, struct cs_known_job *k,
		struct cs_feed_store *store, struct cs_job *ret);

/* Report a job as running, on @a (what it got): the table follows the engine's answer.
 * @seq 0: no proposal. */
struct cs_feed_start {
	uint32_t seq, id, array_id, option, restarts, n_node, cpus;
	int64_t start_us, limit_us;
	uint64_t mem_mb;
	const struct cs_alloc *alloc;
	const struct cs_action *action;
};
int cs_feed_started(struct cs_adapter *b, const struct cs_feed_start *s,
		    struct cs_err *err);
int cs_feed_refused(struct cs_adapter *b, const struct cs_action *a,
		    enum cs_refused class, const char *why,
		    const struct cs_forecast *f, struct cs_err *err);

/* ---- apply*.c, preempt.c (write locks) -------------------------------------- */

/* Must a step leave the rest of its work: the locks are to be released at @until_us, and
 * once scheduling is halted? */
static inline bool cs_step_over(const struct cs_adapter *b, int64_t until_us)
{
	return cs_gate_now_us() >= until_us || b->halted();
}

/* Continue the batch; 1: more, CS_ADAPTER_GUARD: more, but not before b->batch.guard_us,
 * 0: done, a negative errno. */
int cs_apply(struct cs_adapter *b, int64_t until_us, struct cs_err *err);
/* Refuse the rest of the batch for @why, and carry out what needs no answer (limits,
 * groups): the engine relies on it.  0 or an error of cs_feed_event(). */
int cs_apply_refuse(struct cs_adapter *b, const struct cs_refusal *why,
		    struct cs_err *err);

/* Is a start due of jobs that may preempt and that the engine cannot place?  Then they
 * are chosen (no lock): O(jobs). */
bool cs_preempt_choose(struct cs_adapter *b);
/* Try those chosen, if @start is not NULL those that go before it.  0; 1: more is left;
 * CS_ADAPTER_LOOK: done, and one has started; -ENOMEM. */
int cs_preempt(struct cs_adapter *b, const struct cs_action *start,
	       int64_t until_us, struct cs_err *err);

/* Jobs whose run is over get back their original limit and comment.  Before others may
 * get new ones. */
void cs_apply_limit_tidy(struct cs_adapter *b);
/* Act ends: the limits that no decide gives any more (apply_limit.c, rule 7).  1: more
 * are left. */
int cs_apply_limits_due(struct cs_adapter *b, int64_t until_us);
int cs_apply_text(struct cs_adapter *b, int64_t until_us);
/* The nodes that it shows, when all is decided.  No lock. */
void cs_apply_text_plan(struct cs_adapter *b);
/* order=ostrich: priorities that follow the order.  Compute, no lock; write, 1 if more
 * is left. */
int cs_apply_rank(struct cs_adapter *b); /* 0, -ENOMEM */
int cs_apply_rank_write(struct cs_adapter *b, int64_t until_us);

/* ---- checkpoint.c ----------------------------------------------------------------- */

void cs_checkpoint_read(struct cs_adapter *b, const char *text, size_t len);
/* The lines of cs_checkpoint_learned(); after those of the state, which they
 * replace. */
void cs_checkpoint_read_learned(struct cs_adapter *b, const char *text);
/* The line of the state for @k, which runs or is suspended, or has just ended; false: it
 * needs none. */
bool cs_checkpoint_of(const struct cs_adapter *b, const struct cs_known_job *k,
		      struct cs_kept *ret);
/* The lines of cs_adapter_estimates_save().  0, -ENOMEM. */
int cs_checkpoint_read_estimates(struct cs_adapter *b, const char *text);
/* What was saved of job @id, whatever its run; of the run that @j is in; NULL: nothing. */
const struct cs_kept *cs_checkpoint_find(const struct cs_adapter *b,
					 uint32_t id);
const struct cs_kept *cs_checkpoint_run(const struct cs_adapter *b,
					const struct cs_view_job *j);
/* The jobs of @text, a saved state: their number, and a list to free. */
uint32_t cs_checkpoint_jobs(const char *text, size_t len, struct cs_kept **ret);
/* The line of job @id in the state that was read, or NULL. */
struct cs_kept *cs_checkpoint_kept(const struct cs_adapter *b, uint32_t id);
/* The name under which the job @id of @uid was fed before, if that is not its user's
 * present one; else NULL. */
const char *cs_checkpoint_user(const struct cs_adapter *b, uint32_t id,
			       uint32_t uid);
/* The same of jobs of the adapter before.  0, -ENOMEM. */
int cs_checkpoint_take_names(struct cs_adapter *b,
			     const struct cs_adapter *before);
/* Forget these. */
void cs_checkpoint_drop_names(struct cs_restored *r);
/* Tell the engine what it had us save.  Before the first job.  0, -ENOMEM. */
int cs_checkpoint_tell(struct cs_adapter *b);
/* The same, as of now, into the event log. */
void cs_checkpoint_log(struct cs_adapter *b);

/* May one more line be logged?  The one after the last says that there are more of
 * @what (feed_job.c). */
bool cs_rate_lets(const struct cs_adapter *b, struct cs_rate *r,
		  const char *what);

/* One line for slurmctld's log (say.c: the only tie of feed.c to Slurm). */
void cs_say(bool bad, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
