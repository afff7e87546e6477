/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workload traces in the Standard Workload Format (SWF), plain or packed with
 * gzip, xz or zstd, recognised by the first bytes.
 *
 * A job line has 18 numbers separated by blanks; a line that starts with ';' (or '#', as
 * some generators write) is a comment, wherever it stands; of these, UnixStartTime,
 * Runtimes and names (trace_names.h) are read.  What a header says of the machine and the
 * number of jobs is not: it is often wrong.  Field numbers below are SWF's, from 1; -1 is
 * "unknown".
 *
 * SWF has no GPUs.  A header line names the fields behind the 18th, in their order:
 *
 *	; MoreFields: gpus gpu_share gpu_type nodes
 *
 * gpus: GPUs of the job in all; gpu_share: thousandths of each that it takes, unknown or
 * 1000: all, else the whole job is on one node; gpu_type: the number of a type
 * ("; GpuTypeName: 1 a100"), unknown or 0: any; nodes: on exactly so many nodes, or as many
 * more as its GPUs need, unknown or 0: any number.  Other names are ignored, and so is what a
 * line lacks.
 */
#ifndef CS_TRACE_H
#define CS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/err.h"
#include "trace_names.h"

struct cs_machine;

#define CS_TRACE_TIME_MAX_S INT64_C(10000000000) /* longest time in a trace */

struct cs_trace_job {
	uint32_t id;	     /* field 1, > 0 */
	uint32_t procs;	     /* field 8 if > 0, else 5; > 0 */
	int64_t submit_us;   /* field 2, since the first job's */
	int64_t runtime_us;  /* field 4, > 0, at most the estimate */
	int64_t estimate_us; /* field 9 if > 0, else the runtime */
	int64_t wait_us;     /* field 3, as logged; -1: unknown */
	int32_t user, group, exe, queue, partition; /* fields 12 to 16 */
	uint32_t gpus, gpu_share, nodes;	    /* as above; unknown: 0 */
	int32_t gpu_type;			    /* 0: any */
	uint32_t line; /* of the file, from 1; 0: generated */
	bool failed;   /* field 11: 0, failed, or 5, cancelled */
};

/* Why a line of a job is left out. */
enum cs_trace_skip {
	CS_TRACE_WIDTH, /* another number of fields than the log's lines have */
	CS_TRACE_UNREADABLE, /* a field that is used is no number, or out of range */
	CS_TRACE_NO_NUMBER,  /* no job number from 1 on */
	CS_TRACE_NO_SUBMIT,  /* no submit time */
	CS_TRACE_NO_RUNTIME, /* a run time of 0, or none */
	CS_TRACE_NO_PROCS,   /* no number of processors */
	CS_TRACE_LARGE,	     /* more than max_procs of them, or rule 10 */
	CS_TRACE_PARTIAL,    /* a partial execution: status 2, 3 or 4 */
	CS_TRACE_TWICE,	     /* a job number that an earlier line has */
	CS_TRACE_SKIPS
};

struct cs_trace {
	struct cs_trace_job *job; /* [n], by (submit_us, id) */
	size_t n;
	int64_t unix_start_s; /* of submit 0 ("; UnixStartTime:"); 0: unknown */
	/* Runtimes and estimates hold for nodes filled to the last core ("; Runtimes:
	 * packed"); else for one process a node. */
	bool packed;
	uint64_t lines;			  /* of jobs, with those left out */
	uint64_t skipped[CS_TRACE_SKIPS]; /* of them, left out */
	uint32_t fields;		  /* of a line, 18 by the format */
	uint32_t n_more;		  /* fields that MoreFields names; 0 */
	struct cs_trace_names *names;	  /* NULL: none */
};

static inline uint64_t cs_trace_skipped(const struct cs_trace *t)
{
	uint64_t n = 0;

	for (int i = 0; i < CS_TRACE_SKIPS; i++)
		n += t->skipped[i];
	return n;
}

#define CS_TRACE_SKIPPED_TEXT 512

/*
 * "skipped 12 of 7000 lines: 3 without a submit time, 9 without a run time", and before it
 * how many fields the lines have if not 18; "" if there is nothing to tell.  Returns @buf.
 */
const char *cs_trace_skipped_text(const struct cs_trace *t,
				  char buf[CS_TRACE_SKIPPED_TEXT]);

enum cs_estimates {
	CS_ESTIMATES_TRACE, /* as given by users */
	CS_ESTIMATES_EXACT, /* always the runtime */
};

struct cs_trace_options {
	uint64_t max_procs;		  /* cores of the machine; 0: any */
	const struct cs_machine *machine; /* of rule 10; NULL: any */
	enum cs_estimates estimates;
	bool strict; /* the first line left out is an error, partial executions besides;
			lines have 18 fields, and those of MoreFields */
};

/*
 * Read the trace @path ("-": standard input).
 *
 *  1. procs, estimate: see struct cs_trace_job.
 *  2. Lines that cannot be simulated are left out and counted by kind, cs_trace_skip,
 *     each in one kind; enum order is the order of the faults of a line.
 *  3. runtime = min(runtime, estimate).
 *  4. Submits are shifted so that the first remaining job has 0; jobs are
 *     sorted by (submit, id).
 *  5. Times keep six digits after the point; the rest is cut off.
 *  6. Partial executions.  A job that was checkpointed or swapped out has a line of status
 *     0 or 1 (or 5), which is the job, and one of status 2, 3 or 4 for each time that it
 *     ran, of the same number; only the first of these has a submit time.  They are left
 *     out.  A line of such a status whose number no other line has is a job: logs use the
 *     field for exit codes, too.
 *  7. A job number that stands twice is the first line's.
 *  8. A log whose lines have more fields than 18 is read by the first 18, one whose lines
 *     have fewer, but at least 5, as if the others were unknown; what counts is the number
 *     of fields that most lines have (of the first 256 KiB with jobs; 18 wins a tie).
 *  9. Control characters are blanks, a byte order mark is ignored, lines end with "\n",
 *     "\r\n" or, in a file without a "\n", "\r".
 * 10. A job whose GPUs or nodes the empty machine could not hold (trace_fit.h) is larger than
 *     it.
 *
 * Errors leave *ret unchanged; @err then holds one line, "FILE:LINE: field N
 * ..., expected ..." if a line is at fault. -EINVAL: no job line at all; none that can be
 * simulated, unless a larger machine could; with `strict` a line left out, or one that is
 * not as the standard has it: 18 numbers; UTF-16; packed data that is broken or truncated;
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
