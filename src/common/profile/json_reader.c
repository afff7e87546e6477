/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON with lines: json-c reads the values, jsonpos.h finds their positions, so that an
 * error has its line.
 */
#include "profile/json_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/textbuf.h"

#define DEPTH_MAX 16 /* nested objects and arrays */

int cs_json_reader_fail(const struct cs_json_reader *r, size_t at,
			const char *fmt, ...)
{
	const char *name = r->name;
	char text[CS_ERR_TEXT];
	struct cs_err err;
	size_t n = strlen(name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* the end of a long path tells more than its start */
	cs_err_set(&err, -EINVAL, "%s%s:%zu: %s", n > 80 ? "..." : "",
		   n > 80 ? name + n - 80 : name, cs_jsonpos_line(&r->t, at),
		   text);
	if (r->told) {
		r->told->n++;
		r->told->tell(r->told->arg, err.text);
	}
	if (r->err)
		*r->err = err;
	return -EINVAL;
}

static const char *type_name(const struct cs_json_node *n)
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

int cs_json_reader_need(const struct cs_json_reader *r,
			const struct cs_json_node *n, enum json_type type,
			const char *what, const char *expected)
{
	if (json_object_get_type(n->o) == type)
		return 0;
	return cs_json_reader_fail(r, n->at, "'%.*s' is %s, expected %s",
				   CS_JSON_SHOWN, what, type_name(n), expected);
}

int cs_json_reader_number(const struct cs_json_reader *r,
			  const struct cs_json_node *n, const char *what,
			  double least, double most, double *ret)
{
	double v;

	if (json_object_get_type(n->o) != json_type_int &&
	    json_object_get_type(n->o) != json_type_double)
		return cs_json_reader_fail(r, n->at,
					   "'%.*s' is %s, expected a number",
					   CS_JSON_SHOWN, what, type_name(n));
	v = json_object_get_double(n->o);
	if (!(v >= least && v <= most))
		return cs_json_reader_fail(
			r, n->at,
			"'%.*s' is %.6g, expected a number from %.6g to "
			"%.6g",
			CS_JSON_SHOWN, what, v, least, most);
	*ret = v;
	return 0;
}

void cs_json_reader_walk(struct cs_json_reader_walk *w,
			 const struct cs_json_reader *r,
			 const struct cs_json_node *n)
{
	w->it = json_object_iter_begin(n->o);
	w->end = json_object_iter_end(n->o);
	w->more = cs_jsonpos_first(&r->t, n->at, &w->pos);
}

bool cs_json_reader_next(struct cs_json_reader_walk *w,
			 const struct cs_json_reader *r, const char **ret_key,
			 size_t *ret_at, struct cs_json_node *ret)
{
	if (!w->more || json_object_iter_equal(&w->it, &w->end))
		return false;
	*ret_key = json_object_iter_peek_name(&w->it);
	*ret_at = w->pos.key;
	*ret = (struct cs_json_node){ json_object_iter_peek_value(&w->it),
				      w->pos.value, true };
	json_object_iter_next(&w->it);
	w->more = cs_jsonpos_next(&r->t, &w->pos);
	return true;
}

/* json-c keeps the last of equal keys: find the second one in the text. */
static int find_duplicate(const struct cs_json_reader *r,
			  const struct cs_json_node *n)
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
			rc = cs_json_reader_fail(
				r, pos.key,
				"key '%.*s' is given twice, expected once",
				CS_JSON_SHOWN, json_object_get_string(key));
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

int cs_json_reader_object(const struct cs_json_reader *r,
			  const struct cs_json_node *n, const char *what)
{
	int rc = cs_json_reader_need(r, n, json_type_object, what, "an object");

	if (!rc && cs_jsonpos_count(&r->t, n->at) !=
			   (size_t)json_object_object_length(n->o))
		rc = find_duplicate(r, n);
	return rc;
}

/* "a, b or c" of the NULL-terminated @keys. */
static const char *alternatives(const char *const *keys, char *buf, size_t size)
{
	struct cs_textbuf t = { buf, size, 0 };

	buf[0] = '\0';
	for (; *keys; keys++)
		cs_textbuf_print(&t, "%s%s", *keys,
				 !keys[1]  ? ""
				 : keys[2] ? ", "
					   : " or ");
	return buf;
}

int cs_json_reader_members(const struct cs_json_reader *r,
			   const struct cs_json_node *n, const char *what,
			   const char *const *keys, struct cs_json_node *ret)
{
	const char *key = NULL;
	struct cs_json_node value;
	struct cs_json_reader_walk w;
	size_t at = 0;
	char buf[128];
	int rc = cs_json_reader_object(r, n, what);

	if (rc)
		return rc;
	for (size_t i = 0; keys[i]; i++)
		ret[i] = (struct cs_json_node){ .at = n->at };
	cs_json_reader_walk(&w, r, n);
	while (!rc && cs_json_reader_next(&w, r, &key, &at, &value)) {
		size_t i = 0;

		while (keys[i] && strcmp(keys[i], key))
			i++;
		if (keys[i])
			ret[i] = value;
		else
			rc = cs_json_reader_go_on(
				r,
				cs_json_reader_fail(
					r, at,
					"unknown key '%.*s', expected %s",
					CS_JSON_SHOWN, key,
					alternatives(keys, buf, sizeof(buf))));
	}
	return rc;
}

/* No zero byte, plain or as \u0000: json-c's keys would end there. */
static int check_nul(const struct cs_json_reader *r)
{
	const struct cs_jsontext *t = &r->t;

	for (size_t i = 0; i < t->len; i++) {
		if (!t->text[i] || (t->text[i] == '\\' && t->len - i >= 6 &&
				    !memcmp(t->text + i, "\\u0000", 6)))
			return cs_json_reader_fail(r, i,
						   "a byte 0, expected text");
		if (t->text[i] == '\\')
			i++;
	}
	return 0;
}

/* @wrong says what was expected at byte @at. */
static int not_json(const struct cs_json_reader *r, size_t at,
		    const char *wrong)
{
	size_t column = 1;

	while (column <= at && r->t.text[at - column] != '\n')
		column++;
	if (at < r->t.len && r->t.text[at] > ' ' && r->t.text[at] <= '~')
		return cs_json_reader_fail(r, at,
					   "not JSON: %s (column %zu, at '%c')",
					   wrong, column, r->t.text[at]);
	return cs_json_reader_fail(r, at, "not JSON: %s (column %zu)", wrong,
				   column);
}

/* Check the text and let json-c read it. */
static int parse(const struct cs_json_reader *r, struct json_object **ret)
{
	struct json_tokener *tok;
	size_t end = 0;
	const char *wrong = cs_jsonpos_check(&r->t, DEPTH_MAX, &end);

	if (wrong)
		return not_json(r, end, wrong);
	end = cs_jsonpos_blanks(&r->t, end);
	if (end < r->t.len)
		return cs_json_reader_fail(
			r, end, "text behind the end of the object in '{}'");
	tok = json_tokener_new_ex(DEPTH_MAX + 1);
	if (!tok)
		return -ENOMEM;
	*ret = json_tokener_parse_ex(tok, r->t.text, (int)r->t.len);
	json_tokener_free(tok);
	/* it is JSON, so nothing else can have failed */
	return *ret ? 0 : -ENOMEM;
}

int cs_json_reader_read(const struct cs_json_reader *r, size_t max,
			struct cs_json_node *ret)
{
	*ret = (struct cs_json_node){ NULL, 0, true };
	if (r->t.len > max)
		return cs_json_reader_fail(
			r, 0, "%zu bytes, expected at most %zu", r->t.len, max);
	if (check_nul(r))
		return -EINVAL;
	ret->at = cs_jsonpos_blanks(&r->t, 0);
	if (ret->at == r->t.len || r->t.text[ret->at] != '{')
		return cs_json_reader_fail(r, ret->at,
					   "no object, expected '{'");
	return parse(r, &ret->o);
}
