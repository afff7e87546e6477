/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a job waits, or with whom it shares and what that costs.
 *
 * The answers are made of what the last pass wrote down (cs_verdict) and, for
 * partners, of the same tests that the pass uses (match.c, join.c).  Of several
 * partitions the first is looked at.  How much room there is, and whether it is
 * room or the head that keeps a job behind a head waiting, is looked up when
 * somebody asks.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "join.h"
#include "pass.h"

#define PARTNERS_MAX 20 /* refused partners that are named */

/* Text that grows past its buffer like snprintf's. */
struct text {
	char *buf;
	size_t size, len;
	const struct cs_audience *to;
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

/* Job @id as who asks may know it; false: nothing but that it is there. */
static bool say_job(struct text *t, uint32_t id)
{
	char name[64];
	bool all = true;

	snprintf(name, sizeof(name), "job %u", id);
	if (t->to)
		all = t->to->name(t->to->arg, id, name, sizeof(name));
	say(t, "%s", name);
	return all;
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

static void say_nodes(struct text *t, const struct cs_verdict *v)
{
	say(t, "needs %u node%s, %u free", v->nodes, v->nodes == 1 ? "" : "s",
	    v->room);
}

static void say_head(struct text *t, const struct cs_engine *e,
		     const struct cs_verdict *v, bool when)
{
	say(t, "first in the queue, ");
	say_nodes(t, v);
	if (!when)
		return;
	say(t, "; starts in ");
	say_time(t, v->start_us - e->now_us);
	say(t, " at the latest");
}

/* The head that @j behind it must not delay; 0: it is gone. */
static uint32_t head_of(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t option)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const struct cs_promises *h = &cs_vm_of(e, j)->heads;

	for (size_t i = 0; i < h->n; i++)
		if (cs_sets_meet(h->promise[i].nodes, set,
				 cs_node_words(e->machine)))
			return h->promise[i].job_id;
	return 0;
}

/* What room there is for a job now: is it enough? */
static bool look_for_room(const struct cs_engine *e, const struct cs_ejob *j,
			  const struct cs_shape *s, struct cs_verdict *v)
{
	const struct cs_occ *now = &cs_vm_of(e, j)->now;

	cs_pass_nodes(e, j, v->option, e->now_us, j->job.estimate_us, e->mask);
	/* in a slice of others: what they leave */
	for (uint32_t w = 0; e->n_vm > 1 && e->slices.class != j->class &&
			     w < cs_node_words(e->machine);
	     w++)
		e->mask[w] &= e->slices.usable[j->class][w];
	v->nodes = s->nodes;
	v->room = cs_layout_count(now, s, e->mask, NULL);
	return cs_layout_fits(now, s, e->mask);
}

/* What a job behind a head waits for. */
static void look_behind(const struct cs_engine *e, const struct cs_ejob *j,
			struct cs_verdict *v)
{
	struct cs_shape s;

	v->why = CS_WHY_NEVER;
	if (!cs_alone_shape(e, j, v->option, &s))
		return;
	v->why = look_for_room(e, j, &s, v) ? CS_WHY_DELAYS : CS_WHY_NO_ROOM;
	v->head = head_of(e, j, v->option);
}

static struct cs_verdict verdict_of(const struct cs_engine *e,
				    struct cs_ejob *j)
{
	struct cs_verdict v = j->verdict;
	struct cs_shape s;

	if (cs_pass_why(e, j) == CS_WHY_NEW) {
		v = (struct cs_verdict){ .start_us = CS_TIME_NONE };
		if (cs_vm_of(e, j)->cut) /* the pass did not need to see it */
			v.why = CS_WHY_BEHIND;
	}
	if (v.why == CS_WHY_BEHIND) {
		struct cs_entry entry = { j, v.option };

		v.why = cs_pass_why_not(e, &entry);
		if (v.why == CS_WHY_NEW)
			look_behind(e, j, &v);
	} else if (v.why == CS_WHY_HEAD && cs_alone_shape(e, j, v.option, &s)) {
		look_for_room(e, j, &s, &v);
	}
	return v;
}

/* The verdict of the last pass, without the job's name; @when: with times from
 * now, which a text that stays must not hold. */
static void say_verdict(struct text *t, const struct cs_engine *e,
			struct cs_ejob *j, bool when)
{
	const struct cs_verdict is = verdict_of(e, j), *v = &is;

	switch (v->why) {
	case CS_WHY_NEW:
	case CS_WHY_BEHIND: /* was looked up */
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
		say_head(t, e, v, when);
		break;
	case CS_WHY_PLANNED:
		say(t, "planned on %u node%s", v->nodes,
		    v->nodes == 1 ? "" : "s");
		if (when) {
			say(t, "; starts in ");
			say_time(t, v->start_us - e->now_us);
			say(t, " at the latest");
		}
		break;
	case CS_WHY_NO_ROOM:
		say(t, "behind ");
		say_job(t, v->head);
		say(t, ", ");
		say_nodes(t, v);
		break;
	case CS_WHY_DELAYS:
		say(t, "there is room, but ");
		say_job(t, v->head);
		say(t, " would start later");
		break;
	case CS_WHY_DEPTH:
		say(t, "further down the queue than depth");
		break;
	case CS_WHY_VIRTUAL:
		say(t, "the campaign of its user before it has not ended in "
		       "the virtual schedule");
		break;
	case CS_WHY_ROUND:
		say(t, "its turn comes in this moment's next round");
		break;
	}
}

int cs_engine_reason(const struct cs_engine *e, uint32_t job_id,
		     const struct cs_audience *to, char *buf, size_t size)
{
	struct cs_ejob *j = cs_engine_job(e, job_id);
	struct text t = { buf, size, 0, to };

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
	struct cs_ejob *j = cs_engine_job(e, job_id);

	return j && j->state == CS_WAITING &&
	       verdict_of(e, j).why == CS_WHY_NEVER;
}

bool cs_engine_could_run(const struct cs_engine *e, uint32_t job_id)
{
	const struct cs_ejob *j = cs_engine_job(e, job_id);
	bool could = !j;

	for (uint32_t i = 0; j && !could && i < j->job.n_option; i++)
		could = cs_job_flags(j, i) & CS_JOB_HOST ||
			cs_alone_ever(e, j, i);
	return could;
}

/* Could waiting @j share nodes with @x as for its own layout and limit? */
static enum cs_match could_share(const struct cs_engine *e,
				 const struct cs_ejob *j,
				 const struct cs_ejob *x)
{
	const struct cs_job_option *o = &j->job.option[0];
	const struct cs_node *like = e->nodeset_node[o->nodeset];
	struct cs_who other = cs_who_is(x);
	double cos = cs_slowdown_beside(&e->model, cs_who_is(j), &other, 1);
	struct cs_shape s;
	double f;

	if (!like || !cs_shape_shared(&s, &j->job, like,
				      (uint32_t)e->params.jobs_per_node))
		return CS_MATCH_LAYOUT;
	f = cs_progress_factor(e, j, s.quota, like, cos);
	return f > 1 && cs_stretch_us(j->job.estimate_us, f) > o->limit_max_us
		       ? CS_MATCH_LIMIT
		       : CS_MATCH_OK;
}

/* Would @x, running or waiting, do as a partner of waiting @j? */
static enum cs_match partner(const struct cs_engine *e, struct cs_ejob *j,
			     struct cs_ejob *x)
{
	struct cs_entry entry = { j, 0 };
	struct cs_join way;
	enum cs_match m;
	bool nomem;

	if (x->state != CS_WAITING && x->state != CS_SUSPENDED && x->alloc &&
	    !x->placed_by_host) {
		m = cs_join_try(e, &entry, x,
				j->job.procs == 1 && x->job.procs == 1, &way,
				&nomem);
		cs_alloc_free(way.alloc);
		return m;
	}
	m = cs_match_pair(e, j, 0, x, x->alloc ? x->option : 0);
	if (m == CS_MATCH_OK && x->state != CS_WAITING)
		m = CS_MATCH_ROOM;
	if (m == CS_MATCH_OK)
		m = could_share(e, j, x);
	return m == CS_MATCH_OK ? could_share(e, x, j) : m;
}

/*
 * Does the pass come to running @x when it looks for a partner of @j?  Of those
 * that suit it tries running_prim_num, the least delayed first; serial ones
 * all.
 */
static bool comes_to(const struct cs_engine *e, struct cs_ejob *j,
		     const struct cs_ejob *x)
{
	struct cs_entry entry = { j, 0 };
	int64_t most = e->params.running_prim_num, tried = 0;
	struct cs_ejob **all;
	size_t n = 0, i = 0;

	if (x->state == CS_WAITING || !most ||
	    (j->job.procs == 1 && x->job.procs == 1))
		return true;
	all = cs_join_candidates(e, &n);
	for (; all && i < n && all[i] != x && tried < most; i++)
		tried += cs_join_suits(e, &entry, all[i], false) == CS_MATCH_OK;
	free(all);
	return tried < most;
}

/* Why @x would not do as a partner of @j; or that it would. */
static void say_partner(struct text *t, const struct cs_engine *e,
			struct cs_ejob *j, struct cs_ejob *x)
{
	enum cs_match m = partner(e, j, x);
	struct cs_who it = cs_who_is(j), other = cs_who_is(x);
	double of_j = cs_slowdown_beside(&e->model, it, &other, 1);
	double of_x = cs_slowdown_beside(&e->model, other, &it, 1);
	bool all;

	say(t, "  beside ");
	all = say_job(t, x->job.id);
	say(t, " (%s%s%s): %s", all ? profile_name(e, x) : "", all ? ", " : "",
	    x->state == CS_WAITING ? "waiting" : "running", cs_match_text(m));
	if (m == CS_MATCH_OK && !comes_to(e, j, x))
		say(t, ", but behind the first %" PRId64
		       " (running_prim_num) that are tried",
		    e->params.running_prim_num);
	if (all && (m == CS_MATCH_SLOWDOWN || m == CS_MATCH_OK ||
		    m == CS_MATCH_UNKNOWN))
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
			 struct cs_ejob *j, const struct cs_list *l,
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

static void say_in(struct text *t, const struct cs_engine *e, const char *what,
		   int64_t at_us)
{
	bool past = at_us <= e->now_us;

	say(t, "%s%s", what, past ? "was " : "in ");
	if (at_us == CS_TIME_NONE)
		say(t, "unknown time");
	else
		say_time(t, past ? e->now_us - at_us : at_us - e->now_us);
	say(t, "%s", past ? " ago" : "");
}

/* Where its campaign stands in the virtual schedule, and what that promises. */
static void say_campaign(struct text *t, const struct cs_engine *e,
			 const struct cs_ejob *j)
{
	struct cs_campaign_view v;
	uint32_t k = cs_engine_active_users(e);

	if (cs_engine_campaign(e, j->job.id, &v))
		return;
	say(t, "  campaign %u of %s", v.number, v.user);
	if (*v.name)
		say(t, " (%s)", v.name);
	say(t, ": rank %u, %u waiting and %u running; %u user%s active", v.rank,
	    v.waiting, v.running, k, k == 1 ? " is" : "s are");
	if (v.share > 0)
		say(t, ", his share is %.1f %%", v.share * 100);
	say(t, "\n  ");
	if (!v.began)
		say(t, "it begins virtually when the one before it has ended, ");
	say_in(t, e, "its virtual end ", v.projected_us);
	if (!v.ended)
		say_in(t, e, " with the users of now, if nobody comes ",
		       v.ended_us);
	say_in(t, e, "\n  if no further user comes, its last job's end at the "
		     "latest is ",
	       v.bound_us);
	say(t, "%s\n", j->job.procs > 1 ? " (indicative: it is no serial job)"
					: "");
}

static void say_waiting(struct text *t, const struct cs_engine *e,
			struct cs_ejob *j)
{
	enum cs_match willing = cs_match_willing(e, j, 0);

	say_job(t, j->job.id);
	say(t, " (%s) waits: ", profile_name(e, j));
	say_verdict(t, e, j, true);
	say(t, "\n");
	say_campaign(t, e, j);
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

/* The others of its group, and what it costs them. */
static void say_group(struct text *t, const struct cs_engine *e,
		      const struct cs_ejob *j)
{
	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *x = e->started.job[i];
		bool all;

		if (x == j || !j->group || x->group != j->group)
			continue;
		say(t, "  shares with ");
		all = say_job(t, x->job.id);
		if (all)
			say(t, " (%s)", profile_name(e, x));
		say(t, ", which sharing slows down by %.2f\n", x->cos);
	}
}

static void say_started(struct text *t, const struct cs_engine *e,
			const struct cs_ejob *j)
{
	struct cs_ejob at = *j;

	cs_progress_bring(&at, e->now_us);
	say_job(t, j->job.id);
	say(t, " (%s) %s on %u node%s", profile_name(e, j),
	    j->state == CS_SUSPENDED ? "is suspended" : "runs",
	    j->alloc ? j->alloc->n_node : 0,
	    j->alloc && j->alloc->n_node == 1 ? "" : "s");
	if (j->group)
		say(t, ", group %u, %s", j->group,
		    j->role == CS_ROLE_PRIMARY ? "primary" : "matched");
	say(t, "\n  time lost to sharing so far ");
	say_time(t, at.ran_us - at.done_us);
	say(t, ", slowdown by sharing %.2f, against its time limit %.2f, ends in ",
	    j->cos, j->factor);
	say_time(t, cs_progress_end_us(e, j) - e->now_us);
	say(t, " by the model\n");
	say_group(t, e, j);
}

int cs_engine_explain(const struct cs_engine *e, uint32_t job_id,
		      const struct cs_audience *to, char *buf, size_t size)
{
	struct cs_ejob *j = cs_engine_job(e, job_id);
	struct text t = { buf, size, 0, to };

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
