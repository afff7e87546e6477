/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sites from a file: what each line means, and what is refused. */
#include "cs_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/site_list.h"

#define NODES 12 /* n1 ... n8, m08 ... m10, and a hole */

static struct cs_machine *machine(void)
{
	const struct cs_node one = {
		.sockets = 1, .cores_per_socket = 1, .threads = 1, .weight = 1
	};
	struct cs_machine *m = cs_machine_create(NODES, &one);
	char name[16];

	assert_non_null(m);
	for (uint32_t i = 0; i < NODES - 1; i++) {
		snprintf(name, sizeof(name), i < 8 ? "n%u" : "m%02u",
			 i < 8 ? i + 1 : i);
		m->node[i].name = strdup(name);
	}
	return m;
}

/* One letter a node: its site, '.' for none. */
static void expect(const struct cs_site_list *l, const char *want)
{
	char got[NODES + 1] = "";

	for (uint32_t n = 0; n < NODES; n++)
		got[n] = l->of[n] == UINT32_MAX ? '.' : (char)('a' + l->of[n]);
	assert_string_equal(got, want);
}

static void files_are_read(void **state)
{
	static const struct {
		const char *text, *want;
	} row[] = {
		{ "r1 n1\n", "a..........." },
		{ "r1 n1", "a..........." },
		{ "# two\n\n  r1\tn[1-3,5] # left\r\nr2 m[08-10],n4\n",
		  "aaaba...bbb." },
		{ "r1 n[8]\nr2 n[1-2,4-5]\nr3 m09\n", "bb.bb..a.c.." },
		{ "r1 [n]1\n", NULL },
		{ "r1 m[08-09]\nr2 m1[0]\n", "........aab." },
		{ "r1 m[0-1][8,0]\n", NULL }, /* no m00 */
		{ "r1 m[0][8-9]\nr2 n[1]\n", "b.......aa.." },
	};
	struct cs_machine *m = machine();

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_site_list l;
		struct cs_err err = { "" };

		assert_int_equal(cs_site_list_init(&l, m), 0);
		if (row[i].want) {
			assert_int_equal(
				cs_site_list_read(&l, row[i].text, false, &err),
				0);
			expect(&l, row[i].want);
		} else {
			assert_int_not_equal(
				cs_site_list_read(&l, row[i].text, false, &err),
				0);
		}
		cs_site_list_done(&l);
	}
	cs_machine_free(m);
}

static void bad_files_are_refused(void **state)
{
	static const struct {
		const char *text, *say;
	} row[] = {
		{ "", "no site, expected lines of SITE NODES" },
		{ "# nothing\n", "no site, expected" },
		{ "r1 n1\nr2\n", "line 2: site 'r2' has no nodes, expected "
				 "SITE NODES" },
		{ "r1 n1\n\nr2  # none\n", "line 3: site 'r2' has no nodes" },
		{ "r1 n[1-3]\nr2 n3\n",
		  "line 2: node 'n3' is in 'r1' and in 'r2', expected one of "
		  "them, once" },
		{ "r1 n1,n1\n", "line 1: node 'n1' is in 'r1' and in 'r1'" },
		{ "r1 n1\nr2 n99\n", "line 2: no node 'n99', expected nodes of "
				     "slurm.conf" },
		{ "r1 m[8-9]\n", "line 1: no node 'm8'" },
		{ "r1 n[1-999999999]\n", "line 1: no node 'n9'" },
		{ "r1 n[1-9999999999]\n", "line 1: no node 'n9'" },
		{ "r1 n[1-2x]\n", "line 1: malformed nodes at 'x]'" },
		{ "r1 n1\nr1 n2\n", "site 'r1' on two lines, expected one" },
		{ "r1 n1 n2\n", "line 1: more than a site and its nodes" },
		{ "r1 n[1\n", "line 1: malformed nodes at '1', expected such" },
		{ "r1 n1]\n", "line 1: malformed" },
		{ "r1 n[2-1]\n", "line 1: malformed" },
		{ "r1 n[]\n", "line 1: malformed" },
		{ "r1 n[1,]\n", "line 1: malformed" },
		{ "r1 n[-1]\n", "line 1: malformed" },
		{ "r1 n[1-]\n", "line 1: malformed" },
		{ "r1 n1,,n2\n", "line 1: malformed" },
		{ "r1 n1,\n", "line 1: malformed" },
		{ "r1 ,n1\n", "line 1: malformed" },
	};
	struct cs_machine *m = machine();

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_site_list l;
		struct cs_err err = { "" };

		assert_int_equal(cs_site_list_init(&l, m), 0);
		assert_int_equal(
			cs_site_list_read(&l, row[i].text, false, &err),
			-EINVAL);
		if (!strstr(err.text, row[i].say))
			fail_msg("'%s': '%s', expected '%s'", row[i].text,
				 err.text, row[i].say);
		assert_null(strchr(err.text, '\n'));
		cs_site_list_done(&l);
	}
	cs_machine_free(m);
}

/* What is told of a text, a line each; at most @most times. */
struct told {
	char text[1024];
	int most;
};

static bool note(void *arg, unsigned line, const char *text)
{
	struct told *t = arg;
	size_t at = strlen(t->text);

	snprintf(t->text + at, sizeof(t->text) - at, "%u %s\n", line, text);
	return --t->most > 0;
}

static void all_errors_are_told(void **state)
{
	static const char text[] =
		"r1 n1\nr2\nr1 n[1-3],n[2\n"
		"r3 n99,x,n4 # two\nr1 n5 n6\nr1 n5\nr3 n6\n";
	static const char *const want[] = {
		"2 site 'r2' has no nodes, expected SITE NODES\n",
		"3 node 'n1' is in 'r1' and in 'r1', expected one of them, "
		"once\n",
		"3 malformed nodes at '2', expected such as "
		"n[1-4,7],m[01-10]\n",
		"4 no node 'n99', expected nodes of slurm.conf\n",
		"4 no node 'x', expected nodes of slurm.conf\n",
		"5 more than a site and its nodes, expected SITE NODES without "
		"blanks in NODES\n",
		"0 site 'r1' on two lines, expected one for each\n",
		"0 site 'r3' on two lines, expected one for each\n",
	};
	enum { N = sizeof(want) / sizeof(want[0]) };
	struct cs_machine *m = machine();

	(void)state;
	for (int most = 1; most <= N + 1; most++) {
		struct told t = { "", most };
		char all[1024] = "";
		struct cs_site_list l;

		for (int i = 0; i < N && i < most; i++)
			strcat(all, want[i]);
		assert_int_equal(cs_site_list_init(&l, m), 0);
		assert_int_equal(cs_site_list_errors(&l, text, note, &t),
				 most < N ? most : N);
		assert_string_equal(t.text, all);
		cs_site_list_done(&l);
	}
	cs_machine_free(m);
}

/* slurmctld says them in one line; of endlessly many it does not count all. */
static void the_first_error_says_how_many_more(void **state)
{
	static const struct {
		int n;
		const char *say;
	} row[] = {
		{ 1, "line 1: no node 'x', expected nodes of slurm.conf" },
		{ 2, "line 1: no node 'x', expected nodes of slurm.conf, and 1 "
		     "more (cosched conf --check tells all)" },
		{ 1000, "line 1: no node 'x', expected nodes of slurm.conf, "
			"and 999 more (cosched conf --check tells all)" },
		{ 5000, "line 1: no node 'x', expected nodes of slurm.conf, "
			"and at least 1000 more (cosched conf --check tells "
			"all)" },
	};
	static char text[8 * 5000];
	struct cs_machine *m = machine();

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_err err = { "" };
		struct cs_site_list l;
		size_t at = 0;

		for (int k = 0; k < row[i].n; k++)
			at += (size_t)sprintf(text + at, "r%d x\n", k);
		assert_int_equal(cs_site_list_init(&l, m), 0);
		assert_int_equal(cs_site_list_read(&l, text, false, &err),
				 -EINVAL);
		assert_string_equal(err.text, row[i].say);
		cs_site_list_done(&l);
	}
	cs_machine_free(m);
}

/* A name longer than any node's, and ranges within ranges: refused, not overrun. */
static void endless_names_are_refused(void **state)
{
	struct cs_machine *m = machine();
	char text[4096];

	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		struct cs_site_list l;
		struct cs_err err = { "" };
		size_t at = (size_t)sprintf(text, "r1 ");

		for (int i = 0; i < 600; i++)
			at += (size_t)sprintf(text + at, kind ? "[1-2]" : "x");
		assert_int_equal(cs_site_list_init(&l, m), 0);
		assert_int_equal(cs_site_list_read(&l, text, false, &err),
				 -EINVAL);
		assert_non_null(strstr(err.text, "line 1: malformed"));
		cs_site_list_done(&l);
	}
	cs_machine_free(m);
}

/* The last good ones, where no unknown name ends a range: refused after so many names. */
static void endless_ranges_end(void **state)
{
	static const char *const text[] = { "r1 n[1-999999999]\n",
					    "r1 x[1-9999][1-9999][1-9999]\n" };
	struct cs_machine *m = machine();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct cs_site_list l;
		struct cs_err err = { "" };

		assert_int_equal(cs_site_list_init(&l, m), 0);
		assert_int_equal(cs_site_list_read(&l, text[i], true, &err),
				 -EINVAL);
		assert_string_equal(
			err.text,
			"line 1: more than 262144 nodes, expected fewer");
		cs_site_list_done(&l);
	}
	cs_machine_free(m);
}

/* The @n leaf switches with nodes @set: one letter a node, as @want, and @say of them. */
static void expect_leaves(const uint64_t *set, uint32_t n, const char *want,
			  const char *say)
{
	static const char *const name[] = { "l1", "l2", "l3", "l4" };
	struct cs_group_desc d[4];
	struct cs_machine *m = machine();
	struct cs_topology *t;
	struct cs_site_list l;
	char note[256] = "";

	for (uint32_t i = 0; i < n; i++)
		d[i] = (struct cs_group_desc){ .name = name[i],
					       .nodes = &set[i] };
	t = cs_topology_tree(NODES, d, n);
	assert_non_null(t);
	assert_int_equal(cs_site_list_init(&l, m), 0);
	assert_int_equal(cs_site_list_leaves(&l, t, note, sizeof(note), NULL),
			 0);
	expect(&l, want);
	assert_string_equal(note, say);
	cs_site_list_done(&l);
	cs_topology_free(t);
	cs_machine_free(m);
}

static void nodes_below_two_switches_are_told(void **state)
{
	(void)state;
	expect_leaves((const uint64_t[]){ 0x0f, 0xf0 }, 2, "aaaabbbb....", "");
	expect_leaves((const uint64_t[]){ 0x0f, 0xf8 }, 2, "aaaabbbb....",
		      "cosched_sites=topology: node 'n4' is below 'l1' and "
		      "'l2': such nodes count to the first");
	expect_leaves((const uint64_t[]){ 0x0f, 0x0f, 0xf0, 0xf0 }, 4,
		      "aaaabbbb....",
		      "cosched_sites=topology: node 'n1' is below 'l1' and "
		      "'l2', and others are below two: such nodes count to the "
		      "first; 2 switches have only such nodes, and are no "
		      "sites");
	expect_leaves((const uint64_t[]){ 0x0f, 0x0f, 0xf0 }, 3, "aaaabbbb....",
		      "cosched_sites=topology: node 'n1' is below 'l1' and "
		      "'l2', and others are below two: such nodes count to the "
		      "first; 1 switch has only such nodes, and is no site");
}

static void the_rest_is_a_site(void **state)
{
	struct cs_machine *m = machine();
	struct cs_site_list l;

	(void)state;
	assert_int_equal(cs_site_list_init(&l, m), 0);
	assert_int_equal(cs_site_list_read(&l, "r1 n[1-4]\n", false, NULL), 0);
	assert_int_equal(cs_site_list_rest(&l, NULL), 0);
	expect(&l, "aaaabbbbbbbb");
	assert_string_equal(l.name[1], "-");
	cs_site_list_done(&l);
	cs_machine_free(m);
}

/* The last good ones, for other nodes: who is gone is left out. */
static void sites_are_found_by_name(void **state)
{
	struct cs_machine *m = machine();
	struct cs_site_list l;
	char *text;

	(void)state;
	assert_int_equal(cs_site_list_init(&l, m), 0);
	assert_int_equal(cs_site_list_read(&l,
					   "r1 n[1-3]\nr2 m[08-10]\nr3 n8,n5\n",
					   false, NULL),
			 0);
	text = cs_site_list_text(&l);
	assert_string_equal(text, "r1 n1,n2,n3\nr2 m08,m09,m10\nr3 n5,n8\n");
	cs_site_list_done(&l);

	for (uint32_t n = 8; n < 11; n++)
		m->node[n].name[0] = 'x';
	free(m->node[0].name);
	m->node[0].name = strdup("n5");
	free(m->node[4].name);
	m->node[4].name = strdup("n1");
	assert_int_equal(cs_site_list_init(&l, m), 0);
	assert_int_equal(cs_site_list_read(&l, text, true, NULL), 0);
	expect(&l, "baa.a..b....");
	assert_string_equal(l.name[1], "r3");
	cs_site_list_done(&l);
	free(text);
	cs_machine_free(m);
}

/* A switch's name may be anything; the text stays one word a site. */
static void odd_names_stay_words(void **state)
{
	struct cs_machine *m = machine();
	struct cs_site_list l;
	char *text;

	(void)state;
	assert_int_equal(cs_site_list_init(&l, m), 0);
	assert_int_equal(cs_site_list_more(&l, "", 0, NULL), 0);
	assert_int_equal(cs_site_list_closed(&l, NULL), -EINVAL);
	assert_int_equal(cs_site_list_put(&l, 0, NULL), 0);
	assert_int_equal(cs_site_list_closed(&l, NULL), 0);
	assert_int_equal(cs_site_list_more(&l, "# a", 3, NULL), 0);
	assert_int_equal(cs_site_list_put(&l, 1, NULL), 0);
	text = cs_site_list_text(&l);
	assert_string_equal(text, "- n1\n__a n2\n");
	cs_site_list_done(&l);
	free(text);
	cs_machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(bad_files_are_refused),
		cmocka_unit_test(all_errors_are_told),
		cmocka_unit_test(the_first_error_says_how_many_more),
		cmocka_unit_test(endless_names_are_refused),
		cmocka_unit_test(endless_ranges_end),
		cmocka_unit_test(nodes_below_two_switches_are_told),
		cmocka_unit_test(the_rest_is_a_site),
		cmocka_unit_test(sites_are_found_by_name),
		cmocka_unit_test(odd_names_stay_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
