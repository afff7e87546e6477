/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The adapter's state and what it learned, in StateSaveLocation (store/state_file.h).
 *
 * Saved when they have changed, at the end of a cycle (cs_sched_save(), sched.h), by
 * another thread: no cycle waits for the disk.  The end of the plugin does, for a while.
 */
#ifndef CS_SCHED_RUN_SAVED_H
#define CS_SCHED_RUN_SAVED_H

#include <stddef.h>

#include "sched/run/sched.h"

/* The state as last saved, by this process or an earlier one; the caller frees it.  NULL:
 * none usable. */
char *cs_saved_state(const struct cs_sched *s, size_t *ret_len);

/* What was learned, by the last save that is whole, in one line if that is not the last
 * one; NULL: nothing.  The caller frees it. */
char *cs_saved_learned(struct cs_sched *s);

/* The history of estimates, of the adapter in force or as last saved; NULL: none.  The
 * caller frees it. */
char *cs_saved_estimates(struct cs_sched *s);

/* Save the state, the last for a while.  A batch that waits for its guard is answered
 * first.  After a fault the engine is not asked (cs_checkpoint_amend()). */
void cs_saved_last(struct cs_sched *s);

/* Each turn of the thread: try again what could not be saved, if that is due, and report
 * what fails or works again. */
void cs_saved_look(struct cs_sched *s);

/* After new settings: wait until what is saved is on disk, a second at most. */
void cs_saved_wait(struct cs_sched *s);

/* The end: wait until state and event log are on disk, 5 s at most, and report what is
 * not. */
void cs_saved_end(struct cs_sched *s);

#endif
