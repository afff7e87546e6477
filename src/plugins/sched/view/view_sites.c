/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sites of the machine by cosched_sites: the leaf switches or base blocks of its
 * topology, partitions, or a file (site_list.h).
 *
 * If they cannot be had (a node in two, a site without nodes) the last good ones go on,
 * by the names of their nodes; without those, none are looked at.  Either is reported,
 * and so are nodes below two switches.
 */
#include "compat/slurm.h"

#include "sched/view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/site_list.h"
#include "common/model/sites.h"
#include "common/model/topology.h"
#include "sched/view/view_table.h"

static int by_topology(struct cs_view *v, struct cs_site_list *l,
		       struct cs_err *err)
{
	const struct cs_topology *t = v->machine->topology;

	if (!t)
		return cs_err_set(
			err, -EINVAL,
			"no switches and no blocks, expected a TopologyPlugin "
			"with such, partitions joined by '+', or a file");
	return cs_site_list_leaves(l, t, v->site_note, sizeof(v->site_note),
				   err);
}

static int by_partition(struct cs_site_list *l, const char *name,
			struct cs_err *err)
{
	const part_record_t *part = find_part_record((char *)(uintptr_t)name);
	bitoff_t size =
		part && part->node_bitmap ? bit_size(part->node_bitmap) : 0;
	int rc;

	if (!part)
		return cs_err_set(err, -EINVAL,
				  "no partition '%s', expected partitions "
				  "joined by '+'",
				  name);
	rc = cs_site_list_more(l, part->name, strlen(part->name), err);
	for (uint32_t n = 0; !rc && n < l->m->n_node && (bitoff_t)n < size; n++)
		if (bit_test(part->node_bitmap, n))
			rc = cs_site_list_put(l, n, err);
	return rc ? rc : cs_site_list_closed(l, err);
}

/* The next name of @list into @name. */
static void next_name(const char **list, char *name, size_t size)
{
	size_t len = strcspn(*list, "+");

	snprintf(name, size, "%.*s", (int)len, *list);
	*list += len + ((*list)[len] == '+');
}

static int by_partitions(struct cs_site_list *l, const char *list,
			 struct cs_err *err)
{
	char name[256];
	int rc = 0;

	while (!rc && *list) {
		next_name(&list, name, sizeof(name));
		rc = by_partition(l, name, err);
	}
	return rc;
}

static int by_file(const struct cs_view *v, struct cs_site_list *l,
		   struct cs_err *err)
{
	if (!v->site_file)
		return cs_err_set(err, -EINVAL, "%s, expected a readable file",
				  v->site_file_error);
	return cs_site_list_read(l, v->site_file, false, err);
}

/* The machine's sites, and their text. */
static int take(struct cs_view *v, struct cs_site_list *l, struct cs_err *err)
{
	int rc;

	free(v->site_text);
	v->site_text = cs_site_list_text(l);
	rc = v->site_text ? cs_site_list_rest(l, err) : -ENOMEM;
	if (!rc) {
		v->machine->sites = cs_sites_create(l->m->n_node, l->of, l->n,
						    (const char **)l->name);
		rc = v->machine->sites ? 0 : -ENOMEM;
	}
	return rc == -ENOMEM ? cs_err_set(err, rc, "no memory") : rc;
}

static int make(struct cs_view *v, struct cs_err *err)
{
	const char *how = v->params->sites;
	struct cs_site_list l;
	int rc = cs_site_list_init(&l, v->machine);

	if (rc)
		return cs_err_set(err, rc, "no memory");
	rc = *how == '/'		? by_file(v, &l, err)
	     : !strcmp(how, "topology") ? by_topology(v, &l, err)
					: by_partitions(&l, how, err);
	if (!rc)
		rc = take(v, &l, err);
	cs_site_list_done(&l);
	return rc;
}

/* The last good ones; false: there are none. */
static bool make_last(struct cs_view *v)
{
	struct cs_site_list l;
	struct cs_err err;
	bool made;

	if (!v->site_last || !*v->site_last)
		return false;
	made = !cs_site_list_init(&l, v->machine) &&
	       !cs_site_list_read(&l, v->site_last, true, &err) && l.n &&
	       !take(v, &l, &err);
	cs_site_list_done(&l);
	return made;
}

static bool wanted(const struct cs_view *v)
{
	return v->params->site_rule != CS_SITE_RULE_NONE && *v->params->sites;
}

/* The partitions that they are, by their nodes; 0 for other kinds of sites. */
static uint64_t mark(const struct cs_view *v)
{
	const char *list = v->params->sites;
	uint64_t h = 7;
	char name[256];

	if (!wanted(v) || *list == '/' || !strcmp(list, "topology"))
		return 0;
	while (*list) {
		const part_record_t *part;

		next_name(&list, name, sizeof(name));
		part = find_part_record(name);
		h = cs_view_hash_text(h, part ? "+" : "-");
		for (uint32_t n = 0;
		     part && part->node_bitmap && n < v->machine->n_node &&
		     (bitoff_t)n < bit_size(part->node_bitmap);
		     n++)
			if (bit_test(part->node_bitmap, n))
				h = cs_view_hash(h, &n, sizeof(n));
	}
	return h;
}

/* Sites are given, and no rule looks at them. */
static void say_no_rule(const struct cs_view *v)
{
	if (*v->params->sites)
		info("cosched: warning: cosched_sites=%.100s without a rule is not looked at: expected cosched_site_rule, or a preset that sets it (multisite-adaptive)",
		     v->params->sites);
}

void cs_view_sites(struct cs_view *v)
{
	struct cs_err err = { "" };

	v->site_error[0] = v->site_note[0] = '\0';
	v->site_mark = mark(v);
	if (!wanted(v)) {
		say_no_rule(v);
		return;
	}
	if (!make(v, &err)) {
		if (v->site_note[0])
			info("cosched: warning: %s", v->site_note);
		return;
	}
	snprintf(
		v->site_error, sizeof(v->site_error),
		"cosched_sites=%.100s: %s: %s; mend it, then scontrol reconfigure",
		v->params->sites, err.text,
		make_last(v) ? "going on with the last good sites"
			     : "sites are not looked at");
	error("cosched: %s", v->site_error);
}

bool cs_view_sites_changed(const struct cs_view *v)
{
	return v->site_mark != mark(v);
}
