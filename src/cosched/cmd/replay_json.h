/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of `cosched replay` as JSON. */
#ifndef CS_COSCHED_CMD_REPLAY_JSON_H
#define CS_COSCHED_CMD_REPLAY_JSON_H

#include "replay/replay.h"
#include "sim/json_build.h"

/* Append a start that differs to @list. */
void cs_replay_json_start(struct cs_build *list, const struct cs_replay *r,
			  const struct cs_replay_start *s);

/* Print the whole result.  Takes @list, the starts that differ; @name: the log with the
 * first difference.  0; -ENOMEM or another errno. */
int cs_replay_json(const struct cs_replay *r, const char *name,
		   struct cs_build *list);

#endif
