/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles: reading the file, finding a job's one.
 *
 * json-c reads the values and jsonpos.h says where they stand, so that an error
 * has its line.  The whole file is read into a fresh set or not at all.
 */
#include "profile/profile.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/jsonpos.h"
#include "base/rng.h"

#define FILE_MAX (4 << 20)   /* bytes of a profile file */
#define PROFILES_MAX 1024    /* their pairs are a square matrix */
#define POINTS_MAX 4096	     /* of a self table */
#define PROCS_MAX 65536	     /* processes a node */
#define SLOWDOWN_MIN 0.1
#define SLOWDOWN_MAX 1000.0
#define PATTERN_MAX 256	     /* bytes of a rule's pattern */
#define DEPTH_MAX 16	     /* objects and arrays in each other; it needs 4 */
#define COMMENT_MAX 4096     /* bytes read of a job's comment */
#define SHOWN 40	     /* bytes of a user's string in a message */

/* ------------------------------------------------------------------- set */

struct cs_profiles *cs_profiles_create(void)
{
	struct cs_profiles *p = calloc(1, sizeof(*p));

	if (p)
		p->fallback = CS_PROFILE_NONE;
	return p;
}

void cs_profiles_free(struct cs_profiles *p)
{
	if (!p)
		return;
	for (int i = 0; i < p->n_profile; i++)
		free(p->profile[i].self);
	for (size_t i = 0; i < p->n_rule; i++) {
		free(p->rule[i].user);
		free(p->rule[i].account);
		free(p->rule[i].name);
	}
	free(p->profile);
	free(p->pair);
	free(p->rule);
	free(p);
}

int cs_profiles_find(const struct cs_profiles *p, const char *name)
{
	for (int i = 0; i < p->n_profile; i++)
		if (!strcmp(p->profile[i].name, name))
			return i;
	return CS_PROFILE_NONE;
}

static uint64_t hash_text(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = cs_hash(h, (unsigned char)*text);
	return cs_hash(h, 0);
}

static uint64_t hash_real(uint64_t h, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return cs_hash(h, bits);
}

static uint64_t hash_profile(uint64_t h, const struct cs_profile *p)
{
	h = cs_hash(hash_text(h, p->name), p->n_self);
	for (size_t i = 0; i < p->n_self; i++)
		h = hash_real(cs_hash(h, p->self[i].procs),
			      p->self[i].slowdown);
	h = cs_hash(h, p->has_resources);
	for (int i = 0; p->has_resources && i < CS_RES_COUNT; i++)
		h = hash_real(h, p->resources[i]);
	return h;
}

uint64_t cs_profiles_digest(const struct cs_profiles *p)
{
	size_t n = (size_t)p->n_profile;
	uint64_t h = cs_hash(0, n);

	for (size_t i = 0; i < n; i++)
		h = hash_profile(h, &p->profile[i]);
	for (size_t i = 0; p->pair && i < n * n; i++)
		h = hash_real(h, p->pair[i]);
	return h;
}

/* ---------------------------------------------------------------- reader */

struct reader {
	struct cs_jsontext t;
	const char *name;
	struct cs_profiles *p;
	struct cs_err *err;
};

/* A value and where it stands. */
struct node {
	struct json_object *o; /* borrowed; NULL for null, too */
	size_t at;
	bool set; /* false: it is not in the file */
};

/* Complain about what stands at offset @at; returns -EINVAL. */
__attribute__((format(printf, 3, 4)))
static int fail(const struct reader *r, size_t at, const char *fmt, ...)
{
	const char *name = r->name;
	char text[CS_ERR_TEXT];
	size_t n = strlen(name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* the end of a long path says more than its start */
	return cs_err_set(r->err, -EINVAL, "%s%s:%zu: %s", n > 80 ? "..." : "",
			  n > 80 ? name + n - 80 : name,
			  cs_jsonpos_line(&r->t, at), text);
}

static const char *type_name(const struct node *n)
{
	switch (json_object_get_type(n->o)) {
	case json_type_null:
		return "null";
	case json_type_boolean:
		return "a boolean";
	case json_type_double:
		return "a number";
	case json_type_int:
		return "a whole number";
	case json_type_object:
		return "an object";
	case json_type_array:
		return "an array";
	case json_type_string:
		return "a string";
	}
	return "something else";
}

static int need(const struct reader *r, const struct node *n,
		enum json_type type, const char *what, const char *expected)
{
	if (json_object_get_type(n->o) == type)
		return 0;
	return fail(r, n->at, "'%.*s' is %s, expected %s", SHOWN, what,
		    type_name(n), expected);
}

static int need_number(const struct reader *r, const struct node *n,
		       const char *what, double least, double most,
		       double *ret)
{
	double v;

	if (json_object_get_type(n->o) != json_type_int &&
	    json_object_get_type(n->o) != json_type_double)
		return fail(r, n->at, "'%.*s' is %s, expected a number", SHOWN,
			    what, type_name(n));
	v = json_object_get_double(n->o);
	if (!(v >= least && v <= most))
		return fail(r, n->at,
			    "'%.*s' is %.6g, expected a number from %.6g to "
			    "%.6g", SHOWN, what, v, least, most);
	*ret = v;
	return 0;
}

/* ------------------------------------------------------ objects in step */

/* Goes through an object in json-c and in the text at once. */
struct walk {
	struct json_object_iterator it, end;
	struct cs_jsonpos pos;
	bool more;
};

static void walk_init(struct walk *w, const struct reader *r,
		      const struct node *n)
{
	w->it = json_object_iter_begin(n->o);
	w->end = json_object_iter_end(n->o);
	w->more = cs_jsonpos_first(&r->t, n->at, &w->pos);
}

/* The next member; false behind the last. */
static bool walk_next(struct walk *w, const struct reader *r,
		      const char **ret_key, size_t *ret_at, struct node *ret)
{
	if (!w->more || json_object_iter_equal(&w->it, &w->end))
		return false;
	*ret_key = json_object_iter_peek_name(&w->it);
	*ret_at = w->pos.key;
	*ret = (struct node){ json_object_iter_peek_value(&w->it),
			      w->pos.value, true };
	json_object_iter_next(&w->it);
	w->more = cs_jsonpos_next(&r->t, &w->pos);
	return true;
}

/* json-c keeps the last of equal keys: find the second one in the text. */
static int find_duplicate(const struct reader *r, const struct node *n)
{
	struct json_object *seen = json_object_new_object(), *key = NULL;
	struct cs_jsonpos pos;
	int rc = seen ? 0 : -ENOMEM;

	for (bool more = cs_jsonpos_first(&r->t, n->at, &pos); !rc && more;
	     more = cs_jsonpos_next(&r->t, &pos)) {
		size_t end = cs_jsonpos_string(&r->t, pos.key);
		struct json_tokener *tok = json_tokener_new();

		if (tok)
			key = json_tokener_parse_ex(tok, r->t.text + pos.key,
						    (int)(end - pos.key));
		if (!tok || !key)
			rc = -ENOMEM;
		else if (json_object_object_get_ex(
				 seen, json_object_get_string(key), NULL))
			rc = fail(r, pos.key,
				  "key '%.*s' is given twice, expected once",
				  SHOWN, json_object_get_string(key));
		else if (json_object_object_add(
				 seen, json_object_get_string(key), NULL))
			rc = -ENOMEM;
		json_object_put(key);
		key = NULL;
		if (tok)
			json_tokener_free(tok);
	}
	json_object_put(seen);
	return rc;
}

/* @n is an object in which no key stands twice. */
static int need_object(const struct reader *r, const struct node *n,
		       const char *what)
{
	int rc = need(r, n, json_type_object, what, "an object");

	if (!rc && cs_jsonpos_count(&r->t, n->at) !=
			   (size_t)json_object_object_length(n->o))
		rc = find_duplicate(r, n);
	return rc;
}

/* "a, b or c" of the NULL-terminated @keys. */
static const char *alternatives(const char *const *keys, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (; *keys && n < size; keys++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", *keys,
				      !keys[1]	 ? ""
				      : keys[2] ? ", "
						: " or ");
	return buf;
}

/*
 * Read the members of the object @n called @what into @ret, one for each of the
 * NULL-terminated @keys; another key is an error.
 */
static int read_members(const struct reader *r, const struct node *n,
			const char *what, const char *const *keys,
			struct node *ret)
{
	const char *key = NULL;
	struct node value;
	struct walk w;
	size_t at = 0;
	char buf[128];
	int rc = need_object(r, n, what);

	if (rc)
		return rc;
	for (size_t i = 0; keys[i]; i++)
		ret[i] = (struct node){ .at = n->at };
	walk_init(&w, r, n);
	while (walk_next(&w, r, &key, &at, &value)) {
		size_t i = 0;

		while (keys[i] && strcmp(keys[i], key))
			i++;
		if (!keys[i])
			return fail(r, at, "unknown key '%.*s', expected %s",
				    SHOWN, key,
				    alternatives(keys, buf, sizeof(buf)));
		ret[i] = value;
	}
	return 0;
}

/* ---------------------------------------------------- parts of the file */

static bool name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '+' ||
	       c == '-';
}

static bool good_name(const char *name)
{
	size_t n = 0;

	for (; name[n]; n++)
		if (n + 1 >= CS_PROFILE_NAME || !name_byte(name[n]))
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

static int read_self(const struct reader *r, const struct node *n,
		     struct cs_profile *f)
{
	struct node value;
	struct walk w;
	const char *key = NULL;
	size_t at = 0, most;
	int rc = need_object(r, n, "self");

	if (rc)
		return rc;
	most = (size_t)json_object_object_length(n->o);
	if (!most)
		return 0;
	if (most > POINTS_MAX)
		return fail(r, n->at, "'self' has %zu points, expected at most "
			    "%d", most, POINTS_MAX);
	f->self = calloc(most, sizeof(*f->self));
	if (!f->self)
		return -ENOMEM;
	walk_init(&w, r, n);
	while (f->n_self < most && walk_next(&w, r, &key, &at, &value)) {
		struct cs_self_point *p = &f->self[f->n_self];

		if (!read_procs(key, &p->procs))
			return fail(r, at, "key '%.*s' in 'self', expected a "
				    "number of processes from 1 to %d", SHOWN,
				    key, PROCS_MAX);
		rc = need_number(r, &value, key, SLOWDOWN_MIN, SLOWDOWN_MAX,
				 &p->slowdown);
		if (rc)
			return rc;
		f->n_self++;
	}
	qsort(f->self, f->n_self, sizeof(*f->self), by_procs);
	f->known = true;
	return 0;
}

static int read_resources(const struct reader *r, const struct node *n,
			  struct cs_profile *f)
{
	static const char *const keys[] = {
		[CS_RES_CPU] = "cpu",
		[CS_RES_MEMORY_BANDWIDTH] = "memory_bandwidth",
		[CS_RES_CACHE] = "cache",
		[CS_RES_NETWORK] = "network",
		[CS_RES_DISK] = "disk",
		[CS_RES_COUNT] = NULL,
	};
	struct node share[CS_RES_COUNT];
	int rc = read_members(r, n, "resources", keys, share);

	for (int i = 0; !rc && i < CS_RES_COUNT; i++) {
		if (!share[i].set)
			continue;
		rc = need_number(r, &share[i], keys[i], 0, 1,
				 &f->resources[i]);
		f->has_resources = true;
		f->known = true;
	}
	return rc;
}

static int read_profile(const struct reader *r, const struct node *n,
			struct cs_profile *f)
{
	static const char *const keys[] = { "self", "resources", NULL };
	struct node part[2];
	int rc = read_members(r, n, f->name, keys, part);

	if (!rc && part[0].set)
		rc = read_self(r, &part[0], f);
	if (!rc && part[1].set)
		rc = read_resources(r, &part[1], f);
	return rc;
}

static int read_profiles(const struct reader *r, const struct node *n)
{
	struct cs_profiles *p = r->p;
	struct node value;
	struct walk w;
	const char *key = NULL;
	size_t at = 0, most;
	int rc = need_object(r, n, "profiles");

	if (rc)
		return rc;
	most = (size_t)json_object_object_length(n->o);
	if (!most)
		return 0;
	if (most > PROFILES_MAX)
		return fail(r, n->at, "'profiles' has %zu entries, expected at "
			    "most %d", most, PROFILES_MAX);
	p->profile = calloc(most, sizeof(*p->profile));
	p->pair = calloc(most * most, sizeof(*p->pair));
	if (!p->profile || !p->pair)
		return -ENOMEM;
	walk_init(&w, r, n);
	while (!rc && (size_t)p->n_profile < most &&
	       walk_next(&w, r, &key, &at, &value)) {
		struct cs_profile *f = &p->profile[p->n_profile];

		if (!good_name(key))
			return fail(r, at, "profile name '%.*s', expected 1 to "
				    "%d letters, digits, '.', '_', '+' or '-'",
				    SHOWN, key, CS_PROFILE_NAME - 1);
		memcpy(f->name, key, strlen(key) + 1);
		p->n_profile++;
		rc = read_profile(r, &value, f);
	}
	return rc;
}

/* The index of the profile that the string @n names. */
static int read_reference(const struct reader *r, const struct node *n,
			  const char *what, int *ret)
{
	int rc = need(r, n, json_type_string, what, "a profile's name");

	if (rc)
		return rc;
	*ret = cs_profiles_find(r->p, json_object_get_string(n->o));
	if (*ret == CS_PROFILE_NONE)
		return fail(r, n->at, "'%s' is '%.*s', expected one of "
			    "'profiles'", what, SHOWN,
			    json_object_get_string(n->o));
	return 0;
}

static int read_pair(const struct reader *r, const struct node *n)
{
	static const char *const keys[] = { "of", "beside", "slowdown", NULL };
	struct cs_profiles *p = r->p;
	struct node part[3];
	int of = 0, beside = 0;
	double slowdown = 0, *entry;
	int rc = read_members(r, n, "pairs", keys, part);

	for (int i = 0; !rc && keys[i]; i++)
		if (!part[i].set)
			rc = fail(r, n->at, "pair without '%s', expected of, "
				  "beside and slowdown", keys[i]);
	if (!rc)
		rc = read_reference(r, &part[0], "of", &of);
	if (!rc)
		rc = read_reference(r, &part[1], "beside", &beside);
	if (!rc)
		rc = need_number(r, &part[2], "slowdown", SLOWDOWN_MIN,
				 SLOWDOWN_MAX, &slowdown);
	if (rc)
		return rc;
	entry = &p->pair[(size_t)of * (size_t)p->n_profile + (size_t)beside];
	if (*entry > 0)
		return fail(r, n->at, "the pair '%s' beside '%s' is given "
			    "twice, expected once", p->profile[of].name,
			    p->profile[beside].name);
	*entry = slowdown;
	p->profile[of].known = true;
	p->profile[beside].known = true;
	return 0;
}

/* The pattern @n, "*" where there is none. */
static int read_pattern(const struct reader *r, const struct node *n,
			const char *what, char **ret)
{
	const char *text = "*";

	if (n->set) {
		int rc = need(r, n, json_type_string, what, "a pattern");

		if (rc)
			return rc;
		text = json_object_get_string(n->o);
		if (strlen(text) >= PATTERN_MAX)
			return fail(r, n->at, "'%s' has %zu bytes, expected "
				    "less than %d", what, strlen(text),
				    PATTERN_MAX);
	}
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

static int read_rule(const struct reader *r, const struct node *n,
		     struct cs_profile_rule *rule)
{
	static const char *const keys[] = { "user", "account", "name",
					    "profile", NULL };
	struct node part[4];
	int rc = read_members(r, n, "rules", keys, part);

	if (!rc && !part[3].set)
		rc = fail(r, n->at, "rule without 'profile', expected a "
			  "profile's name");
	if (!rc)
		rc = read_reference(r, &part[3], "profile", &rule->profile);
	if (!rc)
		rc = read_pattern(r, &part[0], "user", &rule->user);
	if (!rc)
		rc = read_pattern(r, &part[1], "account", &rule->account);
	if (!rc)
		rc = read_pattern(r, &part[2], "name", &rule->name);
	return rc;
}

/* Call read_pair() or read_rule() for each element of the array @n. */
static int read_array(const struct reader *r, const struct node *n,
		      const char *what, bool rules)
{
	struct cs_profiles *p = r->p;
	struct cs_jsonpos pos;
	size_t len;
	int rc = need(r, n, json_type_array, what, "an array");

	if (rc)
		return rc;
	len = json_object_array_length(n->o);
	if (rules && len) {
		p->rule = calloc(len, sizeof(*p->rule));
		if (!p->rule)
			return -ENOMEM;
	}
	if (len && !cs_jsonpos_first(&r->t, n->at, &pos))
		return fail(r, n->at, "'%s' cannot be read", what);
	for (size_t i = 0; !rc && i < len; i++) {
		const struct node e = { json_object_array_get_idx(n->o, i),
					pos.value, true };

		if (rules) {
			/* counted first: what it holds is freed with the set */
			p->n_rule++;
			rc = read_rule(r, &e, &p->rule[i]);
		} else {
			rc = read_pair(r, &e);
		}
		cs_jsonpos_next(&r->t, &pos);
	}
	return rc;
}

static int read_file(const struct reader *r, const struct node *top)
{
	enum { VERSION, DEFAULT, PROFILES, PAIRS, RULES, PARTS };
	static const char *const keys[] = {
		[VERSION] = "version", [DEFAULT] = "default",
		[PROFILES] = "profiles", [PAIRS] = "pairs",
		[RULES] = "rules", [PARTS] = NULL,
	};
	struct node part[PARTS];
	int rc = read_members(r, top, "file", keys, part);

	if (!rc && !part[VERSION].set)
		rc = fail(r, top->at, "'version' is missing, expected 1");
	if (!rc)
		rc = need(r, &part[VERSION], json_type_int, "version", "1");
	if (!rc && json_object_get_int64(part[VERSION].o) != 1)
		rc = fail(r, part[VERSION].at, "'version' is %lld, expected 1",
			  (long long)json_object_get_int64(part[VERSION].o));
	if (!rc && part[PROFILES].set)
		rc = read_profiles(r, &part[PROFILES]);
	if (!rc && part[DEFAULT].set)
		rc = read_reference(r, &part[DEFAULT], "default",
				    &r->p->fallback);
	if (!rc && part[PAIRS].set)
		rc = read_array(r, &part[PAIRS], "pairs", false);
	if (!rc && part[RULES].set)
		rc = read_array(r, &part[RULES], "rules", true);
	return rc;
}

/* ------------------------------------------------------------------ text */

/* No byte 0, neither plain nor as \u0000: json-c's keys would end there. */
static int check_nul(const struct reader *r)
{
	const struct cs_jsontext *t = &r->t;

	for (size_t i = 0; i < t->len; i++) {
		if (!t->text[i] ||
		    (t->text[i] == '\\' && t->len - i >= 6 &&
		     !memcmp(t->text + i, "\\u0000", 6)))
			return fail(r, i, "a byte 0, expected text");
		if (t->text[i] == '\\')
			i++;
	}
	return 0;
}

/* Check the text and let json-c read it. */
static int parse(const struct reader *r, struct json_object **ret)
{
	struct json_tokener *tok;
	size_t end = 0;
	const char *wrong = cs_jsonpos_check(&r->t, DEPTH_MAX, &end);

	if (wrong)
		return fail(r, end, "not JSON: %s", wrong);
	end = cs_jsonpos_blanks(&r->t, end);
	if (end < r->t.len)
		return fail(r, end,
			    "text behind the end of the object in '{}'");
	tok = json_tokener_new_ex(DEPTH_MAX + 1);
	if (!tok)
		return -ENOMEM;
	*ret = json_tokener_parse_ex(tok, r->t.text, (int)r->t.len);
	json_tokener_free(tok);
	/* JSON it is, so nothing else can have failed */
	return *ret ? 0 : -ENOMEM;
}

int cs_profiles_read(struct cs_profiles **ret_profiles, const char *text,
		     size_t len, const char *name, struct cs_err *err)
{
	struct reader r = { { text, len }, name, NULL, err };
	struct node top = { NULL, 0, true };
	int rc;

	if (len > FILE_MAX)
		return fail(&r, 0, "%zu bytes, expected at most %d", len,
			    FILE_MAX);
	rc = check_nul(&r);
	if (rc)
		return rc;
	top.at = cs_jsonpos_blanks(&r.t, 0);
	if (top.at == len || text[top.at] != '{')
		return fail(&r, top.at, "no object, expected '{'");
	rc = parse(&r, &top.o);
	if (rc)
		return rc;
	r.p = cs_profiles_create();
	rc = r.p ? read_file(&r, &top) : -ENOMEM;
	json_object_put(top.o);
	if (rc) {
		cs_profiles_free(r.p);
		return rc;
	}
	*ret_profiles = r.p;
	return 0;
}

/* ------------------------------------------------------- a job's profile */

enum item { ITEM_ABSENT, ITEM_BAD, ITEM_GOOD };

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Length of what stands at @text before one of the bytes that end it. */
static size_t until(const char *text, size_t n, bool comma)
{
	size_t i = 0;

	while (i < n && !blank(text[i]) && text[i] != ';' &&
	       !(comma && text[i] == ','))
		i++;
	return i;
}

/* Look for @key in the items of @n bytes at @text, "a=b,c=d". */
static enum item find_in_group(const char *text, size_t n, const char *key,
			       char *buf, size_t size)
{
	size_t key_len = strlen(key);
	enum item found = ITEM_ABSENT;

	for (;;) {
		size_t len = until(text, n, true), k = key_len + 1;

		if (len >= k && !memcmp(text, key, key_len) &&
		    text[key_len] == '=') {
			size_t v = k, keep = len - k;

			while (v < len && name_byte(text[v]))
				v++;
			if (v == len) {
				if (keep >= size)
					keep = size - 1;
				memcpy(buf, text + k, keep);
				buf[keep] = '\0';
				return ITEM_GOOD;
			}
			found = ITEM_BAD;
		}
		if (len == n)
			return found;
		text += len + 1;
		n -= len + 1;
	}
}

/* The items behind the next "cosched:" of @comment from *at on. */
static bool next_group(const char *comment, size_t *at, const char **ret_text,
		       size_t *ret_n)
{
	static const char mark[] = "cosched:";
	const size_t mark_len = sizeof(mark) - 1;
	size_t n = comment ? strnlen(comment, COMMENT_MAX) : 0;

	for (size_t i = *at; i + mark_len <= n; i++) {
		size_t len;

		if ((i && !blank(comment[i - 1]) && comment[i - 1] != ';') ||
		    memcmp(comment + i, mark, mark_len))
			continue;
		i += mark_len;
		len = until(comment + i, n - i, false);
		*at = i + len + 1; /* past the blank or ';' behind it */
		/* what may go on behind the limit is not looked at */
		if (n == COMMENT_MAX && i + len == n) {
			while (len && comment[i + len - 1] != ',')
				len--;
			len -= len > 0;
		}
		*ret_text = comment + i;
		*ret_n = len;
		return true;
	}
	return false;
}

static enum item find_item(const char *comment, const char *key, char *buf,
			   size_t size)
{
	enum item found = ITEM_ABSENT;
	const char *text;
	size_t at = 0, n;

	while (next_group(comment, &at, &text, &n)) {
		enum item here = find_in_group(text, n, key, buf, size);

		if (here == ITEM_GOOD)
			return here;
		if (here == ITEM_BAD)
			found = here;
	}
	return found;
}

bool cs_comment_item(const char *comment, const char *key, char *buf,
		     size_t size)
{
	return size && find_item(comment, key, buf, size) == ITEM_GOOD;
}

bool cs_comment_campaign(const char *comment, char *buf)
{
	/* one byte more: a cut value is no name */
	char text[CS_COMMENT_CAMPAIGN + 1] = "";
	bool there = cs_comment_item(comment, "campaign", text, sizeof(text)) &&
		     *text && strlen(text) < CS_COMMENT_CAMPAIGN;

	snprintf(buf, CS_COMMENT_CAMPAIGN, "%s", there ? text : "");
	return there;
}

struct check {
	char *buf;
	size_t size;
	bool wrong, no_share;
	bool there[3]; /* by comment_key */
};

enum comment_key { KEY_PROFILE, KEY_SHARE, KEY_CAMPAIGN, KEY_NONE };

static const char *const comment_keys[] = { "profile", "share", "campaign" };

/* Keep the first fault; @n bytes at @text, cleaned, stand for "%s". */
static void fault(struct check *c, const char *fmt, const char *text, size_t n)
{
	char clean[33];

	n = n < sizeof(clean) ? n : sizeof(clean) - 1;
	for (size_t i = 0; i < n; i++)
		clean[i] = name_byte(text[i]) ? text[i] : '?';
	clean[n] = '\0';
	if (!c->wrong && c->size)
		snprintf(c->buf, c->size, fmt, clean);
	c->wrong = true;
}

static bool same(const char *text, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(text, word, n);
}

static enum comment_key key_of(const char *text, size_t n)
{
	int k = 0;

	while (k < KEY_NONE && !same(text, n, comment_keys[k]))
		k++;
	return (enum comment_key)k;
}

static void check_share(struct check *c, const char *text, size_t n)
{
	bool yes = same(text, n, "yes");

	c->no_share |= !yes;
	if (c->there[KEY_SHARE])
		fault(c, "share is given twice", text, 0);
	else if (!yes && !same(text, n, "no"))
		fault(c, "share is '%s', expected no or yes: taken for no",
		      text, n);
}

static bool is_name(const char *text, size_t n)
{
	size_t good = 0;

	while (good < n && name_byte(text[good]))
		good++;
	return n && good == n;
}

static void check_profile(struct check *c, const char *text, size_t n)
{
	if (c->there[KEY_PROFILE])
		fault(c, "profile is given twice, the first counts", text, 0);
	else if (!is_name(text, n))
		fault(c, "profile is '%s', expected a name of letters, digits and ._+-",
		      text, n);
}

static void check_campaign(struct check *c, const char *text, size_t n)
{
	if (c->there[KEY_CAMPAIGN])
		fault(c, "campaign is given twice, the first counts", text, 0);
	else if (!is_name(text, n) || n >= CS_COMMENT_CAMPAIGN)
		fault(c, "campaign is '%s', expected a name of at most 63 letters, digits and ._+-: taken for none",
		      text, n);
}

/* One item, "key=value". */
static void check_item(struct check *c, const char *text, size_t n)
{
	static const char expected[] = "profile=NAME, campaign=NAME or share=no";
	const char *sign = memchr(text, '=', n);
	size_t len = sign ? (size_t)(sign - text) : n;
	enum comment_key key = key_of(text, len);
	char fmt[128];

	if (sign && key != KEY_NONE) {
		(key == KEY_SHARE      ? check_share
		 : key == KEY_CAMPAIGN ? check_campaign
				       : check_profile)(c, sign + 1,
							n - len - 1);
		c->there[key] = true;
		return;
	}
	if (key == KEY_SHARE || (sign && same(sign + 1, n - len - 1, "no")))
		c->no_share = true;
	snprintf(fmt, sizeof(fmt), "%s'%%s'%s, expected %s",
		 key == KEY_NONE ? "unknown key " : "",
		 key == KEY_NONE ? "" : " has no value", expected);
	fault(c, fmt, text, len);
}

bool cs_comment_check(const char *comment, bool *ret_no_share, char *buf,
		      size_t size)
{
	struct check c = { .buf = buf, .size = size };
	const char *text;
	size_t at = 0, n;

	if (size)
		*buf = '\0';
	while (next_group(comment, &at, &text, &n))
		for (size_t i = 0; i < n;) {
			size_t len = until(text + i, n - i, true);

			if (len)
				check_item(&c, text + i, len);
			i += len + 1;
		}
	*ret_no_share = c.no_share;
	return !c.wrong;
}

/* A profile that says nothing is none. */
static int known(const struct cs_profiles *p, int i)
{
	return i >= 0 && p->profile[i].known ? i : CS_PROFILE_NONE;
}

static bool matches(const char *pattern, const char *text)
{
	return !fnmatch(pattern, text ? text : "", 0);
}

int cs_profiles_match(const struct cs_profiles *p, const char *comment,
		      const char *user, const char *account, const char *name,
		      bool *ret_bad)
{
	/* one byte more than a name has: a cut value is nobody's name */
	char wanted[CS_PROFILE_NAME + 1] = "";
	enum item item = find_item(comment, "profile", wanted, sizeof(wanted));
	int i = CS_PROFILE_NONE;

	if (item == ITEM_GOOD)
		i = cs_profiles_find(p, wanted);
	if (ret_bad)
		*ret_bad = item != ITEM_ABSENT && i == CS_PROFILE_NONE;
	if (i != CS_PROFILE_NONE)
		return known(p, i);
	for (size_t k = 0; k < p->n_rule; k++)
		if (matches(p->rule[k].user, user) &&
		    matches(p->rule[k].account, account) &&
		    matches(p->rule[k].name, name))
			return known(p, p->rule[k].profile);
	return known(p, p->fallback);
}
