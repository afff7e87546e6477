/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions of one decide, kept while the events that answer them are read. */
#ifndef CS_COSCHED_REPLAY_REPLAY_ACTIONS_H
#define CS_COSCHED_REPLAY_REPLAY_ACTIONS_H

#include "common/engine/engine.h"

struct cs_replay_acts {
	struct cs_action *a; /* [n], each owns its alloc */
	size_t n, cap;
};

/* Copy @from.  0, -ENOMEM. */
int cs_replay_copy(struct cs_replay_acts *k, const struct cs_actions *from);
void cs_replay_copy_done(struct cs_replay_acts *k);

#endif
