/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine learns from the runs of its jobs: in random worlds whose every step is
 * checked, and in simulations where jobs obey what nobody told it.
 */
#include "rig.h"
#include "simrig.h"

#include <errno.h>

#include "common/job/progress.h"
#include "common/learn/past.h"

#define USE "policy=cover,learn=use,learn_explore=0.2,learn_accounts=*"

/* ---- random worlds ------------------------------------------------------- */

static struct cs_lessons_now lessons(struct rig *r)
{
	struct cs_engine_stats st;

	cs_engine_stats(r->engine, &st);
	return st.learned;
}

static void add_random(struct rig *r, uint32_t id, uint64_t *seed)
{
	static const char *const users[] = { "ann", "\xff\n", NULL };
	static const char *const names[] = { "cfd", "a b", NULL };
	static const char *const of[] = { "a", "b", NULL, NULL, NULL, NULL };
	uint32_t procs[] = { 2, 8, 8, 16 };
	uint64_t name = cs_test_draw(seed, 3);
	struct cs_job j =
		rig_job(r, id, procs[cs_test_draw(seed, 4)],
			300 + 200 * (int64_t)name, of[cs_test_draw(seed, 6)]);

	j.user = users[cs_test_draw(seed, 3)];
	j.name = names[name];
	j.base_procs = cs_test_draw(seed, 2) ? 4 : 0;
	j.account = cs_test_draw(seed, 8) ? "physics" : NULL;
	rig_submit(r, &j);
}

/* Stop one, let one go on, or send one back. */
static void disturb(struct rig *r, uint64_t *seed, uint32_t *stopped)
{
	uint32_t id = rig_some_running(r, seed);

	if (*stopped) {
		struct cs_event ev = { .type = CS_EV_RESUME,
				       .job_id = *stopped };

		ev.t_us = r->now_us;
		if (!cs_engine_event(r->engine, &ev, NULL))
			*stopped = 0;
		return;
	}
	if (id && !rig_running(r, id).suspended) {
		rig_tell(r, (struct cs_event){ .type = CS_EV_SUSPEND,
					       .job_id = id });
		*stopped = id;
	}
}

/* The digest of what was decided. */
static uint64_t live(const char *params, uint64_t seed, int steps,
		     struct cs_lessons_now *ret)
{
	uint64_t before = rig_digest, digest;
	uint32_t stopped = 0;
	struct rig r;

	rig_digest = 1;
	rig_open(&r, params, rig_abc, 8, 2, 2, 0);
	for (int i = 0; i < steps; i++) {
		for (uint64_t n = cs_test_draw(&seed, 3); n; n--)
			add_random(&r, (uint32_t)(3 * i) + (uint32_t)n, &seed);
		r.now_us += (int64_t)cs_test_draw(&seed, 300) * RIG_S;
		if (!cs_test_draw(&seed, 6))
			disturb(&r, &seed, &stopped);
		rig_finish_due(&r, r.now_us);
		if (stopped && !rig_runs(&r, stopped))
			stopped = 0;
		rig_decide(&r);
	}
	if (ret)
		*ret = lessons(&r);
	rig_close(&r);
	digest = rig_digest;
	rig_digest = before;
	return digest;
}

static void random_worlds_keep_every_invariant(void **state)
{
	static const char *const params[] = {
		USE,
		USE ",spare=0,cover=0,cover_gain=0",
		USE ",jobs_per_node=4,max_slowdown=2",
		"policy=glts,learn=use,learn_explore=1,learn_accounts=physics",
		"policy=adaptive,learn=use,learn_explore=1,learn_accounts=*",
	};
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(10);
	uint64_t tried = 0, tables = 0;

	(void)state;
	for (uint64_t i = 0; i < worlds; i++) {
		struct cs_lessons_now now, again;
		const char *p = params[i % (sizeof(params) / sizeof(*params))];
		uint64_t digest = live(p, seed + i, 150, &now);

		assert_true(now.learning && now.told > 0);
		tried += now.tried;
		tables += now.tables;
		assert_int_equal(live(p, seed + i, 150, &again), digest);
		assert_int_equal(now.told, again.told);
		assert_int_equal(now.tried, again.tried);
		assert_int_equal(now.pairs, again.pairs);
	}
	assert_true(tried > worlds);
	assert_true(tables > worlds);
}

static void propose_changes_no_decision(void **state)
{
	static const char *const policy[] = {
		"cover", "glts", "adaptive", "easy", "pack",
	};
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		char off[128], propose[256];
		struct cs_lessons_now now;

		snprintf(off, sizeof(off), "policy=%s,learn=off",
			 policy[i % 5]);
		snprintf(propose, sizeof(propose),
			 "policy=%s,learn=propose,learn_explore=1,"
			 "learn_accounts=*",
			 policy[i % 5]);
		assert_int_equal(live(off, seed + i, 150, &now),
				 live(propose, seed + i, 150, NULL));
		assert_false(now.learning);
		live(propose, seed + i, 150, &now);
		assert_true(now.tables > 0);
		assert_int_equal(now.tried, 0);
	}
}

/* Jobs of one kind, one after another: so many as make its time alone known, and then
 * one that would be spread to see what comes of it. */
static void accounts_that_do_not_consent_are_not_tried(void **state)
{
	static const struct {
		const char *accounts;
		bool tried;
	} row[] = {
		{ "*", true },
		{ "physics", true },
		{ "chem+physics", true },
		{ "physics+chem", true },
		{ "physic", false },
		{ "physics2+chem", false },
		{ "none", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		char text[256];
		struct rig r;

		snprintf(text, sizeof(text),
			 "policy=cover,spare=0,learn=use,learn_explore=1,"
			 "learn_accounts=%s",
			 row[i].accounts);
		rig_open(&r, text, NULL, 8, 2, 2, 0);
		for (uint32_t id = 1; id < 20; id++) {
			rig_add(&r, id, 8, 3600, NULL);
			rig_decide(&r);
			rig_at(&r, 600 * id);
			rig_finish(&r, id);
		}
		assert_int_equal(lessons(&r).tried > 0, row[i].tried);
		rig_close(&r);
	}
}

/* What is kept makes an engine that knows as much. */
static char *kept(struct rig *r)
{
	size_t len = cs_engine_save(r->engine, NULL, 0);
	char *text = malloc(len + 1);

	assert_int_equal(cs_engine_save(r->engine, text, len + 1), len);
	return text;
}

static void it_outlives_a_restart(void **state)
{
	uint64_t seed = cs_test_seed();
	struct cs_lessons_now was, is;
	struct rig a, b;
	char *text, *save = NULL;

	(void)state;
	rig_open(&a, USE, NULL, 8, 2, 2, 0);
	for (int i = 0; i < 250; i++) {
		add_random(&a, (uint32_t)i + 1, &seed);
		a.now_us += 60 * RIG_S;
		rig_finish_due(&a, a.now_us);
		rig_decide(&a);
	}
	was = lessons(&a);
	assert_true(was.kinds > 0 && was.runs > 0);
	text = kept(&a);
	rig_open(&b, USE, NULL, 8, 2, 2, 0);
	b.now_us = a.now_us;
	for (char *l = strtok_r(text, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save))
		rig_tell(&b,
			 (struct cs_event){ .type = CS_EV_KEPT, .kept = l });
	is = lessons(&b);
	assert_int_equal(is.told, was.told);
	assert_int_equal(is.runs, was.runs);
	assert_true(is.kinds >= was.kinds);
	free(text);
	rig_close(&b);
	/* and a machine of other nodes begins anew */
	rig_open(&b, USE, NULL, 8, 2, 4, 0);
	text = kept(&a);
	*strchr(text, '\n') = '\0';
	assert_int_equal(cs_engine_event(b.engine,
					 &(struct cs_event){ .type = CS_EV_KEPT,
							     .kept = text },
					 NULL),
			 -ESTALE);
	free(text);
	rig_close(&a);
	rig_close(&b);
	/* learn=off asks for none of it */
	rig_open(&b, "policy=cover,learn=off", NULL, 8, 2, 2, 0);
	rig_tell(&b, (struct cs_event){ .type = CS_EV_KEPT,
					.kept = "learn anything" });
	rig_close(&b);
}

/* What is learned and not used decides nothing, so that what would start a job sooner can be
 * looked up in a copy without it. */
static void a_copy_does_without_what_only_is_proposed(void **state)
{
	uint64_t seed = cs_test_seed();
	struct cs_err err = { "" };
	struct rig r;

	(void)state;
	rig_open(&r, "policy=cover,learn=propose", rig_abc, 8, 2, 2, 0);
	for (uint32_t i = 0; i < 150; i++) {
		for (uint64_t n = cs_test_draw(&seed, 3); n; n--)
			add_random(&r, 3 * i + (uint32_t)n, &seed);
		r.now_us += (int64_t)cs_test_draw(&seed, 300) * RIG_S;
		rig_finish_due(&r, r.now_us);
		rig_decide(&r); /* as the copy does */
		if (!(i % 10))
			rig_twin(&r);
	}
	assert_true(lessons(&r).tables > 0);
	rig_close(&r);
	rig_open(&r, USE, NULL, 8, 2, 4, 0);
	assert_null(cs_engine_copy(r.engine, &err));
	assert_string_equal(err.text, "engine: learn=use cannot be copied, "
				      "expected off or propose");
	rig_close(&r);
}

/* A deleted node leaves a hole in the host's table, a node of one core to us: what was
 * learned is still about these nodes. */
static void a_hole_among_the_nodes_is_no_type_of_node(void **state)
{
	struct rig a, b;
	char *text;

	(void)state;
	rig_open(&a, USE, NULL, 8, 1, 2, 0);
	rig_large = 7;
	rig_open(&b, USE, NULL, 8, 1, 1, 0);
	text = kept(&a);
	*strchr(text, '\n') = '\0';
	rig_tell(&b, (struct cs_event){ .type = CS_EV_KEPT, .kept = text });
	free(text);
	rig_close(&a);
	rig_close(&b);
}

/* ---- rules 1 to 3 -------------------------------------------------------- */

static struct cs_kin add_named(struct rig *r, uint32_t id, const char *name,
			       const char *profile)
{
	struct cs_job j = rig_job(r, id, 8, 3600, profile);
	struct cs_kin k;

	j.name = name;
	cs_kin_make(&k, j.user, name, j.partition, 8, j.estimate_us);
	rig_submit(r, &j);
	rig_decide(r);
	return k;
}

/*
 * 1 is spread and alone for 100 s, beside 2 for 70 s, stopped for 1000 s, and alone
 * again for 30 s; 3 has full nodes for itself; 4 is ended by its limit.
 */
static void who_was_beside_whom_for_how_long(void **state)
{
	struct rig r;
	struct cs_kin one, two, three;
	char *text, line[256];

	(void)state;
	rig_open(
		&r, "policy=cover,spare=0,learn=propose",
		"{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,\"2\":1,"
		"\"4\":1.2}}},\"pairs\":[{\"of\":\"a\",\"beside\":\"a\","
		"\"slowdown\":1.01}]}",
		4, 2, 2, 0);
	one = add_named(&r, 1, "one", "a");
	rig_at(&r, 100);
	two = add_named(&r, 2, "two", "a");
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3 2:1,3 3:1,3");
	rig_at(&r, 170);
	rig_finish(&r, 2);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_SUSPEND, .job_id = 1 });
	rig_at(&r, 1170);
	rig_tell(&r, (struct cs_event){ .type = CS_EV_RESUME, .job_id = 1 });
	rig_at(&r, 1200);
	rig_finish(&r, 1);
	three = add_named(&r, 3, "three", NULL);
	rig_at(&r, 1300);
	rig_finish(&r, 3);
	add_named(&r, 4, "four", NULL);
	rig_at(&r, 1300 + 4932); /* 1.37 of its estimate */
	rig_finish(&r, 4);
	text = kept(&r);
	snprintf(line, sizeof(line),
		 "learn run %llx %llx %llx 1200000000 200000000 2 1 130000000 "
		 "%llx 70000000\n",
		 (unsigned long long)one.kind, (unsigned long long)one.group[0],
		 (unsigned long long)one.group[1],
		 (unsigned long long)two.kind);
	assert_contains(text, line);
	snprintf(line, sizeof(line),
		 "learn run %llx %llx %llx 170000000 "
		 "70000000 1 %llx 70000000\n",
		 (unsigned long long)two.kind, (unsigned long long)two.group[0],
		 (unsigned long long)two.group[1],
		 (unsigned long long)one.kind);
	assert_contains(text, line);
	assert_contains(text, "alice/three\n");
	snprintf(line, sizeof(line),
		 "learn group %llx %llx %llx 1300000000 1 1300000000 "
		 "100000000\n",
		 (unsigned long long)three.group[1],
		 (unsigned long long)three.kind,
		 (unsigned long long)three.user);
	assert_contains(text, line);
	assert_null(strstr(text, "alice/four"));
	free(text);
	rig_close(&r);
}

/* 1 loses a node after 100 of 200 s: that measures nothing.  2 begins 50 s after its start,
 * and runs for 100 s, also by the record that a restart finds. */
static void
a_resized_run_tells_nothing_and_one_counts_from_its_begin(void **state)
{
	struct rig r;
	struct cs_alloc *a;
	struct cs_kin two;
	char *text, line[256];

	(void)state;
	rig_open(&r, "policy=cover,spare=0,learn=propose", NULL, 4, 2, 2, 0);
	add_named(&r, 1, "one", NULL);
	rig_at(&r, 100);
	a = cs_alloc_copy(rig_running(&r, 1).alloc);
	a->n_node--;
	rig_tell(&r,
		 (struct cs_event){ .type = CS_EV_RESIZE, .resize = { 1, a } });
	cs_alloc_free(a);
	text = kept(&r);
	assert_null(strstr(text, "learn job 1 "));
	free(text);
	rig_at(&r, 200);
	rig_finish(&r, 1);
	two = add_named(&r, 2, "two", NULL);
	rig_at(&r, 260);
	rig_tell(&r,
		 (struct cs_event){ .type = CS_EV_BEGIN,
				    .begin = { 2, 200 * RIG_S, 250 * RIG_S } });
	rig_at(&r, 350);
	text = kept(&r);
	assert_contains(text, "learn job 2 200000000 ");
	free(text);
	rig_finish(&r, 2);
	text = kept(&r);
	assert_null(strstr(text, "alice/one"));
	snprintf(line, sizeof(line),
		 "learn group %llx %llx %llx 350000000 1 350000000 "
		 "100000000\n",
		 (unsigned long long)two.group[1], (unsigned long long)two.kind,
		 (unsigned long long)two.user);
	assert_contains(text, line);
	free(text);
	rig_close(&r);
}

/* A job that a slice has let go on does not run before the host has done so. */
static void a_resume_that_was_only_asked_for_is_no_run(void **state)
{
	struct cs_ejob j = { .state = CS_RUNNING, .at_us = 100, .ran_us = 7 };

	(void)state;
	assert_int_equal(cs_progress_ran_us(&j, 160), 67);
	assert_int_equal(cs_progress_ran_us(&j, 90), 7);
	j.seq = 3;
	assert_int_equal(cs_progress_ran_us(&j, 160), 7);
	j.seq = 0;
	j.state = CS_SUSPENDED;
	assert_int_equal(cs_progress_ran_us(&j, 160), 7);
}

/* 1 is spread, beside 2 for 70 s, which then fails, and ends well; 3, alone, fails. */
static void who_fails_teaches_nothing_of_itself(void **state)
{
	struct cs_event end = { .type = CS_EV_FINISH, .failed = true };
	struct cs_lessons_now now;
	struct cs_kin one, two;
	char *text, line[256];
	struct rig r;

	(void)state;
	rig_open(
		&r, "policy=cover,spare=0,learn=propose",
		"{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,\"2\":1,"
		"\"4\":1.2}}},\"pairs\":[{\"of\":\"a\",\"beside\":\"a\","
		"\"slowdown\":1.01}]}",
		4, 2, 2, 0);
	one = add_named(&r, 1, "one", "a");
	two = add_named(&r, 2, "two", "a");
	assert_string_equal(rig_where(&r, 2), "0:1,3 1:1,3 2:1,3 3:1,3");
	rig_at(&r, 70);
	end.job_id = 2;
	rig_tell(&r, end);
	rig_at(&r, 100);
	rig_finish(&r, 1);
	add_named(&r, 3, "three", NULL);
	rig_at(&r, 200);
	end.job_id = 3;
	rig_tell(&r, end);
	text = kept(&r);
	now = lessons(&r);
	assert_int_equal(now.told, 1);
	snprintf(line, sizeof(line),
		 "learn run %llx %llx %llx 100000000 100000000 2 %llx "
		 "70000000 1 30000000\n",
		 (unsigned long long)one.kind, (unsigned long long)one.group[0],
		 (unsigned long long)one.group[1],
		 (unsigned long long)two.kind);
	assert_contains(text, line);
	assert_null(strstr(text, "alice/two"));
	assert_null(strstr(text, "alice/three"));
	free(text);
	rig_close(&r);
}

/* 1 runs beside 2 over a restart, which 3 does not outlive: it is another job then. */
static void what_running_jobs_have_to_tell_outlives_it(void **state)
{
	static const char profiles[] =
		"{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,\"2\":1,"
		"\"4\":1.2}}},\"pairs\":[{\"of\":\"a\",\"beside\":\"a\","
		"\"slowdown\":1.01}]}";
	/* of two parts; what they add up to is at most what it ran */
	static const char two_parts[] = "learn job 9 0 5 100 1 2 7 60 8 40";
	static const char *const bad[] = {
		"learn job 1 0 5 10 1 1",
		"learn job 0 0 5 10 1 0",
		"learn job 1 0 5 10 1 1 1 11",
		"learn job 1 0 5 nan 1 0",
		"learn job 1 0 5 10 1 7",
		"learn job 1 0 5 10 1 0 ",
		"learn job 4294967296 0 5 10 1 0",
		"learn job 9 0 5 100 1 2 7 60 8 41",
	};
	struct cs_kin one, two;
	struct rig a, b;
	char *text, *save = NULL, line[256];

	(void)state;
	rig_open(&a, "policy=cover,spare=0,learn=propose", profiles, 4, 2, 2,
		 0);
	one = add_named(&a, 1, "one", "a");
	rig_at(&a, 100);
	two = add_named(&a, 2, "two", "a");
	rig_at(&a, 150);
	text = kept(&a);
	rig_open(&b, "policy=cover,spare=0,learn=propose", profiles, 4, 2, 2,
		 0);
	b.now_us = a.now_us;
	for (char *l = strtok_r(text, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save))
		rig_tell(&b,
			 (struct cs_event){ .type = CS_EV_KEPT, .kept = l });
	rig_tell(&b,
		 (struct cs_event){ .type = CS_EV_KEPT, .kept = two_parts });
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(
			cs_engine_event(b.engine,
					&(struct cs_event){ .type = CS_EV_KEPT,
							    .t_us = b.now_us,
							    .kept = bad[i] },
					NULL),
			-EINVAL);
	free(text);
	for (uint32_t id = 1; id < 3; id++) {
		struct cs_running was = rig_running(&a, id);
		struct cs_job j = rig_job(&b, id, 8, 3600, "a");

		j.name = id == 1 ? "one" : "other";
		rig_submit(&b, &j);
		rig_tell(&b,
			 (struct cs_event){ .type = CS_EV_STARTED,
					    .start = &(struct cs_started){
						    .job_id = id,
						    .start_us = was.start_us,
						    .limit_us = was.limit_us,
						    .alloc = was.alloc } });
	}
	b.now_us += 50 * RIG_S;
	rig_finish(&b, 1);
	rig_finish(&b, 2);
	text = kept(&b);
	assert_contains(text, "alice/one\n");
	assert_null(strstr(text, "alice/other"));
	/* 100 s alone, 50 s beside 2, and 50 s beside one of another name */
	snprintf(line, sizeof(line),
		 " 200000000 200000000 3 1 100000000 %llx "
		 "50000000 ",
		 (unsigned long long)two.kind);
	assert_contains(text, line);
	snprintf(line, sizeof(line), "learn run %llx ",
		 (unsigned long long)one.kind);
	assert_contains(text, line);
	free(text);
	rig_close(&a);
	rig_close(&b);
}

/* @id, which runs in @a, is found in @b @ago_s after its start. */
static void find(struct rig *b, struct rig *a, uint32_t id, int64_t ago_s)
{
	struct cs_running was = rig_running(a, id);
	struct cs_job j = rig_job(b, id, 8, 3600, NULL);

	j.name = id == 1 ? "one" : "two";
	rig_submit(b, &j);
	rig_tell(b, (struct cs_event){
			    .type = CS_EV_STARTED,
			    .start = &(struct cs_started){
				    .job_id = id,
				    .start_us = b->now_us - ago_s * RIG_S,
				    .limit_us = was.limit_us,
				    .alloc = was.alloc } });
}

/*
 * As a host finds what it did not start: 1, which has run for 8 s, and beside it 2, for
 * 4 s, were beside each other all the time; with 11 s one of 1's is unknown, so all is.
 */
static void who_is_found_soon_counts_from_his_start(void **state)
{
	(void)state;
	for (int64_t ago_s = 8; ago_s <= 11; ago_s += 3) {
		struct cs_kin one, two;
		char *text, line[256];
		struct rig a, b;

		rig_open(
			&a, "policy=cover,spare=0,learn=propose",
			"{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,"
			"\"2\":1,\"4\":1.2}}},\"pairs\":[{\"of\":\"a\","
			"\"beside\":\"a\",\"slowdown\":1.01}]}",
			4, 2, 2, 0);
		one = add_named(&a, 1, "one", "a");
		two = add_named(&a, 2, "two", "a");
		rig_open(&b, "policy=cover,learn=propose", NULL, 4, 2, 2, 0);
		b.now_us = 1000 * RIG_S;
		find(&b, &a, 1, ago_s);
		find(&b, &a, 2, 4);
		b.now_us += 96 * RIG_S;
		rig_finish(&b, 1);
		rig_finish(&b, 2);
		text = kept(&b);
		snprintf(line, sizeof(line),
			 " 1096000000 104000000 1 %llx 104000000\n",
			 (unsigned long long)two.kind);
		assert_int_equal(strstr(text, line) != NULL, ago_s == 8);
		assert_int_equal(strstr(text, "alice/one") != NULL, ago_s == 8);
		snprintf(line, sizeof(line),
			 " 1096000000 100000000 1 %llx 100000000\n",
			 (unsigned long long)one.kind);
		assert_contains(text, line);
		free(text);
		rig_close(&a);
		rig_close(&b);
	}
}

/* ---- what is said of it -------------------------------------------------- */

enum { NAMES = 8 };

static struct cs_kin named(int i)
{
	char name[] = "n0";
	struct cs_kin k;

	name[1] = (char)('0' + i);
	cs_kin_make(&k, "alice", name, "main", 8, 3600 * RIG_S);
	return k;
}

static void ended(struct cs_past *p, int of, int beside, int64_t ran_us)
{
	struct cs_kin k = named(of);
	struct cs_ended r = {
		.kin = &k, .t_us = RIG_S, .ran_us = ran_us, .n_part = 1
	};

	r.part[0].beside = beside < 0 ? CS_BESIDE_FULL : named(beside).kind;
	r.part[0].us = ran_us;
	assert_true(cs_past_ended(p, &r));
}

/* Kinds that met all others twice, .9 of the time alone each, told as state. */
static void know(struct rig *r, uint64_t machine)
{
	struct cs_past *p = cs_past_create(machine, 90 * 86400 * RIG_S);
	struct cs_textbuf t = { 0 };
	char *text, *save = NULL;

	for (int a = 0; a < NAMES; a++)
		for (int i = 0; i < 3; i++)
			ended(p, a, -1, 1000 * RIG_S + i);
	for (int a = 0; a < NAMES; a++)
		for (int b = 0; b < NAMES; b++)
			for (int i = 0; i < 2; i++)
				ended(p, a, b, 900 * RIG_S + i);
	cs_past_write(p, &t);
	text = malloc(t.len + 1);
	t = (struct cs_textbuf){ text, t.len + 1, 0 };
	cs_past_write(p, &t);
	cs_textbuf_end(&t);
	for (char *l = strtok_r(text, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save))
		rig_tell(r, (struct cs_event){ .type = CS_EV_KEPT, .kept = l });
	free(text);
	cs_past_free(p);
}

/* The number that the engine gives its machine. */
static uint64_t machine_of(struct rig *r)
{
	char *text = kept(r);
	unsigned long long machine;

	assert_int_equal(sscanf(text, "learn first 1 %llx", &machine), 1);
	free(text);
	return machine;
}

static void explain_has_the_bound(void **state)
{
	static const char *const mode[] = { "use", "propose" };
	char params[64], text[8192];
	struct rig r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(params, sizeof(params), "policy=cover,learn=%s",
			 mode[i]);
		rig_open(&r, params, NULL, 4, 2, 2, 0);
		know(&r, machine_of(&r));
		add_named(&r, 1, "n1", NULL);
		rig_tell(&r,
			 (struct cs_event){ .type = CS_EV_NODE,
					    .node = { 2, false, NULL, "x" } });
		add_named(&r, 2, "n2", NULL);
		cs_explain(r.engine, 2, NULL, text, sizeof(text));
		if (i) {
			assert_contains(text, "shares with no job: it has no "
					      "profile");
		} else {
			assert_contains(text, "; learned: at most ");
			assert_contains(text, " (2 runs), its ");
			assert_contains(text, " (2 runs), with 95 %");
		}
		add_named(&r, 3, "strange", NULL);
		cs_explain(r.engine, 3, NULL, text, sizeof(text));
		assert_contains(text, "shares with no job: it has no profile");
		assert_int_equal(!!strstr(text, "too few of its runs are known "
						"yet"),
				 !i);
		rig_close(&r);
	}
}

/* Both come at once: do they start on the same nodes? */
static bool beside(struct rig *r, uint32_t id, const char *one, const char *two)
{
	struct cs_job a = rig_job(r, id, 8, 3600, NULL);
	struct cs_job b = rig_job(r, id + 1, 8, 3600, NULL);
	char where[128];

	a.name = one;
	b.name = two;
	rig_submit(r, &a);
	rig_submit(r, &b);
	rig_decide(r);
	snprintf(where, sizeof(where), "%s", rig_where(r, id));
	assert_true(where[0] && rig_where(r, id + 1)[0]);
	return where[0] == rig_where(r, id + 1)[0];
}

/*
 * 1 and 2 are admitted beside each other and take 1.6 of their time alone.  It is noticed
 * at once, and from then on the pair is refused, also after a restart; others are not.
 */
static void a_broken_promise_is_noticed_at_once(void **state)
{
	struct cs_lessons_now was;
	char *text, *save = NULL, said[256];
	struct rig a, b;

	(void)state;
	rig_open(&a, "policy=cover,spare=0,learn=use", NULL, 4, 2, 2, 0);
	know(&a, machine_of(&a));
	was = lessons(&a);
	assert_true(was.pairs > 1);
	assert_int_equal(cs_engine_broken(a.engine, said, 256), -ENOENT);
	assert_true(beside(&a, 1, "n1", "n2"));
	rig_at(&a, a.now_us / RIG_S + 1600);
	rig_finish(&a, 1);
	assert_int_equal(lessons(&a).broken, 1);
	assert_int_equal(lessons(&a).tables, was.tables);
	assert_int_equal(lessons(&a).pairs, was.pairs - 1);
	assert_true(cs_engine_broken(a.engine, said, 256) > 0);
	assert_contains(said, "alice/n1 beside alice/n2 took 1.");
	rig_finish(&a, 2); /* refused by now: nothing was promised */
	assert_int_equal(lessons(&a).broken, 1);
	text = kept(&a);
	rig_open(&b, "policy=cover,spare=0,learn=use", NULL, 4, 2, 2, 0);
	for (char *l = strtok_r(text, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save))
		rig_tell(&b,
			 (struct cs_event){ .type = CS_EV_KEPT, .kept = l });
	assert_int_equal(lessons(&b).broken, 1);
	for (int i = 0; i < 2; i++) {
		struct rig *r = i ? &b : &a;

		assert_false(beside(r, 11, "n1", "n2"));
		rig_finish(r, 11);
		rig_finish(r, 12);
		assert_true(beside(r, 13, "n1", "n3"));
		rig_close(r);
	}
	free(text);
}

/* ---- what jobs obey and nobody told -------------------------------------- */

enum { KINDS = 5, JOBS = 1500 };

/* Kinds 0 to 3 do well beside each other, 4 harms all. */
static const char *truth_text(char *text, size_t size)
{
	struct cs_textbuf t = { text, size, 0 };
	const char *comma = "";

	cs_textbuf_print(&t, "{\"version\":1,\"profiles\":{");
	for (int i = 0; i < KINDS; i++)
		cs_textbuf_print(&t,
				 "%s\"k%d\":{\"self\":{\"1\":1,\"2\":1,"
				 "\"4\":1.25}}",
				 i ? "," : "", i);
	cs_textbuf_print(&t, "},\"pairs\":[");
	for (int i = 0; i < KINDS; i++)
		for (int k = 0; k < KINDS; k++, comma = ",")
			cs_textbuf_print(&t,
					 "%s{\"of\":\"k%d\",\"beside\":\"k%d\","
					 "\"slowdown\":%.2f}",
					 comma, i, k, k == 4 ? 1.6 : 1.02);
	cs_textbuf_print(&t, "],\"rules\":[");
	for (int i = 0; i < KINDS; i++)
		cs_textbuf_print(&t, "%s{\"name\":\"e%d\",\"profile\":\"k%d\"}",
				 i ? "," : "", i, i);
	cs_textbuf_print(&t, "]}");
	assert_true(cs_textbuf_end(&t) < size);
	return text;
}

static void add_jobs(struct simrig *r, uint64_t seed)
{
	double submit = 0;

	for (uint32_t i = 0; i < JOBS; i++) {
		int exe = (int)cs_test_draw(&seed, KINDS);

		submit += cs_test_unit(&seed) * 330;
		simrig_add(r, i + 1, submit, 4u << cs_test_draw(&seed, 2),
			   400 + 100 * exe,
			   (400 + 100 * exe) * (1 + 3 * cs_test_unit(&seed)),
			   exe);
	}
}

static struct cs_metrics simulate(const char *params, uint64_t seed)
{
	char truth[4096];
	struct cs_profiles *p = NULL;
	struct cs_metrics k;
	struct cs_err err;
	struct simrig r;

	truth_text(truth, sizeof(truth));
	assert_int_equal(
		cs_profiles_read(&p, truth, strlen(truth), "truth", &err), 0);
	simrig_open(&r, "8x2x2", params, NULL);
	add_jobs(&r, seed);
	r.options.truth = p;
	r.options.truth_noise = .02;
	simrig_run_checked(&r);
	assert_int_equal(
		cs_metrics(&k, &r.trace, &r.result, r.machine, &r.params), 0);
	simrig_close(&r);
	cs_profiles_free(p);
	return k;
}

#define SIM "policy=cover,unprofiled=pack,share_min_s=0"

static void pairs_are_found_and_who_harms_is_kept_apart(void **state)
{
	uint64_t seed = cs_test_seed();
	struct cs_metrics off = simulate(SIM, seed);
	struct cs_metrics use = simulate(SIM ",learn=use", seed);
	struct cs_metrics none =
		simulate(SIM ",learn=use,learn_explore=0", seed);

	(void)state;
	assert_int_equal(off.shared_jobs, 0);
	assert_int_equal(none.shared_jobs, 0);
	assert_int_equal(none.learned.tried, 0);
	assert_true(use.learned.pairs > 10);
	assert_true(use.shared_jobs > JOBS / 20);
	/* who was slowed too much was so in a trial */
	assert_true(use.promise_broken <= use.learned.tried);
	assert_true(use.promise_broken * 4 < use.shared_jobs);
	assert_true(use.learned.tried < JOBS / 5);
	assert_true(use.mean_response < off.mean_response);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_worlds_keep_every_invariant),
		cmocka_unit_test(propose_changes_no_decision),
		cmocka_unit_test(accounts_that_do_not_consent_are_not_tried),
		cmocka_unit_test(it_outlives_a_restart),
		cmocka_unit_test(a_copy_does_without_what_only_is_proposed),
		cmocka_unit_test(a_hole_among_the_nodes_is_no_type_of_node),
		cmocka_unit_test(a_resume_that_was_only_asked_for_is_no_run),
		cmocka_unit_test(who_was_beside_whom_for_how_long),
		cmocka_unit_test(
			a_resized_run_tells_nothing_and_one_counts_from_its_begin),
		cmocka_unit_test(who_is_found_soon_counts_from_his_start),
		cmocka_unit_test(who_fails_teaches_nothing_of_itself),
		cmocka_unit_test(what_running_jobs_have_to_tell_outlives_it),
		cmocka_unit_test(explain_has_the_bound),
		cmocka_unit_test(a_broken_promise_is_noticed_at_once),
		cmocka_unit_test(pairs_are_found_and_who_harms_is_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
