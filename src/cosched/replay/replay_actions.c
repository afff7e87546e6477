/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/replay_actions.h"

#include <errno.h>
#include <stdlib.h>

static void clear(struct cs_replay_acts *k)
{
	for (size_t i = 0; i < k->n; i++)
		cs_alloc_free((struct cs_alloc *)k->a[i].alloc);
	k->n = 0;
}

void cs_replay_copy_done(struct cs_replay_acts *k)
{
	clear(k);
	free(k->a);
	k->a = NULL;
	k->cap = 0;
}

int cs_replay_copy(struct cs_replay_acts *k, const struct cs_actions *from)
{
	clear(k);
	if (from->n > k->cap) {
		void *p = reallocarray(k->a, from->n, sizeof(*k->a));

		if (!p)
			return -ENOMEM;
		k->a = p;
		k->cap = from->n;
	}
	for (size_t i = 0; i < from->n; i++) {
		struct cs_action *a = &k->a[i];

		*a = from->action[i];
		if (a->alloc)
			a->alloc = cs_alloc_copy(a->alloc);
		k->n = i + 1;
		if (from->action[i].alloc && !a->alloc)
			return -ENOMEM;
	}
	return 0;
}
