/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of measured co-runs, and the profiles that are made of them. */
#define CS_TEST_ALLOC
#include "simrig.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "common/profile/slowdown.h"
#include "sim/corun.h"

static char table[] = "/tmp/cosched-corun-table.XXXXXX";
static char alone[] = "/tmp/cosched-corun-alone.XXXXXX";

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int read_both(struct cs_corun *c, const char *pairs, const char *codes,
		     struct cs_err *err)
{
	put(table, pairs);
	put(alone, codes);
	return cs_corun_read(c, table, alone, err);
}

static const char CODES[] = "# code\tseconds\tprocesses\truns\n"
			    "a.1\t100\t64\t3\nb\t50.5 16 1\r\nc 7 1 1\n";

static struct cs_profiles *profiles_of(const struct cs_corun *c, uint32_t cores)
{
	struct cs_profiles *p = NULL;
	struct cs_err err = { "" };
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(cs_corun_write(c, cores, f), 0);
	fclose(f);
	if (cs_profiles_read(&p, text, len, "corun", &err))
		fail_msg("%s\n%s", err.text, text);
	free(text);
	return p;
}

/* The example of corun.c. */
static void a_ratio_is_parted_by_the_kindest_partner(void **state)
{
	struct cs_slowdown m = { .unknown_pair = 1.5 };
	struct cs_corun c;
	struct cs_profiles *p;

	(void)state;
	assert_int_equal(
		read_both(&c, "a.1 b .9 4\na.1\tc\t1.2\t1\n", CODES, NULL), 0);
	assert_int_equal(c.n, 3);
	assert_int_equal(c.pairs, 2);
	assert_int_equal(c.code[1].procs, 16);
	assert_close(c.code[1].alone_s, 50.5, 0);
	assert_close(c.dense[0], 1 / .9, 1e-12);
	assert_close(c.dense[1], 1, 0);
	m.profiles = p = profiles_of(&c, 8);
	assert_int_equal(p->n_profile, 3);
	for (uint32_t procs = 1; procs <= 4; procs++)
		assert_close(cs_slowdown_self(&m, (struct cs_who){ .id = 1 },
					      procs, 2, 8),
			     1, 0);
	assert_close(cs_slowdown_self(&m, (struct cs_who){ .id = 1 }, 8, 2, 8),
		     1 / .9, 1e-5);
	assert_close(p->pair[1], 1, 1e-5);
	assert_close(p->pair[2], 1.2 / .9, 1e-5);
	assert_close(p->pair[3], 0, 0);
	assert_int_equal(cs_profiles_match(p, NULL, "u", "g", "e2", NULL), 1);
	assert_int_equal(cs_profiles_match(p, NULL, "u", "g", "c", NULL), 2);
	cs_profiles_free(p);
	cs_corun_done(&c);
}

/* On nodes of any size a job that is spread beside another takes the ratio of what it
 * takes dense, whatever the parts. */
static void profiles_give_the_ratios_back(void **state)
{
	uint64_t seed = cs_test_seed();

	(void)state;
	for (uint32_t cores = 2; cores <= 64; cores *= 2) {
		struct cs_slowdown m = { .unknown_pair = 1.5 };
		char text[1024] = "";
		double r[9];
		struct cs_profiles *p;
		struct cs_corun c;

		for (int i = 0; i < 9; i++) {
			r[i] = .6 + .01 * (double)cs_test_draw(&seed, 90);
			snprintf(text + strlen(text),
				 sizeof(text) - strlen(text), "%s %s %.4f 1\n",
				 i / 3 ? i / 3 > 1 ? "c" : "b" : "a.1",
				 i % 3 ? i % 3 > 1 ? "c" : "b" : "a.1", r[i]);
		}
		assert_int_equal(read_both(&c, text, CODES, NULL), 0);
		m.profiles = p = profiles_of(&c, cores);
		for (int i = 0; i < 9; i++) {
			struct cs_who of = { .profile = i / 3, .id = 1 };
			struct cs_who beside = { .profile = i % 3, .id = 2 };
			double spread =
				cs_slowdown_self(&m, of, cores / 2, 1, cores);
			double dense =
				cs_slowdown_self(&m, of, cores, 1, cores);

			assert_close(
				spread *
					cs_slowdown_beside(&m, of, &beside, 1) /
					dense,
				r[i], 1e-5);
		}
		cs_profiles_free(p);
		cs_corun_done(&c);
	}
}

/* Effects that add up exactly are found again. */
static void what_nobody_measured_comes_of_two_effects(void **state)
{
	static const char *const name[] = { "a.1", "b", "c", "d", "e", "f" };
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int round = 0; round < 20; round++) {
		char text[4096] = "", codes[256] = "";
		double v[6], w[6];
		struct cs_corun c;

		for (int i = 0; i < 6; i++) {
			v[i] = cs_test_unit(&seed) / 4;
			w[i] = cs_test_unit(&seed) / 4;
			snprintf(codes + strlen(codes),
				 sizeof(codes) - strlen(codes), "%s 1 1 1\n",
				 name[i]);
		}
		for (int i = 0; i < 36;
		     i++) /* no code beside the next but one */
			if ((i / 6 + 2) % 6 != i % 6)
				snprintf(text + strlen(text),
					 sizeof(text) - strlen(text),
					 "%s %s %.17g 1\n", name[i / 6],
					 name[i % 6], exp(v[i / 6] + w[i % 6]));
		assert_int_equal(read_both(&c, text, codes, NULL), 0);
		assert_int_equal(cs_corun_fill(&c), 0);
		for (int i = 0; i < 36; i++)
			assert_close(c.ratio[i], exp(v[i / 6] + w[i % 6]),
				     (i / 6 + 2) % 6 == i % 6 ? 1e-9 : 0);
		cs_corun_done(&c);
	}
}

/* What is filled in is not below the least that was measured of the code. */
static void nothing_is_kinder_than_what_was_measured(void **state)
{
	struct cs_corun c;

	(void)state;
	assert_int_equal(read_both(&c,
				   "a.1 b .9 1\nb b .9 1\nb c .3 1\nc c .5 1\n"
				   "c b .8 1\n",
				   CODES, NULL),
			 0);
	assert_int_equal(cs_corun_fill(&c), 0);
	assert_close(c.ratio[2], .9, 1e-12); /* a.1 beside c */
	for (int i = 0; i < 9; i++)
		assert_true(c.ratio[i] * c.dense[i / 3] > 1 - 1e-12);
	cs_corun_done(&c);
}

static void bad_tables_are_refused(void **state)
{
	static const struct {
		const char *pairs, *codes, *want;
	} row[] = {
		{ "a.1 b 1 1\n", "", "no code" },
		{ "# none\n", CODES, "no pair" },
		{ "a.1 b 1\n", CODES, ":1: too few fields" },
		{ "a.1 b 1 1 1\n", CODES, ":1: too many fields" },
		{ "\n#\na.1 x 1 1\n", CODES, ":3: code 'x'" },
		{ "a.1 b nan 1\n", CODES, "the ratio is 'nan'" },
		{ "a.1 b -1 1\n", CODES, "the ratio is '-1'" },
		{ "a.1 b 1e9 1\n", CODES, "the ratio is '1e9'" },
		{ "a.1 b 1 x\n", CODES, "the runs is 'x'" },
		{ "a.1 b 1 1\na.1 b 1 1\n", CODES, ":2: 'a.1' beside 'b'" },
		{ "a b 1 1\n", "a 1 1 1\na 1 1 1\n", ":2: code 'a' stands" },
		{ "a b 1 1\n", "a$ 1 1 1\n", "code 'a$'" },
		{ "a b 1 1\n", "a inf 1 1\n", "the time is 'inf'" },
		{ "a b 1 1\n", "a 1 0 1\n", "the processes is '0'" },
	};
	struct cs_err err;
	struct cs_corun c;
	char *text = malloc(3000);

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		assert_int_equal(
			read_both(&c, row[i].pairs, row[i].codes, &err),
			-EINVAL);
		assert_contains(err.text, row[i].want);
		assert_null(strchr(err.text, '\n'));
	}
	memset(text, 'a', 2999);
	text[2999] = '\0';
	assert_int_equal(read_both(&c, text, CODES, &err), -EINVAL);
	assert_contains(err.text, "a line of more than");
	assert_int_equal(cs_corun_read(&c, "/no/such", alone, &err), -ENOENT);
	free(text);
}

static void every_allocation_may_fail(void **state)
{
	bool more = true;

	(void)state;
	put(table, "a.1 b .9 4\na.1 c 1.2 1\n");
	put(alone, CODES);
	for (long n = 0; more; n++) {
		struct cs_err err = { "" };
		struct cs_corun c;
		int rc;

		cs_test_fail_after(n);
		rc = cs_corun_read(&c, table, alone, &err);
		if (!rc) {
			rc = cs_corun_fill(&c);
			cs_corun_done(&c);
		}
		more = cs_test_failed();
		assert_true(!rc || (more && (rc == -ENOMEM)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ratio_is_parted_by_the_kindest_partner),
		cmocka_unit_test(profiles_give_the_ratios_back),
		cmocka_unit_test(what_nobody_measured_comes_of_two_effects),
		cmocka_unit_test(nothing_is_kinder_than_what_was_measured),
		cmocka_unit_test(bad_tables_are_refused),
		cmocka_unit_test(every_allocation_may_fail),
	};
	int rc;

	assert_true(close(mkstemp(table)) == 0 && close(mkstemp(alone)) == 0);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(table);
	unlink(alone);
	return rc;
}
