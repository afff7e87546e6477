/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/sites.h"
#include "model/topology.h"

#define NODE_CORES_MAX 65536

struct cs_machine *cs_machine_create(uint32_t n_node,
				     const struct cs_node *like)
{
	struct cs_machine *m;

	if (!n_node || cs_node_vacant(like))
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
		m->node[n].gpus = NULL;
	}
	for (uint32_t n = 0; n < n_node; n++)
		if (cs_machine_share_gpus(m, like->gpus, &m->node[n].gpus))
			goto fail;
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
	to->n_there = m->n_there;
	to->words = m->words;
	to->alike = m->alike;
	to->most_threads = m->most_threads;
	to->core_threads = m->core_threads;
	to->level = m->level;
	to->weight_first = m->weight_first;
	to->gpus_most = m->gpus_most;
	for (uint32_t n = 0; n < m->n_node; n++) {
		to->node[n] = m->node[n];
		to->node[n].name = NULL;
		to->n_node = n + 1;
		if (cs_machine_share_gpus(to, m->node[n].gpus,
					  &to->node[n].gpus))
			goto fail;
		if (!m->node[n].name)
			continue;
		to->node[n].name = strdup(m->node[n].name);
		if (!to->node[n].name)
			goto fail;
	}
	if (m->topology)
		to->topology = cs_topology_copy(m->topology);
	if (m->sites)
		to->sites = cs_sites_copy(m->sites);
	if (!m->topology == !to->topology && !m->sites == !to->sites)
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
	for (uint32_t i = 0; i < m->n_gpus; i++)
		free(m->gpus[i]);
	free(m->gpus);
	cs_topology_free(m->topology);
	cs_sites_free(m->sites);
	free(m);
}

int cs_machine_share_gpus(struct cs_machine *m, const struct cs_gpus *g,
			  const struct cs_gpus **ret)
{
	struct cs_gpus **all, *copy;

	*ret = NULL;
	for (uint32_t i = 0; g && g->n && i < m->n_gpus; i++)
		if (cs_gpus_same(m->gpus[i], g))
			*ret = m->gpus[i];
	if (!g || !g->n || *ret)
		return 0;
	all = realloc(m->gpus, (m->n_gpus + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	m->gpus = all;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *g;
	m->gpus[m->n_gpus++] = copy;
	*ret = copy;
	return 0;
}

uint64_t cs_machine_gpus(const struct cs_machine *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; m->n_gpus && i < m->n_node; i++)
		n += m->node[i].gpus ? m->node[i].gpus->n : 0;
	return n;
}

uint64_t cs_machine_cores(const struct cs_machine *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->n_node; i++)
		n += cs_node_cores(&m->node[i]);
	return n;
}

const struct cs_node *cs_machine_first(const struct cs_machine *m)
{
	for (uint32_t n = 0; n < m->n_node; n++)
		if (!cs_node_vacant(&m->node[n]))
			return &m->node[n];
	return m->node;
}

bool cs_node_same_cores(const struct cs_node *a, const struct cs_node *b)
{
	return a->sockets == b->sockets &&
	       a->cores_per_socket == b->cores_per_socket &&
	       a->threads == b->threads && a->n_uneven == b->n_uneven &&
	       !memcmp(a->uneven, b->uneven, sizeof(a->uneven));
}

bool cs_node_same_kind(const struct cs_node *a, const struct cs_node *b)
{
	return cs_node_same_cores(a, b) && a->memory_mb == b->memory_mb &&
	       cs_gpus_same(a->gpus, b->gpus);
}

bool cs_node_same(const struct cs_node *a, const struct cs_node *b)
{
	return cs_node_same_kind(a, b) && a->weight == b->weight &&
	       a->line == b->line;
}

static int check_node(const struct cs_machine *m, const struct cs_node *node,
		      uint32_t n, struct cs_err *err)
{
	const char *name = node->name ? node->name : "";
	uint32_t uneven = 0;

	if (!node->sockets || !node->threads)
		return cs_err_set(err, -EINVAL,
				  "node %u '%.64s' has %u sockets of %u "
				  "threads a core, expected at least 1 each",
				  n, name, node->sockets, node->threads);
	for (uint32_t s = 0; s < node->n_uneven && s < CS_NODE_UNEVEN; s++)
		uneven += node->uneven[s];
	if (node->n_uneven &&
	    (node->sockets > 1 || node->n_uneven > CS_NODE_UNEVEN ||
	     uneven != cs_node_cores(node)))
		return cs_err_set(err, -EINVAL,
				  "node %u '%.64s' has %u cores on %u sockets "
				  "that differ, expected %u on at most %d",
				  n, name, uneven, node->n_uneven,
				  cs_node_cores(node), CS_NODE_UNEVEN);
	if (node->line > m->n_node)
		return cs_err_set(err, -EINVAL,
				  "node %u '%.64s' is of line %u, expected at "
				  "most %u",
				  n, name, node->line, m->n_node);
	if (cs_node_cores(node) > NODE_CORES_MAX)
		return cs_err_set(err, -EINVAL,
				  "node %u '%.64s' has %u cores, expected at "
				  "most %d",
				  n, name, cs_node_cores(node), NODE_CORES_MAX);
	return 0;
}

static uint32_t threads_of(const struct cs_node *n)
{
	return cs_node_cores(n) * n->threads;
}

/* Is neither's weight less, and have both GPUs or neither? */
static bool same_level(const struct cs_node *a, const struct cs_node *b)
{
	return a->weight == b->weight && !a->gpus == !b->gpus;
}

/* Take @node, which is there, into what the nodes have in common with @first, one of
 * them. */
static void add(struct cs_machine *m, const struct cs_node *node,
		const struct cs_node *first)
{
	m->n_there++;
	if (threads_of(node) > m->most_threads)
		m->most_threads = threads_of(node);
	if (node->threads > m->core_threads)
		m->core_threads = node->threads;
	m->alike &= cs_node_same_cores(node, first);
	m->level &= same_level(node, first);
}

/* What the nodes have in common. */
static void compare(struct cs_machine *m)
{
	const struct cs_node *first = cs_machine_first(m);

	m->alike = m->level = true;
	m->n_there = m->most_threads = 0;
	m->core_threads = 1;
	for (uint32_t n = 0; n < m->n_node; n++)
		if (!cs_node_vacant(&m->node[n]))
			add(m, &m->node[n], first);
}

/* Has another one what @was, which is gone, had most of? */
static bool equalled(const struct cs_machine *m, const struct cs_node *was)
{
	bool node = threads_of(was) < m->most_threads;
	bool core = was->threads < m->core_threads;

	for (uint32_t n = 0; n < m->n_node && !(node && core); n++) {
		node |= threads_of(&m->node[n]) == m->most_threads;
		core |= !cs_node_vacant(&m->node[n]) &&
			m->node[n].threads == m->core_threads;
	}
	return node && core;
}

/* Do two that are there differ in all that some do? */
static bool differ(const struct cs_machine *m)
{
	const struct cs_node *first = cs_machine_first(m);
	bool cores = m->alike, weight = m->level;

	for (uint32_t n = 0; n < m->n_node && !(cores && weight); n++) {
		const struct cs_node *node = &m->node[n];

		if (cs_node_vacant(node))
			continue;
		cores |= !cs_node_same_cores(node, first);
		weight |= !same_level(node, first);
	}
	return cores && weight;
}

/* @was is gone: mostly nothing else changes. */
static void drop(struct cs_machine *m, const struct cs_node *was)
{
	m->n_there--;
	if (!equalled(m, was) || !differ(m))
		compare(m);
}

int cs_machine_check(struct cs_machine *m, struct cs_err *err)
{
	uint32_t most = 1, gpus = 0;
	int rc = 0;

	if (!m->n_node)
		return cs_err_set(err, -EINVAL,
				  "machine without nodes, expected at least 1");
	for (uint32_t n = 0; !rc && n < m->n_node; n++) {
		rc = check_node(m, &m->node[n], n, err);
		if (cs_node_cores(&m->node[n]) > most)
			most = cs_node_cores(&m->node[n]);
		if (m->node[n].gpus && m->node[n].gpus->n > gpus)
			gpus = m->node[n].gpus->n;
	}
	if (rc)
		return rc;
	compare(m);
	m->words = cs_div_up(most, 64);
	m->gpus_most = gpus;
	return 0;
}

int cs_machine_put(struct cs_machine *m, uint32_t n, const struct cs_node *now,
		   struct cs_err *err)
{
	const struct cs_node was = m->node[n];
	int rc = check_node(m, now, n, err);
	const struct cs_gpus *gpus;
	char *name = NULL;

	if (rc)
		return rc;
	if (cs_node_cores(now) > m->words * 64)
		return cs_err_set(err, -ERANGE,
				  "node %u '%.64s' has %u cores from now on, "
				  "expected at most %u on this machine",
				  n, now->name ? now->name : "",
				  cs_node_cores(now), m->words * 64);
	if (now->gpus && now->gpus->n > m->gpus_most)
		return cs_err_set(err, -ERANGE,
				  "node %u '%.64s' has %u GPUs from now on, "
				  "expected at most %u on this machine",
				  n, now->name ? now->name : "", now->gpus->n,
				  m->gpus_most);
	if (cs_machine_share_gpus(m, now->gpus, &gpus))
		return cs_err_set(err, -ENOMEM, "no memory");
	if (now->name) {
		name = strdup(now->name);
		if (!name)
			return cs_err_set(err, -ENOMEM, "no memory");
	}
	m->node[n].cores_per_socket = 0;
	if (!cs_node_vacant(&was))
		drop(m, &was);
	if (!cs_node_vacant(now))
		add(m, now, m->n_there ? cs_machine_first(m) : now);
	m->node[n] = *now;
	m->node[n].name = name;
	m->node[n].gpus = gpus;
	free(was.name);
	return 0;
}

struct cs_alloc *cs_alloc_create(uint32_t n_node, uint32_t words)
{
	struct cs_alloc *a;
	size_t size;

	/* of a node: it, and its cores */
	if (!n_node || !words ||
	    __builtin_mul_overflow((size_t)words, sizeof(*a->cores), &size) ||
	    __builtin_add_overflow(size, sizeof(*a->node), &size) ||
	    __builtin_mul_overflow(size, n_node, &size) ||
	    __builtin_add_overflow(size, sizeof(*a), &size))
		return NULL;
	/* faster than calloc(), which in glibc bypasses its cache */
	a = malloc(size);
	if (!a)
		return NULL;
	a->n_node = n_node;
	a->words = words;
	a->owner = 0;
	a->gpu_share = 0;
	a->node = (struct cs_alloc_node *)(void *)(a + 1);
	a->cores = (uint64_t *)(void *)(a->node + n_node);
	memset(a->node, 0, size - sizeof(*a));
	return a;
}

struct cs_alloc *cs_alloc_copy(const struct cs_alloc *a)
{
	struct cs_alloc *to = cs_alloc_create(a->n_node, a->words);

	if (!to)
		return NULL;
	to->owner = a->owner;
	to->gpu_share = a->gpu_share;
	memcpy(to->node, a->node, a->n_node * sizeof(*to->node));
	memcpy(to->cores, a->cores,
	       (size_t)a->n_node * a->words * sizeof(*to->cores));
	return to;
}

bool cs_alloc_equal(const struct cs_alloc *a, const struct cs_alloc *b)
{
	if (a->n_node != b->n_node || a->words != b->words)
		return false;
	_Static_assert(sizeof(*a->node) == sizeof(a->node->node) +
						   sizeof(a->node->procs) +
						   sizeof(a->node->mem_mb) +
						   sizeof(a->node->gpus),
		       "there is nothing between the fields of a node");
	return !memcmp(a->node, b->node, a->n_node * sizeof(*a->node)) &&
	       !memcmp(a->cores, b->cores,
		       (size_t)a->n_node * a->words * sizeof(*a->cores));
}

bool cs_alloc_meet(const struct cs_alloc *a, const struct cs_alloc *b)
{
	for (uint32_t i = 0; i < a->n_node; i++) {
		const uint64_t *other = cs_alloc_cores_on(b, a->node[i].node);

		for (uint32_t w = 0; other && w < a->words; w++)
			if (other[w] & cs_alloc_cores(a, i)[w])
				return true;
	}
	return false;
}

void cs_alloc_free(struct cs_alloc *a)
{
	free(a);
}

const uint64_t *cs_alloc_cores_on(const struct cs_alloc *a, uint32_t node)
{
	uint32_t from = 0, to = a ? a->n_node : 0;

	while (from < to) {
		uint32_t i = from + (to - from) / 2;

		if (a->node[i].node == node)
			return cs_alloc_cores(a, i);
		if (a->node[i].node < node)
			from = i + 1;
		else
			to = i;
	}
	return NULL;
}
