/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/read_topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log/log_alloc.h"
#include "log/read_field.h"
#include "model/sites.h"
#include "model/topology.h"

#define GROUPS_MAX 65535
#define WORDS_MAX (UINT64_C(1) << 23) /* of all groups */
#define SIZES_MAX 17

struct groups {
	struct cs_group_desc *d;
	uint64_t *words;
	uint32_t n;
};

static int set_nodes(struct json_object *o, const struct cs_machine *m,
		     uint64_t *set, struct cs_err *err)
{
	struct json_object *v;
	struct cs_range *r;
	size_t n;
	int rc;

	if (!json_object_object_get_ex(o, "nodes", &v))
		return 0;
	if (!json_object_is_type(v, json_type_string))
		return cs_err_set(err, -EINVAL,
				  "a group's \"nodes\" are no text, expected a "
				  "list such as \"0-63\"");
	rc = cs_log_ranges_read(json_object_get_string(v), "group's nodes", &r,
				&n, err);
	if (rc)
		return rc;
	if (r[n - 1].last >= m->n_node)
		rc = cs_err_set(err, -EINVAL,
				"a group with node %u, expected at most %u",
				r[n - 1].last, m->n_node - 1);
	for (size_t i = 0; !rc && i < n; i++)
		for (uint32_t k = r[i].first; k <= r[i].last; k++)
			cs_bit_set(set, k);
	free(r);
	return rc;
}

static int read_groups(struct json_object *list, const struct cs_machine *m,
		       struct groups *g, struct cs_err *err)
{
	uint32_t words = cs_node_words(m);
	size_t n = json_object_array_length(list);
	int rc = 0;

	if (!n || n > GROUPS_MAX || n * words > WORDS_MAX)
		return cs_err_set(err, -EINVAL,
				  "%zu \"groups\", expected 1 to %d, less on a "
				  "large machine",
				  n, GROUPS_MAX);
	g->d = calloc(n, sizeof(*g->d));
	g->words = calloc(n, words * sizeof(*g->words));
	if (!g->d || !g->words)
		return cs_err_set(err, -ENOMEM, "no memory");
	for (; !rc && g->n < n; g->n++) {
		struct json_object *o = json_object_array_get_idx(list, g->n);
		uint64_t *set = g->words + (uint64_t)g->n * words;
		uint32_t level = 0;

		if (!json_object_is_type(o, json_type_object))
			return cs_err_set(err, -EINVAL,
					  "a group is no object, expected "
					  "{\"nodes\":LIST,...}");
		rc = cs_log_uint(o, "level", 0, UINT16_MAX, &level, err);
		rc = rc == -ENOENT ? 0 : rc;
		g->d[g->n] =
			(struct cs_group_desc){ .level = level, .nodes = set };
		if (!rc)
			rc = set_nodes(o, m, set, err);
	}
	return rc;
}

/* Sizes of blocks: increasing, from 1 on. */
static int read_sizes(struct json_object *o, uint32_t size[SIZES_MAX],
		      uint32_t *ret_n, struct cs_err *err)
{
	struct json_object *list;
	size_t n;

	if (!json_object_object_get_ex(o, "sizes", &list) ||
	    !json_object_is_type(list, json_type_array))
		return cs_err_set(err, -EINVAL,
				  "blocks without \"sizes\", expected [1,...]");
	n = json_object_array_length(list);
	for (size_t i = 0; i < n && i < SIZES_MAX; i++) {
		int64_t v = json_object_get_int64(
			json_object_array_get_idx(list, i));

		size[i] = (uint32_t)v;
		if (v != size[i] || (i ? size[i] <= size[i - 1] : v != 1))
			n = 0;
	}
	if (!n || n > SIZES_MAX)
		return cs_err_set(err, -EINVAL,
				  "\"sizes\" %.40s, expected 1 and larger ones",
				  json_object_to_json_string(list));
	*ret_n = (uint32_t)n;
	return 0;
}

static int make(struct json_object *o, struct cs_machine *m,
		const struct groups *g, struct cs_err *err)
{
	uint32_t block = 0, size[SIZES_MAX], n_size = 0;
	int rc = cs_log_uint(o, "block", 1, UINT32_MAX, &block, err);

	if (rc == -ENOENT)
		m->topology = cs_topology_tree(m->n_node, g->d, g->n);
	else if (rc)
		return rc;
	else if (read_sizes(o, size, &n_size, err))
		return -EINVAL;
	else
		m->topology = cs_topology_block(m->n_node, g->d, g->n, block,
						size, n_size);
	return m->topology ? 0 : cs_err_set(err, -ENOMEM, "no memory");
}

int cs_log_topology_read(struct json_object *o, struct cs_machine *m,
			 struct cs_err *err)
{
	struct json_object *topology, *list;
	struct groups g = { 0 };
	int rc;

	if (!json_object_object_get_ex(o, "topology", &topology))
		return 0;
	if (!json_object_is_type(topology, json_type_object) ||
	    !json_object_object_get_ex(topology, "groups", &list) ||
	    !json_object_is_type(list, json_type_array))
		return cs_err_set(err, -EINVAL,
				  "a \"topology\" without \"groups\", expected "
				  "{\"groups\":[{\"nodes\":LIST},...]}");
	rc = read_groups(list, m, &g, err);
	if (!rc)
		rc = make(topology, m, &g, err);
	free(g.d);
	free(g.words);
	return rc;
}

/* The site of each node into @of.  -EINVAL if a node is in none, or in two. */
static int deal(const struct groups *g, const struct cs_machine *m,
		uint32_t *of, struct cs_err *err)
{
	uint32_t words = cs_node_words(m), n = 0;

	memset(of, 0xff, m->n_node * sizeof(*of));
	for (size_t w = 0; w < (size_t)g->n * words; w++)
		for (uint64_t set = g->words[w]; set;) {
			n = (uint32_t)(w % words) * 64 + cs_bit_pop(&set);
			if (of[n] != UINT32_MAX)
				return cs_err_set(
					err, -EINVAL,
					"node %u is in two \"sites\", "
					"expected one",
					n);
			of[n] = (uint32_t)(w / words);
		}
	for (n = 0; n < m->n_node; n++)
		if (of[n] == UINT32_MAX)
			return cs_err_set(
				err, -EINVAL,
				"node %u is in no \"sites\", expected one", n);
	return 0;
}

int cs_log_sites_read(struct json_object *o, struct cs_machine *m,
		      struct cs_err *err)
{
	struct json_object *list;
	struct groups g = { 0 };
	uint32_t *of;
	int rc;

	if (!json_object_object_get_ex(o, "sites", &list))
		return 0;
	if (!json_object_is_type(list, json_type_array))
		return cs_err_set(err, -EINVAL,
				  "\"sites\" is no list, expected "
				  "[{\"nodes\":LIST},...]");
	of = calloc(m->n_node, sizeof(*of));
	if (!of)
		return cs_err_set(err, -ENOMEM, "no memory");
	rc = read_groups(list, m, &g, err);
	if (!rc)
		rc = deal(&g, m, of, err);
	if (!rc) {
		m->sites = cs_sites_create(m->n_node, of, g.n, NULL);
		if (!m->sites)
			rc = cs_err_set(err, -EINVAL,
					"a site without nodes, expected "
					"one or more in each");
	}
	free(g.d);
	free(g.words);
	free(of);
	return rc;
}
