/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that appears whole or not at all: written next to its place under another name
 * and renamed at the end.
 *
 * "-" is standard output; anything there but a regular file (a device, a pipe) is
 * written to directly.  A link is followed.
 *
 * A signal that ends the process (Ctrl-C, an exceeded time limit) removes unfinished
 * files: opening one catches the signals that are neither ignored nor caught already,
 * and they still end the process.  For one thread.
 */
#ifndef CS_OUTFILE_H
#define CS_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/err.h"

struct cs_outfile {
	FILE *file;		 /* to write to; NULL: not open */
	char *path;		 /* its place; NULL: nothing to rename */
	char *fresh;		 /* name until then */
	struct cs_outfile *next; /* unfinished one; it must not move */
};

/* Open for @path, of which a copy is kept.  0; a negative errno with @err set, -EEXIST:
 * an unfinished one has the same place. */
int cs_outfile_open(struct cs_outfile *o, const char *path, struct cs_err *err);

/* Would an output to @path replace the file @input? */
bool cs_outfile_over(const char *path, const char *input);

/* Write what is still in memory, so that if one of several files fails none appears.
 * 0; a negative errno with @err set, and nothing is left. */
int cs_outfile_flush(struct cs_outfile *o, struct cs_err *err);

/*
 * All is written: close it and put it in place.  0; a negative errno with @err set,
 * also if an earlier write failed: then nothing is left, and the old file is still in
 * place.
 */
int cs_outfile_keep(struct cs_outfile *o, struct cs_err *err);

/* Close it and leave nothing.  Accepts a zeroed one. */
void cs_outfile_drop(struct cs_outfile *o);

/* A signal that ends the process also removes the folder @folder and the files @file
 * [*@n] in it, all borrowed.  One at a time; NULL: no longer. */
void cs_outfile_scratch(const char *folder, char *const *file, const size_t *n);

#endif
