/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulator as a host of actions that no policy of today asks for: an
 * engine that stops a job and lets it go on (linked with --wrap of the two
 * functions).
 */
#include "simrig.h"

#include <errno.h>

/* What is asked for, and when; 0: nothing. */
static int64_t suspend_at, resume_at;
static uint32_t suspend_job;
static int wakeups; /* beyond those; fruitless */

int __real_cs_engine_decide(struct cs_engine *e, int64_t now_us,
			    struct cs_actions *ret);
int __wrap_cs_engine_decide(struct cs_engine *e, int64_t now_us,
			    struct cs_actions *ret);
int64_t __wrap_cs_engine_next_wakeup_us(const struct cs_engine *e);

static int64_t told_us;

int __wrap_cs_engine_decide(struct cs_engine *e, int64_t now_us,
			    struct cs_actions *ret)
{
	static struct cs_action a[2];
	int rc = __real_cs_engine_decide(e, now_us, ret);
	bool stop = now_us == suspend_at && suspend_job;

	told_us = now_us;
	if (rc || ret->n || !(stop || (resume_at && now_us == resume_at)))
		return rc;
	a[0] = (struct cs_action){ .type = CS_ACT_SLICE,
				   .slice = CS_CLASS_LONG,
				   .until_us = now_us + 10 * S };
	a[1] = (struct cs_action){ .type = stop ? CS_ACT_SUSPEND
						: CS_ACT_RESUME,
				   .job_id = suspend_job };
	if (stop)
		suspend_at = 0;
	else
		resume_at = 0;
	*ret = (struct cs_actions){ .n = 2, .action = a };
	return 0;
}

int64_t __wrap_cs_engine_next_wakeup_us(const struct cs_engine *e)
{
	(void)e;
	if (suspend_at)
		return suspend_at;
	if (resume_at)
		return resume_at;
	return wakeups-- > 0 ? told_us + S : CS_TIME_NONE;
}

/* Job 1 runs from 0 to 30 and from 50 to 120; job 2 has its cores meanwhile. */
static void a_suspended_job_stands_still(void **state)
{
	struct simrig r;
	struct cs_metrics k;
	char *text;
	size_t len;

	(void)state;
	simrig_open(&r, "2x1x1", "policy=easy", NULL);
	simrig_add(&r, 1, 0, 2, 100, 100, 1);
	simrig_add(&r, 2, 5, 2, 15, 15, 1);
	r.options.thorough = true;
	r.options.events = open_memstream(&text, &len);
	suspend_at = 30 * S;
	resume_at = 50 * S;
	suspend_job = 1;
	wakeups = 3;
	simrig_run(&r);
	fclose(r.options.events);
	assert_close(simrig_start(&r, 1), 30, 0);
	assert_close(simrig_end(&r, 1), 45, 0);
	assert_close(simrig_end(&r, 0), 120, 0);
	assert_int_equal(r.result.job[0].ran_us, 100 * S);
	assert_int_equal(
		cs_metrics(&k, &r.trace, &r.result, r.machine, &r.params), 0);
	assert_close(k.utilization, 230 / 240., 1e-12);
	assert_contains(text, "{\"t\":30.000000,\"ev\":\"slice\",\"slice\":"
			      "\"long\",\"until\":40}\n"
			      "{\"t\":30.000000,\"ev\":\"suspend\",\"job\":1}");
	assert_contains(text,
			"{\"t\":50.000000,\"ev\":\"resume\",\"job\":1}\n");
	simrig_check_log(text, len);
	free(text);
	simrig_close(&r);
}

static void a_job_that_never_goes_on_is_an_error(void **state)
{
	struct cs_sim_result result;
	struct cs_err err;
	struct simrig r;

	(void)state;
	simrig_open(&r, "2x1x1", "policy=easy", NULL);
	simrig_add(&r, 1, 0, 2, 100, 100, 1);
	r.options.thorough = true;
	suspend_at = 30 * S;
	resume_at = 0;
	suspend_job = 1;
	wakeups = 1000000; /* they do not keep it going for ever */
	assert_int_equal(cs_sim_run(&r.options, &r.trace, &result, &err),
			 -EINVAL);
	assert_string_equal(err.text, "1 of 1 jobs stand still for ever, the "
				      "first is job 1");
	simrig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_suspended_job_stands_still),
		cmocka_unit_test(a_job_that_never_goes_on_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
