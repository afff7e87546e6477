/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a simulation leaves: the files of jobs and figures, byte for byte, and
 * that a file is there whole or not at all. */
#define CS_TEST_ALLOC
#include "simrig.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "sim/outfile.h"
#include "sim/output.h"

/* ---- formats ------------------------------------------------------------- */

static void open_example(struct simrig *r)
{
	simrig_open(r, "4x1x2", "policy=easy,n_high=1", NULL);
	simrig_add(r, 2, 0, 5, 100, 100, 1);
	simrig_add(r, 17, 0, 6, 50.25, 60, 1);
	simrig_add(r, 3, 10, 1, 20, 30, 1);
	simrig_run(r);
}

static void jobs_in_order_of_id(void **state)
{
	struct simrig r;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	open_example(&r);
	assert_int_equal(cs_output_jobs(f, &r.trace, &r.result), 0);
	fclose(f);
	assert_string_equal(text, "# id submit start end procs nodes ppn\n"
				  "2 0 0 100 5 3 2\n"
				  "3 10 10 30 1 1 1\n"
				  "17 0 100 150.250000 6 3 2\n");
	free(text);
	simrig_close(&r);
}

static struct cs_output_run test_run(const struct simrig *r)
{
	return (struct cs_output_run){ .machine = r->machine,
				       .params = &r->params,
				       .version = "1.2.3",
				       .wall_seconds = -1 };
}

static char *summary_of(struct simrig *r, double wall_seconds)
{
	struct cs_output_run run = test_run(r);
	struct cs_metrics k;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	run.wall_seconds = wall_seconds;
	assert_int_equal(
		cs_metrics(&k, &r->trace, &r->result, r->machine, &r->params),
		0);
	assert_int_equal(cs_output_summary(f, &k, &run), 0);
	fclose(f);
	return text;
}

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (!json_object_object_get_ex(o, key, &v))
		fail_msg("no '%s'", key);
	return v;
}

static void a_summary_is_one_object(void **state)
{
	struct json_object *o, *p;
	struct simrig r;
	char *text;

	(void)state;
	open_example(&r);
	text = summary_of(&r, .5);
	o = json_tokener_parse(text);
	assert_non_null(o);
	assert_int_equal(json_object_get_int(member(o, "jobs")), 3);
	assert_int_equal(json_object_get_int(member(o, "skipped")), 0);
	assert_close(json_object_get_double(member(o, "makespan")), 150.25,
		     1e-9);
	assert_close(json_object_get_double(member(o, "mean_wait")), 100 / 3.,
		     1e-8);
	assert_close(json_object_get_double(member(o, "wall_seconds")), .5, 0);
	assert_string_equal(json_object_get_string(member(o, "version")),
			    "1.2.3");
	assert_string_equal(
		json_object_get_string(member(o, "trace_estimates")), "trace");
	p = member(o, "params");
	assert_string_equal(json_object_get_string(member(p, "policy")),
			    "easy");
	assert_int_equal(json_object_get_int(member(p, "n_high")), 1);
	assert_close(json_object_get_double(member(p, "max_slowdown")), 1.25,
		     0);
	p = member(o, "machine");
	assert_int_equal(json_object_get_int(member(p, "cores")), 2);
	json_object_put(o);
	free(text);
	simrig_close(&r);
}

/* 3 nodes for 20 s, 4 for 50 s; 4 for 60 s over two sites, 90 s; and from 10 on all 15
 * for 10 s, at 90, over three: 15 s.  Ernemann02, equations 1 to 5. */
static void a_summary_of_sites(void **state)
{
	static const struct {
		const char *key;
		double is;
	} of[] = { { "awrt",
		     (60 * 20. + 200 * 50 + 360 * 90 + 225 * 95) / 845 },
		   { "awwt", 225 * 80 / 845. },
		   { "multisite_jobs", 2 },
		   { "fragments_mean", 2.5 },
		   { "split_node_s", 360 + 225 } };
	struct json_object *o;
	struct cs_err err;
	struct simrig r;
	char *text;

	(void)state;
	simrig_open(&r, "1x1x1", "policy=multisite,across=0.5", NULL);
	cs_machine_free(r.machine);
	assert_int_equal(cs_sim_sites("1x6,1x7,1x2", &r.machine, &err), 0);
	r.options.machine = r.machine;
	simrig_add(&r, 1, 0, 3, 20, 20, 1);
	simrig_add(&r, 2, 0, 4, 50, 50, 1);
	simrig_add(&r, 3, 0, 4, 60, 60, 1);
	simrig_add(&r, 4, 10, 15, 10, 10, 1);
	simrig_run(&r);
	text = summary_of(&r, -1);
	o = json_tokener_parse(text);
	assert_non_null(o);
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		assert_close(json_object_get_double(member(o, of[i].key)),
			     of[i].is, 1e-6);
	json_object_put(o);
	free(text);
	simrig_close(&r);
}

static void what_there_is_nothing_of_is_left_out(void **state)
{
	struct simrig r;
	char *text;

	(void)state;
	open_example(&r);
	text = summary_of(&r, -1);
	assert_contains(text, "\"rr_all\"");
	assert_contains(text, "\"ucore_high\"");
	assert_null(strstr(text, "rr_medium"));
	assert_null(strstr(text, "jobs_per_group"));
	assert_null(strstr(text, "multisite_jobs"));
	assert_null(strstr(text, "split_node_s"));
	assert_null(strstr(text, "delay_"));
	assert_null(strstr(text, "wall_seconds"));
	assert_null(strstr(text, "nan"));
	free(text);
	simrig_close(&r);
}

static void a_summary_without_memory(void **state)
{
	struct cs_metrics k = { 0 };
	struct cs_output_run run;
	struct simrig r;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int rc;

	(void)state;
	open_example(&r);
	run = test_run(&r);
	for (long n = 0; n < 3; n++) {
		cs_test_fail_after(n);
		rc = cs_output_jobs(f, &r.trace, &r.result);
		assert_int_equal(rc, cs_test_failed() ? -ENOMEM : 0);
	}
	assert_int_equal(cs_output_summary(f, &k, &run), 0);
	fclose(f);
	free(text);
	simrig_close(&r);
}

/* ---- files --------------------------------------------------------------- */

static char folder[64];

static const char *in_folder(const char *name)
{
	static char path[2][512];
	static int next;
	char *p = path[next++ % 2];

	snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
	return p;
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/cosched-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

/* How many files are there; with @clear they are not any more. */
static int files(bool clear)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	int n = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (*e->d_name == '.')
			continue;
		n++;
		if (clear)
			unlink(in_folder(e->d_name));
	}
	closedir(d);
	return n;
}

static int remove_folder(void **state)
{
	(void)state;
	files(true);
	return rmdir(folder);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void holds(const char *path, const char *want)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) < sizeof(text));
	fclose(f);
	assert_string_equal(text, want);
}

static void a_file_appears_whole(void **state)
{
	const char *path = in_folder("whole");
	struct cs_outfile o;
	struct cs_err err;

	(void)state;
	write_file(path, "old");
	assert_int_equal(cs_outfile_open(&o, path, &err), 0);
	fputs("new", o.file);
	fflush(o.file);
	holds(path, "old");
	assert_int_equal(cs_outfile_keep(&o, &err), 0);
	holds(path, "new");
	assert_int_equal(files(true), 1);
}

static void a_dropped_file_leaves_nothing(void **state)
{
	struct cs_outfile o = { 0 };
	struct cs_err err;

	(void)state;
	cs_outfile_drop(&o);
	assert_int_equal(cs_outfile_open(&o, in_folder("gone"), &err), 0);
	fputs("text", o.file);
	assert_int_equal(files(false), 1);
	cs_outfile_drop(&o);
	assert_int_equal(files(true), 0);
}

static void a_link_is_followed(void **state)
{
	struct cs_outfile o;
	struct cs_err err;
	struct stat st;

	(void)state;
	write_file(in_folder("real"), "old");
	assert_int_equal(symlink("real", in_folder("link")), 0);
	assert_int_equal(cs_outfile_open(&o, in_folder("link"), &err), 0);
	fputs("new", o.file);
	assert_int_equal(cs_outfile_keep(&o, &err), 0);
	holds(in_folder("real"), "new");
	assert_int_equal(lstat(in_folder("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(files(true), 2);
}

static void a_folder_that_is_not_there(void **state)
{
	struct cs_outfile o;
	struct cs_err err;

	(void)state;
	assert_int_equal(cs_outfile_open(&o, in_folder("no/file"), &err),
			 -ENOENT);
	assert_contains(err.text, "no/file': No such file");
	assert_int_equal(cs_outfile_open(&o, folder, &err), -EISDIR);
	assert_int_equal(files(true), 0);
}

static void a_full_disk(void **state)
{
	struct cs_outfile o;
	struct cs_err err;
	struct stat st;

	(void)state;
	if (stat("/dev/full", &st))
		skip();
	assert_int_equal(cs_outfile_open(&o, "/dev/full", &err), 0);
	fputs("text", o.file);
	assert_int_equal(cs_outfile_keep(&o, &err), -ENOSPC);
	assert_contains(err.text, "'/dev/full': No space left");
	assert_null(o.file);
}

static void no_memory_for_a_file(void **state)
{
	struct cs_outfile o;
	struct cs_err err;
	int rc;

	(void)state;
	for (long n = 0; n < 2; n++) {
		cs_test_fail_after(n);
		rc = cs_outfile_open(&o, in_folder("none"), &err);
		assert_true(cs_test_failed());
		assert_int_equal(rc, -ENOMEM);
		assert_int_equal(files(true), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_in_order_of_id),
		cmocka_unit_test(a_summary_is_one_object),
		cmocka_unit_test(a_summary_of_sites),
		cmocka_unit_test(what_there_is_nothing_of_is_left_out),
		cmocka_unit_test(a_summary_without_memory),
		cmocka_unit_test(a_file_appears_whole),
		cmocka_unit_test(a_dropped_file_leaves_nothing),
		cmocka_unit_test(a_link_is_followed),
		cmocka_unit_test(a_folder_that_is_not_there),
		cmocka_unit_test(a_full_disk),
		cmocka_unit_test(no_memory_for_a_file),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
