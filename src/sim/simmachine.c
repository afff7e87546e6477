/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Nodes of one kind. */
struct kind {
	uint32_t nodes, sockets, cores;
	struct cs_gpus gpus;
};

#define KINDS_MOST 64

/* The next "NODESxSOCKETSxCORES" at *@at, behind which *@at is.  False: not one. */
static bool next_kind(const char **at, struct kind *ret)
{
	uint32_t count[3];

	for (int i = 0; i < 3; i++) {
		count[i] = number(at, NODES_MAX);
		if (!count[i] || (i < 2 && *(*at)++ != 'x'))
			return false;
	}
	*ret = (struct kind){ .nodes = count[0],
			      .sockets = count[1],
			      .cores = count[2] };
	return true;
}

/* The kinds of @text into @ret.  Returns how many, or -EINVAL. */
static int read_kinds(const char *text, struct kind ret[KINDS_MOST],
		      struct cs_err *err)
{
	const char *at = text;
	uint64_t nodes = 0;
	int n = 0;

	do {
		struct kind *k = &ret[n];

		if (n == KINDS_MOST || !next_kind(&at, k) ||
		    (*at && *at != '+'))
			return cs_err_set(err, -EINVAL,
					  "machine '%s', expected "
					  "NODESxSOCKETSxCORES such as 128x2x2",
					  text);
		nodes += k->nodes;
		if (nodes > NODES_MAX || k->sockets > COUNT_MAX ||
		    k->cores > COUNT_MAX ||
		    (uint64_t)k->sockets * k->cores > NODE_CORES_MAX)
			return cs_err_set(err, -EINVAL,
					  "machine '%s' is too large, expected "
					  "at most %d nodes, of %d cores each",
					  text, NODES_MAX, NODE_CORES_MAX);
		n++;
	} while (*at++ == '+');
	return n;
}

/* GPUs @text of the @n kinds @k. */
static int read_gpus(const char *text, struct kind *k, int n,
		     struct cs_err *err)
{
	const char *c = text;

	for (int i = 0; i < n; i++) {
		char part[CS_GPU_KINDS * (CS_GPU_NAME + 8)] = "";
		size_t len = strcspn(c, "+");

		if (len >= sizeof(part))
			return cs_err_set(err, -EINVAL,
					  "GPUs '%.80s...', expected fewer",
					  text);
		memcpy(part, c, len);
		if (cs_gpus_parse(&k[i].gpus, part, err))
			return -EINVAL;
		if (!c[len] && !i) {
			while (++i < n)
				k[i].gpus = k[0].gpus;
			return 0;
		}
		if (!c[len] != (i + 1 == n))
			return cs_err_set(
				err, -EINVAL,
				"GPUs '%.80s', expected them once, or "
				"for each of %d kinds of nodes",
				text, n);
		c += len + 1;
	}
	return 0;
}

int cs_sim_machine_gpus(const char *text, const char *gpus,
			struct cs_machine **ret, struct cs_err *err)
{
	struct kind kind[KINDS_MOST];
	int n = read_kinds(text, kind, err);
	struct cs_node like = { .threads = 1,
				.sockets = 1,
				.cores_per_socket = 1 };
	uint32_t nodes = 0, at = 0;
	struct cs_machine *m;
	int rc;

	if (n < 0 || (gpus && read_gpus(gpus, kind, n, err)))
		return -EINVAL;
	for (int i = 0; i < n; i++)
		nodes += kind[i].nodes;
	m = cs_machine_create(nodes, &like);
	rc = m ? 0 : -ENOMEM;
	for (int i = 0; !rc && i < n; i++)
		for (uint32_t k = 0; !rc && k < kind[i].nodes; k++, at++) {
			m->node[at].sockets = (uint16_t)kind[i].sockets;
			m->node[at].cores_per_socket = (uint16_t)kind[i].cores;
			if (gpus)
				rc = cs_machine_share_gpus(m, &kind[i].gpus,
							   &m->node[at].gpus);
		}
	if (rc)
		cs_err_set(err, rc, "machine '%s': out of memory", text);
	else
		rc = cs_machine_check(m,
				      err); /* its nodes are other ones now */
	if (!rc)
		*ret = m;
	else
		cs_machine_free(m);
	return rc;
}

int cs_sim_machine(const char *text, struct cs_machine **ret,
		   struct cs_err *err)
{
	return cs_sim_machine_gpus(text, NULL, ret, err);
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
