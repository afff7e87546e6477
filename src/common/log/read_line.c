/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/read_line.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonpos.h"
#include "log/read_field.h"

#define STEPS_MAX 9e15 /* whole numbers below are exact */

struct cs_logread {
	struct json_tokener *tokener;
};

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

/* Why a text is not one object; NULL: it is. */
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
	/* it is valid JSON, so only memory can be short */
	return *ret ? 0 : -ENOMEM;
}

/* ---- kinds of lines ------------------------------------------------------ */

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
	for (uint32_t i = 0; i < CS_LOG_EVS; i++)
		if (!strcmp(cs_log_kinds[i].name, name)) {
			*ret = (enum cs_log_ev)i;
			return 0;
		}
	return cs_err_set(err, -EINVAL,
			  "\"ev\" is \"%.40s\", expected one of the names in "
			  "cosched-log(5)",
			  name);
}

/* ---- fields -------------------------------------------------------------- */

static int read_alloc(struct cs_log_line *l, struct cs_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(l->json, "alloc", &v)) {
		if (!cs_log_kinds[l->ev].alloc)
			return 0;
		return cs_err_set(err, -EINVAL,
				  "%s of job %u without \"alloc\", expected "
				  "{\"NODES\":\"CORES\",...}",
				  cs_log_ev_name(l->ev), l->job);
	}
	return cs_log_alloc_read(v, &l->alloc, err);
}

static int read_job(struct cs_log_line *l, struct cs_log_in *in,
		    struct cs_err *err)
{
	int rc = cs_log_read_fields(in, &cs_log_job, &l->submitted, err);

	if (rc || l->submitted.tasks)
		return rc;
	return cs_err_set(err, -EINVAL, "\"tasks\" is 0, expected 1 or more");
}

/* A proposal that leaves the cores to the host names none. */
static int read_would(struct cs_log_line *l, struct cs_log_in *in,
		      struct cs_err *err)
{
	int rc = cs_log_read_fields(in, &cs_log_proposal, &l->action, err) ?:
		 cs_log_read_fields(in, &cs_log_reasons, &l->action, err) ?:
		 cs_log_read_fields(in, &cs_log_outcome, &l->action, err);

	l->job = l->action.job_id;
	if (rc || cs_log_says(l->json, "do", "host_start"))
		return rc;
	return read_alloc(l, err);
}

/* When a start by the host itself really was: before we heard of it. */
static int read_since(struct cs_log_line *l, struct cs_err *err)
{
	double start = l->t;
	int rc = cs_log_number(l->json, "start", &start, err);

	l->since = l->host && start < l->t ? start : l->t;
	return rc == -ENOENT ? 0 : rc;
}

static int read_start(struct cs_log_line *l, struct cs_log_in *in,
		      struct cs_err *err)
{
	struct cs_started *s = &l->start;
	int rc = read_alloc(l, err) ?:
		 cs_log_read_fields(in, &cs_log_start, s, err) ?:
		 cs_log_read_fields(in, &cs_log_start_option, s, err) ?:
		 cs_log_read_fields(in, &cs_log_start_group, s, err) ?:
		 cs_log_read_fields(in, &cs_log_start_times, s, err) ?:
		 cs_log_read_fields(in, &cs_log_reasons, &l->action, err);

	if (rc)
		return rc;
	if (s->at_us && !s->ran_us)
		s->ran_us = s->at_us - (s->from_us ? s->from_us : s->start_us);
	s->packed |= cs_log_says(l->json, "placed", "host");
	l->host = in->host;
	return read_since(l, err);
}

/* What the nodes are from now on, as in a machine type; without "cores" they stay. */
static int read_now(struct cs_log_line *l, struct cs_err *err)
{
	l->becomes = json_object_object_get_ex(l->json, "cores", NULL);
	if (!l->becomes)
		return 0;
	l->now = (struct cs_node){ .sockets = 1, .threads = 1 };
	return cs_log_text(l->json, "name", (const char **)&l->now.name, err)
		       ?: cs_log_read_shape(l->json, &l->now, &l->gpus, err);
}

/* "node": an index or a list of them; "up": true or false. */
static int read_node(struct cs_log_line *l, struct cs_log_in *in,
		     struct cs_err *err)
{
	struct json_object *v;
	int rc;

	if (!json_object_object_get_ex(l->json, "node", &v) ||
	    !(json_object_is_type(v, json_type_int) ||
	      json_object_is_type(v, json_type_string)))
		return cs_err_set(err, -EINVAL,
				  "a node line without \"node\", expected an "
				  "index");
	rc = cs_log_ranges_read(json_object_get_string(v), "node", &l->node,
				&l->n_node, err);
	if (rc)
		return rc;
	if (!json_object_object_get_ex(l->json, "up", NULL))
		return cs_err_set(err, -EINVAL,
				  "a node line without \"up\", expected true "
				  "or false");
	l->event.node.index = l->node[0].first;
	return read_now(l, err)
		       ?: cs_log_read_fields(in, &cs_log_node, &l->event, err);
}

static int read_reservation(struct cs_log_line *l, struct cs_log_in *in,
			    struct cs_err *err)
{
	struct cs_reservation *r = &l->reservation;

	return cs_log_read_fields(in, &cs_log_reservation, r, err) ?:
	       cs_log_read_fields(in, &cs_log_reservation_times, r, err) ?:
	       cs_log_read_fields(in, &cs_log_reservation_flags, r, err);
}

/* "steps": of a decide that paused. */
static int read_decide(struct cs_log_line *l, struct cs_err *err)
{
	double steps = 0;
	int rc = cs_log_number(l->json, "steps", &steps, err);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	l->steps = steps >= 1 && steps <= STEPS_MAX ? (int64_t)steps : 0;
	if ((double)l->steps == steps)
		return 0;
	return cs_err_set(
		err, -EINVAL,
		"\"steps\" is %g, expected a whole number of 1 or more", steps);
}

/* "of": which jobs a set of estimates has. */
static int read_estimates(struct cs_log_line *l, struct cs_err *err)
{
	struct json_object *of;

	l->of = CS_ESTIMATE_NEW;
	if (!json_object_object_get_ex(l->json, "of", &of))
		return 0;
	if (!json_object_is_type(of, json_type_string) ||
	    strcmp(json_object_get_string(of), "all"))
		return cs_err_set(err, -EINVAL, "\"of\", expected \"all\"");
	l->of = CS_ESTIMATE_ALL;
	return 0;
}

/* The fields of a line whose members are all in struct cs_event. */
static const struct cs_log_fields *event_part(enum cs_log_ev ev)
{
	switch (ev) {
	case CS_LOG_CANCEL:
		return &cs_log_job_id;
	case CS_LOG_FINISH:
		return &cs_log_finish;
	case CS_LOG_SUSPEND:
	case CS_LOG_RESUME:
		return &cs_log_stop;
	case CS_LOG_REFUSE:
		return &cs_log_refused;
	case CS_LOG_BEGIN:
		return &cs_log_begin;
	case CS_LOG_RESIZE:
		return &cs_log_resize;
	case CS_LOG_LIMIT:
		return &cs_log_limit;
	case CS_LOG_KEPT:
		return &cs_log_kept;
	case CS_LOG_TICK:
		return &cs_log_tick;
	default:
		return NULL;
	}
}

static int read_event(struct cs_log_line *l, struct cs_log_in *in,
		      struct cs_err *err)
{
	const struct cs_log_fields *part = event_part(l->ev);
	int rc = part ? cs_log_read_fields(in, part, &l->event, err) : 0;

	l->host = in->host;
	if (!rc && (l->ev == CS_LOG_RESUME || l->ev == CS_LOG_RESIZE))
		rc = read_alloc(l, err);
	return rc;
}

static int read_fields(struct cs_log_line *l, struct cs_err *err)
{
	struct cs_log_in in = { l->json, l->event.t_us, false };

	switch (l->ev) {
	case CS_LOG_HEADER:
		return cs_log_header_read(l->json, &l->header, err);
	case CS_LOG_SUBMIT:
	case CS_LOG_CHANGE:
	case CS_LOG_REQUEUE:
		return read_job(l, &in, err);
	case CS_LOG_START:
		return read_start(l, &in, err);
	case CS_LOG_WOULD:
		return read_would(l, &in, err);
	case CS_LOG_NODE:
		return read_node(l, &in, err);
	case CS_LOG_RESERVATION:
		return read_reservation(l, &in, err);
	case CS_LOG_DECIDE:
		return read_decide(l, err);
	case CS_LOG_ESTIMATES:
		return read_estimates(l, err);
	case CS_LOG_ESTIMATE:
		return cs_log_read_fields(&in, &cs_log_estimates, &l->estimate,
					  err);
	default:
		return read_event(l, &in, err);
	}
}

static int read_line(struct cs_log_line *l, struct cs_err *err)
{
	int rc = read_kind(l->json, &l->ev, err);
	const struct cs_log_kind *kind = &cs_log_kinds[l->ev];

	if (!rc && l->ev != CS_LOG_HEADER)
		rc = cs_log_number(l->json, "t", &l->t, err);
	if (!rc && kind->job)
		rc = cs_log_uint(l->json, "job", 1, UINT32_MAX, &l->job, err);
	l->event.t_us = cs_log_us(l->t);
	if (kind->event >= 0)
		l->event.type = (enum cs_event_type)kind->event;
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
