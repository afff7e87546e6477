/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/replay_line.h"

#include <stdlib.h>

#include "common/log/write_line.h"

/* What to write: an event, or the action itself. */
struct said {
	const struct cs_event *ev; /* NULL: the action itself */
	int64_t t_us;
	const struct cs_action *action;
	bool would;
};

static int format(const struct said *s, char *buf, size_t size)
{
	return s->ev ? cs_log_event(buf, size, NULL, s->ev, s->action)
		     : cs_log_action(buf, size, s->t_us, s->action, s->would);
}

static char *text_of(const struct said *s)
{
	int len = format(s, NULL, 0);
	char *buf = malloc((size_t)len + 1);

	if (!buf)
		return NULL;
	format(s, buf, (size_t)len + 1);
	buf[len - 1] = '\0';
	return buf;
}

/* The start event if the host did as proposed. */
static struct cs_started started(const struct cs_replay_line *x,
				 const struct cs_replay_event *fact,
				 int64_t t_us, const struct cs_action *a)
{
	bool real = x && x->l.ev == CS_LOG_START;
	struct cs_started s = { .job_id = a->job_id,
				.start_us = t_us,
				.limit_us = a->limit_us ? a->limit_us
							: CS_TIME_NONE };

	if (real)
		s = fact->start;
	if (real && s.array_id)
		s.array_id = a->job_id;
	else
		s.job_id = a->job_id;
	s.seq = a->seq;
	s.option = a->option;
	/* what it got comes from the log if it differs from the proposal */
	if (!real || (a->type == CS_ACT_START &&
		      !json_object_object_get_ex(x->l.json, "planned", NULL)))
		s.alloc = a->alloc;
	return s;
}

static bool is_start(const struct cs_action *a)
{
	return a->type == CS_ACT_START || a->type == CS_ACT_HOST_START;
}

char *cs_replay_say(const struct cs_replay_line *x,
		    const struct cs_replay_event *fact, int64_t t_us,
		    const struct cs_action *a, bool would)
{
	struct cs_started start;
	struct cs_event ev = { .type = CS_EV_TICK, .t_us = t_us };
	struct said s = { NULL, t_us, a, would };

	if (would)
		return text_of(&s);
	if (x && x->l.ev == CS_LOG_REFUSE && a->seq) {
		ev = fact->ev;
		ev.refused.seq = a->seq;
		s.ev = &ev;
	} else if (is_start(a)) {
		start = started(x, fact, t_us, a);
		ev.type = CS_EV_STARTED;
		ev.start = &start;
		s.ev = &ev;
	} else if (a->type == CS_ACT_SUSPEND || a->type == CS_ACT_RESUME) {
		ev.type = a->type == CS_ACT_SUSPEND ? CS_EV_SUSPEND
						    : CS_EV_RESUME;
		ev.job_id = a->job_id;
		s.ev = &ev;
	}
	return text_of(&s);
}
