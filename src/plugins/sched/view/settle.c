/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/view/settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/idmap.h"
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
	memcpy(s->gone, from->gone, sizeof(s->gone));
	s->n_gone = from->n_gone;
	return 0;
}

static bool matters(const struct cs_settle *s, uint32_t i)
{
	return s->absent[i] || s->until_us[i];
}

/* Node @i, not seen before, or elsewhere: @moved has those of @was. */
static void comes(struct cs_settle *s, uint32_t i, const struct cs_settle *was,
		  struct cs_idmap *moved)
{
	uint32_t n = s->n_gone < CS_SETTLE_GONE ? s->n_gone : CS_SETTLE_GONE;
	uintptr_t at = (uintptr_t)cs_idmap_remove(moved, s->name[i]);

	if (at) {
		s->absent[i] = was->absent[at - 1];
		s->until_us[i] = was->until_us[at - 1];
	}
	for (uint32_t k = 0; k < n; k++)
		if (s->gone[k] == s->name[i]) {
			s->absent[i] = true;
			s->gone[k] = 0;
		}
}

int cs_settle_fit(struct cs_settle *s, const struct cs_machine *m)
{
	struct cs_idmap moved = { 0 }; /* that matter: index + 1 by name */
	struct cs_settle was = *s;

	if (cs_idmap_reserve(&moved, was.n) || make(s, m->n_node)) {
		cs_idmap_done(&moved);
		*s = was;
		return -ENOMEM;
	}
	memcpy(s->gone, was.gone, sizeof(s->gone));
	s->n_gone = was.n_gone;
	for (uint32_t i = 0; i < s->n; i++)
		s->name[i] = cs_view_hash_text(13, m->node[i].name);
	for (uint32_t i = 0; i < was.n; i++)
		if (i < s->n && was.name[i] == s->name[i]) {
			s->absent[i] = was.absent[i];
			s->until_us[i] = was.until_us[i];
		} else if (matters(&was, i) &&
			   !cs_idmap_find(&moved, was.name[i])) {
			cs_idmap_add(&moved, was.name[i],
				     (void *)((uintptr_t)i + 1));
		}
	for (uint32_t i = 0; was.n && i < s->n; i++)
		if (m->node[i].name &&
		    (i >= was.n || was.name[i] != s->name[i]))
			comes(s, i, &was, &moved);
	for (size_t i = 0; moved.n && i < moved.cap; i++)
		if (moved.at[i].thing)
			s->gone[s->n_gone++ % CS_SETTLE_GONE] = moved.at[i].id;
	cs_idmap_done(&moved);
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
