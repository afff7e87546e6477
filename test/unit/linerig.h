/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of the event log, written into buffers of every size.  Before another header: it
 * lets allocations fail (CS_TEST_ALLOC).
 */
#ifndef CS_LINERIG_H
#define CS_LINERIG_H

#define CS_TEST_ALLOC
#include <errno.h>

#include "cs_test.h"

#include "common/base/jsonpos.h"
#include "common/log/write_line.h"

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
	const uint64_t *nodes;
};

static inline int make(const struct call *c, char *buf, size_t size)
{
	switch (c->what) {
	case HEADER:
		return cs_log_header(buf, size, c->machine, c->params, c->mode,
				     c->act_slice, c->profiles, c->t_us,
				     c->after, "0.1.0");
	case EVENT:
		return cs_log_event(buf, size, engine, c->ev, c->action);
	case DECIDE:
		return cs_log_decide(buf, size, c->t_us, c->actions, c->steps,
				     c->nodes, 1);
	case ACTION:
		return cs_log_action(buf, size, c->t_us, c->action, c->would);
	}
	return -1;
}

/* Every field of the line stands in the manual; parameters have their own. */
static inline void all_fields_are_documented(const char *line)
{
	char *manual = cs_test_file("../../../doc/cosched-log.5", NULL);

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
	free(manual);
}

/*
 * The line that @c gives, from a buffer of exactly its size; with every smaller
 * one the same length and no byte beyond it.  free() it.
 */
static inline char *line_of(const struct call *c)
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

static inline void expect(const struct call *c, const char *want)
{
	char *line = line_of(c);

	line[strlen(line) - 1] = '\0';
	assert_string_equal(line, want);
	free(line);
}

static inline void expect_event(const struct cs_event *ev,
				const struct cs_action *action,
				const char *want)
{
	expect(&(struct call){ .what = EVENT, .ev = ev, .action = action },
	       want);
}

static inline void expect_action(int64_t t_us, const struct cs_action *action,
				 bool would, const char *want)
{
	expect(&(struct call){ .what = ACTION,
			       .t_us = t_us,
			       .action = action,
			       .would = would },
	       want);
}

static inline struct cs_job plain_job(void)
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

/* @n nodes from @first on, all of which hold @cores. */
static inline struct cs_alloc *alloc_of(uint32_t first, uint32_t n,
					uint64_t cores, uint32_t procs)
{
	struct cs_alloc *a = cs_alloc_create(n, 2);

	assert_non_null(a);
	for (uint32_t i = 0; i < n; i++) {
		a->node[i] = (struct cs_alloc_node){ .node = first + i,
						     .procs = procs };
		cs_alloc_cores(a, i)[0] = cores;
	}
	return a;
}

#endif
