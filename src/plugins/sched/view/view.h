/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot of slurmctld as plain copies: without Slurm's pointers, read without
 * locks, arrays reused from one to the next.
 *
 *	view_nodes.c	nodes: shape, and which are usable for a start
 *	view_topology.c	how they are joined; view_sites.c: sites
 *	view_het.c	requests of heterogeneous jobs
 *	view_sets.c	which nodes a job may use, as numbered sets
 *	view_jobs.c	jobs: those that wait, run and are new
 *	view_asked.c	jobs: what they ask for
 *	view_ahead.[ch]	Slurm's records of them, fetched before they are read
 *	view_limits.c	jobs: their times, and their maxima
 *	view_alloc.c	jobs: what they hold
 *	view_again.c	jobs that have not changed
 *	view_before.[ch]	where the look before has them
 *	view_queue.c	which jobs may start, by Slurm's own tests
 *	view.c		the arrays; view_data.h: what is in them
 *	view_table.[ch]	numbers of names and of sets
 *
 * Only the view_*.c include Slurm.
 */
#ifndef CS_SCHED_VIEW_VIEW_H
#define CS_SCHED_VIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/view/view_data.h"

/* time(2) may lag behind the clock by a tick: wait until Slurm agrees. */
#define CS_VIEW_TICK_US 20000

/* ---- view.c -------------------------------------------------------------- */

/* @params is borrowed.  NULL: no memory. */
struct cs_view *cs_view_create(const struct cs_params *params,
			       enum cs_mode mode, bool all_partitions);
void cs_view_free(struct cs_view *v);
void cs_view_clear(struct cs_view *v); /* before a snapshot */
/* Look again by @engine_us, the engine's time. */
void cs_view_wake(struct cs_view *v, int64_t engine_us);

/* Its arrays; then it is that of a node that is not there. */
void cs_view_map_done(struct cs_view_map *map);

/* Iterate over blocks: NULL gives the first, and the last gives NULL. */
struct cs_view_job *cs_view_next(const struct cs_view *v,
				 const struct cs_view_job *j);
struct cs_view_option *cs_view_options(const struct cs_view_job *j);
/* Bytes that describe the job, for a comparison. */
const void *cs_view_bytes(const struct cs_view_job *j, size_t *ret_size);

/* Append a zeroed block of @n_option options and @texts bytes of strings; NULL: no
 * memory (v->nomem is set). */
struct cs_view_job *cs_view_add(struct cs_view *v, uint32_t n_option,
				size_t texts);
bool cs_view_take_alloc(struct cs_view *v, struct cs_view_job *j,
			struct cs_alloc *a);

/* ---- view_nodes.c and those behind it ------------------------------------ */

/* Read the shape of the machine.  Read locks.  0, -ENOMEM, -EINVAL. */
int cs_view_machine(struct cs_view *v, struct cs_err *err);
/* Its topology; has it changed?  Read locks.  0, -ENOMEM. */
int cs_view_topology(struct cs_view *v);
bool cs_view_topology_changed(const struct cs_view *v);
/* Its sites; errors go to v->site_error, notes to v->site_note, both to the log.  Have
 * the partitions that they are changed?  Read locks. */
void cs_view_sites(struct cs_view *v);
bool cs_view_sites_changed(const struct cs_view *v);
/* Follow the nodes that have come, gone or changed, into v->moved.  Read locks.
 * 0; 1: some have; -ENOMEM; -ERESTART: more has changed, as @err says, and the view is
 * obsolete.
 * O(nodes). */
int cs_view_machine_follow(struct cs_view *v, struct cs_err *err);
/* Which nodes are usable now. */
void cs_view_usable(struct cs_view *v);

/* view_sets.c's part of a view. */
struct cs_view_made *cs_view_made_create(void);
void cs_view_made_free(struct cs_view_made *m);

/* The reservations; also discards the sets' sources if nodes, partitions or
 * reservations have changed. */
void cs_view_reservations(struct cs_view *v);

/* Jobs that run or are suspended, reporting ended ones to @ended; whether Slurm starts
 * any now; and a list of those that wait.  Read locks. */
void cs_view_jobs(struct cs_view *v, cs_view_known_fn *known,
		  cs_view_ended_fn *ended, void *arg);

/* Has Slurm created a job since?  Read locks. */
bool cs_view_any_new(const struct cs_view *v);
/* Add to the list those that wait; false: only another cs_view_jobs() can tell of all.
 * Read locks. */
bool cs_view_list_new(struct cs_view *v);

/* The next of the listed jobs, until @until_us (cs_gate_now_us()), but at least some;
 * true: more are left.  Those that wait no longer are reported to @left.  In mode act
 * cs_view_ask() them.  Read locks; in mode act write locks. */
bool cs_view_waiting(struct cs_view *v, int64_t until_us, cs_view_left_fn *left,
		     void *arg);

/*
 * May the waiting job @j start?  Slurm's own tests (compat/runnable.h), association and
 * QOS limits, deadline.  Sets CS_JOB_BLOCKED, priorities, QOS and reservation in @j.
 * After them all, cs_view_queue_end(): the same for those that need licences, and burst
 * buffers.  Write locks.
 */
void cs_view_ask(struct cs_view *v, struct cs_view_job *j);
void cs_view_queue_end(struct cs_view *v);
/* Instead of cs_view_ask(): as it was answered in the look before. */
void cs_view_answer(struct cs_view *v, struct cs_view_job *j);

/* Cores of engine node @node in Slurm's map of the system. */
uint32_t cs_view_system_cores(const struct cs_view *v, uint32_t node);

/* Core @core, less than that, of engine node @node as a bit of that map. */
uint32_t cs_view_system_core(const struct cs_view *v, uint32_t node,
			     uint32_t core);

/* Has a node become another that the engine does not know of? */
static inline bool cs_view_any_moved(const struct cs_view *v)
{
	for (uint32_t w = 0; w < cs_node_words(v->machine); w++)
		if (v->moved[w])
			return true;
	return false;
}

#endif
