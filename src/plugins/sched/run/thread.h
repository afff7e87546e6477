/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduling thread: started by init(), joined by fini().
 */
#ifndef CS_SCHED_RUN_THREAD_H
#define CS_SCHED_RUN_THREAD_H

/* 0, or -1 with one line logged.  Does nothing if already running. */
int cs_thread_start(void);

/* Returns when the thread has saved its state, opened the gate and unloaded
 * stock.  None of Slurm's locks may be held. */
void cs_thread_stop(void);

#endif
