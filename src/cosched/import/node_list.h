/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of nodes as Slurm writes it: n[1-3,07],x,rack[0-1]n[01-16]. */
#ifndef CS_COSCHED_IMPORT_NODE_LIST_H
#define CS_COSCHED_IMPORT_NODE_LIST_H

#include <stddef.h>
#include <stdint.h>

#define CS_NODE_LIST_MAX 262144 /* nodes in one list */

/*
 * Tell @node of each name in @text, in order; an error of it ends that.  Text that names
 * no nodes ("", "None assigned", "Unknown", "(null)") has none.  0; -EINVAL: not a list;
 * -E2BIG: more than CS_NODE_LIST_MAX nodes, or a name that is too long.  Some may have
 * been told before an error.  O(names), allocates nothing.
 */
int cs_node_list_each(const char *text,
		      int (*node)(void *arg, const char *name), void *arg);

#endif
