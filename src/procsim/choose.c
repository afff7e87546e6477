/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which ready process of a node runs next.
 *
 * Rule.
 *  1. A message is pending if it is unread and its process need not wait for another one
 *     first.  The conflict set has the pending messages of ready processes and of those
 *     whose interrupt is being served.  With messages of two or more processes it is a boost
 *     conflict.
 *  2. In a boost conflict the scheme's choice is among ready processes of the set; else,
 *     and with schemes that have no choice, the first of the ready queue runs.
 *  3. The decision is false if none of the chosen process's pending messages came from a
 *     least contended node, as an oracle knows it: each node's own rescheduling latency
 *     at its last switch, less the time since.
 *
 * Source: Yu07, sections 3.3 and 4.2.  Rule 1's second half and the time in rule 3 are
 * ours; the settings pending, cnp, lowest, communicates and oracle have other readings.
 * lowest says which nodes can be the least contended one; communicates says whether the
 * chosen process communicates with it.  With pending=unread PROC-S boosts the process with
 * the oldest message, though it waits for another one and spins.
 */
#include "procsim/choose.h"

#include <errno.h>

#include "base/array.h"
#include "procsim/process.h"

static bool is_pending(const struct cs_world *w, const struct cs_process *p)
{
	switch (w->set.pending) {
	case CS_PENDING_AWAITED:
		return p->step == CS_STEP_READ;
	case CS_PENDING_READABLE:
		return p->n_unread > 0 && p->step != CS_STEP_AWAIT;
	default:
		return p->n_unread > 0;
	}
}

bool cs_choose_pending(const struct cs_world *w, const struct cs_process *p)
{
	return is_pending(w, p);
}

/* Add one entry. */
static size_t add(struct cs_world *w, size_t k, uint32_t slot, uint32_t source,
		  int64_t arrived_ns)
{
	int rc = cs_array_room(&w->pending, &w->pending_cap, k + 1);

	if (rc) {
		w->rc = rc;
		return k;
	}
	w->pending[k] = (struct cs_proc_pending){ .process = slot,
						  .source = source,
						  .arrived_ns = arrived_ns };
	return k + 1;
}

size_t cs_choose_add(struct cs_world *w, const struct cs_process *p, size_t k)
{
	uint32_t from = 0, to = p->n_peer;

	if (!is_pending(w, p))
		return k;
	if (w->set.pending == CS_PENDING_AWAITED) {
		from = p->peer;
		to = from + 1;
	}
	for (uint32_t i = from; i < to; i++)
		for (uint32_t m = 0; m < p->mail[i].n; m++)
			k = add(w, k, p->slot, cs_process_peer(w, p, i)->node,
				p->mail[i].arrived_ns[m]);
	return k;
}

/* The nodes of the jobs in the first @n entries, or all nodes, beside the sources: as
 * sources of no process's messages. */
static size_t add_lowest(struct cs_world *w, const struct cs_world_node *on,
			 size_t n)
{
	size_t k = n;

	if (w->set.lowest == CS_LOWEST_ALL)
		for (uint32_t i = 0; i < w->n_node; i++)
			if (i != on->id)
				k = add(w, k, CS_PROC_NONE, i, 0);
	for (size_t i = 0; w->set.lowest == CS_LOWEST_JOBS && i < n; i++) {
		const struct cs_process *p = on->slot[w->pending[i].process];
		const struct cs_world_job *j = &w->job[p->job];

		for (uint32_t r = 0; r < j->mix.size; r++)
			if (r != p->rank)
				k = add(w, k, CS_PROC_NONE,
					w->process[j->first + r].node, 0);
	}
	return k;
}

/* Is a peer of @p on node @n? */
static bool has_peer(const struct cs_world *w, const struct cs_process *p,
		     const struct cs_world_node *n)
{
	for (uint32_t i = 0; i < w->mpl; i++)
		if (n->slot[i] && n->slot[i]->job == p->job)
			return cs_process_are_peers(w, n->slot[i], p);
	return false;
}

/* For each source of the first @n entries that has a peer of @p an entry of its own. */
static size_t add_peers(struct cs_world *w, const struct cs_process *p,
			size_t n)
{
	size_t k = n;

	for (size_t i = 0; i < n; i++)
		if (has_peer(w, p, &w->node[w->pending[i].source]))
			k = add(w, k, p->slot, w->pending[i].source, 0);
	return k;
}

/* The rescheduling latency of node @s as the oracle knows it. */
static double oracle_ns(const struct cs_world *w, const struct cs_world_node *s)
{
	double of = cs_proc_latency_ns(&s->own, (double)w->switch_ns);

	if (w->set.oracle == CS_ORACLE_LATEST)
		return of;
	return of - (double)(w->now_ns - s->own_ns);
}

/* Rule 3. */
static bool is_false(struct cs_world *w, const struct cs_world_node *n,
		     size_t k, const struct cs_process *chosen)
{
	k = add_lowest(w, n, k);
	if (w->set.communicates == CS_COMMUNICATES_PEERS)
		k = add_peers(w, chosen, k);
	for (size_t i = 0; i < k; i++) {
		uint32_t id = w->pending[i].source;

		w->oracle[id] = oracle_ns(w, &w->node[id]);
	}
	return cs_proc_false(w->pending, k, chosen->slot, w->oracle);
}

static struct cs_process *first_of(const struct cs_world_node *n)
{
	return (struct cs_process *)cs_ts_first(&n->ready);
}

/* HYBRID: the first of the ready queue among those in a collective communication. */
static struct cs_process *collective(const struct cs_world *w,
				     const struct cs_world_node *n)
{
	struct cs_process *best = NULL;

	for (uint32_t i = 0; i < w->mpl; i++) {
		struct cs_process *p = n->slot[i];

		if (!p || p->state != CS_STATE_READY || !p->collective)
			continue;
		if (!best || p->link.level > best->link.level ||
		    (p->link.level == best->link.level &&
		     p->since_ns < best->since_ns))
			best = p;
	}
	return best;
}

/* The process of the earliest of the first @k messages. */
static uint32_t earliest(const struct cs_world *w, size_t k)
{
	const struct cs_proc_pending *m = w->pending, *best = m;

	for (size_t i = 1; i < k; i++)
		if (m[i].arrived_ns < best->arrived_ns ||
		    (m[i].arrived_ns == best->arrived_ns &&
		     m[i].process < best->process))
			best = &m[i];
	return best->process;
}

/* A random one of the processes of the first @k messages, which are in order of
 * processes. */
static uint32_t any_of(struct cs_world *w, size_t k)
{
	uint64_t n = 1, at;

	for (size_t i = 1; i < k; i++)
		n += w->pending[i].process != w->pending[i - 1].process;
	at = cs_rng_next(&w->rng) % n;
	for (size_t i = 1; at && i < k; i++)
		if (w->pending[i].process != w->pending[i - 1].process && !--at)
			return w->pending[i].process;
	return w->pending[0].process;
}

/* Rule 2 among the first @k messages, of ready processes (k > 0). */
static void choose_among(struct cs_world *w, struct cs_world_node *n, size_t k,
			 struct cs_choice *c)
{
	const struct cs_process *first = c->process;

	switch (w->scheme->choice) {
	case CS_CHOICE_REORDER:
		c->process = n->slot[cs_proc_reorder(&n->tables, w->pending, k,
						     w->now_ns)];
		c->cost_ns += (int64_t)k * cs_setting_ns(w->set.compare_us);
		if (c->process != first)
			c->cost_ns += cs_setting_ns(w->set.requeue_us);
		break;
	case CS_CHOICE_ARRIVAL:
		c->process = n->slot[earliest(w, k)];
		break;
	case CS_CHOICE_RANDOM:
		c->process = n->slot[any_of(w, k)];
		break;
	default:
		break;
	}
}

struct cs_choice cs_choose(struct cs_world *w, struct cs_world_node *n)
{
	struct cs_choice c = { .process = first_of(n) };
	struct cs_process *p;
	size_t ready = 0, k;

	if (w->scheme->space == CS_SPACE_ROWS) {
		p = n->slot[w->row];
		c.process = p && p->state == CS_STATE_READY ? p : NULL;
		return c;
	}
	if (!c.process)
		return c;
	for (uint32_t i = 0; i < w->mpl; i++)
		if ((p = n->slot[i]) && p->state == CS_STATE_READY)
			ready = cs_choose_add(w, p, ready);
	k = ready;
	for (uint32_t i = 0; i < w->mpl; i++)
		if ((p = n->slot[i]) && p->waking)
			k = cs_choose_add(w, p, k);
	c.conflict = cs_proc_conflict(w->pending, k) > 1;
	if (cs_scheme_reorders(w->scheme))
		c.cost_ns = n->n_process * cs_setting_ns(w->set.enp_us);
	if (w->scheme->choice == CS_CHOICE_COLLECTIVE && (p = collective(w, n)))
		c.process = p;
	if (c.conflict && ready)
		choose_among(w, n, ready, &c);
	if (c.conflict)
		c.is_false = is_false(w, n, k, c.process);
	return c;
}

void cs_choose_count(struct cs_world_node *n, const struct cs_choice *c)
{
	n->counts.switches++;
	n->counts.conflicts += c->conflict;
	n->counts.falses += c->is_false;
}

/* CNP. */
static uint32_t contenders(const struct cs_world *w,
			   const struct cs_world_node *n,
			   const struct cs_process *to)
{
	uint32_t cnp = 0;

	if (w->set.cnp == CS_CNP_UNREAD)
		return n->n_unread - (to && to->n_unread);
	for (uint32_t i = 0; i < w->mpl; i++)
		cnp += n->slot[i] && n->slot[i] != to && n->slot[i]->n_unread &&
		       n->slot[i]->state == CS_STATE_READY;
	return cnp;
}

void cs_choose_switched(struct cs_world *w, struct cs_world_node *n,
			const struct cs_process *to)
{
	cs_proc_node_switch(&n->measure, n->last ? n->stay_ns : -1, w->now_ns);
	n->own = cs_proc_node_latency(&n->measure, contenders(w, n, to));
	n->own_ns = w->now_ns;
}
