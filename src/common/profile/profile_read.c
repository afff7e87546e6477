/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles: reading the file, as a whole into a fresh set or not at all.
 */
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/job_comment.h"
#include "profile/json_reader.h"

#define FILE_MAX (4 << 20) /* bytes of a profile file */
#define PROFILES_MAX 1024  /* their pairs are a square matrix */
#define POINTS_MAX 4096	   /* of a self table */
#define PROCS_MAX 65536	   /* processes a node */
#define ACROSS_MAX 100
#define SLOWDOWN_MIN 0.1
#define SLOWDOWN_MAX 1000.0
#define PATTERN_MAX 256 /* bytes of a rule's pattern */

static bool good_name(const char *name)
{
	size_t n = 0;

	for (; name[n]; n++)
		if (n + 1 >= CS_PROFILE_NAME ||
		    !cs_job_comment_name_byte(name[n]))
			return false;
	return n > 0;
}

/* A key of "self": a number of processes, without sign or leading zero. */
static bool read_procs(const char *key, uint32_t *ret)
{
	uint32_t v = 0;

	if (*key < '1' || *key > '9')
		return false;
	for (; *key; key++) {
		if (*key < '0' || *key > '9')
			return false;
		v = v * 10 + (uint32_t)(*key - '0');
		if (v > PROCS_MAX)
			return false;
	}
	*ret = v;
	return true;
}

static int by_procs(const void *x, const void *y)
{
	const struct cs_self_point *a = x, *b = y;

	return a->procs < b->procs ? -1 : a->procs > b->procs;
}

/* The slowdown at a number of its own processes on a node. */
static int read_point(const struct cs_json_reader *r, const char *key,
		      size_t at, const struct cs_json_node *value,
		      struct cs_self_point *ret)
{
	if (!read_procs(key, &ret->procs))
		return cs_json_reader_fail(r, at,
					   "key '%.*s' in 'self', expected a "
					   "number of processes from 1 to %d",
					   CS_JSON_SHOWN, key, PROCS_MAX);
	return cs_json_reader_number(r, value, key, SLOWDOWN_MIN, SLOWDOWN_MAX,
				     &ret->slowdown);
}

static int read_self(const struct cs_json_reader *r,
		     const struct cs_json_node *n, struct cs_profile *f)
{
	struct cs_json_node value;
	struct cs_json_reader_walk w;
	const char *key = NULL;
	size_t at = 0, most;
	int rc = cs_json_reader_object(r, n, "self");

	if (rc)
		return rc;
	most = (size_t)json_object_object_length(n->o);
	if (!most)
		return 0;
	if (most > POINTS_MAX)
		return cs_json_reader_fail(
			r, n->at,
			"'self' has %zu points, expected at most "
			"%d",
			most, POINTS_MAX);
	f->self = calloc(most, sizeof(*f->self));
	if (!f->self)
		return -ENOMEM;
	cs_json_reader_walk(&w, r, n);
	while (f->n_self < most &&
	       cs_json_reader_next(&w, r, &key, &at, &value)) {
		rc = read_point(r, key, at, &value, &f->self[f->n_self]);
		f->n_self += !rc;
		rc = cs_json_reader_go_on(r, rc);
		if (rc)
			return rc;
	}
	qsort(f->self, f->n_self, sizeof(*f->self), by_procs);
	f->known = true;
	return 0;
}

static int read_resources(const struct cs_json_reader *r,
			  const struct cs_json_node *n, struct cs_profile *f)
{
	static const char *const keys[] = {
		[CS_RES_CPU] = "cpu",
		[CS_RES_MEMORY_BANDWIDTH] = "memory_bandwidth",
		[CS_RES_CACHE] = "cache",
		[CS_RES_NETWORK] = "network",
		[CS_RES_DISK] = "disk",
		[CS_RES_COUNT] = NULL,
	};
	struct cs_json_node share[CS_RES_COUNT];
	int rc = cs_json_reader_members(r, n, "resources", keys, share);

	for (int i = 0; !rc && i < CS_RES_COUNT; i++) {
		if (!share[i].set)
			continue;
		rc = cs_json_reader_go_on(
			r, cs_json_reader_number(r, &share[i], keys[i], 0, 1,
						 &f->resources[i]));
		f->has_resources = true;
		f->known = true;
	}
	return rc;
}

static int read_profile(const struct cs_json_reader *r,
			const struct cs_json_node *n, struct cs_profile *f)
{
	static const char *const keys[] = { "self", "resources", "across",
					    "waits", NULL };
	struct cs_json_node part[4];
	int rc = cs_json_reader_members(r, n, f->name, keys, part);

	if (!rc && part[0].set)
		rc = cs_json_reader_go_on(r, read_self(r, &part[0], f));
	if (!rc && part[1].set)
		rc = read_resources(r, &part[1], f);
	if (!rc && part[2].set) {
		rc = cs_json_reader_go_on(
			r, cs_json_reader_number(r, &part[2], "across", 0,
						 ACROSS_MAX, &f->across));
		f->known = f->has_across = true;
	}
	if (!rc && part[3].set) {
		rc = cs_json_reader_go_on(
			r, cs_json_reader_number(r, &part[3], "waits", 0, 1,
						 &f->waits));
		f->known = f->has_waits = true;
	}
	return rc;
}

static int read_profiles(const struct cs_json_reader *r, struct cs_profiles *p,
			 const struct cs_json_node *n)
{
	struct cs_json_node value;
	struct cs_json_reader_walk w;
	const char *key = NULL;
	size_t at = 0, most;
	int rc = cs_json_reader_object(r, n, "profiles");

	if (rc)
		return rc;
	most = (size_t)json_object_object_length(n->o);
	if (!most)
		return 0;
	if (most > PROFILES_MAX)
		return cs_json_reader_fail(
			r, n->at,
			"'profiles' has %zu entries, expected at "
			"most %d",
			most, PROFILES_MAX);
	p->profile = calloc(most, sizeof(*p->profile));
	p->pair = calloc(most * most, sizeof(*p->pair));
	if (!p->profile || !p->pair)
		return -ENOMEM;
	cs_json_reader_walk(&w, r, n);
	while (!rc && (size_t)p->n_profile < most &&
	       cs_json_reader_next(&w, r, &key, &at, &value)) {
		struct cs_profile *f = &p->profile[p->n_profile];

		if (good_name(key)) {
			memcpy(f->name, key, strlen(key) + 1);
			p->n_profile++;
			rc = read_profile(r, &value, f);
		} else {
			rc = cs_json_reader_fail(
				r, at,
				"profile name '%.*s', expected 1 to "
				"%d letters, digits, '.', '_', '+' or '-'",
				CS_JSON_SHOWN, key, CS_PROFILE_NAME - 1);
		}
		rc = cs_json_reader_go_on(r, rc);
	}
	return rc;
}

/* The index of the profile that the string @n names. */
static int read_reference(const struct cs_json_reader *r, struct cs_profiles *p,
			  const struct cs_json_node *n, const char *what,
			  int *ret)
{
	int rc = cs_json_reader_need(r, n, json_type_string, what,
				     "a profile's name");

	if (rc)
		return rc;
	*ret = cs_profiles_find(p, json_object_get_string(n->o));
	if (*ret == CS_PROFILE_NONE)
		return cs_json_reader_fail(r, n->at,
					   "'%s' is '%.*s', expected one of "
					   "'profiles'",
					   what, CS_JSON_SHOWN,
					   json_object_get_string(n->o));
	return 0;
}

static int read_pair(const struct cs_json_reader *r, struct cs_profiles *p,
		     const struct cs_json_node *n)
{
	static const char *const keys[] = { "of", "beside", "slowdown", NULL };
	struct cs_json_node part[3];
	int of = 0, beside = 0;
	double slowdown = 0, *entry;
	int rc = cs_json_reader_members(r, n, "pairs", keys, part);

	for (int i = 0; !rc && keys[i]; i++)
		if (!part[i].set)
			rc = cs_json_reader_fail(
				r, n->at,
				"pair without '%s', expected of, "
				"beside and slowdown",
				keys[i]);
	if (!rc)
		rc = read_reference(r, p, &part[0], "of", &of);
	if (!rc)
		rc = read_reference(r, p, &part[1], "beside", &beside);
	if (!rc)
		rc = cs_json_reader_number(r, &part[2], "slowdown",
					   SLOWDOWN_MIN, SLOWDOWN_MAX,
					   &slowdown);
	if (rc)
		return rc;
	entry = &p->pair[(size_t)of * (size_t)p->n_profile + (size_t)beside];
	if (*entry > 0)
		return cs_json_reader_fail(r, n->at,
					   "the pair '%s' beside '%s' is given "
					   "twice, expected once",
					   p->profile[of].name,
					   p->profile[beside].name);
	*entry = slowdown;
	p->profile[of].known = true;
	p->profile[beside].known = true;
	return 0;
}

/* The pattern @n, "*" if there is none. */
static int read_pattern(const struct cs_json_reader *r,
			const struct cs_json_node *n, const char *what,
			char **ret)
{
	const char *text = "*";

	if (n->set) {
		int rc = cs_json_reader_need(r, n, json_type_string, what,
					     "a pattern");

		if (rc)
			return rc;
		text = json_object_get_string(n->o);
		if (strlen(text) >= PATTERN_MAX)
			return cs_json_reader_fail(
				r, n->at,
				"'%s' has %zu bytes, expected "
				"less than %d",
				what, strlen(text), PATTERN_MAX);
	}
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

static int read_rule(const struct cs_json_reader *r, struct cs_profiles *p,
		     const struct cs_json_node *n, struct cs_profile_rule *rule)
{
	static const char *const keys[] = { "user", "account", "name",
					    "profile", NULL };
	struct cs_json_node part[4];
	int rc = cs_json_reader_members(r, n, "rules", keys, part);

	if (!rc && !part[3].set)
		rc = cs_json_reader_fail(r, n->at,
					 "rule without 'profile', expected a "
					 "profile's name");
	if (!rc)
		rc = read_reference(r, p, &part[3], "profile", &rule->profile);
	if (!rc)
		rc = read_pattern(r, &part[0], "user", &rule->user);
	if (!rc)
		rc = read_pattern(r, &part[1], "account", &rule->account);
	if (!rc)
		rc = read_pattern(r, &part[2], "name", &rule->name);
	return rc;
}

/* Call read_pair() or read_rule() for each element of the array @n. */
static int read_array(const struct cs_json_reader *r, struct cs_profiles *p,
		      const struct cs_json_node *n, const char *what,
		      bool rules)
{
	struct cs_jsonpos pos;
	size_t len;
	int rc = cs_json_reader_need(r, n, json_type_array, what, "an array");

	if (rc)
		return rc;
	len = json_object_array_length(n->o);
	if (rules && len) {
		p->rule = calloc(len, sizeof(*p->rule));
		if (!p->rule)
			return -ENOMEM;
	}
	if (len && !cs_jsonpos_first(&r->t, n->at, &pos))
		return cs_json_reader_fail(r, n->at, "'%s' cannot be read",
					   what);
	for (size_t i = 0; !rc && i < len; i++) {
		const struct cs_json_node e = {
			json_object_array_get_idx(n->o, i), pos.value, true
		};

		if (rules) {
			/* counted first: what it holds is freed with the set */
			p->n_rule++;
			rc = read_rule(r, p, &e, &p->rule[i]);
		} else {
			rc = read_pair(r, p, &e);
		}
		rc = cs_json_reader_go_on(r, rc);
		cs_jsonpos_next(&r->t, &pos);
	}
	return rc;
}

static int read_version(const struct cs_json_reader *r,
			const struct cs_json_node *top,
			const struct cs_json_node *n)
{
	int rc;

	if (!n->set)
		return cs_json_reader_fail(r, top->at,
					   "'version' is missing, expected 1");
	rc = cs_json_reader_need(r, n, json_type_int, "version", "1");
	if (!rc && json_object_get_int64(n->o) != 1)
		rc = cs_json_reader_fail(
			r, n->at, "'version' is %lld, expected 1",
			(long long)json_object_get_int64(n->o));
	return rc;
}

static int read_file(const struct cs_json_reader *r, struct cs_profiles *p,
		     const struct cs_json_node *top)
{
	enum { VERSION, DEFAULT, PROFILES, PAIRS, RULES, PARTS };
	static const char *const keys[] = {
		[VERSION] = "version",	 [DEFAULT] = "default",
		[PROFILES] = "profiles", [PAIRS] = "pairs",
		[RULES] = "rules",	 [PARTS] = NULL,
	};
	struct cs_json_node part[PARTS];
	int rc = cs_json_reader_members(r, top, "file", keys, part);

	if (!rc)
		rc = cs_json_reader_go_on(r,
					  read_version(r, top, &part[VERSION]));
	if (!rc && part[PROFILES].set)
		rc = cs_json_reader_go_on(r,
					  read_profiles(r, p, &part[PROFILES]));
	if (!rc && part[DEFAULT].set)
		rc = cs_json_reader_go_on(
			r, read_reference(r, p, &part[DEFAULT], "default",
					  &p->fallback));
	if (!rc && part[PAIRS].set)
		rc = cs_json_reader_go_on(
			r, read_array(r, p, &part[PAIRS], "pairs", false));
	if (!rc && part[RULES].set)
		rc = cs_json_reader_go_on(
			r, read_array(r, p, &part[RULES], "rules", true));
	return rc;
}

int cs_profiles_read(struct cs_profiles **ret_profiles, const char *text,
		     size_t len, const char *name, struct cs_err *err)
{
	const struct cs_json_reader r = { { text, len }, name, err, NULL };
	struct cs_json_node top;
	struct cs_profiles *p;
	int rc = cs_json_reader_read(&r, FILE_MAX, &top);

	if (rc)
		return rc;
	p = cs_profiles_create();
	rc = p ? read_file(&r, p, &top) : -ENOMEM;
	json_object_put(top.o);
	if (rc) {
		cs_profiles_free(p);
		return rc;
	}
	*ret_profiles = p;
	return 0;
}

int cs_profiles_errors(const char *text, size_t len, const char *name,
		       void (*tell)(void *arg, const char *text), void *arg)
{
	struct cs_json_told told = { tell, arg, 0 };
	const struct cs_json_reader r = { { text, len }, name, NULL, &told };
	struct cs_profiles *p;
	struct cs_json_node top;
	int rc = cs_json_reader_read(&r, FILE_MAX, &top);

	if (!rc) {
		p = cs_profiles_create();
		rc = p ? read_file(&r, p, &top) : -ENOMEM;
		json_object_put(top.o);
		cs_profiles_free(p);
	}
	return rc == -ENOMEM ? rc : told.n;
}
