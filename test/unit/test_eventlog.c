/* SPDX-License-Identifier: GPL-2.0-or-later */
#define CS_TEST_ALLOC
#include <errno.h>

#include "cs_test.h"

#include "common/log/read_line.h"
#include "common/log/schema.h"
#include "common/log/write_line.h"
#include "common/base/jsonpos.h"
#include "common/model/topology.h"

#define S INT64_C(1000000)

/* Node sets 0, 1 and 2 of an engine that is not there. */
static const uint64_t sets[3][2] = {
	{ 0x8f, 0 },
	{ UINT64_MAX, 1 },
	{ 0, UINT64_C(1) << 63 },
};

const uint64_t *cs_engine_nodeset_words(const struct cs_engine *e,
					uint32_t nodeset, uint32_t *ret_words)
{
	(void)e;
	if (nodeset > 2)
		return NULL;
	*ret_words = 2;
	return sets[nodeset];
}

static const struct cs_engine *const engine =
	(const struct cs_engine *)(const void *)sets;

/* A call of one of the functions, to be made with any buffer. */
struct call {
	enum { HEADER, EVENT, DECIDE, ACTION } what;
	const struct cs_machine *machine;
	const struct cs_params *params;
	const struct cs_profiles *profiles;
	int64_t t_us;
	const char *after;
	const char *act_slice;
	enum cs_mode mode;
	const struct cs_event *ev;
	const struct cs_action *action;
	bool would;
	size_t actions;
	int64_t steps;
};

static int make(const struct call *c, char *buf, size_t size)
{
	switch (c->what) {
	case HEADER:
		return cs_log_header(buf, size, c->machine, c->params, c->mode,
				     c->act_slice, c->profiles, c->t_us,
				     c->after, "0.1.0");
	case EVENT:
		return cs_log_event(buf, size, engine, c->ev, c->action);
	case DECIDE:
		return cs_log_decide(buf, size, c->t_us, c->actions, c->steps);
	case ACTION:
		return cs_log_action(buf, size, c->t_us, c->action, c->would);
	}
	return -1;
}

/* Every field of the line stands in the manual; parameters have their own. */
static void all_fields_are_documented(const char *line)
{
	static char *manual;

	if (!manual)
		manual = cs_test_file("../../../doc/cosched-log.5", NULL);
	for (const char *c = line; (c = strchr(c, '"')); c++) {
		size_t n = strspn(c + 1, "abcdefghijklmnopqrstuvwxyz_");
		char key[64];

		if (!n || strncmp(c + 1 + n, "\":", 2))
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)n, c + 1);
		if (!strstr(manual, key))
			fail_msg("'%s' is not in cosched-log(5)", key);
		if (!strcmp(key, "params"))
			break;
	}
}

/*
 * The line that @c gives, from a buffer of exactly its size; with every smaller
 * one the same length and no byte beyond it.  free() it.
 */
static char *line_of(const struct call *c)
{
	struct cs_jsontext text;
	const char *wrong;
	size_t end = 0;
	char *buf;
	int n;

	/* a line needs no memory of its own */
	cs_test_fail_after(0);
	n = make(c, NULL, 0);
	assert_false(cs_test_failed());
	assert_true(n > 0);
	for (size_t size = 1; size <= (size_t)n; size++) {
		buf = malloc(size);
		assert_non_null(buf);
		memset(buf, 'x', size);
		assert_int_equal(make(c, buf, size), n);
		assert_int_equal(buf[0], '\0');
		free(buf);
	}
	buf = malloc((size_t)n + 1);
	assert_non_null(buf);
	assert_int_equal(make(c, buf, (size_t)n + 1), n);
	assert_int_equal(strlen(buf), n);
	/* one line of JSON */
	assert_int_equal(buf[n - 1], '\n');
	assert_ptr_equal(strchr(buf, '\n'), buf + n - 1);
	text = (struct cs_jsontext){ buf, (size_t)n };
	wrong = cs_jsonpos_check(&text, 5, &end);
	if (wrong)
		fail_msg("%s at %zu: %s", wrong, end, buf);
	assert_int_equal(end, n - 1);
	all_fields_are_documented(buf);
	return buf;
}

static void expect(const struct call *c, const char *want)
{
	char *line = line_of(c);

	line[strlen(line) - 1] = '\0';
	assert_string_equal(line, want);
	free(line);
}

static void expect_event(const struct cs_event *ev,
			 const struct cs_action *action, const char *want)
{
	expect(&(struct call){ .what = EVENT, .ev = ev, .action = action },
	       want);
}

static void expect_action(int64_t t_us, const struct cs_action *action,
			  bool would, const char *want)
{
	expect(&(struct call){ .what = ACTION,
			       .t_us = t_us,
			       .action = action,
			       .would = would },
	       want);
}

/* ---------------------------------------------------------------- schema */

/* What stands in the manual's [] of field @f; NULL: that depends. */
static const char *usual_of(const struct cs_log_field *f)
{
	if (f->form == CS_LOG_BY || f->form == CS_LOG_TEXT)
		return "[]";
	if (f->left == CS_LOG_IF_T)
		return "[t]";
	if (f->left == CS_LOG_IF && f->form == CS_LOG_US && f->usual)
		return "[none]";
	if (f->form == CS_LOG_TRUE)
		return "[false]";
	if (f->left == CS_LOG_IF)
		return f->usual ? "[1]" : "[0";
	return NULL;
}

/* Is there an entry of @key in @manual that begins with @usual? */
static bool documents(const char *manual, const char *key, const char *usual)
{
	char bold[80];

	snprintf(bold, sizeof(bold), "\n.B %s\n", key);
	for (const char *c = manual; (c = strstr(c, bold)); c++)
		if (!strncmp(c + strlen(bold), usual, strlen(usual)))
			return true;
	/* one entry of several fields */
	snprintf(bold, sizeof(bold), " %s", key);
	for (const char *c = manual; (c = strstr(c, "\n.BR ")); c++) {
		const char *end = strchr(c + 1, '\n');
		const char *at = strstr(c, bold);

		if (at && end && at < end &&
		    !strchr("abcdefghijklmnopqrstuvwxyz_", at[strlen(bold)]) &&
		    !strncmp(end + 1, usual, strlen(usual)))
			return true;
	}
	return false;
}

static void the_manual_has_every_field_and_its_default(void **state)
{
	char *manual = cs_test_file("../../../doc/cosched-log.5", NULL);
	size_t n, rows = 0, found = 0;
	const struct cs_log_fields *const *part = cs_log_parts(&n);

	(void)state;
	/* it does not find what is not there */
	assert_false(documents(manual, "no_such_field", ""));
	assert_false(documents(manual, "tasks", "[0"));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < part[i]->n; k++, rows++) {
			const struct cs_log_field *f = &part[i]->field[k];
			const char *usual = usual_of(f);

			if (!documents(manual, f->key, usual ? usual : ""))
				print_error("cosched-log(5) has no field '%s' "
					    "with %s\n",
					    f->key, usual ? usual : "a text");
			else
				found++;
		}
	assert_int_equal(found, rows);
	assert_true(rows > 60);
	free(manual);
}

/* ---------------------------------------------------------------- header */

static void set_equal_nodes(struct cs_machine *m, struct cs_node *node,
			    uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		node[i] = (struct cs_node){ .sockets = 2,
					    .cores_per_socket = 2,
					    .threads = 1 };
	*m = (struct cs_machine){ .n_node = n, .words = 1, .node = node };
}

static void header_has_a_digest_where_there_is_a_profile_file(void **state)
{
	struct cs_profiles *none = cs_profiles_create();
	struct cs_params p;
	struct cs_node node[1];
	struct cs_machine m;
	struct call c = { .what = HEADER,
			  .machine = &m,
			  .params = &p,
			  .mode = CS_MODE_ACT,
			  .profiles = none };
	char want[64], digest[CS_LOG_DIGEST_SIZE], *line;

	(void)state;
	assert_non_null(none);
	set_equal_nodes(&m, node, 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(cs_params_parse(&p, CS_HOST_SIM,
						 i ? "profiles=/p" : "", "",
						 NULL),
				 0);
		line = line_of(&c);
		cs_log_digest(none, digest);
		assert_int_equal(strlen(digest), 16);
		snprintf(want, sizeof(want),
			 "},\"profiles_digest\":\"%s\",\"seed\":", digest);
		assert_true(!strstr(line, "digest") == !i);
		if (i)
			assert_contains(line, want);
		free(line);
		cs_params_done(&p);
	}
	cs_profiles_free(none);
}

static void header_of_a_simulation(void **state)
{
	struct cs_params p;
	struct cs_node node[3];
	struct cs_machine m;
	const struct call c = {
		.what = HEADER, .machine = &m, .params = &p, .mode = CS_MODE_ACT
	};
	char *line;

	(void)state;
	set_equal_nodes(&m, node, 3);
	assert_int_equal(
		cs_params_parse(&p, CS_HOST_SIM, "policy=cst,seed=7", "", NULL),
		0);
	line = line_of(&c);
	assert_contains(line,
			"{\"ev\":\"header\",\"version\":1,"
			"\"release\":\"0.1.0\",\"machine\":{\"nodes\":3,"
			"\"sockets\":2,\"cores\":2},"
			"\"params\":{\"mode\":\"act\",\"partition_modes\":\"\","
			"\"policy\":\"cst\",\"order\":\"fcfs\",");
	assert_contains(line, "\"max_slowdown\":1.25,");
	assert_contains(line, "\"jobs_per_node\":2,");
	assert_contains(line, "},\"seed\":7}\n");
	free(line);
	cs_params_done(&p);
}

static void header_has_every_parameter(void **state)
{
	struct cs_params p;
	struct cs_node node[1];
	struct cs_machine m;
	const struct call c = { .what = HEADER, .machine = &m, .params = &p };
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);
	char log[CS_PATH_MAX + 8] = "log=/", *line;

	(void)state;
	set_equal_nodes(&m, node, 1);
	/* a value is never cut */
	memset(log + 5, 'a', CS_PATH_MAX - 2);
	log[CS_PATH_MAX + 3] = '\0';
	assert_int_equal(cs_params_parse(&p, CS_HOST_SIM, log, "", NULL), 0);
	line = line_of(&c);
	for (size_t i = 0; i < n; i++) {
		char key[64];

		snprintf(key, sizeof(key), "\"%s\":", row[i].key);
		assert_contains(line, key);
	}
	assert_contains(line, p.log);
	free(line);
	cs_params_done(&p);
}

static void header_of_a_live_run_has_boot_and_names(void **state)
{
	struct cs_params p;
	struct cs_node node[2];
	struct cs_machine m;
	const struct call c = { .what = HEADER,
				.machine = &m,
				.params = &p,
				.t_us = 1700000000 * S + 1 };
	char n1[] = "n1", *line;

	(void)state;
	set_equal_nodes(&m, node, 2);
	node[1].name = n1;
	assert_int_equal(cs_params_init(&p, CS_HOST_LIVE), 0);
	line = line_of(&c);
	assert_contains(line, "\"release\":\"0.1.0\","
			      "\"boot\":1700000000.000001,"
			      "\"machine\":{\"nodes\":2,\"sockets\":2,\"cores\""
			      ":2,\"names\":[\"\",\"n1\"]},\"params\"");
	free(line);
	cs_params_done(&p);
}

static void header_of_mode_shadow_has_acts_slice(void **state)
{
	struct cs_params p;
	struct cs_node node[1];
	struct cs_machine m;
	struct call c = { .what = HEADER, .machine = &m, .params = &p };
	struct cs_log_line l;
	char *line;

	(void)state;
	set_equal_nodes(&m, node, 1);
	assert_int_equal(cs_params_init(&p, CS_HOST_LIVE), 0);
	for (int k = CS_SLICE_NONE; k <= CS_SLICE_GANG; k++) {
		struct cs_logread *parser = cs_logread_create();

		c.act_slice = cs_params_slice_name((enum cs_slice)k);
		line = line_of(&c);
		assert_true(!strstr(line, "act_slice") == !c.act_slice);
		assert_int_equal(cs_logread_line(parser, line, strlen(line) - 1,
						 &l, NULL),
				 0);
		assert_string_equal(l.header->act_slice ? l.header->act_slice
							: "",
				    c.act_slice ? c.act_slice : "");
		cs_log_line_done(&l);
		cs_logread_free(parser);
		free(line);
	}
	cs_params_done(&p);
}

/* The parameters as set, and beside them the mode in force where it is another. */
static void header_tells_the_mode_in_force(void **state)
{
	static const char *const name[] = { "off", "shadow", "act" };
	struct cs_params p;
	struct cs_node node[1];
	struct cs_machine m;
	struct call c = { .what = HEADER, .machine = &m, .params = &p };
	struct cs_log_line l;
	char *line, set[32];

	(void)state;
	set_equal_nodes(&m, node, 1);
	assert_int_equal(cs_params_init(&p, CS_HOST_LIVE), 0);
	for (int k = 0; k < 9; k++) {
		struct cs_logread *parser = cs_logread_create();

		p.mode = k % 3;
		c.mode = (enum cs_mode)(k / 3);
		line = line_of(&c);
		snprintf(set, sizeof(set), "{\"mode\":\"%s\"", name[k % 3]);
		assert_contains(line, set);
		assert_int_equal(cs_logread_line(parser, line, strlen(line) - 1,
						 &l, NULL),
				 0);
		if (k % 3 == k / 3)
			assert_null(l.header->mode);
		else
			assert_string_equal(l.header->mode, name[k / 3]);
		cs_log_line_done(&l);
		cs_logread_free(parser);
		free(line);
	}
	cs_params_done(&p);
}

static void header_tells_how_nodes_differ(void **state)
{
	struct cs_params p;
	struct cs_node node[4];
	struct cs_machine m;
	const struct call c = { .what = HEADER, .machine = &m, .params = &p };
	char *line;

	(void)state;
	set_equal_nodes(&m, node, 4);
	node[2] = node[3] = (struct cs_node){ .sockets = 1,
					      .cores_per_socket = 8,
					      .threads = 2,
					      .memory_mb = 4000,
					      .weight = 5 };
	node[3].weight = 6;
	assert_int_equal(cs_params_init(&p, CS_HOST_SIM), 0);
	line = line_of(&c);
	assert_contains(line,
			"\"machine\":{\"nodes\":4,\"sockets\":2,\"cores\":8,"
			"\"types\":[{\"nodes\":\"0-1\",\"sockets\":2,\"cores\":"
			"2},{\"nodes\":\"2\",\"sockets\":1,\"cores\":8,"
			"\"threads\":2,\"memory_mb\":4000,\"weight\":5},"
			"{\"nodes\":\"3\",\"sockets\":1,\"cores\":8,"
			"\"threads\":2,\"memory_mb\":4000,\"weight\":6}]}");
	free(line);
	cs_params_done(&p);
}

static void header_tells_which_sockets_differ(void **state)
{
	static const char *const wrong[] = { "8", "[]", "[1,256]", "[1,-1]",
					     "[1,2]" };
	struct cs_logread *parser = cs_logread_create();
	const struct cs_machine *copy;
	struct cs_params p;
	struct cs_node node[3];
	struct cs_machine m;
	const struct call c = { .what = HEADER, .machine = &m, .params = &p };
	struct cs_err err;
	struct cs_log_line l;
	char *line, text[128];

	(void)state;
	set_equal_nodes(&m, node, 3);
	node[1] = (struct cs_node){ .sockets = 1,
				    .cores_per_socket = 4,
				    .threads = 1,
				    .n_uneven = 2,
				    .uneven = { 1, 3 } };
	assert_int_equal(cs_params_init(&p, CS_HOST_SIM), 0);
	line = line_of(&c);
	assert_contains(line, "{\"nodes\":\"1\",\"sockets\":1,\"cores\":4,"
			      "\"uneven\":[1,3]},{\"nodes\":\"2\"");
	assert_int_equal(
		cs_logread_line(parser, line, strlen(line) - 1, &l, NULL), 0);
	copy = l.header->machine;
	assert_int_equal(copy->node[0].n_uneven, 0);
	assert_true(cs_node_same(&copy->node[1], &node[1]));
	assert_false(copy->alike);
	cs_log_line_done(&l);
	free(line);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text),
			 "{\"t\":0,\"ev\":\"header\",\"version\":1,"
			 "\"machine\":{\"nodes\":1,\"sockets\":1,\"cores\":"
			 "4,\"uneven\":%s}}",
			 wrong[i]);
		assert_int_equal(
			cs_logread_line(parser, text, strlen(text), &l, &err),
			-EPROTO);
		assert_contains(err.text, i < 4 ? "\"uneven\" is "
						: "3 cores on 2 sockets");
	}
	cs_logread_free(parser);
	cs_params_done(&p);
}

static void header_tells_that_weights_come_first(void **state)
{
	struct cs_params p;
	struct cs_node node[2];
	struct cs_machine m;
	const struct call c = { .what = HEADER, .machine = &m, .params = &p };
	struct cs_log_line l;

	(void)state;
	set_equal_nodes(&m, node, 2);
	assert_int_equal(cs_params_init(&p, CS_HOST_SIM), 0);
	for (int first = 0; first < 2; first++) {
		struct cs_logread *parser = cs_logread_create();
		struct cs_machine *copy;
		char *line;

		m.weight_first = first;
		line = line_of(&c);
		if (first)
			assert_contains(line, "\"weight_first\":true}");
		else
			assert_null(strstr(line, "weight_first"));
		assert_int_equal(cs_logread_line(parser, line, strlen(line) - 1,
						 &l, NULL),
				 0);
		assert_int_equal(l.header->machine->weight_first, first);
		copy = cs_machine_copy(l.header->machine);
		assert_int_equal(copy->weight_first, first);
		cs_machine_free(copy);
		cs_log_line_done(&l);
		cs_logread_free(parser);
		free(line);
	}
	cs_params_done(&p);
}

static void header_tells_how_nodes_are_joined(void **state)
{
	static const uint64_t set[] = { 0x3, 0xc, 0xf };
	static const uint32_t size[] = { 1, 2 };
	const struct cs_group_desc d[] = { { "a", 0, &set[0] },
					   { NULL, 0, &set[1] },
					   { "top", 1, &set[2] } };
	struct cs_params p;
	struct cs_node node[4];
	struct cs_machine m;
	const struct call c = { .what = HEADER, .machine = &m, .params = &p };
	char *line;

	(void)state;
	set_equal_nodes(&m, node, 4);
	assert_int_equal(cs_params_init(&p, CS_HOST_SIM), 0);
	m.topology = cs_topology_tree(4, d, 3);
	line = line_of(&c);
	assert_contains(line, "\"topology\":{\"groups\":["
			      "{\"name\":\"a\",\"nodes\":\"0-1\"},"
			      "{\"nodes\":\"2-3\"},"
			      "{\"name\":\"top\",\"level\":1,"
			      "\"nodes\":\"0-3\"}]}}");
	free(line);
	cs_topology_free(m.topology);
	/* of blocks those that the others are made of */
	m.topology = cs_topology_block(4, d, 2, 2, size, 2);
	line = line_of(&c);
	assert_contains(line, "\"topology\":{\"block\":2,\"sizes\":[1,2],"
			      "\"groups\":[{\"name\":\"a\",\"nodes\":\"0-1\"},"
			      "{\"nodes\":\"2-3\"}]}}");
	free(line);
	cs_topology_free(m.topology);
	cs_params_done(&p);
}

/* ---------------------------------------------------------------- submit */

static struct cs_job plain_job(void)
{
	return (struct cs_job){ .id = 17,
				.tasks = 1,
				.user = "u3",
				.profile = "cg",
				.procs = 16,
				.cpus_per_proc = 1,
				.min_nodes = 1,
				.estimate_us = 3600 * S };
}

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

/* ----------------------------------------------------------------- start */

/* @n nodes from @first on, all of which hold @cores. */
static struct cs_alloc *alloc_of(uint32_t first, uint32_t n, uint64_t cores,
				 uint32_t procs)
{
	struct cs_alloc *a = cs_alloc_create(n, 2);

	assert_non_null(a);
	for (uint32_t i = 0; i < n; i++) {
		a->node[i] = (struct cs_alloc_node){ first + i, procs, 0 };
		cs_alloc_cores(a, i)[0] = cores;
	}
	return a;
}

static void start_as_in_the_design(void **state)
{
	struct cs_alloc *a = alloc_of(0, 8, 0x5, 2);
	const struct cs_started s = { .seq = 3,
				      .job_id = 17,
				      .start_us = 4 * S,
				      .limit_us = CS_TIME_NONE,
				      .alloc = a };
	const struct cs_action act = { .type = CS_ACT_START,
				       .seq = 3,
				       .job_id = 17,
				       .alloc = a,
				       .procs_per_node = 2,
				       .group = 5,
				       .role = CS_ROLE_PRIMARY,
				       .partner_id = 18,
				       .rule = 1,
				       .slowdown = 1.15,
				       .gain = -0.25 };
	const struct cs_event ev = { .type = CS_EV_STARTED,
				     .t_us = 4 * S,
				     .start = &s };

	(void)state;
	expect_event(&ev, &act,
		     "{\"t\":4.000000,\"ev\":\"start\",\"job\":17,\"seq\":3,"
		     "\"ppn\":2,\"alloc\":{\"0-7\":\"0,2\"},\"group\":5,"
		     "\"role\":\"primary\",\"with\":18,\"case\":1,\"slowdown\":"
		     "1.150000,\"gain\":-0.250000}");
	cs_alloc_free(a);
}

static void start_by_the_host_and_after_a_restart(void **state)
{
	struct cs_alloc *a = alloc_of(2, 1, 0xf, 4);
	struct cs_started s = { .job_id = 18,
				.option = 1,
				.start_us = 1 * S + 500000,
				.limit_us = 60 * S,
				.alloc = a,
				.packed = true,
				.group = 4,
				.role = CS_ROLE_MATCHED,
				.done_us = 2 * S,
				.at_us = 3 * S,
				.ran_us = 1 * S,
				.slowdown = 1.05 * 1.1,
				.floor_us = 50 * S };
	const struct cs_event ev = { .type = CS_EV_STARTED,
				     .t_us = 4 * S,
				     .start = &s };
	const struct cs_action act = { .type = CS_ACT_HOST_START, .seq = 9 };

	(void)state;
	expect_event(&ev, NULL,
		     "{\"t\":4.000000,\"ev\":\"start\",\"job\":18,\"by\":"
		     "\"host\",\"option\":1,\"ppn\":4,\"alloc\":{\"2\":\"0-3\"}"
		     ",\"group\":4,\"role\":\"matched\",\"packed\":true,"
		     "\"start\":1.500000,\"limit\":60,\"done\":2,\"at\":3,"
		     "\"ran\":1,\"factor\":1.1550000000000002,\"floor\":50}");
	/* proposed, placed by the host, under another id */
	s = (struct cs_started){ .seq = 9,
				 .job_id = 19,
				 .array_id = 18,
				 .start_us = 4 * S,
				 .limit_us = CS_TIME_NONE,
				 .alloc = a };
	expect_event(&ev, &act,
		     "{\"t\":4.000000,\"ev\":\"start\",\"job\":19,\"array\":18,"
		     "\"seq\":9,\"placed\":\"host\",\"ppn\":4,\"alloc\":{\"2\":"
		     "\"0-3\"}}");
	cs_alloc_free(a);
}

static void a_start_says_what_was_proposed_where_it_got_other(void **state)
{
	struct cs_alloc *a = alloc_of(2, 1, 0xf, 4);
	struct cs_alloc *planned = alloc_of(0, 3, 0x3, 2);
	const struct cs_started s = {
		.seq = 9, .job_id = 19, .alloc = a, .limit_us = 60 * S
	};
	const struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };
	struct cs_action act = { .type = CS_ACT_HOST_START,
				 .seq = 9,
				 .alloc = planned };

	(void)state;
	planned->node[2].node = 7;
	expect_event(&ev, &act,
		     "{\"t\":0.000000,\"ev\":\"start\",\"job\":19,\"seq\":9,"
		     "\"placed\":\"host\",\"ppn\":4,\"alloc\":{\"2\":\"0-3\"},"
		     "\"within\":\"0-1,7\",\"limit\":60}");
	act = (struct cs_action){ .type = CS_ACT_START,
				  .seq = 9,
				  .needs = 8,
				  .alloc = planned,
				  .procs_per_node = 4,
				  .limit_us = 59 * S,
				  .slowdown = 1 };
	expect_event(&ev, &act,
		     "{\"t\":0.000000,\"ev\":\"start\",\"job\":19,\"seq\":9,"
		     "\"ppn\":4,\"alloc\":{\"2\":\"0-3\"},\"planned\":{"
		     "\"0-1\":\"0-1\",\"7\":\"0-1\"},\"planned_procs\":{"
		     "\"0-1\":2,\"7\":2},\"planned_mem_mb\":{\"0-1\":0,"
		     "\"7\":0},\"needs\":8,\"slowdown\":1.000000,"
		     "\"gain\":0.000000,\"limit_asked\":59,\"limit\":60}");
	cs_alloc_free(planned);
	cs_alloc_free(a);
}

static void alloc_maps_ranges_with_the_same_cores(void **state)
{
	struct cs_alloc *a = alloc_of(0, 6, 0x3, 2);
	const struct cs_started s = { .job_id = 1,
				      .limit_us = CS_TIME_NONE,
				      .alloc = a };
	const struct cs_event ev = { .type = CS_EV_STARTED, .start = &s };

	(void)state;
	/* nodes 0 1 | 2 | 3 | 5 (a gap) 6 */
	cs_alloc_cores(a, 2)[0] = 0x9;
	cs_alloc_cores(a, 2)[1] = 0x3;
	cs_alloc_cores(a, 3)[0] = 0x4;
	a->node[3].procs = 1;
	a->node[4].node = 5;
	a->node[5].node = 6;
	for (int i = 1; i < 6; i++)
		a->node[i].mem_mb = i < 4 ? 100 : 200;
	expect_event(&ev, NULL,
		     "{\"t\":0.000000,\"ev\":\"start\",\"job\":1,\"by\":"
		     "\"host\",\"ppn\":2,\"alloc\":{\"0-1\":\"0-1\",\"2\":"
		     "\"0,3,64-65\",\"3\":\"2\",\"5-6\":\"0-1\"},"
		     "\"node_procs\":{\"0-2\":2,\"3\":1,\"5-6\":2},"
		     "\"node_mem_mb\":{\"0\":0,\"1-3\":100,\"5-6\":200}}");
	cs_alloc_free(a);
}

/* ---------------------------------------------------------- other events */

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

/* ---------------------------------------------------------------- actions */

static void actions_and_what_would_have_been(void **state)
{
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
	cs_alloc_free(a);
}

/* --------------------------------------------------------- values, bytes */

static void times_are_exact(void **state)
{
	static const struct {
		int64_t us;
		const char *t;
	} row[] = {
		{ 0, "0.000000" },
		{ 1, "0.000001" },
		{ -1, "-0.000001" },
		{ 999999, "0.999999" },
		{ 1700000000123456, "1700000000.123456" },
		{ -1500000, "-1.500000" },
		{ INT64_MAX, "9223372036854.775807" },
		{ INT64_MIN, "-9223372036854.775808" },
	};
	char want[128];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(want, sizeof(want),
			 "{\"t\":%s,\"ev\":\"decide\",\"actions\":0}",
			 row[i].t);
		expect(&(struct call){ .what = DECIDE, .t_us = row[i].us },
		       want);
	}
}

static void numbers_that_json_lacks_are_null(void **state)
{
	volatile double zero = 0;
	struct cs_action act = { .type = CS_ACT_START,
				 .slowdown = 1 / zero,
				 .gain = zero / zero };
	char *line = line_of(&(struct call){
		.what = ACTION, .action = &act, .would = true });

	(void)state;
	assert_contains(line, "\"slowdown\":null,\"gain\":null");
	free(line);
}

/* The job's name as it stands in a line, without the quotes; free() it. */
static char *name_in_line(const char *name)
{
	struct cs_job j = plain_job();
	const struct cs_event ev = { .type = CS_EV_SUBMIT, .job = &j };
	char *line, *from, *to, *got;

	j.name = name;
	line = line_of(&(struct call){ .what = EVENT, .ev = &ev });
	from = strstr(line, "\"name\":\"");
	assert_non_null(from);
	from += 8;
	to = strstr(from, "\",\"procs\"");
	assert_non_null(to);
	got = strndup(from, (size_t)(to - from));
	assert_non_null(got);
	free(line);
	return got;
}

static void strings_are_escaped(void **state)
{
	static const struct {
		const char *name, *want;
	} row[] = {
		{ "a\"b\\c/d", "a\\\"b\\\\c/d" },
		{ "\x01\t\n\x1f\x7f", "\\u0001\\u0009\\u000a\\u001f\\u007f" },
		{ "%n%s", "%n%s" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
		/* no UTF-8: cut short, stray, overlong, surrogate, too large */
		{ "\xc3", "?" },
		{ "\xe2\x82x", "?\?x" },
		{ "\x80\xbf", "?\?" },
		{ "\xc0\x80\xc1\xbf", "?\?\?\?" },
		{ "\xe0\x80\x80", "?\?\?" },
		{ "\xed\xa0\x80", "?\?\?" },
		{ "\xf0\x80\x80\x80", "?\?\?\?" },
		{ "\xf4\x90\x80\x80", "?\?\?\?" },
		{ "\xf5\xff", "?\?" },
		{ "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
		  "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char *got = name_in_line(row[i].name);

		assert_string_equal(got, row[i].want);
		free(got);
	}
}

static void a_string_is_cut_at_256_bytes_between_characters(void **state)
{
	char name[400], *got;

	(void)state;
	memset(name, 'a', sizeof(name));
	name[300] = '\0';
	got = name_in_line(name);
	assert_int_equal(strlen(got), 256);
	free(got);
	name[256] = '\0';
	got = name_in_line(name);
	assert_string_equal(got, name);
	free(got);
	/* a character of three bytes from 254 on still fits, not from 255 on */
	for (int at = 253; at < 257; at++) {
		memset(name, 'a', sizeof(name));
		memcpy(name + at, "\xe2\x82\xac", 3);
		name[300] = '\0';
		got = name_in_line(name);
		assert_int_equal(strlen(got), at == 253	  ? 256
					      : at == 256 ? 256
							  : at);
		free(got);
	}
}

static void random_bytes_give_a_line_of_json(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int i = 0; i < 300; i++) {
		char name[400], *got;
		size_t n = 1 + cs_test_draw(&seed, sizeof(name) - 1);

		for (size_t k = 0; k < n; k++)
			name[k] = (char)(1 +
					 cs_test_draw(&seed, i % 2 ? 255 : 40));
		name[n - 1] = '\0';
		if (!*name)
			continue;
		got = name_in_line(name);
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_manual_has_every_field_and_its_default),
		cmocka_unit_test(header_of_a_simulation),
		cmocka_unit_test(
			header_has_a_digest_where_there_is_a_profile_file),
		cmocka_unit_test(header_has_every_parameter),
		cmocka_unit_test(header_of_a_live_run_has_boot_and_names),
		cmocka_unit_test(header_of_mode_shadow_has_acts_slice),
		cmocka_unit_test(header_tells_the_mode_in_force),
		cmocka_unit_test(header_tells_how_nodes_differ),
		cmocka_unit_test(header_tells_which_sockets_differ),
		cmocka_unit_test(header_tells_that_weights_come_first),
		cmocka_unit_test(header_tells_how_nodes_are_joined),
		cmocka_unit_test(submit_leaves_out_what_is_usual),
		cmocka_unit_test(submit_holds_all_that_the_engine_was_given),
		cmocka_unit_test(without_an_engine_options_have_no_nodes),
		cmocka_unit_test(start_as_in_the_design),
		cmocka_unit_test(start_by_the_host_and_after_a_restart),
		cmocka_unit_test(
			a_start_says_what_was_proposed_where_it_got_other),
		cmocka_unit_test(alloc_maps_ranges_with_the_same_cores),
		cmocka_unit_test(events_of_a_job),
		cmocka_unit_test(refusals_have_their_class),
		cmocka_unit_test(events_of_the_machine),
		cmocka_unit_test(actions_and_what_would_have_been),
		cmocka_unit_test(times_are_exact),
		cmocka_unit_test(numbers_that_json_lacks_are_null),
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(
			a_string_is_cut_at_256_bytes_between_characters),
		cmocka_unit_test(random_bytes_give_a_line_of_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
