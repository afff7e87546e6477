/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The actions of the current decide.
 */
#ifndef CS_STATE_ACTIONS_H
#define CS_STATE_ACTIONS_H

#include <stddef.h>

#include "model/action.h"

struct cs_engine;

/* Room for @n more actions.  0, -ENOMEM. */
int cs_actions_reserve(struct cs_engine *e, size_t n);
/* A new one; NULL: no memory. */
struct cs_action *cs_engine_action(struct cs_engine *e,
				   enum cs_action_type type);

#endif
