/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small random worlds: the event file of each keeps the rules of checker.c, which finds
 * files that break them. */
#include "cs_test.h"

#include <errno.h>

#include "procsim/checker.h"
#include "procsim/procsim.h"

static void set(struct cs_setting *s, const char *key, uint64_t value)
{
	char text[100];
	struct cs_err err;

	snprintf(text, sizeof(text), "%s=%llu", key, (unsigned long long)value);
	if (cs_setting_set(s, text, &err))
		fail_msg("%s", err.text);
}

static void choose(struct cs_setting *s, const char *text)
{
	assert_int_equal(cs_setting_set(s, text, NULL), 0);
}

/* Few nodes and short jobs; costs and quanta that meet each other in every order. */
static struct cs_setting small_world(uint64_t *seed)
{
	static const char *const choices[] = {
		"sizes=pow2",	       "arrivals=zero",
		"pattern=nn",	       "pattern=aa",
		"pending=unread",      "cnp=ready",
		"lowest=jobs",	       "lowest=all",
		"averages=sums",       "sender_wait=received",
		"lengths=uniform",     "communicates=peers",
		"quantum_scale=0.1",   "pending=awaited",
		"boost_until=quantum", "boost_over=spinning",
		"oracle=latest"
	};
	struct cs_setting s;
	uint64_t nodes = 2 + cs_test_draw(seed, 6);

	cs_setting_defaults(&s);
	set(&s, "nodes", nodes);
	set(&s, "size_max", 2 + cs_test_draw(seed, nodes - 1));
	set(&s, "mpl", 1 + cs_test_draw(seed, 5));
	set(&s, "jobs", 1 + cs_test_draw(seed, 8));
	set(&s, "skew", cs_test_draw(seed, 101));
	set(&s, "switch_us", cs_test_draw(seed, 100));
	set(&s, "interrupt_us", cs_test_draw(seed, 30));
	set(&s, "block_us", cs_test_draw(seed, 3) * 10);
	set(&s, "send_us", cs_test_draw(seed, 10));
	set(&s, "receive_us", cs_test_draw(seed, 10));
	set(&s, "interface_us", cs_test_draw(seed, 20));
	set(&s, "period_us", 100 + cs_test_draw(seed, 2000));
	set(&s, "gs_quantum_ms", 1 + cs_test_draw(seed, 20));
	set(&s, "start_level", cs_test_draw(seed, 60));
	set(&s, "horizon", 20);
	choose(&s, "time_scale=0.00001");
	choose(&s,
	       cs_test_draw(seed, 2) ? "starvation_s=1" : "starvation_s=0.01");
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++)
		if (!cs_test_draw(seed, 4))
			choose(&s, choices[i]);
	assert_int_equal(cs_setting_check(&s, NULL), 0);
	return s;
}

/* The event file of a world; free() it. */
static char *events_of(const struct cs_setting *s, const struct cs_scheme *c,
		       uint64_t seed, struct cs_procsim_result *r)
{
	static const char *const workloads[] = { "wl1", "wl2", "wl3", "wl4",
						 "wl5", "bt",  "mg",  "ft",
						 "is",	"cg",  "mix" };
	struct cs_mix_job *job =
		cs_mix_draw(s, workloads[seed % 11], "heavy", seed);
	size_t length;
	char *text;
	FILE *f = open_memstream(&text, &length);
	struct cs_procsim ask = {
		.set = s, .scheme = c, .job = job, .seed = seed, .events = f
	};

	assert_non_null(f);
	assert_non_null(job);
	assert_int_equal(cs_procsim_run(&ask, r, NULL), 0);
	assert_int_equal(fclose(f), 0);
	free(job);
	return text;
}

static int check(char *text, struct cs_err *err)
{
	FILE *f = fmemopen(text, strlen(text), "r");
	uint64_t lines;
	int rc;

	assert_non_null(f);
	rc = cs_checker_run(f, &lines, err);
	fclose(f);
	return rc;
}

static void random_worlds_keep_the_rules(void **state)
{
	uint64_t seed = cs_test_seed(), worlds = cs_test_worlds(1000);
	uint64_t capped = 0, n_scheme = 0;

	(void)state;
	while (cs_scheme_at((unsigned)n_scheme))
		n_scheme++;
	for (uint64_t i = 0; i < worlds; i++) {
		struct cs_setting s = small_world(&seed);
		const struct cs_scheme *c =
			cs_scheme_at((unsigned)(i % n_scheme));
		struct cs_procsim_result r;
		struct cs_err err;
		char *text = events_of(&s, c, i + 1, &r);

		if (check(text, &err))
			fail_msg("world %llu, %s: %s", (unsigned long long)i,
				 c->name, err.text);
		assert_true(r.capped || r.n_ended == (uint32_t)s.jobs);
		capped += r.capped;
		free(text);
	}
	print_message("%llu of %llu worlds reached their horizon\n",
		      (unsigned long long)capped, (unsigned long long)worlds);
	assert_true(capped * 2 < worlds);
}

/* One process after the other on a CPU, a message between two: good, and then broken. */
static const char good[] = "H 2 2 20 1000\n"
			   "J 0 0 2\n"
			   "P 0 0 0 0 0\n"
			   "P 0 1 0 1 1\n"
			   "R 0 0 0 59 20000000\n"
			   "R 0 1 1 59 20000000\n"
			   "S 10 0 1\n"
			   "O 12 0 0 p 19999990\n"
			   "R 15 0 0 59 19999990\n"
			   "A 30 1 0\n"
			   "G 35 1 0\n"
			   "O 40 0 0 e 19999970\n"
			   "E 40 0\n"
			   "O 40 1 1 e 19999960\n"
			   "E 40 1\n"
			   "F 40 0\n";

/* Replace the first @from in the good file by @to. */
static char *broken(const char *from, const char *to)
{
	const char *at = strstr(good, from);
	size_t room = strlen(good) + strlen(to) + 1;
	char *text = malloc(room);

	assert_non_null(at);
	assert_non_null(text);
	snprintf(text, room, "%.*s%s%s", (int)(at - good), good, to,
		 at + strlen(from));
	return text;
}

static void broken_files_are_found(void **state)
{
	static const struct {
		const char *from, *to, *said;
	} rules[] = {
		{ "", "", NULL },
		{ "H 2 2 20 1000\n", "", "no head" },
		{ "S 10", "S 9x", "no number" },
		{ "J 0 0 2", "J 0 0 2 3", "more than an event" },
		{ "J 0 0 2", "X 0 0 2", "no such event" },
		{ "S 10", "S -1", "time goes back" },
		{ "P 0 1 0 1 1", "P 0 1 0 1 0",
		  "two processes of a job on a node" },
		{ "P 0 1 0 1 1", "P 0 0 0 1 1",
		  "the process has started before" },
		{ "H 2 2", "H 2 1", NULL },
		{ "H 2 2", "H 2000 2", "a head out of range" },
		{ "P 0 1 0 1 1\n", "P 0 1 0 1 1\nP 0 2 0 2 1\n",
		  "two processes of a job" },
		{ "H 2 2 20 1000\nJ 0 0 2\n",
		  "H 2 1 20 1000\nJ 0 0 2\nJ 0 1 2\nP 0 2 1 0 0\n",
		  "more than mpl processes" },
		{ "R 0 1 1 59", "R 0 1 0 59", "no such process on the node" },
		{ "R 0 1 1 59", "R 0 0 0 59", "the CPU has another process" },
		{ "R 0 1 1 59", "R 0 1 1 60", "no such level" },
		{ "R 0 1 1 59 20000000", "R 0 1 1 59 20000001",
		  "no such quantum" },
		{ "R 0 1 1 59 20000000", "R 0 1 1 48 40000000",
		  "it used more than it had" },
		{ "R 15 0 0 59 19999990", "R 15 0 0 59 20000000",
		  "a new quantum after a preemption" },
		{ "O 12", "L 12 0 29 19999990\nO 12", NULL },
		{ "O 12 0 0 p 19999990\nR 15 0 0 59 19999990",
		  "L 12 0 29 19999990\nO 12 0 0 p 19999990\n"
		  "R 15 0 0 59 20000000",
		  "it used more than it had" },
		{ "O 12", "L 12 0 29 20000001\nO 12",
		  "a new quantum with another level" },
		{ "O 12", "L 12 0 60 19999990\nO 12", "no such level" },
		{ "R 15", "L 12 0 29 19999990\nR 15", "it has no CPU" },
		{ "O 12 0 0 p", "O 12 0 0 q", "the quantum is not used up" },
		{ "S 10 0 1", "S 10 0 0", "to nobody of the job" },
		{ "O 12 0 0 p 19999990\nR 15 0 0 59 19999990\n",
		  "O 12 0 0 p 19999990\nS 12 0 1\n", "sender does not run" },
		{ "A 30 1 0", "A 29 1 0", "arrives before the latency" },
		{ "A 30 1 0", "A 30 0 1", "was not sent" },
		{ "A 30 1 0\n", "", "has not arrived" },
		{ "G 35 1 0\n", "", "a message to it was not read" },
		{ "E 40 0\n", "", "have not ended" },
		{ "F 40 0\n", "", "the end, and a job has not ended" },
		{ "F 40 0\n", "C 40\n", NULL },
		{ "F 40 0\n", "C 40\nF 40 0\n", "after the cap" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		char *text = broken(rules[i].from, rules[i].to);
		struct cs_err err = { "" };
		int rc = check(text, &err);

		if (rc != (rules[i].said ? -EPROTO : 0))
			fail_msg("'%s' for '%s': %d %s", rules[i].to,
				 rules[i].from, rc, err.text);
		if (rules[i].said)
			assert_contains(err.text, rules[i].said);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_files_are_found),
		cmocka_unit_test(random_worlds_keep_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
