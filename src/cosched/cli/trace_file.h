/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace that was named on the command line. */
#ifndef CS_COSCHED_CLI_TRACE_FILE_H
#define CS_COSCHED_CLI_TRACE_FILE_H

#include "sim/trace.h"

/*
 * Read @path for command @cmd, for @machine (as given; NULL: any).  0, and *ret has a job
 * and is the caller's; else CS_EXIT_USAGE, after a message.
 */
int cs_trace_file(const char *cmd, const char *path, const char *machine,
		  const struct cs_trace_options *options, struct cs_trace *ret);

/* One line to standard error: what was left out of @t, and why.  None if nothing was. */
void cs_trace_file_skipped(const char *cmd, const char *path,
			   const struct cs_trace *t);

#endif
