/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log's header: machine, parameters, profiles (log/write_header.c). */
#include "linerig.h"

#include "common/log/read_line.h"
#include "common/model/topology.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
