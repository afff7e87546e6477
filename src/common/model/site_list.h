/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which node is in which site, as cosched_sites describes it: collected group by group,
 * or read from a file; and as text, to be found again by the nodes' names.
 *
 *	# SITE NODES			the file: a line for each site
 *	rack1 n[1-40,43]
 *	rack2 n[41-42],gpu[01-08]
 *
 * Nodes in none are one more site, "-".
 */
#ifndef CS_MODEL_SITE_LIST_H
#define CS_MODEL_SITE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/machine.h"
#include "model/topology.h"

#define CS_SITE_LIST_MAX 65535
#define CS_SITE_NAMES_MAX 262144 /* names that a file of sites may hold */

struct cs_site_list {
	const struct cs_machine *m; /* borrowed */
	uint32_t n;
	uint32_t in_last; /* nodes in the last site */
	uint32_t *of;	  /* [nodes of m] site, or UINT32_MAX */
	char **name;	  /* [n] */
	uint32_t cap;	  /* of name */
	struct cs_site_key {
		const char *name; /* the machine's */
		uint32_t node;
	} * key; /* [n_key] nodes with a name, by name; made at need */
	uint32_t n_key;
};

/* Empty, for the nodes of @m.  0, -ENOMEM.  Free it with _done(), after an error, too. */
int cs_site_list_init(struct cs_site_list *l, const struct cs_machine *m);
void cs_site_list_done(struct cs_site_list *l);

/* One more site, of that name.  0, -ENOMEM, -EINVAL. */
int cs_site_list_more(struct cs_site_list *l, const char *name, size_t len,
		      struct cs_err *err);
/* Put node @n into the last site.  -EINVAL: it is in one. */
int cs_site_list_put(struct cs_site_list *l, uint32_t n, struct cs_err *err);
/* The last site is given.  -EINVAL: it is empty. */
int cs_site_list_closed(const struct cs_site_list *l, struct cs_err *err);

/*
 * The leaf switches or base blocks of @t.  A node below two counts to the first, and a
 * switch whose nodes all do is no site: @note of @size bytes says so then, else it is
 * unchanged.  0, -ENOMEM, -EINVAL.
 */
int cs_site_list_leaves(struct cs_site_list *l, const struct cs_topology *t,
			char *note, size_t size, struct cs_err *err);

/*
 * The sites of @text, a file as above, into an empty list.  @lenient, for a text of
 * cs_site_list_text() that was good for other nodes: who is not there is left out, and
 * so are sites without nodes.  O(text + nodes log nodes), @lenient also of the names,
 * at most CS_SITE_NAMES_MAX.  0, -ENOMEM, -EINVAL with @err: the first error, its line
 * included, and how many more there are.
 */
int cs_site_list_read(struct cs_site_list *l, const char *text, bool lenient,
		      struct cs_err *err);

/*
 * The errors of such a text: @tell is told of each, one for each part of NODES between
 * commas, with its line (0: the whole text), until it returns false.  More nodes or sites
 * than there may be end it.  Returns how many; -ENOMEM.  Only _done() is left for @l.
 */
int cs_site_list_errors(struct cs_site_list *l, const char *text,
			bool (*tell)(void *arg, unsigned line,
				     const char *text),
			void *arg);

/* The node of that name; UINT32_MAX: there is none, or no memory.  O(log nodes), the
 * first time O(nodes log nodes). */
uint32_t cs_site_list_find(struct cs_site_list *l, const char *name);

/* A site for nodes in none.  0, -ENOMEM, -EINVAL. */
int cs_site_list_rest(struct cs_site_list *l, struct cs_err *err);

/* A text as above, without the rest; the caller frees it.  NULL: no memory.  O(sites +
 * nodes). */
char *cs_site_list_text(const struct cs_site_list *l);

#endif
