/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event log through the engine once more.
 *
 * Problem.  Show that what was decided then follows from what is in the log; or
 * what a changed parameter would have decided instead.
 *
 * Rules.
 *  1. At a header a new engine is made of its machine and parameters and of the
 *     profile file.  A log that goes on ("after") is followed through a rotation,
 *     the state that is told again left out; where it was begun by another file,
 *     or lost lines, it is skipped until an engine starts afresh.
 *  2. Every line that tells what happened is given to the engine at its time;
 *     at every "decide" the engine is asked.
 *  3. Compared (no settings): each action is formatted as the log's writer does
 *     and has to be the log's next line, byte for byte; what only the host can
 *     know (refusals, what it gave instead, times) is taken from the line.  The
 *     first difference ends it.
 *  4. Changed (settings): the log's starts are facts, whatever the engine says.
 *     What it proposes is written down; a proposal that is what was really done
 *     is confirmed, any other is taken back.  So each answer is for one decision
 *     ahead: the past is the log's, and a job that would have started earlier
 *     holds nothing from then on.  Between the log's decides the engine is asked
 *     too, where something happened or it wished to be.
 *
 * Known weakness: under 4, limits that were set and running jobs that joined a
 * group are not told; with time slices it is refused.
 */
#ifndef CS_COSCHED_REPLAY_REPLAY_H
#define CS_COSCHED_REPLAY_REPLAY_H

#include <stdio.h>

#include "replay/replay_state.h"

/*
 * Read @file, which may go on from the one before.  0: read to its end, or to the
 * first difference; -EINVAL with @err: no log, or one that no engine could have
 * written; -ECANCELED; -ENOMEM; the file's error.
 */
int cs_replay_file(struct cs_replay *r, FILE *file, struct cs_err *err);

/* Behind the last file: reports what would have started and never did. */
void cs_replay_end(struct cs_replay *r);
void cs_replay_done(struct cs_replay *r);

#endif
