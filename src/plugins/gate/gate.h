/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate: what the two shadow plugins share.
 *
 * Both plugins link libcosched_plan.so, which the dynamic linker maps once, so
 * inside slurmctld there is one table:
 *
 *	select -> sched		I am loaded (cs_gate_select_live); a start was
 *				refused or a job has ended (cs_gate_wake)
 *	sched -> select		gate on or off; the start that is in progress;
 *				a heartbeat; the room that the plan leaves
 *
 * The gate.  While it is on, the only start that may pass is the one that the
 * scheduling thread has begun, requested by that thread.  It is off until the thread
 * turns it on, and lapses by itself when the thread's heartbeat stops: if we die, no job
 * is locked out.
 *
 * The table outlives unloading and reloading of the sched plugin (by a failed
 * reconfigure); cs_gate_reset() makes it safe to continue.
 *
 * Thread safe.  Only cs_gate_wait_until() blocks; no call takes one of Slurm's locks.
 * Time is CLOCK_MONOTONIC in microseconds (cs_gate_now_us).
 */
#ifndef CS_GATE_GATE_H
#define CS_GATE_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Increases with every change of this interface.  A plugin installed over a running
 * slurmctld meets the old table: it must compare cs_plan_abi() with this before any
 * other call.
 */
#define CS_GATE_ABI 10

unsigned cs_plan_abi(void);

int64_t cs_gate_now_us(void);

/* ---- presence ------------------------------------------------------------ */

/* The select shadow is loaded in this process, built for @release (Slurm's
 * version number); 0: no longer loaded, or not to be relied on. */
void cs_gate_select_live(uint32_t release);

/* The release given above, or 0 if this process gave none. */
uint32_t cs_gate_select_release(void);

/* The same for the sched shadow: it was loaded at least once in this process. */
void cs_gate_sched_seen(uint32_t release);
uint32_t cs_gate_sched_release(void);

/* ---- the gate ------------------------------------------------------------ */

enum cs_gate { CS_GATE_OFF, CS_GATE_ON, CS_GATE_LAPSED };

/* Gate off, no start in progress, no wake-up pending, no room.  Counts are kept. */
void cs_gate_reset(void);

#define CS_GATE_LIST_MAX 2048 /* bytes of a list of partitions, with its 0 */

/*
 * On: starts from now on need a plan; lapses after @hang_s seconds (> 0) without a
 * cs_gate_beat().  Counts as a beat itself.  The gate is for every partition (@gated)
 * or for none, except those in @except, names joined by '+'.  0; -E2BIG: the list is too
 * long, the gate is unchanged.
 */
int cs_gate_on(unsigned hang_s, bool gated, const char *except);
void cs_gate_off(void);
enum cs_gate cs_gate_state(void);

/* Does the scheduling thread set waiting jobs' priorities (mode act with
 * order=ostrich), so that no other part of ours may?  It says so (set) when it turns
 * the gate on; never while the gate is off. */
void cs_gate_ranks(bool set);
bool cs_gate_ranked(void);

/* The scheduling thread is alive.  Does not undo a lapse: gate_on() does. */
void cs_gate_beat(void);

/* ---- the start in progress ----------------------------------------------- */

/*
 * How select's job_test must handle a start.  The maps are the caller's and must stay
 * valid until cs_gate_start_end(); Slurm's bitstr_t, opaque here.
 */
struct cs_gate_start {
	uint32_t job_id;   /* for an array: the array's id */
	const void *nodes; /* bit per node: only on these; NULL: any */
	const void *cores; /* bit per core of the system: exactly these; NULL:
				Slurm chooses among those not forbidden */
	const void *forbidden; /* bit per core of the system, NULL: none */
};

/* Around one call of select_nodes(), by the scheduling thread, under the job
 * write lock.  begin: at most one at a time. */
void cs_gate_start_begin(const struct cs_gate_start *start);
/* True: it was tested in vain, it waits for fewer switches
 * (cs_gate_start_switches()). */
bool cs_gate_start_end(void);
/* Slurm has nodes for it, but on more switches than it asked for, and may wait. */
void cs_gate_start_switches(void);

enum cs_gate_verdict {
	CS_VERDICT_PASS,   /* no gate here: as without us */
	CS_VERDICT_LAPSE,  /* the same, and it has just lapsed: report it */
	CS_VERDICT_IMPOSE, /* as in *ret_start */
	CS_VERDICT_REFUSE, /* not now; the thread has been woken */
	CS_VERDICT_ROOM,   /* where the plan has room: cs_gate_ask_now() */
};

/* May the calling thread start @job_id in @partition now?  @ret_start is set for
 * IMPOSE. */
enum cs_gate_verdict cs_gate_ask(uint32_t job_id, const char *partition,
				 struct cs_gate_start *ret_start);

/* ---- room left by the plan ----------------------------------------------- */

/*
 * A job that starts at once or never (srun --immediate) cannot wait for a plan.  It
 * passes the gate on nodes that no job wants before its limit ends and where no running
 * job must stay alone: there it delays none.  After each look, and again after each
 * decide, the thread says when nodes are wanted; the gate finds the running jobs in
 * Slurm's own records.
 */
struct cs_gate_room {
	uint32_t n_node;
	/* [n_node] cs_gate_now_us() from which on a waiting job may start there;
	 * INT64_MAX: none */
	const int64_t *wanted_us;
	size_t n_joinable;
	const uint32_t *joinable; /* [n_joinable] ids, increasing: running jobs
				     that may have neighbours */
};

/* Valid from now on; copied.  0, -ENOMEM: no room now. */
int cs_gate_room_set(const struct cs_gate_room *room);
/* No room until it is set again. */
void cs_gate_room_void(void);

/* The last set, held until released; NULL: none. */
const struct cs_gate_room *cs_gate_room_hold(void);
void cs_gate_room_release(const struct cs_gate_room *room);
bool cs_gate_room_joinable(const struct cs_gate_room *room, uint32_t job_id);

/* As cs_gate_ask(), for a job that starts at once or never: CS_VERDICT_ROOM if that
 * would refuse. */
enum cs_gate_verdict cs_gate_ask_now(uint32_t job_id, const char *partition,
				     struct cs_gate_start *ret_start);
/* It found room and started; it found none and is refused. */
void cs_gate_passed(void);
void cs_gate_refused(void);

/* ---- wake-up ------------------------------------------------------------- */

enum cs_wake {
	CS_WAKE_REFUSED = 1 << 0, /* a start was refused: a job waits */
	CS_WAKE_FREED = 1 << 1,	  /* a job ended or was suspended */
	CS_WAKE_MACHINE = 1 << 2, /* nodes or partitions were rebuilt */
	CS_WAKE_CONFIG = 1 << 3,  /* parameters may have changed */
	CS_WAKE_ASK = 1 << 4,	  /* the socket has a question */
	CS_WAKE_STOP = 1 << 5,	  /* the plugin is being unloaded */
	CS_WAKE_NAMES = 1 << 6,	  /* a user's name was looked up */
	CS_WAKE_FILE = 1 << 7,	  /* a file that the settings name, and that
					 hung, answers */
};

void cs_gate_wake(unsigned reasons);

/* Number of CS_WAKE_MACHINE wake-ups: while it is the same, so are the nodes and their
 * order.  Compare it under slurmctld's locks. */
uint64_t cs_gate_machine(void);

/* Sleep until @deadline_us or woken; returns and clears the reasons, 0 at the
 * deadline. */
unsigned cs_gate_wait_until(int64_t deadline_us);

/* ---- counts, since the process started ----------------------------------- */

enum cs_count {
	CS_COUNT_REFUSED,     /* starts refused at the gate */
	CS_COUNT_IMPOSED,     /* starts that Slurm accepted as planned */
	CS_COUNT_UNFIT,	      /* planned starts that Slurm could not do */
	CS_COUNT_LAPSED,      /* times the gate lapsed */
	CS_COUNT_RESUME_BUSY, /* resumes refused: cores taken, node down */
	CS_COUNT_HEALED,      /* stale job pointers avoided */
	CS_COUNT_PASSED,      /* starts passed where the plan left room */
	CS_COUNT_N
};

void cs_gate_count(enum cs_count what);
uint64_t cs_gate_counted(enum cs_count what);

#endif
