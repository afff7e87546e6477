/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces in memory, and what the reader makes of them. */
#ifndef CS_TEST_TRACERIG_H
#define CS_TEST_TRACERIG_H

#include <errno.h>

#include "cs_test.h"
#include "sim/sim.h"
#include "sim/trace.h"

#define S INT64_C(1000000)

static const struct cs_trace_options any;
static const struct cs_trace_options strict = { .strict = true };

static inline int read_bytes(struct cs_trace *t, const void *data, size_t n,
			     const struct cs_trace_options *o,
			     struct cs_err *err)
{
	FILE *f = fmemopen((void *)(uintptr_t)data, n, "r");
	int rc;

	assert_non_null(f);
	rc = cs_trace_read_file(t, f, "t.swf", o, err);
	fclose(f);
	return rc;
}

static inline struct cs_trace good_with(const char *text,
					const struct cs_trace_options *o)
{
	struct cs_trace t;
	struct cs_err err = { "" };

	if (read_bytes(&t, text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	return t;
}

static inline struct cs_trace good(const char *text)
{
	return good_with(text, &any);
}

static inline void bad_bytes(const void *data, size_t n, int rc,
			     const char *want)
{
	struct cs_trace t = { .n = 77 };
	struct cs_err err = { "" };

	assert_int_equal(read_bytes(&t, data, n, &strict, &err), rc);
	assert_int_equal(t.n, 77);
	assert_string_equal(err.text, want);
	assert_int_equal(read_bytes(&t, data, n, &strict, NULL), rc);
}

static inline void bad(const char *text, const char *want)
{
	bad_bytes(text, strlen(text), -EINVAL, want);
}

/* A line: job, submit, runtime, allocated, requested, time. */
#define JOB(id, submit, run, alloc, procs, time)                         \
#id " " #submit " 7 " #run " " #alloc " -1 -1 " #procs " " #time \
	    " -1 1 3 4 5 6 8 -1 -1\n"

#endif
