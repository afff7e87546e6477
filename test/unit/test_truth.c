/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulations in which jobs obey other slowdowns than the policies believe in.
 */
#define CS_TEST_ALLOC
#include "simrig.h"

#include <errno.h>
#include <math.h>

#include "sim/truth.h"

enum { KINDS = 4, JOBS = 80 };

/* What a file of profiles says, and its text. */
struct world {
	double self2[KINDS], self4[KINDS], pair[KINDS][KINDS];
	char text[4096];
};

/* Kinds a, b, c, d for executables 0 to 3, and e4 of no profile.  Where @holes,
 * some pairs are not known. */
static void draw_world(struct world *w, uint64_t *seed, double worst,
		       bool holes)
{
	size_t n = 0, size = sizeof(w->text);
	const char *comma = "";

	n += (size_t)snprintf(w->text + n, size - n,
			      "{\"version\":1,\"profiles\":{");
	for (int i = 0; i < KINDS; i++) {
		w->self2[i] = 1 + cs_test_unit(seed) / 8;
		w->self4[i] = w->self2[i] + cs_test_unit(seed);
		n += (size_t)snprintf(w->text + n, size - n,
				      "%s\"%c\":{\"self\":{\"1\":1,\"2\":%.17g,"
				      "\"4\":%.17g},\"waits\":%.17g}",
				      i ? "," : "", 'a' + i, w->self2[i],
				      w->self4[i],
				      i < 2 ? cs_test_unit(seed) : 0);
	}
	n += (size_t)snprintf(w->text + n, size - n, "},\"pairs\":[");
	for (int i = 0; i < KINDS; i++)
		for (int k = 0; k < KINDS; k++) {
			w->pair[i][k] = .95 + worst * cs_test_unit(seed);
			if (holes && !cs_test_draw(seed, 4))
				continue;
			n += (size_t)snprintf(
				w->text + n, size - n,
				"%s{\"of\":\"%c\",\"beside\":\"%c\","
				"\"slowdown\":%.17g}",
				comma, 'a' + i, 'a' + k, w->pair[i][k]);
			comma = ",";
		}
	n += (size_t)snprintf(w->text + n, size - n, "],\"rules\":[");
	for (int i = 0; i < KINDS; i++)
		n += (size_t)snprintf(w->text + n, size - n,
				      "%s{\"name\":\"e%d\",\"profile\":\"%c\"}",
				      i ? "," : "", i, 'a' + i);
	n += (size_t)snprintf(w->text + n, size - n, "]}");
	assert_true(n < size);
}

static struct cs_profiles *profiles(const char *text)
{
	struct cs_profiles *p = NULL;
	struct cs_err err = { "" };

	if (cs_profiles_read(&p, text, strlen(text), "truth", &err))
		fail_msg("%s", err.text);
	return p;
}

static void random_trace(struct simrig *r, uint64_t *seed, int kinds)
{
	double submit = 0;

	for (uint32_t i = 0; i < JOBS; i++) {
		double run = 1 + cs_test_unit(seed) * 400;

		if (!cs_test_draw(seed, 10))
			run *= 30;
		submit += cs_test_draw(seed, 3) ? 0 : cs_test_unit(seed) * 200;
		simrig_add(r, i + 1, submit,
			   1 + (uint32_t)cs_test_draw(seed, 12), run,
			   run * (1 + cs_test_unit(seed) * 2),
			   (int)cs_test_draw(seed, (uint64_t)kinds));
	}
}

static struct cs_metrics figures(const struct simrig *r)
{
	struct cs_metrics k;

	assert_int_equal(
		cs_metrics(&k, &r->trace, &r->result, r->machine, &r->params),
		0);
	return k;
}

/* ---- the same file is no other world ------------------------------------- */

static const char *const POLICY[] = {
	"policy=easy,layout=dense",
	"policy=pack",
	"policy=cst,share_min_s=0",
	"policy=cstws,share_min_s=0,unknown_pair=1.1",
	"policy=glts,share_min_s=0",
	"policy=glts+,share_min_s=0,jobs_per_node=3",
	"policy=adaptive,share_min_s=0",
	"policy=adaptive,layout=auto,unprofiled=pack,share_min_s=0",
	"policy=pect",
	"policy=glts,slice=pect,share_min_s=0,class_short_s=60,"
	"class_medium_s=600,slice_cycle_s=300,slice_short_s=60,slice_overhead_s=5",
	"policy=ostrich",
	"policy=cover,mpl=3,max_slowdown=2,cover_gain=0,share_min_s=0",
};

static void log_of(struct simrig *r, char **ret_text)
{
	size_t len;

	r->options.events = open_memstream(ret_text, &len);
	simrig_run(r);
	fclose(r->options.events);
	r->options.events = NULL;
}

static void truth_that_is_believed_changes_nothing(void **state)
{
	uint64_t seed = cs_test_seed(), rounds = cs_test_worlds(66);
	uint64_t shared = 0;

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		const char *policy =
			POLICY[round % (sizeof(POLICY) / sizeof(*POLICY))];
		bool believed = cs_test_draw(&seed, 2);
		struct cs_sim_result plain;
		char *text, *other;
		struct world w;
		struct simrig r;

		draw_world(&w, &seed, .4, round % 2);
		simrig_open(&r, "6x2x2", policy, w.text);
		r.params.physics =
			believed ? CS_PHYSICS_BELIEVED : CS_PHYSICS_RECORD;
		random_trace(&r, &seed, KINDS + 1);
		log_of(&r, &text);
		plain = r.result;
		assert_null(plain.truth);
		r.result = (struct cs_sim_result){ 0 };
		r.options.truth = r.profiles;
		log_of(&r, &other);
		if (strcmp(text, other))
			fail_msg("round %llu, %s, %s: another log",
				 (unsigned long long)round, policy,
				 believed ? "believed" : "record");
		assert_memory_equal(plain.job, r.result.job,
				    JOBS * sizeof(*plain.job));
		for (size_t i = 0; i < JOBS; i++) {
			const struct cs_truth_job *x = &r.result.truth[i];

			assert_false(x->limited);
			shared += x->beside_us > 0;
			if (believed)
				assert_close(x->alone_us, x->believed_us,
					     1e-12);
		}
		cs_sim_result_done(&plain);
		free(text);
		free(other);
		simrig_close(&r);
	}
	assert_true(shared > 5 * rounds);
}

#define WAITS(w)                                                 \
	"{\"version\":1,\"profiles\":{\"a\":{\"waits\":" w "}}," \
	"\"rules\":[{\"profile\":\"a\"}]}"

/* The example of oversub_start.c; and where they wait less than is believed. */
static void jobs_on_the_same_cores_take_turns(void **state)
{
	static const struct {
		const char *truth;
		double end_s[2];
	} row[] = {
		{ NULL, { 104.5, 114.5 } },
		/* 1.5 of a core: 1.575 times as long */
		{ WAITS("0.25"), { 151.75, 161.75 } },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct simrig r;
		struct cs_profiles *truth =
			row[i].truth ? profiles(row[i].truth) : NULL;

		simrig_open(&r, "2x1x1", "policy=cover,head_slack=1,mpl=2",
			    WAITS("0.5"));
		r.options.truth = truth;
		simrig_add(&r, 1, 0, 2, 100, 300, 0);
		simrig_add(&r, 2, 10, 2, 100, 300, 0);
		simrig_run(&r);
		for (int k = 0; k < 2; k++)
			assert_close((double)r.result.job[k].end_us / 1e6,
				     row[i].end_s[k], 1e-8);
		simrig_close(&r);
		cs_profiles_free(truth);
	}
}

/* Whatever a policy does, and whatever it has learned, without profiles every job takes
 * what its trace says. */
static void the_record_is_kept_by_every_preset(void **state)
{
	uint64_t seed = cs_test_seed();
	const char *const *preset = cs_params_presets();
	int n = 0;

	(void)state;
	for (; *preset; preset++) {
		char params[64];
		struct simrig r;

		snprintf(params, sizeof(params), "policy=%s,share_min_s=0%s",
			 *preset, cs_test_draw(&seed, 2) ? ",learn=use" : "");
		simrig_open(&r, "6x2x2", params, NULL);
		random_trace(&r, &seed, KINDS);
		simrig_run(&r);
		/* whose slots are whole is another host (gang_sim.c) */
		for (size_t i = 0; r.params.gang_rounds != CS_YES && i < JOBS;
		     i++) {
			int64_t ran_us = r.result.job[i].ran_us;

			if (ran_us != r.trace.job[i].runtime_us)
				fail_msg("%s: job %zu ran %lld us of %lld",
					 params, i + 1, (long long)ran_us,
					 (long long)r.trace.job[i].runtime_us);
		}
		n += r.params.gang_rounds != CS_YES;
		simrig_close(&r);
	}
	assert_true(n > 20);
}

/* A file that says nothing, as belief or as truth, is none. */
static void an_empty_file_changes_nothing(void **state)
{
	uint64_t seed = cs_test_seed(), rounds = cs_test_worlds(22);

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		struct cs_profiles *empty = profiles("{\"version\":1}");
		struct cs_sim_result plain;
		struct simrig r;

		simrig_open(&r, "6x2x2",
			    POLICY[round % (sizeof(POLICY) / sizeof(*POLICY))],
			    NULL);
		random_trace(&r, &seed, KINDS);
		simrig_run(&r);
		plain = r.result;
		r.result = (struct cs_sim_result){ 0 };
		if (round % 2)
			r.options.truth = empty;
		else
			r.options.profiles = empty;
		simrig_run(&r);
		assert_memory_equal(plain.job, r.result.job,
				    JOBS * sizeof(*plain.job));
		cs_sim_result_done(&plain);
		simrig_close(&r);
		cs_profiles_free(empty);
	}
}

/* ---- against the simplest progress --------------------------------------- */

struct naive {
	const struct simrig *r;
	const struct world *w;
	int64_t now_us;
	struct {
		bool runs, failed;
		uint32_t node[64], procs[64], n;
		double done_us, worst;
		int64_t beside_us;
	} job[JOBS];
};

/* What of job @i a neighbour takes, and whether there is one. */
static double naive_cos(const struct naive *n, uint32_t i, bool *ret_beside)
{
	double worst = 0;

	*ret_beside = false;
	for (uint32_t a = 0; a < n->job[i].n; a++) {
		double sl = 1;

		for (uint32_t k = 0; k < JOBS; k++)
			for (uint32_t b = 0; b < n->job[k].n; b++)
				if (k != i && n->job[k].runs &&
				    n->job[k].node[b] == n->job[i].node[a]) {
					const struct cs_trace_job *j =
						n->r->trace.job;

					*ret_beside = true;
					sl *= n->w->pair[j[i].exe][j[k].exe];
				}
		worst = sl > worst ? sl : worst;
	}
	return worst;
}

static double naive_self(const struct naive *n, uint32_t i)
{
	const struct world *w = n->w;
	int kind = n->r->trace.job[i].exe;
	uint32_t most = 0;

	for (uint32_t a = 0; a < n->job[i].n; a++)
		if (n->job[i].procs[a] > most)
			most = n->job[i].procs[a];
	return most == 1   ? 1
	       : most == 2 ? w->self2[kind]
	       : most == 3 ? (w->self2[kind] + w->self4[kind]) / 2
			   : w->self4[kind];
}

/* Everybody goes on until @t_us. */
static void naive_until(struct naive *n, int64_t t_us)
{
	double dt = (double)(t_us - n->now_us);

	for (uint32_t i = 0; dt > 0 && i < JOBS; i++) {
		bool beside;
		double cos = naive_cos(n, i, &beside);

		if (!n->job[i].runs)
			continue;
		n->job[i].done_us += dt / (cos * naive_self(n, i));
		if (beside) {
			n->job[i].beside_us += t_us - n->now_us;
			n->job[i].worst = fmax(n->job[i].worst, cos);
		}
	}
	n->now_us = t_us;
}

static void naive_hear(void *arg, const struct cs_event *ev)
{
	struct naive *n = arg;
	uint32_t i =
		(ev->type == CS_EV_STARTED ? ev->start->job_id : ev->job_id) -
		1;

	naive_until(n, ev->t_us);
	n->job[i].runs = ev->type == CS_EV_STARTED || ev->type == CS_EV_RESUME;
	n->job[i].failed = ev->failed;
	if (ev->type != CS_EV_STARTED)
		return;
	n->job[i].n = ev->start->alloc->n_node;
	for (uint32_t a = 0; a < n->job[i].n; a++) {
		n->job[i].node[a] = ev->start->alloc->node[a].node;
		n->job[i].procs[a] = ev->start->alloc->node[a].procs;
	}
}

static void jobs_progress_by_the_truth(void **state)
{
	static const char *const policy[] = {
		"policy=cst,share_min_s=0",
		"policy=glts,share_min_s=0",
		"policy=glts+,share_min_s=0,jobs_per_node=3",
		"policy=glts,slice=pect,share_min_s=0,class_short_s=60,"
		"class_medium_s=600,slice_cycle_s=300,slice_short_s=60,slice_overhead_s=5",
		"policy=pack",
	};
	uint64_t seed = cs_test_seed(), rounds = cs_test_worlds(50);
	uint64_t seen[3] = { 0 };

	(void)state;
	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t limited = 0, shared = 0, broken = 0;
		struct cs_profiles *truth;
		struct world belief, w;
		struct cs_metrics k;
		struct simrig r;
		struct naive n = { .r = &r, .w = &w };

		draw_world(&belief, &seed, .25, true);
		draw_world(&w, &seed, .8, false);
		truth = profiles(w.text);
		simrig_open(&r, "6x2x2", policy[round % 5], belief.text);
		random_trace(&r, &seed, KINDS);
		for (size_t i = 0; i < JOBS; i++)
			r.trace.job[i].failed = !cs_test_draw(&seed, 8);
		r.options.truth = truth;
		r.options.heard = naive_hear;
		r.options.heard_arg = &n;
		simrig_run_checked(&r);
		k = figures(&r);
		for (size_t i = 0; i < JOBS; i++) {
			const struct cs_truth_job *x = &r.result.truth[i];
			double T = (double)r.trace.job[i].runtime_us;

			/* it rounds at each change of its neighbours */
			if (x->limited ? n.job[i].done_us >= T
				       : fabs(n.job[i].done_us - T) > 2 * JOBS)
				fail_msg("round %llu: job %zu did %.0f of %.0f",
					 (unsigned long long)round, i + 1,
					 n.job[i].done_us, T);
			if (x->limited &&
			    r.result.job[i].ran_us < r.trace.job[i].estimate_us)
				fail_msg("job %zu ended before its limit",
					 i + 1);
			assert_int_equal(n.job[i].failed,
					 x->limited || r.trace.job[i].failed);
			assert_int_equal(x->beside_us, n.job[i].beside_us);
			assert_close(x->worst, n.job[i].worst, 1e-12);
			limited += x->limited;
			shared += x->beside_us > 0;
			broken += x->worst > r.params.max_slowdown;
		}
		assert_true(k.truth);
		assert_int_equal(limited, k.beyond_limit);
		assert_int_equal(shared, k.shared_jobs);
		assert_int_equal(broken, k.promise_broken + k.packed_broken);
		seen[0] += limited;
		seen[1] += shared;
		seen[2] += broken;
		simrig_close(&r);
		cs_profiles_free(truth);
	}
	/* it was about something */
	assert_true(seen[0] > rounds && seen[1] > 10 * rounds &&
		    seen[2] > rounds);
}

/* ---- by hand ------------------------------------------------------------- */

static const char belief[] =
	"{\"version\":1,\"profiles\":{"
	" \"cg\":{\"self\":{\"1\":1,\"2\":1,\"4\":1.6}},"
	" \"io\":{\"self\":{\"1\":1,\"2\":1,\"4\":1.6}}},"
	"\"pairs\":[{\"of\":\"cg\",\"beside\":\"io\",\"slowdown\":1.2},"
	"           {\"of\":\"io\",\"beside\":\"cg\",\"slowdown\":1.25}],"
	"\"rules\":[{\"name\":\"e1\",\"profile\":\"cg\"},"
	"           {\"name\":\"e2\",\"profile\":\"io\"}]}";
/* Two processes a node take twice as long, and beside each other three times. */
static const char slow[] =
	"{\"version\":1,\"profiles\":{"
	" \"x\":{\"self\":{\"1\":1,\"2\":2,\"4\":2}},"
	" \"y\":{\"self\":{\"1\":1,\"2\":2,\"4\":2}}},"
	"\"pairs\":[{\"of\":\"x\",\"beside\":\"y\",\"slowdown\":1.5},"
	"           {\"of\":\"y\",\"beside\":\"x\",\"slowdown\":1.5}],"
	"\"rules\":[{\"name\":\"e1\",\"profile\":\"x\"},"
	"           {\"name\":\"e2\",\"profile\":\"y\"}]}";

/* Alone on its node, a job of 100 s takes 200 instead of 100. */
static void ends_come_by_the_truth(void **state)
{
	struct cs_profiles *truth = profiles(slow);
	struct cs_metrics k;
	struct simrig r;

	(void)state;
	simrig_open(&r, "1x2x2", "policy=easy,layout=model,rr_bound_s=10",
		    belief);
	simrig_add(&r, 1, 0, 2, 100, 1000, 1);
	simrig_add(&r, 2, 0, 2, 100, 1000, 2);
	r.options.truth = truth;
	simrig_run_checked(&r);
	assert_close(simrig_end(&r, 0), 200, 0);
	assert_close(simrig_start(&r, 1), 200, 0);
	assert_close(simrig_end(&r, 1), 400, 0);
	k = figures(&r);
	assert_int_equal(k.shared_jobs, 0);
	assert_int_equal(k.beyond_limit, 0);
	assert_true(isnan(k.true_slowdown_p99));
	assert_close(k.rr_all_p99, 4, 1e-9);
	simrig_close(&r);
	cs_profiles_free(truth);
}

/*
 * They share from 0 on.  The first, with 1000 s, goes at 1/3: it ends at 3000.
 * By then the other has done 1000 of its 2000 s, and does the rest at 1/2: it ends
 * at 5000.  Believed were 1.2 and 1.25.
 */
static void pairs_break_their_promise(void **state)
{
	struct cs_profiles *truth = profiles(slow);
	struct cs_metrics k;
	struct simrig r;

	(void)state;
	simrig_open(&r, "1x2x2", "policy=cst", belief);
	simrig_add(&r, 1, 0, 2, 1000, 3100, 1);
	simrig_add(&r, 2, 0, 2, 2000, 5000, 2);
	r.options.truth = truth;
	simrig_run_checked(&r);
	assert_close(simrig_start(&r, 1), 0, 0);
	assert_close(simrig_end(&r, 0), 3000, 0);
	assert_close(simrig_end(&r, 1), 5000, 0);
	k = figures(&r);
	assert_int_equal(k.shared_jobs, 2);
	assert_int_equal(k.promise_broken, 2);
	assert_int_equal(k.packed_broken, 0);
	assert_close(k.true_slowdown_mean, 1.5, 1e-9);
	assert_close(k.true_slowdown_p99, 1.5, 1e-9);
	assert_close(k.predicted_slowdown_mean, (1.2 + 1.25) / 2, 1e-9);
	assert_close(k.predicted_slowdown_p99, 1.25, 1e-9);
	assert_close(k.rr_all_p99, 3, 1e-9);
	simrig_close(&r);

	/* what was packed by core was promised nothing */
	simrig_open(&r, "1x2x2", "policy=pack", NULL);
	simrig_add(&r, 1, 0, 2, 1000, 10000, 1);
	simrig_add(&r, 2, 0, 2, 2000, 20000, 2);
	r.options.truth = truth;
	simrig_run_checked(&r);
	assert_close(simrig_end(&r, 0), 3000, 0);
	k = figures(&r);
	assert_int_equal(k.shared_jobs, 2);
	assert_int_equal(k.promise_broken, 0);
	assert_int_equal(k.packed_broken, 2);
	simrig_close(&r);
	cs_profiles_free(truth);
}

/*
 * The estimate, 1100 s, is believed to take 1320 and 1375 s beside the other: the
 * first is ended at 1320, when it has done 440 s.  The second had done 1056 s, as
 * was believed, when it was left alone: its limit falls to 1364.
 */
static void a_limit_ends_a_job_that_is_slower_than_believed(void **state)
{
	struct cs_profiles *truth = profiles(slow);
	struct cs_metrics k;
	struct simrig r;

	(void)state;
	simrig_open(&r, "1x2x2", "policy=cst", belief);
	simrig_add(&r, 1, 0, 2, 1000, 1100, 1);
	simrig_add(&r, 2, 0, 2, 1000, 1100, 2);
	r.options.truth = truth;
	simrig_run_checked(&r);
	assert_close(simrig_end(&r, 0), 1320, 0);
	assert_close(simrig_end(&r, 1), 1364, 0);
	assert_true(r.result.truth[0].limited && r.result.truth[1].limited);
	k = figures(&r);
	assert_int_equal(k.beyond_limit, 2);
	simrig_close(&r);

	/* kinder than believed, nobody is; nor at the limit itself */
	simrig_open(&r, "1x2x2", "policy=easy,layout=dense", slow);
	simrig_add(&r, 1, 0, 4, 1000, 1000, 1);
	r.options.truth = truth;
	simrig_run(&r);
	assert_close(simrig_end(&r, 0), 2000, 0);
	assert_int_equal(figures(&r).beyond_limit, 0);
	simrig_close(&r);
	cs_profiles_free(truth);
}

/* Three jobs in turn on the only node, 1250 s by the estimate, four processes of a
 * node taking 1.6: planned until 2000, 4000 and 6000, promised .75 of that, 1.2 times
 * the promise at worst.  As believed 1000 s each end in time; really they take 2. */
static void jobs_pass_what_was_promised(void **state)
{
	struct cs_profiles *truth = profiles(slow);
	struct simrig r;

	(void)state;
	simrig_open(&r, "1x2x2", "policy=ssp,layout=dense,slack=1.2", belief);
	for (uint32_t i = 1; i <= 3; i++)
		simrig_add(&r, i, 0, 4, 1000, 1250, 1);
	for (int really = 0; really < 2; really++) {
		r.options.truth = really ? truth : r.profiles;
		simrig_run(&r);
		for (size_t i = 0; i < 3; i++) {
			double turn = (double)(i + 1);

			assert_close((double)r.result.job[i].est_us / 1e6,
				     1500 * turn, 0);
			assert_close(simrig_end(&r, i),
				     (really ? 2000 : 1600) * turn, 0);
		}
		assert_int_equal(figures(&r).beyond_r_max, really ? 3 : 0);
	}
	simrig_close(&r);
	cs_profiles_free(truth);
}

/* ---- noise --------------------------------------------------------------- */

static void noise_is_a_normal_factor(void **state)
{
	const uint32_t n = 20000;
	double sum = 0, squares = 0, least = 9, most = 0;

	(void)state;
	for (uint32_t id = 1; id <= n; id++) {
		double x = cs_truth_noise(.05, 7, id);

		assert_close(x, cs_truth_noise(.05, 7, id), 0);
		assert_close(cs_truth_noise(0, 7, id), 1, 0);
		assert_true(cs_truth_noise(1, 7, id) >= .1);
		sum += x;
		squares += (x - 1) * (x - 1);
		least = x < least ? x : least;
		most = x > most ? x : most;
	}
	assert_true(fabs(sum / n - 1) < 4 * .05 / sqrt(n));
	assert_close(sqrt(squares / n), .05, .03);
	assert_true(least > .7 && least < .86 && most < 1.3 && most > 1.14);
	assert_true(cs_truth_noise(.05, 7, 1) != cs_truth_noise(.05, 8, 1));
}

static void a_job_takes_its_noise_longer(void **state)
{
	struct cs_profiles *truth = profiles(slow);
	struct simrig r;

	(void)state;
	simrig_open(&r, "1x2x2", "policy=easy,layout=dense,seed=3", belief);
	simrig_add(&r, 7, 0, 4, 1000, 10000, 1);
	r.options.truth = truth;
	r.options.truth_noise = .1;
	simrig_run(&r);
	assert_close(simrig_end(&r, 0), 2000 * cs_truth_noise(.1, 3, 7), 1e-9);
	simrig_close(&r);
	cs_profiles_free(truth);
}

/* ---- no memory ----------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
	struct cs_profiles *truth = profiles(slow);
	struct simrig r;
	bool more = true;

	(void)state;
	simrig_open(&r, "4x2x2", "policy=cst,share_min_s=0", belief);
	for (uint32_t i = 1; i <= 12; i++)
		simrig_add(&r, i, i, 1 + i % 5, 100, 1000, 1 + (int)i % 2);
	r.options.truth = truth;
	for (long n = 0; more; n++) {
		struct cs_sim_result result = { 0 };
		struct cs_err err = { "" };
		int rc;

		cs_test_fail_after(n);
		rc = cs_sim_run(&r.options, &r.trace, &result, &err);
		more = cs_test_failed();
		if (rc)
			assert_true(more && *err.text);
		cs_sim_result_done(&result);
	}
	simrig_close(&r);
	cs_profiles_free(truth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truth_that_is_believed_changes_nothing),
		cmocka_unit_test(jobs_on_the_same_cores_take_turns),
		cmocka_unit_test(the_record_is_kept_by_every_preset),
		cmocka_unit_test(an_empty_file_changes_nothing),
		cmocka_unit_test(jobs_progress_by_the_truth),
		cmocka_unit_test(ends_come_by_the_truth),
		cmocka_unit_test(pairs_break_their_promise),
		cmocka_unit_test(
			a_limit_ends_a_job_that_is_slower_than_believed),
		cmocka_unit_test(jobs_pass_what_was_promised),
		cmocka_unit_test(noise_is_a_normal_factor),
		cmocka_unit_test(a_job_takes_its_noise_longer),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
