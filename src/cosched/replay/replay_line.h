/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine decided, in the words of the log that it is compared with. */
#ifndef CS_COSCHED_REPLAY_REPLAY_LINE_H
#define CS_COSCHED_REPLAY_REPLAY_LINE_H

#include "common/log/read_event.h"
#include "replay/replay_reader.h"

/*
 * The line that the log would have for action @a, without its '\n'.  What the
 * engine cannot know (that the host refused, what it gave, when) is taken from
 * line @x, whose event is @fact; both NULL where the log has no such line: then
 * as if all was done at @t_us.  @would: mode shadow's.  NULL: no memory.
 */
char *cs_replay_say(const struct cs_replay_line *x,
		    const struct cs_replay_event *fact, int64_t t_us,
		    const struct cs_action *a, bool would);

#endif
