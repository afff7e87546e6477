/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader and writer of traces: each rule, each error, each packing. */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "sim/sim.h"
#include "sim/trace.h"

#define S INT64_C(1000000)

static const struct cs_trace_options any;
static const struct cs_trace_options strict = { .strict = true };

static int read_bytes(struct cs_trace *t, const void *data, size_t n,
		      const struct cs_trace_options *o, struct cs_err *err)
{
	FILE *f = fmemopen((void *)(uintptr_t)data, n, "r");
	int rc;

	assert_non_null(f);
	rc = cs_trace_read_file(t, f, "t.swf", o, err);
	fclose(f);
	return rc;
}

static struct cs_trace good_with(const char *text,
				 const struct cs_trace_options *o)
{
	struct cs_trace t;
	struct cs_err err = { "" };

	if (read_bytes(&t, text, strlen(text), o, &err))
		fail_msg("%s", err.text);
	return t;
}

static struct cs_trace good(const char *text)
{
	return good_with(text, &any);
}

static void bad_bytes(const void *data, size_t n, int rc, const char *want)
{
	struct cs_trace t = { .n = 77 };
	struct cs_err err = { "" };

	assert_int_equal(read_bytes(&t, data, n, &strict, &err), rc);
	assert_int_equal(t.n, 77);
	assert_string_equal(err.text, want);
	assert_int_equal(read_bytes(&t, data, n, &strict, NULL), rc);
}

static void bad(const char *text, const char *want)
{
	bad_bytes(text, strlen(text), -EINVAL, want);
}

/* A line: job, submit, runtime, allocated, requested, time. */
#define JOB(id, submit, run, alloc, procs, time)                         \
#id " " #submit " 7 " #run " " #alloc " -1 -1 " #procs " " #time \
	    " -1 1 3 4 5 6 8 -1 -1\n"

/* ------------------------------------------------------------------- rules */

static void a_line_s_fields(void **state)
{
	struct cs_trace t = good("; a comment\n\n  ;another\n"
				 "\t17 100 7 60.25 4 -1 -1 8 90 -1 1 3 4 5 6 9 "
				 "-1 -1 \r\n");

	(void)state;
	assert_int_equal(t.n, 1);
	assert_int_equal(t.job[0].id, 17);
	assert_int_equal(t.job[0].submit_us, 0);
	assert_int_equal(t.job[0].wait_us, 7 * S);
	assert_int_equal(t.job[0].runtime_us, 60250000);
	assert_int_equal(t.job[0].estimate_us, 90 * S);
	assert_int_equal(t.job[0].procs, 8);
	assert_int_equal(t.job[0].user, 3);
	assert_int_equal(t.job[0].group, 4);
	assert_int_equal(t.job[0].exe, 5);
	assert_int_equal(t.job[0].queue, 6);
	assert_int_equal(t.job[0].partition, 9);
	assert_int_equal(t.job[0].line, 4);
	cs_trace_done(&t);
	assert_null(t.job);
}

static void who_failed_by_field_11(void **state)
{
	static const struct {
		const char *status;
		bool failed;
	} row[] = {
		{ "-1", false }, { "0", true },	  { "1", false },
		{ "2", false },	 { "5", true },	  { "0.5", false },
		{ "6", false },	 { "-5", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char text[100], want[100], *out = NULL;
		struct cs_trace t;
		size_t n;
		FILE *f = open_memstream(&out, &n);

		snprintf(text, sizeof(text),
			 "1 0 -1 9 1 -1 -1 1 -1 -1 %s 1 1 1 1 1 -1 -1\n",
			 row[i].status);
		snprintf(want, sizeof(want),
			 "1 0 -1 9 1 -1 -1 1 -1 -1 %d 1 1 1 1 1 -1 -1\n",
			 !row[i].failed);
		t = good(text);
		assert_int_equal(t.job[0].failed, row[i].failed);
		assert_int_equal(cs_trace_write(&t, "", f), 0);
		fclose(f);
		assert_string_equal(out, want);
		free(out);
		cs_trace_done(&t);
	}
}

/* Of the first job that is left, not of the file's first. */
static void when_it_began_is_told_by_the_header(void **state)
{
	static const struct {
		const char *header;
		int64_t want_s;
	} row[] = {
		{ ";\tUnixStartTime:  848491200 \n", 848491260 },
		{ "; UnixStartTime: 0\n", 0 },
		{ "; UnixStartTime: Monday\n", 0 },
		{ "; UnixStartTime: -5\n", 0 },
		{ "; UnixStartTime: 99999999999999999999\n", 0 },
		{ "; note UnixStartTime: 7\n", 0 },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char text[512];
		struct cs_trace t;

		snprintf(text, sizeof(text), "%s%s%s", row[i].header,
			 JOB(1, 5, 0, 1, 1, 9), JOB(2, 60, 9, 1, 1, 9));
		t = good(text);
		assert_int_equal(t.unix_start_s, row[i].want_s);
		cs_trace_done(&t);
	}
}

static void rule_1_requested_else_allocated(void **state)
{
	struct cs_trace t = good(JOB(1, 0, 9, 4, 8, 20) JOB(2, 0, 9, 4, -1, -1)
					 JOB(3, 0, 9, 4, 0, 0));

	(void)state;
	assert_int_equal(t.n, 3);
	assert_int_equal(t.job[0].procs, 8);
	assert_int_equal(t.job[1].procs, 4);
	assert_int_equal(t.job[2].procs, 4);
	assert_int_equal(t.job[0].estimate_us, 20 * S);
	assert_int_equal(t.job[1].estimate_us, 9 * S);
	assert_int_equal(t.job[2].estimate_us, 9 * S);
	cs_trace_done(&t);
}

static void rule_2_jobs_left_out_are_counted(void **state)
{
	static const struct cs_trace_options of_4 = { .max_procs = 4 };
	struct cs_trace t = good_with(
		JOB(1, 5, 0, 1, 1, 9) JOB(2, 6, -1, 0, 0, 9)
			JOB(3, 7, 9, 0, 0, 9) JOB(4, 8, 9, -1, -1, 9)
				JOB(5, 9, 9, 1, 0, 9) JOB(6, 9, 9, 1, 5, 9)
					JOB(7, 9, 9, 9, 4, 9)
						JOB(8, 9, 9, 5000000000, -1, 9),
		&of_4);

	(void)state;
	assert_int_equal(t.n, 2);
	assert_int_equal(t.job[0].id, 5);
	assert_int_equal(t.job[1].id, 7);
	assert_int_equal(t.skipped[CS_TRACE_NO_RUNTIME], 2);
	assert_int_equal(t.skipped[CS_TRACE_NO_PROCS], 2);
	assert_int_equal(t.skipped[CS_TRACE_LARGE], 2);
	assert_int_equal(cs_trace_skipped(&t), 6);
	assert_int_equal(t.lines, 8);
	cs_trace_done(&t);
	/* none left is no error where a larger machine would have one */
	t = good_with(JOB(1, 5, 0, 1, 1, 9) JOB(2, 5, 9, 1, 5, 9), &of_4);
	assert_int_equal(t.n, 0);
	assert_int_equal(t.skipped[CS_TRACE_LARGE], 1);
	cs_trace_done(&t);
}

static void rule_3_nobody_runs_longer_than_his_estimate(void **state)
{
	static const struct cs_trace_options exact = {
		.estimates = CS_ESTIMATES_EXACT
	};
	static const char text[] =
		JOB(1, 0, 90, 1, 1, 60) JOB(2, 0, 90, 1, 1, 120);
	struct cs_trace t = good(text);

	(void)state;
	assert_int_equal(t.job[0].runtime_us, 60 * S);
	assert_int_equal(t.job[0].estimate_us, 60 * S);
	assert_int_equal(t.job[1].runtime_us, 90 * S);
	assert_int_equal(t.job[1].estimate_us, 120 * S);
	cs_trace_done(&t);
	t = good_with(text, &exact);
	assert_int_equal(t.job[0].estimate_us, 60 * S);
	assert_int_equal(t.job[1].runtime_us, 90 * S);
	assert_int_equal(t.job[1].estimate_us, 90 * S);
	cs_trace_done(&t);
}

/* The first that is left has 0; a job left out before it does not count. */
static void rule_4_sorted_and_shifted(void **state)
{
	struct cs_trace t =
		good(JOB(9, 300, 9, 1, 1, 9) JOB(1, 50, 0, 1, 1, 9)
			     JOB(7, 100, 9, 1, 1, 9) JOB(8, 300, 9, 1, 1, 9)
				     JOB(2, 400, 9, 1, 1, 9));
	static const uint32_t id[] = { 7, 8, 9, 2 };
	static const int64_t at[] = { 0, 200, 200, 300 };

	(void)state;
	assert_int_equal(t.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(t.job[i].id, id[i]);
		assert_int_equal(t.job[i].submit_us, at[i] * S);
	}
	assert_int_equal(t.job[0].line, 3);
	cs_trace_done(&t);
}

static void rule_5_six_digits_behind_the_point(void **state)
{
	struct cs_trace t =
		good(JOB(1, 0.5, 1.0000019, 1, 1, 7.)
			     JOB(2, 00001.25, 0.000001, 2.000, -1, -0.5)
				     JOB(3, 2, 0.0000009, 1, 1, 1));

	(void)state;
	assert_int_equal(t.n, 2);
	assert_int_equal(t.job[0].runtime_us, 1000001);
	assert_int_equal(t.job[0].estimate_us, 7 * S);
	assert_int_equal(t.job[1].submit_us, 750000);
	assert_int_equal(t.job[1].runtime_us, 1);
	assert_int_equal(t.job[1].procs, 2);
	assert_int_equal(t.skipped[CS_TRACE_NO_RUNTIME], 1);
	cs_trace_done(&t);
}

static void a_last_line_without_an_end(void **state)
{
	struct cs_trace t = good(JOB(
		1, 0, 9, 1, 1, 9) "2 1 -1 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1");

	(void)state;
	assert_int_equal(t.n, 2);
	cs_trace_done(&t);
}

/* Lines cross the reader's buffer in every way. */
static void many_lines(void **state)
{
	enum { N = 20000 };
	char *text = malloc(N * 80), *at = text;
	struct cs_trace t;

	(void)state;
	assert_non_null(text);
	for (int i = 1; i <= N; i++)
		at += sprintf(at,
			      "%d %d -1 %d 1 -1 -1 %d -1 -1 1 1 1 1 1 1 "
			      "-1 -1\n",
			      i, i * 3, i % 100 + 1, i % 7 + 1);
	t = good(text);
	assert_int_equal(t.n, N);
	for (int i = 1; i <= N; i++) {
		assert_int_equal(t.job[i - 1].id, i);
		assert_int_equal(t.job[i - 1].line, i);
		assert_int_equal(t.job[i - 1].submit_us, (i - 1) * 3 * S);
		assert_int_equal(t.job[i - 1].runtime_us, (i % 100 + 1) * S);
		assert_int_equal(t.job[i - 1].procs, i % 7 + 1);
	}
	cs_trace_done(&t);
	free(text);
}

/* ------------------------------------------------------- logs as they are */

/* Case: a line of 18 fields, all but the number, status and queue unknown. */
#define UNKNOWN(id) #id " -1 -1 -1 -1 -1 -1 -1 -1 -1 1 36 -1 66 -1 2 -1 -1\n"
/* Job, submit, runtime, status. */
#define PART(id, submit, run, status)                           \
#id " " #submit " 7 " #run " 4 -1 -1 4 200 -1 " #status \
	    " 1 1 1 1 1 -1 -1\n"

/* @text is read with @jobs jobs, and what is left out is @want. */
static struct cs_trace left(const char *text, size_t jobs, const char *want)
{
	char got[CS_TRACE_SKIPPED_TEXT];
	struct cs_trace t = good(text);

	assert_int_equal(t.n, jobs);
	assert_string_equal(cs_trace_skipped_text(&t, got), want);
	return t;
}

static void left_out(const char *text, size_t jobs, const char *want)
{
	struct cs_trace t = left(text, jobs, want);

	cs_trace_done(&t);
}

static void a_line_that_cannot_be_simulated_costs_no_other(void **state)
{
	(void)state;
	left_out(JOB(1, 0, 9, 1, 1, 9), 1, "");
	left_out(JOB(1, 0, 9, 1, 1, 9) UNKNOWN(2) JOB(3, 2, 9, 1, 1, 9), 2,
		 "skipped 1 of 3 lines: 1 without a submit time");
	left_out(JOB(1, 0, 9, 1, 1, 9) JOB(0, 1, 9, 1, 1, 9)
			 JOB(-1, 2, 9, 1, 1, 9) JOB(1.5, 2, 9, 1, 1, 9),
		 1, "skipped 3 of 4 lines: 3 without a job number");
	left_out(JOB(1, 0, 9, 1, 1, 9) JOB(2, 1, x, 1, 1, 9)
			 JOB(3, 2, 9, 1, 1, 10000000001)
				 JOB(4, 10000000001, 9, 1, 1, 9),
		 1, "skipped 3 of 4 lines: 3 unreadable");
	left_out(
		"1 2 3\n" JOB(1, 0, 9, 1, 1,
			      9) "\x7f\x45LF\n"
				 "1 0 7 9 1 -1 -1 1 9 -1 1 3 4 5 6 8 -1 -1 2\n",
		1, "skipped 3 of 4 lines: 3 with another number of fields");
	left_out(JOB(2, 0, 9, 1, 1, 9) JOB(1, 5, 9, 1, 1, 9)
			 JOB(2, 9, 8, 1, 1, 9) JOB(2, 9, 0, 1, 1, 9),
		 2,
		 "skipped 2 of 4 lines: 1 without a run time, 1 with a job "
		 "number given before");
}

static struct cs_machine *machine(const char *nodes, const char *of_each)
{
	struct cs_machine *m;
	struct cs_err err;

	if (cs_sim_machine_gpus(nodes, of_each, &m, &err))
		fail_msg("%s", err.text);
	return m;
}

/* Rule 10: GPUs and nodes that a machine of two kinds of nodes has, or has not. */
static void jobs_that_no_nodes_hold_are_larger(void **state)
{
	static const struct {
		uint32_t procs;
		const char *more; /* nodes gpus gpu_share gpu_type */
		bool holds;
	} row[] = {
		{ 2, "0 8 0 7", true },	   /* on both of the first kind */
		{ 2, "0 9 0 0", false },   /* three nodes of three */
		{ 2, "3 6 0 0", true },	   /* three nodes of two */
		{ 2, "0 3 0 8", false },   /* the second kind is one node */
		{ 2, "0 1 0 9", false },   /* no node has this type */
		{ 2, "0 2 500 8", true },  /* parts: on one node */
		{ 2, "0 3 500 8", false }, /* ... */
		{ 9, "0 1 500 7", false }, /* ... with all its cores */
		{ 16, "3 1 500 0", true }, /* ... whatever else is said */
		{ 2, "3 0 0 0", true },	   /* nodes */
		{ 2, "4 0 0 0", false },   /* ... */
		{ 24, "2 0 0 0", true },   /* the larger ones: 16 + 8 */
		{ 25, "2 0 0 0", false },  /* ... */
		{ 16, "2 8 0 7", true },   /* GPUs and cores */
		{ 17, "2 8 0 7", false },  /* ... */
		{ 4, "1 2 1000 8", true }, /* a whole GPU is no part */
		{ 17, "0 1 0 7", false },  /* equal parts on nodes with one */
		{ 8, "0 1 0 7", true },
	};
	static const char head[] =
		"; MoreFields: nodes gpus gpu_share gpu_type\n";
	/* names may stand behind the jobs that have their numbers */
	static const char tail[] = "; GpuTypeName: 7 a100\n"
				   "; GpuTypeName: 8 t4\n"
				   "; GpuTypeName: 9 h100\n";
	static const char large[] =
		"; MoreFields: nodes gpus gpu_share gpu_type\n"
		"2 0 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1 0 0 0 0\n"
		"1 0 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1 4 0 0 0\n";
	struct cs_machine *m = machine("2x1x8+1x1x16", "a100:4+t4:2");
	struct cs_trace_options o = { .max_procs = 32, .machine = m };
	struct cs_trace none;
	struct cs_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		char text[512];
		struct cs_trace t;

		snprintf(text, sizeof(text),
			 "%s1 0 0 9 %u -1 -1 %u 9 -1 1 1 1 1 1 1 -1 -1 %s\n%s",
			 head, row[i].procs, row[i].procs, row[i].more, tail);
		t = good_with(text, &o);
		if (t.n != row[i].holds ||
		    t.skipped[CS_TRACE_LARGE] != !row[i].holds)
			fail_msg("%u processes, %s: %zu jobs", row[i].procs,
				 row[i].more, t.n);
		cs_trace_done(&t);
	}
	o.strict = true;
	assert_int_equal(read_bytes(&none, large, strlen(large), &o, &err),
			 -EINVAL);
	assert_string_equal(err.text,
			    "t.swf:3: job 1 asks for GPUs or nodes that the "
			    "machine does not have together, expected fewer");
	cs_machine_free(m);
}

/* "; MoreFields": fields behind the 18th, in the order that it names. */
static void more_fields_are_named(void **state)
{
#define MORE "; MoreFields: nodes other gpus gpu_share gpu_type\n"
#define LINE(id, more) #id " 0 0 9 2 -1 -1 2 9 -1 1 1 1 1 1 1 -1 -1 " more "\n"
	struct cs_machine *m = machine("1x1x8", "a100:4");
	const struct cs_trace_options o = { .max_procs = 8, .machine = m };
	struct cs_trace t = good_with(
		MORE "; GpuTypeName: 7 a100\n" LINE(1, "1 x 2 500 7")
			LINE(2, "-1 0 4 1000 0") LINE(3, "0 0 nan -1 -1")
				LINE(4, "1 0 5 "
					"0 0") LINE(5, "1 0 2.5 0 0")
					LINE(6, "1 0 2 1001 0"),
		&o);
	struct cs_trace back;
	char *text = NULL;
	size_t size;
	FILE *file;

	(void)state;
	assert_int_equal(t.n, 3);
	assert_int_equal(t.skipped[CS_TRACE_LARGE], 1);
	assert_int_equal(t.skipped[CS_TRACE_UNREADABLE], 2);
	assert_int_equal(t.job[0].nodes, 1);
	assert_int_equal(t.job[0].gpus, 2);
	assert_int_equal(t.job[0].gpu_share, 500);
	assert_int_equal(t.job[0].gpu_type, 7);
	assert_string_equal(cs_trace_name(t.names, CS_NAME_GPU_TYPE, 7),
			    "a100");
	assert_int_equal(t.job[1].gpus, 4);
	assert_int_equal(t.job[1].gpu_share, 0);
	assert_int_equal(t.job[1].nodes, 0);
	assert_int_equal(t.job[2].gpus, 0);
	/* written and read again it is the same, by --strict, too */
	file = open_memstream(&text, &size);
	assert_non_null(file);
	assert_int_equal(cs_trace_write(&t, "", file), 0);
	fclose(file);
	back = good_with(text, &strict);
	assert_int_equal(back.n, t.n);
	for (size_t i = 0; i < t.n; i++) {
		back.job[i].line = t.job[i].line;
		assert_memory_equal(&back.job[i], &t.job[i], sizeof(*t.job));
	}
	free(text);
	cs_trace_done(&back);
	cs_trace_done(&t);
	cs_machine_free(m);
	/* without the line the fields mean nothing, and none of them is at fault */
	t = good(LINE(1, "1 x 2 500 7"));
	assert_int_equal(t.job[0].gpus, 0);
	cs_trace_done(&t);
	bad(MORE LINE(1, "1 0 2 0"),
	    "t.swf:2: 22 fields, expected 23 as in other lines");
#undef LINE
#undef MORE
}

/* By --strict the first of them is an error; so are words for "unknown", and lines of
 * another length than 18 fields although all have it. */
static void strict_refuses_the_first(void **state)
{
	(void)state;
	bad(JOB(1, 0, 9, 1, 1, 9) UNKNOWN(2),
	    "t.swf:2: field 2 (submit time) is '-1', expected 0 to 10000000000 "
	    "s");
	bad(JOB(1, 0, 9, 1, 1, 9) JOB(2, 0, 0, 1, 1, 9),
	    "t.swf:2: field 4 (run time) is '0', expected more than 0 s");
	bad(JOB(1, 0, 9, 0, -1, 9),
	    "t.swf:1: field 5 (allocated processors) is '0', expected 1 or "
	    "more here or in field 8");
	bad("1 0 7 9 1\n2 0 7 9 1\n",
	    "t.swf:1: field 6 (average cpu time) is missing, expected 18 "
	    "fields");
	bad(PART(1, 0, 9, 2) PART(1, -1, 9, 3) PART(2, 0, 9, 1),
	    "t.swf:1: status 2, 3 or 4, a part of job 1, expected a line of "
	    "that job with status 0 or 1, too");
}

/* Rule 6. */
static void partial_executions_are_no_jobs(void **state)
{
	struct cs_trace t =
		left(PART(1, 0, 100, 1) PART(1, 0, 40, 2) PART(1, -1, 60, 3)
			     PART(2, 5, 100, 0) PART(2, 5, 9, 4),
		     2, "skipped 3 of 5 lines: 3 of partial executions");

	(void)state;
	assert_int_equal(t.job[0].runtime_us, 100 * S);
	assert_int_equal(t.job[1].submit_us, 5 * S);
	cs_trace_done(&t);
	t = good_with(PART(1, 0, 40, 2) PART(1, 0, 9, 1), &strict);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.job[0].line, 2);
	cs_trace_done(&t);
	/* exit codes: these lines are alone */
	left_out(PART(7, 0, 100, 2) PART(3, 5, 9, 3) PART(5, 9, 9, 265), 3, "");
	left_out(PART(7, 0, 100, 1) PART(3, -1, 9, 3), 1,
		 "skipped 1 of 2 lines: 1 without a submit time");
	/* all parts, and no line of the job */
	left_out(PART(7, 0, 100, 2) PART(7, -1, 9, 3) PART(5, 9, 9, 1), 1,
		 "skipped 2 of 3 lines: 2 of partial executions");
	/* the line of the job cannot be simulated, so that no part of it is */
	left_out(PART(7, 0, -1, 1) PART(7, 0, 9, 3) PART(5, 9, 9, 1), 1,
		 "skipped 2 of 3 lines: 1 without a run time, 1 of partial "
		 "executions");
	left_out(PART(7, 0, 9, 4) PART(7, -1, 20, 0) PART(5, 9, 9, 1), 1,
		 "skipped 2 of 3 lines: 1 without a submit time, 1 of partial "
		 "executions");
}

/* Rules 1 and 2 of trace_line.c. */
static void fields_that_no_simulation_uses_may_hold_anything(void **state)
{
	struct cs_trace t =
		left("1 0 soon 9 x 1e99 -- 4 NaN 99999999999999999 ? N/A null "
		     "none -1 -1 junk -\n",
		     1, "");

	(void)state;
	assert_int_equal(t.job[0].procs, 4);
	assert_int_equal(t.job[0].wait_us, -1);
	assert_int_equal(t.job[0].estimate_us, 9 * S);
	assert_int_equal(t.job[0].user, -1);
	assert_false(t.job[0].failed);
	cs_trace_done(&t);
	/* but not of those that it uses */
	left_out("1 0 7 9 1 -1 -1 1 9 -1 1 ann 4 5 6 8 -1 -1\n"
		 "2 0 7 9 x -1 -1 0 9 -1 1 3 4 5 6 8 -1 -1\n" JOB(3, 0, 9, 1, 1,
								  9),
		 1, "skipped 2 of 3 lines: 2 unreadable");
}

static void powers_of_ten(void **state)
{
	struct cs_trace t = good(JOB(1.0e+00, 0, 1.5E2, 1, 4.000000e0, 1e+05)
					 JOB(2, +5, .5, 1, 1, 9));

	(void)state;
	assert_int_equal(t.n, 2);
	assert_int_equal(t.job[0].runtime_us, 150 * S);
	assert_int_equal(t.job[0].estimate_us, 100000 * S);
	assert_int_equal(t.job[0].procs, 4);
	assert_int_equal(t.job[1].submit_us, 5 * S);
	assert_int_equal(t.job[1].runtime_us, 500000);
	cs_trace_done(&t);
}

/* Rule 8: the most frequent number of fields counts. */
static void a_log_of_another_number_of_fields(void **state)
{
	struct cs_trace t;

	(void)state;
	left_out("1 0 7 9 2\n2 0 7 9 2\n", 2,
		 "lines have 5 fields, not 18, the others count as unknown");
	left_out("1 0 7 9\n2 0 7 9\n" JOB(3, 0, 9, 1, 1, 9), 1,
		 "skipped 2 of 3 lines: 2 with another number of fields");
	t = left("1 0 7 9 1 -1 -1 1 9 -1 1 3 4 5 6 8 -1 -1\n"
		 "2 0 7 9 1 -1 -1 1 9 -1 1 3 4 5 6 8 -1 -1 99 x\n"
		 "3 0 7 9 1 -1 -1 1 9 -1 1 3 4 5 6 8 -1 -1 99 y\n",
		 2,
		 "lines have 20 fields, not 18, the first 18 are read; skipped "
		 "1 of 3 lines: 1 with another number of fields");
	assert_int_equal(t.job[0].id, 2);
	cs_trace_done(&t);
}

/* Rule 9, comments anywhere, headers that nobody may believe. */
static void bytes_around_the_lines(void **state)
{
	static const char one[] = JOB(1, 0, 9, 1, 1, 9);
	struct cs_trace t =
		good("\xef\xbb\xbf; MaxProcs: 1\r\n"
		     "; MaxNodes: -3\r\n; UnixStartTime: never\r\n"
		     "1\v0\f7 9 1\t-1 -1 64 9 -1 1 3 4 5 6 8 -1 -1"
		     "\r\n# of another generator\r\n\x1a;\xff\xfe\r\n"
		     "2 \x01 0 7 9 1 -1 -1 1 9 -1 1 3 4 5 6 8 -1 -1"
		     "\r\n\x1a");

	(void)state;
	assert_int_equal(t.n, 2);
	assert_int_equal(t.lines, 2);
	assert_int_equal(t.job[0].procs, 64);
	assert_int_equal(t.job[1].line, 7);
	assert_int_equal(t.unix_start_s, 0);
	cs_trace_done(&t);
	left_out("; c\r1 0 7 9 1 -1 -1 1 9 -1 1 3 4 5 6 8 -1 -1\r"
		 "2 0 7 9 1 -1 -1 1 9 -1 1 3 4 5 6 8 -1 -1\r",
		 2, "");
	bad_bytes("\xff\xfe"
		  "1\0 \0",
		  6, -EINVAL,
		  "t.swf: UTF-16, expected SWF in ASCII or UTF-8, as from "
		  "iconv -f UTF-16 -t UTF-8");
	left_out(one, 1, "");
}

static void a_line_too_long_is_left_out(void **state)
{
	static const char before[] = JOB(1, 0, 9, 1, 1, 9),
			  after[] = JOB(2, 0, 9, 1, 1, 9);
	size_t n = 600000, len = sizeof(before) - 1;
	char *text = malloc(n + 1000);

	(void)state;
	assert_non_null(text);
	for (int comment = 0; comment < 2; comment++) {
		memcpy(text, before, len);
		memset(text + len, '7', n);
		text[len] = comment ? ';' : ' ';
		strcpy(text + len + n, "\n");
		strcat(text + len + n, after);
		left_out(text, 2,
			 comment ? "" : "skipped 1 of 3 lines: 1 unreadable");
	}
	free(text);
}

static void names_of_broken_bytes(void **state)
{
	struct cs_trace t = good(
		"; UserName: 3 a\xff\xc3\xa9\xc3z\n" JOB(1, 0, 9, 1, 1, 9));

	(void)state;
	assert_string_equal(cs_trace_name(t.names, CS_NAME_USER, 3),
			    "a?\xc3\xa9?z");
	cs_trace_done(&t);
}

/* One reason for all, of the first line. */
static void a_log_without_a_job(void **state)
{
	struct cs_trace t;
	struct cs_err err;
	static const char text[] = UNKNOWN(1) "x\n" UNKNOWN(3);

	(void)state;
	assert_int_equal(read_bytes(&t, text, strlen(text), &any, &err),
			 -EINVAL);
	assert_string_equal(err.text,
			    "t.swf:1: field 2 (submit time) is '-1', expected "
			    "0 to 10000000000 s; no other of the 3 lines can "
			    "be simulated");
}

/* ------------------------------------------------------------------ errors */

#define NUMBER "expected a number up to 9000000000000"

static void errors_name_line_field_and_what_was_expected(void **state)
{
	(void)state;
	bad("; c\n" JOB(1, 0, 9, 1, 1, 9) "2 0 7 x9 1 -1 -1 1 9 -1 1 3 4 5 6 8 "
					  "-1 -1\n",
	    "t.swf:3: field 4 (run time) is 'x9', " NUMBER);
	bad(JOB(1, 0, 9s, 1, 1, 9),
	    "t.swf:1: field 4 (run time) is '9s', " NUMBER);
	bad(JOB(1, 0, -, 1, 1, 9),
	    "t.swf:1: field 4 (run time) is '-', " NUMBER);
	bad(JOB(1, 0, 1e, 1, 1, 9),
	    "t.swf:1: field 4 (run time) is '1e', " NUMBER);
	bad(JOB(1, 0, 9, 1, 1, nan),
	    "t.swf:1: field 9 (requested time) is 'nan', " NUMBER);
	bad(JOB(1, 0, 1.2.3, 1, 1, 9),
	    "t.swf:1: field 4 (run time) is '1.2.3', " NUMBER);
	bad(JOB(1, 0, 9, 1, 99999999999999999999999, 9),
	    "t.swf:1: field 8 (requested processors) is "
	    "'99999999999999999999999', " NUMBER);
	bad("1 0 7 9 1 -1 -1 1 9 -1 1 3 4 5 6 8 -1\n",
	    "t.swf:1: field 18 (think time) is missing, expected 18 fields");
	bad("1 0 7 9 1 -1 -1 1 9 -1 1 3 4 5 6 8 -1 -1 2\n",
	    "t.swf:1: field 19 is '2', expected 18 fields");
	bad("hello world\n",
	    "t.swf:1: field 1 (job number) is 'hello', " NUMBER);
	bad("{\"a\":1}\n",
	    "t.swf:1: field 1 (job number) is '{\"a\":1}', " NUMBER);
	bad_bytes("1\0 2", 4, -EINVAL,
		  "t.swf:1: field 3 (wait time) is missing, expected 18 "
		  "fields");
}

static void errors_of_range(void **state)
{
	(void)state;
	bad(JOB(0, 0, 9, 1, 1, 9), "t.swf:1: field 1 (job number) is '0', "
				   "expected a whole number from 1 to "
				   "4294967295");
	bad(JOB(4294967296, 0, 9, 1, 1, 9),
	    "t.swf:1: field 1 (job number) is '4294967296', expected a whole "
	    "number from 1 to 4294967295");
	bad(JOB(1.5, 0, 9, 1, 1, 9),
	    "t.swf:1: field 1 (job number) is '1.5', expected a whole number "
	    "from 1 to 4294967295");
	bad(JOB(1, -1, 9, 1, 1, 9), "t.swf:1: field 2 (submit time) is '-1', "
				    "expected 0 to 10000000000 s");
	bad(JOB(1, 10000000001, 9, 1, 1, 9),
	    "t.swf:1: field 2 (submit time) is '10000000001', expected 0 to "
	    "10000000000 s");
	bad(JOB(1, 0, 10000000001, 1, 1, 9),
	    "t.swf:1: field 4 (run time) is '10000000001', expected at most "
	    "10000000000 s");
	bad(JOB(1, 0, 9, 1, 1, 8999999999999),
	    "t.swf:1: field 9 (requested time) is '8999999999999', expected "
	    "at most 10000000000 s");
	bad(JOB(1, 0, 9, 1, 4294967296, 9),
	    "t.swf:1: field 8 (requested processors) is '4294967296', "
	    "expected a whole number up to 4294967295");
	bad(JOB(1, 0, 9, 1.5, 0, 9),
	    "t.swf:1: field 5 (allocated processors) is '1.5', expected a "
	    "whole number up to 4294967295");
	bad("1 0 7 9 1 -1 -1 1 9 -1 1 2147483648 4 5 6 8 -1 -1\n",
	    "t.swf:1: field 12 (user) is '2147483648', expected a whole number "
	    "up to 2147483647");
}

static void errors_of_a_job_given_twice(void **state)
{
	(void)state;
	bad(JOB(1, 0, 9, 1, 1, 9) JOB(2, 0, 9, 1, 1, 9) JOB(3, 5, 9, 1, 1, 9)
		    JOB(2, 7, 9, 1, 1, 9) JOB(1, 9, 9, 1, 1, 9),
	    "t.swf:4: field 1 (job number) is '2' as in line 2, expected each "
	    "once");
	bad(JOB(1, 0, 9, 1, 1, 9) JOB(2, 0, 9, 1, 1, 9) JOB(1, 5, 9, 1, 1, 9)
		    JOB(2, 7, 9, 1, 1, 9),
	    "t.swf:3: field 1 (job number) is '1' as in line 1, expected each "
	    "once");
}

static void errors_of_a_file_without_jobs(void **state)
{
	(void)state;
	bad_bytes("", 0, -EINVAL,
		  "t.swf: the file is empty, expected jobs in SWF");
	bad("; Version: 2.2\n\n",
	    "t.swf: no line of a job, expected jobs in SWF");
}

static void an_endless_line_is_refused(void **state)
{
	size_t n = 600000;
	char *text = malloc(n + 1);

	(void)state;
	assert_non_null(text);
	memset(text, ' ', n);
	memcpy(text, "; c\n", 4);
	text[n] = '\0';
	bad(text, "t.swf:2: the line is longer than 262144 bytes, expected 18 "
		  "fields");
	free(text);
}

static void a_long_name_and_control_bytes_leave_room_for_the_rest(void **state)
{
	char name[1000];
	struct cs_trace t;
	struct cs_err err;
	FILE *f = fmemopen((void *)(uintptr_t) "1 \x1b[2J\n", 7, "r");

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(cs_trace_read_file(&t, f, name, &any, &err), -EINVAL);
	assert_contains(err.text, "n:1: field 2 (submit time) is '[2J', ");
	fclose(f);
}

static void files_that_cannot_be_read(void **state)
{
	struct cs_trace t;
	struct cs_err err;

	(void)state;
	assert_int_equal(cs_trace_read(&t, "/nonexistent", &any, &err),
			 -ENOENT);
	assert_string_equal(err.text,
			    "/nonexistent: No such file or directory");
	assert_int_equal(cs_trace_read(&t, "/", &any, &err), -EISDIR);
	assert_string_equal(err.text, "/: Is a directory");
}

static void standard_input(void **state)
{
	static const char text[] = JOB(1, 0, 9, 1, 1, 9);
	struct cs_trace t;
	struct cs_err err;
	int pipes[2], was = dup(0);

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], text, sizeof(text) - 1),
			 sizeof(text) - 1);
	close(pipes[1]);
	dup2(pipes[0], 0);
	close(pipes[0]);
	assert_int_equal(cs_trace_read(&t, "-", &any, &err), 0);
	assert_int_equal(t.n, 1);
	cs_trace_done(&t);
	dup2(was, 0);
	close(was);
}

/* ------------------------------------------------------------------ packed */

#define PACKED_MAX 4096

/* A text that is packed in one of three ways; 0: this build cannot. */
static size_t pack(int how, const char *text, unsigned char *out)
{
	size_t len = strlen(text), n = 0;

	(void)out;
	(void)len;
	switch (how) {
	case 0: {
#ifdef HAVE_ZLIB
		z_stream z = { .next_in = (Bytef *)(uintptr_t)text,
			       .avail_in = (uInt)len,
			       .next_out = out,
			       .avail_out = PACKED_MAX };

		deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 9,
			     Z_DEFAULT_STRATEGY);
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		n = PACKED_MAX - z.avail_out;
		deflateEnd(&z);
#endif
		break;
	}
	case 1:
#ifdef HAVE_LZMA
		assert_int_equal(
			lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL,
						(const uint8_t *)text, len, out,
						&n, PACKED_MAX),
			LZMA_OK);
#endif
		break;
	default:
#ifdef HAVE_ZSTD
		n = ZSTD_compress(out, PACKED_MAX, text, len, 3);
		assert_false(ZSTD_isError(n));
#endif
		break;
	}
	return n;
}

static const char *const packing[] = { "gzip", "xz", "zstd" };
static const char *const library[] = { "zlib", "liblzma", "libzstd" };
static const char magic[][7] = { "\x1f\x8b\x08",
				 "\xfd"
				 "7zXZ\0",
				 "\x28\xb5\x2f\xfd" };

static void packed_traces_are_known_by_their_bytes(void **state)
{
	unsigned char data[2 * PACKED_MAX];
	char want[200];

	(void)state;
	for (int how = 0; how < 3; how++) {
		struct cs_trace t;
		struct cs_err err = { "" };
		size_t n = pack(how, JOB(1, 0, 9, 1, 1, 9), data);

		if (!n) {
			snprintf(want, sizeof(want),
				 "t.swf: packed with %s, expected it unpacked: "
				 "built without %s",
				 packing[how], library[how]);
			bad_bytes(magic[how], sizeof(magic[how]), -ENOTSUP,
				  want);
			continue;
		}
		/* a second part, whose first line goes on where the first
		 * part's last one ended */
		n += pack(how, JOB(2, 0, 9, 1, 1, 9), data + n);
		if (read_bytes(&t, data, n, &any, &err))
			fail_msg("%s: %s", packing[how], err.text);
		assert_int_equal(t.n, 2);
		cs_trace_done(&t);
	}
}

static void packed_traces_that_are_cut_or_broken(void **state)
{
	unsigned char data[PACKED_MAX + 16];
	char cut[100], broken[100];

	(void)state;
	for (int how = 0; how < 3; how++) {
		size_t n = pack(how, JOB(1, 0, 9, 1, 1, 9), data);

		snprintf(cut, sizeof(cut),
			 "t.swf: packed data is cut off, expected the rest of "
			 "the %s file",
			 packing[how]);
		snprintf(broken, sizeof(broken),
			 "t.swf: packed data is broken, expected %s",
			 packing[how]);
		for (size_t i = 6; i < n; i++)
			bad_bytes(data, i, -EINVAL, cut);
		if (!n)
			continue;
		memcpy(data + n, "no packed data..", 16);
		bad_bytes(data, n + 16, -EINVAL, broken);
		data[n / 2] ^= 0x55;
		data[n / 2 + 1] ^= 0x55;
		assert_int_not_equal(read_bytes(&(struct cs_trace){ 0 }, data,
						n, &any, NULL),
				     0);
	}
}

static void packed_nothing_is_empty(void **state)
{
	unsigned char data[PACKED_MAX];

	(void)state;
	for (int how = 0; how < 3; how++) {
		size_t n = pack(how, "", data);

		if (n)
			bad_bytes(data, n, -EINVAL,
				  "t.swf: the file is empty, expected jobs in "
				  "SWF");
	}
}

/* ----------------------------------------------------------------- writing */

static void what_is_written_is_read_again(void **state)
{
	static const char text[] = JOB(1, 0, 9.5, 1, 1, 20)
		JOB(2, 1.25, 9, 1, 700, 9) JOB(5, 1.25, 0.000001, 1, 1, 9);
	struct cs_trace a = good(text), b;
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	(void)state;
	assert_int_equal(cs_trace_write(&a, "Version: 2.2\nNote: a test", f),
			 0);
	fclose(f);
	assert_memory_equal(out, "; Version: 2.2\n; Note: a test\n1 0 7 ", 35);
	b = good(out);
	assert_int_equal(a.n, b.n);
	for (size_t i = 0; i < a.n; i++) {
		b.job[i].line = a.job[i].line;
		assert_memory_equal(&a.job[i], &b.job[i], sizeof(*a.job));
	}
	cs_trace_done(&a);
	cs_trace_done(&b);
	free(out);
}

static void a_full_disk_is_no_success(void **state)
{
	struct cs_trace t = good(JOB(1, 0, 9, 1, 1, 9));
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	if (f) {
		assert_int_equal(cs_trace_write(&t, "", f), -EIO);
		fclose(f);
	}
	cs_trace_done(&t);
}

/* ------------------------------------------------------------- real traces */

static void real_traces_have_the_jobs_that_others_count(void **state)
{
	static const struct {
		const char *name;
		uint64_t max_procs;
		size_t jobs;
		uint64_t skipped;
	} row[] = {
		{ "KTH-SP2-1996-2.1-cln", 100, 28467, 9 },
		{ "SDSC-SP2-1998-4.2-cln", 128, 54034, 5681 },
		{ "CTC-SP2-1996-3.1-cln", 338, 77205, 17 },
		{ "LPC-EGEE-2004-1.2-cln", 140, 214322, 20567 },
		{ "lublin_256", 256, 10000, 0 },
	};
	const char *env = getenv("COSCHED_TRACES"), *src = getenv("srcdir");
	size_t seen = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_trace_options o = { .max_procs = row[i].max_procs };
		struct cs_trace t;
		struct cs_err err;
		char path[4096];
		int rc;

		if (env)
			snprintf(path, sizeof(path), "%s/%s.swf.xz", env,
				 row[i].name);
		else
			snprintf(path, sizeof(path),
				 "%s/../shared/traces/%s.swf.xz",
				 src ? src : ".", row[i].name);
		rc = cs_trace_read(&t, path, &o, &err);
		if (rc == -ENOENT || rc == -ENOTSUP) {
			print_message("%s\n", err.text);
			continue;
		}
		if (rc)
			fail_msg("%s", err.text);
		assert_int_equal(t.n, row[i].jobs);
		assert_int_equal(cs_trace_skipped(&t), row[i].skipped);
		assert_int_equal(t.job[0].submit_us, 0);
		cs_trace_done(&t);
		seen++;
	}
	if (!seen) {
		print_message("no real traces: set COSCHED_TRACES\n");
		skip();
	}
}

/* ------------------------------------------------------------------ memory */

static void no_memory_is_said(void **state)
{
	char *text = malloc(1100 * 60), *at = text;
	struct cs_trace t = { 0 };
	struct cs_err err;
	int rc = 0;

	(void)state;
	assert_non_null(text);
	for (int i = 1; i <= 1100; i++)
		at += sprintf(at,
			      "%d 0 -1 9 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1"
			      "\n",
			      i);
	CS_TEST_EACH_ALLOC(
		cs_trace_done(&t);
		rc = read_bytes(&t, text, (size_t)(at - text), &any, &err),
		rc == -ENOMEM)
	assert_int_equal(t.n, 1100);
	cs_trace_done(&t);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_s_fields),
		cmocka_unit_test(who_failed_by_field_11),
		cmocka_unit_test(when_it_began_is_told_by_the_header),
		cmocka_unit_test(rule_1_requested_else_allocated),
		cmocka_unit_test(rule_2_jobs_left_out_are_counted),
		cmocka_unit_test(rule_3_nobody_runs_longer_than_his_estimate),
		cmocka_unit_test(rule_4_sorted_and_shifted),
		cmocka_unit_test(rule_5_six_digits_behind_the_point),
		cmocka_unit_test(a_last_line_without_an_end),
		cmocka_unit_test(many_lines),
		cmocka_unit_test(
			a_line_that_cannot_be_simulated_costs_no_other),
		cmocka_unit_test(more_fields_are_named),
		cmocka_unit_test(jobs_that_no_nodes_hold_are_larger),
		cmocka_unit_test(strict_refuses_the_first),
		cmocka_unit_test(partial_executions_are_no_jobs),
		cmocka_unit_test(
			fields_that_no_simulation_uses_may_hold_anything),
		cmocka_unit_test(powers_of_ten),
		cmocka_unit_test(a_log_of_another_number_of_fields),
		cmocka_unit_test(bytes_around_the_lines),
		cmocka_unit_test(a_line_too_long_is_left_out),
		cmocka_unit_test(names_of_broken_bytes),
		cmocka_unit_test(a_log_without_a_job),
		cmocka_unit_test(errors_name_line_field_and_what_was_expected),
		cmocka_unit_test(errors_of_range),
		cmocka_unit_test(errors_of_a_job_given_twice),
		cmocka_unit_test(errors_of_a_file_without_jobs),
		cmocka_unit_test(an_endless_line_is_refused),
		cmocka_unit_test(
			a_long_name_and_control_bytes_leave_room_for_the_rest),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(standard_input),
		cmocka_unit_test(packed_traces_are_known_by_their_bytes),
		cmocka_unit_test(packed_traces_that_are_cut_or_broken),
		cmocka_unit_test(packed_nothing_is_empty),
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(a_full_disk_is_no_success),
		cmocka_unit_test(real_traces_have_the_jobs_that_others_count),
		cmocka_unit_test(no_memory_is_said),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
