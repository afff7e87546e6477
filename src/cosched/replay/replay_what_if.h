/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rule 4 of a replay (replay.h): what other settings would have decided. */
#ifndef CS_COSCHED_REPLAY_REPLAY_WHAT_IF_H
#define CS_COSCHED_REPLAY_REPLAY_WHAT_IF_H

#include "replay/replay_state.h"

int cs_replay_if_decide(struct cs_replay *r, int64_t t_us, struct cs_err *err);
/* Before line @x: decide where the log's engine decided without result. */
int cs_replay_if_before(struct cs_replay *r, const struct cs_replay_line *x,
			struct cs_err *err);
/* An event that answers no proposal. */
int cs_replay_if_event(struct cs_replay *r, const struct cs_replay_line *x,
		       const struct cs_replay_event *e, struct cs_err *err);

#endif
