/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generators of workloads, against what their models say: shares within 4
 * sigma of the draws, computed here from the distributions.
 */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>
#include <math.h>

#include "sim/draw.h"
#include "sim/lublin.h"
#include "sim/resize.h"
#include "sim/uniformlog.h"
#include "common/profile/table4.h"

#define N 400000
#define SHORT_S 600
#define MEDIUM_S 10800

static const struct cs_resize_limits limits = { 1.25, 1.12 };

/* @share of N draws came out, where the model says @want. */
static void assert_share(double share, double want)
{
	double d = share - want;

	if (d * d > 16 * want * (1 - want) / N)
		fail_msg("%g, expected %g", share, want);
}

/* ------------------------------------------------------------------- draws */

/* Tables of the chi-square distribution: Gamma(k/2, 2). */
static void known_answers_of_the_gamma_distribution(void **state)
{
	(void)state;
	assert_close(cs_draw_gamma_cdf(3.841458820694124, .5, 2), .95, 1e-12);
	assert_close(cs_draw_gamma_cdf(18.307038053275146, 5, 2), .95, 1e-12);
	assert_close(cs_draw_gamma_cdf(3.940299136, 5, 2), .05, 1e-8);
	/* shape 1 is the exponential one */
	assert_close(cs_draw_gamma_cdf(.5, 1, 1), 1 - exp(-.5), 1e-14);
	assert_close(cs_draw_gamma_cdf(9, 1, 3), 1 - exp(-3.), 1e-14);
	assert_true(cs_draw_gamma_cdf(0, 3, 1) == 0);
	assert_true(cs_draw_gamma_cdf(-1, 3, 1) == 0);
}

/* In each twentieth of the distribution lies a twentieth of the draws. */
static void draws_follow_their_distribution(void **state)
{
	static const double shape[] = { .3, 1, 4.2, 10.46, 312 };
	struct cs_rng r;

	(void)state;
	cs_rng_init(&r, 5, 0);
	for (size_t k = 0; k < sizeof(shape) / sizeof(shape[0]); k++) {
		double n[20] = { 0 };

		for (int i = 0; i < N; i++) {
			double x = cs_draw_gamma(&r, shape[k], .7);
			int at = (int)(20 * cs_draw_gamma_cdf(x, shape[k], .7));

			n[at < 20 ? at : 19]++;
		}
		for (int i = 0; i < 20; i++)
			assert_share(n[i] / N, .05);
	}
}

static void normal_and_exponential_draws(void **state)
{
	double n[4] = { 0 }, above = 0;
	struct cs_rng r;

	(void)state;
	cs_rng_init(&r, 6, 0);
	for (int i = 0; i < N; i++) {
		double x = cs_draw_normal(&r);

		n[0] += x < -1.2815515655446004;
		n[1] += x < 0;
		n[2] += x < 1.6448536269514722;
		n[3] += x * x < 1;
		above += cs_draw_exponential(&r, 7) > 14;
	}
	assert_share(n[0] / N, .1);
	assert_share(n[1] / N, .5);
	assert_share(n[2] / N, .95);
	assert_share(n[3] / N, .6826894921370859);
	assert_share(above / N, exp(-2));
}

/* ------------------------------------------------------------------ lublin */

static struct cs_trace lublin(const struct cs_lublin *m)
{
	struct cs_trace t;
	struct cs_err err;

	if (cs_lublin_generate(&t, m, &err))
		fail_msg("%s", err.text);
	assert_int_equal(t.n, m->jobs);
	return t;
}

static bool is_pow2(uint32_t n)
{
	return (n & (n - 1)) == 0;
}

/* What a model or a trace says. */
struct figures {
	double serial, pow2, size, below_600, below_10800;
};

/* A size of probability @p, its runtime by equation (hyper-gamma, capped). */
static void add_size(struct figures *f, double size, double p)
{
	double mix = .78 - .0054 * size, ln[3], part[3];

	mix = mix > 0 ? mix : 0;
	/* whole seconds: up to 600 s are e^g below 601 */
	ln[0] = log(SHORT_S + 1.);
	ln[1] = log(MEDIUM_S + 1.);
	ln[2] = 12;
	for (int i = 0; i < 3; i++)
		part[i] = mix * cs_draw_gamma_cdf(ln[i], 4.2, .94) +
			  (1 - mix) * cs_draw_gamma_cdf(ln[i], 312, .03);
	f->serial += size == 1 ? p : 0;
	f->pow2 += is_pow2((uint32_t)size) ? p : 0;
	f->size += size * p;
	f->below_600 += p * part[0] / part[2];
	f->below_10800 += p * part[1] / part[2];
}

/* 128 nodes, no types: SerialProb .244, Pow2Prob .576, ULow .8, UMed 4.5,
 * UHi 7, UProb .86. */
static struct figures theory(void)
{
	struct figures f = { 0 };
	const int steps = 20000;

	add_size(&f, 1, .244);
	for (int i = 0; i < 2 * steps; i++) {
		bool low = i < steps;
		double part = (i % steps + .5) / steps;
		double x = low ? .8 + 3.7 * part : 4.5 + 2.5 * part;
		double p = (low ? .86 : .14) / steps;

		add_size(&f, floor(exp2(floor(x + .5)) + .5), p * .576);
		add_size(&f, floor(exp2(x) + .5), p * .18);
	}
	return f;
}

static struct figures counted(const struct cs_trace *t)
{
	struct figures f = { 0 };
	double part = 1. / (double)t->n;

	for (size_t i = 0; i < t->n; i++) {
		f.serial += t->job[i].procs == 1 ? part : 0;
		f.pow2 += is_pow2(t->job[i].procs) ? part : 0;
		f.size += t->job[i].procs * part;
		f.below_600 +=
			t->job[i].runtime_us <= SHORT_S * 1000000L ? part : 0;
		f.below_10800 +=
			t->job[i].runtime_us <= MEDIUM_S * 1000000L ? part : 0;
	}
	return f;
}

static void lublin_sizes_and_runtimes(void **state)
{
	const struct cs_lublin m = { .nodes = 128, .jobs = N, .seed = 1 };
	struct cs_trace t = lublin(&m);
	struct figures got = counted(&t), want = theory();

	(void)state;
	print_message("serial %.4f, powers of two %.4f, mean size %.2f, short "
		      "%.4f, medium %.4f\n",
		      want.serial, want.pow2, want.size, want.below_600,
		      want.below_10800 - want.below_600);
	assert_share(got.serial, want.serial);
	assert_share(got.pow2, want.pow2);
	assert_share(got.below_600, want.below_600);
	assert_share(got.below_10800, want.below_10800);
	assert_close(got.size, want.size, .01);
	cs_trace_done(&t);
}

/* Zeng09's table 5: within a point of the jobs, within two of the work. */
static void w1_has_the_classes_of_table_5(void **state)
{
	const struct cs_lublin m = {
		.nodes = 128, .jobs = N, .seed = 3, .alpha = 10.33
	};
	struct cs_trace t = lublin(&m);
	double n[3] = { 0 }, work[3] = { 0 }, all = 0;

	(void)state;
	for (size_t i = 0; i < t.n; i++) {
		const struct cs_trace_job *j = &t.job[i];
		double s = (double)j->runtime_us / 1e6;
		int class = s <= SHORT_S ? 0 : s <= MEDIUM_S ? 1 : 2;

		n[class] += 100. / N;
		work[class] += s * j->procs;
		all += s * j->procs / 100;
	}
	assert_true(fabs(n[0] - 64) < 1 && fabs(n[1] - 19.5) < 1 &&
		    fabs(n[2] - 16.5) < 1);
	assert_true(fabs(work[0] / all - .5) < .1 &&
		    fabs(work[1] / all - 26) < 2 &&
		    fabs(work[2] / all - 73.5) < 2);
	cs_trace_done(&t);
}

/* e^g, g from Gamma(alpha * 1.0225, .4871) below 13: its mean. */
static double mean_gap(double alpha)
{
	const double shape = alpha * 1.0225, step = 13. / 20000;
	double sum = 0;

	for (int i = 0; i < 20000; i++)
		sum += (cs_draw_gamma_cdf((i + 1) * step, shape, .4871) -
			cs_draw_gamma_cdf(i * step, shape, .4871)) *
		       exp((i + .5) * step);
	return sum / cs_draw_gamma_cdf(13, shape, .4871);
}

/* A gap's standard deviation is 7 times its mean: 4 sigma are 4.7 %. */
static void lublin_arrivals_by_alpha(void **state)
{
	static const double alpha[] = { 10.2303, 10.33, 9.83 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		const struct cs_lublin m = { .nodes = 128,
					     .jobs = N,
					     .seed = 2,
					     .alpha = i ? alpha[i] : 0 };
		struct cs_trace t = lublin(&m);

		assert_close((double)t.job[N - 1].submit_us / 1e6 / N,
			     mean_gap(alpha[i]), .047);
		cs_trace_done(&t);
	}
	assert_close(mean_gap(10.33), 966.94, 1e-4);
}

/* Half-hours of the day: the busiest around 14:00, eleven times the least. */
static void lublin_arrivals_by_time_of_day(void **state)
{
	const struct cs_lublin m = { .nodes = 128, .jobs = N, .seed = 4 };
	struct cs_trace t = lublin(&m);
	double n[48] = { 0 }, w[48], sum = 0;

	(void)state;
	for (size_t i = 0; i < t.n; i++)
		n[t.job[i].submit_us / 1800000000 % 48]++;
	for (int i = 11; i < 59; i++) {
		w[(i - 1) % 48] = cs_draw_gamma_cdf(i + .5, 8.1737, 3.9631) -
				  cs_draw_gamma_cdf(i - .5, 8.1737, 3.9631);
		sum += w[(i - 1) % 48];
	}
	for (int i = 0; i < 48; i++)
		assert_close(n[i] / N, w[i] / sum, .15);
	assert_true(n[27] > 8 * n[10]);
	cs_trace_done(&t);
}

static void lublin_sizes_fit_any_machine(void **state)
{
	static const uint32_t nodes[] = { 1, 2, 3, 5, 9, 100, 128, 1000, 65536 };

	(void)state;
	for (size_t k = 0; k < sizeof(nodes) / sizeof(nodes[0]); k++)
		for (int types = 0; types < 2; types++) {
			const struct cs_lublin m = { .nodes = nodes[k],
						     .jobs = 20000,
						     .types = types };
			struct cs_trace t = lublin(&m);
			uint32_t largest = 0;

			for (size_t i = 0; i < t.n; i++)
				if (t.job[i].procs > largest)
					largest = t.job[i].procs;
			assert_true(largest <= nodes[k]);
			assert_true(largest > nodes[k] / 2);
			cs_trace_done(&t);
		}
}

static void lublin_types_are_apart(void **state)
{
	const struct cs_lublin m = {
		.nodes = 128, .jobs = N, .seed = 1, .types = true
	};
	struct cs_trace t = lublin(&m);
	double jobs[2] = { 0 }, serial[2] = { 0 };

	(void)state;
	for (size_t i = 0; i < t.n; i++) {
		const struct cs_trace_job *j = &t.job[i];

		assert_in_range(j->queue, 0, 1);
		jobs[j->queue]++;
		serial[j->queue] += j->procs == 1;
		/* interactive: at most 2^5.5 nodes */
		assert_true(j->queue || j->procs <= 64);
	}
	assert_true(fabs(serial[1] / jobs[1] - .2927) < .005);
	assert_true(fabs(serial[0] / jobs[0] - .1541) < .005);
	cs_trace_done(&t);
}

/* In order, whole, a function of the options; another alpha, the same jobs. */
static void lublin_traces_are_what_the_header_says(void **state)
{
	struct cs_lublin m = { .nodes = 128, .jobs = 5000, .seed = 9 };
	struct cs_trace a = lublin(&m), b = lublin(&m), c, d;

	(void)state;
	assert_memory_equal(a.job, b.job, a.n * sizeof(*a.job));
	m.alpha = 9;
	c = lublin(&m);
	m.seed = 10;
	d = lublin(&m);
	for (size_t i = 0; i < a.n; i++) {
		const struct cs_trace_job *j = &a.job[i];

		assert_int_equal(j->id, i + 1);
		assert_true(j->runtime_us >= 1000000 &&
			    j->runtime_us <= 162754 * 1000000L);
		assert_true(j->estimate_us == j->runtime_us);
		assert_true(j->runtime_us % 1000000 == 0 &&
			    j->submit_us % 1000000 == 0);
		assert_true(!i || j->submit_us >= j[-1].submit_us);
		assert_true(j->wait_us == -1 && j->user == -1 &&
			    j->queue == -1);
		assert_true(c.job[i].procs == j->procs &&
			    c.job[i].runtime_us == j->runtime_us);
	}
	assert_true(c.job[4999].submit_us < a.job[4999].submit_us);
	assert_memory_not_equal(c.job, d.job, a.n * sizeof(*a.job));
	cs_trace_done(&a);
	cs_trace_done(&b);
	cs_trace_done(&c);
	cs_trace_done(&d);
}

static void bad_options_are_refused(void **state)
{
	static const struct {
		struct cs_lublin m;
		const char *want;
	} row[] = {
		{ { .jobs = 1 }, "no nodes or no jobs, expected 1 at least" },
		{ { .nodes = 1 }, "no nodes or no jobs, expected 1 at least" },
		{ { .nodes = 1, .jobs = 1, .alpha = 26 },
		  "alpha is 26, expected 0.1 to 25" },
		{ { .nodes = 1, .jobs = 1, .alpha = NAN },
		  "alpha is nan, expected 0.1 to 25" },
		{ { .nodes = 1, .jobs = 1, .alpha = 9, .types = true },
		  "alpha with types, expected one of them: each type has an "
		  "alpha of its own" },
	};
	const struct cs_uniformlog u = { .nodes = 1, .jobs = 1, .load = 0 };
	struct cs_trace t = { .n = 7 };
	struct cs_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(cs_lublin_generate(&t, &row[i].m, &err),
				 -EINVAL);
		assert_string_equal(err.text, row[i].want);
	}
	assert_int_equal(cs_uniformlog_generate(&t, &u, &err), -EINVAL);
	assert_string_equal(err.text, "load is 0, expected 0.001 to 1000");
	assert_int_equal(t.n, 7);
}

static void no_memory_is_said(void **state)
{
	const struct cs_lublin m = { .nodes = 8, .jobs = 10 };
	const struct cs_uniformlog u = { .nodes = 8, .jobs = 10, .load = 1 };
	struct cs_trace t = { 0 };
	struct cs_err err;
	int rc = 0;

	(void)state;
	CS_TEST_EACH_ALLOC(cs_trace_done(&t);
			   rc = cs_lublin_generate(&t, &m, &err), rc == -ENOMEM)
	CS_TEST_EACH_ALLOC(cs_trace_done(&t);
			   rc = cs_uniformlog_generate(&t, &u, &err),
			   rc == -ENOMEM)
	cs_trace_done(&t);
}

/* -------------------------------------------------------------- uniform-log */

static void uniform_log_sizes_and_load(void **state)
{
	const struct cs_uniformlog m = {
		.nodes = 128, .jobs = N, .seed = 1, .load = .8
	};
	double asked = 0, serial = 0, to_11 = 0, span;
	struct cs_trace t;

	(void)state;
	assert_int_equal(cs_uniformlog_generate(&t, &m, NULL), 0);
	for (size_t i = 0; i < t.n; i++) {
		const struct cs_trace_job *j = &t.job[i];

		assert_in_range(j->procs, 1, 128);
		assert_true(j->runtime_us >= 1000000);
		asked += (double)j->runtime_us / 1e6 * j->procs;
		serial += j->procs == 1;
		to_11 += j->procs <= 11;
	}
	span = (double)t.job[N - 1].submit_us / 1e6;
	assert_share(serial / N, log(1.5) / log(128));
	assert_share(to_11 / N, log(11.5) / log(128));
	/* exponential gaps: 4 sigma of their sum */
	assert_close(asked / span / 128, .8, 4 / sqrt(N));
	cs_trace_done(&t);
}

/* Runtimes in slots: classes as Zhou00's tables have them, the load by the laws' means,
 * the same jobs at any load. */
static void uniform_log_runtimes_in_slots(void **state)
{
	struct cs_uniformlog m = {
		.nodes = 128, .jobs = N, .seed = 1, .load = .5, .slot_s = 5
	};
	const double mean_size = 127 / log(128), mean_slots = 119 / log(120);
	double small = 0, medium = 0, span;
	struct cs_trace t, busier;

	(void)state;
	assert_int_equal(cs_uniformlog_generate(&t, &m, NULL), 0);
	m.load = .9;
	assert_int_equal(cs_uniformlog_generate(&busier, &m, NULL), 0);
	for (size_t i = 0; i < t.n; i++) {
		const struct cs_trace_job *j = &t.job[i];
		int64_t slots = j->runtime_us / 5000000;

		assert_int_equal(j->runtime_us, slots * 5000000);
		assert_in_range(slots, 1, 119);
		assert_in_range(j->procs, 1, 128);
		small += slots <= 12;
		medium += slots > 12 && slots <= 60;
		assert_int_equal(busier.job[i].procs, j->procs);
		assert_int_equal(busier.job[i].runtime_us, j->runtime_us);
		/* whole seconds */
		assert_true(llabs(busier.job[i].submit_us * 9 / 5 -
				  j->submit_us) < 3000000);
	}
	assert_share(small / N, log(13) / log(120));
	assert_share(medium / N, log(61. / 13) / log(120));
	span = (double)t.job[N - 1].submit_us / 1e6;
	assert_close(span / N, mean_size * mean_slots * 5 / (.5 * 128),
		     4 / sqrt(N));
	cs_trace_done(&t);
	cs_trace_done(&busier);
}

static void downey_s_speedup(void **state)
{
	(void)state;
	for (double a = 1; a < 40; a += .7) {
		/* no variance: as many as there is work for */
		assert_close(cs_uniformlog_downey_speedup(a / 2 + .5, a, 0),
			     a / 2 + .5, 1e-12);
		assert_close(cs_uniformlog_downey_speedup(3 * a, a, 0), a,
			     1e-12);
		/* low and high variance are one at 1 */
		for (double n = 1; n < 2 * a - 1; n += .3)
			assert_close(
				cs_uniformlog_downey_speedup(n, a, 1),
				cs_uniformlog_downey_speedup(n, a, 1 + 1e-9),
				1e-6);
		for (double s = .1; s < 2; s += .2) {
			double was = 1;

			assert_close(cs_uniformlog_downey_speedup(1, a, s), 1,
				     1e-12);
			assert_close(cs_uniformlog_downey_speedup(1e4, a, s), a,
				     1e-12);
			/* grows, without steps, never beyond n and A */
			for (double n = 1; n < 4 * a; n += .01) {
				double x =
					cs_uniformlog_downey_speedup(n, a, s);

				assert_true(x >= was - 1e-9 && x < was + .011);
				assert_true(x <= n + 1e-9 && x <= a + 1e-9);
				was = x;
			}
		}
	}
	assert_close(cs_uniformlog_downey_speedup(8, 8, .5), 64 / 9.75, 1e-12);
	assert_close(cs_uniformlog_downey_speedup(10, 8, .5), 80 / 11.25,
		     1e-12);
	assert_close(cs_uniformlog_downey_speedup(10, 8, 2), 240. / 42, 1e-12);
}

/* -------------------------------------------------------------- equation 7 */

static void equation_7_has_three_cases(void **state)
{
	static const struct {
		uint32_t size;
		double scr, sno;
		uint32_t plain, pow2;
	} row[] = {
		/* oSize = 1 */
		{ 1, 1.0, 1.0, 1, 1 },
		/* SL_sno > SELF_SL2, product > MAX_SL */
		{ 16, 1.3, 1.15, 16, 16 },
		{ 12, 1.3, 1.15, 12, 12 },
		/* SL_sno <= SELF_SL2 alone: 30.5, 21.4 */
		{ 16, 1.3, 1.05, 30, 32 },
		{ 12, 1.3, 1.12, 21, 21 },
		/* at the threshold itself, and a hair above */
		{ 10, 1.25, 1.0, 32, 32 },
		{ 10, 1.2501, 1.0, 20, 20 },
		{ 10, 1.5, 1.12, 18, 18 },
		{ 10, 1.5, 1.1201, 10, 10 },
		/* the product, whatever SL_sno is: 51.2, 55.4, 8.9 */
		{ 16, 1.0, 1.25, 51, 64 },
		{ 16, 1.1, 1.05, 55, 64 },
		{ 2, 1.0, .9, 9, 8 },
		{ 3, 1.0, .9, 13, 13 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(cs_resize(row[i].size, row[i].scr, row[i].sno,
					   128, CS_RESIZE_PLAIN, &limits),
				 row[i].plain);
		assert_int_equal(cs_resize(row[i].size, row[i].scr, row[i].sno,
					   128, CS_RESIZE_POW2, &limits),
				 row[i].pow2);
	}
}

static void a_job_fits_the_machine_at_its_layout(void **state)
{
	(void)state;
	/* 128 * 4 / .9 = 569, 128 * 2 / .9 = 284 */
	assert_int_equal(cs_resize(128, 1, .9, 128, CS_RESIZE_PLAIN, &limits),
			 512);
	assert_int_equal(cs_resize(128, 1.5, .9, 128, CS_RESIZE_PLAIN, &limits),
			 256);
	assert_int_equal(cs_resize(120, 1.5, .9, 128, CS_RESIZE_POW2, &limits),
			 256);
	/* a power of two stays one also there */
	assert_int_equal(cs_resize(64, 1, 1, 60, CS_RESIZE_POW2, &limits), 128);
	assert_int_equal(cs_resize(64, 1, 1, 60, CS_RESIZE_PLAIN, &limits),
			 240);
	for (uint32_t id = 1; id < 20000; id++) {
		double scr = cs_table4_scr(1, id), sno = cs_table4_sno(1, id);
		uint32_t size = 1 + id % 128, ppn, n;

		ppn = size == 1		  ? 1
		      : scr * sno <= 1.25 ? 4
		      : sno <= 1.12	  ? 2
					  : 1;
		n = cs_resize(size, scr, sno, 128, id % 2, &limits);
		assert_true(n <= 128 * ppn);
		assert_true(n >= size);
		if (id % 2 == CS_RESIZE_POW2 && is_pow2(size))
			assert_int_equal(n, size * ppn);
	}
}

/* Shares of sizes that are powers of two: kept .87, plain .53. */
static void the_draws_are_the_simulator_s(void **state)
{
	const struct cs_lublin m = { .nodes = 128, .jobs = N, .seed = 5 };

	(void)state;
	for (int how = 0; how < 2; how++) {
		struct cs_trace t = lublin(&m), was = lublin(&m);

		cs_resize_trace(&t, 5, 128, how, &limits);
		for (size_t i = 0; i < t.n; i += 1000)
			assert_int_equal(t.job[i].procs,
					 cs_resize(was.job[i].procs,
						   cs_table4_scr(5, i + 1),
						   cs_table4_sno(5, i + 1), 128,
						   how, &limits));
		assert_close(counted(&t).pow2, how ? .533 : .871, .01);
		assert_close(counted(&t).serial, counted(&was).serial, 0);
		cs_trace_done(&t);
		cs_trace_done(&was);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers_of_the_gamma_distribution),
		cmocka_unit_test(draws_follow_their_distribution),
		cmocka_unit_test(normal_and_exponential_draws),
		cmocka_unit_test(lublin_sizes_and_runtimes),
		cmocka_unit_test(w1_has_the_classes_of_table_5),
		cmocka_unit_test(lublin_arrivals_by_alpha),
		cmocka_unit_test(lublin_arrivals_by_time_of_day),
		cmocka_unit_test(lublin_sizes_fit_any_machine),
		cmocka_unit_test(lublin_types_are_apart),
		cmocka_unit_test(lublin_traces_are_what_the_header_says),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test(no_memory_is_said),
		cmocka_unit_test(uniform_log_sizes_and_load),
		cmocka_unit_test(uniform_log_runtimes_in_slots),
		cmocka_unit_test(downey_s_speedup),
		cmocka_unit_test(equation_7_has_three_cases),
		cmocka_unit_test(a_job_fits_the_machine_at_its_layout),
		cmocka_unit_test(the_draws_are_the_simulator_s),
	};

	return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
