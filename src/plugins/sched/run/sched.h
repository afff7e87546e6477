/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the sched shadow: the scheduling thread's state.
 *
 *	plugin.c	Slurm's entry points: init, fini, sched_p_reconfig
 *	thread.c	life of the thread: first lock, waiting, waking
 *	mode_change.c	from one mode to another, falling back
 *	sched_cycle.c		one pass: look, feed, decide, act
 *	status.c	answers to `cosched status` and the like
 *	settings.c		the site's settings
 *	stock.c		Slurm's own scheduler
 *	watchdog.c	when mode act must end
 *	fallback.c	when it is tried again
 *	sdiag.c		our cycles in Slurm's figures
 *	early.c		the gate before the thread starts
 *	last_good.c	settings that outlive a reconfigure
 *	saved.c		state and what was learned, on disk
 *	state_file.c log_file.c	our files; without Slurm
 *	socket.c control_conn.c control_queue.c	the control socket
 *	adapter.h	the engine's side
 *
 * All of struct cs_sched belongs to that one thread.
 */
#ifndef CS_SCHED_RUN_SCHED_H
#define CS_SCHED_RUN_SCHED_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "sched/adapter/adapter.h"
#include "compat/calls.h"
#include "sched/apply/after_act.h"
#include "sched/apply/let_go.h"
#include "sched/store/log_file.h"
#include "sched/run/fallback.h"
#include "sched/run/settings.h"
#include "sched/run/watchdog.h"

/* Holding back while slurmctld works on max_rpc_cnt requests. */
struct cs_sched_rpcs {
	bool over;
	int64_t since_us; /* over: cs_gate_now_us() */
	uint64_t times;	  /* so far */
	int64_t total_us; /* of those that are over */
};

struct cs_sched {
	struct cs_settings settings;
	enum cs_mode mode;  /* in force */
	struct cs_err why;  /* why it is not the configured one, or "" */
	bool warned;	    /* of the site's settings, once per start */
	uint64_t keys_told; /* Slurm's keys that were named last: site_check.h */
	bool recalled;	    /* settings are an earlier process's: last_good.h */
	bool left;	    /* no waiting job shows what act wrote */
	struct cs_after after; /* jobs of mode act, in another mode */

	bool layout_sure;     /* every kind of record was compared */
	struct cs_err layout; /* the mismatch, or "" */

	unsigned site;	       /* bits of enum cs_site: what is unsuitable */
	bool gang;	       /* PreemptMode has GANG */
	uint32_t grace_s;      /* cs_stop_grace_s() */
	time_t made_s;	       /* when the plugin was loaded */
	int64_t began_us;      /* in service since then, cs_gate_now_us() */
	bool all_go;	       /* no job is stopped by a time slice */
	unsigned left_stopped; /* else: jobs; 0 where there are slices */
	int64_t let_go_us;     /* else: when to try again, cs_gate_now_us() */
	enum cs_let_go told;   /* what nodes have been told (let_go.h) */
	int64_t told_us;       /* when */
	bool factor;	       /* site_factor/ostrich is in use */
	char select_type[64];  /* SelectType */
	char state_dir[PATH_MAX];
	struct cs_err state_error; /* of the last save, or "" */
	unsigned unsaved;	   /* the troubles reported (saved.c), bits */
	uint64_t learned_on;	  /* node types of what was learned before; 0 */
	const char *learned_from; /* its file */
	int64_t estimates_us; /* their history may next be saved, cs_gate_now_us() */
	char *sites;	      /* the last good ones; NULL: not looked for */
	struct cs_adapter *adapter; /* NULL in mode off */
	struct cs_logfile *log;	    /* NULL: none */
	struct cs_watchdog dog;
	struct cs_fallback fallback;
	bool fallback_known; /* the record of an earlier process was read */
	unsigned stale; /* consecutive cycles in which engine and Slurm differed */
	int64_t rebuilt_us; /* last built for a changed machine, cs_gate_now_us(); 0 */
	int64_t rebuild_us; /* until then a changed machine waits, and nothing is
			       decided; 0: it is the adapter's */

	struct cs_stamps stamps; /* of the last look */
	struct cs_sched_rpcs rpcs;
	int64_t ended_us; /* when the last cycle ended, cs_gate_now_us() */
	int64_t held_us;  /* the locks in that cycle */
	int64_t look_us;  /* the locks in its look */
	int64_t news_us; /* when new jobs may next be looked for, cs_gate_now_us() */
	bool look_due;	    /* what they need is a whole cycle */
	int64_t checked_us; /* when the invariants were last checked */
	int64_t published_us;
	int64_t locked_us; /* total time held in cycles */
	bool unfinished; /* the last cycle ended in the middle of a decide, or of a
			      look or a batch as scheduling was halted */
	bool halted;	 /* ... in the middle of a look */
	unsigned cuts; /* such cycles in a row: of one decide, begun anew */
	/* Of the last cycles in a row that started jobs: */
	struct {
		uint64_t starts;
		int64_t took_us, locked_us;
	} batch;
	uint64_t cycles;
};

/* ---- thread.c ------------------------------------------------------------ */

/* Does slurmctld end, or has the plugin been told to?  No more jobs are started, stopped
 * or resumed then: slurmctld sends no message to a node any more. */
bool cs_sched_ends(void);

/* The same, or is scheduling disabled, as in a federation, or do max_rpc_cnt requests
 * pend?  For the scheduling thread. */
bool cs_sched_halted(void);

/* ---- mode_change.c ------------------------------------------------------------ */

enum cs_configure {
	CS_CONFIGURE_CHECK, /* the mode may be possible no more */
	CS_CONFIGURE_FILES, /* a file that the settings name may be another */
	CS_CONFIGURE_AGAIN, /* the administrator has reconfigured: a mode which the
			       watchdog ended is tried again, too */
};

/* Read the settings and go to their mode, as far as is safe.  Holds no lock. */
void cs_sched_configure(struct cs_sched *s, enum cs_configure how);

/* Compare kinds of records not seen before; on a mismatch go to mode off. */
void cs_sched_check_layout(struct cs_sched *s);

/* Mode act or shadow ends now; stock scheduling goes on.  One loud line. */
void cs_sched_fall_back(struct cs_sched *s, enum cs_fallback_cause cause,
			const char *why);

/* Try the mode again if its pause is over; forget old fall-backs (fallback.h). */
void cs_sched_return(struct cs_sched *s);

/* Engine and Slurm disagree: build the adapter anew, keeping the saved state.  Falls back
 * if they did in each of the last cycles. */
void cs_sched_rebuild(struct cs_sched *s, const char *why);

/* The same since the machine has changed, which is no fault.  Several changes in a row
 * are taken together: until the adapter has the new machine no cycle runs. */
void cs_sched_machine_changed(struct cs_sched *s, const char *why);

/* The same if the adapter has outgrown its use. */
void cs_sched_renew(struct cs_sched *s);

/* The plugin is being unloaded: save, leave, stop all.  The gate of mode act stays
 * closed for the successor (early.h). */
void cs_sched_shut(struct cs_sched *s);

/* Tell nodes which jobs are stopped by time slices: at once, before any plan. */
void cs_sched_tell_stopped(struct cs_sched *s);

/* Without time slices, or no longer: resume jobs they have stopped, as soon as their
 * cores are free.  @freed: some are. */
void cs_sched_let_go(struct cs_sched *s, bool freed);

/* Jobs that mode act has started are looked after in another mode: those that wait again
 * get their limits back. */
void cs_sched_after_act(struct cs_sched *s);

/* Have state and event log written, as far as they have changed (saved.c); waits for no
 * disk. */
void cs_sched_save(struct cs_sched *s);

/* ---- sched_cycle.c ------------------------------------------------------------- */

/* The latest time to wake, in cs_gate_now_us()'s clock.  @pending: reasons (enum
 * cs_wake but ASK) for a cycle that was not yet due. */
int64_t cs_sched_next_us(const struct cs_sched *s, unsigned pending);

/* Is there anything new, and have we rested since the last cycle? */
bool cs_sched_due(const struct cs_sched *s, unsigned pending);

void cs_sched_cycle(struct cs_sched *s);

/* Between two cycles: may jobs have come? @pending as above.  Then see to them alone. */
bool cs_sched_news_due(const struct cs_sched *s, unsigned pending);
void cs_sched_news(struct cs_sched *s);

/* Work for a few milliseconds on estimates of starts, if that is due. */
void cs_sched_estimate(struct cs_sched *s);

/* The thread is alive: close the gate again if it has lapsed. */
void cs_sched_close_again(struct cs_sched *s);

/* Have all nodes registered since slurmctld began, or had their time?  Takes the read
 * locks. */
bool cs_sched_nodes_there(const struct cs_sched *s);

/* ---- status.c ------------------------------------------------------------ */

/* Answer the questions that wait, for a bounded time; the rest at the next turn. */
void cs_sched_answer(struct cs_sched *s);

/* Keep a status for askers while the thread is busy. */
void cs_sched_publish(struct cs_sched *s);

#endif
