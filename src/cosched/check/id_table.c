/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/id_table.h"

#include <errno.h>
#include <search.h>

static int compare(const void *va, const void *vb)
{
	const struct cs_id *a = va, *b = vb;

	return (a->id > b->id) - (a->id < b->id);
}

void *cs_idtab_find(const struct cs_idtab *t, uint32_t id)
{
	const struct cs_id key = { .id = id };
	void *node = tfind(&key, &t->root, compare);

	return node ? *(void **)node : NULL;
}

int cs_idtab_add(struct cs_idtab *t, void *thing)
{
	if (!tsearch(thing, &t->root, compare))
		return -ENOMEM;
	t->n++;
	return 0;
}

void cs_idtab_remove(struct cs_idtab *t, void *thing)
{
	tdelete(thing, &t->root, compare);
	t->n--;
}

struct search {
	int (*match)(const void *thing, void *arg);
	void *arg, *found;
};

static void visit(const void *node, VISIT order, void *closure)
{
	struct search *s = closure;
	void *thing = *(void *const *)node;

	if ((order == postorder || order == leaf) && !s->found &&
	    s->match(thing, s->arg))
		s->found = thing;
}

void *cs_idtab_search(const struct cs_idtab *t,
		      int (*match)(const void *thing, void *arg), void *arg)
{
	struct search s = { .match = match, .arg = arg };

	twalk_r(t->root, visit, &s);
	return s.found;
}

void cs_idtab_clear(struct cs_idtab *t, void (*done)(void *thing))
{
	tdestroy(t->root, done);
	t->root = NULL;
	t->n = 0;
}
