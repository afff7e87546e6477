/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A slurm.conf with its lines, read like Slurm's own parser. */
#ifndef CS_COSCHED_CONF_CONF_LINES_H
#define CS_COSCHED_CONF_CONF_LINES_H

#include <stdbool.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One "Key=value": strings valid during the call. */
struct cs_confpair {
	const char *file;
	const char *key, *value;
	const unsigned *line; /* [strlen(value) + 1] of each byte of the value */
	unsigned key_line;
	bool more; /* behind the first one of its line */
};

/*
 * Pass each pair of the file @path and its included files, in order, to @take; a
 * negative result ends the walk.  Lines that end in '\' continue in the next, '#'
 * begins a comment, a value may be quoted; only lines of nodes, partitions and hosts
 * have several pairs.  An unreadable included file goes to @missing, and with @rc 0 one
 * whose name has a %, which Slurm fills in.  What Slurm's parser refuses or passes over
 * goes to @broken, as a sentence.
 * 0; a negative errno: @path cannot be read (-EINVAL: no regular file, -EFBIG: more
 * than 4 MiB); -ECANCELED: @take ended it.
 */
int cs_conf_lines_walk(const char *path,
		       int (*take)(void *arg, const struct cs_confpair *p),
		       void (*missing)(void *arg, const char *file,
				       unsigned line, const char *name, int rc),
		       void (*broken)(void *arg, const char *file,
				      unsigned line, const char *text),
		       void *arg);

#endif
