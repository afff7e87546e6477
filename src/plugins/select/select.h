/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the select shadow.
 *
 *	plugin.c	Slurm's entry points: loading, and every operation forwarded
 *	start.c		job_test: the gate, and the plan's nodes and cores
 *	room.c		which jobs may pass the gate without a plan, and where
 *	cores.c		job_fini, job_suspend, job_resume, reconfigure
 *	stopped.c	cores of jobs that a time slice stopped
 *	live.c		whether to act at all
 *	watch.c		is the sched shadow loaded?
 *
 * To all others the shadow is the stock select/cons_tres, with its type, id and wire
 * format.  It acts only in slurmctld; in clients and slurmd, which up to 24.11 load it
 * if it is in their PluginDir, it forwards silently.
 */
#ifndef CS_SELECT_H
#define CS_SELECT_H

#include "compat/select_ops.h"

/* The operations of the stock plugin. */
extern struct cs_select_ops cs_select_stock;

/*
 * May the shadow act on @job_ptr (NULL: on none)?  Only in slurmctld, only with the
 * table of its own interface in memory, and only if Slurm's records have the layout
 * that this build expects; the first job decides that; if they do not, the shadow says
 * so once and forwards everything from then on.  Under the job lock.
 */
bool cs_select_live(job_record_t *job_ptr);

/* Will @job_ptr start at once or never?  Under the job lock, as those below. */
bool cs_select_at_once(const job_record_t *job_ptr);
/* Leave in @nodes those where such a job delays no other.  False: unknown now. */
bool cs_select_offer_room(const job_record_t *job_ptr, bitstr_t *nodes);

/* From now on a time slice may stop a job. */
void cs_select_stopped(void);
/* The cores of all stopped jobs, a map of the system's; NULL: none.  The caller's.
 * O(jobs) while there are some. */
bitstr_t *cs_select_stopped_cores(void);

/* Report, once, if the sched shadow is missing after its init() is due. */
void cs_select_miss_sched(void);

/* Look for it some seconds after the start, in a thread; end that thread.  Under
 * Slurm's plugin lock: one at a time. */
void cs_select_watch_start(void);
void cs_select_watch_stop(void);

#endif
