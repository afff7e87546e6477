/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simlog.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/array.h"

#define LINE_FIRST 4096

static bool room(struct cs_simlog *l, size_t size)
{
	if (cs_array_room(&l->line, &l->size, size))
		l->rc = -ENOMEM;
	return !l->rc;
}

static bool ready(struct cs_simlog *l)
{
	return l->file && !l->rc && room(l, LINE_FIRST);
}

/* A line of @len was formatted, or would have been with more room: then true,
 * and it must be formatted again. */
static bool again(struct cs_simlog *l, int len)
{
	if (len < 0)
		l->rc = -EINVAL;
	else if ((size_t)len >= l->size)
		return room(l, 2 * (size_t)len + 1);
	else if (fwrite(l->line, 1, (size_t)len, l->file) != (size_t)len)
		l->rc = errno ? -errno : -EIO;
	return false;
}

void cs_simlog_header(struct cs_simlog *l, const struct cs_machine *m,
		      const struct cs_params *p,
		      const struct cs_profiles *profiles, const char *version)
{
	while (ready(l) && again(l, cs_log_header(l->line, l->size, m, p,
						  (enum cs_mode)p->mode, NULL,
						  profiles, 0, NULL, version)))
		;
}

void cs_simlog_event(struct cs_simlog *l, const struct cs_event *ev,
		     const struct cs_action *action)
{
	while (ready(l) &&
	       again(l, cs_log_event(l->line, l->size, l->engine, ev, action)))
		;
}

void cs_simlog_decide(struct cs_simlog *l, int64_t now_us, size_t actions)
{
	while (ready(l) && again(l, cs_log_decide(l->line, l->size, now_us,
						  actions, 0, NULL, 0)))
		;
}

void cs_simlog_action(struct cs_simlog *l, int64_t now_us,
		      const struct cs_action *action)
{
	while (ready(l) &&
	       again(l, cs_log_action(l->line, l->size, now_us, action, false)))
		;
}

void cs_simlog_estimates(struct cs_simlog *l, int64_t now_us)
{
	while (ready(l) &&
	       again(l, cs_log_estimates_begin(l->line, l->size, now_us,
					       CS_ESTIMATE_NEW)))
		;
}

void cs_simlog_estimate(struct cs_simlog *l, const struct cs_estimate *x)
{
	while (ready(l) &&
	       again(l, cs_log_estimate(l->line, l->size, x->at_us, x)))
		;
}

int cs_simlog_done(struct cs_simlog *l)
{
	free(l->line);
	l->line = NULL;
	l->size = 0;
	return l->rc;
}
