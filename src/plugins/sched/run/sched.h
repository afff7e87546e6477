/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the sched shadow: what the scheduling thread holds.
 *
 *	plugin.c	what Slurm calls: init, fini, sched_p_reconfig
 *	thread.c	life of the thread: first lock, waiting, waking
 *	mode_change.c	from one mode to another, falling back
 *	sched_cycle.c		one pass: look, feed, decide, act
 *	status.c	what `cosched status` and the like are told
 *	settings.c		what the site has set
 *	stock.c		Slurm's own scheduler
 *	watchdog.c	when mode act must end
 *	sdiag.c		our cycles in Slurm's figures
 *	early.c		the gate before the thread is there
 *	last_good.c	settings that outlive a reconfigure
 *	state_file.c log_file.c	our files; without Slurm
 *	socket.c control_conn.c control_queue.c	the control socket
 *	adapter.h	the engine's side
 *
 * Everything in struct cs_sched belongs to the one thread.
 */
#ifndef CS_SCHED_RUN_SCHED_H
#define CS_SCHED_RUN_SCHED_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "sched/adapter/adapter.h"
#include "compat/calls.h"
#include "sched/store/log_file.h"
#include "sched/run/settings.h"
#include "sched/run/watchdog.h"

struct cs_sched {
	struct cs_settings settings;
	enum cs_mode mode; /* that runs now */
	struct cs_err why; /* why it is not the one that was set, or "" */
	bool tripped;	   /* the watchdog ended act; until reconfigured */
	bool warned;	   /* of the site's settings, once a start */
	bool recalled;	   /* settings are of the process before: last_good.h */
	bool left;	   /* no job shows a reason of ours */

	bool layout_sure;     /* every kind of record was compared */
	struct cs_err layout; /* what does not fit, or "" */

	unsigned site;	      /* bits of enum cs_site: what does not suit */
	bool gang;	      /* PreemptMode has GANG */
	bool all_go;	      /* no job is stopped by a time slice */
	int64_t let_go_us;    /* else: when to try again, cs_gate_now_us() */
	bool factor;	      /* site_factor/ostrich is in use */
	char select_type[64]; /* SelectType */
	char state_dir[PATH_MAX];
	struct cs_err state_error;  /* of the last save, or "" */
	struct cs_adapter *adapter; /* NULL in mode off */
	struct cs_logfile *log;	    /* NULL: none */
	struct cs_watchdog dog;
	unsigned stale; /* rebuilt so many cycles in a row */

	time_t looked_s;    /* when the last look began */
	int64_t ended_us;   /* when the last cycle ended, cs_gate_now_us() */
	int64_t checked_us; /* when the invariants were last checked */
	int64_t published_us;
	int64_t locked_us; /* how long they were held in cycles so far */
	uint64_t cycles;
};

/* ---- mode_change.c ------------------------------------------------------------ */

/*
 * Read the settings and go to the mode that they ask for, as far as is safe.
 * @again: the administrator has said reconfigure, so what the watchdog stopped
 * may try again.  Holds no lock.
 */
void cs_sched_configure(struct cs_sched *s, bool again);

/* Compare the kinds of records that were not there before; where one does not fit
 * go to mode off. */
void cs_sched_check_layout(struct cs_sched *s);

/* Mode act or shadow ends now; stock scheduling goes on.  One loud line. */
void cs_sched_fall_back(struct cs_sched *s, const char *why);

/* Make the adapter anew, keeping what the state holds.  0, or it fell back. */
int cs_sched_rebuild(struct cs_sched *s, const char *why);

/* The same where the adapter has outgrown its use. */
void cs_sched_renew(struct cs_sched *s);

/* The plugin is being unloaded: save, leave, stop all.  The gate of mode act stays
 * closed, for who comes next (early.h). */
void cs_sched_shut(struct cs_sched *s);

/* Where no time slices are, or no longer: let go whom they have stopped, as soon as
 * their cores are free.  @freed: some are. */
void cs_sched_let_go(struct cs_sched *s, bool freed);

/* Write the state file if it is out of date. */
void cs_sched_save(struct cs_sched *s);

/* ---- sched_cycle.c ------------------------------------------------------------- */

/* When to wake at the latest, in cs_gate_now_us()'s clock.  @pending: reasons
 * (enum cs_wake but ASK) for a cycle that was not due yet. */
int64_t cs_sched_next_us(const struct cs_sched *s, unsigned pending);

/* Is there something new, and have we rested since the last cycle? */
bool cs_sched_due(const struct cs_sched *s, unsigned pending);

void cs_sched_cycle(struct cs_sched *s);

/* ---- status.c ------------------------------------------------------------ */

/* Answer the question on the desk, if there is one. */
void cs_sched_answer(struct cs_sched *s);

/* Keep a status for those who ask while the thread is busy. */
void cs_sched_publish(struct cs_sched *s);

#endif
