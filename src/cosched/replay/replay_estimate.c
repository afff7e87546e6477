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
	int len = e ? cs_log_estimate(NULL, 0, e) : 0;

	r->line = x->number;
	r->log = strdup(x->text);
	if (e)
		r->engine = malloc((size_t)len + 1);
	if (!r->log || (e && !r->engine))
		return -ENOMEM;
	if (!e)
		return 0;
	cs_log_estimate(r->engine, (size_t)len + 1, e);
	r->engine[len - 1] = '\0';
	return 0;
}

/* Does line @x say @e?  1, 0, -ENOMEM. */
static int is_same(const struct cs_replay_line *x, const struct cs_estimate *e)
{
	int len = cs_log_estimate(NULL, 0, e), same;
	char *text = malloc((size_t)len + 1);

	if (!text)
		return -ENOMEM;
	cs_log_estimate(text, (size_t)len + 1, e);
	text[len - 1] = '\0';
	same = !strcmp(text, x->text);
	free(text);
	return same;
}

static int make(struct cs_replay *r, const struct cs_replay_line *x,
		struct cs_err *err)
{
	struct cs_err why = { "" };
	bool more;
	int rc = cs_estimator_begin(r->estimates, r->on.engine, &more, &why);

	r->estimated = 0;
	while (!rc && more)
		rc = cs_estimator_step(r->estimates, INT64_MAX, &more);
	if (rc && rc != -ENOMEM)
		return cs_err_set(err, -EINVAL, "line %llu: %s",
				  (unsigned long long)x->number, why.text);
	return rc;
}

int cs_replay_estimate(struct cs_replay *r, const struct cs_replay_line *x,
		       struct cs_err *err)
{
	bool is_estimate = x->l.ev == CS_LOG_ESTIMATE;
	const struct cs_estimate *made;
	uint32_t n;
	int rc = 0;

	if (!r->estimates)
		return is_estimate && !r->settings ? differ(r, x, NULL) : 0;
	made = cs_estimator_made(r->estimates, &n);
	if (!is_estimate)
		return r->estimated < n ? differ(r, x, &made[r->estimated]) : 0;
	if (r->estimated == n) {
		rc = make(r, x, err);
		made = cs_estimator_made(r->estimates, &n);
	}
	if (rc)
		return rc;
	if (r->estimated == n)
		return differ(r, x, NULL);
	rc = is_same(x, &made[r->estimated]);
	if (!rc)
		return differ(r, x, &made[r->estimated]);
	r->estimated++;
	return rc < 0 ? rc : 0;
}
