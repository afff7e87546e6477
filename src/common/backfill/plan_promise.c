/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where one job is put in a plan: rule 2 of plan.c, and what that promises its user:
 * R_est, the response time by that plan at submission, times response_scale, and the
 * most that decisions for others may make of it,
 *
 *	R_max = F_slack * R_est			(Zeng09, equation 4; see slowdown.h)
 *
 * With sites (site_room.c) the ways are: on one site, and over at most k for each k
 * that the rule and the job's highest limit allow and that costs more than fewer do
 * (beyond 8 the next is a quarter more).
 * It gets the sites with most room at that time, and the promise is of so many: r*
 * grows with them (model/sites.h, equation 1).  Of a way TRIES_MOST instants are tried
 * at which all sites together have room; if more than k have it at each, it waits for the
 * k sites that will have most.
 */
#include "backfill/plan_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/alone.h"
#include "job/crossing.h"
#include "job/forecast.h"
#include "job/horizon.h"
#include "job/match.h"
#include "job/refused.h"
#include "job/site_room.h"
#include "model/fit.h"
#include "model/sites.h"
#include "model/topology.h"
#include "state/pass.h"

void cs_plan_promise_nothing(struct cs_ejob *j)
{
	struct cs_planned *q = &j->plan;

	q->start_us = q->end_us = CS_TIME_NONE;
	q->far_us = 0;
	if (q->turn_us != CS_TURN_QUEUE)
		q->turn_us = CS_TIME_NONE;
}

bool cs_plan_takes_nodes(const struct cs_engine *e, const struct cs_shape *s)
{
	return s->kind != CS_SHAPE_PACKED || cs_scoped(e) || s->owner;
}

int32_t cs_plan_unit(const struct cs_engine *e, const struct cs_plan *p,
		     const struct cs_shape *s, uint32_t c)
{
	const struct cs_node *node = &e->machine->node[p->like[c]];

	if (!cs_layout_could(node, s))
		return 0;
	if (cs_plan_takes_nodes(e, s))
		return (int32_t)cs_node_cores(node);
	return s->even ? (int32_t)cs_shape_cores(s, node, s->quota) : 1;
}

/* Whole nodes of different sizes: as if all were like the largest. */
static uint32_t units_needed(const struct cs_engine *e,
			     const struct cs_shape *s)
{
	uint64_t least = (uint64_t)s->nodes * cs_shape_cores(s, s->like, 1);
	uint32_t cores = cs_shape_cores(s, s->like, s->procs);
	uint32_t nodes = cs_div_up(s->procs, s->quota);

	if (s->even)
		return s->nodes;
	if (cs_plan_takes_nodes(e, s))
		return nodes > s->nodes ? nodes : s->nodes;
	return least > cores && least < UINT32_MAX ? (uint32_t)least : cores;
}

/* Threads of a core that shape @s has in class @c. */
static uint32_t threads_of(const struct cs_engine *e, const struct cs_plan *p,
			   const struct cs_shape *s, uint32_t c)
{
	return cs_layout_threads(&e->machine->node[p->like[c]], s->threads);
}

/*
 * Cores of an uneven shape whose classes @class [n] differ in processes a core: counted
 * in lots of as many processes as the largest core holds, @unit the cores of each class
 * that a lot takes.  Returns how many; @units if all are alike.
 */
static uint32_t lots_needed(const struct cs_engine *e, const struct cs_plan *p,
			    const struct cs_shape *s, const uint32_t *class,
			    int32_t *unit, uint32_t n, uint32_t units)
{
	uint32_t most = 0, least = UINT32_MAX, lot;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t threads = threads_of(e, p, s, class[i]);

		most = threads > most ? threads : most;
		least = threads < least ? threads : least;
	}
	if (s->even || cs_plan_takes_nodes(e, s) || most == least)
		return units;
	lot = most > s->cpus_per_proc ? most / s->cpus_per_proc : 1;
	if (lot > s->procs)
		lot = s->procs;
	for (uint32_t i = 0; i < n; i++)
		unit[i] = (int32_t)cs_layout_cores(
			lot, s->cpus_per_proc, threads_of(e, p, s, class[i]));
	return cs_div_up(s->procs, lot);
}

/* Are there enough nodes for the job, @most of each of @n classes? */
static bool enough_nodes(const struct cs_shape *s, const int32_t *most,
			 uint32_t n)
{
	int64_t all = 0;

	for (uint32_t i = 0; i < n; i++)
		all += most[i];
	return all >= s->nodes;
}

/* The classes that reservations keep, from @from_us to @until_us, from the job, which
 * is in @of and laid out: one bit each. */
static uint64_t kept_at(const struct cs_engine *e, const struct cs_plan *p,
			const struct cs_ejob *j, const struct cs_resv_job *of,
			int64_t from_us, int64_t until_us)
{
	const struct cs_planned *q = &j->plan;
	bool whole = q->shape.kind != CS_SHAPE_PACKED || q->shape.exclusive;
	uint64_t kept = 0;

	if (from_us < until_us && cs_plan_times_answer(e, p, of))
		return cs_plan_times_kept(e, p, whole, from_us, until_us);
	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];
		enum cs_keeps keeps;

		if (!cs_resv_meets(r, from_us, until_us))
			continue;
		keeps = cs_resv_keeps(of, r);
		if (keeps == CS_KEEPS_NODES ||
		    (keeps == CS_KEEPS_CORES && whole))
			kept |= r->kinds[e->sm - e->sms];
	}
	return kept;
}

/* The last start from @from_us on that ends a job of @run_us by @by_us; INT64_MIN:
 * none. */
static int64_t last_start(const struct cs_engine *e, int64_t from_us,
			  int64_t run_us, int64_t by_us)
{
	int64_t late = by_us;

	if (!e->slice->wall_us)
		return by_us > run_us ? by_us - run_us : INT64_MIN;
	if (by_us < from_us || cs_resv_until_us(e, from_us, run_us) > by_us)
		return INT64_MIN;
	while (late - from_us > 1) {
		int64_t mid = from_us + (late - from_us) / 2;

		if (cs_resv_until_us(e, mid, run_us) <= by_us)
			from_us = mid;
		else
			late = mid;
	}
	return from_us;
}

/* The first instant after @from_us at which a start may meet different reservations of
 * others: one has ended, or a job of that length would no longer end before one. */
static int64_t next_change(const struct cs_engine *e, const struct cs_plan *p,
			   const struct cs_ejob *j,
			   const struct cs_resv_job *of, int64_t from_us)
{
	int64_t next = CS_TIME_NONE;

	if (cs_plan_times_answer(e, p, of))
		return cs_plan_times_next(p, from_us, j->plan.run_us);
	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];
		int64_t before;

		if (r->flags & CS_RESV_FLOAT ||
		    cs_resv_keeps(of, r) == CS_KEEPS_NOTHING)
			continue;
		before = last_start(e, from_us, j->plan.run_us, r->start_us);
		if (before >= from_us && before + 1 < next)
			next = before + 1;
		if (r->end_us > from_us && r->end_us < next)
			next = r->end_us;
	}
	return next;
}

bool cs_plan_crosses(const struct cs_engine *e, const struct cs_plan *p,
		     const struct cs_resv_job *of, uint32_t v, int64_t from_us,
		     int64_t run_us)
{
	int64_t until_us = cs_resv_until_us(e, from_us, run_us);
	const struct cs_held_nodes *h = &e->held[p->held[v]];

	if (!(h->flags & CS_RESV_FLOAT) && !cs_resv_meets(h, from_us, until_us))
		return false;
	return cs_resv_keeps(of, h) == CS_KEEPS_NOTHING ||
	       !cs_resv_meets(h, from_us, until_us);
}

/* Append to the @n of @class if such nodes suit; returns the new number. */
static uint32_t add_class(const struct cs_engine *e, struct cs_plan *p,
			  const struct cs_planned *q, uint32_t c,
			  uint32_t *class, int32_t *most, uint32_t n)
{
	p->unit[n] = cs_plan_unit(e, p, &q->shape, c);
	most[n] = p->up[c];
	if (p->unit[n])
		class[n++] = c;
	return n;
}

/* A job's reservation, and the part of the machine that it is put in (NULL: any). */
struct where {
	struct cs_resv_job of;
	const uint64_t *part; /* node set */
};

/* Ignoring other reservations. */
#define ANY_TIME INT64_MIN

/* The classes that suit the job from @from_us on (the host's clock, or ANY_TIME), with
 * the units it takes there; @forever: for any start after that.  Returns how many. */
static uint32_t classes_at(const struct cs_engine *e, struct cs_plan *p,
			   const struct cs_ejob *j, const struct where *w,
			   int64_t from_us, bool forever, uint32_t *class,
			   int32_t *most)
{
	const struct cs_held_nodes *own = cs_resv_confines(&w->of);
	const struct cs_planned *q = &j->plan;
	const struct cs_classes *set =
		&p->set[j->job.option[q->option].nodeset];
	bool any = from_us == ANY_TIME;
	int64_t until_us = any || forever
				   ? CS_TIME_NONE
				   : cs_resv_until_us(e, from_us, q->run_us);
	uint64_t kept = any ? 0 : kept_at(e, p, j, &w->of, from_us, until_us);
	uint64_t kinds = 0; /* of nodes, one bit each */
	uint32_t n = 0, before;

	if (own)
		kept |= ~own->kinds[e->sm - e->sms];
	for (uint32_t i = 0; i < set->n; i++) {
		uint32_t c = set->class[i];

		if (kept >> c & 1 || (w->part && !cs_bit(w->part, p->like[c])))
			continue;
		if (own && own->cores)
			c = cs_plan_class_within(p, (uint32_t)(own - e->held),
						 c);
		before = n;
		n = add_class(e, p, q, c, class, most, n);
		kinds |= (uint64_t)(n - before) << set->class[i];
	}
	if (q->shape.kind != CS_SHAPE_PACKED || (own && own->cores))
		return n;
	for (uint32_t c = p->n_kind; c < p->n_class; c++)
		if (kinds >> p->of[c] & 1 &&
		    (any ||
		     cs_plan_crosses(e, p, &w->of, c, from_us, q->run_us)))
			n = add_class(e, p, q, c, class, most, n);
	return n;
}

/* Does it take that many nodes, though one has room for the cores of several? */
static bool apart(const struct cs_planned *q)
{
	return q->shape.even && q->shape.kind == CS_SHAPE_PACKED;
}

/* The first instant from @from_us on, before @until_us, at which @t has room for the
 * job on those classes [@n], and what it gets of each (@ret_got may be NULL). */
static int64_t find(const struct cs_engine *e, const struct cs_plan *p,
		    const struct cs_timeline *t, const struct cs_planned *q,
		    int64_t from_us, int64_t until_us, const uint32_t *class,
		    const int32_t *most, uint32_t n, int32_t *ret_got)
{
	uint32_t line[CS_PLAN_CLASSES];
	int32_t gpus[CS_PLAN_CLASSES];
	struct cs_timeline_beside beside = { line, gpus };
	bool any = false;
	uint32_t units;

	if (!n || !enough_nodes(&q->shape, most, n))
		return CS_TIME_NONE;
	units = lots_needed(e, p, &q->shape, class, p->unit, n,
			    units_needed(e, &q->shape));
	for (uint32_t i = 0; p->n_line > p->n_class && i < n; i++) {
		line[i] = cs_plan_gpu_line(p, class[i]);
		gpus[i] = cs_plan_gpu_unit(e, p, &q->shape, class[i]);
		any |= gpus[i] != 0;
	}
	return cs_timeline_find_until(t, from_us, until_us, q->run_us, units,
				      class, p->unit, apart(q) ? most : NULL,
				      any ? &beside : NULL, n, ret_got);
}

static int32_t min(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

/* What site of the machine class @c is in. */
static uint32_t site_of(const struct cs_engine *e, const struct cs_plan *p,
			uint32_t c)
{
	return e->machine->sites->of[p->like[c]];
}

/* Units that the job may get of each class [@n] from @start_us on, into @ret_has, and of
 * each site, into the site room of the engine. */
static void room_of(const struct cs_engine *e, const struct cs_plan *p,
		    const struct cs_timeline *t, const struct cs_planned *q,
		    int64_t start_us, const uint32_t *class,
		    const int32_t *most, uint32_t n, int32_t *ret_has)
{
	int64_t end_us = cs_later_us(start_us, q->run_us);
	struct cs_site_room *r = &e->site_work->then;

	memset(r->have, 0, r->n * sizeof(*r->have));
	for (uint32_t i = 0; i < n; i++) {
		int32_t units =
			cs_timeline_least(t, class[i], start_us, end_us) /
			p->unit[i];

		if (apart(q) && units > most[i])
			units = most[i];
		ret_has[i] = units > 0 ? units : 0;
		r->have[site_of(e, p, class[i])] += (uint32_t)ret_has[i];
	}
}

/* Put what the job gets of each class, @io_got, onto the sites with most room from
 * @start_us on, and keep a unit for each node that it needs beyond a site's.  Returns
 * how many sites; UINT32_MAX: they have too little, and @io_got is as it was. */
static uint32_t gather(const struct cs_engine *e, const struct cs_plan *p,
		       const struct cs_timeline *t, const struct cs_planned *q,
		       int64_t start_us, const uint32_t *class,
		       const int32_t *most, uint32_t n, int32_t *io_got)
{
	int32_t has[CS_PLAN_CLASSES], got[CS_PLAN_CLASSES] = { 0 };
	int32_t left = 0, nodes = (int32_t)q->shape.nodes;
	uint32_t site = UINT32_MAX, k = 0;

	room_of(e, p, t, q, start_us, class, most, n, has);
	for (uint32_t i = 0; i < n; i++)
		left += io_got[i];
	for (; left > 0; k++) {
		int32_t may;

		site = cs_site_room_next(&e->site_work->then, site);
		if (site == UINT32_MAX)
			return UINT32_MAX;
		for (uint32_t i = 0; i < n; i++)
			if (site_of(e, p, class[i]) == site)
				nodes -= min(has[i], most[i]);
		may = nodes > 0 && left > nodes ? left - nodes : left;
		for (uint32_t i = 0; i < n; i++)
			if (site_of(e, p, class[i]) == site) {
				got[i] = min(has[i], may);
				may -= got[i];
				left -= got[i];
			}
	}
	memcpy(io_got, got, n * sizeof(*io_got));
	return k;
}

static void exchange(struct cs_plan *p, uint32_t *class, int32_t *most,
		     uint32_t a, uint32_t b)
{
	uint32_t c = class[a];
	int32_t m = most[a], unit = p->unit[a];

	class[a] = class[b];
	most[a] = most[b];
	p->unit[a] = p->unit[b];
	class[b] = c;
	most[b] = m;
	p->unit[b] = unit;
}

/* Bring to the front the classes of as many sites as the job is laid out for, those with
 * most room once all jobs have ended.  Returns how many classes that are. */
static uint32_t largest_first(const struct cs_engine *e, struct cs_plan *p,
			      const struct cs_timeline *t,
			      const struct cs_planned *q, uint32_t *class,
			      int32_t *most, uint32_t n)
{
	uint32_t site = UINT32_MAX, front = 0;
	int32_t has[CS_PLAN_CLASSES];

	room_of(e, p, t, q, CS_TIME_NONE - 1, class, most, n, has);
	for (uint32_t k = 0; k < q->fragments; k++) {
		site = cs_site_room_next(&e->site_work->then, site);
		for (uint32_t i = front; i < n; i++)
			if (site_of(e, p, class[i]) == site)
				exchange(p, class, most, i, front++);
	}
	return front;
}

#define TRIES_MOST 16

/* The same as find(), over as many sites as the job is laid out for; may change the
 * order of the classes. */
static int64_t find_sites(const struct cs_engine *e, struct cs_plan *p,
			  const struct cs_timeline *t,
			  const struct cs_planned *q, int64_t from_us,
			  int64_t until_us, uint32_t *class, int32_t *most,
			  uint32_t n, int32_t *ret_got)
{
	uint32_t front;

	if (q->fragments < 2 || !cs_site_rules(e))
		return find(e, p, t, q, from_us, until_us, class, most, n,
			    ret_got);
	for (uint32_t i = 0; i < TRIES_MOST && from_us < until_us; i++) {
		int64_t start = find(e, p, t, q, from_us, until_us, class, most,
				     n, ret_got);

		if (start == CS_TIME_NONE ||
		    gather(e, p, t, q, start, class, most, n, ret_got) <=
			    q->fragments)
			return start;
		from_us = cs_timeline_change_us(t, start);
	}
	front = largest_first(e, p, t, q, class, most, n);
	memset(ret_got, 0, n * sizeof(*ret_got));
	from_us = find(e, p, t, q, from_us, until_us, class, most, front,
		       ret_got);
	if (from_us != CS_TIME_NONE)
		gather(e, p, t, q, from_us, class, most, front, ret_got);
	return from_us;
}

/* Where in @t the job would start between @from_us and *ret_next, the next change of
 * what reservations keep from it, in the partition it was laid out for; its cores by
 * class into @ret_cores, as less than 0.  Until then it may use the same classes.
 * @forever: on those never kept from it again. */
static int64_t earliest(const struct cs_engine *e, struct cs_plan *p,
			const struct cs_timeline *t, const struct cs_ejob *j,
			const struct where *w, int64_t from_us, bool forever,
			int64_t *ret_next, int32_t *ret_cores)
{
	const struct cs_planned *q = &j->plan;
	uint32_t class[CS_PLAN_CLASSES], n;
	int32_t got[CS_PLAN_CLASSES], most[CS_PLAN_CLASSES];
	int64_t start, ahead = e->sm->ahead_us;

	n = classes_at(e, p, j, w, from_us - ahead, forever, class, most);
	*ret_next = forever ? CS_TIME_NONE
			    : next_change(e, p, j, &w->of, from_us - ahead);
	if (*ret_next != CS_TIME_NONE)
		*ret_next += ahead;
	start = find_sites(e, p, t, q, from_us, *ret_next, class, most, n, got);
	memset(ret_cores, 0, p->n_line * sizeof(*ret_cores));
	for (uint32_t i = 0; start != CS_TIME_NONE && i < n; i++) {
		uint32_t line = cs_plan_gpu_line(p, class[i]);

		ret_cores[class[i]] = -got[i] * p->unit[i];
		if (line)
			ret_cores[line] -=
				got[i] *
				cs_plan_gpu_unit(e, p, &q->shape, class[i]);
	}
	return start;
}

/* No start is before this, even without other reservations: a queue longer than they
 * last is skipped at once. */
static int64_t not_before(const struct cs_engine *e, struct cs_plan *p,
			  const struct cs_timeline *t, const struct cs_ejob *j,
			  const struct where *w, int64_t from_us)
{
	uint32_t class[CS_PLAN_CLASSES], n;
	int32_t most[CS_PLAN_CLASSES];

	n = classes_at(e, p, j, w, ANY_TIME, false, class, most);
	return find(e, p, t, &j->plan, from_us, CS_TIME_NONE, class, most, n,
		    NULL);
}

/* So many changes are examined one by one; beyond them a job gets nodes that nothing
 * keeps from it any more, or waits for all reservations to end. */
#define CHANGES_MOST 8

/* An instant, from @from_us on, when all reservations that end have ended. */
static int64_t behind_all(const struct cs_engine *e, int64_t from_us)
{
	for (uint32_t h = 0; h < e->n_held; h++) {
		int64_t end = cs_plan_held_end(e, h);

		if (!e->held[h].job && end != CS_TIME_NONE && end > from_us)
			from_us = end;
	}
	return from_us;
}

/* The same over all changes, in the time of its own reservation. */
static int64_t earliest_in(const struct cs_engine *e, struct cs_plan *p,
			   const struct cs_timeline *t, const struct cs_ejob *j,
			   const uint64_t *part, int32_t *ret_cores)
{
	const struct where w = { cs_resv_of(e, j, j->plan.option), part };
	const struct cs_held_nodes *own = cs_resv_confines(&w.of);
	int64_t from = cs_sm_time(e, e->sm), last = CS_TIME_NONE, next, start;
	int64_t after = j->job.after_us + e->sm->ahead_us;
	uint32_t changes = 0;

	if (after > from)
		from = after;

	if (own && !(own->flags & CS_RESV_FLOAT)) {
		uint32_t h = (uint32_t)(own - e->held);

		last = cs_plan_held_end(e, h);
		if (cs_plan_held_start(e, h) > from)
			from = cs_plan_held_start(e, h);
	}
	while (from <= last && from != CS_TIME_NONE) {
		start = earliest(e, p, t, j, &w, from, changes == CHANGES_MOST,
				 &next, ret_cores);
		if (start != CS_TIME_NONE ||
		    (next == CS_TIME_NONE && changes != CHANGES_MOST))
			return start > last ? CS_TIME_NONE : start;
		if (changes == CHANGES_MOST)
			from = behind_all(e, from);
		else
			from = changes ? next
				       : not_before(e, p, t, j, &w, next);
		changes++;
	}
	return CS_TIME_NONE;
}

/* Node sets, one of which must hold the job. */
struct parts {
	const struct cs_topology *topology;
	const uint32_t *group;
	const struct cs_sites *sites; /* NULL: parts of the topology */
	uint32_t n;
};

/* False: any nodes may be combined. */
static bool parts_of(const struct cs_engine *e, const struct cs_planned *q,
		     struct parts *ret)
{
	const struct cs_topology *t = e->machine->topology;

	*ret = (struct parts){ .topology = t };
	if (cs_site_rules(e) && q->fragments < 2) {
		ret->sites = e->machine->sites;
		ret->n = ret->sites->n;
		return true;
	}
	if (!t || t->whole || q->shape.anywhere)
		return false;
	ret->n = cs_topology_parts(t, q->shape.nodes, &ret->group) + 1;
	return true;
}

/* The @i-th; NULL: there is none. */
static const uint64_t *part_at(const struct parts *x, uint32_t i)
{
	const struct cs_group *loose;

	if (x->sites)
		return x->sites->site[i].nodes;
	if (i + 1 < x->n)
		return x->topology->group[x->group[i]].nodes;
	loose = cs_topology_loose(x->topology);
	return loose ? loose->nodes : NULL;
}

/* The same in the part of the machine where it is earliest. */
static int64_t earliest_of_all(const struct cs_engine *e, struct cs_plan *p,
			       const struct cs_timeline *t,
			       const struct cs_ejob *j, int32_t *ret_cores)
{
	int64_t best = CS_TIME_NONE, now = cs_sm_time(e, e->sm);
	const uint64_t *first = NULL;
	struct parts parts;

	if (!parts_of(e, &j->plan, &parts))
		return earliest_in(e, p, t, j, NULL, ret_cores);
	for (uint32_t i = 0; i < parts.n && best > now; i++) {
		const uint64_t *part = part_at(&parts, i);
		int64_t at = part ? earliest_in(e, p, t, j, part, ret_cores)
				  : CS_TIME_NONE;

		if (at < best) {
			best = at;
			first = part;
		}
	}
	if (first)
		earliest_in(e, p, t, j, first, ret_cores);
	return best;
}

static int room_for_cores(const struct cs_plan *p, struct cs_planned *q)
{
	int32_t *c;

	if (q->n_class >= p->n_line)
		return 0;
	c = realloc(q->cores, p->n_line * sizeof(*c));
	if (!c)
		return -ENOMEM;
	q->cores = c;
	q->n_class = p->n_line;
	return 0;
}

int64_t cs_plan_response_us(const struct cs_engine *e, const struct cs_ejob *j,
			    int64_t end_us)
{
	const struct cs_slice_machine *sm = cs_sm_of(e, j);
	int64_t wall = cs_sm_host_us(e, sm, end_us);

	return wall == CS_TIME_NONE ? wall : wall - j->job.submit_us;
}

/* R_est and R_max (Zeng09, equation 4). */
static void estimate(const struct cs_engine *e, struct cs_ejob *j)
{
	/* other classes decide when short jobs are served */
	if (e->n_sm > 1 && j->class == CS_CLASS_SHORT)
		return;
	j->est_us = cs_plan_response_us(e, j, j->plan.end_us);
	if (j->est_us != CS_TIME_NONE)
		j->est_us = cs_stretch_us(j->est_us, e->params.response_scale);
	j->max_us = cs_stretch_us(j->est_us, e->params.slack);
}

/* The best of the ways to start tried so far. */
struct best {
	int64_t start_us;
	int64_t worth_us; /* what makes it best */
	uint32_t option;
	uint32_t most, fragments; /* sites asked for, and taken */
	bool by_core;
};

/* With a rule of sites: those that @cores are in.  Else 1. */
static uint32_t sites_in(const struct cs_engine *e, const struct cs_plan *p,
			 const int32_t *cores)
{
	struct cs_site_room *r;
	uint32_t k = 0;

	if (!cs_site_rules(e))
		return 1;
	r = &e->site_work->then;
	memset(r->have, 0, r->n * sizeof(*r->have));
	for (uint32_t c = 0; c < p->n_class; c++)
		if (cores[c])
			k += !r->have[site_of(e, p, c)]++;
	return k;
}

/* Run time of @j over @fragments sites in its layout. */
static int64_t split_run_us(const struct cs_engine *e, const struct cs_ejob *j,
			    uint32_t fragments)
{
	double f = cs_alone_factor(e, j, &j->plan.shape);

	return cs_stretch_us(cs_stretch_us(j->job.estimate_us, f),
			     cs_crossing_factor(e, j, fragments));
}

/* Lay it out for that many. */
static void over(const struct cs_engine *e, struct cs_ejob *j,
		 uint32_t fragments)
{
	j->plan.fragments = fragments;
	j->plan.run_us = split_run_us(e, j, fragments);
}

/* What it costs from its start on, where it is laid out for several sites. */
static int64_t worth_of(const struct cs_engine *e, const struct cs_ejob *j)
{
	int64_t run = j->plan.run_us;

	return cs_later_us(run,
			   cs_site_toll_us(e, run - split_run_us(e, j, 1)));
}

/* Try the way @j is laid out for. */
static void try_way(const struct cs_engine *e, struct cs_plan *p,
		    const struct cs_timeline *t, struct cs_ejob *j,
		    int32_t *ret_cores, struct best *b)
{
	const struct cs_planned *q = &j->plan;
	int64_t start = earliest_of_all(e, p, t, j, ret_cores), worth;
	uint32_t most = q->fragments;

	if (start == CS_TIME_NONE)
		return;
	worth = cs_later_us(start, q->run_us);
	if (cs_site_rules(e) && most > 1) {
		over(e, j, sites_in(e, p, ret_cores));
		worth = cs_later_us(start, worth_of(e, j));
	}
	if (worth < b->worth_us ||
	    (worth == b->worth_us && start < b->start_us))
		*b = (struct best){ start, worth,	 q->option,
				    most,  q->fragments, q->by_core };
}

/* The next number after @k to try: of many, one in four. */
static uint32_t more_sites(uint32_t k, uint32_t most)
{
	uint32_t next = k + (k < 8 ? 1 : k / 4);

	return k < most && next > most ? most : next;
}

/* The same with sites: on one, and over several. */
static void try_sites(const struct cs_engine *e, struct cs_plan *p,
		      const struct cs_timeline *t, struct cs_ejob *j,
		      int32_t *ret_cores, struct best *b)
{
	const struct cs_planned *q = &j->plan;
	const struct cs_job_partition *o = &j->job.option[q->option];
	int64_t now = cs_sm_time(e, e->sm);
	uint32_t least, most, k;

	most = cs_site_room_most(e, j, q->option, &q->shape, &least);
	if (most > e->machine->sites->n)
		most = e->machine->sites->n;
	over(e, j, 1);
	if (least == 1)
		try_way(e, p, t, j, ret_cores, b);
	for (k = least > 2 ? least : 2; k <= most; k = more_sites(k, most)) {
		over(e, j, k);
		if ((least == 1 && q->run_us > o->limit_max_us) ||
		    cs_later_us(now, worth_of(e, j)) >= b->worth_us)
			break;
		if (k == most ||
		    split_run_us(e, j, more_sites(k, most)) > q->run_us)
			try_way(e, p, t, j, ret_cores, b);
	}
}

/* Do nodes hold @j, which leaves cores for free GPUs, now or with all their GPUs free?  A
 * plan counts cores only, and a planned start that never comes would keep other jobs
 * waiting. */
static bool may_leave_cores(const struct cs_engine *e, const struct cs_ejob *j,
			    uint32_t option)
{
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	const struct cs_shape *s = &j->plan.shape;

	return !s->gpu_keep || cs_layout_fits(&e->sm->now, s, set) ||
	       cs_layout_holds(e->machine, e->sm->now.down, s, set);
}

int64_t cs_plan_seek(const struct cs_engine *e, struct cs_plan *p,
		     const struct cs_timeline *t, struct cs_ejob *j,
		     int32_t *ret_cores)
{
	struct best b = { CS_TIME_NONE, CS_TIME_NONE, 0, 1, 1, false };
	uint32_t ways = 0;

	for (uint32_t o = 0; o < j->job.n_option; o++) {
		if (cs_job_flags(j, o) & CS_JOB_BLOCKED ||
		    cs_refused_holds(e, j, o) ||
		    cs_forecast_waits(e, j, o, j->plan.late))
			continue;
		if (j->plan.by_core)
			j->plan.made = 0;
		j->plan.by_core = false;
		ways++;
		if (!cs_alone_layout(e, j, o) || !may_leave_cores(e, j, o))
			continue;
		if (cs_site_rules(e)) {
			ways++;
			try_sites(e, p, t, j, ret_cores, &b);
			continue;
		}
		try_way(e, p, t, j, ret_cores, &b);
		if (!cs_resv_may_cut(e, j, o, &j->plan.shape) ||
		    b.start_us <= cs_sm_time(e, e->sm))
			continue;
		ways++;
		if (cs_alone_layout_by(e, j, o, true))
			try_way(e, p, t, j, ret_cores, &b);
	}
	if (b.start_us != CS_TIME_NONE && ways > 1) {
		cs_alone_layout_by(e, j, b.option, b.by_core);
		if (cs_site_rules(e))
			over(e, j, b.most);
		earliest_of_all(e, p, t, j, ret_cores);
		if (cs_site_rules(e))
			over(e, j, b.fragments);
	}
	return b.start_us;
}

/* Does the host's forecast for @j still count (forecast.c, rule 3)? */
static bool forecast_counts(const struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_held_nodes *h = cs_forecast_of(e, j);

	return h &&
	       (h->start_us <= e->now_us || cs_refused_holds(e, j, h->option));
}

/* Does the model find a start in another partition before that (rule 8)?  Then that is
 * in j->plan, but for what holds it. */
static bool sooner_elsewhere(const struct cs_engine *e, struct cs_plan *p,
			     const struct cs_timeline *t, struct cs_ejob *j)
{
	const struct cs_held_nodes *h = cs_forecast_of(e, j);
	struct cs_planned *q = &j->plan;

	if (!cs_refused_holds(e, j, h->option) ||
	    !cs_forecast_elsewhere(e, j, h->option))
		return false;
	q->start_us = cs_plan_seek(e, p, t, j, q->cores);
	return q->start_us != CS_TIME_NONE &&
	       q->start_us - e->sm->ahead_us < h->start_us;
}

/* Promise @j what forecast.c keeps for it, as far as jobs ahead leave it. */
static int promise_kept(struct cs_engine *e, struct cs_plan *p,
			struct cs_timeline *t, struct cs_ejob *j)
{
	const struct cs_held_nodes *h = cs_forecast_of(e, j);
	struct cs_planned *q = &j->plan;

	cs_alone_layout(e, j, h->option); /* not the last one tried */
	memset(q->cores, 0, p->n_line * sizeof(*q->cores));
	q->start_us = h->start_us + e->sm->ahead_us;
	q->end_us = h->end_us + e->sm->ahead_us;
	q->option = h->option;
	for (uint32_t n = 0; n < e->machine->n_node; n++)
		if (cs_bit(h->nodes, n) && !cs_bit(e->sm->now.down, n))
			q->cores[p->class_of[n]] -= cs_plan_node_cores(e, n);
	for (uint32_t c = 0; c < p->n_class; c++) {
		int32_t least = cs_timeline_least(t, c, q->start_us, q->end_us);

		if (least < -q->cores[c])
			q->cores[c] = least > 0 ? -least : 0;
	}
	return cs_timeline_add(t, q->start_us, q->end_us, q->cores);
}

int cs_plan_promise(struct cs_engine *e, struct cs_plan *p,
		    struct cs_timeline *t, struct cs_ejob *j)
{
	struct cs_planned *q = &j->plan;

	cs_plan_promise_nothing(j);
	if (cs_step(e, 1 + (int64_t)cs_timeline_steps(t) / 64))
		return -ECANCELED;
	if (room_for_cores(p, q))
		return -ENOMEM;
	if (!forecast_counts(e, j))
		q->start_us = cs_plan_seek(e, p, t, j, q->cores);
	else if (!sooner_elsewhere(e, p, t, j))
		return promise_kept(e, p, t, j);
	q->turn_us = q->start_us;
	if (q->start_us == CS_TIME_NONE)
		return 0;
	if (!cs_horizon_keeps(e, j, q->option,
			      cs_sm_host_us(e, e->sm, q->start_us))) {
		q->far_us = q->start_us;
		q->start_us = CS_TIME_NONE;
		return 0;
	}
	q->end_us = cs_later_us(q->start_us, q->run_us);
	if (!j->est_us) {
		estimate(e, j);
		e->changed |= j->est_us != 0;
	}
	return cs_plan_add_all(e, p, t, q->start_us, q->end_us, q->cores, 1);
}

int cs_plan_lift(const struct cs_engine *e, struct cs_plan *p,
		 struct cs_timeline *t, const struct cs_planned *q)
{
	return cs_plan_add_all(e, p, t, q->start_us, q->end_us, q->cores, -1);
}

void cs_plan_drop(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_slice_machine *sm = cs_sm_of(e, j);
	struct cs_plan *p = sm->plan;
	struct cs_planned *q = &j->plan;

	if (p->ahead && j != p->array)
		cs_plan_settle(e);
	q->far_us = 0;
	if (q->start_us == CS_TIME_NONE || !p->line)
		return;
	if (sm->stale || cs_plan_lift(e, p, p->line, q))
		sm->stale = true;
	cs_plan_promise_nothing(j);
}
