/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a log that nothing has written are refused, and say what was expected
 * (log/read_line.c, read_header.c, read_topology.c, read_field.c, log_alloc.c).
 */
#include "cs_test.h"

#include <errno.h>

#include "common/log/read_line.h"

static int rc_of(const char *line, struct cs_log_line *l, struct cs_err *err)
{
	struct cs_logread *reader = cs_logread_create();
	int rc;

	assert_non_null(reader);
	rc = cs_logread_line(reader, line, strlen(line), l, err);
	cs_logread_free(reader);
	return rc;
}

static void refused(const char *line, const char *want)
{
	struct cs_err err = { "" };
	struct cs_log_line l;

	if (rc_of(line, &l, &err) !=
	    (strstr(line, "\"header\"") ? -EPROTO : -EINVAL))
		fail_msg("%s\n%s", line, err.text);
	if (strncmp(err.text, want, strlen(want)))
		fail_msg("%s\n%s, expected %s", line, err.text, want);
}

static void lines(void **state)
{
	(void)state;
	refused("{\"t\":0", "the line is no JSON");
	refused("[]", "the line is no JSON");
	refused("{\"t\":0}", "a line without \"ev\", expected a name");
	refused("{\"t\":0,\"ev\":\"sumbit\"}",
		"\"ev\" is \"sumbit\", expected");
	refused("{\"t\":0,\"ev\":\"node\",\"up\":true}",
		"a node line without \"node\", expected an index");
	refused("{\"t\":0,\"ev\":\"node\",\"node\":\"3-1\",\"up\":true}",
		"node '3-1', expected increasing indexes");
	refused("{\"t\":0,\"ev\":\"node\",\"node\":\"0\"}",
		"a node line without \"up\", expected true or false");
	refused("{\"t\":0,\"ev\":\"start\",\"job\":7}",
		"start of job 7 without \"alloc\", expected");
}

static void fields(void **state)
{
	(void)state;
	refused("{\"t\":\"0\",\"ev\":\"finish\",\"job\":1}",
		"\"t\" is \"0\", expected");
	refused("{\"t\":0,\"ev\":\"finish\",\"job\":0}",
		"\"job\" is 0, expected an integer of 1 to 4294967295");
	refused("{\"t\":0,\"ev\":\"finish\",\"job\":4294967296}",
		"\"job\" is 4294967296, expected an integer of 1 to 4294967295");
	refused("{\"t\":0,\"ev\":\"finish\",\"job\":1.0}",
		"\"job\" is 1.0, expected an integer");
	refused("{\"t\":0,\"ev\":\"finish\",\"job\":1,\"failed\":1}",
		"\"failed\" is 1, expected");
}

static void allocations(void **state)
{
	static const struct {
		const char *alloc, *want;
	} row[] = {
		{ "[]", "alloc is no object, expected" },
		{ "{}", "alloc is empty, expected a node" },
		{ "{\"0\":0}", "cores of node '0' are no string, expected" },
		{ "{\"x\":\"0\"}", "nodes 'x', expected increasing indexes" },
		{ "{\"0,0\":\"0\"}", "nodes '0,0', expected increasing" },
		{ "{\"2,1\":\"0\"}", "nodes '2,1', expected increasing" },
		{ "{\"0\":\"\"}", "cores '', expected increasing" },
		{ "{\"0\":\"1,\"}", "cores '1,', expected increasing" },
		{ "{\"0\":\"5-4\"}", "cores '5-4', expected increasing" },
		{ "{\"0-3\":\"0\",\"2\":\"1\"}",
		  "alloc names node 2 twice, expected each node once" },
		{ "{\"2\":\"1\",\"0-3\":\"0\"}", "alloc names node 2 twice" },
		{ "{\"4\":\"1\",\"1-4\":\"0\"}", "alloc names node 4 twice" },
	};
	struct cs_err err = { "" };
	struct cs_log_line l;
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(line, sizeof(line),
			 "{\"t\":0,\"ev\":\"start\",\"job\":1,\"alloc\":%s}",
			 row[i].alloc);
		refused(line, row[i].want);
	}
	/* in any order, if no node is in two */
	if (rc_of("{\"t\":0,\"ev\":\"start\",\"job\":1,\"alloc\":{"
		  "\"4,6-7\":\"1\",\"0-3\":\"0\",\"5\":\"2-3\"}}",
		  &l, &err))
		fail_msg("%s", err.text);
	cs_log_line_done(&l);
}

/* Of four nodes of one core, and @more. */
static void refused_header(const char *more, const char *want)
{
	char line[512];

	snprintf(line, sizeof(line),
		 "{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":4,"
		 "\"sockets\":1,\"cores\":1%s,\"params\":{}}",
		 more);
	refused(line, want);
}

static void machines(void **state)
{
	(void)state;
	refused("{\"ev\":\"header\",\"version\":1}",
		"a header without \"machine\", expected");
	refused_header(",\"memory_mb\":-1}",
		       "\"memory_mb\" is -1, expected an integer of 0 to 2^53");
	refused_header(",\"types\":{}}", "\"types\" is no list, expected");
	refused_header(",\"types\":[1]}", "a machine type is no object, ");
	refused_header(",\"types\":[{\"cores\":2}]}",
		       "a machine type without \"nodes\", expected");
	refused_header(",\"types\":[{\"nodes\":\"4\"}]}",
		       "machine type for node 4, expected at most 3");
	refused_header(",\"types\":[{\"nodes\":\"0-2\"},{\"nodes\":\"1-2\"}]}",
		       "machine types name more nodes than there are");
	refused_header(",\"types\":[{\"nodes\":\"2\",\"cores\":4294967295}]}",
		       "\"cores\" is 4294967295, expected an integer of");
}

static void topologies(void **state)
{
	(void)state;
	refused_header(",\"topology\":{}}",
		       "a \"topology\" without \"groups\", expected");
	refused_header(",\"topology\":{\"groups\":[]}}",
		       "0 \"groups\", expected 1 to ");
	refused_header(",\"topology\":{\"groups\":[1]}}",
		       "a group is no object, expected");
	refused_header(",\"topology\":{\"groups\":[{\"nodes\":1}]}}",
		       "a group's \"nodes\" are no text, expected");
	refused_header(",\"topology\":{\"groups\":[{\"nodes\":\"0-4\"}]}}",
		       "a group with node 4, expected at most 3");
	refused_header(",\"sites\":{}}", "\"sites\" is no list, expected");
	refused_header(",\"sites\":[{\"nodes\":\"0-1\"},{\"nodes\":\"1-3\"}]}",
		       "node 1 is in two \"sites\", expected one");
	refused_header(",\"sites\":[{\"nodes\":\"0-1\"},{\"nodes\":\"3\"}]}",
		       "node 2 is in no \"sites\", expected one");
}

static void modes(void **state)
{
	(void)state;
	refused_header("},\"mode\":\"on\"",
		       "\"mode\" is \"on\", expected \"off\", \"shadow\" or "
		       "\"act\"");
	refused_header("},\"act_slice\":\"none\"",
		       "\"act_slice\" is \"none\", expected \"pect\" or "
		       "\"gang\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),       cmocka_unit_test(fields),
		cmocka_unit_test(allocations), cmocka_unit_test(machines),
		cmocka_unit_test(topologies),  cmocka_unit_test(modes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
