/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job's comment says to cosched, and what is wrong with it (profile/job_comment.c). */
#include "cs_test.h"

#include "common/profile/job_comment.h"

static void items_of_a_comment(void **state)
{
	static const struct {
		const char *comment, *key, *want; /* NULL: none */
	} row[] = {
		{ "cosched:profile=cg", "profile", "cg" },
		{ "cosched:profile=cg,share=no", "share", "no" },
		{ "cosched:share=no,profile=cg", "profile", "cg" },
		{ "note cosched:profile=cg more", "profile", "cg" },
		{ "note;cosched:profile=cg;more", "profile", "cg" },
		{ "\tcosched:profile=cg\nx", "profile", "cg" },
		{ "cosched:share=no cosched:profile=cg", "profile", "cg" },
		{ "cosched: cosched:profile=cg", "profile", "cg" },
		{ "cosched:,,profile=cg", "profile", "cg" },
		{ "cosched:profile=", "profile", "" },
		{ "cosched:profile=A.b_c+d-9", "profile", "A.b_c+d-9" },
		{ "cosched:profile=azAZ09", "profile", "azAZ09" },
		/* the first good one counts */
		{ "cosched:profile=a,profile=b", "profile", "a" },
		{ "cosched:profile=%n,profile=b", "profile", "b" },
		{ NULL, "profile", NULL },
		{ "", "profile", NULL },
		{ "cosched:", "profile", NULL },
		{ "cosched:profile", "profile", NULL },
		{ "profile=cg", "profile", NULL },
		{ "xcosched:profile=cg", "profile", NULL },
		{ "cosched :profile=cg", "profile", NULL },
		{ "Cosched:profile=cg", "profile", NULL },
		{ "cosched:Profile=cg", "profile", NULL },
		{ "cosched:xprofile=cg", "profile", NULL },
		{ "cosched:profilex=cg", "profile", NULL },
		{ "cosched:share=no profile=cg", "profile", NULL },
		{ "cosched:profile=c/g", "profile", NULL },
		{ "cosched:profile=c=g", "profile", NULL },
		{ "cosched:profile=\"cg\"", "profile", NULL },
		{ "cosched:profile=%s%n", "profile", NULL },
		{ "cosched:profile=\xc3\xa4", "profile", NULL },
		{ "cosched:profile=\x01", "profile", NULL },
		{ "{\"cosched:profile=cg", "profile", NULL },
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		bool found = cs_job_comment_item(row[i].comment, row[i].key,
						 buf, sizeof(buf));

		if (found != (row[i].want != NULL))
			fail_msg("'%s'", row[i].comment);
		if (found)
			assert_string_equal(buf, row[i].want);
	}
}

static void a_value_is_cut_to_the_buffer(void **state)
{
	char buf[4];

	(void)state;
	assert_true(cs_job_comment_item("cosched:profile=abcdef", "profile",
					buf, sizeof(buf)));
	assert_string_equal(buf, "abc");
	assert_true(
		cs_job_comment_item("cosched:profile=abc", "profile", buf, 1));
	assert_string_equal(buf, "");
	assert_false(
		cs_job_comment_item("cosched:profile=abc", "profile", buf, 0));
}

/* What stands across the limit may be half a value: it does not count. */
static void no_more_than_4096_bytes_are_read(void **state)
{
	char *comment = malloc(4096), buf[64];
	static const char item[] = "cosched:share=no,profile=cg";
	const size_t n = sizeof(item) - 1;

	(void)state;
	assert_non_null(comment);
	/* no 0 behind it: the sanitizer sees a byte too many */
	memset(comment, ' ', 4096);
	memcpy(comment + 4096 - n, item, n);
	assert_false(cs_job_comment_item(comment, "profile", buf, sizeof(buf)));
	assert_true(cs_job_comment_item(comment, "share", buf, sizeof(buf)));
	memcpy(comment + 4095 - n, item, n);
	comment[4095] = ';';
	assert_true(cs_job_comment_item(comment, "profile", buf, sizeof(buf)));
	memset(comment, 'x', 4096);
	memcpy(comment, "cosched:profile=", 16);
	assert_false(cs_job_comment_item(comment, "profile", buf, sizeof(buf)));
	free(comment);
}

static void random_comments_never_break_it(void **state)
{
	static const char *const part[] = {
		"cosched:", "profile=", "cg",	    ",",    ";",  " ",
		"=",	    "cosched",	"share=no", "\xff", "%n", "\n",
	};
	const size_t n_part = sizeof(part) / sizeof(part[0]);
	uint64_t seed = cs_test_seed();

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char comment[256] = "", buf[8], *exact;
		bool found;

		for (uint64_t n = cs_test_draw(&seed, 16); n; n--)
			strcat(comment, part[cs_test_draw(&seed, n_part)]);
		exact = strdup(comment);
		assert_non_null(exact);
		found = cs_job_comment_item(exact, "profile", buf, sizeof(buf));
		if (found) {
			assert_true(strlen(buf) < sizeof(buf));
			for (const char *c = buf; *c; c++)
				assert_true((*c >= 'a' && *c <= 'z') ||
					    (*c >= '0' && *c <= '9'));
		}
		free(exact);
	}
}

static void mistakes_of_a_comment_are_told(void **state)
{
	static const struct {
		const char *comment, *want; /* NULL: right */
		bool no_share;
	} row[] = {
		{ "", NULL, false },
		{ "no cosched here, share=no", NULL, false },
		{ "cosched:profile=cg,share=yes", NULL, false },
		{ "x; cosched:share=no", NULL, true },
		{ "cosched:profil=cg", "unknown key 'profil'", false },
		{ "cosched:shrae=no", "unknown key 'shrae'", true },
		{ "cosched:profile", "'profile' has no value", false },
		{ "cosched:share", "'share' has no value", true },
		{ "cosched:share=maybe", "share is 'maybe'", true },
		{ "cosched:share=", "share is ''", true },
		{ "cosched:profile=a,profile=b", "given twice", false },
		{ "cosched:profile=a cosched:profile=b", "given twice", false },
		{ "cosched:share=yes,share=no", "share is given twice", true },
		{ "cosched:profile=a\"b", "profile is 'a?b'", false },
		{ "cosched:%n\x01\xff=1,share=no", "unknown key '?n?\?'",
		  true },
		{ "cosched:a123456789b123456789c123456789d123456789=1",
		  "'a123456789b123456789c123456789d1'", false },
		{ "cosched:,,profile=cg,", NULL, false },
		{ "cosched:across=0.3", NULL, false },
		{ "cosched:across=100", NULL, false },
		{ "cosched:across=-1", "across is '-1', expected a number from",
		  false },
		{ "cosched:across=NaN", "across is 'NaN', expected", false },
		{ "cosched:across=1e9", "across is '1e9', expected", false },
		{ "cosched:across=100.01", "across is '100.01'", false },
		{ "cosched:across=", "across is ''", false },
		{ "cosched:wait=proc-b,share=yes", NULL, false },
		{ "cosched:wait=off", NULL, false },
		{ "cosched:wait=sometimes",
		  "wait is 'sometimes', expected local, off, yield", false },
		{ "cosched:wait=", "wait is ''", false },
		{ "cosched:wait", "'wait' has no value", false },
		{ "cosched:wait=no", "wait is 'no'", false },
		{ "cosched:wait=ib,wait=ib", "wait is given twice", false },
	};
	char buf[128];
	bool no_share;

	(void)state;
	assert_true(cs_job_comment_check(NULL, &no_share, buf, sizeof(buf)));
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		bool right = cs_job_comment_check(row[i].comment, &no_share,
						  buf, sizeof(buf));

		if (right != !row[i].want || no_share != row[i].no_share ||
		    (row[i].want ? !strstr(buf, row[i].want) : *buf))
			fail_msg("'%s': '%s', no_share %d", row[i].comment, buf,
				 no_share);
		assert_int_equal(cs_job_comment_check(row[i].comment, &no_share,
						      NULL, 0),
				 right);
	}
}

static void how_its_ranks_wait(void **state)
{
	static const struct {
		const char *comment;
		enum cs_comment_wait want;
	} row[] = {
		{ NULL, CS_COMMENT_WAIT_NONE },
		{ "cosched:share=yes", CS_COMMENT_WAIT_NONE },
		{ "wait=ib", CS_COMMENT_WAIT_NONE },
		{ "cosched:wait=ib", CS_COMMENT_WAIT_YIELDS },
		{ "x; cosched:share=yes,wait=sb", CS_COMMENT_WAIT_YIELDS },
		{ "cosched:wait=yield", CS_COMMENT_WAIT_YIELDS },
		{ "cosched:wait=hybrid", CS_COMMENT_WAIT_YIELDS },
		{ "cosched:wait=proc-b", CS_COMMENT_WAIT_YIELDS },
		{ "cosched:wait=local", CS_COMMENT_WAIT_SPINS },
		{ "cosched:wait=off", CS_COMMENT_WAIT_SPINS },
		{ "cosched:wait=i", CS_COMMENT_WAIT_NONE },
		{ "cosched:wait=ibx", CS_COMMENT_WAIT_NONE },
		{ "cosched:wait=", CS_COMMENT_WAIT_NONE },
		{ "cosched:wait=sb:100", CS_COMMENT_WAIT_NONE },
		{ "cosched:wait=local0123456789", CS_COMMENT_WAIT_NONE },
		{ "cosched:wait=off,wait=ib", CS_COMMENT_WAIT_SPINS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (cs_job_comment_wait(row[i].comment) != row[i].want)
			fail_msg("'%s'", row[i].comment);
}

/* A name of at most 63 bytes; what is none leaves "". */
static void the_campaign_of_a_comment(void **state)
{
	static const char x63[] = "x23456789-123456789-123456789-"
				  "123456789-123456789-123456789-123";
	char buf[CS_COMMENT_CAMPAIGN], comment[128];
	bool no_share;

	(void)state;
	assert_int_equal(strlen(x63), 63);
	for (int longer = 0; longer < 2; longer++) {
		snprintf(comment, sizeof(comment), "cosched:campaign=%s%s", x63,
			 longer ? "4" : "");
		assert_int_equal(cs_job_comment_campaign(comment, buf),
				 !longer);
		assert_string_equal(buf, longer ? "" : x63);
		assert_int_equal(cs_job_comment_check(comment, &no_share, buf,
						      sizeof(buf)),
				 !longer);
	}
	assert_true(
		cs_job_comment_campaign("cosched:campaign=a.1,share=no", buf));
	assert_string_equal(buf, "a.1");
	assert_false(cs_job_comment_campaign("cosched:campaign=", buf));
	assert_string_equal(buf, "");
	assert_false(cs_job_comment_campaign("cosched:campaign=a/b", buf));
	assert_false(cs_job_comment_campaign(NULL, buf));
	assert_false(cs_job_comment_check("cosched:campaign=a,campaign=b",
					  &no_share, comment, sizeof(comment)));
	assert_contains(comment, "campaign is given twice");
}

/* As millionths, 0 to 100. */
static void the_cost_of_crossing_in_a_comment(void **state)
{
	static const struct {
		const char *value;
		int64_t want; /* -1: none */
	} row[] = {
		{ "0", 0 },
		{ "0.3", 300000 },
		{ ".5", 500000 },
		{ "1.", 1000000 },
		{ "12.345678", 12345678 },
		{ "0.0000019", 1 }, /* millionths are cut */
		{ "99.999999", 99999999 },
		{ "100", 100000000 },
		{ "000000000100.0", 100000000 }, /* 14 bytes */
		{ "0000000000100.0", -1 },
		{ "100.000001", -1 },
		{ "101", -1 },
		{ "99999999999999", -1 },
		{ "1.2.3", -1 },
		{ ".", -1 },
		{ "", -1 },
		{ "-1", -1 },
		{ "+1", -1 },
		{ "1e1", -1 },
		{ "nan", -1 },
	};
	bool no_share;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		int64_t v = -1;
		char comment[64];
		bool there;

		snprintf(comment, sizeof(comment), "cosched:across=%s",
			 row[i].value);
		there = cs_job_comment_across(comment, &v);
		if (there != (row[i].want >= 0) || (there && v != row[i].want))
			fail_msg("across=%s: %d, %lld", row[i].value, there,
				 (long long)v);
		assert_int_equal(
			cs_job_comment_check(comment, &no_share, NULL, 0),
			there);
	}
	assert_false(cs_job_comment_across(NULL, NULL));
	assert_false(cs_job_comment_check("cosched:across=1,across=2",
					  &no_share, NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_of_a_comment),
		cmocka_unit_test(a_value_is_cut_to_the_buffer),
		cmocka_unit_test(no_more_than_4096_bytes_are_read),
		cmocka_unit_test(random_comments_never_break_it),
		cmocka_unit_test(mistakes_of_a_comment_are_told),
		cmocka_unit_test(how_its_ranks_wait),
		cmocka_unit_test(the_campaign_of_a_comment),
		cmocka_unit_test(the_cost_of_crossing_in_a_comment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
