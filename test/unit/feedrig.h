/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The adapter without Slurm: a snapshot is made by hand, fed, and what the engine then
 * holds and how many events it took is looked at.  One file of a test includes this.
 */
#ifndef CS_FEEDRIG_H
#define CS_FEEDRIG_H

#include "cs_test.h"

#include "common/learn/past.h"
#include "sched/feed/adapter_state.h"
#include "sched/feed/log_state.h"
#include "sched/view/view_table.h"

/* ---- what feed.c wants of others ------------------------------------------ */

static char said[512];
static unsigned n_said;
static char logged[512];      /* what happened to which job */
static double logged_at_s;    /* "at" of the last start that has it */
static double logged_floor_s; /* "floor" of the same */

void cs_say(bool bad, const char *fmt, ...)
{
	va_list ap;

	(void)bad;
	va_start(ap, fmt);
	vsnprintf(said, sizeof(said), fmt, ap);
	va_end(ap);
	n_said++;
}

void cs_logfile_write(struct cs_logfile *log, const char *lines, size_t len)
{
	size_t n = strlen(logged);
	char what[16];
	unsigned job;

	(void)log;
	assert_int_equal(lines[len - 1], '\n');
	if (sscanf(lines, "{\"t\":%*[^,],\"ev\":\"%15[a-z]\",\"job\":%u", what,
		   &job) == 2)
		snprintf(logged + n, sizeof(logged) - n, "%s %u ", what, job);
	if (strstr(lines, "\"failed\":true"))
		strcat(logged, "failed ");
	if (strstr(lines, "\"floor\":"))
		logged_floor_s = strtod(strstr(lines, "\"floor\":") + 8, NULL);
	if (strstr(lines, "\"at\":"))
		logged_at_s = strtod(strstr(lines, "\"at\":") + 5, NULL);
}

struct cs_view_made *cs_view_made_create(void)
{
	return calloc(1, 1);
}

void cs_view_made_free(struct cs_view_made *m)
{
	free(m);
}

/* ---- an adapter over four nodes of two by two cores -------------------------- */

#define S INT64_C(1000000)
#define T0 (1000000 * S)

static struct cs_adapter *b;

static inline void setup_adapter(const char *params)
{
	const struct cs_node like = { .sockets = 2,
				      .cores_per_socket = 2,
				      .threads = 1,
				      .weight = 1,
				      .memory_mb = 2000 };
	struct cs_err err;

	b = calloc(1, sizeof(*b));
	assert_int_equal(
		cs_params_parse(&b->params, CS_HOST_LIVE, params, "", &err), 0);
	b->mode = CS_MODE_ACT;
	b->log = (struct cs_logfile *)b; /* never looked at */
	b->profiles = cs_profiles_create();
	b->view = cs_view_create(&b->params, CS_MODE_ACT, true);
	b->view->machine = cs_machine_create(4, &like);
	b->view->map = calloc(4, sizeof(*b->view->map));
	b->view->up = calloc(1, sizeof(uint64_t));
	b->view->up[0] = 15;
	b->view->moved = calloc(1, sizeof(uint64_t));
	b->view->unready = calloc(1, sizeof(uint64_t));
	b->view->rebooting = calloc(1, sizeof(uint64_t));
	b->told.up = calloc(1, sizeof(uint64_t));
	b->told.up[0] = 15;
	b->told.unready = calloc(1, sizeof(uint64_t));
	b->told.rebooting = calloc(1, sizeof(uint64_t));
	b->told.haunted = calloc(1, sizeof(uint64_t));
	b->engine = cs_feed_engine(b, &err);
	b->now_us = T0;
	b->served_us = T0 + S; /* the jobs were there before */
	n_said = 0;
	*logged = '\0';
	assert_non_null(b->engine);
}

static inline int setup(void **state)
{
	(void)state;
	setup_adapter("order=fcfs");
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	cs_known_done(&b->known);
	cs_engine_free(b->engine);
	cs_view_free(b->view);
	cs_profiles_free(b->profiles);
	cs_params_done(&b->params);
	free(b->told.nodeset);
	free(b->told.up);
	free(b->told.unready);
	free(b->told.rebooting);
	free(b->told.haunted);
	free(b->told.resv);
	free(b->restored.kept);
	free(b->restored.line);
	free(b->ended.job);
	cs_checkpoint_drop_names(&b->restored);
	free(b->line);
	free(b);
	return 0;
}

/* Another adapter goes on from the state of this one. */
static inline void restarted(void)
{
	size_t len;
	char *saved = cs_checkpoint_save(b, &len);

	assert_non_null(saved);
	teardown(NULL);
	setup(NULL);
	cs_checkpoint_read(b, saved, len);
	free(saved);
}

/* ---- snapshots ------------------------------------------------------------- */

static inline void snapshot(void)
{
	cs_view_clear(b->view);
	b->now_us += S;
	b->view->now_us = b->now_us;
}

static inline struct cs_view_job *job_named(uint32_t id, const char *profile)
{
	static const uint64_t all = 15;
	size_t texts = 2 * CS_VIEW_TEXTS + strlen(profile);
	struct cs_view_job *j = cs_view_add(b->view, 1, texts);
	struct cs_view_option *o = cs_view_options(j);
	uint32_t at = sizeof(*o);

	j->id = id;
	j->desc.tasks = 1;
	j->desc.procs = 4;
	j->desc.cpus_per_proc = j->desc.min_nodes = 1;
	j->desc.base_procs = 4;
	j->desc.submit_us = j->desc.eligible_us = T0;
	j->desc.estimate_us = 600 * S;
	o->partition = cs_view_name(b->view->partitions, "main");
	o->set = cs_view_set(b->view->sets, &all, 1);
	o->limit_max_us = 6000 * S;
	o->priority = 10;
	for (int i = 0; i < CS_VIEW_TEXTS; i++) {
		const char *text = i == CS_VIEW_PROFILE	   ? profile
				   : i == CS_VIEW_CAMPAIGN ? ""
				   : i == CS_VIEW_FAULT	   ? ""
							   : "u";

		j->desc.text[i] = at;
		strcpy((char *)(j + 1) + at, text);
		at += (uint32_t)strlen(text) + 1;
	}
	b->view->n_waiting++;
	return j;
}

static inline struct cs_view_job *job(uint32_t id)
{
	return job_named(id, "");
}

/* A job on core 0 and 1 of node @node since @start_us. */
static inline struct cs_view_job *runs(uint32_t id, uint32_t node,
				       int64_t start_us)
{
	struct cs_view_job *j = job(id);
	struct cs_alloc *a = cs_alloc_create(1, b->view->machine->words);

	a->node[0].node = node;
	a->node[0].procs = 2;
	cs_alloc_cores(a, 0)[0] = 3;
	j->state = CS_VIEW_RUNNING;
	j->start_us = j->from_us = start_us;
	j->limit_us = 600 * S;
	j->n_node = 1;
	j->cpus = 2;
	assert_true(cs_view_take_alloc(b->view, j, a));
	return j;
}

static inline uint64_t feed(void)
{
	struct cs_err err = { "" };
	uint64_t before = b->count.events;

	if (cs_feed(b, &err))
		fail_msg("feed: %s", err.text);
	assert_int_equal(cs_engine_check(b->engine, &err), 0);
	return b->count.events - before;
}

static inline struct cs_engine_stats stats(void)
{
	struct cs_engine_stats st;

	cs_engine_stats(b->engine, &st);
	return st;
}

/* Where does a job for one whole node start?  Node + 1, 0: nowhere. */
static inline uint32_t place(void)
{
	struct cs_actions a;
	uint32_t node = 0;

	assert_int_equal(cs_engine_decide(b->engine, b->now_us, &a), 0);
	for (size_t i = 0; i < a.n; i++) {
		struct cs_event ev = {
			.type = CS_EV_REFUSED,
			.t_us = b->now_us,
			.refused = { .seq = a.action[i].seq,
				     .class = CS_REFUSED_GROUP,
				     .why = "test" },
		};

		node = a.action[i].alloc->node[0].node + 1;
		assert_int_equal(cs_engine_event(b->engine, &ev, NULL), 0);
	}
	return node;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
