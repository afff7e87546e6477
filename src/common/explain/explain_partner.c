/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explain: which jobs a job shares with, or might.
 *
 * Partners are tested as the pass does it (match.c, join.c).  In a line about two jobs,
 * `this job` is the one explained and `it` the other.  A reader who may know of the
 * other only that it exists sees none of its figures, nor its profile, nor why it does
 * not share.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "explain/explain.h"
#include "job/eligible.h"
#include "job/lesson.h"
#include "job/match.h"
#include "job/progress.h"
#include "place/join.h"
#include "place/joinable.h"
#include "state/pass.h"
#include "job/resv.h"

/* The result for a pair. */
struct verdict {
	enum cs_match match;
	const char *whose; /* LAYOUT, LIMIT: "this job's", "its", "a" */
	bool third;	   /* another job on its nodes is the reason */
	double gain;	   /* GAIN */
};

/* Could @j share nodes with @x, by its own layout and limit?  *ret_cores: cores of a
 * node that it then takes. */
static enum cs_match could_share(const struct cs_engine *e,
				 const struct cs_ejob *j,
				 const struct cs_ejob *x, uint32_t *ret_cores)
{
	const struct cs_job_partition *o = &j->job.option[0];
	const struct cs_node *like = cs_engine_like(e, o);
	struct cs_who other = cs_who_is(x);
	double cos = cs_slowdown_beside(&e->model, cs_who_is(j), &other, 1);
	struct cs_shape s;
	double f;

	if (!like || !cs_match_part(e, j, 0, like, &s))
		return CS_MATCH_LAYOUT;
	*ret_cores = cs_shape_cores(&s, like, s.quota);
	f = cs_progress_factor(e, j, s.quota, like, cos);
	return f > 1 && cs_stretch_us(j->job.estimate_us, f) > o->limit_max_us
		       ? CS_MATCH_LIMIT
		       : CS_MATCH_OK;
}

/* Would waiting @x suit waiting @j as a partner, by layouts and limits? */
static struct verdict together(const struct cs_engine *e,
			       const struct cs_ejob *j, const struct cs_ejob *x)
{
	const struct cs_node *like = cs_engine_like(e, &j->job.option[0]);
	struct verdict v = { .whose = "this job's" };
	uint32_t mine = 0, its = 0;

	v.match = could_share(e, j, x, &mine);
	if (v.match != CS_MATCH_OK)
		return v;
	v.whose = "its";
	v.match = could_share(e, x, j, &its);
	if (v.match == CS_MATCH_OK && mine + its > cs_node_cores(like)) {
		v.match = CS_MATCH_LAYOUT;
		v.whose = mine > its ? "this job's" : "its";
	}
	return v;
}

/* Would started @x, which has exact cores, suit @j as a partner? */
static struct verdict beside(const struct cs_engine *e, struct cs_ejob *j,
			     struct cs_ejob *x)
{
	struct cs_entry entry = { j, 0 };
	struct verdict v = { .whose = "this job's" };
	struct cs_join way;
	bool nomem;

	v.match = cs_join_try(e, &entry, x,
			      j->job.procs == 1 && x->job.procs == 1, &way,
			      &nomem);
	cs_alloc_free(way.alloc);
	if (v.match == CS_MATCH_OK && way.gain < e->params.min_util_gain)
		v.match = CS_MATCH_GAIN;
	if (v.match == CS_MATCH_LIMIT)
		v.whose = "a"; /* either's, or a third job's */
	v.third = v.match != CS_MATCH_OK && v.match <= CS_MATCH_SLOWDOWN &&
		  cs_match_pair(e, j, 0, x, x->option) == CS_MATCH_OK;
	v.gain = way.gain;
	return v;
}

/* Would @x, running or waiting, suit waiting @j as a partner? */
static struct verdict judge(const struct cs_engine *e, struct cs_ejob *j,
			    struct cs_ejob *x)
{
	struct verdict v = { .match = CS_MATCH_UNWILLING };

	if (x->state != CS_WAITING && x->state != CS_SUSPENDED && x->alloc &&
	    !x->placed_by_host)
		return beside(e, j, x);
	v.match = cs_match_pair(e, j, 0, x, x->alloc ? x->option : 0);
	if (v.match != CS_MATCH_OK)
		return v;
	if (x->state == CS_WAITING)
		return together(e, j, x);
	v.match = CS_MATCH_ROOM;
	return v;
}

/*
 * Does the pass reach running @x when it looks for a partner of @j?  Of those that suit
 * it tries running_prim_num, the least delayed first; of serial jobs all.
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

/* Why @j shares with no job, in that partition; what its owner can change comes
 * first. */
static void say_unwilling(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j, uint32_t option)
{
	const struct cs_job_partition *o = &j->job.option[option];
	uint32_t flags = cs_job_flags(j, option);

	if (flags & CS_JOB_HOST || j->placed_by_host)
		cs_put(t, "it asks for what only Slurm itself can place (GRES, "
			  "licenses, topology and the like)");
	else if (flags & CS_JOB_EXCLUSIVE)
		cs_put(t, "it or its partition asks for whole nodes "
			  "(--exclusive)");
	else if (j->job.flags & CS_JOB_NO_SHARE)
		cs_put(t, "its comment says share=no");
	else if (o->limit_max_us < j->job.estimate_us)
		cs_put(t, "without -t its limit in this partition is below "
			  "that in another of its partitions");
	else if (flags & CS_JOB_NO_SHARE)
		cs_put(t, "its partition is not among share_partitions");
	else if (cs_resv_within_cores(e, j, option))
		cs_put(t, "its reservation is one of cores, where jobs are "
			  "packed");
	else
		cs_put(t, "it is packed by core");
}

/* Which of the two has no profile? */
static void say_unknown(struct cs_text *t, const struct cs_ejob *j,
			const struct cs_ejob *x)
{
	bool own = j->profile == CS_PROFILE_NONE;
	bool its = x->profile == CS_PROFILE_NONE;

	cs_put(t, "%s profile",
	       own && its ? "neither has a"
	       : own	  ? "this job has no"
			  : "it has no");
}

static void say_slowdowns(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j, const struct cs_ejob *x)
{
	struct cs_who it = cs_who_is(j), other = cs_who_is(x);
	double of_j = cs_slowdown_beside(&e->model, it, &other, 1);
	double of_x = cs_slowdown_beside(&e->model, other, &it, 1);
	struct cs_slowdown known = e->model;
	bool guess;

	known.unknown_pair = e->model.unknown_pair + 1;
	guess = cs_slowdown_beside(&known, it, &other, 1) > of_j ||
		cs_slowdown_beside(&known, other, &it, 1) > of_x;
	cs_put(t, "; slowdown %.2f, its %.2f, at most %.2f%s", of_j, of_x,
	       e->params.max_slowdown,
	       guess ? " (not in the profile file: unknown_pair)" : "");
}

/* What was learned of the pair; said in both modes that learn. */
static void say_learned(struct cs_text *t, const struct cs_engine *e,
			const struct cs_ejob *j, const struct cs_ejob *x)
{
	double of_j = cs_lesson_bound(e, j, x), of_x = cs_lesson_bound(e, x, j);

	if (!j->kind || !x->kind)
		return;
	if (of_j <= 0 || of_x <= 0)
		cs_put(t, "; not learned yet: too few pairs have met");
	else
		cs_put(t,
		       "; learned: at most %.2f (%" PRIu32
		       " runs), its %.2f (%" PRIu32 " runs), with %.0f %%",
		       of_j, cs_lesson_runs(e, j, x), of_x,
		       cs_lesson_runs(e, x, j), 100 * CS_ADMISSION_LEVEL);
	if (e->params.learn == CS_LEARN_PROPOSE)
		cs_put(t, ", which learn=propose does not use");
}

static void say_scope(struct cs_text *t, const struct cs_engine *e)
{
	bool user = e->params.share_scope == CS_SCOPE_USER;

	cs_put(t, "of another %s (share_scope=%s)", user ? "user" : "account",
	       user ? "user" : "account");
}

static void say_suitable(struct cs_text *t, const struct cs_engine *e,
			 struct cs_ejob *x)
{
	const struct cs_entry entry = { x, 0 };

	if (x->state != CS_WAITING)
		cs_put(t, "suitable if no promise to another job suffers");
	else if (cs_eligible_why_not(e, &entry) == CS_WHY_NEW)
		cs_put(t, "suitable if both fit and the gain is enough");
	else
		cs_put(t, "suitable, but it may not start itself now");
}

/* Verdicts of layout, limit and room. */
static void say_unfit(struct cs_text *t, const struct cs_ejob *x,
		      struct verdict v)
{
	switch (v.match) {
	case CS_MATCH_LIMIT:
		cs_put(t,
		       "%s time limit cannot be raised by the slowdown "
		       "(partition, QOS or association)",
		       v.whose);
		break;
	case CS_MATCH_LAYOUT:
		cs_put(t,
		       "%s layout leaves no cores to a partner (-N, -n, "
		       "-c, --ntasks-per-node)",
		       v.whose);
		break;
	case CS_MATCH_SIZE:
		cs_put(t, "this job needs more nodes than it has, by more "
			  "than matched_larger allows");
		break;
	case CS_MATCH_ROOM:
		cs_put(t, x->state == CS_SUSPENDED
				  ? "suspended"
				  : "no room beside it (cores, memory, "
				    "jobs_per_node)");
		break;
	default:
		break;
	}
}

/* @all: the reader may know everything about @x. */
static void say_match(struct cs_text *t, const struct cs_engine *e,
		      const struct cs_ejob *j, struct cs_ejob *x,
		      struct verdict v, bool all)
{
	switch (v.match) {
	case CS_MATCH_OK:
		say_suitable(t, e, x);
		break;
	case CS_MATCH_UNWILLING:
		cs_put(t, "does not share");
		if (all) {
			cs_put(t, ": ");
			say_unwilling(t, e, x, x->alloc ? x->option : 0);
		}
		break;
	case CS_MATCH_SCOPE:
		say_scope(t, e);
		break;
	case CS_MATCH_SHORT:
		cs_put(t, "its time limit is below share_min_s, %" PRId64 " s",
		       e->params.share_min_s);
		break;
	case CS_MATCH_UNKNOWN:
		if (all)
			say_unknown(t, j, x);
		else
			cs_put(t, "one of the two has no profile");
		break;
	case CS_MATCH_SLOWDOWN:
		cs_put(t, "slowdown above max_slowdown");
		break;
	case CS_MATCH_GROUP:
		cs_put(t, "shares with another job already");
		break;
	case CS_MATCH_GAIN:
		cs_put(t, "the gain is below min_util_gain");
		if (all)
			cs_put(t, ": %.2f of %.2f", v.gain,
			       e->params.min_util_gain);
		break;
	default:
		say_unfit(t, x, v);
	}
}

static struct cs_text text_of(const struct cs_audience *to, char *buf,
			      size_t size)
{
	*buf = 0;
	return (struct cs_text){ { buf, size, 0 }, to };
}

/* Name it as far as the reader may know it. */
static bool introduce(const struct cs_engine *e, const struct cs_ejob *x,
		      const struct cs_audience *to, struct cs_partner *p)
{
	struct cs_text t = text_of(to, p->name, sizeof(p->name));
	bool all = cs_explain_put_job(&t, x->job.id);

	p->job_id = all ? x->job.id : 0;
	p->profile = all ? cs_explain_profile(e, x) : "";
	p->running = x->state != CS_WAITING;
	return all;
}

/* Waiting @j beside @x. */
static void look(const struct cs_engine *e, struct cs_ejob *j,
		 struct cs_ejob *x, const struct cs_audience *to,
		 struct cs_partner *p)
{
	struct cs_text t = text_of(to, p->why, sizeof(p->why));
	struct verdict v = judge(e, j, x);
	bool all = introduce(e, x, to, p);

	p->suits = v.match == CS_MATCH_OK && !v.third;
	if (v.third)
		cs_put(&t, "the two suit, but not with the others on its "
			   "nodes");
	else
		say_match(&t, e, j, x, v, all);
	if (v.match == CS_MATCH_OK && !comes_to(e, j, x)) {
		p->suits = false;
		cs_put(&t,
		       ", but behind the first %" PRId64
		       " (running_prim_num) that are tried",
		       e->params.running_prim_num);
	}
	if (all && !v.third &&
	    (v.match == CS_MATCH_SLOWDOWN || v.match == CS_MATCH_OK))
		say_slowdowns(&t, e, j, x);
	if (all)
		say_learned(&t, e, j, x);
}

static int by_job(const void *x, const void *y)
{
	return cs_ejob_cmp(*(struct cs_ejob *const *)x,
			   *(struct cs_ejob *const *)y);
}

/* Examine the jobs of a list, by id, into @ret; returns how many.  *ret_more did not
 * fit. */
static size_t look_at_all(const struct cs_engine *e, struct cs_ejob *j,
			  const struct cs_list *l, const struct cs_audience *to,
			  struct cs_partner *ret, size_t *ret_more)
{
	struct cs_ejob **all = calloc(l->n + 1, sizeof(struct cs_ejob *));
	size_t n = 0, there;

	*ret_more = 0;
	if (!all)
		return 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->job[i] != j && l->job[i]->job.id)
			all[n++] = l->job[i];
	qsort(all, n, sizeof(struct cs_ejob *), by_job);
	there = n < CS_PARTNERS_MAX ? n : CS_PARTNERS_MAX;
	for (size_t i = 0; i < there; i++)
		look(e, j, all[i], to, &ret[i]);
	*ret_more = n - there;
	free(all);
	return there;
}

static void say_partner(struct cs_text *t, const struct cs_partner *p)
{
	cs_put(t, "  beside %s (%s%s%s): %s\n", p->name, p->profile,
	       p->job_id ? ", " : "", p->running ? "running" : "waiting",
	       p->why);
}

static void say_all(struct cs_text *t, const struct cs_partner *p, size_t n,
		    size_t more, const char *what)
{
	for (size_t i = 0; i < n; i++)
		say_partner(t, &p[i]);
	if (more)
		cs_put(t, "  and %zu more %s job%s\n", more, what,
		       cs_plural(more));
}

/* First those that suit, then the others. */
static void say_few(struct cs_text *t, const struct cs_partner *p, size_t n,
		    size_t more)
{
	size_t said = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n && said < CS_PARTNERS_FEW; i++)
			if (p[i].suits == !pass) {
				say_partner(t, &p[i]);
				said++;
			}
	if (n + more > said)
		cs_put(t, "  and %zu more with -v\n", n + more - said);
}

static void say_partners(struct cs_text *t, const struct cs_engine *e,
			 struct cs_ejob *j)
{
	struct cs_partner *p = calloc(2 * CS_PARTNERS_MAX, sizeof(*p));
	size_t running, waiting, more, behind;

	if (!p)
		return;
	running = look_at_all(e, j, &e->started, t->to, p, &more);
	waiting = look_at_all(e, j, &e->waiting, t->to, p + running, &behind);
	if (t->to && t->to->few) {
		say_few(t, p, running + waiting, more + behind);
	} else {
		say_all(t, p, running, more, "running");
		say_all(t, p + running, waiting, behind, "waiting");
	}
	free(p);
}

void cs_explain_put_partners(struct cs_text *t, const struct cs_engine *e,
			     struct cs_ejob *j)
{
	enum cs_match m = cs_match_willing(e, j, 0);

	if (!e->place->shares)
		return;
	if (m == CS_MATCH_OK) {
		say_partners(t, e, j);
		return;
	}
	cs_put(t, "  shares with no job: ");
	if (m == CS_MATCH_UNKNOWN)
		cs_put(t,
		       "it has no profile (--comment=cosched:profile=NAME "
		       "gives it one)%s",
		       !e->model.learned ? ""
		       : j->kind	 ? ", and needs less than a node"
				 : ", and too few of its runs are known yet");
	else if (m == CS_MATCH_UNWILLING)
		say_unwilling(t, e, j, 0);
	else
		say_match(t, e, j, j, (struct verdict){ .match = m }, true);
	cs_put(t, "\n");
}

/* The other jobs of started @j's group into @ret, at most @max; returns how many there
 * are. */
static size_t look_at_group(const struct cs_engine *e, const struct cs_ejob *j,
			    const struct cs_audience *to,
			    struct cs_partner *ret, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *x = e->started.job[i];
		struct cs_partner unwanted, *p = &unwanted;
		struct cs_text t;

		if (x == j || !j->group || x->group != j->group)
			continue;
		if (n < max)
			p = &ret[n];
		n++;
		t = text_of(to, p->why, sizeof(p->why));
		introduce(e, x, to, p);
		p->suits = true;
		cs_put(&t, "takes %.2f times as long by sharing",
		       x->co_slowdown);
	}
	return n;
}

void cs_explain_put_group(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j)
{
	struct cs_partner *p = calloc(e->started.n + 1, sizeof(*p));
	size_t n = p ? look_at_group(e, j, t->to, p, e->started.n) : 0;

	for (size_t i = 0; i < n; i++)
		cs_put(t, "  shares with %s%s%s%s, which %s\n", p[i].name,
		       p[i].job_id ? " (" : "", p[i].profile,
		       p[i].job_id ? ")" : "", p[i].why);
	free(p);
}

int cs_explain_partners(const struct cs_engine *e, uint32_t job_id,
			const struct cs_audience *to, struct cs_partner *ret,
			size_t *ret_more)
{
	struct cs_ejob *j = cs_engine_job(e, job_id);
	size_t n, behind;

	*ret_more = 0;
	if (!j)
		return -ENOENT;
	if (j->state != CS_WAITING) {
		n = look_at_group(e, j, to, ret, 2 * CS_PARTNERS_MAX);
		if (n > 2 * CS_PARTNERS_MAX)
			*ret_more = n - 2 * CS_PARTNERS_MAX;
		return (int)(n - *ret_more);
	}
	if (!e->place->shares || cs_match_willing(e, j, 0) != CS_MATCH_OK)
		return 0;
	n = look_at_all(e, j, &e->started, to, ret, ret_more);
	n += look_at_all(e, j, &e->waiting, to, ret + n, &behind);
	*ret_more += behind;
	return (int)n;
}

static bool on_one_node(const struct cs_alloc *a, const struct cs_alloc *b)
{
	for (uint32_t i = 0, k = 0; i < a->n_node && k < b->n_node;) {
		if (a->node[i].node == b->node[k].node)
			return true;
		if (a->node[i].node < b->node[k].node)
			i++;
		else
			k++;
	}
	return false;
}

/* Is @x beside @j, and not told as a member of its group?  In mode shadow, which knows no
 * groups, all on its nodes are; else not those that time slices keep from its cores. */
static bool is_beside(const struct cs_engine *e, const struct cs_ejob *j,
		      const struct cs_ejob *x)
{
	if (x == j || x->state == CS_PROPOSED || !x->alloc ||
	    !on_one_node(j->alloc, x->alloc))
		return false;
	if (e->params.mode == CS_MODE_SHADOW)
		return true;
	return x->state == CS_RUNNING && (!j->group || x->group != j->group);
}

void cs_explain_put_beside(struct cs_text *t, const struct cs_engine *e,
			   const struct cs_ejob *j)
{
	struct cs_ejob **all = calloc(e->started.n + 1, sizeof(*all));
	size_t n = 0;

	if (!all)
		return;
	for (size_t i = 0; j->alloc && i < e->started.n; i++) {
		struct cs_ejob *x = e->started.job[i];

		if (is_beside(e, j, x))
			all[n++] = x;
	}
	qsort(all, n, sizeof(*all), by_job);
	for (size_t i = 0; i < n && i < CS_PARTNERS_MAX; i++) {
		cs_put(t, "  beside it: ");
		if (cs_explain_put_job(t, all[i]->job.id))
			cs_put(t, " (%s)", cs_explain_profile(e, all[i]));
		cs_put(t, "%s\n",
		       all[i]->state == CS_RUNNING ? "" : ", suspended");
	}
	if (n > CS_PARTNERS_MAX)
		cs_put(t, "  and %zu more\n", n - CS_PARTNERS_MAX);
	if (!n && !j->group)
		cs_put(t, "  no job is beside it\n");
	free(all);
}
