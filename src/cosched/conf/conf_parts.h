/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The partitions of a slurm.conf and their nodes, which may be named by a NodeSet: a list
 * of nodes, all nodes with a feature, or both.
 */
#ifndef CS_COSCHED_CONF_CONF_PARTS_H
#define CS_COSCHED_CONF_CONF_PARTS_H

#include <stddef.h>

#include "conf/conf_lines.h"

/* The lines that count. */
enum cs_confkind { CS_CONF_PART, CS_CONF_SET, CS_CONF_NODE, CS_CONF_KINDS };

struct cs_confline {
	char *name;    /* of nodes: a list */
	char *nodes;   /* as Slurm writes them, "ALL" too; NULL: none */
	char *feature; /* of nodes: several, with commas; NULL: none */
	char *select;  /* SelectTypeParameters of a partition; NULL: none */
};

struct cs_confparts {
	struct cs_conflines {
		struct cs_confline *line;
		size_t n, room;
		struct cs_confline usual; /* what its DEFAULT has */
	} of[CS_CONF_KINDS];
	struct cs_confline *at; /* whose pairs come; NULL: of no such line */
};

/* The next pair of the file.  0, -ENOMEM. */
int cs_conf_parts_take(struct cs_confparts *c, const struct cs_confpair *p);
void cs_conf_parts_done(struct cs_confparts *c);

/* Names of nodes, all zero at first; free them with _done(), after an error, too. */
struct cs_confnames {
	char **name; /* [n]; one that is taken away is NULL */
	size_t n, room;
};

/* One more, to the struct cs_confnames @arg.  0, -ENOMEM. */
int cs_conf_names_add(void *arg, const char *name);
void cs_conf_names_done(struct cs_confnames *a);

/* Tell @node of each node of partition @i, node sets taken apart as slurmctld does, of
 * one that is named twice perhaps twice; an error of it ends that.  Not of one with
 * "ALL".  0; -ENOMEM; as cs_node_list_each(). */
int cs_conf_parts_each(const struct cs_confparts *c, size_t i,
		       int (*node)(void *arg, const char *name), void *arg);

#endif
