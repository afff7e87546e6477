/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/part_modes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/array.h"
#include "common/params/params.h"

#define PREFIX "cosched_"

struct node {
	char *name;
	size_t part; /* whose it is */
};

struct nodes {
	struct node *node;
	size_t n, room, part;
};

static int add(void *arg, const char *name)
{
	struct nodes *a = arg;

	if (cs_array_room(&a->node, &a->room, a->n + 1))
		return -ENOMEM;
	a->node[a->n].name = strdup(name);
	a->node[a->n].part = a->part;
	return a->node[a->n].name ? (a->n++, 0) : -ENOMEM;
}

/* By name, then by partition. */
static int compare(const void *x, const void *y)
{
	const struct node *a = x, *b = y;
	int rc = strcmp(a->name, b->name);

	return rc ? rc : (a->part > b->part) - (a->part < b->part);
}

static bool has_all(const struct cs_confline *part)
{
	return part->nodes && !strcasecmp(part->nodes, "ALL");
}

/* Do @a and @b differ in mode?  Then @ret says so. */
static bool differ(const struct cs_params *p, const struct cs_confline *a,
		   const struct cs_confline *b, char *ret, size_t size)
{
	enum cs_mode x = cs_params_mode_of(p, a->name);
	enum cs_mode y = cs_params_mode_of(p, b->name);

	if (x == y)
		return false;
	snprintf(ret, size,
		 "partition '%.100s' is in mode %s and shares nodes with "
		 "'%.100s' in mode %s: all would follow cosched_mode=%s",
		 a->name, cs_params_mode_name(x), b->name,
		 cs_params_mode_name(y), cs_params_mode_name(p->mode));
	return true;
}

/* Of partitions with all nodes. */
static bool all_clash(const struct cs_params *p, const struct cs_confline *part,
		      size_t n, char *ret, size_t size)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; has_all(&part[i]) && k < n; k++)
			if (part[k].nodes &&
			    differ(p, &part[i], &part[k], ret, size))
				return true;
	return false;
}

static bool lists_clash(const struct cs_params *p, const struct cs_confparts *c,
			char *ret, size_t size)
{
	const struct cs_confline *part = c->of[CS_CONF_PART].line;
	struct nodes a = { 0 };
	bool clash = false;

	for (a.part = 0; a.part < c->of[CS_CONF_PART].n; a.part++)
		if (!has_all(&part[a.part]))
			(void)cs_conf_parts_each(c, a.part, add, &a);
	if (a.n)
		qsort(a.node, a.n, sizeof(*a.node), compare);
	for (size_t i = 1; !clash && i < a.n; i++)
		clash = !strcmp(a.node[i - 1].name, a.node[i].name) &&
			differ(p, &part[a.node[i - 1].part],
			       &part[a.node[i].part], ret, size);
	for (size_t i = 0; i < a.n; i++)
		free(a.node[i].name);
	free(a.node);
	return clash;
}

/* Are some partitions in mode act, and some in shadow? */
static bool both(const struct cs_params *p, const struct cs_conflines *l,
		 char *ret, size_t size)
{
	bool there[3] = { false };

	for (size_t i = 0; i < l->n; i++)
		there[cs_params_mode_of(p, l->line[i].name)] = true;
	if (!there[CS_MODE_ACT] || !there[CS_MODE_SHADOW])
		return false;
	snprintf(ret, size,
		 "some partitions are in mode act and some in shadow, expected "
		 "one of them beside off: all would follow cosched_mode=%s",
		 cs_params_mode_name(p->mode));
	return true;
}

bool cs_part_modes_clash(const char *sched, const struct cs_confparts *parts,
			 char *ret, size_t size)
{
	const struct cs_conflines *l = &parts->of[CS_CONF_PART];
	struct cs_params p = { 0 };
	bool clash;

	if (cs_params_parse(&p, CS_HOST_LIVE, sched, PREFIX, NULL))
		return false;
	clash = all_clash(&p, l->line, l->n, ret, size) ||
		lists_clash(&p, parts, ret, size) || both(&p, l, ret, size);
	cs_params_done(&p);
	return clash;
}
