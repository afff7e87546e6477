/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mode act ends with many jobs (apply/leave.c, after_act.c, let_go.c): slurmctld's locks are
 * held for a bounded number of jobs at a time, and the saved state is read without them; no
 * job resumes once slurmctld ends. */
#include "cs_test.h"

#include "sched/apply/after_act.c"
#include "sched/apply/leave.c"
#include "sched/apply/let_go.c"

#define JOBS 32000

static job_record_t job[JOBS];
static int64_t now_us;
static unsigned looked_up; /* jobs, in this step */

int64_t cs_gate_now_us(void)
{
	return now_us++;
}

/* ---- slurmctld's ------------------------------------------------------------- */

list_t *job_list;
time_t last_job_update;

int list_count(list_t *l)
{
	(void)l;
	return JOBS;
}

int list_for_each(list_t *l, ListForF fn, void *arg)
{
	(void)l;
	for (int i = 0; i < JOBS; i++)
		fn(&job[i], arg);
	return JOBS;
}

job_record_t *find_job_record(uint32_t id)
{
	looked_up++;
	return id && id <= JOBS ? &job[id - 1] : NULL;
}

int xstrncmp(const char *a, const char *b, size_t n)
{
	return strncmp(a, b, n);
}

void slurm_xfree(void **p)
{
	free(*p);
	*p = NULL;
}

void cs_slurm_look(struct cs_stamps *s)
{
	(void)s;
}

void cs_slurm_unlock(struct cs_stamps *s)
{
	(void)s;
}

void cs_slurm_unplan(void)
{
}

slurm_conf_t slurm_conf;
int node_record_count;

static int next;

list_itr_t *list_iterator_create(list_t *l)
{
	next = 0;
	return (list_itr_t *)l;
}

void *list_next(list_itr_t *i)
{
	(void)i;
	return next < JOBS ? &job[next++] : NULL;
}

void list_iterator_destroy(list_itr_t *i)
{
	(void)i;
}

int get_log_level(void)
{
	return 0;
}

void log_var(const log_level_t level, const char *fmt, ...)
{
	(void)level;
	(void)fmt;
}

/* Of cs_let_go_tell(), which is not called here. */
bitstr_t *bit_alloc(bitoff_t n)
{
	(void)n;
	return NULL;
}

void slurm_bit_free(bitstr_t **b)
{
	*b = NULL;
}

void bit_or(bitstr_t *a, bitstr_t *b)
{
	(void)a;
	(void)b;
}

int bit_overlap_any(bitstr_t *a, bitstr_t *b)
{
	(void)a;
	(void)b;
	return 0;
}

/* ---- ours ---------------------------------------------------------------------- */

bool cs_stop_may(const job_record_t *job_ptr)
{
	(void)job_ptr;
	return false;
}

static unsigned resumed, ends_after = JOBS;

int cs_stop_job(uint32_t id, bool stop)
{
	assert_false(stop);
	job[id - 1].job_state = JOB_RUNNING;
	resumed++;
	return 0;
}

void cs_stop_say_again(const job_record_t *job_ptr)
{
	(void)job_ptr;
}

static bool ends(void)
{
	return resumed >= ends_after;
}

void cs_apply_comment(job_record_t *job_ptr, const struct cs_comment *part)
{
	(void)part;
	job_ptr->system_comment = NULL;
}

int64_t cs_apply_limit_us(const job_record_t *job_ptr)
{
	return job_ptr->time_limit * INT64_C(60000000);
}

static unsigned reads;

/* Of each second job: that has a limit raised from 10 to 12 minutes. */
uint32_t cs_checkpoint_jobs(const char *text, size_t len, struct cs_kept **ret)
{
	struct cs_kept *kept = calloc(JOBS, sizeof(*kept));

	(void)text;
	(void)len;
	reads++;
	for (uint32_t i = 0; i < JOBS; i++) {
		kept[i].id = i + 1;
		kept[i].raised_from = i % 2 ? 10 : 0;
		kept[i].limit_us = 12 * INT64_C(60000000);
	}
	*ret = kept;
	return JOBS;
}

static char *text(const char *s)
{
	return strcpy(malloc(strlen(s) + 1), s);
}

static int set_up(void **state)
{
	(void)state;
	memset(job, 0, sizeof(job));
	for (uint32_t i = 0; i < JOBS; i++) {
		job[i].job_id = i + 1;
		job[i].time_limit = 12;
		job[i].limit_set.time = ADMIN_SET_LIMIT;
	}
	job_list = (list_t *)job; /* never looked at */
	return 0;
}

/* Of a step whose time is over: @n jobs at most. */
#define STEP(call, most)                                           \
	({                                                         \
		int more_;                                         \
                                                                   \
		looked_up = 0;                                     \
		more_ = (call);                                    \
		assert_true(looked_up > 0 && looked_up <= (most)); \
		more_;                                             \
	})

static void running_jobs_lose_the_mark_in_steps(void **state)
{
	struct cs_after a = { 0 };
	unsigned steps = 1;

	(void)state;
	for (uint32_t i = 0; i < JOBS; i++)
		job[i].job_state = JOB_RUNNING;
	cs_after_read(&a, "x", 1);
	assert_int_equal(reads, 1);
	assert_int_equal(looked_up, 0); /* no lock is held */
	while (STEP(cs_after_step(&a, now_us), TURN))
		steps++;
	assert_int_equal(steps, JOBS / 2 / TURN);
	assert_int_equal(reads, 1);
	assert_int_equal(a.n, JOBS / 2);
	for (uint32_t i = 0; i < JOBS; i++)
		assert_int_equal(job[i].limit_set.time,
				 i % 2 ? 0 : ADMIN_SET_LIMIT);
	/* one waits again */
	job[1].job_state = JOB_PENDING;
	assert_true(cs_after_look(&a));
	assert_int_equal(job[1].time_limit, 10);
	assert_int_equal(a.n, JOBS / 2 - 1);
	cs_after_end(&a);
	assert_null(a.kept);
	looked_up = 0;
}

static void waiting_jobs_show_nothing_of_ours_after_the_steps(void **state)
{
	struct cs_leave l = { .ends = true, .predicted = true };
	unsigned steps = 0;

	(void)state;
	for (uint32_t i = 0; i < JOBS; i++) {
		job[i].job_state = i % 4 ? JOB_PENDING : JOB_RUNNING;
		job[i].start_time = 7;
		job[i].sched_nodes = i % 4 ? text("n1") : NULL;
		job[i].state_desc = i % 8 == 1 ? text("cosched: x") : NULL;
	}
	while (STEP(cs_leave_step(&l, now_us), TURN)) {
		if (!steps++) /* one starts between two steps */
			job[JOBS - 1].job_state = JOB_RUNNING;
	}
	assert_int_equal(steps, JOBS / 4 * 3 / TURN - 1);
	for (uint32_t i = 0; i < JOBS - 1; i++) {
		assert_int_equal(job[i].start_time, i % 4 ? 0 : 7);
		assert_null(job[i].sched_nodes);
		assert_null(job[i].state_desc);
	}
	assert_int_equal(job[JOBS - 1].start_time, 7);
	free(job[JOBS - 1].sched_nodes);
	cs_leave_done(&l);
}

static void no_stopped_job_resumes_once_slurmctld_ends(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < JOBS; i++) {
		job[i].job_state = JOB_SUSPENDED;
		job[i].priority = 1;
	}
	ends_after = 3;
	assert_true(cs_let_go_resume(ends));
	assert_int_equal(resumed, 3);
	assert_int_equal(cs_let_go_left(), JOBS - 3);
}

static void act_begins_with_reasons_alone(void **state)
{
	struct cs_leave l = { .ends = false };

	(void)state;
	job[0].start_time = job[1].start_time = 7;
	job[0].state_desc = text("Priority, cosched: x");
	job[1].state_desc = text("Priority");
	while (cs_leave_step(&l, now_us))
		;
	assert_null(job[0].state_desc);
	assert_string_equal(job[1].state_desc, "Priority");
	assert_int_equal(job[0].start_time, 7);
	free(job[1].state_desc);
	cs_leave_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(running_jobs_lose_the_mark_in_steps,
				       set_up),
		cmocka_unit_test_setup(
			waiting_jobs_show_nothing_of_ours_after_the_steps,
			set_up),
		cmocka_unit_test_setup(
			no_stopped_job_resumes_once_slurmctld_ends, set_up),
		cmocka_unit_test_setup(act_begins_with_reasons_alone, set_up),
	};

	return cmocka_run_group_tests_name("leave", tests, NULL, NULL);
}
