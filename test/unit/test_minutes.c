/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A raised limit in Slurm's full minutes, and the end that follows (minutes.h). */
#include "cs_test.h"

#include "sched/apply/minutes.h"

static void a_limit_is_rounded_up_but_for_dust(void **state)
{
	static const struct {
		int64_t limit_us, minutes;
	} row[] = {
		{ 0, 1 },
		{ 1, 1 },
		{ CS_MINUTE_US, 1 },
		{ 10 * CS_MINUTE_US - 1, 10 },
		{ 10 * CS_MINUTE_US, 10 },
		{ 10 * CS_MINUTE_US + 1000, 10 }, /* dust */
		{ 10 * CS_MINUTE_US + 1001, 11 },
		{ 10 * CS_MINUTE_US + 7000,
		  11 }, /* its neighbours cost it 7 ms */
		{ 10 * CS_MINUTE_US + 100000, 11 },
		{ 11 * CS_MINUTE_US, 11 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(cs_apply_minutes(row[i].limit_us),
				 row[i].minutes);
}

/*
 * What slurmctld keeps of a job, and what it does to it: select_nodes(),
 * job_config_fini(), _job_suspend_op(), update_job() and the grace time of a preemption,
 * in 22.05.8 and in 24.11.5.
 */
struct record {
	int64_t start_s, end_s, suspend_s, pre_sus_s, preempt_s;
	uint32_t limit;
	bool configures, boots, suspended;
};

static void starts(struct record *r, int64_t now_s, uint32_t limit,
		   bool configures, bool boots)
{
	*r = (struct record){ .start_s = now_s,
			      .end_s = now_s + limit * INT64_C(60),
			      .limit = limit,
			      .configures = configures,
			      .boots = boots };
}

static void configured(struct record *r, int64_t now_s)
{
	r->configures = false;
	if (r->boots || now_s != r->start_s)
		r->end_s = now_s + r->limit * INT64_C(60);
	if (r->boots)
		r->start_s = now_s;
}

static void suspended(struct record *r, int64_t now_s)
{
	r->pre_sus_s += now_s - (r->suspend_s ? r->suspend_s : r->start_s);
	r->suspend_s = now_s;
	r->suspended = true;
}

static void resumed(struct record *r, int64_t now_s)
{
	if (!r->preempt_s)
		r->end_s = now_s + r->limit * INT64_C(60) - r->pre_sus_s;
	r->suspend_s = now_s;
	r->suspended = false;
}

static void updated(struct record *r, int64_t now_s, uint32_t limit)
{
	r->end_s += ((int64_t)limit - r->limit) * 60;
	if (r->end_s < now_s)
		r->end_s = now_s;
	r->limit = limit;
}

static void end_set(struct record *r, int64_t end_s)
{
	int64_t by_s = end_s - r->end_s;

	r->end_s = end_s;
	r->limit += (uint32_t)(int32_t)((by_s + 30) / 60);
}

static void preempted(struct record *r, int64_t now_s, int64_t grace_s)
{
	r->preempt_s = now_s;
	if (r->end_s > now_s + grace_s)
		r->end_s = now_s + grace_s;
}

/* apply_limit.c set(), of a limit at most @least below the present one. */
static void ours(struct record *r, uint32_t limit)
{
	if (r->preempt_s)
		return;
	r->end_s = cs_apply_end_s(r->end_s, r->limit, limit);
	r->limit = limit;
}

struct run {
	uint64_t seed;
	int64_t now_s;
	struct record stock, act;
	bool raises; /* no operator has set its limit or end; one sets it once, as an
			end rounds the limit */
};

static uint32_t below(struct run *x, uint32_t n)
{
	return (uint32_t)cs_test_draw(&x->seed, n);
}

/* One thing happens to the job. */
static void step(struct run *x)
{
	int64_t end_s;
	uint32_t limit;

	switch (below(x, 10)) {
	case 0:
		if (x->stock.configures) {
			configured(&x->stock, x->now_s);
			configured(&x->act, x->now_s);
		}
		break;
	case 1:
	case 2:
		if (x->stock.configures)
			break;
		(x->stock.suspended ? resumed : suspended)(&x->stock, x->now_s);
		(x->act.suspended ? resumed : suspended)(&x->act, x->now_s);
		break;
	case 3:
		if (below(x, 8) || x->stock.preempt_s || !x->raises)
			break;
		limit = x->stock.limit + below(x, 5) + 1;
		updated(&x->stock, x->now_s, limit);
		updated(&x->act, x->now_s, limit);
		x->raises = false;
		break;
	case 4:
		if (below(x, 8) || x->stock.preempt_s || x->stock.suspended ||
		    !x->raises)
			break;
		end_s = x->now_s + 60 + below(x, 4000);
		end_set(&x->stock, end_s);
		end_set(&x->act, end_s);
		x->raises = false;
		break;
	case 5:
		if (below(x, 20) || x->stock.preempt_s)
			break;
		preempted(&x->stock, x->now_s, 30);
		preempted(&x->act, x->now_s, 30);
		break;
	default: /* raised, or lowered, never below what it asked for */
		if (x->raises)
			ours(&x->act, x->stock.limit + below(x, 30));
	}
}

static bool runs(const struct run *x)
{
	const struct record *r = &x->stock;

	return r->configures || r->suspended || r->end_s > x->now_s;
}

/* Whatever raises, lowers, boots, prologs, suspends, updates and preemptions: no job ends
 * before it would under stock, and it gets as much more as its limit was raised. */
static void no_job_ends_sooner_than_under_stock(void **state)
{
	uint64_t seed = cs_test_seed(), steps = 0;

	(void)state;
	for (uint64_t n = 0; n < 20000; n++) {
		struct run x = { .seed = seed + n,
				 .now_s = 1000000,
				 .raises = true };
		uint32_t limit;
		bool configures, boots;

		limit = 1 + below(&x, 60);
		configures = below(&x, 2);
		boots = configures && below(&x, 2);
		starts(&x.stock, x.now_s, limit, configures, boots);
		x.act = x.stock;
		for (int k = 0; k < 40 && runs(&x); k++, steps++) {
			int64_t more_s =
				((int64_t)x.act.limit - x.stock.limit) * 60;

			if (x.act.end_s < x.stock.end_s ||
			    (!x.stock.preempt_s && x.raises &&
			     x.act.end_s - x.stock.end_s != more_s))
				fail_msg("seed %llu, job %llu, step %d: ends "
					 "%lld s after stock's, limit %lld s "
					 "above",
					 (unsigned long long)seed,
					 (unsigned long long)n, k,
					 (long long)(x.act.end_s -
						     x.stock.end_s),
					 (long long)more_s);
			x.now_s += below(&x, 200);
			step(&x);
		}
	}
	assert_true(steps > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_is_rounded_up_but_for_dust),
		cmocka_unit_test(no_job_ends_sooner_than_under_stock),
	};

	return cmocka_run_group_tests_name("minutes", tests, NULL, NULL);
}
