/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `cosched replay` found, as JSON. */
#ifndef CS_COSCHED_CMD_REPLAY_JSON_H
#define CS_COSCHED_CMD_REPLAY_JSON_H

#include "replay/replay.h"
#include "sim/json_build.h"

/* A start that differs, behind those in @list. */
void cs_replay_json_start(struct cs_build *list, const struct cs_replay *r,
			  const struct cs_replay_start *s);

/* All of it; @list, which is taken, has the starts that differ, and @name is the
 * log in which the first difference stands.  0; -ENOMEM or another errno. */
int cs_replay_json(const struct cs_replay *r, const char *name,
		   struct cs_build *list);

#endif
