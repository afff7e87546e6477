/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random histories of the engine, logged as a host logs them, keep the rules of
 * `cosched check`: the checker reads the log alone and books cores by itself.
 */
#include "cs_test.h"
#include "rig.h"

#include "cosched/check/check_log.h"
#include "common/log/write_line.h"

#define NODES 5
#define JOBS 60
#define LINE_MAX_BYTES 65536

struct world {
	struct rig rig;
	FILE *log;
	char *text;
	size_t len;
	uint64_t rng;
	uint32_t submitted, next_task;
	uint64_t starts;
	bool down[NODES];
	bool array[JOBS + 1];
};

static uint32_t draw(struct world *w, uint32_t n)
{
	return (uint32_t)cs_test_draw(&w->rng, n);
}

/* ---- engine and log ------------------------------------------------------- */

static void write_line(struct world *w, const char *line, int n)
{
	assert_true(n > 0 && n < LINE_MAX_BYTES);
	assert_int_equal(fwrite(line, 1, (size_t)n, w->log), n);
}

/* Log first: the engine may free what the event speaks of. */
static void tell(struct world *w, struct cs_event ev,
		 const struct cs_action *act)
{
	static char line[LINE_MAX_BYTES];
	struct cs_err err = { "" };

	ev.t_us = w->rig.now_us;
	write_line(w, line,
		   cs_log_event(line, sizeof(line), w->rig.engine, &ev, act));
	if (cs_engine_event(w->rig.engine, &ev, &err))
		fail_msg("%s", err.text);
}

static void tell_action(struct world *w, const struct cs_action *act,
			bool would)
{
	static char line[LINE_MAX_BYTES];

	write_line(
		w, line,
		cs_log_action(line, sizeof(line), w->rig.now_us, act, would));
}

static void begin_stretch(struct world *w)
{
	static char line[LINE_MAX_BYTES];

	write_line(w, line,
		   cs_log_header(line, sizeof(line), w->rig.machine,
				 &w->rig.params,
				 (enum cs_mode)w->rig.params.mode, NULL, NULL,
				 0, NULL, "test"));
}

/* ---- decisions ------------------------------------------------------------ */

static struct cs_action *copy_actions(const struct cs_actions *a)
{
	struct cs_action *c = calloc(a->n + 1, sizeof(*c));

	assert_non_null(c);
	for (size_t i = 0; i < a->n; i++) {
		c[i] = a->action[i];
		if (c[i].alloc)
			c[i].alloc = cs_alloc_copy(c[i].alloc);
	}
	return c;
}

static void confirm(struct world *w, const struct cs_action *a)
{
	bool array = w->array[a->job_id];
	struct cs_started s = {
		.seq = a->seq,
		.job_id = array ? w->next_task++ : a->job_id,
		.array_id = array ? a->job_id : 0,
		.start_us = w->rig.now_us,
		.limit_us = a->limit_us ? a->limit_us : 3600 * RIG_S,
		.alloc = a->alloc,
	};

	tell(w, (struct cs_event){ .type = CS_EV_STARTED, .start = &s }, a);
	w->starts++;
}

static bool was_refused(const uint32_t *seq, size_t n, uint32_t needs)
{
	for (size_t i = 0; needs && i < n; i++)
		if (seq[i] == needs)
			return true;
	return false;
}

static void apply(struct world *w, const struct cs_action *a, uint32_t *gone,
		  size_t *n_gone)
{
	bool group = was_refused(gone, *n_gone, a->needs);
	struct cs_event no = {
		.type = CS_EV_REFUSED,
		.refused = { a->seq,
			     group ? CS_REFUSED_GROUP : CS_REFUSED_TIMED,
			     "test" },
	};

	if (a->type != CS_ACT_START) {
		tell_action(w, a, false);
	} else if (group || !draw(w, 8)) {
		tell(w, no, a);
		gone[(*n_gone)++] = a->seq;
	} else {
		confirm(w, a);
	}
}

static void decide(struct world *w)
{
	struct cs_actions a;
	size_t n;

	do {
		uint32_t gone[256];
		size_t n_gone = 0;
		struct cs_action *c;

		assert_int_equal(
			cs_engine_decide(w->rig.engine, w->rig.now_us, &a), 0);
		n = a.n;
		assert_true(n < 256);
		c = copy_actions(&a);
		for (size_t i = 0; i < n; i++) {
			if (!draw(w, 4))
				tell_action(w, &c[i], true);
			apply(w, &c[i], gone, &n_gone);
		}
		for (size_t i = 0; i < n; i++)
			cs_alloc_free((struct cs_alloc *)(uintptr_t)c[i].alloc);
		free(c);
	} while (n);
}

/* ---- what happens --------------------------------------------------------- */

static const char *const names[] = { "a", "b", "c", NULL };

static void submit(struct world *w)
{
	uint32_t id = ++w->submitted;
	struct cs_job j = rig_job(&w->rig, id, 1 + draw(w, 8), 1 + draw(w, 300),
				  names[draw(w, 4)]);

	if (!draw(w, 10))
		j.flags = CS_JOB_EXCLUSIVE;
	if (!draw(w, 6)) {
		w->array[id] = true;
		j.array_id = id;
		j.tasks = 1 + draw(w, 4);
	}
	tell(w, (struct cs_event){ .type = CS_EV_SUBMIT, .job = &j }, NULL);
}

/* A job of that kind, or 0. */
static uint32_t some(struct world *w, bool running)
{
	uint32_t id[1024];
	size_t n = cs_engine_list(w->rig.engine, running, id, 1024);

	return n ? id[draw(w, (uint32_t)n)] : 0;
}

static void one(struct world *w, enum cs_event_type type, uint32_t id)
{
	tell(w, (struct cs_event){ .type = type, .job_id = id }, NULL);
}

static void requeue(struct world *w, uint32_t id)
{
	struct cs_job j = rig_job(&w->rig, id, 1 + draw(w, 8), 60, "a");

	if (id > JOBS)
		return;
	w->array[id] = false;
	j.flags = CS_JOB_REQUEUED;
	tell(w, (struct cs_event){ .type = CS_EV_REQUEUE, .job = &j }, NULL);
}

static void disturb_running(struct world *w)
{
	uint32_t id = some(w, true);
	struct cs_running r;

	if (!id)
		return;
	cs_engine_running(w->rig.engine, id, &r);
	switch (draw(w, 5)) {
	case 0:
		/* nothing here resumes: its cores may be somebody's */
		if (!r.suspended)
			one(w, CS_EV_SUSPEND, id);
		break;
	case 1:
		requeue(w, id);
		break;
	default:
		one(w, CS_EV_FINISH, id);
		break;
	}
}

static void disturb_waiting(struct world *w)
{
	uint32_t id = some(w, false);

	if (id)
		one(w, CS_EV_CANCEL, id);
}

static void toggle_node(struct world *w)
{
	uint32_t n = draw(w, NODES);

	w->down[n] = !w->down[n];
	tell(w,
	     (struct cs_event){ .type = CS_EV_NODE,
				.node = { n, !w->down[n], NULL, "test" } },
	     NULL);
}

static void step(struct world *w)
{
	w->rig.now_us += draw(w, 40) * RIG_S / 4;
	switch (draw(w, 12)) {
	case 0:
		toggle_node(w);
		break;
	case 1:
		disturb_waiting(w);
		break;
	case 2:
	case 3:
	case 4:
	case 5:
		disturb_running(w);
		break;
	default:
		if (w->submitted < JOBS)
			submit(w);
		break;
	}
	if (draw(w, 3))
		decide(w);
}

/* ---- the test ------------------------------------------------------------- */

static const char profiles[] =
	"{\"version\":1,\"profiles\":{"
	" \"a\":{\"self\":{\"1\":1,\"4\":1.3},\"resources\":{\"cpu\":0.9}},"
	" \"b\":{\"self\":{\"1\":1,\"4\":1.1},\"resources\":{\"disk\":0.9}},"
	" \"c\":{\"self\":{\"1\":1,\"4\":1.6},"
	"        \"resources\":{\"cpu\":0.5,\"disk\":0.7}}},"
	"\"pairs\":[{\"of\":\"a\",\"beside\":\"b\",\"slowdown\":1.1}]}";

static const char *const policies[] = {
	"policy=fcfs",
	"policy=easy,unprofiled=model",
	"policy=pack",
	"policy=ssp,unprofiled=model",
	"policy=cstws",
	"policy=cst",
	"policy=cst,jobs_per_node=3",
	"policy=cst,jobs_per_node=1",
	"policy=cstws,backfill=easy",
	"policy=cst,backfill=easy",
	"policy=cst,backfill=easy,cases=12345,jobs_per_node=3",
};

#define FAILED "test_check_engine.failed"

static void breach(void *arg, uint64_t line, const char *text)
{
	const struct world *w = arg;
	FILE *file = fopen(FAILED, "w");

	if (file) {
		fwrite(w->text, 1, w->len, file);
		fclose(file);
	}
	fail_msg(FAILED ":%llu: %s", (unsigned long long)line, text);
}

static void check_log(struct world *w)
{
	struct cs_checkstate *state = cs_checkstate_create();
	struct cs_checklog k = { .breach = breach, .arg = w };
	FILE *file = fmemopen(w->text, w->len, "r");

	assert_non_null(state);
	assert_non_null(file);
	assert_int_equal(cs_checklog(&k, state, file), 0);
	assert_int_equal(k.counts.starts, w->starts);
	assert_true(k.counts.starts > 5);
	fclose(file);
	cs_checkstate_free(state);
}

static void history(uint64_t seed, const char *policy)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->rng = seed;
	w->next_task = 1000;
	w->log = open_memstream(&w->text, &w->len);
	assert_non_null(w->log);
	rig_open(&w->rig, policy, profiles, NODES, 2, 2, 4000);
	begin_stretch(w);
	for (int i = 0; i < 300; i++)
		step(w);
	fclose(w->log);
	check_log(w);
	rig_close(&w->rig);
	free(w->text);
	free(w);
}

static void logs_of_the_engine_keep_the_rules(void **arg)
{
	uint64_t seed = cs_test_seed(),
		 n = sizeof(policies) / sizeof(*policies);
	uint64_t worlds = cs_test_worlds(25 * n);

	(void)arg;
	for (uint64_t i = 0; i < worlds; i++)
		history(cs_test_draw(&seed, UINT64_MAX), policies[i % n]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_of_the_engine_keep_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
