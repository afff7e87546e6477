/* SPDX-License-Identifier: GPL-2.0-or-later */
#define CS_TEST_ALLOC
#include "cs_test.h"

#include <errno.h>

#include "common/base/jsonpos.h"
#include "common/profile/job_comment.h"
#include "common/profile/profile.h"

static struct cs_profiles *good_bytes(const char *text, size_t len)
{
	struct cs_profiles *p = NULL;
	struct cs_err err = { "" };

	if (cs_profiles_read(&p, text, len, "f", &err))
		fail_msg("%s", err.text);
	return p;
}

static struct cs_profiles *good(const char *text)
{
	return good_bytes(text, strlen(text));
}

/* The bytes are refused with a message that starts with @want. */
static void bad_bytes(const char *text, size_t len, const char *want)
{
	struct cs_profiles *p = NULL;
	struct cs_err err = { "" };

	if (cs_profiles_read(&p, text, len, "f", &err) != -EINVAL)
		fail_msg("taken: %s", text);
	assert_null(p);
	if (strncmp(err.text, want, strlen(want)))
		fail_msg("'%s', expected '%s'", err.text, want);
	assert_int_equal(cs_profiles_read(&p, text, len, "f", NULL), -EINVAL);
}

static void bad(const char *text, const char *want)
{
	bad_bytes(text, strlen(text), want);
}

/* Rows of text and message. */
struct row {
	const char *text, *want;
};

static void all_bad(const struct row *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bad(row[i].text, row[i].want);
}

#define ALL_BAD(row) all_bad(row, sizeof(row) / sizeof((row)[0]))

/* ------------------------------------------------------------------ file */

static void the_example_of_the_design_is_read(void **state)
{
	static const double cg[] = { 0.9, 0.8, 0.5, 0.1, 0.0 };
	char *text = cs_test_file("profiles_design.json", NULL);
	struct cs_profiles *p = good(text);
	int i;

	(void)state;
	assert_int_equal(p->n_profile, 3);
	assert_int_equal(p->fallback, 2);
	i = cs_profiles_find(p, "cg");
	assert_int_equal(i, 0);
	assert_true(p->profile[i].known);
	assert_true(p->profile[i].has_resources);
	for (int r = 0; r < CS_RES_COUNT; r++)
		assert_close(p->profile[i].resources[r], cg[r], 0);
	assert_int_equal(p->profile[i].n_self, 3);
	assert_int_equal(p->profile[i].self[2].procs, 4);
	assert_close(p->profile[i].self[2].slowdown, 1.6, 0);
	assert_int_equal(cs_profiles_find(p, "io"), 1);
	assert_false(p->profile[1].has_resources);
	assert_false(p->profile[2].known);
	assert_close(p->pair[0 * 3 + 1], 1.05, 0);
	assert_close(p->pair[1 * 3 + 0], 1.10, 0);
	assert_close(p->pair[0 * 3 + 0], 0, 0);
	assert_int_equal(p->n_rule, 1);
	assert_string_equal(p->rule[0].name, "cfd-*");
	assert_int_equal(cs_profiles_find(p, "nobody"), CS_PROFILE_NONE);
	cs_profiles_free(p);
	free(text);
}

/* The manual's example, without the text around it. */
static void the_example_of_the_manual_is_read(void **state)
{
	char *text = cs_test_file("../../../doc/cosched-profiles.5", NULL);
	char *from = strstr(text, "\n{\"version\""), *end;
	struct cs_profiles *p;

	(void)state;
	assert_non_null(from);
	end = strstr(from, "\n.fi");
	assert_non_null(end);
	for (char *c; (c = memchr(from, '\\', (size_t)(end - from))); end--)
		memmove(c, c + 1, strlen(c)); /* "\-" is a hyphen to roff */
	p = good_bytes(from, (size_t)(end - from));
	assert_int_equal(p->n_profile, 3);
	assert_int_equal(p->n_rule, 1);
	cs_profiles_free(p);
	free(text);
}

static void every_key_but_version_is_optional(void **state)
{
	struct cs_profiles *p = good("{\"version\":1}");

	(void)state;
	assert_int_equal(p->n_profile, 0);
	assert_int_equal(p->fallback, CS_PROFILE_NONE);
	assert_int_equal(cs_profiles_match(p, NULL, NULL, NULL, NULL, NULL),
			 CS_PROFILE_NONE);
	cs_profiles_free(p);
	p = good("\n\t {\"version\":1,\"profiles\":{},\"pairs\":[],"
		 "\"rules\":[]}\n\n");
	assert_int_equal(p->n_rule, 0);
	cs_profiles_free(p);
	p = good("{\"version\":1,\"profiles\":{\"a\":{\"self\":{}},"
		 "\"b\":{\"resources\":{}}}}");
	assert_false(p->profile[0].known);
	assert_false(p->profile[1].known);
	assert_false(p->profile[1].has_resources);
	cs_profiles_free(p);
}

static void parts_may_stand_in_any_order(void **state)
{
	struct cs_profiles *p = good(
		"{\"rules\":[{\"profile\":\"a\"}],\"pairs\":[{\"slowdown\":2,"
		"\"beside\":\"a\",\"of\":\"b\"}],\"default\":\"b\","
		"\"profiles\":{\"b\":{},\"a\":{}},\"version\":1}");

	(void)state;
	assert_int_equal(p->fallback, 0);
	assert_close(p->pair[1], 2, 0);
	/* a pair makes both of its sides known */
	assert_true(p->profile[0].known);
	assert_true(p->profile[1].known);
	assert_string_equal(p->rule[0].user, "*");
	cs_profiles_free(p);
}

static void self_points_are_sorted_by_processes(void **state)
{
	struct cs_profiles *p = good("{\"version\":1,\"profiles\":{\"a\":{"
				     "\"self\":{\"64\":3,\"1\":0.1,"
				     "\"8\":1}}}}");
	const struct cs_self_point *s = p->profile[0].self;

	(void)state;
	assert_int_equal(s[0].procs, 1);
	assert_int_equal(s[1].procs, 8);
	assert_int_equal(s[2].procs, 64);
	assert_close(s[0].slowdown, 0.1, 0);
	cs_profiles_free(p);
}

static void what_a_job_waits_is_known_only_if_it_is_there(void **state)
{
	struct cs_profiles *p = good("{\"version\":1,\"profiles\":{"
				     "\"a\":{\"waits\":0.25},"
				     "\"b\":{\"across\":1}}}");
	struct cs_profiles *q = good("{\"version\":1,\"profiles\":{"
				     "\"a\":{\"across\":0.25},"
				     "\"b\":{\"across\":1}}}");

	(void)state;
	assert_true(p->profile[0].known);
	assert_close(cs_profiles_waits(p, 0, .5), .25, 0);
	assert_close(cs_profiles_waits(p, 1, .5), .5, 0);
	assert_close(cs_profiles_waits(p, CS_PROFILE_NONE, 0), 0, 0);
	assert_true(cs_profiles_digest(p) != cs_profiles_digest(q));
	cs_profiles_free(p);
	cs_profiles_free(q);
}

/* ---------------------------------------------------------------- errors */

static void an_unknown_key_is_refused_with_its_line(void **state)
{
	static const struct row row[] = {
		{ "{\"version\":1,\n\n\"profile\":{}}",
		  "f:3: unknown key 'profile', expected version, default, "
		  "profiles, pairs or rules" },
		{ "{\"version\":1,\"profiles\":{\n\"a\":{},\n\"b\":{\n"
		  "\"x\":1}}}",
		  "f:4: unknown key 'x', expected self, resources, across or waits" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\n\"across\":-1}}}",
		  "f:2: 'across' is -1, expected" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\n\"across\":1e9}}}",
		  "f:2: 'across' is 1e+09, expected" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\n\"waits\":1.01}}}",
		  "f:2: 'waits' is 1.01, expected" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\n\"across\":NaN}}}",
		  "f:2: " },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"resources\":{\n"
		  "\"cpu\":1,\n\"gpu\":1}}}}",
		  "f:3: unknown key 'gpu', expected cpu, memory_bandwidth, "
		  "cache, network or disk" },
		{ "{\"version\":1,\"profiles\":{\"a\":{}},\"pairs\":[\n{},\n"
		  "{\"with\":\"a\"}]}",
		  "f:2: pair without 'of', expected of, beside and slowdown" },
		{ "{\"version\":1,\"profiles\":{\"a\":{}},\"pairs\":[\n"
		  "{\"of\":\"a\",\"beside\":\"a\",\"slowdown\":1},\n"
		  "{\"with\":\"a\"}]}",
		  "f:3: unknown key 'with', expected of, beside or slowdown" },
		{ "{\"version\":1,\"rules\":[{\n\"uid\":1}]}",
		  "f:2: unknown key 'uid', expected user, account, name or "
		  "profile" },
	};

	(void)state;
	ALL_BAD(row);
}

static void a_key_given_twice_is_refused_with_its_line(void **state)
{
	static const struct row row[] = {
		{ "{\"version\":1,\n\"version\":1}",
		  "f:2: key 'version' is given twice, expected once" },
		{ "{\"version\":1,\"profiles\":{\n\"a\":{},\n\"b\":{},\n"
		  "\"a\":{}}}",
		  "f:4: key 'a' is given twice" },
		/* the same key behind an escape */
		{ "{\"version\":1,\"profiles\":{\n\"a\":{},\n\"\\u0061\":{}}}",
		  "f:3: key 'a' is given twice" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,\n"
		  "\"1\":2}}}}",
		  "f:2: key '1' is given twice" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"resources\":{\"cpu\":1"
		  ",\n\"cpu\":0}}}}",
		  "f:2: key 'cpu' is given twice" },
		{ "{\"version\":1,\"rules\":[{\"user\":\"}\\\",{\",\n\"user\":"
		  "\"b\"}]}",
		  "f:2: key 'user' is given twice" },
	};

	(void)state;
	ALL_BAD(row);
}

static void a_wrong_type_is_refused_with_its_line(void **state)
{
	static const struct row row[] = {
		{ "[]", "f:1: no object, expected '{'" },
		{ "\n\n\"a\"", "f:3: no object" },
		{ "{\"version\":\"1\"}", "f:1: 'version' is a string, expected "
					 "1" },
		{ "{\"version\":1.0}", "f:1: 'version' is a number, expected "
				       "1" },
		{ "{\"version\":null}", "f:1: 'version' is null, expected 1" },
		{ "{\"version\":1,\n\"profiles\":[]}",
		  "f:2: 'profiles' is an array, expected an object" },
		{ "{\"version\":1,\"profiles\":{\n\"a\":null}}",
		  "f:2: 'a' is null, expected an object" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"self\":\n[1]}}}",
		  "f:2: 'self' is an array, expected an object" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":\n"
		  "\"1\"}}}}",
		  "f:2: '1' is a string, expected a number" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"resources\":{\"cpu\":"
		  "\ntrue}}}}",
		  "f:2: 'cpu' is a boolean, expected a number" },
		{ "{\"version\":1,\n\"pairs\":{}}",
		  "f:2: 'pairs' is an object, expected an array" },
		{ "{\"version\":1,\"pairs\":[\n1]}",
		  "f:2: 'pairs' is a whole number, expected an object" },
		{ "{\"version\":1,\"rules\":[{\"profile\":\n1}]}",
		  "f:2: 'profile' is a whole number, expected a profile's "
		  "name" },
		{ "{\"version\":1,\"profiles\":{\"a\":{}},\"rules\":[{"
		  "\"profile\":\"a\",\n\"user\":[]}]}",
		  "f:2: 'user' is an array, expected a pattern" },
		{ "{\"version\":1,\n\"default\":null}",
		  "f:2: 'default' is null, expected a profile's name" },
	};

	(void)state;
	ALL_BAD(row);
}

static void a_value_out_of_range_is_refused_with_its_line(void **state)
{
	static const struct row row[] = {
		{ "{\"version\":\n2}", "f:2: 'version' is 2, expected 1" },
		{ "{\n}", "f:1: 'version' is missing, expected 1" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,\n"
		  "\"2\":0.09}}}}",
		  "f:2: '2' is 0.09, expected a number from 0.1 to 1000" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1e9}}}}",
		  "f:1: '1' is 1e+09, expected a number from 0.1 to 1000" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"resources\":{\"cpu\":"
		  "1.01}}}}",
		  "f:1: 'cpu' is 1.01, expected a number from 0 to 1" },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"resources\":{\"cpu\":"
		  "-1}}}}",
		  "f:1: 'cpu' is -1, expected a number from 0 to 1" },
		{ "{\"version\":1,\"profiles\":{\"a\":{}},\"pairs\":[{\"of\":"
		  "\"a\",\"beside\":\"a\",\n\"slowdown\":0}]}",
		  "f:2: 'slowdown' is 0, expected a number from 0.1" },
	};

	(void)state;
	ALL_BAD(row);
}

static void add_line(void *arg, const char *text)
{
	char *all = arg;
	size_t n = strlen(all);

	snprintf(all + n, 4096 - n, "%s\n", text);
}

static void all_errors_of_a_file_are_told(void **state)
{
	static const char text[] =
		"{\"version\":2, \"defualt\":\"cg\",\n"
		" \"profiles\":{\"cg\":{\"self\":{\"0\":1.0,\n"
		"   \"2\":0.01, \"4\":1.5}},\n"
		"  \"a b\":{},\n"
		"  \"io\":{\"slef\":{}, \"resources\":{\"cpu\":1.5,\n"
		"   \"disk\":-1}}},\n"
		" \"pairs\":[{\"of\":\"cg\",\"beside\":\"oi\",\"slowdown\":1},\n"
		"  {\"of\":\"cg\",\"beside\":\"io\",\"slowdown\":1.1},\n"
		"  {\"of\":\"cg\",\"beside\":\"io\",\"slowdown\":1.2}],\n"
		" \"rules\":[{\"user\":\"a\"},{\"profile\":\"cg\"},7]}";
	static const char *const want[] = {
		"f:1: unknown key 'defualt'",
		"f:1: 'version' is 2, expected 1",
		"f:2: key '0' in 'self'",
		"f:3: '2' is 0.01",
		"f:4: profile name 'a b'",
		"f:5: unknown key 'slef'",
		"f:5: 'cpu' is 1.5",
		"f:6: 'disk' is -1",
		"f:7: 'beside' is 'oi'",
		"f:9: the pair 'cg' beside 'io'",
		"f:10: rule without 'profile'",
		"f:10: 'rules' is a whole",
	};
	char said[4096] = "";
	const char *at = said;

	(void)state;
	assert_int_equal(
		cs_profiles_errors(text, sizeof(text) - 1, "f", add_line, said),
		sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		if (strncmp(at, want[i], strlen(want[i])))
			fail_msg("'%s' expected in\n%s", want[i], at);
		at = strchr(at, '\n') + 1;
	}
	said[0] = '\0';
	assert_int_equal(
		cs_profiles_errors("{\"version\":1}", 13, "f", add_line, said),
		0);
	assert_int_equal(
		cs_profiles_errors("{\"version\":", 11, "f", add_line, said),
		1);
	assert_contains(said, "f:1: not JSON");
}

static void self_keys_are_numbers_of_processes(void **state)
{
	static const char *const key[] = {
		"",  "0",  "01", "-1",	  "1.0",
		"x", "1x", " 1", "65537", "99999999999999999999"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text),
			 "{\"version\":1,\"profiles\":{\"a\":{\"self\":{\n"
			 "\"%s\":1}}}}",
			 key[i]);
		bad(text, "f:2: key '");
	}
	cs_profiles_free(good("{\"version\":1,\"profiles\":{\"a\":{\"self\":{"
			      "\"65536\":1}}}}"));
}

static void profile_names_can_stand_in_a_comment(void **state)
{
	char text[256];

	(void)state;
	bad("{\"version\":1,\"profiles\":{\n\"a b\":{}}}",
	    "f:2: profile name 'a b', expected 1 to 63 letters, digits, '.', "
	    "'_', '+' or '-'");
	bad("{\"version\":1,\"profiles\":{\"\":{}}}", "f:1: profile name ''");
	bad("{\"version\":1,\"profiles\":{\"\xc3\xa4\":{}}}",
	    "f:1: profile name '\?\?'");
	snprintf(text, sizeof(text),
		 "{\"version\":1,\"profiles\":{\"%064d\":"
		 "{}}}",
		 0);
	bad(text, "f:1: profile name '0000");
	snprintf(text, sizeof(text),
		 "{\"version\":1,\"profiles\":{\"%063d\":"
		 "{}}}",
		 0);
	cs_profiles_free(good(text));
}

static void a_reference_to_no_profile_is_refused_with_its_line(void **state)
{
	static const struct row row[] = {
		{ "{\"version\":1,\n\"default\":\"a\"}",
		  "f:2: 'default' is 'a', expected one of 'profiles'" },
		{ "{\"version\":1,\"profiles\":{\"a\":{}},\"pairs\":[{\"of\":"
		  "\"a\",\n\"beside\":\"b\",\"slowdown\":1}]}",
		  "f:2: 'beside' is 'b', expected one of 'profiles'" },
		{ "{\"version\":1,\"rules\":[{\"profile\":\"%n\"}]}",
		  "f:1: 'profile' is '%n', expected one of 'profiles'" },
		{ "{\"version\":1,\"rules\":[{\"user\":\"a\"}]}",
		  "f:1: rule without 'profile', expected a profile's name" },
	};

	(void)state;
	ALL_BAD(row);
}

static void a_pair_given_twice_is_refused_with_its_line(void **state)
{
	(void)state;
	bad("{\"version\":1,\"profiles\":{\"a\":{},\"b\":{}},\"pairs\":[\n"
	    "{\"of\":\"a\",\"beside\":\"b\",\"slowdown\":1},\n"
	    "{\"of\":\"b\",\"beside\":\"a\",\"slowdown\":1},\n"
	    "{\"of\":\"a\",\"beside\":\"b\",\"slowdown\":1}]}",
	    "f:4: the pair 'a' beside 'b' is given twice, expected once");
}

static void a_syntax_error_has_its_line(void **state)
{
	static const struct row row[] = {
		{ "", "f:1: no object, expected '{'" },
		{ "{", "f:1: not JSON: the text ends early (column 2)" },
		{ "{\"version\":1,\n \"rules\":[],}",
		  "f:2: not JSON: no key in \"\" where one belongs (column 13, "
		  "at '}')" },
		{ "{\"version\":1\n\n", "f:3: not JSON: the text ends early" },
		{ "{\"version\":1,\n\n", "f:3: not JSON: the text ends early" },
		{ "{\"version\"\n", "f:2: not JSON: the text ends early" },
		{ "{\"version\":\n", "f:2: not JSON: the text ends early" },
		{ "{\"version\":1,\n\"default\":\"a}",
		  "f:2: not JSON: string without its second '\"'" },
		{ "{\"version\":1,\n\"default\":\"a}\n}",
		  "f:2: not JSON: control character in a string" },
		{ "{\"version\":1\n\"default\":\"a\"}",
		  "f:2: not JSON: no ',' or '}' behind a value" },
		{ "{\"version\":1,\n\"default\" \"a\"}",
		  "f:2: not JSON: no ':' behind a key" },
		{ "{\"version\":1,\n}",
		  "f:2: not JSON: no key in \"\" where one belongs" },
		{ "{\"version\":1,\n'default':\"a\"}",
		  "f:2: not JSON: no key" },
		{ "{\"version\":1,\n// no\n\"default\":\"a\"}",
		  "f:2: not JSON: no key" },
		{ "{\"version\":1,\n\"pairs\":[1,]}",
		  "f:2: not JSON: no value where one belongs" },
		{ "{\"version\":1,\n\"pairs\":[1}",
		  "f:2: not JSON: no ',' or ']' behind a value" },
		{ "{\"version\":\nTrue}", "f:2: not JSON: no value" },
		{ "{\"version\":\nnul}", "f:2: not JSON: no value" },
		{ "{\"version\":\nNaN}", "f:2: not JSON: no value" },
		{ "{\"version\":\n'1'}", "f:2: not JSON: no value" },
		{ "{\"version\":\n01}", "f:2: not JSON: no ',' or '}'" },
		{ "{\"version\":\n1.2.3}", "f:2: not JSON: no ',' or '}'" },
		{ "{\"version\":\n1.}", "f:2: not JSON: malformed number" },
		{ "{\"version\":\n-}", "f:2: not JSON: malformed number" },
		{ "{\"version\":\n1e+}", "f:2: not JSON: malformed number" },
		{ "{\"version\":1,\n\"default\":\"\\x\"}",
		  "f:2: not JSON: unknown escape in a string" },
		{ "{\"version\":1,\n\"default\":\"\\u12g4\"}",
		  "f:2: not JSON: \\u without four hexadecimal digits" },
		{ "{\"version\":1,\n\"default\":\"\\",
		  "f:2: not JSON: unknown escape" },
		{ "{\"version\":1,\n\"default\":\"\xff\"}",
		  "f:2: not JSON: string that is not UTF-8" },
		{ "\xef\xbb\xbf{\"version\":1}", "f:1: no object" },
	};

	(void)state;
	ALL_BAD(row);
}

/* json-c 0.18 refuses them where it is strict. */
static void strings_may_be_any_utf_8(void **state)
{
	struct cs_profiles *p = good(
		"{\"version\":1,\"profiles\":{\"a\":{}},\"rules\":[{\"profile"
		"\":\"a\",\"name\":\"\xc3\xa4\\u00e4\\/\\t\x7f\"}]}");

	(void)state;
	assert_string_equal(p->rule[0].name, "\xc3\xa4\xc3\xa4/\t\x7f");
	cs_profiles_free(p);
}

static void text_behind_the_object_is_refused(void **state)
{
	static const struct row row[] = {
		{ "\n{\"version\":1}\n{\"version\":1}",
		  "f:3: text behind the end of the object in '{}'" },
		{ "{\"version\":1}}", "f:1: text behind" },
		{ "{\"version\":1}\n\n,", "f:3: text behind" },
	};

	(void)state;
	ALL_BAD(row);
}

static void bytes_0_are_refused(void **state)
{
	static const char text[] = "{\"version\":1\n\0}";
	static const char tail[] = "{\"version\":1}\n\0";

	(void)state;
	bad_bytes(text, sizeof(text) - 1, "f:2: a byte 0, expected text");
	bad_bytes(tail, sizeof(tail) - 1, "f:2: a byte 0");
	/* escaped: a key of json-c's would end there */
	bad("{\"version\":1,\"profiles\":{\n\"a\\u0000b\":{}}}",
	    "f:2: a byte 0");
	bad("{\"version\":1,\"profiles\":{\"a\":{}},\"rules\":[{\"profile\":"
	    "\"a\",\"user\":\"\\\\\\u0000\"}]}",
	    "f:1: a byte 0");
	/* an escaped backslash is none */
	cs_profiles_free(good("{\"version\":1,\"profiles\":{\"a\":{}},"
			      "\"rules\":[{\"profile\":\"a\",\"user\":"
			      "\"\\\\u0000\"}]}"));
}

static void depth_is_limited(void **state)
{
	char text[64];
	int n;

	(void)state;
	bad("{\"version\":\n[[[[[[[[[[[[[[[[",
	    "f:2: not JSON: too many objects and arrays in each other");
	/* as deep as allowed: only then the type matters */
	n = snprintf(text, sizeof(text), "{\"version\":");
	memset(text + n, '[', 15);
	memset(text + n + 15, ']', 15);
	memcpy(text + n + 30, "}", 2);
	bad(text, "f:1: 'version' is an array, expected 1");
}

static void size_is_limited(void **state)
{
	const size_t most = 4 << 20;
	char *text = malloc(most + 1), *at;

	(void)state;
	assert_non_null(text);
	memset(text, ' ', most + 1);
	memcpy(text, "{\"version\":1}", 13);
	cs_profiles_free(good_bytes(text, most));
	bad_bytes(text, most + 1,
		  "f:1: 4194305 bytes, expected at most "
		  "4194304");
	/* more profiles than a matrix of their pairs is made for */
	at = text + sprintf(text, "{\"version\":1,\n\"profiles\":{");
	for (int i = 0; i < 1025; i++)
		at += sprintf(at, "%s\"p%d\":{}", i ? "," : "", i);
	strcpy(at, "}}");
	bad(text, "f:2: 'profiles' has 1025 entries, expected at most 1024");
	free(text);
}

static void a_long_pattern_is_refused(void **state)
{
	char text[512];

	(void)state;
	snprintf(text, sizeof(text),
		 "{\"version\":1,\"profiles\":{\"a\":{}},"
		 "\"rules\":[{\"profile\":\"a\",\"name\":\n\"%0256d\"}]}",
		 0);
	bad(text, "f:2: 'name' has 256 bytes, expected less than 256");
}

static void a_long_file_name_keeps_its_end(void **state)
{
	struct cs_profiles *p = NULL;
	struct cs_err err = { "" };
	char name[1024];

	(void)state;
	memset(name, 'd', sizeof(name));
	strcpy(name + sizeof(name) - 10, "/end.json");
	assert_int_equal(cs_profiles_read(&p, "{}", 2, name, &err), -EINVAL);
	assert_contains(err.text, "ddd/end.json:1: 'version' is missing, "
				  "expected 1");
}

/* ---------------------------------------------------------------- memory */

static void each_failed_allocation_is_told_and_leaks_nothing(void **state)
{
	char *text = cs_test_file("profiles_design.json", NULL);
	struct cs_profiles *p = NULL;
	int rc = 0;

	(void)state;
	CS_TEST_EACH_ALLOC(
		rc = cs_profiles_read(&p, text, strlen(text), "f", NULL),
		rc == -ENOMEM);
	cs_profiles_free(p);
	cs_profiles_free(NULL);
	CS_TEST_EACH_ALLOC(p = cs_profiles_create(), !p);
	cs_profiles_free(p);
	free(text);
}

static void the_digest_is_of_what_slows_jobs(void **state)
{
	static const struct {
		const char *text;
		bool same;
	} row[] = {
		{ "{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,"
		  "\"2\":1.1}},\"b\":{}},\"pairs\":[{\"of\":\"a\","
		  "\"beside\":\"b\",\"slowdown\":1.2}]}",
		  true },
		{ " {\"version\":1, \"pairs\":[{\"slowdown\":1.2,\"of\":"
		  "\"a\",\"beside\":\"b\"}],\"profiles\":{\"a\":{\"self\":"
		  "{\"1\":1,\"2\":1.10}},\"b\":{}}, \"default\":\"a\","
		  "\"rules\":[{\"profile\":\"b\"}]}\n",
		  true },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,"
		  "\"2\":1.1}},\"b\":{}},\"pairs\":[{\"of\":\"b\","
		  "\"beside\":\"a\",\"slowdown\":1.2}]}",
		  false },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,"
		  "\"2\":1.2}},\"b\":{}},\"pairs\":[{\"of\":\"a\","
		  "\"beside\":\"b\",\"slowdown\":1.2}]}",
		  false },
		{ "{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,"
		  "\"2\":1.1}},\"b\":{\"resources\":{\"cpu\":0}}},\"pairs\":"
		  "[{\"of\":\"a\",\"beside\":\"b\",\"slowdown\":1.2}]}",
		  false },
		{ "{\"version\":1,\"profiles\":{\"c\":{\"self\":{\"1\":1,"
		  "\"2\":1.1}},\"b\":{}},\"pairs\":[{\"of\":\"c\","
		  "\"beside\":\"b\",\"slowdown\":1.2}]}",
		  false },
		{ "{\"version\":1}", false },
	};
	uint64_t first = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct cs_err err = { "" };
		struct cs_profiles *p;
		uint64_t digest;

		if (cs_profiles_read(&p, row[i].text, strlen(row[i].text), "f",
				     &err))
			fail_msg("%s", err.text);
		digest = cs_profiles_digest(p);
		first = i ? first : digest;
		if ((digest == first) != row[i].same)
			fail_msg("row %zu", i);
		cs_profiles_free(p);
	}
}

static void random_damage_never_breaks_it(void **state)
{
	static const char bytes[] =
		"{}[]\",:\\0123456789.eE+- \n\tabu\xff\x80/'";
	size_t len;
	char *text = cs_test_file("profiles_design.json", &len);
	char *copy = malloc(len);
	uint64_t seed = cs_test_seed();

	(void)state;
	assert_non_null(copy);
	for (int i = 0; i < 20000; i++) {
		struct cs_profiles *p = NULL;
		struct cs_err err = { "" };
		char said[4096];
		size_t n = i % 10 ? len : cs_test_draw(&seed, len);
		int rc;

		memcpy(copy, text, len);
		for (uint64_t k = cs_test_draw(&seed, 4); k; k--)
			copy[cs_test_draw(&seed, len)] =
				bytes[cs_test_draw(&seed, sizeof(bytes))];
		rc = cs_profiles_read(&p, copy, n, "f", &err);
		assert_true(rc == 0 || rc == -EINVAL);
		/* the file is bad where it has errors, and its first is theirs */
		said[0] = '\0';
		assert_int_equal(
			cs_profiles_errors(copy, n, "f", add_line, said) > 0,
			rc != 0);
		if (rc)
			assert_contains(said, err.text);
		if (rc)
			assert_int_equal(strncmp(err.text, "f:", 2), 0);
		else
			cs_profiles_free(p);
	}
	free(copy);
	free(text);
}

/* ----------------------------------------------------------------- match */

static const char rules[] =
	"{\"version\":1,\"default\":\"d\",\"profiles\":{\"d\":{\"self\":{\"1\":"
	"1}},\"cg\":{\"self\":{\"1\":1}},\"io\":{\"self\":{\"1\":1}},"
	"\"nothing\":{}},\"rules\":["
	"{\"user\":\"alice\",\"name\":\"cfd-*\",\"profile\":\"cg\"},"
	"{\"account\":\"[ab]?\",\"profile\":\"io\"},"
	"{\"name\":\"nil\",\"profile\":\"nothing\"},"
	"{\"user\":\"alice\",\"profile\":\"io\"}]}";

static void match(const struct cs_profiles *p, const char *comment,
		  const char *user, const char *account, const char *name,
		  const char *want, bool want_bad)
{
	bool is_bad = !want_bad;
	int i = cs_profiles_match(p, comment, user, account, name, &is_bad);

	assert_int_equal(i, want ? cs_profiles_find(p, want) : CS_PROFILE_NONE);
	assert_int_equal(is_bad, want_bad);
	assert_int_equal(
		cs_profiles_match(p, comment, user, account, name, NULL), i);
}

static void comment_then_first_rule_then_default(void **state)
{
	struct cs_profiles *p = good(rules);

	(void)state;
	match(p, "cosched:profile=io", "alice", "x", "cfd-1", "io", false);
	match(p, NULL, "alice", "a1", "cfd-1", "cg", false);
	match(p, NULL, "alice", "a1", "x", "io", false);
	match(p, NULL, "alice", "zz", "x", "io", false);
	match(p, NULL, "bob", "b2", "cfd-1", "io", false);
	match(p, NULL, "bob", "c2", "cfd-1", "d", false);
	match(p, NULL, NULL, NULL, NULL, "d", false);
	match(p, "cosched:share=no", NULL, NULL, NULL, "d", false);
	cs_profiles_free(p);
}

static void a_comment_that_names_no_profile_is_told(void **state)
{
	struct cs_profiles *p = good(rules);
	char comment[128];

	(void)state;
	match(p, "cosched:profile=zz", "bob", "b2", NULL, "io", true);
	match(p, "cosched:profile=%n%n", NULL, NULL, NULL, "d", true);
	match(p, "cosched:profile=", NULL, NULL, NULL, "d", true);
	match(p, "cosched:profile=c/g,profile=cg", NULL, NULL, NULL, "cg",
	      false);
	cs_profiles_free(p);
	/* a name that is as long as any, and one with more behind it */
	snprintf(comment, sizeof(comment),
		 "{\"version\":1,\"profiles\":{"
		 "\"%063d\":{\"self\":{\"1\":1}}}}",
		 0);
	p = good(comment);
	snprintf(comment, sizeof(comment), "cosched:profile=%063d", 0);
	match(p, comment, NULL, NULL, NULL, p->profile[0].name, false);
	strcat(comment, "0");
	match(p, comment, NULL, NULL, NULL, NULL, true);
	strcat(comment, "0");
	match(p, comment, NULL, NULL, NULL, NULL, true);
	cs_profiles_free(p);
}

static void a_profile_that_says_nothing_is_none(void **state)
{
	struct cs_profiles *p = good(rules);

	(void)state;
	match(p, NULL, "bob", NULL, "nil", NULL, false);
	match(p, "cosched:profile=nothing", "alice", NULL, NULL, NULL, false);
	cs_profiles_free(p);
	p = good("{\"version\":1,\"default\":\"u\",\"profiles\":{\"u\":{}}}");
	match(p, NULL, NULL, NULL, NULL, NULL, false);
	cs_profiles_free(p);
}

/* -------------------------------------------------------------- position */

static void elements_are_found_in_the_text(void **state)
{
	static const char text[] = " {\"a,}\" : [1, \"]\\\"\", {}] ,\n\"b\":{"
				   "\"c\":null},\n\"d\"\n:\n-1e3}";
	const struct cs_jsontext t = { text, sizeof(text) - 1 };
	const struct cs_jsontext no_colon = { "{\"a\" 1}", 7 };
	struct cs_jsonpos p, q;

	(void)state;
	assert_false(cs_jsonpos_first(&no_colon, 0, &p));
	assert_int_equal(cs_jsonpos_blanks(&t, 0), 1);
	assert_int_equal(cs_jsonpos_count(&t, 1), 3);
	assert_true(cs_jsonpos_first(&t, 1, &p));
	assert_int_equal(text[p.key], '"');
	assert_int_equal(text[p.value], '[');
	assert_int_equal(cs_jsonpos_count(&t, p.value), 3);
	assert_true(cs_jsonpos_first(&t, p.value, &q));
	assert_int_equal(text[q.value], '1');
	assert_true(cs_jsonpos_next(&t, &q));
	assert_int_equal(text[q.value], '"');
	assert_true(cs_jsonpos_next(&t, &q));
	assert_int_equal(cs_jsonpos_count(&t, q.value), 0);
	assert_false(cs_jsonpos_next(&t, &q));
	assert_true(cs_jsonpos_next(&t, &p));
	assert_int_equal(cs_jsonpos_line(&t, p.key), 2);
	assert_true(cs_jsonpos_next(&t, &p));
	assert_int_equal(cs_jsonpos_line(&t, p.key), 3);
	assert_int_equal(cs_jsonpos_line(&t, p.value), 5);
	assert_false(cs_jsonpos_next(&t, &p));
}

static void every_kind_of_json_is_taken_whole(void **state)
{
	static const char *const text[] = {
		"{}",
		"[]",
		" [ ] ",
		"[[],{},[[]]]",
		"{\"\":{\"\":[]}}",
		"0",
		"-0",
		"-0.0e-10",
		"12.5E+3",
		"1e5",
		"true",
		"false",
		"null",
		"\"\"",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00Ff\"",
		"[1,\n2\t,\r3]",
		"{\"a\" : 1 , \"b\" : [true,null]}",
	};
	size_t end;

	(void)state;
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct cs_jsontext t = { text[i], strlen(text[i]) };

		assert_null(cs_jsonpos_check(&t, 3, &end));
		assert_int_equal(cs_jsonpos_blanks(&t, end), t.len);
		/* no part of it from its start is, but of a number */
		for (t.len--; t.len && strpbrk(text[i], "[{\"tfn"); t.len--)
			if (!cs_jsonpos_check(&t, 3, &end))
				assert_int_equal(end, strlen(text[i]) - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_of_the_design_is_read),
		cmocka_unit_test(the_example_of_the_manual_is_read),
		cmocka_unit_test(every_key_but_version_is_optional),
		cmocka_unit_test(parts_may_stand_in_any_order),
		cmocka_unit_test(self_points_are_sorted_by_processes),
		cmocka_unit_test(what_a_job_waits_is_known_only_if_it_is_there),
		cmocka_unit_test(an_unknown_key_is_refused_with_its_line),
		cmocka_unit_test(a_key_given_twice_is_refused_with_its_line),
		cmocka_unit_test(a_wrong_type_is_refused_with_its_line),
		cmocka_unit_test(a_value_out_of_range_is_refused_with_its_line),
		cmocka_unit_test(all_errors_of_a_file_are_told),
		cmocka_unit_test(self_keys_are_numbers_of_processes),
		cmocka_unit_test(profile_names_can_stand_in_a_comment),
		cmocka_unit_test(
			a_reference_to_no_profile_is_refused_with_its_line),
		cmocka_unit_test(a_pair_given_twice_is_refused_with_its_line),
		cmocka_unit_test(a_syntax_error_has_its_line),
		cmocka_unit_test(strings_may_be_any_utf_8),
		cmocka_unit_test(text_behind_the_object_is_refused),
		cmocka_unit_test(bytes_0_are_refused),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(size_is_limited),
		cmocka_unit_test(a_long_pattern_is_refused),
		cmocka_unit_test(a_long_file_name_keeps_its_end),
		cmocka_unit_test(
			each_failed_allocation_is_told_and_leaks_nothing),
		cmocka_unit_test(the_digest_is_of_what_slows_jobs),
		cmocka_unit_test(random_damage_never_breaks_it),
		cmocka_unit_test(comment_then_first_rule_then_default),
		cmocka_unit_test(a_comment_that_names_no_profile_is_told),
		cmocka_unit_test(a_profile_that_says_nothing_is_none),
		cmocka_unit_test(elements_are_found_in_the_text),
		cmocka_unit_test(every_kind_of_json_is_taken_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
