/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader and writer of traces: each rule, each error, each packing. */
#define CS_TEST_ALLOC
#include "tracerig.h"

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
