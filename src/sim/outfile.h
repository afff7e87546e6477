/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is there whole or not at all: written beside its place under
 * another name and renamed at the end.
 *
 * "-" is standard output; what is there and is no regular file (a device, a
 * pipe) is written to directly.  A link is followed.
 *
 * A signal that ends the process (Ctrl-C, a full quota of time) takes the
 * unfinished files with it: opening one catches those that are neither ignored
 * nor caught already, and they end the process as before.  For one thread.
 */
#ifndef CS_OUTFILE_H
#define CS_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/err.h"

struct cs_outfile {
	FILE *file;  /* to write to; NULL: not open */
	char *path;  /* its place; NULL where nothing is to be renamed */
	char *fresh; /* name until then */
	struct cs_outfile *next; /* unfinished one; it may not be moved */
};

/* Open for @path, of which a copy is kept.  0; a negative errno with @err set,
 * -EEXIST: an unfinished one goes to the same place. */
int cs_outfile_open(struct cs_outfile *o, const char *path, struct cs_err *err);

/* Would an output to @path take the place of the file @input? */
bool cs_outfile_over(const char *path, const char *input);

/* Write what is still in memory, so that of several files none appears where
 * one fails.  0; a negative errno with @err set, and nothing is left. */
int cs_outfile_flush(struct cs_outfile *o, struct cs_err *err);

/*
 * All is written: close it and put it in its place.  0; a negative errno with
 * @err set, also where an earlier write has failed: nothing is left then, and
 * what stood in its place before still does.
 */
int cs_outfile_keep(struct cs_outfile *o, struct cs_err *err);

/* Close it and leave nothing.  A zeroed one is fine. */
void cs_outfile_drop(struct cs_outfile *o);

/* A signal that ends the process takes the folder @folder with it, and the files
 * @file [*@n] in it, all borrowed.  One at a time; NULL: none any more. */
void cs_outfile_scratch(const char *folder, char *const *file, const size_t *n);

#endif
