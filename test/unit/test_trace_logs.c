/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs as sites publish them: what cannot be simulated is left out, counted and named. */
#include "tracerig.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests_name("trace_logs", tests, NULL, NULL);
}
