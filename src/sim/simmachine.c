/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim.h"

#include <errno.h>
#include <stdlib.h>

#include "common/model/sites.h"

#define NODES_MAX 1000000
#define COUNT_MAX 65535	     /* sockets, cores a socket */
#define NODE_CORES_MAX 65536 /* as in cs_machine_check() */

/* The digits at *@at as a number from 1 on, @max + 1 if above @max; 0: not a
 * number. */
static uint32_t number(const char **at, uint32_t max)
{
	uint32_t v = 0;

	for (; **at >= '0' && **at <= '9'; ++*at)
		if (v <= max)
			v = 10 * v + (uint32_t)(**at - '0');
	if (v > max)
		return max + 1;
	return v;
}

int cs_sim_machine(const char *text, struct cs_machine **ret,
		   struct cs_err *err)
{
	const char *at = text;
	uint32_t count[3];
	struct cs_node like = { .threads = 1 };
	struct cs_machine *m;

	for (int i = 0; i < 3; i++) {
		count[i] = number(&at, NODES_MAX);
		if (!count[i] || *at++ != (i < 2 ? 'x' : '\0'))
			return cs_err_set(err, -EINVAL,
					  "machine '%s', expected "
					  "NODESxSOCKETSxCORES such as 128x2x2",
					  text);
	}
	if (count[0] > NODES_MAX || count[1] > COUNT_MAX ||
	    count[2] > COUNT_MAX ||
	    (uint64_t)count[1] * count[2] > NODE_CORES_MAX)
		return cs_err_set(err, -EINVAL,
				  "machine '%s' is too large, expected at most "
				  "%d nodes, of %d cores each",
				  text, NODES_MAX, NODE_CORES_MAX);
	like.sockets = (uint16_t)count[1];
	like.cores_per_socket = (uint16_t)count[2];
	m = cs_machine_create(count[0], &like);
	if (!m)
		return cs_err_set(err, -ENOMEM, "machine '%s': out of memory",
				  text);
	*ret = m;
	return 0;
}

/* Sites that are alike. */
struct alike {
	uint32_t sites, nodes; /* of each */
	uint32_t sockets, cores;
};

/* "xN" at *@at into *@ret.  False: not so, or above @max. */
static bool times(const char **at, uint32_t max, uint32_t *ret)
{
	if (*(*at)++ != 'x')
		return false;
	*ret = number(at, max);
	return *ret && *ret <= max;
}

/* The next "COUNTxNODES" or "COUNTxNODESxSOCKETSxCORES" at *@at.  False: not one. */
static bool next_sites(const char **at, struct alike *ret)
{
	*ret = (struct alike){ .sockets = 1, .cores = 1 };
	ret->sites = number(at, NODES_MAX);
	if (!ret->sites || ret->sites > NODES_MAX ||
	    !times(at, NODES_MAX, &ret->nodes))
		return false;
	if (**at == 'x' &&
	    (!times(at, COUNT_MAX, &ret->sockets) ||
	     !times(at, COUNT_MAX, &ret->cores) ||
	     (uint64_t)ret->sockets * ret->cores > NODE_CORES_MAX))
		return false;
	return **at == '\0' || (*(*at)++ == ',' && **at);
}

/* How many sites and nodes; 0: @text is wrong, or they are too many. */
static uint32_t count_nodes(const char *text, uint32_t *ret_sites)
{
	uint64_t nodes = 0, sites = 0;

	while (*text) {
		struct alike x;

		if (!next_sites(&text, &x))
			return 0;
		sites += x.sites;
		nodes += (uint64_t)x.sites * x.nodes;
		if (nodes > NODES_MAX)
			return 0;
	}
	*ret_sites = (uint32_t)sites;
	return (uint32_t)nodes;
}

/* The sites of @text, of @m's nodes, which become as it says. */
static struct cs_sites *make_sites(const char *text, struct cs_machine *m,
				   uint32_t n_site)
{
	uint32_t *of = calloc(m->n_node, sizeof(*of)), node = 0, site = 0;
	struct cs_sites *s;
	struct alike x;

	if (!of)
		return NULL;
	while (*text && next_sites(&text, &x))
		for (; x.sites; x.sites--, site++)
			for (uint32_t i = 0; i < x.nodes; i++) {
				m->node[node].sockets = (uint16_t)x.sockets;
				m->node[node].cores_per_socket =
					(uint16_t)x.cores;
				of[node++] = site;
			}
	s = cs_sites_create(m->n_node, of, n_site, NULL);
	free(of);
	return s;
}

int cs_sim_sites(const char *text, struct cs_machine **ret, struct cs_err *err)
{
	struct cs_node like = { .threads = 1,
				.sockets = 1,
				.cores_per_socket = 1 };
	uint32_t n_site = 0, n_node = count_nodes(text, &n_site);
	struct cs_machine *m;

	if (!n_node)
		return cs_err_set(
			err, -EINVAL,
			"sites '%s', expected COUNTxNODES or "
			"COUNTxNODESxSOCKETSxCORES joined by ',' such as "
			"4x64,6x32, of at most %d nodes in all",
			text, NODES_MAX);
	m = cs_machine_create(n_node, &like);
	if (m)
		m->sites = make_sites(text, m, n_site);
	if (!m || !m->sites) {
		cs_machine_free(m);
		return cs_err_set(err, -ENOMEM, "sites '%s': out of memory",
				  text);
	}
	/* its nodes are other ones now */
	if (cs_machine_check(m, err)) {
		cs_machine_free(m);
		return -EINVAL;
	}
	*ret = m;
	return 0;
}
