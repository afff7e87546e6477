/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that ask a command to end, noted so that it first cancels the jobs that it
 * submitted.  For one thread.
 */
#ifndef CS_COSCHED_CLI_STOP_SIGNALS_H
#define CS_COSCHED_CLI_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define CS_STOP_SIGNALS 3 /* SIGHUP, SIGINT, SIGTERM */

/* From now on note them, but those that are ignored; @was for _restore(). */
void cs_stop_signals_catch(struct sigaction was[CS_STOP_SIGNALS]);
void cs_stop_signals_restore(const struct sigaction was[CS_STOP_SIGNALS]);

/* The last one that came; 0: none. */
int cs_stop_signals_caught(void);

/* Neither this process nor the commands that it runs see a signal of the terminal, so
 * that a job that was submitted is known.  @hold false: from now on they do. */
void cs_stop_signals_hold(bool hold);

#endif
