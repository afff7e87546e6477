/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload traces in the Standard Workload Format (SWF), plain or packed with
 * gzip, xz or zstd, recognised by the first bytes.
 *
 * A job line has 18 numbers separated by blanks; a line that starts with ';' is
 * a comment; of these, UnixStartTime, Runtimes and names (trace_names.h) are read.  Field
 * numbers below are SWF's, from 1; -1 is "unknown".
 */
#ifndef CS_TRACE_H
#define CS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/err.h"
#include "trace_names.h"

#define CS_TRACE_TIME_MAX_S INT64_C(10000000000) /* longest time in a trace */

struct cs_trace_job {
	uint32_t id;	     /* field 1, > 0 */
	uint32_t procs;	     /* field 8 if > 0, else 5; > 0 */
	int64_t submit_us;   /* field 2, since the first job's */
	int64_t runtime_us;  /* field 4, > 0, at most the estimate */
	int64_t estimate_us; /* field 9 if > 0, else the runtime */
	int64_t wait_us;     /* field 3, as logged; -1: unknown */
	int32_t user, group, exe, queue, partition; /* fields 12 to 16 */
	uint32_t line; /* of the file, from 1; 0: generated */
	bool failed;   /* field 11: 0, failed, or 5, cancelled */
};

struct cs_trace_skipped {
	uint64_t runtime; /* jobs with runtime 0 or unknown */
	uint64_t procs;	  /* else: without a number of processes */
	uint64_t large;	  /* else: with more than max_procs of them */
};

struct cs_trace {
	struct cs_trace_job *job; /* [n], by (submit_us, id) */
	size_t n;
	int64_t unix_start_s; /* of submit 0 ("; UnixStartTime:"); 0: unknown */
	/* Runtimes and estimates hold for nodes filled to the last core ("; Runtimes:
	 * packed"); else for one process a node. */
	bool packed;
	struct cs_trace_skipped skipped;
	struct cs_trace_names *names; /* NULL: none */
};

static inline uint64_t cs_trace_skipped(const struct cs_trace *t)
{
	return t->skipped.runtime + t->skipped.procs + t->skipped.large;
}

enum cs_estimates {
	CS_ESTIMATES_TRACE, /* as given by users */
	CS_ESTIMATES_EXACT, /* always the runtime */
};

struct cs_trace_options {
	uint64_t max_procs; /* cores of the machine; 0: any */
	enum cs_estimates estimates;
};

/*
 * Read the trace @path ("-": standard input).
 *
 *  1. procs, estimate: see struct cs_trace_job.
 *  2. Jobs with a runtime <= 0, with procs <= 0 or with more than max_procs are
 *     left out and counted; none may be left.
 *  3. runtime = min(runtime, estimate).
 *  4. Submits are shifted so that the first remaining job has 0; jobs are
 *     sorted by (submit, id).
 *  5. Times keep six digits after the point; the rest is cut off.
 *
 * Errors leave *ret unchanged; @err then holds one line, "FILE:LINE: field N
 * ..., expected ..." if a line is at fault. -EINVAL: not SWF: a field that is
 * not a number or out of range, a number of fields other than 18, a duplicate
 * job id, no job line at all, packed data that is broken or truncated;
 * -ENOTSUP: packed in a way that this build has no library for; -ENOMEM; other
 * negative errnos: the file cannot be read.
 *
 * *ret is the caller's, cs_trace_done().  O(bytes + jobs log jobs) at most; in
 * the usual order of a log, O(bytes).
 */
int cs_trace_read(struct cs_trace *ret, const char *path,
		  const struct cs_trace_options *options, struct cs_err *err);

/* The same for an open file; @name is for messages. */
int cs_trace_read_file(struct cs_trace *ret, FILE *file, const char *name,
		       const struct cs_trace_options *options,
		       struct cs_err *err);

/* Frees jobs and names; accepts a zeroed trace. */
void cs_trace_done(struct cs_trace *t);

/*
 * Write @t as SWF: @header, the names, then a line a job.  Each line of @header is
 * written after "; ". Estimates are written only if they differ from the runtime.  0;
 * -EIO: not all was written (see errno).
 */
int cs_trace_write(const struct cs_trace *t, const char *header, FILE *file);

/* The same; @progress is told of jobs that are written, now and then. */
int cs_trace_write_told(const struct cs_trace *t, const char *header,
			FILE *file,
			void (*progress)(void *arg, size_t done, size_t all),
			void *arg);

#endif
