/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sites of the machine by cosched_sites: the leaf switches or base blocks of its
 * topology, or partitions.
 *
 * Nodes in none of them are one more site.  If a node is in two, or a site has none,
 * sites are ignored, and this is reported.
 */
#include "compat/slurm.h"

#include "sched/view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/sites.h"
#include "common/model/topology.h"

#define SITES_MAX 65535

struct sites {
	uint32_t n_node, n;
	uint32_t *of;	   /* [n_node] UINT32_MAX: none */
	const char **name; /* [n] */
};

static const char *node_name(const struct cs_view *v, uint32_t n)
{
	const char *name = v->machine->node[n].name;

	return name ? name : "?";
}

/* One more site, of that name. */
static int more(struct sites *s, const char *name, struct cs_err *err)
{
	const char **list;

	if (s->n == SITES_MAX)
		return cs_err_set(err, -EINVAL, "more than %d sites",
				  SITES_MAX);
	list = realloc(s->name, (s->n + 1) * sizeof(*list));
	if (!list)
		return cs_err_set(err, -ENOMEM, "no memory");
	s->name = list;
	list[s->n++] = name;
	return 0;
}

/* Put node @n into the last site. */
static int put(const struct cs_view *v, struct sites *s, uint32_t n,
	       struct cs_err *err)
{
	if (s->of[n] != UINT32_MAX)
		return cs_err_set(
			err, -EINVAL,
			"node '%s' is in '%s' and in '%s', expected one of them",
			node_name(v, n), s->name[s->of[n]], s->name[s->n - 1]);
	s->of[n] = s->n - 1;
	return 0;
}

static int by_topology(const struct cs_view *v, struct sites *s,
		       struct cs_err *err)
{
	const struct cs_topology *t = v->machine->topology;
	int rc = 0;

	if (!t)
		return cs_err_set(
			err, -EINVAL,
			"no switches and no blocks, expected a TopologyPlugin "
			"with such, or partitions joined by '+'");
	for (uint32_t i = 0; !rc && i < t->n_group; i++) {
		const struct cs_group *g = &t->group[i];

		if (g->level || !g->end)
			continue;
		rc = more(s, g->name ? g->name : "", err);
		for (uint32_t w = g->from; !rc && w < g->end; w++)
			for (uint64_t set = g->nodes[w]; set;) {
				uint32_t n = w * 64 + cs_bit_pop(&set);

				/* of two leaf switches, the first */
				if (s->of[n] == UINT32_MAX)
					s->of[n] = s->n - 1;
			}
	}
	return rc;
}

static int by_partition(const struct cs_view *v, struct sites *s,
			const char *name, struct cs_err *err)
{
	const part_record_t *part = find_part_record((char *)(uintptr_t)name);
	bitoff_t size =
		part && part->node_bitmap ? bit_size(part->node_bitmap) : 0;
	int rc;

	if (!part)
		return cs_err_set(err, -EINVAL, "no partition '%s'", name);
	rc = more(s, part->name, err);
	for (uint32_t n = 0; !rc && n < s->n_node && (bitoff_t)n < size; n++)
		if (bit_test(part->node_bitmap, n))
			rc = put(v, s, n, err);
	return rc;
}

static int by_partitions(const struct cs_view *v, struct sites *s,
			 const char *list, struct cs_err *err)
{
	int rc = 0;

	while (!rc && *list) {
		size_t len = strcspn(list, "+");
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)len, list);
		rc = by_partition(v, s, name, err);
		list += len + (list[len] == '+');
	}
	return rc;
}

/* A site for nodes in none. */
static int the_rest(struct sites *s, struct cs_err *err)
{
	bool any = false;
	int rc = 0;

	for (uint32_t n = 0; n < s->n_node; n++)
		any |= s->of[n] == UINT32_MAX;
	if (any)
		rc = more(s, "-", err);
	for (uint32_t n = 0; !rc && n < s->n_node; n++)
		if (s->of[n] == UINT32_MAX)
			s->of[n] = s->n - 1;
	return rc;
}

static int make(struct cs_view *v, struct sites *s, struct cs_err *err)
{
	const char *how = v->params->sites;
	int rc;

	if (!s->of)
		return cs_err_set(err, -ENOMEM, "no memory");
	memset(s->of, 0xff, s->n_node * sizeof(*s->of));
	rc = strcmp(how, "topology") ? by_partitions(v, s, how, err)
				     : by_topology(v, s, err);
	if (!rc)
		rc = the_rest(s, err);
	if (rc)
		return rc;
	v->machine->sites = cs_sites_create(s->n_node, s->of, s->n, s->name);
	return v->machine->sites
		       ? 0
		       : cs_err_set(err, -EINVAL,
				    "a site without nodes, or no memory");
}

void cs_view_sites(struct cs_view *v)
{
	struct sites s = { .n_node = v->machine->n_node };
	struct cs_err err = { "" };

	v->site_error[0] = '\0';
	if (v->params->site_rule == CS_SITE_RULE_NONE || !*v->params->sites)
		return;
	s.of = malloc(s.n_node * sizeof(*s.of));
	if (make(v, &s, &err)) {
		snprintf(v->site_error, sizeof(v->site_error),
			 "cosched_sites=%.100s: %s: sites are not looked at",
			 v->params->sites, err.text);
		error("cosched: %s", v->site_error);
	}
	free(s.of);
	free(s.name);
}
