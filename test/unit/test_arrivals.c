/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs of earlier weeks, as arrivals of later ones. */
#define CS_TEST_ALLOC
#include "cs_test.h"
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/estimate/arrivals.h"

#define DAY (INT64_C(86400) * 1000000)
#define WEEK (7 * DAY)

static const struct cs_job_partition option = { .limit_max_us = 1 };

static int add(struct cs_arrivals *a, uint32_t id, int64_t at_us)
{
	char user[] = "alice"; /* the description is copied */
	const struct cs_job j = { .id = id,
				  .tasks = 1,
				  .user = user,
				  .procs = id,
				  .option = &option,
				  .n_option = 1 };
	int rc = cs_arrivals_add(a, &j, at_us);

	memset(user, 'x', 5);
	return rc;
}

/* The next arrival is @id at @at_us. */
static void assert_next(struct cs_arrivals_walk *w, uint32_t id, int64_t at_us)
{
	int64_t at;
	const struct cs_arrival *x = cs_arrivals_next(w, &at);

	assert_non_null(x);
	assert_int_equal(x->job.id, id);
	assert_string_equal(x->job.user, "alice");
	assert_int_equal(at, at_us);
	cs_arrivals_pass(w);
}

static void weeks_come_again_and_again(void **state)
{
	struct cs_arrivals *a = cs_arrivals_create(100);
	struct cs_arrivals_walk w;
	int64_t at;

	(void)state;
	w = cs_arrivals_begin(a, 0, 1);
	assert_null(cs_arrivals_next(&w, &at));
	assert_int_equal(cs_arrivals_weeks(a, WEEK), 0);
	assert_int_equal(add(a, 1, 0), 0);
	assert_int_equal(add(a, 2, 5 * DAY), 0);
	assert_int_equal(add(a, 3, 9 * DAY), 0);
	assert_int_equal(add(a, 4, 15 * DAY), 0);
	assert_int_equal(cs_arrivals_weeks(a, WEEK - 1), 0);
	assert_int_equal(cs_arrivals_weeks(a, 16 * DAY), 2);
	w = cs_arrivals_begin(a, 16 * DAY, 0);
	assert_null(cs_arrivals_next(&w, &at));
	w = cs_arrivals_begin(a, 16 * DAY, 1); /* from day 9 on, without it */
	for (int k = 1; k < 4; k++)
		assert_next(&w, 4, 15 * DAY + k * WEEK);
	w = cs_arrivals_begin(a, 16 * DAY, 2); /* from day 2 on */
	for (int k = 1; k < 4; k++) {
		assert_next(&w, 2, 5 * DAY + k * 2 * WEEK);
		assert_next(&w, 3, 9 * DAY + k * 2 * WEEK);
		assert_next(&w, 4, 15 * DAY + k * 2 * WEEK);
	}
	cs_arrivals_free(a);
}

static void runs_are_kept_with_the_last_job_of_an_id(void **state)
{
	struct cs_arrivals *a = cs_arrivals_create(100);
	struct cs_arrivals_walk w;
	int64_t at;

	(void)state;
	assert_int_equal(add(a, 1, 1), 0);
	cs_arrivals_ended(a, 1, 77);
	cs_arrivals_ended(a, 2, 78); /* of no job that is kept */
	assert_int_equal(add(a, 1, 2), 0);
	cs_arrivals_ended(a, 1, 0);
	w = cs_arrivals_begin(a, WEEK, 1);
	assert_int_equal(cs_arrivals_next(&w, &at)->ran_us, 77);
	cs_arrivals_pass(&w);
	assert_int_equal(cs_arrivals_next(&w, &at)->ran_us, 1);
	cs_arrivals_free(a);
}

/* Eight weeks, and @most jobs of them. */
static void what_is_old_goes(void **state)
{
	struct cs_arrivals *a = cs_arrivals_create(50);
	uint64_t seed = cs_test_seed();
	struct cs_arrivals_walk w;
	int64_t at, now = 0;
	uint32_t id = 0;

	(void)state;
	for (int round = 0; round < 400; round++) {
		/* slow, then fast */
		now += round < 200 ? WEEK / 4 : DAY / 24;
		assert_int_equal(add(a, ++id, now), 0);
		if (cs_test_draw(&seed, 2))
			cs_arrivals_ended(a, id, id);
		if (round == 199) { /* 32 in eight weeks */
			assert_int_equal(cs_arrivals_weeks(a, now), 8);
			w = cs_arrivals_begin(a, now, 8);
			assert_next(&w, id - 31, now + WEEK / 4);
		}
		if (round < 200 && round >= 32) {
			w = cs_arrivals_begin(a, now, 8);
			assert_int_equal(cs_arrivals_next(&w, &at)->job.id,
					 id - 31);
		}
	}
	assert_int_equal(cs_arrivals_weeks(a, now), 0); /* 50 hours */
	w = cs_arrivals_begin(a, now, 1);
	assert_next(&w, id - 49, now - 49 * DAY / 24 + WEEK);
	cs_arrivals_free(a);
}

static void without_memory_a_job_is_not_kept(void **state)
{
	(void)state;
	for (long n = 0; n < 60; n++) {
		struct cs_arrivals *a;
		uint32_t kept = 0;
		struct cs_arrivals_walk w;
		int64_t at;

		cs_test_fail_after(n);
		a = cs_arrivals_create(40);
		for (uint32_t id = 1; a && id <= 40; id++)
			kept += !add(a, id, id);
		assert_int_equal(kept, !a ? 0 : cs_test_failed() ? 39 : 40);
		if (!a)
			continue;
		w = cs_arrivals_begin(a, 41, 1);
		for (uint32_t k = 0; k < kept; k++) {
			assert_true(cs_arrivals_next(&w, &at)->job.id > k);
			cs_arrivals_pass(&w);
		}
		cs_arrivals_free(a);
	}
}

/* ---- lines ------------------------------------------------------------------ */

static char *saved(const struct cs_arrivals *a, const struct rig *r)
{
	struct cs_textbuf length = { 0 }, t = { 0 };

	cs_arrivals_save(a, r->engine, "", &length);
	t.size = length.len + 1;
	t.buf = malloc(t.size);
	assert_non_null(t.buf);
	cs_arrivals_save(a, r->engine, "", &t);
	assert_int_equal(cs_textbuf_end(&t), length.len);
	return t.buf;
}

/* How many lines of @text are refused, all with -EINVAL. */
static uint32_t restore(struct cs_arrivals *a, struct rig *r, int64_t now_us,
			const char *text)
{
	char *copy = strdup(text), *save = NULL;
	uint32_t bad = 0;

	assert_non_null(copy);
	for (char *l = strtok_r(copy, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		int rc = cs_arrivals_restore(a, r->engine, now_us, l);

		assert_true(cs_arrivals_is_line(l));
		assert_true(!rc || rc == -EINVAL);
		bad += rc != 0;
	}
	free(copy);
	return bad;
}

static uint32_t count(const char *text, const char *what)
{
	uint32_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* The engine's set of the nodes from @from on, every @step-th. */
static uint32_t some_nodes(struct rig *r, uint32_t from, uint32_t step)
{
	uint64_t set[8] = { 0 };
	int64_t number;

	for (uint32_t i = from; i < r->machine->n_node; i += step)
		set[i / 64] |= UINT64_C(1) << (i % 64);
	number = cs_engine_nodeset(r->engine, set);
	assert_true(number >= 0);
	return (uint32_t)number;
}

static uint32_t sets_of(const struct rig *r)
{
	uint32_t n = 0, words;

	while (cs_engine_nodeset_words(r->engine, n, &words))
		n++;
	return n;
}

/* A job with a value of its own in each member. */
static struct cs_job strange_job(struct rig *r, struct cs_job_partition *parts)
{
	parts[0] = (struct cs_job_partition){ .partition = 1,
					      .tier = 2,
					      .precedence = CS_PRECEDENCE_FIRST,
					      .priority = UINT64_MAX - 3,
					      .limit_max_us = 5,
					      .flags = CS_JOB_NO_SHARE,
					      .over_s = CS_OVER_ANY };
	parts[1] = parts[0];
	parts[0].nodeset = some_nodes(r, 1, 1);
	parts[1].nodeset = some_nodes(r, 0, 2);
	return (struct cs_job){ .id = UINT32_MAX,
				.array_id = 7,
				.tasks = 8,
				.flags = CS_JOB_ACROSS,
				.user = "alice",
				.partition = "p,q",
				.gpu_type = "a=100",
				.procs = 9,
				.cpus_per_proc = 10,
				.min_nodes = 11,
				.max_nodes = 12,
				.procs_per_node = 13,
				.base_procs = 14,
				.mem_node_mb = CS_MEM_ALL,
				.mem_cpu_mb = 15,
				.least_cpus = 16,
				.threads = 17,
				.mem_threads = 18,
				.gpus_node = 19,
				.gpus = 20,
				.gpu_share = 21,
				.warn_s = 22,
				.wishes = 23,
				.dist = CS_DIST_BLOCK,
				.across = 1.25,
				.share = 24,
				.nice = -25,
				.estimate_us = CS_TIME_NONE / 4,
				.option = parts,
				.n_option = 2 };
}

/* Into an engine that numbers its sets otherwise, and gets none by lines alone. */
static void lines_restore_each_member(void **state)
{
	struct cs_arrivals *a = cs_arrivals_create(10);
	struct cs_arrivals *b = cs_arrivals_create(10);
	struct cs_job_partition parts[2], gets[CS_ARRIVALS_OPTIONS];
	struct cs_arrivals_walk w;
	struct rig r, other;
	struct cs_job j, got;
	char *text, *again;
	uint32_t sets;
	int64_t at;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 8, 1, 4, 0);
	rig_open(&other, "policy=easy", NULL, 8, 1, 4, 0);
	some_nodes(&other, 3, 3);
	j = strange_job(&r, parts);
	assert_int_equal(cs_arrivals_add(a, &j, 100), 0);
	cs_arrivals_ended(a, j.id, 77);
	assert_int_equal(add(a, 3, 200), 0);
	text = saved(a, &r);
	sets = sets_of(&other);
	assert_int_equal(restore(b, &other, 200, text), 0);
	again = saved(b, &other);
	assert_int_equal(sets_of(&other), sets);
	assert_string_equal(again, text);
	free(again);
	w = cs_arrivals_begin(b, WEEK, 1);
	assert_int_equal(cs_arrivals_next(&w, &at)->ran_us, 77);
	assert_int_equal(cs_arrivals_options(b, cs_arrivals_next(&w, &at),
					     other.engine, gets),
			 0);
	assert_int_equal(sets_of(&other), sets + 2);
	got = cs_arrivals_next(&w, &at)->job;
	assert_int_equal(at, 100 + WEEK);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t set = gets[i].nodeset;

		assert_int_equal(set, i ? some_nodes(&other, 0, 2)
					: some_nodes(&other, 1, 1));
		assert_int_not_equal(set, parts[i].nodeset);
		parts[i].nodeset = set;
		assert_memory_equal(&gets[i], &parts[i], sizeof(*parts));
	}
	assert_string_equal(got.user, j.user);
	assert_string_equal(got.account, "");
	assert_string_equal(got.partition, j.partition);
	assert_string_equal(got.gpu_type, j.gpu_type);
	j.user = got.user;
	j.account = got.account;
	j.name = got.name;
	j.partition = got.partition;
	j.profile = got.profile;
	j.campaign = got.campaign;
	j.gpu_type = got.gpu_type;
	j.option = got.option;
	assert_memory_equal(&got, &j, sizeof(j));
	cs_arrivals_pass(&w);
	assert_next(&w, 3, 200 + WEEK);
	/* job 3 still runs: its end counts after the restart */
	cs_arrivals_ended(b, 3, 5);
	cs_arrivals_ended(a, 3, 5);
	again = saved(b, &other);
	free(text);
	text = saved(a, &r);
	assert_int_equal(count(again, "\n"), count(text, "\n"));
	assert_non_null(strstr(again, " 5 1 3 "));
	free(again);
	free(text);
	cs_arrivals_free(a);
	cs_arrivals_free(b);
	rig_close(&r);
	rig_close(&other);
}

static void another_machine_restores_no_jobs(void **state)
{
	struct cs_arrivals *a = cs_arrivals_create(10);
	struct cs_arrivals *b = cs_arrivals_create(10);
	struct cs_arrivals_walk w;
	struct rig r, other;
	char *text;
	int64_t at;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 8, 1, 4, 0);
	rig_open(&other, "policy=easy", NULL, 9, 1, 4, 0);
	assert_int_equal(add(a, 1, 100), 0);
	text = saved(a, &r);
	assert_int_equal(restore(b, &other, 100, text), 0);
	w = cs_arrivals_begin(b, 200, 1);
	assert_null(cs_arrivals_next(&w, &at));
	free(text);
	cs_arrivals_free(a);
	cs_arrivals_free(b);
	rig_close(&r);
	rig_close(&other);
}

/* The last CS_ARRIVALS_SAVED; no job of a reservation, with odd texts or sets. */
static void what_is_saved_has_bounds(void **state)
{
	uint32_t most = CS_ARRIVALS_SAVED + 10;
	struct cs_arrivals *a = cs_arrivals_create(most);
	struct cs_job_partition one = option;
	char longer[1000] = "";
	struct rig r;
	struct cs_job j;
	char *text;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 300, 1, 4, 0);
	memset(longer, 'x', sizeof(longer) - 1);
	for (uint32_t k = 0; k < 5; k++) {
		j = (struct cs_job){ .id = k + 1,
				     .reservation = k == 0,
				     .user = k == 1 ? "a b" : "",
				     .account = k == 2 ? longer : "",
				     .option = &one,
				     .n_option = 1 };
		one = option;
		one.reservation = k == 3;
		one.nodeset = k == 4 ? some_nodes(&r, 0, 2) : 0;
		assert_int_equal(cs_arrivals_add(a, &j, k), 0);
	}
	text = saved(a, &r);
	assert_string_equal(text, "");
	free(text);
	for (uint32_t id = 1; id <= most; id++)
		assert_int_equal(add(a, id, 100 + id), 0);
	text = saved(a, &r);
	assert_int_equal(count(text, "arrival "), CS_ARRIVALS_SAVED);
	assert_int_equal(count(text, "nodes "), 1);
	assert_null(strstr(text, "arrival 110 "));
	assert_non_null(strstr(text, "arrival 111 "));
	free(text);
	cs_arrivals_free(a);
	rig_close(&r);
}

static void a_name_that_does_not_fit_is_left_empty(void **state)
{
	static const char *const names[] = { "a", "a b", "\xff" };
	struct cs_arrivals *a = cs_arrivals_create(10);
	char longer[1000] = "";
	struct rig r;
	char *text;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 2, 1, 4, 0);
	memset(longer, 'x', sizeof(longer) - 1);
	for (uint32_t k = 0; k < 4; k++) {
		struct cs_job j = { .id = k + 1,
				    .procs = 1,
				    .user = "alice",
				    .name = k == 3 ? longer : names[k],
				    .partition = "p",
				    .option = &option,
				    .n_option = 1 };

		assert_int_equal(cs_arrivals_add(a, &j, k), 0);
	}
	text = saved(a, &r);
	assert_int_equal(count(text, " =alice = =a =p = = =\n"), 1);
	assert_int_equal(count(text, " =alice = = =p = = =\n"), 3);
	free(text);
	cs_arrivals_free(a);
	rig_close(&r);
}

/* Long lines of many jobs, each with a set of its own: the last jobs, in so many bytes. */
static void sets_count_in_what_is_saved(void **state)
{
	struct cs_arrivals *a = cs_arrivals_create(CS_ARRIVALS_SAVED);
	struct cs_job_partition one = option;
	char name[380] = "";
	struct rig r;
	char *text;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 200, 1, 4, 0);
	memset(name, 'x', sizeof(name) - 1);
	for (uint32_t id = 1; id <= CS_ARRIVALS_SAVED; id++) {
		struct cs_job j = { .id = id,
				    .procs = 1,
				    .name = name,
				    .option = &one,
				    .n_option = 1 };
		uint64_t set[4] = { 0x5555555555555555, 0x5555555555555555,
				    0x5555555555555555, 1 };

		if (id > CS_ARRIVALS_SAVED - 1000)
			set[0] ^= id;
		one.nodeset = (uint32_t)cs_engine_nodeset(r.engine, set);
		assert_int_equal(cs_arrivals_add(a, &j, id), 0);
	}
	text = saved(a, &r);
	assert_in_range(strlen(text), CS_ARRIVALS_BYTES - 2000,
			CS_ARRIVALS_BYTES);
	assert_in_range(count(text, "nodes "), 1000, 1001);
	free(text);
	cs_arrivals_free(a);
	rig_close(&r);
}

/* At most one job, which an engine could have had. */
static void assert_restored_in_range(const struct cs_arrivals *a, struct rig *r,
				     int64_t now_us)
{
	struct cs_arrivals_walk w = cs_arrivals_begin(a, now_us, 1);
	struct cs_job_partition parts[CS_ARRIVALS_OPTIONS];
	int64_t at;
	const struct cs_arrival *x = cs_arrivals_next(&w, &at);
	uint32_t words;

	if (!x)
		return;
	assert_true(x->at_us >= 0 && x->at_us <= now_us);
	assert_true(x->ran_us >= 0 && x->ran_us <= CS_TIME_NONE / 4);
	assert_true(x->job.id && x->job.procs);
	assert_true(x->job.dist <= CS_DIST_LAST);
	assert_true(x->job.estimate_us >= 0 &&
		    x->job.estimate_us <= CS_TIME_NONE / 4);
	assert_null(strchr(x->job.user, ' '));
	assert_in_range(x->job.n_option, 1, CS_ARRIVALS_OPTIONS);
	assert_int_equal(cs_arrivals_options(a, x, r->engine, parts), 0);
	for (uint32_t i = 0; i < x->job.n_option; i++) {
		const uint64_t *set = cs_engine_nodeset_words(
			r->engine, parts[i].nodeset, &words);

		assert_true(*set && *set >> r->machine->n_node == 0);
		assert_true(parts[i].limit_max_us >= 0);
	}
	cs_arrivals_pass(&w);
	assert_ptr_equal(cs_arrivals_next(&w, &at), x);
}

/* Each byte of the lines in turn is another one: what is then restored is in range, and
 * what is no line changes nothing. */
static void damaged_lines_restore_nothing_odd(void **state)
{
	static const char bytes[] = "0-9 =x\x7f";
	static const char *const lines[] = {
		"arrivals",
		"arrivals 8 8",
		"nodes",
		"nodes 0 1",
		"nodes 1024 1 2",
		"nodes 0 1 8",
		"nodes 0 -1 2",
		"nodes 0 2 1",
		"nodes 0 99999999999 99999999999",
		"arrival",
		"arrival 1 2 3",
		"arrival =alice = = = = = =",
		/* times: the runtime, the limit, the partition's */
		"arrival 150 2305843009213693952 1 7 0 1 0 4 1 1 0 0 4 0 0 0 0 0"
		" 0 0 0 0 0 0 0 0 6 0 0 0 0 0 0 6 0 0 =u = = = = = =",
		"arrival 150 1 1 7 0 1 0 4 1 1 0 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0"
		" 2305843009213693952 0 0 0 0 0 0 6 0 0 =u = = = = = =",
		"arrival 150 1 1 7 0 1 0 4 1 1 0 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0"
		" 9223372036854775807 0 0 0 0 0 0 6 0 0 =u = = = = = =",
		"arrival 150 1 1 7 0 1 0 4 1 1 0 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0 6"
		" 0 0 0 0 0 0 9223372036854775806 0 0 =u = = = = = =",
	};
	static const char good[] =
		"arrival 150 2305843009213693951 1 7 0 1 0 4 1 1 0 0 4 0 0 0 0 0"
		" 0 0 0 0 0 0 0 0 2305843009213693951 0 0 0 0 0 0 9223372036854775807 0 0 =u = = = = = =";
	struct cs_arrivals *a = cs_arrivals_create(10);
	struct cs_job_partition parts[2];
	struct rig r;
	struct cs_job j;
	char *text, *again;
	uint32_t refused = 0;

	(void)state;
	rig_open(&r, "policy=easy", NULL, 8, 1, 4, 0);
	j = strange_job(&r, parts);
	assert_int_equal(cs_arrivals_add(a, &j, 100), 0);
	text = saved(a, &r);
	/* a job before the machine and its sets; later than now; before the last one */
	assert_int_equal(
		cs_arrivals_restore(a, r.engine, 200, strstr(text, "arrival ")),
		-EINVAL);
	assert_int_equal(restore(a, &r, 200, "arrivals 8\nnodes 0 1 2"), 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (cs_arrivals_restore(a, r.engine, 200, lines[i]) != -EINVAL)
			fail_msg("\"%s\" is accepted", lines[i]);
	again = saved(a, &r);
	assert_string_equal(again, text);
	free(again);
	assert_int_equal(restore(a, &r, 200, good), 0);
	assert_int_equal(restore(a, &r, 99, text), 1);
	assert_int_equal(restore(a, &r, 200, text), 1);
	for (size_t at = 0; text[at]; at++) {
		char was = text[at];

		for (const char *c = bytes; was != '\n' && *c; c++) {
			struct cs_arrivals *b = cs_arrivals_create(10);
			char *copy = strdup(text), *save = NULL, *l;

			copy[at] = *c;
			for (l = strtok_r(copy, "\n", &save); l;
			     l = strtok_r(NULL, "\n", &save))
				refused += cs_arrivals_restore(b, r.engine, 200,
							       l) != 0;
			free(copy);
			assert_restored_in_range(b, &r, 200);
			cs_arrivals_free(b);
		}
	}
	assert_true(refused > 100);
	free(text);
	cs_arrivals_free(a);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weeks_come_again_and_again),
		cmocka_unit_test(runs_are_kept_with_the_last_job_of_an_id),
		cmocka_unit_test(what_is_old_goes),
		cmocka_unit_test(without_memory_a_job_is_not_kept),
		cmocka_unit_test(lines_restore_each_member),
		cmocka_unit_test(another_machine_restores_no_jobs),
		cmocka_unit_test(what_is_saved_has_bounds),
		cmocka_unit_test(a_name_that_does_not_fit_is_left_empty),
		cmocka_unit_test(sets_count_in_what_is_saved),
		cmocka_unit_test(damaged_lines_restore_nothing_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
