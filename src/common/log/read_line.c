/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/read_line.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonpos.h"

struct cs_logread {
	struct json_tokener *tokener;
};

/* What a kind of line must have. */
static const struct {
	const char *name;
	bool t, job, alloc;
} kinds[] = {
	[CS_LOG_HEADER] = { "header", false, false, false },
	[CS_LOG_SUBMIT] = { "submit", true, true, false },
	[CS_LOG_CHANGE] = { "change", true, true, false },
	[CS_LOG_REQUEUE] = { "requeue", true, true, false },
	[CS_LOG_CANCEL] = { "cancel", true, true, false },
	[CS_LOG_START] = { "start", true, true, true },
	[CS_LOG_REFUSE] = { "refuse", true, false, false },
	[CS_LOG_FINISH] = { "finish", true, true, false },
	[CS_LOG_SUSPEND] = { "suspend", true, true, false },
	[CS_LOG_RESUME] = { "resume", true, true, false },
	[CS_LOG_LIMIT] = { "limit", true, true, false },
	[CS_LOG_NODE] = { "node", true, false, false },
	[CS_LOG_RESERVATION] = { "reservation", true, false, false },
	[CS_LOG_KEPT] = { "kept", true, false, false },
	[CS_LOG_TICK] = { "tick", true, false, false },
	[CS_LOG_DECIDE] = { "decide", true, false, false },
	[CS_LOG_JOINED] = { "joined", true, false, false },
	[CS_LOG_DISBAND] = { "disband", true, false, false },
	[CS_LOG_SLICE] = { "slice", true, false, false },
	[CS_LOG_BOUND] = { "bound", true, false, false },
	[CS_LOG_WOULD] = { "would", true, false, false },
};

const char *cs_log_ev_name(enum cs_log_ev ev)
{
	return kinds[ev].name;
}

struct cs_logread *cs_logread_create(void)
{
	struct cs_logread *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->tokener = json_tokener_new_ex(CS_LOG_DEPTH + 1);
	if (!r->tokener) {
		free(r);
		return NULL;
	}
	return r;
}

void cs_logread_free(struct cs_logread *r)
{
	if (!r)
		return;
	json_tokener_free(r->tokener);
	free(r);
}

/* ---- JSON ---------------------------------------------------------------- */

/* What is wrong with a text that should be one object; NULL: nothing. */
static const char *find_fault(const char *text, size_t len)
{
	const struct cs_jsontext t = { text, len };
	size_t end = cs_jsonpos_blanks(&t, 0);
	const char *wrong;

	if (end == len)
		return "empty line";
	if (len > INT_MAX)
		return "too long";
	if (text[end] != '{')
		return "object expected";
	wrong = cs_jsonpos_check(&t, CS_LOG_DEPTH, &end);
	if (!wrong && cs_jsonpos_blanks(&t, end) < len)
		wrong = "text behind the object";
	return wrong;
}

static int parse(struct cs_logread *r, const char *text, size_t len,
		 struct json_object **ret, struct cs_err *err)
{
	const char *wrong = find_fault(text, len);

	if (wrong)
		return cs_err_set(err, -EINVAL,
				  "the line is no JSON (%s), expected one "
				  "object",
				  wrong);
	json_tokener_reset(r->tokener);
	*ret = json_tokener_parse_ex(r->tokener, text, (int)len);
	/* JSON it is, so nothing else can have failed */
	return *ret ? 0 : -ENOMEM;
}

/* ---- fields -------------------------------------------------------------- */

/* A finite number. */
static int read_number(struct json_object *o, const char *key, double *ret,
		       struct cs_err *err)
{
	struct json_object *v;
	double d;

	if (!json_object_object_get_ex(o, key, &v))
		return cs_err_set(err, -ENOENT,
				  "\"%s\" is absent, expected a number", key);
	d = json_object_get_double(v);
	if (!(json_object_is_type(v, json_type_int) ||
	      json_object_is_type(v, json_type_double)) ||
	    !isfinite(d))
		return cs_err_set(err, -EINVAL,
				  "\"%s\" is %.40s, expected a number", key,
				  json_object_to_json_string(v));
	*ret = d;
	return 0;
}

/* As cs_log_uint(), but absent is well: *ret stays. */
static int read_uint(struct json_object *o, const char *key, uint32_t min,
		     uint32_t *ret, struct cs_err *err)
{
	int rc = cs_log_uint(o, key, min, UINT32_MAX, ret, err);

	return rc == -ENOENT ? 0 : rc;
}

/* As above; null is as good as absent. */
static int read_bool(struct json_object *o, const char *key, bool *ret,
		     struct cs_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !v)
		return 0;
	if (!json_object_is_type(v, json_type_boolean))
		return cs_err_set(err, -EINVAL,
				  "\"%s\" is %.40s, expected true or false",
				  key, json_object_to_json_string(v));
	*ret = json_object_get_boolean(v);
	return 0;
}

static int read_kind(struct json_object *o, enum cs_log_ev *ret,
		     struct cs_err *err)
{
	struct json_object *v;
	const char *name;

	*ret = CS_LOG_TICK;
	if (!json_object_object_get_ex(o, "ev", &v) ||
	    !json_object_is_type(v, json_type_string))
		return cs_err_set(err, -EINVAL,
				  "a line without \"ev\", expected a name such "
				  "as \"submit\"");
	name = json_object_get_string(v);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name)) {
			*ret = (enum cs_log_ev)i;
			return 0;
		}
	return cs_err_set(err, -EINVAL,
			  "\"ev\" is \"%.40s\", expected one of the names in "
			  "cosched-log(5)",
			  name);
}

/* ---- kinds of lines ------------------------------------------------------ */

/* Is member @key the string @value? */
static bool says(struct json_object *o, const char *key, const char *value)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) &&
	       json_object_is_type(v, json_type_string) &&
	       !strcmp(json_object_get_string(v), value);
}

static int read_alloc(struct cs_log_line *l, struct cs_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(l->json, "alloc", &v)) {
		if (!kinds[l->ev].alloc)
			return 0;
		return cs_err_set(err, -EINVAL,
				  "start of job %u without \"alloc\", expected "
				  "{\"NODES\":\"CORES\",...}",
				  l->job);
	}
	return cs_log_alloc_read(v, &l->alloc, err);
}

/* A proposal that leaves the cores to the host names none. */
static int read_would(struct cs_log_line *l, struct cs_err *err)
{
	int rc = read_uint(l->json, "job", 0, &l->job, err);

	if (rc || says(l->json, "do", "host_start"))
		return rc;
	return read_alloc(l, err);
}

/* When a start of the host's own really was: before we heard of it. */
static int read_since(struct cs_log_line *l, struct cs_err *err)
{
	double start;
	int rc = read_number(l->json, "start", &start, err);

	l->since = l->t;
	l->host = says(l->json, "by", "host");
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	if (l->host && start < l->t)
		l->since = start;
	return 0;
}

/* The campaign that it is of (order=ostrich). */
static int read_campaign(struct cs_log_line *l, struct cs_err *err)
{
	int rc = read_number(l->json, "service", &l->service, err);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	l->campaign = true;
	return read_number(l->json, "finish", &l->finish, err);
}

static int read_start(struct cs_log_line *l, struct cs_err *err)
{
	int rc = read_alloc(l, err);

	if (!rc)
		rc = read_since(l, err);
	if (!rc)
		rc = read_uint(l->json, "array", 0, &l->array, err);
	if (!rc)
		rc = read_uint(l->json, "group", 0, &l->group, err);
	if (!rc)
		rc = read_bool(l->json, "packed", &l->packed, err);
	if (!rc)
		rc = read_campaign(l, err);
	l->packed |= says(l->json, "placed", "host");
	return rc;
}

static int read_submit(struct cs_log_line *l, struct cs_err *err)
{
	l->tasks = 1;
	return read_uint(l->json, "tasks", 1, &l->tasks, err);
}

/* "node": an index or a list of them; "up": true or false. */
static int read_node(struct cs_log_line *l, struct cs_err *err)
{
	struct json_object *v;
	int rc;

	if (!json_object_object_get_ex(l->json, "node", &v) ||
	    !(json_object_is_type(v, json_type_int) ||
	      json_object_is_type(v, json_type_string)))
		return cs_err_set(err, -EINVAL,
				  "a node line without \"node\", expected an "
				  "index");
	rc = cs_ranges_read(json_object_get_string(v), "node", &l->node,
			    &l->n_node, err);
	if (rc)
		return rc;
	if (!json_object_object_get_ex(l->json, "up", NULL))
		return cs_err_set(err, -EINVAL,
				  "a node line without \"up\", expected true "
				  "or false");
	return read_bool(l->json, "up", &l->up, err);
}

static int read_fields(struct cs_log_line *l, struct cs_err *err)
{
	switch (l->ev) {
	case CS_LOG_HEADER:
		return cs_log_header_read(l->json, &l->header, err);
	case CS_LOG_SUBMIT:
	case CS_LOG_CHANGE:
	case CS_LOG_REQUEUE:
		return read_submit(l, err);
	case CS_LOG_START:
		return read_start(l, err);
	case CS_LOG_SUSPEND:
		l->host = says(l->json, "by", "host");
		return read_bool(l->json, "keeps", &l->keeps, err);
	case CS_LOG_TICK:
		return read_bool(l->json, "freed", &l->freed, err);
	case CS_LOG_RESUME:
		l->host = says(l->json, "by", "host");
		return read_alloc(l, err);
	case CS_LOG_WOULD:
		return read_would(l, err);
	case CS_LOG_NODE:
		return read_node(l, err);
	default:
		return 0;
	}
}

static int read_line(struct cs_log_line *l, struct cs_err *err)
{
	int rc = read_kind(l->json, &l->ev, err);

	if (!rc && kinds[l->ev].t)
		rc = read_number(l->json, "t", &l->t, err);
	if (!rc && kinds[l->ev].job)
		rc = cs_log_uint(l->json, "job", 1, UINT32_MAX, &l->job, err);
	if (!rc)
		rc = read_fields(l, err);
	if (rc == -EINVAL && l->ev == CS_LOG_HEADER)
		return -EPROTO;
	return rc == -ENOENT ? -EINVAL : rc;
}

int cs_logread_line(struct cs_logread *r, const char *text, size_t len,
		    struct cs_log_line *ret, struct cs_err *err)
{
	struct cs_log_line l = { 0 };
	int rc = parse(r, text, len, &l.json, err);

	if (!rc)
		rc = read_line(&l, err);
	if (rc)
		cs_log_line_done(&l);
	else
		*ret = l;
	return rc;
}

void cs_log_line_done(struct cs_log_line *l)
{
	free(l->node);
	cs_log_alloc_free(l->alloc);
	cs_log_header_free(l->header);
	json_object_put(l->json);
	memset(l, 0, sizeof(*l));
}
