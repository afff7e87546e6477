/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source of a history: a file, or sacct run for the user. */
#ifndef CS_COSCHED_IMPORT_HISTORY_H
#define CS_COSCHED_IMPORT_HISTORY_H

#include "cli/progress_bar.h"
#include "import/import.h"

struct cs_history {
	const char *cmd;   /* for messages */
	const char *file;  /* NULL: run sacct; "-": standard input */
	FILE *stream;	   /* borrowed, of this name; NULL: open it */
	const char *since; /* as given, or NULL */
	const char *
		time_format; /* of SLURM_TIME_FORMAT; NULL: the environment's */
	int64_t threads;     /* of a core */
	bool strict;
	bool gpus; /* as in the options */
	bool swf;  /* a workload log is a history, too */
	/* Ours: */
	struct cs_import_options options;
	uint64_t told;	     /* bad lines */
	struct cs_err first; /* of them */
	int (*job)(void *arg, const struct cs_import_job *j);
	void *job_arg;
	struct cs_bar bar;
	char title[128]; /* its source */
};

/*
 * Read it all into @im, which is the caller's even on errors
 * (cs_import_done()), and must not outlive @h.  Counts go to stderr.  0; else
 * the exit status, after a message.
 */
int cs_history_read(struct cs_history *h, struct cs_import *im);

/*
 * Instead, tell @job of each job that ran or runs (cs_import_options.job), for the call.
 * One line goes to stderr: the counts, and the first bad line.  0; else the exit status,
 * after a message.
 */
int cs_history_each(struct cs_history *h,
		    int (*job)(void *arg, const struct cs_import_job *j),
		    void *arg);

/* A date, or "today", "now" or "now-2minutes" (seconds to weeks), as microseconds since 1970; NULL: CS_IMPORT_NONE.  0;
 * CS_EXIT_USAGE: it was said, in @cmd's name, that it is neither. */
int cs_history_since(const char *cmd, const char *text, int64_t *ret_us);

/* Write it as a trace; the header has the counts. */
int cs_history_write(const struct cs_history *h, const struct cs_import *im,
		     FILE *file);

#endif
