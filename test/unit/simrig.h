/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces made by hand, and simulations of them, for the simulator's tests. */
#ifndef CS_SIMRIG_H
#define CS_SIMRIG_H

#include "cs_test.h"

#include "cosched/check/check_log.h"
#include "sim/sim.h"

#define S INT64_C(1000000)

struct simrig {
	struct cs_machine *machine;
	struct cs_params params;
	struct cs_profiles *profiles;
	struct cs_sim_options options; /* of the three above */
	struct cs_trace trace;
	struct cs_sim_result result; /* of the last simulation */
};

static inline void simrig_open(struct simrig *r, const char *machine,
			       const char *params, const char *profiles)
{
	struct cs_err err = { "" };

	memset(r, 0, sizeof(*r));
	if (cs_sim_machine(machine, &r->machine, &err) ||
	    cs_params_parse(&r->params, CS_HOST_SIM, params, "", &err) ||
	    (profiles && cs_profiles_read(&r->profiles, profiles,
					  strlen(profiles), "test", &err)))
		fail_msg("%s", err.text);
	r->options = (struct cs_sim_options){ .machine = r->machine,
					      .params = &r->params,
					      .profiles = r->profiles,
					      .version = "test" };
}

static inline void simrig_close(struct simrig *r)
{
	cs_sim_result_done(&r->result);
	cs_profiles_free(r->profiles);
	cs_params_done(&r->params);
	cs_machine_free(r->machine);
	free(r->trace.job);
}

/* One more job; times in seconds, of executable @exe. */
static inline struct cs_trace_job *simrig_add(struct simrig *r, uint32_t id,
					      double submit_s, uint32_t procs,
					      double runtime_s,
					      double estimate_s, int exe)
{
	struct cs_trace *t = &r->trace;
	struct cs_trace_job *j;

	j = realloc(t->job, (t->n + 1) * sizeof(*j));
	assert_non_null(j);
	t->job = j;
	t->job[t->n] = (struct cs_trace_job){
		.id = id,
		.procs = procs,
		.submit_us = (int64_t)(submit_s * 1e6),
		.runtime_us = (int64_t)(runtime_s * 1e6),
		.estimate_us = (int64_t)(estimate_s * 1e6),
		.wait_us = -1,
		.user = (int32_t)id % 3,
		.group = -1,
		.exe = exe,
	};
	return &t->job[t->n++];
}

static inline void simrig_run(struct simrig *r)
{
	struct cs_err err = { "" };

	cs_sim_result_done(&r->result);
	if (cs_sim_run(&r->options, &r->trace, &r->result, &err))
		fail_msg("%s", err.text);
}

static inline void simrig_breach(void *arg, uint64_t line, const char *text)
{
	(void)arg;
	print_error("line %llu: %s\n", (unsigned long long)line, text);
}

static inline void simrig_check_log(const char *text, size_t len)
{
	struct cs_checkstate *c = cs_checkstate_create();
	struct cs_checklog k = { .breach = simrig_breach };
	FILE *f = fmemopen((void *)(uintptr_t)text, len, "r");

	assert_int_equal(cs_checklog(&k, c, f), 0);
	fclose(f);
	cs_checkstate_free(c);
	assert_int_equal(k.breaches, 0);
}

/* Simulate, and let the checker read the event log. */
static inline void simrig_run_checked(struct simrig *r)
{
	char *text;
	size_t len;

	r->options.events = open_memstream(&text, &len);
	simrig_run(r);
	fclose(r->options.events);
	r->options.events = NULL;
	simrig_check_log(text, len);
	free(text);
}

/* Start of the @i-th job of the trace, in seconds. */
static inline double simrig_start(const struct simrig *r, size_t i)
{
	return (double)r->result.job[i].start_us / 1e6;
}

static inline double simrig_end(const struct simrig *r, size_t i)
{
	return (double)r->result.job[i].end_us / 1e6;
}

#endif
