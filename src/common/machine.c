/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NODE_CORES_MAX 65536

struct cs_machine *cs_machine_create(uint32_t n_node,
				     const struct cs_node *like)
{
	struct cs_machine *m;

	if (!n_node)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->node = calloc(n_node, sizeof(*m->node));
	if (!m->node)
		goto fail;
	m->n_node = n_node;
	for (uint32_t n = 0; n < n_node; n++) {
		m->node[n] = *like;
		m->node[n].name = NULL;
	}
	if (cs_machine_check(m, NULL))
		goto fail;
	return m;
fail:
	cs_machine_free(m);
	return NULL;
}

struct cs_machine *cs_machine_copy(const struct cs_machine *m)
{
	struct cs_machine *to = calloc(1, sizeof(*to));

	if (!to)
		return NULL;
	to->node = calloc(m->n_node, sizeof(*to->node));
	if (!to->node)
		goto fail;
	to->words = m->words;
	for (uint32_t n = 0; n < m->n_node; n++) {
		to->node[n] = m->node[n];
		to->node[n].name = NULL;
		to->n_node = n + 1;
		if (!m->node[n].name)
			continue;
		to->node[n].name = strdup(m->node[n].name);
		if (!to->node[n].name)
			goto fail;
	}
	return to;
fail:
	cs_machine_free(to);
	return NULL;
}

void cs_machine_free(struct cs_machine *m)
{
	if (!m)
		return;
	for (uint32_t n = 0; n < m->n_node; n++)
		free(m->node[n].name);
	free(m->node);
	free(m);
}

int cs_machine_check(struct cs_machine *m, struct cs_err *err)
{
	uint32_t most = 0;

	if (!m->n_node)
		return cs_err_set(err, -EINVAL,
				  "machine without nodes, expected at least 1");
	for (uint32_t n = 0; n < m->n_node; n++) {
		const struct cs_node *node = &m->node[n];
		const char *name = node->name ? node->name : "";

		if (!node->sockets || !node->cores_per_socket || !node->threads)
			return cs_err_set(err, -EINVAL,
					  "node %u '%.64s' has %u sockets of "
					  "%u cores of %u threads, expected at "
					  "least 1 each", n, name,
					  node->sockets, node->cores_per_socket,
					  node->threads);
		if (cs_node_cores(node) > NODE_CORES_MAX)
			return cs_err_set(err, -EINVAL,
					  "node %u '%.64s' has %u cores, "
					  "expected at most %d", n, name,
					  cs_node_cores(node), NODE_CORES_MAX);
		if (cs_node_cores(node) > most)
			most = cs_node_cores(node);
	}
	m->words = (most + 63) / 64;
	return 0;
}

struct cs_alloc *cs_alloc_create(uint32_t n_node, uint32_t words)
{
	struct cs_alloc *a;
	size_t sets;

	if (!n_node || !words || __builtin_mul_overflow(n_node, words, &sets))
		return NULL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->n_node = n_node;
	a->words = words;
	a->node = calloc(n_node, sizeof(*a->node));
	a->cores = calloc(sets, sizeof(*a->cores));
	if (!a->node || !a->cores) {
		cs_alloc_free(a);
		return NULL;
	}
	return a;
}

struct cs_alloc *cs_alloc_copy(const struct cs_alloc *a)
{
	struct cs_alloc *to = cs_alloc_create(a->n_node, a->words);

	if (!to)
		return NULL;
	memcpy(to->node, a->node, a->n_node * sizeof(*to->node));
	memcpy(to->cores, a->cores,
	       (size_t)a->n_node * a->words * sizeof(*to->cores));
	return to;
}

void cs_alloc_free(struct cs_alloc *a)
{
	if (!a)
		return;
	free(a->node);
	free(a->cores);
	free(a);
}
