/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of events and actions, but for starts (log/write_line.c). */
#include "linerig.h"

static void submit_leaves_out_what_is_usual(void **state)
{
	const struct cs_job j = plain_job();
	const struct cs_event ev = { .type = CS_EV_SUBMIT, .job = &j };

	(void)state;
	expect_event(&ev, NULL,
		     "{\"t\":0.000000,\"ev\":\"submit\",\"job\":17,\"user\":"
		     "\"u3\",\"procs\":16,\"estimate\":3600,\"profile\":"
		     "\"cg\"}");
}

static void submit_holds_all_that_the_engine_was_given(void **state)
{
	const struct cs_job_partition option[] = {
		{ .partition = 0, .nodeset = 0, .limit_max_us = CS_TIME_NONE },
		{ .partition = 3,
		  .tier = 2,
		  .priority = UINT64_MAX,
		  .nodeset = 1,
		  .limit_max_us = 90 * S,
		  .flags = CS_JOB_EXCLUSIVE | CS_JOB_BLOCKED },
		{ .partition = 4, .nodeset = 2, .limit_max_us = CS_TIME_NONE },
		{ .partition = 5, .nodeset = 9, .limit_max_us = CS_TIME_NONE },
	};
	struct cs_job j = {
		.id = UINT32_MAX,
		.array_id = 7,
		.tasks = 12,
		.flags = CS_JOB_NO_SHARE | CS_JOB_HOST | CS_JOB_REQUEUED |
			 CS_JOB_BORROWS,
		.user = "alice",
		.account = "physics",
		.name = "cfd \"x\"",
		.partition = "a,b",
		.profile = "",
		.procs = 8,
		.cpus_per_proc = 2,
		.min_nodes = 3,
		.max_nodes = 4,
		.procs_per_node = 2,
		.base_procs = 4,
		.mem_node_mb = 100,
		.mem_cpu_mb = 50,
		.least_cpus = 3,
		.threads = 2,
		.mem_threads = 1,
		.reservation = 6,
		.warn_s = 120,
		.wishes = 4000000000,
		.submit_us = 10 * S,
		.eligible_us = 10 * S + 250000,
		.after_us = 20 * S,
		.estimate_us = 1500000,
		.option = option,
		.n_option = 4,
	};
	struct cs_event ev = { .type = CS_EV_SUBMIT,
			       .t_us = 12 * S + 5,
			       .job = &j };
	static const char rest[] =
		"\"job\":4294967295,\"array\":7,\"tasks\":12,\"user\":\"alice\""
		",\"account\":\"physics\",\"name\":\"cfd \\\"x\\\"\","
		"\"partition\":\"a,b\",\"procs\":8,\"cpus\":2,\"nodes_min\":3,"
		"\"nodes_max\":4,\"ppn\":2,\"base_procs\":4,\"mem_node_mb\":100"
		",\"mem_cpu_mb\":50,\"cpus_least\":3,\"threads\":2,"
		"\"mem_threads\":1,\"reservation\":6,\"warn\":120,\"wishes\":4000000000,\"submit\":10,"
		"\"eligible\":10.250000,\"after\":20,\"estimate\":1.500000,\"flags\":["
		"\"no_share\",\"host\",\"requeued\",\"borrows\"],\"options\":["
		"{\"nodes\":\"0-3,7\"},"
		"{\"partition\":3,\"tier\":2,\"priority\":18446744073709551615,"
		"\"nodes\":\"0-64\",\"limit_max\":90,\"flags\":[\"exclusive\","
		"\"blocked\"]},"
		"{\"partition\":4,\"nodes\":\"127\"},{\"partition\":5}]}";
	static const struct {
		enum cs_event_type type;
		const char *name;
	} row[] = {
		{ CS_EV_SUBMIT, "submit" },
		{ CS_EV_CHANGE, "change" },
		{ CS_EV_REQUEUE, "requeue" },
	};
	char want[2048], *line;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		ev.type = row[i].type;
		snprintf(want, sizeof(want),
			 "{\"t\":12.000005,\"ev\":\"%s\",%s", row[i].name,
			 rest);
		expect_event(&ev, NULL, want);
	}
	j.mem_node_mb = CS_MEM_ALL;
	line = line_of(&(struct call){ .what = EVENT, .ev = &ev });
	assert_contains(line, "\"mem_node_mb\":\"all\"");
	free(line);
}

static void without_an_engine_options_have_no_nodes(void **state)
{
	const struct cs_job_partition option = { .partition = 1,
						 .tier = 2,
						 .limit_max_us = CS_TIME_NONE };
	struct cs_job j = plain_job();
	const struct cs_event ev = { .type = CS_EV_SUBMIT, .job = &j };
	char buf[512];

	(void)state;
	j.option = &option;
	j.n_option = 1;
	cs_log_event(buf, sizeof(buf), NULL, &ev, NULL);
	assert_contains(buf, "\"options\":[{\"partition\":1,\"tier\":2}]}\n");
}

static void events_of_a_job(void **state)
{
	static const struct {
		enum cs_event_type type;
		const char *name;
	} row[] = {
		{ CS_EV_CANCEL, "cancel" },
		{ CS_EV_FINISH, "finish" },
		{ CS_EV_SUSPEND, "suspend" },
		{ CS_EV_RESUME, "resume" },
	};
	char want[128];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct cs_event ev = { .type = row[i].type,
					     .t_us = 9 * S,
					     .job_id = 17 };

		snprintf(want, sizeof(want),
			 "{\"t\":9.000000,\"ev\":\"%s\",\"job\":17%s}",
			 row[i].name,
			 row[i].type == CS_EV_SUSPEND ||
					 row[i].type == CS_EV_RESUME
				 ? ",\"by\":\"host\""
				 : "");
		expect_event(&ev, NULL, want);
	}
	expect_event(&(struct cs_event){ .type = CS_EV_SUSPEND,
					 .keeps = true,
					 .t_us = 9 * S,
					 .job_id = 17 },
		     NULL,
		     "{\"t\":9.000000,\"ev\":\"suspend\",\"job\":17,"
		     "\"by\":\"host\",\"keeps\":true}");
	/* what a time slice asked for */
	expect_event(&(struct cs_event){ .type = CS_EV_SUSPEND,
					 .t_us = 9 * S,
					 .job_id = 17 },
		     &(struct cs_action){ .type = CS_ACT_SUSPEND },
		     "{\"t\":9.000000,\"ev\":\"suspend\",\"job\":17}");
}

static void refusals_have_their_class(void **state)
{
	static const char *const name[] = { "changed", "timed", "place",
					    "limit", "group" };
	const struct cs_action act = { .type = CS_ACT_START, .job_id = 17 };
	struct cs_event ev = { .type = CS_EV_REFUSED,
			       .t_us = S,
			       .refused = { .seq = 4, .why = "no\nroom" } };
	char want[256];

	(void)state;
	for (int i = 0; i < 5; i++) {
		ev.refused.class = (enum cs_refused)i;
		snprintf(want, sizeof(want),
			 "{\"t\":1.000000,\"ev\":\"refuse\",\"job\":17,\"seq\":"
			 "4,\"class\":\"%s\",\"why\":\"no\\u000aroom\"}",
			 name[i]);
		expect_event(&ev, &act, want);
	}
	ev.refused.why = NULL;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"refuse\",\"seq\":4,\"class\":"
		     "\"group\"}");
}

static void events_of_the_machine(void **state)
{
	const uint32_t node[] = { 0, 1, 2, 7, 9, 10, 3 };
	struct cs_alloc *cores = cs_alloc_create(3, 1);
	struct cs_reservation r = { .id = 5,
				    .n = 7,
				    .node = node,
				    .start_us = S,
				    .end_us = 2 * S + 1 };
	char name[] = "n3";
	struct cs_node now = { .name = name,
			       .sockets = 2,
			       .cores_per_socket = 8,
			       .threads = 2,
			       .weight = 5,
			       .memory_mb = 4000 };
	struct cs_event ev = { .type = CS_EV_NODE,
			       .t_us = S,
			       .node = { .index = 3, .why = "drained" } };

	(void)state;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"node\",\"node\":3,\"up\":false,"
		     "\"why\":\"drained\"}");
	ev.node.up = true;
	ev.node.why = NULL;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"node\",\"node\":3,\"up\":true}");
	ev.node.now = &now;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"node\",\"node\":3,\"up\":true,"
		     "\"sockets\":2,\"cores\":8,\"threads\":2,"
		     "\"memory_mb\":4000,\"weight\":5,\"name\":\"n3\"}");
	now = (struct cs_node){ .sockets = 1, .threads = 1 };
	ev.node.up = false;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"node\",\"node\":3,\"up\":false,"
		     "\"sockets\":1,\"cores\":0}");
	ev = (struct cs_event){ .type = CS_EV_RESERVATION,
				.t_us = S,
				.reservation = &r };
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"reservation\",\"reservation\":5,"
		     "\"nodes\":\"0-2,7,9-10,3\",\"start\":1,"
		     "\"end\":2.000001}");
	r.end_us = CS_TIME_NONE;
	r.n = 1;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"reservation\",\"reservation\":5,"
		     "\"nodes\":\"0\",\"start\":1}");
	r.n = 3;
	r.cores = cores;
	r.flags = CS_RESV_MAINT | CS_RESV_OVERLAP | CS_RESV_FLEX |
		  CS_RESV_FLOAT | CS_RESV_ALL | CS_RESV_TAKEN | CS_RESV_LENDS;
	r.delay_s = 300;
	cores->node[1].node = 1;
	cores->node[2].node = 2;
	cs_alloc_cores(cores, 0)[0] = cs_alloc_cores(cores, 1)[0] = 3;
	cs_alloc_cores(cores, 2)[0] = 8;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"reservation\",\"reservation\":5,"
		     "\"nodes\":\"0-2\",\"start\":1,\"delay\":300,"
		     "\"cores\":{\"0-1\":\"0-1\",\"2\":\"3\"},\"flags\":["
		     "\"maint\",\"overlap\",\"flex\",\"float\",\"all\","
		     "\"taken\",\"lends\"]}");
	cs_alloc_free(cores);
	r.cores = NULL;
	r.n = 0;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"reservation\",\"reservation\":5,"
		     "\"nodes\":\"\"}");
	ev = (struct cs_event){ .type = CS_EV_TICK, .t_us = S };
	expect_event(&ev, NULL, "{\"t\":1.000000,\"ev\":\"tick\"}");
	ev.freed = true;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"tick\",\"freed\":true}");
	ev = (struct cs_event){ .type = CS_EV_FINISH, .t_us = S, .job_id = 17 };
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"finish\",\"job\":17}");
	ev.failed = true;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"finish\",\"job\":17,"
		     "\"failed\":true}");
	ev = (struct cs_event){ .type = CS_EV_LIMIT,
				.t_us = S,
				.limit = { 17, 60 * S } };
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"limit\",\"job\":17,\"by\":"
		     "\"host\",\"limit\":60}");
	ev = (struct cs_event){ .type = CS_EV_BEGIN,
				.t_us = 9 * S,
				.begin = { 17, 8 * S, 8 * S } };
	expect_event(
		&ev, NULL,
		"{\"t\":9.000000,\"ev\":\"begin\",\"job\":17,\"start\":8}");
	ev.begin.start_us = S;
	expect_event(&ev, NULL,
		     "{\"t\":9.000000,\"ev\":\"begin\",\"job\":17,\"start\":1,"
		     "\"from\":8}");
	ev = (struct cs_event){ .type = CS_EV_LIMIT,
				.t_us = S,
				.limit = { 17, 60 * S } };
	ev.limit.limit_us = CS_TIME_NONE;
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"limit\",\"job\":17,\"by\":"
		     "\"host\"}");
	cores = alloc_of(1, 2, 0xa, 2);
	ev = (struct cs_event){ .type = CS_EV_RESIZE,
				.t_us = S,
				.resize = { .job_id = 17, .alloc = cores } };
	expect_event(&ev, NULL,
		     "{\"t\":1.000000,\"ev\":\"resize\",\"job\":17,\"ppn\":2,"
		     "\"alloc\":{\"1-2\":\"1,3\"}}");
	cs_alloc_free(cores);
}

static void actions_and_what_would_have_been(void **state)
{
	const uint64_t near = 0x17;
	struct cs_alloc *a = alloc_of(1, 2, 0xa, 2);
	struct cs_action act = { .type = CS_ACT_START,
				 .seq = 6,
				 .needs = 5,
				 .job_id = 18,
				 .option = 1,
				 .alloc = a,
				 .procs_per_node = 2,
				 .limit_us = 75 * S,
				 .group = 2,
				 .role = CS_ROLE_MATCHED,
				 .partner_id = 17,
				 .rule = 2,
				 .slowdown = 1.25,
				 .gain = 0.5 };

	(void)state;
	expect_action(9 * S, &act, true,
		      "{\"t\":9.000000,\"ev\":\"would\",\"do\":\"start\","
		      "\"job\":18,\"seq\":6,\"needs\":5,\"option\":1,\"ppn\":2,"
		      "\"alloc\":{\"1-2\":\"1,3\"},\"group\":2,\"role\":"
		      "\"matched\",\"with\":17,\"case\":2,"
		      "\"slowdown\":1.250000,"
		      "\"gain\":0.500000,\"limit\":75}");
	act = (struct cs_action){
		.type = CS_ACT_HOST_START, .seq = 7, .job_id = 19, .alloc = a
	};
	expect_action(9 * S, &act, true,
		      "{\"t\":9.000000,\"ev\":\"would\",\"do\":\"host_start\","
		      "\"job\":19,\"seq\":7,\"ppn\":2,\"alloc\":{\"1-2\":"
		      "\"1,3\"}}");
	act = (struct cs_action){ .type = CS_ACT_LIMIT,
				  .job_id = 17,
				  .limit_us = 75 * S,
				  .group = 2,
				  .role = CS_ROLE_PRIMARY };
	expect_action(9 * S, &act, false,
		      "{\"t\":9.000000,\"ev\":\"limit\",\"job\":17,\"group\":2,"
		      "\"role\":\"primary\",\"limit\":75}");
	act = (struct cs_action){ .type = CS_ACT_DISBAND,
				  .job_id = 17,
				  .group = 2,
				  .credit_us = 12500000 };
	expect_action(9 * S, &act, false,
		      "{\"t\":9.000000,\"ev\":\"disband\",\"job\":17,\"group\":"
		      "2,\"credit_s\":12.500000}");
	expect_action(9 * S, &act, true,
		      "{\"t\":9.000000,\"ev\":\"would\",\"do\":\"disband\","
		      "\"job\":17,\"group\":2,\"credit_s\":12.500000}");
	expect(&(struct call){ .what = DECIDE, .t_us = 9 * S, .actions = 2 },
	       "{\"t\":9.000000,\"ev\":\"decide\",\"actions\":2}");
	expect(&(struct call){ .what = DECIDE, .t_us = 9 * S, .steps = 70 },
	       "{\"t\":9.000000,\"ev\":\"decide\",\"actions\":0,"
	       "\"steps\":70}");
	expect(&(struct call){ .what = DECIDE, .t_us = 9 * S, .nodes = &near },
	       "{\"t\":9.000000,\"ev\":\"decide\",\"actions\":0,"
	       "\"nodes\":\"0-2,4\"}");
	cs_alloc_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(submit_leaves_out_what_is_usual),
		cmocka_unit_test(submit_holds_all_that_the_engine_was_given),
		cmocka_unit_test(without_an_engine_options_have_no_nodes),
		cmocka_unit_test(events_of_a_job),
		cmocka_unit_test(refusals_have_their_class),
		cmocka_unit_test(events_of_the_machine),
		cmocka_unit_test(actions_and_what_would_have_been),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
