/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's advance reservations.
 *
 * Problem.  A reservation keeps nodes, or cores of nodes, for its jobs.  The host rules
 * who may use what, and when; a plan that differs proposes starts that the host
 * refuses, or idles cores that it would give.
 *
 * Rules (job_test_resv() of slurmctld, so that its test agrees).
 *  1. A job outside reservations avoids what any reservation holds at any instant from
 *     its start to its limit: whole nodes, or reserved cores, and their nodes too if
 *     the job takes whole ones.
 *  2. A job in a reservation starts on its nodes (and cores, if it is one of
 *     cores) while it lasts, and may outlast it.  It avoids whole nodes that others
 *     reserve meanwhile; with OVERLAP only those for maintenance, with MAINT none.  It
 *     need not avoid cores of others: they are not among its own, or its reservation
 *     overlaps.
 *  3. With FLEX, or if it is gone or has no nodes, it does not confine the job; the
 *     rest of rule 2 holds.
 *  4. One whose jobs may wait for a while (CS_RESV_LENDS; Slurm's MaxStartDelay) lends
 *     to a job of rule 1 that leaves at that notice or less (CS_JOB_BORROWS;
 *     --signal=R), but not to a job in another reservation.
 *  5. A floating one (CS_RESV_FLOAT) begins a fixed time from now, whenever now is: a
 *     job that is done by then may start at any time, others never.
 *
 *	node
 *	 |###|cc....|rrrrrr|	r reserved from s to e.  a is done by s; b would
 *	 |###|aaaa..|rrrrrr|	meet r and starts at e; of r's cores c leaves the
 *	 +---+------s------e-	node's others to b before that.
 *
 * A node with reserved cores is shared by core: jobs of the reservation and all others
 * there are packed (alone.c).  A job that takes empty nodes, or is in a group, uses
 * such a node only if it is done before.  It is packed as well if it ends earlier that
 * way (cs_resv_may_cut()).
 *
 * Differs: Slurm has no CS_RESV_ALL: feed.c, rule 4.
 *
 * Cost: O(reservations x nodes / 64); with reserved cores O(nodes) more.
 */
#include "job/resv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/forecast.h"
#include "state/pass.h"

struct cs_resv_job cs_resv_of(const struct cs_engine *e,
			      const struct cs_ejob *j, uint32_t option)
{
	uint32_t flags = cs_job_flags(j, option);
	uint32_t id = j->job.option[option].reservation;
	struct cs_resv_job of;

	if (!id)
		id = j->job.reservation;
	of = (struct cs_resv_job){
		.in = id != 0,
		.shares_cores = flags & CS_JOB_SHARES_CORES,
		.borrows = !id && flags & CS_JOB_BORROWS,
		.warn_s = j->job.warn_s,
	};
	for (uint32_t h = 0; id && !of.own && h < e->n_held; h++)
		if (e->held[h].id == id)
			of.own = &e->held[h];
	return of;
}

bool cs_resv_within_cores(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t option)
{
	struct cs_resv_job of;
	const struct cs_held_nodes *own;

	if (!e->n_held)
		return false;
	of = cs_resv_of(e, j, option);
	own = cs_resv_confines(&of);
	return own && own->cores;
}

/* Rule 4. */
static bool lent(const struct cs_resv_job *of, const struct cs_held_nodes *h)
{
	return of->borrows && h->flags & CS_RESV_LENDS &&
	       of->warn_s <= h->delay_s;
}

enum cs_keeps cs_resv_keeps(const struct cs_resv_job *of,
			    const struct cs_held_nodes *h)
{
	uint32_t flags = of->own ? of->own->flags : 0;

	if (h->job)
		return CS_KEEPS_NOTHING;
	if (h->flags & CS_RESV_ALL)
		return of->shares_cores && h->flags & CS_RESV_TAKEN
			       ? CS_KEEPS_NOTHING
			       : CS_KEEPS_NODES;
	if (lent(of, h))
		return CS_KEEPS_NOTHING;
	if (!of->in)
		return h->cores ? CS_KEEPS_CORES : CS_KEEPS_NODES;
	if (h == of->own || h->cores || flags & CS_RESV_MAINT ||
	    (flags & CS_RESV_OVERLAP && !(h->flags & CS_RESV_MAINT)))
		return CS_KEEPS_NOTHING;
	return CS_KEEPS_NODES;
}

int64_t cs_resv_start_us(const struct cs_held_nodes *h, int64_t from_us)
{
	return h->flags & CS_RESV_FLOAT ? cs_later_us(from_us, h->start_us)
					: h->start_us;
}

int64_t cs_resv_end_us(const struct cs_held_nodes *h, int64_t from_us)
{
	return h->flags & CS_RESV_FLOAT ? cs_later_us(from_us, h->end_us)
					: h->end_us;
}

bool cs_resv_meets(const struct cs_held_nodes *h, int64_t from_us,
		   int64_t until_us)
{
	return cs_resv_end_us(h, from_us) > from_us &&
	       cs_resv_start_us(h, from_us) < until_us;
}

const uint64_t *cs_resv_cores(const struct cs_held_nodes *h, uint32_t node)
{
	return cs_alloc_cores_on(h->cores, node);
}

bool cs_resv_may_cut(const struct cs_engine *e, const struct cs_ejob *j,
		     uint32_t option, const struct cs_shape *s)
{
	return e->cuts && s->kind == CS_SHAPE_SPACE && !s->exclusive &&
	       !(j->job.flags & CS_JOB_NO_SHARE) &&
	       !cs_resv_of(e, j, option).in &&
	       cs_sets_meet(e->cut, cs_engine_set(e, &j->job.option[option]),
			    cs_node_words(e->machine));
}

int64_t cs_resv_until_us(const struct cs_engine *e, int64_t from_us,
			 int64_t run_us)
{
	return cs_sm_host_us(e, e->sm,
			     cs_later_us(from_us + e->sm->ahead_us, run_us));
}

/* Nodes and cores for a start. */

/* A reservation, no forecast and no nodes that are away? */
static bool is_resv(const struct cs_held_nodes *h)
{
	return !h->job && !(h->flags & CS_RESV_ALL);
}

/* The nodes of its partition for a start on the current slice machine. */
static void nodes_of(const struct cs_engine *e, const struct cs_ejob *j,
		     uint32_t option, uint64_t *mask)
{
	uint32_t words = cs_node_words(e->machine);

	memcpy(mask, cs_engine_set(e, &j->job.option[option]),
	       words * sizeof(*mask));
	/* backfill in another class's slice: what it leaves */
	for (uint32_t w = 0; e->guests && w < words; w++)
		mask[w] &= e->sm->usable[w];
	for (uint32_t w = 0; e->stuck && w < words; w++)
		mask[w] &= ~e->stuck[w];
}

/* Take from @mask the nodes that are kept from a job that takes @whole nodes, or not,
 * by reservations (not with @lift) and for jobs ahead of it (forecast.c, rule 2). */
static void nodes_for(const struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option, bool whole, bool lift, int64_t from_us,
		      int64_t run_us, uint64_t *mask)
{
	uint32_t words = cs_node_words(e->machine);
	int64_t until_us = cs_resv_until_us(e, from_us, run_us);
	const struct cs_entry x = { (struct cs_ejob *)j, option };
	const struct cs_resv_job of = cs_resv_of(e, j, option);
	const struct cs_held_nodes *own = cs_resv_confines(&of);

	if (own) {
		bool open =
			own->flags & CS_RESV_FLOAT ||
			(from_us >= own->start_us && from_us <= own->end_us);

		for (uint32_t w = 0; w < words; w++)
			mask[w] &= open ? own->nodes[w] : 0;
	}
	for (uint32_t h = 0; h < e->n_held; h++) {
		const struct cs_held_nodes *r = &e->held[h];
		enum cs_keeps keeps = cs_resv_keeps(&of, r);

		if (cs_resv_meets(r, from_us, until_us) &&
		    cs_forecast_keeps_off(e, r, &x))
			keeps = CS_KEEPS_NODES;
		if (keeps == CS_KEEPS_NOTHING || (lift && is_resv(r)) ||
		    (keeps == CS_KEEPS_CORES && !whole) ||
		    !cs_resv_meets(r, from_us, until_us))
			continue;
		for (uint32_t w = 0; w < words; w++)
			mask[w] &= ~r->nodes[w];
	}
}

void cs_resv_nodes(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option, int64_t from_us, int64_t run_us,
		   uint64_t *mask)
{
	nodes_of(e, j, option, mask);
	if (e->n_held)
		nodes_for(e, j, option, true, false, from_us, run_us, mask);
}

void cs_resv_lifted(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, int64_t from_us, int64_t run_us,
		    uint64_t *mask)
{
	nodes_of(e, j, option, mask);
	if (e->n_held)
		nodes_for(e, j, option, true, true, from_us, run_us, mask);
}

/* Take the cores of @set (or all others: @but) on @node out of @o. */
static void take_cores(struct cs_occ *o, uint32_t node, const uint64_t *set,
		       bool but)
{
	uint32_t words = o->machine->words;
	uint64_t *used = o->used + (uint64_t)node * words;

	for (uint32_t w = 0; w < words; w++) {
		uint64_t all = cs_node_all_cores(&o->machine->node[node], w);
		uint64_t take = (but ? ~set[w] : set[w]) & all & ~used[w];

		used[w] |= take;
		o->node[node].free_cores -= cs_popcount(take);
	}
}

/* Take all that @h holds, or (@but) all else on its nodes. */
static void take_held(struct cs_occ *o, const struct cs_held_nodes *h, bool but)
{
	for (uint32_t i = 0; i < h->cores->n_node; i++) {
		uint32_t n = h->cores->node[i].node;

		take_cores(o, n, cs_alloc_cores(h->cores, i), but);
		/* a job beside its cores has only the rest of the node */
		if (but && !o->node[n].exclusive)
			o->node[n].counted = 0;
	}
}

/* cs_resv_room() where nodes are held; @mask has those of the partition. */
static const struct cs_occ *
room_beside(const struct cs_engine *e, const struct cs_ejob *j, uint32_t option,
	    const struct cs_shape *s, const struct cs_occ *now, int64_t from_us,
	    int64_t run_us, uint64_t *mask)
{
	bool whole = s->kind != CS_SHAPE_PACKED || s->exclusive, cut = false;
	const struct cs_resv_job of = cs_resv_of(e, j, option);
	const struct cs_held_nodes *own = cs_resv_confines(&of);
	bool within = own && own->cores;
	/* heads are asked about between two looks at the present machine */
	int64_t until_us = cs_resv_until_us(e, from_us, run_us);
	struct cs_occ *o = (struct cs_occ *)(now == &e->sm->now ? &e->cut_now
								: &e->cut_then);

	nodes_for(e, j, option, whole && !within, false, from_us, run_us, mask);
	for (uint32_t h = 0; e->cuts && (within || !whole) && h < e->n_held;
	     h++) {
		const struct cs_held_nodes *r = &e->held[h];
		bool to_it = within && r == own;

		if (!to_it && (cs_resv_keeps(&of, r) != CS_KEEPS_CORES ||
			       !cs_resv_meets(r, from_us, until_us)))
			continue;
		if (!cut) {
			cs_occ_copy(o, now);
			o->mix = now->mix;
		}
		cut = true;
		take_held(o, r, to_it);
	}
	return cut ? o : now;
}

const struct cs_occ *cs_resv_room(const struct cs_engine *e,
				  const struct cs_ejob *j, uint32_t option,
				  const struct cs_shape *s,
				  const struct cs_occ *now, int64_t from_us,
				  int64_t run_us, uint64_t *mask)
{
	nodes_of(e, j, option, mask);
	return e->n_held ? room_beside(e, j, option, s, now, from_us, run_us,
				       mask)
			 : now;
}

/* Events. */

/* Forecasts come and go, so they are last: a plan knows reservations by index. */
static uint32_t n_resv(const struct cs_engine *e)
{
	return e->n_held - e->n_forecast;
}

static struct cs_held_nodes *find(struct cs_engine *e, uint32_t id)
{
	for (uint32_t i = 0; i < n_resv(e); i++)
		if (e->held[i].id == id)
			return &e->held[i];
	return NULL;
}

/* Its entry in engine->held, new if need be; NULL: no memory. */
static struct cs_held_nodes *place_for(struct cs_engine *e, uint32_t id)
{
	struct cs_held_nodes *h = find(e, id);
	uint64_t *nodes;

	if (h)
		return h;
	h = realloc(e->held, (e->n_held + 1) * sizeof(*h));
	if (!h)
		return NULL;
	e->held = h;
	nodes = calloc(cs_node_words(e->machine), sizeof(*nodes));
	if (!nodes)
		return NULL;
	h += n_resv(e);
	if (e->n_forecast)
		e->held[e->n_held] = *h;
	e->n_held++;
	*h = (struct cs_held_nodes){ .id = id, .nodes = nodes };
	return h;
}

static int check(const struct cs_engine *e, const struct cs_reservation *r,
		 struct cs_err *err)
{
	const struct cs_alloc *a = r->cores;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i] >= e->machine->n_node)
			return cs_err_set(err, -ENOENT, "node %u is not known",
					  r->node[i]);
	if (!a)
		return 0;
	if (a->n_node != r->n || a->words != e->machine->words)
		return cs_err_set(err, -EINVAL,
				  "reservation %u: cores of other nodes",
				  r->id);
	for (uint32_t i = 0; i < a->n_node; i++) {
		const struct cs_node *node;

		if (a->node[i].node != r->node[i] ||
		    (i && r->node[i] <= r->node[i - 1]))
			return cs_err_set(err, -EINVAL,
					  "reservation %u: cores of other "
					  "nodes, or not in order",
					  r->id);
		node = &e->machine->node[r->node[i]];
		for (uint32_t w = 0; w < a->words; w++)
			if (cs_alloc_cores(a, i)[w] &
			    ~cs_node_all_cores(node, w))
				return cs_err_set(
					err, -EINVAL,
					"reservation %u: no such core "
					"on node %u",
					r->id, r->node[i]);
	}
	return 0;
}

/* Allocate what reserved cores need, once. */
static int prepare_cuts(struct cs_engine *e)
{
	if (!e->cut)
		e->cut = calloc(cs_node_words(e->machine), sizeof(*e->cut));
	if (!e->cut ||
	    (!e->cut_now.node && cs_occ_init(&e->cut_now, e->machine)) ||
	    (!e->cut_then.node && cs_occ_init(&e->cut_then, e->machine)))
		return -ENOMEM;
	return 0;
}

static void note_cuts(struct cs_engine *e)
{
	uint32_t words = cs_node_words(e->machine);
	bool before = e->cuts;

	e->cuts = false;
	for (uint32_t w = 0; e->cut && w < words; w++) {
		e->cut[w] = 0;
		for (uint32_t h = 0; h < e->n_held; h++)
			e->cut[w] |= e->held[h].cores ? e->held[h].nodes[w] : 0;
		e->cuts |= e->cut[w] != 0;
	}
	if (before || e->cuts)
		e->layouts++;
}

int cs_resv_event(struct cs_engine *e, const struct cs_reservation *r,
		  struct cs_err *err)
{
	struct cs_alloc *cores = NULL;
	struct cs_held_nodes *h;
	int rc = check(e, r, err);

	if (rc)
		return rc;
	if (!r->n && !find(e, r->id))
		return cs_err_set(err, -ENOENT, "reservation %u is not known",
				  r->id);
	if (r->n && r->cores) {
		cores = cs_alloc_copy(r->cores);
		if (!cores || prepare_cuts(e)) {
			cs_alloc_free(cores);
			return -ENOMEM;
		}
	}
	h = place_for(e, r->id);
	if (!h) {
		cs_alloc_free(cores);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < e->n_sm; i++)
		e->sms[i].regroup = e->sms[i].stale = true;
	e->epoch++;
	cs_alloc_free(h->cores);
	if (r->n) {
		h->flags = r->flags;
		h->delay_s = r->delay_s;
		h->start_us = r->start_us;
		h->end_us = r->end_us;
		h->cores = cores;
		memset(h->nodes, 0,
		       cs_node_words(e->machine) * sizeof(*h->nodes));
		for (uint32_t i = 0; i < r->n; i++)
			cs_bit_set(h->nodes, r->node[i]);
	} else {
		free(h->nodes);
		*h = e->held[n_resv(e) - 1];
		e->held[n_resv(e) - 1] = e->held[e->n_held - 1];
		e->n_held--;
	}
	note_cuts(e);
	return 0;
}

void cs_resv_done(struct cs_engine *e)
{
	for (uint32_t i = 0; i < e->n_held; i++) {
		free(e->held[i].nodes);
		cs_alloc_free(e->held[i].cores);
	}
	free(e->held);
	free(e->cut);
	cs_occ_done(&e->cut_now);
	cs_occ_done(&e->cut_then);
}
