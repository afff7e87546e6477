/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The site's history: sacct's text and our own logs, to a trace and back.
 */
#include "cs_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/rng.h"
#include "cosched/import/import.h"

#define S INT64_C(1000000)

static int (*const readers[])(struct cs_import *, FILE *, const char *,
			      struct cs_err *) = { cs_import_sacct,
						   cs_import_log };

static void last_bad(void *arg, const char *text)
{
	snprintf(arg, CS_ERR_TEXT, "%s", text);
}

/* Text @text read, and finished if it was.  What was said last in @err. */
static int import(struct cs_import *im, struct cs_import_options *o, int reader,
		  const char *text, size_t len, struct cs_err *err)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, len, "r");
	int rc;

	*err->text = '\0';
	o->threads = o->threads ? o->threads : 1;
	o->bad = last_bad;
	o->arg = err->text;
	assert_non_null(file);
	assert_int_equal(cs_import_init(im, o), 0);
	rc = readers[reader](im, file, "h", err);
	fclose(file);
	return rc ? rc : cs_import_finish(im, err);
}

/* ---- times --------------------------------------------------------------- */

static void elapsed_forms(void **state)
{
	static const struct {
		const char *text;
		int64_t s; /* -1: refused */
	} row[] = {
		{ "00:00:00", 0 },
		{ "00:01:05", 65 },
		{ "10:00:00", 36000 },
		{ "1-00:00:00", 86400 },
		{ "12-03:04:05", 1047845 },
		{ "05:30", 330 },
		{ "2-12", 216000 },
		{ "366-23:59:59", 31708799 },
		{ "", -1 },
		{ "-1", -1 },
		{ "-00:01:00", -1 },
		{ "00:-1:00", -1 },
		{ "1:60:00", -1 },
		{ "7", -1 },
		{ "1:2:3:4", -1 },
		{ "1-", -1 },
		{ "9999999999:00", -1 },
		{ "999999999-00:00:00", -1 },
		{ "00:00:00x", -1 },
		{ "1 -00:00", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		int64_t us = -7;
		int rc = cs_import_elapsed(row[i].text, &us);

		if (rc != (row[i].s < 0 ? -EINVAL : 0) ||
		    us != (row[i].s < 0 ? -7 : row[i].s * S))
			fail_msg("'%s': %d, %lld", row[i].text, rc,
				 (long long)us);
	}
}

static void limits_and_instants(void **state)
{
	int64_t us = 0;

	(void)state;
	assert_int_equal(cs_import_limit("UNLIMITED", &us), 0);
	assert_true(us == CS_IMPORT_NONE);
	us = 0;
	assert_int_equal(cs_import_limit("Partition_Limit", &us), 0);
	assert_true(us == CS_IMPORT_NONE);
	assert_int_equal(cs_import_limit("1-00:00:00", &us), 0);
	assert_true(us == 86400 * S);
	assert_int_equal(cs_import_instant("Unknown", &us), 0);
	assert_true(us == CS_IMPORT_NONE);
	assert_int_equal(cs_import_instant("2023-11-14T22:13:20", &us), 0);
	assert_true(us == 1700000000 * S);
	assert_int_equal(cs_import_instant("1700000000", &us), 0);
	assert_true(us == 1700000000 * S);
	assert_int_equal(cs_import_instant("2023-11-14", &us), 0);
	assert_true(us == 1699920000 * S);
	assert_int_equal(cs_import_instant("2023-13-14T00:00:00", &us),
			 -EINVAL);
	assert_int_equal(cs_import_instant("2026-02-31", &us), -EINVAL);
	assert_int_equal(cs_import_instant("2026-02-29T00:00:00", &us),
			 -EINVAL);
	assert_int_equal(cs_import_instant("2100-02-29", &us), -EINVAL);
	assert_int_equal(cs_import_instant("2024-02-29", &us), 0);
	assert_int_equal(cs_import_instant("2023-04-31", &us), -EINVAL);
	assert_int_equal(cs_import_instant("-5", &us), -EINVAL);
	assert_int_equal(cs_import_instant("2023-11-14 22:13:20", &us), 0);
	assert_true(us == 1700000000 * S);
	assert_int_equal(cs_import_instant("yesterday", &us), -EINVAL);
}

/* ---- every SLURM_TIME_FORMAT --------------------------------------------- */

/* The clocks of Berlin, set back on 29 October 2023 at 01:00 UTC. */
static void in_berlin(void)
{
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
}

static void in_utc(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
}

struct time_row {
	const char *format, *text;
	int n; /* readings; -1: none of a time */
	int64_t s[2];
};

/* The text was written at 1700000000, on Tuesday, 14 November 2023, 23:13:20. */
static void check_times(const struct time_row *row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct cs_import_clock clock = { row[i].format, 1700000000 };
		struct cs_import_times t = { .n = -1 };
		int rc = cs_import_times(row[i].text, &clock, &t);

		if (t.n != row[i].n || rc != (t.n < 0 ? -EINVAL : 0))
			fail_msg("'%s': %d, %d readings", row[i].text, rc, t.n);
		for (int k = 0; k < t.n; k++)
			if (t.us[k] != row[i].s[k] * S)
				fail_msg("'%s': %lld us", row[i].text,
					 (long long)t.us[k]);
	}
}

static void times_with_a_zone(void **state)
{
	static const struct time_row row[] = {
		{ NULL, "2023-11-14T22:13:20+0000", 1, { 1700000000 } },
		{ NULL, "2023-11-14T23:13:20+0100", 1, { 1700000000 } },
		{ NULL, "2023-11-14T23:13:20+01:00", 1, { 1700000000 } },
		{ NULL, "2023-11-14T23:13:20+01", 1, { 1700000000 } },
		{ NULL, "2023-11-14 16:43:20 -0530", 1, { 1700000000 } },
		{ NULL, "2023-11-14T22:13:20Z", 1, { 1700000000 } },
		{ NULL, "2023-11-14T22:13:20 UTC", 1, { 1700000000 } },
		{ NULL, "2023-11-14T23:13:20 CET", 1, { 1700000000 } },
		{ NULL, "2023-11-14T23:13:20 CEST", -1, { 0 } },
		{ NULL, "2023-11-14T23:13:20+1", -1, { 0 } },
		{ NULL, "2023-11-14T23:13:20+0160", -1, { 0 } },
		{ NULL, "2023-11-14T23:13:20+1900", -1, { 0 } },
		{ NULL, "2023-11-14T23:13:20 +0100x", -1, { 0 } },
		{ NULL, "1969-01-01T00:00:00Z", -1, { 0 } },
		{ NULL, "Unknown", 0, { 0 } },
		{ "%F %T %z", "2023-11-14 23:13:20 +0100", 1, { 1700000000 } },
		{ "%F %T %Z", "2023-10-29 02:30:00 CET", 1, { 1698543000 } },
		{ "%F %T %Z", "2023-10-29 02:30:00 CEST", 1, { 1698539400 } },
	};

	(void)state;
	in_berlin();
	check_times(row, sizeof(row) / sizeof(row[0]));
	in_utc();
}

static void the_hour_that_comes_twice(void **state)
{
	static const struct time_row row[] = {
		{ NULL, "2023-10-29T01:59:59", 1, { 1698537599 } },
		{ NULL, "2023-10-29T02:00:00", 2, { 1698537600, 1698541200 } },
		{ NULL, "2023-10-29T02:59:59", 2, { 1698541199, 1698544799 } },
		{ NULL, "2023-10-29T03:00:00", 1, { 1698544800 } },
		/* and the one that is left out */
		{ NULL, "2023-03-26T02:30:00", 1, { 1679794200 } },
		{ NULL, "2023-10-29T02:20:00+0200", 1, { 1698538800 } },
		{ "%d.%m.%Y %H:%M",
		  "29.10.2023 02:20",
		  2,
		  { 1698538800, 1698542400 } },
	};

	(void)state;
	in_berlin();
	check_times(row, sizeof(row) / sizeof(row[0]));
	in_utc();
}

static void relative_times(void **state)
{
	static const struct time_row row[] = {
		{ NULL, "23:13:20", 1, { 1700000000 } },
		{ NULL, "Ystday 23:13", 1, { 1699913580 } },
		{ NULL, "Tomorr 23:13", 1, { 1700086380 } },
		{ NULL, "Thu 23:13", 1, { 1700172780 } },
		{ NULL, "Mon 23:13", 1, { 1700518380 } },
		{ NULL, "Tue 23:13", -1, { 0 } }, /* today */
		{ NULL, "1 Nov 00:00", 1, { 1698793200 } },
		{ NULL, "31 Feb 00:00", -1, { 0 } },
		{ NULL, "29 Oct 02:20", 2, { 1698538800, 1698542400 } },
		{ NULL, "14 Nov 2022", 1, { 1668380400 } },
		{ NULL, "14 Nov 22", -1, { 0 } },
		{ NULL, "14 Okt 2022", -1, { 0 } },
		{ NULL, "yesterday", -1, { 0 } },
		{ NULL, "25:00:00", -1, { 0 } },
	};

	(void)state;
	in_berlin();
	check_times(row, sizeof(row) / sizeof(row[0]));
	in_utc();
}

static void formats_of_a_site(void **state)
{
	static const struct time_row row[] = {
		{ "%s", "1700000000", 1, { 1700000000 } },
		{ "%c", "Tue Nov 14 23:13:20 2023", 1, { 1700000000 } },
		/* digits alone are no epoch where the format has digits alone */
		{ "%y%m%d%H%M", "2311142313", 1, { 1699999980 } },
		{ "%Y%m%d%H", "2023111423", 1, { 1699999200 } },
		{ "%F %T", "1700000000", 1, { 1700000000 } },
		/* days that strptime() passes over are not today */
		{ "%G-W%V-%u %T", "2023-W45-3 12:00:00", -1, { 0 } },
		{ "%A %R", "Tuesday 23:13", -1, { 0 } },
		{ "%m/%d/%y %I:%M:%S %p",
		  "11/14/23 11:13:20 PM",
		  1,
		  { 1700000000 } },
		/* no year: this one, or the one before */
		{ "%-d %b %T", "14 Nov 23:13:20", 1, { 1700000000 } },
		{ "%d %b %T", "24 Dec 12:00:00", 1, { 1671879600 } },
		{ "%d.%m.%Y %T", "31.02.2023 12:00:00", -1, { 0 } },
		/* the standard in spite of the format */
		{ "%d.%m.%Y %T", "2023-11-14T23:13:20", 1, { 1700000000 } },
		{ "%d.%m.%Y %T", "14.11.2023 23:13:20x", -1, { 0 } },
	};

	(void)state;
	in_berlin();
	check_times(row, sizeof(row) / sizeof(row[0]));
	in_utc();
}

/* 14 jobs a quarter of an hour apart from 02:20 on, each time without an offset: every
 * one is found, by its number, its elapsed time and its start. */
static void jobs_through_the_hour_that_comes_twice(void **state)
{
	struct cs_import_options o = { .since_us = CS_IMPORT_NONE };
	struct cs_import im;
	struct cs_err err;
	char text[4096];
	size_t at = (size_t)snprintf(text, sizeof(text),
				     "JobID|Submit|Start|End|Elapsed|AllocCPUS"
				     "\n");

	(void)state;
	in_berlin();
	for (int i = 0; i < 14; i++) {
		time_t t[3] = { 1698538800 + i * 900 };

		t[1] = t[0] + 300 * (i % 5);
		t[2] = t[1] + 1200 + 60 * i;
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%d|",
				       i + 1);
		for (int k = 0; k < 3; k++) {
			struct tm tm;

			localtime_r(&t[k], &tm);
			at += strftime(text + at, sizeof(text) - at, "%FT%T|",
				       &tm);
		}
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "00:%d:00|1\n", 20 + i);
	}
	assert_int_equal(import(&im, &o, 0, text, at, &err), 0);
	assert_int_equal(im.trace.n, 14);
	for (int i = 0; i < 14; i++) {
		const struct cs_trace_job *j = &im.trace.job[i];

		assert_int_equal(j->id, i + 1);
		assert_int_equal(j->submit_us, 900 * i * S);
		assert_int_equal(j->wait_us, 300 * (i % 5) * S);
		assert_int_equal(j->runtime_us, (1200 + 60 * i) * S);
	}
	cs_import_done(&im);
	in_utc();
}

/* ---- sacct --------------------------------------------------------------- */

/* Every kind of line once; worked out by hand. */
static const char by_hand[] =
	"JobID|User|Account|Partition|Submit|Eligible|Start|End|Elapsed|"
	"Timelimit|State|AllocCPUS|Note|JobName\n"
	/* 1: waited 60 s, ran 65 s of 10 min, a '|' in its name */
	"10|ann|phys|batch|2024-01-01T00:00:00|2024-01-01T00:00:00|"
	"2024-01-01T00:01:00|2024-01-01T00:02:05|00:01:05|00:10:00|COMPLETED|"
	"4||cfd|a|b\n"
	"10.batch||phys||2024-01-01T00:01:00||2024-01-01T00:01:00|"
	"2024-01-01T00:02:05|00:01:05||COMPLETED|4||batch\n"
	/* 2: a task of an array, held until 00:00:40; no limit */
	"12_3|bob|bio|batch|2024-01-01T00:00:10|2024-01-01T00:00:40|"
	"2024-01-01T00:00:50|2024-01-02T00:00:50|1-00:00:00|Partition_Limit|"
	"COMPLETED|3||arr\n"
	/* 3: suspended for ten minutes of its hour: Elapsed is without */
	"13|ann|phys|fast|2024-01-01T00:00:20|Unknown|2024-01-01T01:00:00|"
	"2024-01-01T02:00:00|00:50:00|UNLIMITED|TIMEOUT|1||cfd|a|b\n"
	/* 4: ran beyond its limit */
	"14|ann|phys|fast|2024-01-01T00:00:30|Unknown|2024-01-01T00:00:30|"
	"2024-01-01T00:02:30|00:02:00|00:01:00|CANCELLED by 0|1||x\n"
	"15|ann|phys|batch|2024-01-01T00:00:30|Unknown|2024-01-01T00:00:30|"
	"Unknown|5-00:00:00|UNLIMITED|RUNNING|1||x\n"
	"16_[4-9%2]|ann|phys|batch|2024-01-01T00:00:30|Unknown|Unknown|"
	"Unknown|00:00:00|00:01:00|PENDING|0||x\n"
	"17|ann|phys|batch|2024-01-01T00:00:30|Unknown|None|"
	"2024-01-01T00:00:35|00:00:00|00:01:00|CANCELLED by 1000|0||x\n"
	"18|ann|phys|batch|2024-01-01T00:00:30|Unknown|2024-01-01T00:00:31|"
	"2024-01-01T00:00:31|00:00:00|00:01:00|FAILED|2||x\n"
	"19|ann|phys|batch|2024-01-01T00:00:30|Unknown|2024-01-01T00:00:31|"
	"2024-01-01T00:00:32|00:00:01|00:01:00|FAILED|0||x\n"
	/* bad: begins before its submit; a negative time; cut off */
	"20|ann|phys|batch|2024-01-01T00:00:30|Unknown|2024-01-01T00:00:29|"
	"2024-01-01T00:00:32|00:00:03|00:01:00|FAILED|1||x\n"
	"21|ann|phys|batch|2024-01-01T00:00:30|Unknown|2024-01-01T00:00:31|"
	"2024-01-01T00:00:32|-00:00:03|00:01:00|FAILED|1||x\n"
	"22|ann|phys|ba";

static const struct cs_trace_job *job(const struct cs_import *im, size_t i)
{
	assert_true(i < im->trace.n);
	return &im->trace.job[i];
}

static const char *name(const struct cs_import *im, enum cs_trace_name kind,
			int32_t number)
{
	const char *text = cs_trace_name(im->trace.names, kind, number);

	return text ? text : "(none)";
}

static void every_kind_of_line(void **state)
{
	static const uint64_t count[CS_IMPORT_COUNTS] = {
		[CS_IMPORT_JOBS] = 4,	   [CS_IMPORT_STEPS] = 1,
		[CS_IMPORT_WAITING] = 1,   [CS_IMPORT_RUNNING] = 1,
		[CS_IMPORT_UNSTARTED] = 1, [CS_IMPORT_INSTANT] = 1,
		[CS_IMPORT_NO_CPUS] = 1,   [CS_IMPORT_BAD] = 3,
	};
	static const struct {
		uint32_t id, procs;
		int64_t submit, wait, run, estimate;
		const char *user, *account, *name, *partition;
		bool failed;
	} want[] = {
		{ 10, 4, 0, 60, 65, 600, "ann", "phys", "cfd|a|b", "batch",
		  false },
		{ 13, 1, 20, 3580, 3000, 3000, "ann", "phys", "cfd|a|b", "fast",
		  true },
		{ 14, 1, 30, 0, 120, 120, "ann", "phys", "x", "fast", true },
		{ 15, 3, 40, 10, 86400, 86400, "bob", "bio", "arr", "batch",
		  false },
	};
	struct cs_import_options o = { .since_us = CS_IMPORT_NONE };
	struct cs_import im;
	struct cs_err err;

	(void)state;
	assert_int_equal(import(&im, &o, 0, by_hand, sizeof(by_hand) - 1, &err),
			 0);
	for (int i = 0; i < CS_IMPORT_COUNTS; i++)
		if (im.count[i] != count[i])
			fail_msg("%s: %llu", cs_import_count_name(i),
				 (unsigned long long)im.count[i]);
	assert_string_equal(err.text, "h:14: 4 columns, expected 14");
	assert_int_equal(im.unlimited, 2);
	assert_int_equal(im.over, 1);
	assert_true(im.trace.unix_start_s == 1704067200);
	for (size_t i = 0; i < 4; i++) {
		const struct cs_trace_job *j = job(&im, i);

		assert_int_equal(j->id, want[i].id);
		assert_int_equal(j->failed, want[i].failed);
		assert_int_equal(j->procs, want[i].procs);
		assert_true(j->submit_us == want[i].submit * S);
		assert_true(j->wait_us == want[i].wait * S);
		assert_true(j->runtime_us == want[i].run * S);
		assert_true(j->estimate_us == want[i].estimate * S);
		assert_string_equal(name(&im, CS_NAME_USER, j->user),
				    want[i].user);
		assert_string_equal(name(&im, CS_NAME_GROUP, j->group),
				    want[i].account);
		assert_string_equal(name(&im, CS_NAME_EXE, j->exe),
				    want[i].name);
		assert_string_equal(name(&im, CS_NAME_PARTITION, j->partition),
				    want[i].partition);
	}
	cs_import_done(&im);
}

static void options_hold(void **state)
{
	struct cs_import_options o = { .since_us = 1704067230 * S,
				       .threads = 2 };
	struct cs_import im;
	struct cs_err err;

	(void)state;
	assert_int_equal(import(&im, &o, 0, by_hand, sizeof(by_hand) - 1, &err),
			 0);
	assert_int_equal(im.count[CS_IMPORT_JOBS], 2);
	assert_int_equal(im.count[CS_IMPORT_BEFORE], 2);
	assert_int_equal(job(&im, 0)->id, 14);
	assert_int_equal(job(&im, 1)->procs, 2); /* 3 threads, 2 a core */
	cs_import_done(&im);

	o.strict = true;
	assert_int_equal(import(&im, &o, 0, by_hand, sizeof(by_hand) - 1, &err),
			 -EINVAL);
	assert_string_equal(err.text, "h:12: Start is '2024-01-01T00:00:29', "
				      "expected not before Submit");
	cs_import_done(&im);
}

/* Suspended counts where the elapsed time is not told. */
static void suspended_without_elapsed(void **state)
{
	static const char text[] =
		"JobIDRaw|Submit|Start|End|Suspended|NCPUS|\n"
		"7|100|100|3700|00:10:00|2|\n"
		"8|100|200|300|00:01:41|2|\n";
	struct cs_import_options o = { .since_us = CS_IMPORT_NONE };
	struct cs_import im;
	struct cs_err err;

	(void)state;
	assert_int_equal(import(&im, &o, 0, text, sizeof(text) - 1, &err), 0);
	assert_int_equal(im.trace.n, 1);
	assert_true(job(&im, 0)->runtime_us == 3000 * S);
	assert_int_equal(job(&im, 0)->user, -1);
	assert_string_equal(err.text, "h:3: Suspended is '00:01:41', expected "
				      "at most End - Start");
	cs_import_done(&im);
}

static void not_sacct(void **state)
{
	static const struct {
		const char *text, *says;
	} row[] = {
		{ "\n", "h:1: no column JobID, expected the output of sacct -P"
			" -o JobID,User,Account,Partition,Submit,Start,Elapsed,"
			"Timelimit,State,AllocCPUS,JobName" },
		{ "JobID|Submit|Start|End|NCPUS\n", "no job that has run" },
		{ "JobID|Submit|Start|End|NCPUS\n1|5|6|x|1\n",
		  "no job that has run" },
	};
	struct cs_import_options o = { .since_us = CS_IMPORT_NONE };

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_import im;
		struct cs_err err;

		assert_true(import(&im, &o, 0, row[i].text, strlen(row[i].text),
				   &err) < 0);
		assert_string_equal(err.text, row[i].says);
		cs_import_done(&im);
	}
}

/* A number that stands twice: the second run is a job of its own. */
static void numbers_stand_once(void **state)
{
	static const char text[] = "JobIDRaw|Submit|Start|End|NCPUS\n"
				   "4294967295|10|20|30|1\n"
				   "5|11|20|30|1\n5|12|40|50|1\n"
				   "5.0|12|40|50|1\n0|13|40|50|1\n";
	static const uint32_t id[] = { 4294967295u, 5, 1, 2 };
	struct cs_import_options o = { .since_us = CS_IMPORT_NONE };
	struct cs_import im;
	struct cs_err err;

	(void)state;
	assert_int_equal(import(&im, &o, 0, text, sizeof(text) - 1, &err), 0);
	assert_int_equal(im.trace.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(job(&im, i)->id, id[i]);
	cs_import_done(&im);
}

/* ---- random files -------------------------------------------------------- */

static uint32_t below(struct cs_rng *r, uint32_t n)
{
	return (uint32_t)(cs_rng_next(r) % n);
}

/* One line of kind @kind, which the naive count knows, to @out. */
static void put_line(FILE *out, struct cs_rng *r, uint32_t id, uint32_t kind)
{
	unsigned int submit = 1000000 + below(r, 1000000);
	unsigned int start = submit + below(r, 5000);
	unsigned int run = kind == CS_IMPORT_INSTANT ? 0 : 1 + below(r, 100000);
	const char *state = kind == CS_IMPORT_WAITING	  ? "PENDING"
			    : kind == CS_IMPORT_RUNNING	  ? "RUNNING"
			    : kind == CS_IMPORT_UNSTARTED ? "CANCELLED by 7"
							  : "COMPLETED";

	fprintf(out, "%u%s|u%u|g%u|p%u|%u|", id,
		kind == CS_IMPORT_STEPS ? ".batch" : "", below(r, 50),
		below(r, 9), below(r, 3), submit);
	if (kind == CS_IMPORT_WAITING || kind == CS_IMPORT_UNSTARTED)
		fprintf(out, "Unknown|Unknown|00:00:00|");
	else
		fprintf(out, "%u|%u|%s%u-%02u:%02u:%02u|", start, start + run,
			kind == CS_IMPORT_BAD ? "-" : "", run / 86400,
			run / 3600 % 24, run / 60 % 60, run % 60);
	fprintf(out, "%s|%s|%u|%s%u\n",
		below(r, 3) ? "1-00:00:00" : "UNLIMITED", state,
		kind == CS_IMPORT_NO_CPUS ? 0 : 1 + below(r, 64),
		below(r, 4) ? "name" : "a|b ", below(r, 300));
}

/* The trace, written and read again, is the same with the same names. */
static void same_again(const struct cs_import *im)
{
	struct cs_trace_options o = { 0 };
	struct cs_trace t = { 0 };
	struct cs_err err;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(cs_trace_write(&im->trace, "Version: 2.2", file), 0);
	fclose(file);
	file = fmemopen(text, size, "r");
	if (cs_trace_read_file(&t, file, "again", &o, &err))
		fail_msg("%s", err.text);
	fclose(file);
	free(text);
	assert_int_equal(t.n, im->trace.n);
	assert_int_equal(cs_trace_skipped(&t), 0);
	for (size_t i = 0; i < t.n; i++) {
		const struct cs_trace_job *a = &im->trace.job[i];
		const struct cs_trace_job *b = &t.job[i];

		if (a->id != b->id || a->procs != b->procs ||
		    a->wait_us != b->wait_us ||
		    a->submit_us - im->trace.job[0].submit_us != b->submit_us ||
		    a->runtime_us != b->runtime_us ||
		    a->estimate_us != b->estimate_us || a->failed != b->failed)
			fail_msg("job %zu is not the same", i);
		for (int k = 0; k < CS_NAME_KINDS; k++) {
			const int32_t of[2][CS_NAME_KINDS] = {
				{ a->user, a->group, a->exe, a->partition },
				{ b->user, b->group, b->exe, b->partition },
			};
			const char *x =
				cs_trace_name(im->trace.names, k, of[0][k]);
			const char *y = cs_trace_name(t.names, k, of[1][k]);

			if (!x != !y || (x && strcmp(x, y)))
				fail_msg("job %zu: name '%s', was '%s'", i, y,
					 x);
		}
	}
	cs_trace_done(&t);
}

static uint64_t seed_of(void)
{
	const char *text = getenv("CS_TEST_SEED");

	return text ? strtoull(text, NULL, 10) : 1;
}

static void counts_are_naive_counts(void **state)
{
	struct cs_import_options o = { .since_us = CS_IMPORT_NONE };
	uint64_t want[CS_IMPORT_COUNTS] = { 0 };
	struct cs_import im;
	struct cs_rng r;
	struct cs_err err;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed_of());
	cs_rng_init(&r, seed_of(), 0);
	fprintf(out, "JobIDRaw|User|Account|Partition|Submit|Start|End|Elapsed|"
		     "Timelimit|State|AllocCPUS|JobName\n");
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t kind = below(&r, 2) ? 0 : below(&r, CS_IMPORT_COUNTS);

		if (kind == CS_IMPORT_BEFORE)
			kind = CS_IMPORT_JOBS;
		want[kind]++;
		put_line(out, &r, 1 + below(&r, 90000), kind);
	}
	fprintf(out, "77|u1|g"); /* cut off */
	want[CS_IMPORT_BAD]++;
	fclose(out);
	assert_int_equal(import(&im, &o, 0, text, size, &err), 0);
	for (int i = 0; i < CS_IMPORT_COUNTS; i++)
		if (im.count[i] != want[i])
			fail_msg("%s: %llu, expected %llu",
				 cs_import_count_name(i),
				 (unsigned long long)im.count[i],
				 (unsigned long long)want[i]);
	same_again(&im);
	cs_import_done(&im);
	free(text);
}

/* ---- our own logs -------------------------------------------------------- */

static const char own_log[] =
	"{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":4,"
	"\"sockets\":1,\"cores\":4}}\n"
	"{\"t\":1000,\"ev\":\"submit\",\"job\":1,\"user\":\"ann\","
	"\"account\":\"phys\",\"name\":\"cfd|x\",\"procs\":2,\"cpus\":2,"
	"\"estimate\":100}\n"
	"{\"t\":1001,\"ev\":\"submit\",\"job\":2,\"array\":2,\"tasks\":2,"
	"\"user\":\"bob\",\"account\":\"bio\",\"name\":\"a\",\"procs\":1,"
	"\"estimate\":50}\n"
	"{\"t\":1010,\"ev\":\"start\",\"job\":1,\"alloc\":{\"0\":\"0-3\"}}\n"
	"{\"t\":1020,\"ev\":\"suspend\",\"job\":1}\n"
	"{\"t\":1050,\"ev\":\"resume\",\"job\":1}\n"
	"{\"t\":1055,\"ev\":\"start\",\"job\":3,\"array\":2,"
	"\"alloc\":{\"1\":\"0\"}}\n"
	"{\"t\":1056,\"ev\":\"submit\",\"job\":9,\"user\":\"ann\","
	"\"procs\":1,\"estimate\":5}\n"
	"{\"t\":1057,\"ev\":\"cancel\",\"job\":9}\n"
	"nonsense\n"
	"{\"t\":1090,\"ev\":\"finish\",\"job\":1}\n"
	"{\"t\":1095,\"ev\":\"finish\",\"job\":3}\n";

/* Its node boots for 20 s, and it shrinks after 30 more: it ran for 60 s. */
static void a_job_ran_from_its_begin_on(void **state)
{
	static const char log[] =
		"{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":4,"
		"\"sockets\":1,\"cores\":4}}\n"
		"{\"t\":1000,\"ev\":\"submit\",\"job\":1,\"user\":\"ann\","
		"\"procs\":2,\"estimate\":100}\n"
		"{\"t\":1010,\"ev\":\"start\",\"job\":1,\"alloc\":{\"0-1\":\"0\"}}\n"
		"{\"t\":1031,\"ev\":\"begin\",\"job\":1,\"start\":1010,\"from\":1030}\n"
		"{\"t\":1060,\"ev\":\"resize\",\"job\":1,\"alloc\":{\"0\":\"0\"}}\n"
		"{\"t\":1090,\"ev\":\"finish\",\"job\":1}\n";
	struct cs_import_options o = { .since_us = CS_IMPORT_NONE };
	struct cs_import im;
	struct cs_err err;

	(void)state;
	if (import(&im, &o, 1, log, sizeof(log) - 1, &err))
		fail_msg("%s", err.text);
	assert_int_equal(im.count[CS_IMPORT_JOBS], 1);
	assert_int_equal(im.trace.job[0].runtime_us, 60 * S);
	cs_import_done(&im);
}

static void own_log_is_read(void **state)
{
	struct cs_import_options o = { .since_us = CS_IMPORT_NONE };
	struct cs_import im;
	struct cs_err err;

	(void)state;
	if (import(&im, &o, 1, own_log, sizeof(own_log) - 1, &err))
		fail_msg("%s", err.text);
	assert_int_equal(im.count[CS_IMPORT_JOBS], 2);
	assert_int_equal(im.count[CS_IMPORT_WAITING], 1); /* the other task */
	assert_int_equal(im.count[CS_IMPORT_UNSTARTED], 1);
	assert_int_equal(im.count[CS_IMPORT_BAD], 1);
	assert_true(!strncmp(err.text, "h:10: ", 6));
	assert_int_equal(job(&im, 0)->id, 1);
	assert_int_equal(job(&im, 0)->procs, 4);
	assert_true(job(&im, 0)->wait_us == 10 * S);
	assert_true(job(&im, 0)->runtime_us == 50 * S); /* 80 less 30 */
	assert_true(job(&im, 0)->estimate_us == 100 * S);
	assert_string_equal(name(&im, CS_NAME_EXE, job(&im, 0)->exe), "cfd|x");
	assert_int_equal(job(&im, 1)->id, 3);
	assert_true(job(&im, 1)->wait_us == 54 * S);
	assert_string_equal(name(&im, CS_NAME_USER, job(&im, 1)->user), "bob");
	same_again(&im);
	cs_import_done(&im);
}

/* ---- hostile bytes ------------------------------------------------------- */

static void any_bytes_are_survived(void **state)
{
	static const char *const from[] = { by_hand, own_log };
	static const char bytes[] = "|\n\r\0-:.0 9\xff{}\"[T";
	struct cs_rng r;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed_of());
	cs_rng_init(&r, seed_of(), 1);
	for (int i = 0; i < 3000; i++) {
		struct cs_import_options o = { .since_us = CS_IMPORT_NONE };
		size_t len = strlen(from[i % 2]);
		char *text = strdup(from[i % 2]);
		struct cs_import im;
		struct cs_err err;

		for (uint32_t n = 1 + below(&r, 20); n; n--)
			text[below(&r, (uint32_t)len)] =
				bytes[below(&r, sizeof(bytes))];
		len -= below(&r, 4) ? 0 : below(&r, (uint32_t)len);
		if (!import(&im, &o, i % 2, text, len, &err))
			same_again(&im);
		cs_import_done(&im);
		free(text);
	}
}

/* ---- names in a trace ---------------------------------------------------- */

static void names_of_a_trace(void **state)
{
	static const char text[] =
		"; UserName: 3 alice\n;UserName:3 bob\n; GroupName: x y\n"
		"; ExecutableName:  7 \t cfd run \r\n; PartitionName: 1\n"
		"; UserName: 99999999999 x\n; UserName: -1 y\n"
		"1 0 0 5 1 -1 -1 1 5 -1 1 3 4 7 -1 1 -1 -1\n";
	FILE *file = fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r");
	struct cs_trace_options o = { 0 };
	struct cs_trace t = { 0 };
	struct cs_err err;

	(void)state;
	assert_int_equal(cs_trace_read_file(&t, file, "t", &o, &err), 0);
	fclose(file);
	assert_string_equal(cs_trace_name(t.names, CS_NAME_USER, 3), "alice");
	assert_string_equal(cs_trace_name(t.names, CS_NAME_EXE, 7), "cfd run");
	assert_null(cs_trace_name(t.names, CS_NAME_GROUP, 4));
	assert_null(cs_trace_name(t.names, CS_NAME_PARTITION, 1));
	assert_null(cs_trace_name(t.names, CS_NAME_USER, -1));
	assert_null(cs_trace_name(NULL, CS_NAME_USER, 3));
	cs_trace_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elapsed_forms),
		cmocka_unit_test(limits_and_instants),
		cmocka_unit_test(times_with_a_zone),
		cmocka_unit_test(the_hour_that_comes_twice),
		cmocka_unit_test(relative_times),
		cmocka_unit_test(formats_of_a_site),
		cmocka_unit_test(jobs_through_the_hour_that_comes_twice),
		cmocka_unit_test(every_kind_of_line),
		cmocka_unit_test(options_hold),
		cmocka_unit_test(suspended_without_elapsed),
		cmocka_unit_test(not_sacct),
		cmocka_unit_test(numbers_stand_once),
		cmocka_unit_test(counts_are_naive_counts),
		cmocka_unit_test(a_job_ran_from_its_begin_on),
		cmocka_unit_test(own_log_is_read),
		cmocka_unit_test(any_bytes_are_survived),
		cmocka_unit_test(names_of_a_trace),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
