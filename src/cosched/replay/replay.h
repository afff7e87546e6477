/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event log, run through the engine again.
 *
 * Problem.  Show that the decisions in a log follow from its events; or what other
 * parameters would have decided.
 *
 * Rules.
 *  1. At a header a new engine is created from its machine, its parameters and the
 *     profile file.  A log that continues another ("after") is followed across a
 *     rotation, and the state repeated there is ignored; if its beginning was not read,
 *     or lines were lost, it is skipped until an engine starts afresh.
 *  2. Every event line is given to the engine at its time; at every "decide" line the
 *     engine decides.
 *  3. Compared (no settings): each action is formatted as the log's writer does and
 *     must equal the log's next line, byte for byte; what only the host can know
 *     (refusals, what it gave instead, times) is taken from the line.  The first
 *     difference ends the replay.
 *  4. Changed (settings): the log's starts are facts, whatever the engine proposes.
 *     Proposals are recorded; one that matches what was done is confirmed, any other is
 *     revoked.  So each answer looks one decision ahead: the past is the log's, and a
 *     job that would have started earlier holds nothing afterwards.  Between the log's
 *     decides the engine also decides after events and at its own wakeups.
 *  5. Compared, with start_estimates: where an "estimates" line stands, a set of estimates
 *     begins; where the next "estimate" line stands, it ends, and its first estimates must
 *     equal that line and the next ones.  A set without such a line that no other follows
 *     was dropped, or had no first estimates.
 *
 * Known weakness: rule 4 does not pass on limits that were set, nor running jobs that
 * joined a group; it refuses time slices.
 */
#ifndef CS_COSCHED_REPLAY_REPLAY_H
#define CS_COSCHED_REPLAY_REPLAY_H

#include <stdio.h>

#include "replay/replay_state.h"

/*
 * Read @file, which may continue the previous one.  0: read to its end, or to the first
 * difference; -EINVAL with @err: not a log, or one that no engine could have written;
 * -ECANCELED; -ENOMEM; the file's error.
 */
int cs_replay_file(struct cs_replay *r, FILE *file, struct cs_err *err);

/* After the last file: report jobs that would have started and never did. */
void cs_replay_end(struct cs_replay *r);
void cs_replay_done(struct cs_replay *r);

#endif
