/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rule 5 of a replay (replay.h): the estimates follow from the log. */
#ifndef CS_COSCHED_REPLAY_REPLAY_ESTIMATE_H
#define CS_COSCHED_REPLAY_REPLAY_ESTIMATE_H

#include "replay/replay_state.h"

/* Line @x, before anything else is made of it: does it say what was estimated, where
 * estimates are to follow?  0, also if a difference was recorded; -EINVAL; -ENOMEM. */
int cs_replay_estimate(struct cs_replay *r, const struct cs_replay_line *x,
		       struct cs_err *err);

#endif
