/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/view/settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/view/view.h"
#include "sched/view/view_table.h"

void cs_settle_done(struct cs_settle *s)
{
	free(s->name);
	free(s->absent);
	free(s->until_us);
	memset(s, 0, sizeof(*s));
}

static int make(struct cs_settle *s, uint32_t n)
{
	*s = (struct cs_settle){
		.n = n,
		.name = calloc(n + 1, sizeof(*s->name)),
		.absent = calloc(n + 1, sizeof(*s->absent)),
		.until_us = calloc(n + 1, sizeof(*s->until_us)),
	};
	if (s->name && s->absent && s->until_us)
		return 0;
	cs_settle_done(s);
	return -ENOMEM;
}

int cs_settle_copy(struct cs_settle *s, const struct cs_settle *from)
{
	if (!from->n)
		return 0;
	if (make(s, from->n))
		return -ENOMEM;
	memcpy(s->name, from->name, s->n * sizeof(*s->name));
	memcpy(s->absent, from->absent, s->n * sizeof(*s->absent));
	memcpy(s->until_us, from->until_us, s->n * sizeof(*s->until_us));
	return 0;
}

int cs_settle_fit(struct cs_settle *s, const struct cs_machine *m)
{
	struct cs_settle was = *s;

	if (make(s, m->n_node)) {
		*s = was;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->n; i++) {
		s->name[i] = cs_view_hash_text(13, m->node[i].name);
		if (i < was.n && was.name[i] == s->name[i]) {
			s->absent[i] = was.absent[i];
			s->until_us[i] = was.until_us[i];
		} else {
			s->absent[i] = was.n;
		}
	}
	cs_settle_done(&was);
	return 0;
}

int64_t cs_settle_look(struct cs_settle *s, uint32_t node, bool up, bool absent,
		       int64_t now_us)
{
	int64_t latest = now_us + CS_SETTLE_US;

	if (!up) {
		s->absent[node] |= absent;
		return 0;
	}
	/* Higher only by another view's time. */
	if (s->absent[node] || s->until_us[node] > latest)
		s->until_us[node] = latest;
	s->absent[node] = false;
	return s->until_us[node] > now_us ? s->until_us[node] : 0;
}
