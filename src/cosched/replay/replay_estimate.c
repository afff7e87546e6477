/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/replay_estimate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/log/write_line.h"

/* Line @x differs from estimate @e (NULL: none is to follow). */
static int differ(struct cs_replay *r, const struct cs_replay_line *x,
		  const struct cs_estimate *e)
{
	int64_t t_us = x->l.event.t_us;
	int len = e ? cs_log_estimate(NULL, 0, t_us, e) : 0;

	r->line = x->number;
	r->log = strdup(x->text);
	if (e)
		r->engine = malloc((size_t)len + 1);
	if (!r->log || (e && !r->engine))
		return -ENOMEM;
	if (!e)
		return 0;
	cs_log_estimate(r->engine, (size_t)len + 1, t_us, e);
	r->engine[len - 1] = '\0';
	return 0;
}

/* Does line @x say @e?  1, 0, -ENOMEM. */
static int is_same(const struct cs_replay_line *x, const struct cs_estimate *e)
{
	int64_t t_us = x->l.event.t_us;
	int len = cs_log_estimate(NULL, 0, t_us, e), same;
	char *text = malloc((size_t)len + 1);

	if (!text)
		return -ENOMEM;
	cs_log_estimate(text, (size_t)len + 1, t_us, e);
	text[len - 1] = '\0';
	same = !strcmp(text, x->text);
	free(text);
	return same;
}

/* Begin the set of line @x. */
static int begin(struct cs_replay *r, const struct cs_replay_line *x,
		 struct cs_err *err)
{
	struct cs_err why = { "" };
	bool any;
	int rc;

	cs_estimator_drop(r->estimates); /* the writer dropped it, too */
	r->estimated = 0;
	rc = cs_estimator_begin(r->estimates, r->on.engine, x->l.of, &any,
				&why);
	if (rc && rc != -ENOMEM)
		return cs_err_set(err, -EINVAL, "line %llu: %s",
				  (unsigned long long)x->number, why.text);
	return rc ?: any ? 0 : differ(r, x, NULL);
}

/* Finish it: its estimates are there. */
static int finish(struct cs_replay *r)
{
	bool more = cs_estimator_works(r->estimates);
	int rc = 0;

	while (!rc && more)
		rc = cs_estimator_step(r->estimates, INT64_MAX, &more);
	return rc;
}

/* The next one that the log has, or NULL. */
static const struct cs_estimate *next(struct cs_replay *r)
{
	uint32_t n;
	const struct cs_estimate *made = cs_estimator_made(r->estimates, &n);

	while (r->estimated < n && !made[r->estimated].first)
		r->estimated++;
	return r->estimated < n ? &made[r->estimated] : NULL;
}

int cs_replay_estimate(struct cs_replay *r, const struct cs_replay_line *x,
		       struct cs_err *err)
{
	bool is_estimate = x->l.ev == CS_LOG_ESTIMATE;
	const struct cs_estimate *e;
	int rc;

	if (r->settings)
		return 0;
	if (!r->estimates)
		return is_estimate || x->l.ev == CS_LOG_ESTIMATES
			       ? differ(r, x, NULL)
			       : 0;
	rc = is_estimate ? finish(r) : 0;
	if (rc)
		return rc;
	e = next(r);
	if (!is_estimate && e)
		return differ(r, x, e);
	if (x->l.ev == CS_LOG_ESTIMATES)
		return begin(r, x, err);
	if (!is_estimate)
		return 0;
	rc = e ? is_same(x, e) : 0;
	if (!rc)
		return differ(r, x, e);
	r->estimated++;
	return rc < 0 ? rc : 0;
}
