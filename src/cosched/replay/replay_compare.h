/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rule 3 of a replay (replay.h): the decisions follow from the log. */
#ifndef CS_COSCHED_REPLAY_REPLAY_COMPARE_H
#define CS_COSCHED_REPLAY_REPLAY_COMPARE_H

#include "replay/replay_state.h"

/* A decide at @t_us; the next lines must be its actions. */
int cs_replay_same(struct cs_replay *r, int64_t t_us,
		   const struct cs_decide_part *part, struct cs_err *err);
/* Record the first difference: line @x against the engine's action @a (NULL: none); @x
 * NULL: the log has no line. */
int cs_replay_differ(struct cs_replay *r, const struct cs_replay_line *x,
		     const struct cs_replay_event *fact, int64_t t_us,
		     const struct cs_action *a);

#endif
