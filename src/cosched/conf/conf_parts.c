/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf_parts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/array.h"
#include "import/node_list.h"

/* ---- lines ----------------------------------------------------------------- */

static int copy(char **to, const char *from)
{
	char *new = from ? strdup(from) : NULL;

	if (from && !new)
		return -ENOMEM;
	free(*to);
	*to = new;
	return 0;
}

/* A line begins: it has what its DEFAULT has.  A node set has none. */
static int begin(struct cs_confparts *c, enum cs_confkind kind,
		 const char *name)
{
	struct cs_conflines *l = &c->of[kind];
	struct cs_confline *x;

	c->at = NULL;
	if (kind != CS_CONF_SET && !strcasecmp(name, "DEFAULT")) {
		c->at = &l->usual;
		return 0;
	}
	if (cs_array_room(&l->line, &l->room, l->n + 1))
		return -ENOMEM;
	x = &l->line[l->n++];
	memset(x, 0, sizeof(*x));
	c->at = x;
	return copy(&x->name, name) ?: copy(&x->nodes, l->usual.nodes)
		?: copy(&x->feature, l->usual.feature)
		?: copy(&x->select, l->usual.select);
}

int cs_conf_parts_take(struct cs_confparts *c, const struct cs_confpair *p)
{
	static const char *const kinds[CS_CONF_KINDS] = {
		[CS_CONF_PART] = "PartitionName",
		[CS_CONF_SET] = "NodeSet",
		[CS_CONF_NODE] = "NodeName",
	};

	for (int k = 0; k < CS_CONF_KINDS; k++)
		if (!strcasecmp(p->key, kinds[k]))
			return begin(c, (enum cs_confkind)k, p->value);
	if (!p->more)
		c->at = NULL;
	if (c->at && !strcasecmp(p->key, "Nodes"))
		return copy(&c->at->nodes, p->value);
	if (c->at &&
	    (!strcasecmp(p->key, "Feature") || !strcasecmp(p->key, "Features")))
		return copy(&c->at->feature, p->value);
	if (c->at && !strcasecmp(p->key, "SelectTypeParameters"))
		return copy(&c->at->select, p->value);
	return 0;
}

static void line_done(struct cs_confline *x)
{
	free(x->name);
	free(x->nodes);
	free(x->feature);
	free(x->select);
}

void cs_conf_parts_done(struct cs_confparts *c)
{
	for (int k = 0; k < CS_CONF_KINDS; k++) {
		struct cs_conflines *l = &c->of[k];

		for (size_t i = 0; i < l->n; i++)
			line_done(&l->line[i]);
		line_done(&l->usual);
		free(l->line);
	}
}

/* ---- nodes ----------------------------------------------------------------- */

int cs_conf_names_add(void *arg, const char *name)
{
	struct cs_confnames *a = arg;

	if (cs_array_room(&a->name, &a->room, a->n + 1))
		return -ENOMEM;
	a->name[a->n] = strdup(name);
	return a->name[a->n] ? (a->n++, 0) : -ENOMEM;
}

void cs_conf_names_done(struct cs_confnames *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->name[i]);
	free(a->name);
}

/* Was @name there? */
static bool take_out(struct cs_confnames *a, const char *name)
{
	size_t kept = 0, n = a->n;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(a->name[i], name))
			a->name[kept++] = a->name[i];
		else
			free(a->name[i]);
	}
	a->n = kept;
	return kept < n;
}

static bool has_feature(const struct cs_confline *nodes, const char *feature)
{
	size_t len = strlen(feature), n;

	for (const char *at = nodes->feature; at && *at; at += n + !!at[n]) {
		n = strcspn(at, ",");
		if (n == len && !memcmp(at, feature, n))
			return true;
	}
	return false;
}

static int put_set(const struct cs_confparts *c, const struct cs_confline *set,
		   struct cs_confnames *a)
{
	const struct cs_conflines *nodes = &c->of[CS_CONF_NODE];
	int rc = 0;

	for (size_t i = 0; !rc && set->feature && i < nodes->n; i++)
		if (has_feature(&nodes->line[i], set->feature))
			rc = cs_node_list_each(nodes->line[i].name,
					       cs_conf_names_add, a);
	if (!rc && set->nodes)
		rc = cs_node_list_each(set->nodes, cs_conf_names_add, a);
	return rc;
}

int cs_conf_parts_each(const struct cs_confparts *c, size_t i,
		       int (*node)(void *arg, const char *name), void *arg)
{
	const struct cs_confline *part = &c->of[CS_CONF_PART].line[i];
	const struct cs_conflines *sets = &c->of[CS_CONF_SET];
	struct cs_confnames a = { 0 };
	int rc = part->nodes
			 ? cs_node_list_each(part->nodes, cs_conf_names_add, &a)
			 : 0;

	/* in the order of the file, as slurmctld: a set may name one after it */
	for (size_t k = 0; !rc && k < sets->n; k++)
		if (take_out(&a, sets->line[k].name))
			rc = put_set(c, &sets->line[k], &a);
	for (size_t k = 0; !rc && k < a.n; k++)
		rc = node(arg, a.name[k]);
	cs_conf_names_done(&a);
	return rc;
}
