/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a job waits, or with whom it shares and what that costs.
 *
 * The answers are made of what the last pass wrote down (cs_verdict) and, for
 * partners, of the same tests that the pass uses (match.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "state.h"

#define PARTNERS_MAX 20 /* refused partners that are named */

/* Text that grows past its buffer like snprintf's. */
struct text {
	char *buf;
	size_t size, len;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *t,
						       const char *fmt, ...)
{
	size_t room = t->len < t->size ? t->size - t->len : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? t->buf + t->len : NULL, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->len += (size_t)n;
}

/* @us as hours:minutes:seconds, rounded up. */
static void say_time(struct text *t, int64_t us)
{
	int64_t s = us > 0 ? (us + 999999) / 1000000 : 0;

	say(t, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60),
	    (int)(s % 60));
}

static const char *profile_name(const struct cs_engine *e,
				const struct cs_ejob *j)
{
	return j->profile == CS_PROFILE_NONE
		       ? "no profile"
		       : e->profiles->profile[j->profile].name;
}

/* The verdict of the last pass, without the job's name; @when: with times from
 * now, which a text that stays must not hold. */
static void say_verdict(struct text *t, const struct cs_engine *e,
			const struct cs_ejob *j, bool when)
{
	const struct cs_verdict *v = &j->verdict;

	switch (v->why) {
	case CS_WHY_NEW:
		say(t, "not looked at yet");
		break;
	case CS_WHY_BLOCKED:
		say(t, "kept back by Slurm (hold, dependency, limit, licence)");
		break;
	case CS_WHY_BEGIN:
		say(t, "its begin time has not come");
		if (when) {
			say(t, ": it may start in ");
			say_time(t, j->job.eligible_us - e->now_us);
		}
		break;
	case CS_WHY_REFUSED:
		say(t, "Slurm refused its start: %s",
		    *j->refused ? j->refused : "no reason given");
		break;
	case CS_WHY_NEVER:
		say(t, "no set of nodes that are up can hold it");
		break;
	case CS_WHY_HEAD:
		say(t, "first in the queue, needs %u nodes, %u free", v->nodes,
		    v->room);
		if (when) {
			say(t, "; starts in ");
			say_time(t, v->start_us - e->now_us);
			say(t, " at the latest");
		}
		break;
	case CS_WHY_NO_ROOM:
		say(t, "behind job %u, needs %u nodes, %u free", v->head,
		    v->nodes, v->room);
		break;
	case CS_WHY_DELAYS:
		say(t, "there is room, but job %u would start later", v->head);
		break;
	case CS_WHY_DEPTH:
		say(t, "further down the queue than depth");
		break;
	case CS_WHY_ROUND:
		say(t, "its turn comes in this moment's next round");
		break;
	}
}

int cs_engine_reason(const struct cs_engine *e, uint32_t job_id, char *buf,
		     size_t size)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	struct text t = { buf, size, 0 };

	if (!j)
		return -ENOENT;
	if (size)
		*buf = 0;
	if (j->state == CS_WAITING)
		say_verdict(&t, e, j, false);
	return (int)t.len;
}

bool cs_engine_never(const struct cs_engine *e, uint32_t job_id)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);

	return j && j->state == CS_WAITING && j->verdict.why == CS_WHY_NEVER;
}

/* Why @x would not do as a partner of @j; or that it would. */
static void say_partner(struct text *t, const struct cs_engine *e,
			const struct cs_ejob *j, const struct cs_ejob *x)
{
	enum cs_match m = cs_match_pair(e, j, 0, x, x->alloc ? x->option : 0);
	double of_j = cs_slowdown_beside(&e->model, j->profile, &x->profile, 1);
	double of_x = cs_slowdown_beside(&e->model, x->profile, &j->profile, 1);

	if (m == CS_MATCH_OK && x->group && e->params.jobs_per_node == 2)
		m = CS_MATCH_GROUP;
	say(t, "  beside job %u (%s, %s): %s", x->job.id, profile_name(e, x),
	    x->state == CS_WAITING ? "waiting" : "running", cs_match_text(m));
	if (m == CS_MATCH_SLOWDOWN || m == CS_MATCH_OK || m == CS_MATCH_UNKNOWN)
		say(t, "; it would suffer %.2f, cause %.2f, allowed %.2f", of_j,
		    of_x, e->params.max_slowdown);
	say(t, "\n");
}

static int by_job(const void *x, const void *y)
{
	return cs_ejob_cmp(*(struct cs_ejob *const *)x,
			   *(struct cs_ejob *const *)y);
}

/* Up to @most of a list, by id. */
static void say_partners(struct text *t, const struct cs_engine *e,
			 const struct cs_ejob *j, const struct cs_list *l,
			 size_t most)
{
	struct cs_ejob **all = calloc(l->n + 1, sizeof(struct cs_ejob *));
	size_t n = 0, said = 0;

	if (!all)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (l->job[i] != j && l->job[i]->job.id)
			all[n++] = l->job[i];
	qsort(all, n, sizeof(struct cs_ejob *), by_job);
	for (; said < n && said < most; said++)
		say_partner(t, e, j, all[said]);
	if (said < n)
		say(t, "  and %zu more\n", n - said);
	free(all);
}

static void say_waiting(struct text *t, const struct cs_engine *e,
			const struct cs_ejob *j)
{
	enum cs_match willing = cs_match_willing(e, j, 0);

	say(t, "job %u (%s) waits: ", j->job.id, profile_name(e, j));
	say_verdict(t, e, j, true);
	say(t, "\n");
	if (e->params.place != CS_PLACE_PAIR_FIRST &&
	    e->params.place != CS_PLACE_PAIR_BEST)
		return;
	if (willing != CS_MATCH_OK) {
		say(t, "  shares with nobody: %s\n", cs_match_text(willing));
		return;
	}
	say_partners(t, e, j, &e->started, PARTNERS_MAX);
	say_partners(t, e, j, &e->waiting, PARTNERS_MAX);
}

static void say_started(struct text *t, const struct cs_engine *e,
			const struct cs_ejob *j)
{
	struct cs_ejob at = *j;

	cs_progress_bring(&at, e->now_us);
	say(t, "job %u (%s) %s on %u nodes", j->job.id, profile_name(e, j),
	    j->state == CS_SUSPENDED ? "is suspended" : "runs",
	    j->alloc ? j->alloc->n_node : 0);
	if (j->group)
		say(t, ", group %u, %s, with job %u", j->group,
		    j->role == CS_ROLE_PRIMARY ? "primary" : "matched",
		    j->with);
	say(t, "\n  time lost to sharing so far ");
	say_time(t, at.ran_us - at.done_us);
	say(t, ", slowdown %.2f (beside others %.2f), ends in ", j->factor,
	    j->cos);
	say_time(t, cs_progress_end_us(e, j) - e->now_us);
	say(t, " by the model\n");
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *x = e->started.job[i];

		if (x != j && j->group && x->group == j->group)
			say(t, "  shares with job %u (%s), slowdown %.2f\n",
			    x->job.id, profile_name(e, x), x->factor);
	}
}

int cs_engine_explain(const struct cs_engine *e, uint32_t job_id, char *buf,
		      size_t size)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	struct text t = { buf, size, 0 };

	if (!j)
		return -ENOENT;
	if (size)
		*buf = 0;
	if (j->state == CS_WAITING)
		say_waiting(&t, e, j);
	else
		say_started(&t, e, j);
	return (int)t.len;
}
