/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the select shadow.
 *
 *	plugin.c	what Slurm calls: loading, and every operation handed on
 *	start.c		job_test: the gate, and the plan's nodes and cores
 *	room.c		who may pass the gate without a plan, and where
 *	cores.c		job_fini, job_suspend, job_resume, reconfigure
 *	stopped.c	cores of jobs that a time slice stopped
 *	live.c		whether to act at all
 *	watch.c		is the sched shadow there?
 *
 * The shadow is the stock select/cons_tres to everybody: type, id and wire
 * format are its.  It acts in slurmctld alone; in clients and slurmd, which up to
 * 24.11 load it where it stands in their PluginDir, it hands on and is silent.
 */
#ifndef CS_SELECT_H
#define CS_SELECT_H

#include "compat/select_ops.h"

/* The operations of the stock plugin. */
extern struct cs_select_ops cs_select_stock;

/*
 * May the shadow act on @job_ptr (NULL: on none)?  Only in slurmctld, only with
 * the table of its own interface in memory, and only where Slurm's records are laid out as this build thinks; the first job that is
 * seen decides that, and if it is not so says it once and makes the shadow hand
 * everything on from then on.  Under the job lock.
 */
bool cs_select_live(job_record_t *job_ptr);

/* Will @job_ptr start at once or never?  Under the job lock, as what follows. */
bool cs_select_at_once(const job_record_t *job_ptr);
/* Leave in @nodes those where such a job delays nobody.  False: not known now. */
bool cs_select_offer_room(const job_record_t *job_ptr, bitstr_t *nodes);

/* A job may be stopped by a time slice, from now on. */
void cs_select_stopped(void);
/* The cores of all that are, a map of the system's; NULL: none is.  The caller's.
 * O(jobs) while there are some. */
bitstr_t *cs_select_stopped_cores(void);

/* Say, once, if the sched shadow is not there; after its init() is due. */
void cs_select_miss_sched(void);

/* Look for it some seconds after the start, in a thread; and end that.  Under
 * Slurm's lock of its plugins: one at a time. */
void cs_select_watch_start(void);
void cs_select_watch_stop(void);

#endif
