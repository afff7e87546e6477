/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Node names, folded as in Slurm: n1, n2, n3, x -> n[1-3],x. */
#ifndef CS_COSCHED_CLI_NODE_NAMES_H
#define CS_COSCHED_CLI_NODE_NAMES_H

#include <json-c/json.h>

/* @list: an array of strings.  The caller frees the result; NULL: no memory. */
char *cs_node_names_fold(struct json_object *list);

#endif
