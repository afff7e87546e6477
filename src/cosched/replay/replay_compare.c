/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rule 3: the engine's decisions are those in the log. */
#include "replay/replay_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_engine.h"

int cs_replay_differ(struct cs_replay *r, const struct cs_replay_line *x,
		     const struct cs_replay_event *fact, int64_t t_us,
		     const struct cs_action *a)
{
	r->line = x ? x->number : r->in.in.line;
	r->log = x ? strdup(x->text) : NULL;
	r->engine = a ? cs_replay_say(fact ? x : NULL, fact, t_us, a,
				      fact && x->l.ev == CS_LOG_WOULD)
		      : NULL;
	return (x && !r->log) || (a && !r->engine) ? -ENOMEM : 0;
}

/* Does line @x equal what the engine says by @a?  1, 0, -ENOMEM. */
static int is_same(const struct cs_replay_line *x,
		   const struct cs_replay_event *fact,
		   const struct cs_action *a)
{
	char *said = cs_replay_say(x, fact, x->l.event.t_us, a,
				   x->l.ev == CS_LOG_WOULD);
	int same = said ? !strcmp(said, x->text) : -ENOMEM;

	free(said);
	return same;
}

static bool answers(const struct cs_replay_line *x)
{
	return x->l.ev == CS_LOG_START || x->l.ev == CS_LOG_REFUSE ||
	       x->l.ev == CS_LOG_SUSPEND || x->l.ev == CS_LOG_RESUME;
}

/* Compare line @x, an action's, with @a (NULL: the engine has no more). */
static int compare(struct cs_replay *r, const struct cs_replay_line *x,
		   const struct cs_action *a, struct cs_err *err)
{
	struct cs_replay_event fact;
	struct cs_err why = { "" };
	int rc = cs_replay_event_read(&r->on, &x->l, &fact, &why);

	if (rc && rc != -ENOENT)
		return rc == -ENOMEM ? rc
				     : cs_err_set(err, rc, "line %llu: %s",
						  (unsigned long long)x->number,
						  why.text);
	rc = a ? is_same(x, &fact, a) : 0;
	if (!rc)
		rc = cs_replay_differ(r, x, &fact, x->l.event.t_us, a);
	else if (rc > 0)
		rc = answers(x) ? cs_replay_tell(r, &fact.ev, x->number, err)
				: 0;
	r->actions++;
	cs_replay_event_done(&fact);
	return rc;
}

/* Mode shadow revokes its proposals at the instant of the decide. */
static int take_back(struct cs_replay *r, int64_t t_us, struct cs_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->acts.n; i++) {
		struct cs_event ev = {
			.type = CS_EV_REFUSED,
			.t_us = t_us,
			.refused = { .seq = r->acts.a[i].seq,
				     .class = CS_REFUSED_GROUP,
				     .why = "mode shadow" },
		};

		if (ev.refused.seq && r->acts.a[i].alloc)
			rc = cs_replay_tell(r, &ev, r->in.in.line, err);
	}
	return rc;
}

/* The action that "would" line @x reports: such lines exist only for new proposals. */
static const struct cs_action *meant(const struct cs_replay *r,
				     const struct cs_replay_line *x)
{
	uint32_t seq = x->l.action.seq;

	for (size_t i = 0; seq && i < r->acts.n; i++)
		if (r->acts.a[i].seq == seq)
			return &r->acts.a[i];
	return NULL;
}

/* The host's limit of a job that has just started (TimeMin) is logged after the start,
 * before the next answer. */
static bool between(const struct cs_replay *r, const struct cs_replay_line *x)
{
	return x->l.ev == CS_LOG_LIMIT && !cs_replay_is_action(r, x);
}

static int tell(struct cs_replay *r, const struct cs_replay_line *x,
		struct cs_err *err)
{
	struct cs_replay_event e;
	struct cs_err why = { "" };
	int rc = cs_replay_event_read(&r->on, &x->l, &e, &why);

	if (rc && rc != -ENOENT)
		return rc == -ENOMEM ? rc
				     : cs_err_set(err, rc, "line %llu: %s",
						  (unsigned long long)x->number,
						  why.text);
	rc = rc ? 0 : cs_replay_tell(r, &e.ev, x->number, err);
	cs_replay_event_done(&e);
	return rc;
}

static bool cut(const struct cs_replay_line *next)
{
	return !next || next->l.ev == CS_LOG_HEADER;
}

int cs_replay_same(struct cs_replay *r, int64_t t_us,
		   const struct cs_decide_part *part, struct cs_err *err)
{
	bool shadow = r->params.mode == CS_MODE_SHADOW;
	const struct cs_replay_line *next = NULL;
	size_t i = 0;
	int rc = cs_replay_ask(r, t_us, part, err);

	if (!rc && shadow)
		rc = take_back(r, t_us, err);
	while (!rc && !r->line && !(rc = cs_replay_peek(&r->in, &next, err)) &&
	       next &&
	       (cs_replay_is_action(r, next) ||
		(i < r->acts.n && between(r, next)))) {
		struct cs_replay_line x = cs_replay_take(&r->in);
		const struct cs_action *a =
			i < r->acts.n ? &r->acts.a[i] : NULL;

		if (between(r, &x)) {
			rc = tell(r, &x, err);
		} else {
			rc = compare(r, &x, shadow ? meant(r, &x) : a, err);
			i++;
		}
		cs_replay_line_done(&x);
	}
	/* a log that ends here, or a new header, may have been cut off */
	if (rc || r->line || shadow || i >= r->acts.n || cut(next))
		return rc;
	return cs_replay_differ(r, next, NULL, t_us, &r->acts.a[i]);
}
