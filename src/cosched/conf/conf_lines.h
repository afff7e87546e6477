/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A slurm.conf with its lines, as Slurm's own parser takes it. */
#ifndef CS_COSCHED_CONF_CONF_LINES_H
#define CS_COSCHED_CONF_CONF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One "Key=value": strings that live as long as the call that gives them. */
struct cs_confpair {
	const char *file;
	const char *key, *value;
	const unsigned *line; /* [strlen(value) + 1] of each byte of the value */
	unsigned key_line;
};

/*
 * Give each pair of the file @path, and of those that it includes, in their order, to
 * @take; a negative value of it ends the walk.  Lines that end in '\' go on in the
 * next, '#' begins a comment, a value may stand in quotes, a line may have several
 * pairs.  An included file that cannot be read is @missing's.
 * 0; a negative errno: @path cannot be read; what @take returned.
 */
int cs_conf_lines_walk(const char *path,
		       int (*take)(void *arg, const struct cs_confpair *p),
		       void (*missing)(void *arg, const char *file,
				       unsigned line, const char *name, int rc),
		       void *arg);

#endif
