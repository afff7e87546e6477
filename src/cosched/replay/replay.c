/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_params.h"

/* ---- the engine ---------------------------------------------------------- */

static void drop_engine(struct cs_replay *r)
{
	cs_replay_end(r);
	cs_engine_free(r->on.engine);
	r->on.engine = NULL;
	r->on.machine = NULL;
	cs_profiles_free(r->table);
	r->table = NULL;
	cs_params_done(&r->params);
	cs_machine_free(r->machine);
	r->machine = NULL;
	json_object_put(r->names);
	r->names = NULL;
}

static int no_slices(const struct cs_replay *r, struct json_object *header,
		     struct cs_err *err)
{
	struct cs_params was;
	bool sliced = r->params.slice != CS_SLICE_NONE;

	if (!r->settings)
		return 0;
	if (cs_replay_params(header, NULL, false, &was, err))
		return -EINVAL;
	sliced |= was.slice != CS_SLICE_NONE;
	cs_params_done(&was);
	return sliced ? cs_err_set(err, -EINVAL,
				   "time slices: what they would do is more "
				   "than a decision ahead, expected a log and "
				   "settings with slice=none")
		      : 0;
}

static int profiles(struct cs_replay *r, struct json_object *header)
{
	struct json_object *digest = NULL;

	json_object_object_get_ex(header, "profiles_digest", &digest);
	return r->profiles(r->arg, r->params.profiles ? r->params.profiles : "",
			   digest ? json_object_get_string(digest) : NULL,
			   &r->table);
}

static void keep_names(struct cs_replay *r, struct json_object *header)
{
	struct json_object *machine, *names;

	if (json_object_object_get_ex(header, "machine", &machine) &&
	    json_object_object_get_ex(machine, "names", &names) &&
	    json_object_is_type(names, json_type_array))
		r->names = json_object_get(names);
}

static int make_engine(struct cs_replay *r, const struct cs_log_line *l,
		       struct cs_err *err)
{
	int rc = cs_replay_params(l->json, r->settings, l->header->boot,
				  &r->params, err);

	if (!rc)
		rc = no_slices(r, l->json, err);
	if (!rc)
		rc = profiles(r, l->json);
	if (rc)
		return rc;
	r->machine = cs_machine_copy(l->header->machine);
	if (!r->machine)
		return -ENOMEM;
	r->on.machine = r->machine;
	r->live = l->header->boot;
	keep_names(r, l->json);
	r->on.engine = cs_engine_create(&r->params, r->machine, r->table, err);
	return r->on.engine ? 0 : -EINVAL;
}

/* Rule 1. */
static int begin(struct cs_replay *r, const struct cs_replay_line *x,
		 struct cs_err *err)
{
	struct json_object *after;
	struct cs_err why = { "" };
	bool goes_on = json_object_object_get_ex(x->l.json, "after", &after);
	int rc;

	r->headed = true;
	r->state = goes_on && r->on.engine &&
		   !strcmp(json_object_get_string(after), "rotation");
	if (r->state)
		return 0;
	drop_engine(r);
	r->news = false;
	r->last_us = r->decided_us = 0;
	if (goes_on)
		return 0;
	rc = make_engine(r, &x->l, &why);
	if (rc && rc != -ECANCELED && rc != -ENOMEM)
		return cs_err_set(err, rc, "line %" PRIu64 ": %s", x->number,
				  why.text);
	return rc;
}

int cs_replay_tell(struct cs_replay *r, const struct cs_event *ev,
		   uint64_t number, struct cs_err *err)
{
	struct cs_err why = { "no reason given" };
	int rc = cs_engine_event(r->on.engine, ev, &why);

	r->news = true;
	if (ev->t_us > r->last_us)
		r->last_us = ev->t_us;
	if (rc && rc != -ENOMEM)
		return cs_err_set(err, -EINVAL,
				  "line %" PRIu64 ": no engine can have had "
				  "this: %s",
				  number, why.text);
	return rc;
}

int cs_replay_ask(struct cs_replay *r, int64_t t_us, struct cs_err *err)
{
	struct cs_actions a;
	int rc = cs_engine_decide(r->on.engine, t_us, &a);

	r->news = false;
	r->decided_us = t_us;
	if (rc == -EBUSY)
		return cs_err_set(err, -EINVAL,
				  "a decide before all starts of the last one "
				  "are answered");
	return rc ? rc : cs_replay_keep(&r->acts, &a);
}

/* ---- lines --------------------------------------------------------------- */

static bool by_host(const struct cs_replay_line *x)
{
	return json_object_object_get_ex(x->l.json, "by", NULL);
}

bool cs_replay_is_action(const struct cs_replay *r,
			 const struct cs_replay_line *x)
{
	switch (x->l.ev) {
	case CS_LOG_START:
	case CS_LOG_LIMIT:
		return !by_host(x);
	case CS_LOG_SUSPEND:
	case CS_LOG_RESUME:
		return r->params.slice != CS_SLICE_NONE;
	case CS_LOG_REFUSE:
	case CS_LOG_JOINED:
	case CS_LOG_DISBAND:
	case CS_LOG_SLICE:
	case CS_LOG_WOULD:
		return true;
	default:
		return false;
	}
}

/* A line that came without a decide. */
static int stray(struct cs_replay *r, const struct cs_replay_line *x,
		 struct cs_err *err)
{
	(void)err;
	return r->settings ? 0 : cs_replay_differ(r, x, NULL, 0, NULL);
}

static int event(struct cs_replay *r, const struct cs_replay_line *x,
		 struct cs_err *err)
{
	struct cs_replay_event e;
	struct cs_err why = { "" };
	int rc = cs_replay_event_read(&r->on, &x->l, &e, &why);

	if (rc == -ENOENT)
		return 0;
	if (rc)
		return rc == -ENOMEM ? rc
				     : cs_err_set(err, rc, "line %" PRIu64
							   ": %s",
						  x->number, why.text);
	rc = r->settings ? cs_replay_if_event(r, x, &e, err)
			 : cs_replay_tell(r, &e.ev, x->number, err);
	cs_replay_event_done(&e);
	return rc;
}

static int decide(struct cs_replay *r, const struct cs_replay_line *x,
		  struct cs_err *err)
{
	int64_t t_us = cs_replay_us(x->l.t);

	r->decides++;
	return r->settings ? cs_replay_if_decide(r, t_us, err)
			   : cs_replay_same(r, t_us, err);
}

static int one(struct cs_replay *r, const struct cs_replay_line *x,
	       struct cs_err *err)
{
	int rc = 0;

	if (x->l.ev == CS_LOG_HEADER)
		return begin(r, x, err);
	if (!r->headed)
		return cs_err_set(err, -EINVAL,
				  "line %" PRIu64 ": \"%s\", expected a header "
				  "first",
				  x->number, cs_log_ev_name(x->l.ev));
	if (!r->on.engine) {
		r->skipped++;
		return 0;
	}
	if (r->state) {
		r->state = x->l.ev != CS_LOG_TICK;
		return 0;
	}
	if (r->settings)
		rc = cs_replay_if_before(r, x, err);
	if (rc)
		return rc;
	if (x->l.ev == CS_LOG_DECIDE)
		return decide(r, x, err);
	return cs_replay_is_action(r, x) ? stray(r, x, err) : event(r, x, err);
}

static int all(struct cs_replay *r, struct cs_err *err)
{
	const struct cs_replay_line *next;
	int rc;

	while (!(rc = cs_replay_peek(&r->in, &next, err)) && next) {
		struct cs_replay_line x = cs_replay_take(&r->in);

		rc = one(r, &x, err);
		cs_replay_line_done(&x);
		if (rc || r->log || r->engine)
			return rc;
	}
	if (!rc && !r->in.in.line)
		rc = cs_err_set(err, -EINVAL,
				"the log is empty, expected a header");
	return rc;
}

int cs_replay_file(struct cs_replay *r, FILE *file, struct cs_err *err)
{
	int rc = cs_replay_reader_init(&r->in, file);

	if (!rc)
		rc = all(r, err);
	cs_replay_reader_done(&r->in);
	if (rc == -ENOMEM)
		cs_err_set(err, rc, "no memory");
	return rc;
}

void cs_replay_end(struct cs_replay *r)
{
	cs_replay_would_end(&r->would);
}

void cs_replay_done(struct cs_replay *r)
{
	r->would.differs = NULL;
	drop_engine(r);
	cs_replay_keep_done(&r->acts);
	free(r->log);
	free(r->engine);
	r->log = r->engine = NULL;
}
