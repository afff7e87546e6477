/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf_sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/model/site_list.h"
#include "import/node_list.h"

#define FILE_BYTES (16 * 1024 * 1024) /* more slurmctld does not read */

/* ---- the nodes -------------------------------------------------------------- */

/* All nodes of the slurm.conf, which @a gives away.  NULL: no memory. */
static struct cs_machine *made_of(struct cs_confnames *a)
{
	const struct cs_node one = {
		.sockets = 1, .cores_per_socket = 1, .threads = 1, .weight = 1
	};
	struct cs_machine *m = cs_machine_create((uint32_t)a->n, &one);

	for (size_t i = 0; m && i < a->n; i++) {
		m->node[i].name = a->name[i];
		a->name[i] = NULL;
	}
	cs_conf_names_done(a);
	return m;
}

/* An empty list of sites, and its machine.  0, -ENOMEM, -EINVAL: the nodes cannot be
 * read, which others say. */
static int begin(const struct cs_confparts *c, struct cs_machine **ret_m,
		 struct cs_site_list *l)
{
	const struct cs_conflines *nodes = &c->of[CS_CONF_NODE];
	struct cs_confnames a = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < nodes->n; i++)
		rc = cs_node_list_each(nodes->line[i].name, cs_conf_names_add,
				       &a);
	*ret_m = made_of(&a);
	if (!rc && !*ret_m)
		rc = -ENOMEM;
	if (!rc)
		rc = cs_site_list_init(l, *ret_m);
	if (rc) {
		cs_machine_free(*ret_m);
		*ret_m = NULL;
	}
	return rc;
}

static int end(struct cs_machine *m, struct cs_site_list *l, int rc)
{
	cs_site_list_done(l);
	cs_machine_free(m);
	return rc;
}

/* The file's text, the caller's.  NULL: no memory. */
static char *text_of(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = f ? malloc(FILE_BYTES + 1) : NULL;

	if (text)
		text[fread(text, 1, FILE_BYTES, f)] = '\0';
	if (f)
		fclose(f);
	return text;
}

int cs_conf_sites_file(const struct cs_confparts *c, const char *path,
		       bool (*tell)(void *arg, unsigned line, const char *text),
		       void *arg)
{
	char *text = text_of(path);
	struct cs_machine *m;
	struct cs_site_list l;
	int rc = text ? begin(c, &m, &l) : -ENOMEM;

	if (!rc)
		rc = end(m, &l, cs_site_list_errors(&l, text, tell, arg));
	free(text);
	return rc;
}

/* ---- partitions ------------------------------------------------------------- */

struct put {
	struct cs_site_list *l;
	struct cs_err *err;
};

static int put(void *arg, const char *name)
{
	struct put *p = arg;
	uint32_t n = cs_site_list_find(p->l, name);

	/* a node that is none is for Slurm to refuse; one named twice is in it once */
	if (n == UINT32_MAX || p->l->of[n] == p->l->n - 1)
		return 0;
	return cs_site_list_put(p->l, n, p->err);
}

static int put_all(struct cs_site_list *l, struct cs_err *err)
{
	int rc = 0;

	for (uint32_t n = 0; !rc && n < l->m->n_node; n++)
		rc = cs_site_list_put(l, n, err);
	return rc;
}

/* The last partition of that name counts. */
static const struct cs_confline *part_of(const struct cs_confparts *c,
					 const char *name, size_t len,
					 size_t *ret_i)
{
	const struct cs_conflines *l = &c->of[CS_CONF_PART];

	for (size_t i = l->n; i--;)
		if (strlen(l->line[i].name) == len &&
		    !memcmp(l->line[i].name, name, len)) {
			*ret_i = i;
			return &l->line[i];
		}
	return NULL;
}

static int put_part(const struct cs_confparts *c, struct cs_site_list *l,
		    const char *name, size_t len, struct cs_err *err)
{
	struct put p = { l, err };
	size_t i = 0;
	const struct cs_confline *part = part_of(c, name, len, &i);
	int rc = cs_site_list_more(l, name, len, err);

	if (rc || !part)
		return rc;
	if (part->nodes && !strcasecmp(part->nodes, "ALL"))
		rc = put_all(l, err);
	else
		rc = cs_conf_parts_each(c, i, put, &p);
	return rc ?: cs_site_list_closed(l, err);
}

int cs_conf_sites_parts(const struct cs_confparts *c, const char *parts,
			struct cs_err *err)
{
	struct cs_machine *m;
	struct cs_site_list l;
	int rc = begin(c, &m, &l);

	if (rc)
		return rc;
	while (!rc && *parts) {
		size_t len = strcspn(parts, "+");

		rc = put_part(c, &l, parts, len, err);
		parts += len + (parts[len] == '+');
	}
	return end(m, &l, rc);
}
