/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_compare.h"
#include "replay/replay_engine.h"
#include "replay/replay_estimate.h"
#include "replay/replay_what_if.h"

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
	cs_replay_keep_learned(r);
	cs_replay_drop_engine(r);
	r->news = false;
	r->last_us = r->decided_us = 0;
	if (goes_on)
		return 0;
	rc = cs_replay_make_engine(r, &x->l, &why) ?: cs_replay_go_on(r);
	if (rc && rc != -ECANCELED && rc != -ENOMEM)
		return cs_err_set(err, rc, "line %" PRIu64 ": %s", x->number,
				  why.text);
	return rc;
}

/* A line that no decide precedes. */
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
		return rc == -ENOMEM
			       ? rc
			       : cs_err_set(err, rc, "line %" PRIu64 ": %s",
					    x->number, why.text);
	rc = r->settings ? cs_replay_if_event(r, x, &e, err)
			 : cs_replay_tell(r, &e.ev, x->number, err);
	cs_replay_event_done(&e);
	return rc;
}

static int decide(struct cs_replay *r, const struct cs_replay_line *x,
		  struct cs_err *err)
{
	int64_t t_us = x->l.event.t_us;
	struct cs_decide_part part = { .steps = x->l.steps };
	struct cs_err why = { "" };
	uint64_t *nodes;
	int rc;

	r->decides++;
	if (r->settings)
		return cs_replay_if_decide(r, t_us, err);
	rc = cs_log_read_decide_nodes(r->on.machine, &x->l, &nodes, &why);
	if (rc)
		return rc == -ENOMEM
			       ? rc
			       : cs_err_set(err, rc, "line %" PRIu64 ": %s",
					    x->number, why.text);
	part.nodes = nodes;
	rc = cs_replay_same(r, t_us, &part, err);
	free(nodes);
	return rc;
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
	rc = cs_replay_estimate(r, x, err);
	if (rc || r->line || x->l.ev == CS_LOG_ESTIMATES ||
	    x->l.ev == CS_LOG_ESTIMATE)
		return rc;
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
	cs_replay_drop_engine(r);
	cs_replay_copy_done(&r->acts);
	free(r->log);
	free(r->engine);
	free(r->learned);
	r->learned = NULL;
	r->log = r->engine = NULL;
}
