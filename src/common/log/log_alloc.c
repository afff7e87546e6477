/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/log_alloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/gpu.h"

/* ---- lists of ranges ----------------------------------------------------- */

static bool read_number(const char **c, uint32_t *ret)
{
	uint64_t v = 0;
	const char *start = *c;

	while (**c >= '0' && **c <= '9' && v <= UINT32_MAX)
		v = 10 * v + (uint64_t)(*(*c)++ - '0');
	*ret = (uint32_t)v;
	return *c > start && v <= UINT32_MAX;
}

static bool read_range(const char **c, struct cs_range *r)
{
	if (!read_number(c, &r->first))
		return false;
	r->last = r->first;
	if (**c != '-')
		return true;
	++*c;
	return read_number(c, &r->last) && r->first <= r->last;
}

static size_t count_items(const char *text)
{
	size_t n = 1;

	for (const char *c = text; *c; c++)
		n += *c == ',';
	return n;
}

/* Read @n items to @r, joining adjacent ones; returns how many remain, 0 if the text is
 * no such list. */
static size_t read_ranges(const char *text, struct cs_range *r, size_t n)
{
	const char *c = text;
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		struct cs_range next;

		if ((i && *c++ != ',') || !read_range(&c, &next))
			return 0;
		if (left && next.first <= r[left - 1].last)
			return 0;
		if (left && next.first == r[left - 1].last + 1)
			r[left - 1].last = next.last;
		else
			r[left++] = next;
	}
	return *c ? 0 : left;
}

int cs_log_ranges_read(const char *text, const char *what,
		       struct cs_range **ret_range, size_t *ret_n,
		       struct cs_err *err)
{
	size_t n = count_items(text);
	struct cs_range *r = calloc(n, sizeof(*r));

	if (!r)
		return cs_err_set(err, -ENOMEM, "no memory");
	n = read_ranges(text, r, n);
	if (!n) {
		free(r);
		return cs_err_set(err, -EINVAL,
				  "%s '%.40s', expected increasing indexes "
				  "such as \"0-2,5\"",
				  what, text);
	}
	*ret_range = r;
	*ret_n = n;
	return 0;
}

int cs_log_gpus_read(const char *text, uint64_t *ret, struct cs_err *err)
{
	struct cs_range *r = NULL;
	uint64_t set = 0;
	size_t n = 0;
	int rc = *text ? cs_log_ranges_read(text, "GPUs", &r, &n, err) : 0;

	for (size_t i = 0; !rc && i < n; i++) {
		if (r[i].last >= CS_GPUS_MOST)
			rc = cs_err_set(err, -EINVAL,
					"GPU %u, expected at most %d",
					r[i].last, CS_GPUS_MOST - 1);
		for (uint32_t k = r[i].first; !rc && k <= r[i].last; k++)
			set |= UINT64_C(1) << k;
	}
	free(r);
	if (!rc)
		*ret = set;
	return rc;
}

/* ---- the whole alloc ----------------------------------------------------- */

static int add_parts(struct cs_log_alloc *a, const struct cs_range *node,
		     size_t n_node, const struct cs_range *core, size_t n_core)
{
	size_t first = a->n_core;

	if (cs_array_room(&a->part, &a->room_part, a->n_part + n_node) ||
	    cs_array_room(&a->core, &a->room_core, first + n_core))
		return -ENOMEM;
	memcpy(a->core + first, core, n_core * sizeof(*core));
	a->n_core += n_core;
	for (size_t i = 0; i < n_node; i++)
		a->part[a->n_part++] = (struct cs_log_part){ .nodes = node[i],
							     .core = first,
							     .n_core = n_core };
	return 0;
}

static int read_entry(struct cs_log_alloc *a, const char *nodes,
		      struct json_object *cores, struct cs_err *err)
{
	struct cs_range *node = NULL, *core = NULL;
	size_t n_node, n_core;
	int rc;

	if (!json_object_is_type(cores, json_type_string))
		return cs_err_set(err, -EINVAL,
				  "cores of node '%.40s' are no string, "
				  "expected one such as \"0,2\"",
				  nodes);
	rc = cs_log_ranges_read(nodes, "nodes", &node, &n_node, err);
	if (rc)
		goto out;
	rc = cs_log_ranges_read(json_object_get_string(cores), "cores", &core,
				&n_core, err);
	if (rc)
		goto out;
	rc = add_parts(a, node, n_node, core, n_core);
	if (rc)
		cs_err_set(err, rc, "no memory");
out:
	free(node);
	free(core);
	return rc;
}

static int by_nodes(const void *va, const void *vb)
{
	const struct cs_log_part *a = va, *b = vb;

	if (a->nodes.first != b->nodes.first)
		return a->nodes.first < b->nodes.first ? -1 : 1;
	return (a->nodes.last > b->nodes.last) -
	       (a->nodes.last < b->nodes.last);
}

/* Sort the parts; a node in two of them is an error. */
static int order_parts(struct cs_log_alloc *a, struct cs_err *err)
{
	if (!a->n_part)
		return cs_err_set(err, -EINVAL,
				  "alloc is empty, expected a node");
	qsort(a->part, a->n_part, sizeof(*a->part), by_nodes);
	for (size_t i = 1; i < a->n_part; i++)
		if (a->part[i].nodes.first <= a->part[i - 1].nodes.last)
			return cs_err_set(err, -EINVAL,
					  "alloc names node %u twice, "
					  "expected each node once",
					  a->part[i].nodes.first);
	return 0;
}

int cs_log_alloc_read(struct json_object *o, struct cs_log_alloc **ret_alloc,
		      struct cs_err *err)
{
	struct cs_log_alloc *a;
	int rc = 0;

	if (!json_object_is_type(o, json_type_object))
		return cs_err_set(err, -EINVAL,
				  "alloc is no object, expected "
				  "{\"NODES\":\"CORES\",...}");
	a = calloc(1, sizeof(*a));
	if (!a)
		return cs_err_set(err, -ENOMEM, "no memory");
	json_object_object_foreach(o, nodes, cores) {
		rc = read_entry(a, nodes, cores, err);
		if (rc)
			goto out;
	}
	rc = order_parts(a, err);
	if (rc)
		goto out;
	*ret_alloc = a;
	return 0;
out:
	cs_log_alloc_free(a);
	return rc;
}

/* ---- comparison ---------------------------------------------------------- */

static bool same_cores(const struct cs_log_alloc *a,
		       const struct cs_log_part *pa,
		       const struct cs_log_alloc *b,
		       const struct cs_log_part *pb)
{
	return pa->n_core == pb->n_core &&
	       !memcmp(a->core + pa->core, b->core + pb->core,
		       pa->n_core * sizeof(*a->core));
}

/* Walk both by increasing node, one piece at a time that lies within a single part of
 * each. */
bool cs_log_alloc_equal(const struct cs_log_alloc *a,
			const struct cs_log_alloc *b)
{
	size_t i = 0, j = 0;
	uint32_t at_i, at_j;

	at_i = a->part[0].nodes.first;
	at_j = b->part[0].nodes.first;
	while (i < a->n_part && j < b->n_part) {
		const struct cs_log_part *pa = &a->part[i], *pb = &b->part[j];
		uint32_t last = pa->nodes.last < pb->nodes.last
					? pa->nodes.last
					: pb->nodes.last;

		if (at_i != at_j || !same_cores(a, pa, b, pb))
			return false;
		at_i = at_j = last + 1;
		if (pa->nodes.last == last && ++i < a->n_part)
			at_i = a->part[i].nodes.first;
		if (pb->nodes.last == last && ++j < b->n_part)
			at_j = b->part[j].nodes.first;
	}
	return i == a->n_part && j == b->n_part;
}

void cs_log_alloc_free(struct cs_log_alloc *a)
{
	if (!a)
		return;
	free(a->part);
	free(a->core);
	free(a);
}
