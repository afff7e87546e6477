/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of actions that the decide at work returns.  The engine owns it; it only
 * grows, and each decide begins it anew.
 */
#include "state/actions.h"

#include <errno.h>
#include <stdlib.h>

#include "state/state.h"

int cs_actions_reserve(struct cs_engine *e, size_t n)
{
	size_t cap = e->cap_action ? 2 * e->cap_action : 16;
	struct cs_action *a;

	if (e->n_action + n <= e->cap_action)
		return 0;
	a = realloc(e->action, cap * sizeof(*a));
	if (!a)
		return -ENOMEM;
	e->action = a;
	e->cap_action = cap;
	return 0;
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
