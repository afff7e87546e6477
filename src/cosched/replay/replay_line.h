/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine's decisions in the log's format, to compare them with the log. */
#ifndef CS_COSCHED_REPLAY_REPLAY_LINE_H
#define CS_COSCHED_REPLAY_REPLAY_LINE_H

#include "common/log/read_event.h"
#include "replay/replay_reader.h"

/*
 * The line that the log would have for action @a, without its '\n'.  What the engine
 * cannot know (a refusal, what the host gave, when) comes from line @x, whose event is
 * @fact; both NULL if the log has no such line: then as if all was done at @t_us.
 * @would: as mode shadow writes it.  NULL: no memory.
 */
char *cs_replay_say(const struct cs_replay_line *x,
		    const struct cs_replay_event *fact, int64_t t_us,
		    const struct cs_action *a, bool would);

#endif
