/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a history comes from: a file, or sacct run for the user. */
#ifndef CS_COSCHED_IMPORT_HISTORY_H
#define CS_COSCHED_IMPORT_HISTORY_H

#include "import/import.h"

struct cs_history {
	const char *cmd;   /* for messages */
	const char *file;  /* NULL: run sacct; "-": standard input */
	const char *since; /* as given, or NULL */
	int64_t threads;   /* of a core */
	bool strict;
	/* Ours: */
	struct cs_import_options options;
	uint64_t told;	 /* bad lines */
	char title[128]; /* what it was read from */
};

/*
 * Read it all to @im, which is the caller's also on errors (cs_import_done()),
 * and outlives no @h.  Counts go to stderr.  0; else it was said, and the exit
 * status.
 */
int cs_history_read(struct cs_history *h, struct cs_import *im);

/* A date, or "now-Ndays", as microseconds since 1970; NULL: CS_IMPORT_NONE.  0;
 * CS_EXIT_USAGE: it was said, in @cmd's name, that it is neither. */
int cs_history_since(const char *cmd, const char *text, int64_t *ret_us);

/* Write it as a trace; the header has the counts. */
int cs_history_write(const struct cs_history *h, const struct cs_import *im,
		     FILE *file);

#endif
