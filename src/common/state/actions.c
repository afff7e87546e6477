/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of actions that the decide at work returns.  The engine owns it; it only
 * grows, and each decide begins it anew.
 */
#include "state/actions.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "state/state.h"

int cs_actions_reserve(struct cs_engine *e, size_t n)
{
	return cs_array_room(&e->action, &e->cap_action, e->n_action + n);
}

struct cs_action *cs_engine_action(struct cs_engine *e,
				   enum cs_action_type type)
{
	struct cs_action *a;

	if (cs_actions_reserve(e, 1))
		return NULL;
	a = &e->action[e->n_action++];
	*a = (struct cs_action){ .type = type, .slowdown = 1, .beside = 1 };
	return a;
}
