/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's life and its events.
 *
 * A job is waiting, proposed, running or suspended:
 *
 *	submit --> waiting --decide--> proposed --started--> running <-> suspended
 *	              ^  |                 |                    |  |
 *	              |  cancel            refused              |  finish
 *	              +--+-----------------+--- requeue --------+
 *
 * Proposed and running jobs hold cores and memory on engine->now and stand in
 * engine->on for their neighbours; suspended ones hold memory.  An event is
 * checked whole before anything changes.
 */
#include "engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eventlog.h"
#include "jobtable.h"
#include "state.h"

static int machine_init(struct cs_engine *e, const struct cs_machine *machine)
{
	uint32_t words;

	e->machine = cs_machine_copy(machine);
	if (!e->machine)
		return -ENOMEM;
	words = cs_node_words(e->machine);
	e->on = calloc(machine->n_node, sizeof(*e->on));
	e->mask = calloc(words, sizeof(*e->mask));
	e->mask2 = calloc(words, sizeof(*e->mask2));
	if (!e->on || !e->mask || !e->mask2 ||
	    cs_occ_init(&e->now, e->machine))
		return -ENOMEM;
	return 0;
}

struct cs_engine *cs_engine_create(const struct cs_params *params,
				   const struct cs_machine *machine,
				   const struct cs_profiles *profiles,
				   struct cs_err *err)
{
	struct cs_engine *e = calloc(1, sizeof(*e));

	if (!e || cs_params_copy(&e->params, params) ||
	    machine_init(e, machine))
		goto nomem;
	if (!profiles)
		profiles = e->no_profiles = cs_profiles_create();
	if (!profiles)
		goto nomem;
	e->profiles = profiles;
	e->model.profiles = profiles;
	e->model.unknown_pair = params->unknown_pair;
	e->epoch = 1;
	e->next_seq = 1;
	e->next_group = 1;
	return e;
nomem:
	cs_err_set(err, -ENOMEM, "engine: out of memory");
	cs_engine_free(e);
	return NULL;
}

void cs_engine_free(struct cs_engine *e)
{
	if (!e)
		return;
	cs_jobtable_done(e);
	for (uint32_t n = 0; e->on && n < e->machine->n_node; n++)
		free(e->on[n].slot);
	free(e->on);
	for (uint32_t i = 0; i < e->n_nodeset; i++)
		free(e->nodeset[i]);
	free(e->nodeset);
	free(e->nodeset_node);
	for (uint32_t i = 0; i < e->n_held; i++)
		free(e->held[i].nodes);
	free(e->held);
	cs_occ_done(&e->now);
	free(e->mask);
	free(e->mask2);
	free(e->action);
	cs_machine_free(e->machine);
	cs_profiles_free(e->no_profiles);
	cs_params_done(&e->params);
	free(e);
}

int64_t cs_engine_nodeset(struct cs_engine *e, const uint64_t *set)
{
	size_t bytes = cs_node_words(e->machine) * sizeof(*set);
	uint64_t *copy;

	for (uint32_t i = 0; i < e->n_nodeset; i++)
		if (!memcmp(e->nodeset[i], set, bytes))
			return i;
	if (e->n_nodeset == e->cap_nodeset) {
		uint32_t cap = e->cap_nodeset ? 2 * e->cap_nodeset : 8;
		void *sets = realloc(e->nodeset, cap * sizeof(*e->nodeset));
		void *nodes;

		if (sets)
			e->nodeset = sets;
		nodes = realloc(e->nodeset_node, cap * sizeof(*e->nodeset_node));
		if (nodes)
			e->nodeset_node = nodes;
		if (!sets || !nodes)
			return -ENOMEM;
		e->cap_nodeset = cap;
	}
	copy = malloc(bytes);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, set, bytes);
	e->nodeset[e->n_nodeset] = copy;
	e->nodeset_node[e->n_nodeset] = cs_layout_node(e->machine, copy);
	return e->n_nodeset++;
}

const uint64_t *cs_engine_nodeset_words(const struct cs_engine *e,
					uint32_t nodeset, uint32_t *ret_words)
{
	if (nodeset >= e->n_nodeset)
		return NULL;
	*ret_words = cs_node_words(e->machine);
	return e->nodeset[nodeset];
}

/* Room for @n more actions. */
static int actions_reserve(struct cs_engine *e, size_t n)
{
	size_t cap = e->cap_action ? 2 * e->cap_action : 16;
	struct cs_action *a;

	if (e->n_action + n <= e->cap_action)
		return 0;
	a = realloc(e->action, cap * sizeof(*a));
	if (!a)
		return -ENOMEM;
	e->action = a;
	e->cap_action = cap;
	return 0;
}

struct cs_action *cs_engine_action(struct cs_engine *e,
				   enum cs_action_type type)
{
	struct cs_action *a;

	if (actions_reserve(e, 1))
		return NULL;
	a = &e->action[e->n_action++];
	*a = (struct cs_action){ .type = type, .slowdown = 1 };
	return a;
}

/* Cores. */

static int slots_add(struct cs_slots *s, uint32_t slot)
{
	if (s->n == s->cap) {
		uint32_t cap = s->cap ? 2 * s->cap : 4;
		uint32_t *p = realloc(s->slot, cap * sizeof(*p));

		if (!p)
			return -ENOMEM;
		s->slot = p;
		s->cap = cap;
	}
	s->slot[s->n++] = slot;
	return 0;
}

static void slots_remove(struct cs_slots *s, uint32_t slot)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->slot[i] == slot) {
			memmove(&s->slot[i], &s->slot[i + 1],
				(s->n - i - 1) * sizeof(*s->slot));
			s->n--;
			return;
		}
}

int cs_engine_book(struct cs_engine *e, struct cs_ejob *j)
{
	const struct cs_alloc *a = j->alloc;

	for (uint32_t i = 0; i < a->n_node; i++)
		if (slots_add(&e->on[a->node[i].node], j->slot)) {
			while (i--)
				slots_remove(&e->on[a->node[i].node], j->slot);
			return -ENOMEM;
		}
	cs_occ_add(&e->now, a, j->hold);
	cs_progress_neighbours(e, a);
	return 0;
}

void cs_engine_unbook(struct cs_engine *e, struct cs_ejob *j)
{
	const struct cs_alloc *a = j->alloc;

	cs_progress_bring(j, e->now_us);
	for (uint32_t i = 0; i < a->n_node; i++)
		slots_remove(&e->on[a->node[i].node], j->slot);
	cs_occ_remove(&e->now, a, j->hold);
	cs_progress_neighbours(e, a);
}

/* Proposals. */

static void waits_again(struct cs_engine *e, struct cs_ejob *j)
{
	cs_alloc_free(j->alloc);
	j->alloc = NULL;
	j->group = 0;
	j->role = CS_ROLE_NONE;
	j->with = 0;
	j->seq = 0;
	j->needs = 0;
	j->placed_by_host = false;
	j->limit_dirty = false;
	cs_jobtable_move(e, j, CS_WAITING);
}

struct cs_ejob *cs_engine_propose(struct cs_engine *e, struct cs_ejob *j,
				  uint32_t option, struct cs_alloc *a,
				  enum cs_hold hold)
{
	struct cs_ejob *task = j;

	/* A proposal without its action would never be answered: the room for
	 * those of both members of a new pair comes first. */
	if (actions_reserve(e, 2))
		task = NULL;
	else if (j->job.array_id)
		task = cs_jobtable_split(e, j);
	if (!task) {
		cs_alloc_free(a);
		return NULL;
	}
	j = task;
	cs_jobtable_move(e, j, CS_PROPOSED);
	j->alloc = a;
	j->option = option;
	j->hold = hold;
	j->seq = e->next_seq++;
	j->needs = 0;
	j->start_us = j->at_us = e->now_us;
	j->ran_us = j->done_us = 0;
	j->factor = j->cos = 1;
	j->limit_us = j->job.estimate_us;
	j->told_us = 0;
	j->placed_by_host = (cs_job_flags(j, option) & CS_JOB_HOST) != 0;
	if (!j->placed_by_host && cs_engine_book(e, j)) {
		waits_again(e, j);
		cs_jobtable_merge(e, j);
		return NULL;
	}
	j->limit_dirty = false;
	e->open++;
	return j;
}

static struct cs_ejob *proposed(const struct cs_engine *e, uint32_t seq)
{
	for (size_t i = 0; seq && i < e->started.n; i++)
		if (e->started.job[i]->state == CS_PROPOSED &&
		    e->started.job[i]->seq == seq)
			return e->started.job[i];
	return NULL;
}

/* Events.  Each checks, then changes. */

static int unknown(struct cs_err *err, const char *what, uint32_t id)
{
	return cs_err_set(err, -ENOENT, "%s %u is not known", what, id);
}

static int on_submit(struct cs_engine *e, const struct cs_job *job,
		     struct cs_err *err)
{
	return cs_jobtable_check(e, job, err) ?: cs_jobtable_add(e, job, err);
}

static int on_change(struct cs_engine *e, const struct cs_job *job,
		     struct cs_err *err)
{
	struct cs_ejob *j = cs_engine_job(e, job->id);

	if (!j)
		return unknown(err, "job", job->id);
	if (j->state != CS_WAITING)
		return cs_err_set(err, -EINVAL, "job %u does not wait",
				  job->id);
	return cs_jobtable_check(e, job, err) ?:
	       cs_jobtable_replace(e, j, job, err);
}

static int on_cancel(struct cs_engine *e, uint32_t id, struct cs_err *err)
{
	struct cs_ejob *j = cs_engine_job(e, id);

	if (!j)
		return unknown(err, "job", id);
	if (j->state != CS_WAITING)
		return cs_err_set(err, -EINVAL, "job %u does not wait", id);
	cs_jobtable_remove(e, j);
	return 0;
}

static int check_alloc(const struct cs_engine *e, const struct cs_alloc *a,
		       struct cs_err *err)
{
	if (!a || !a->n_node || a->words != e->machine->words)
		return cs_err_set(err, -EINVAL, "an allocation of no nodes");
	for (uint32_t i = 0; i < a->n_node; i++)
		if (a->node[i].node >= e->machine->n_node ||
		    (i && a->node[i].node <= a->node[i - 1].node))
			return cs_err_set(err, -EINVAL,
					  "allocation: node index %u out of "
					  "range or order",
					  a->node[i].node);
	return 0;
}

/* The cores of @a (NULL: none) on @node, or NULL. */
static const uint64_t *cores_on(const struct cs_alloc *a, uint32_t node)
{
	uint32_t from = 0, to = a ? a->n_node : 0;

	while (from < to) {
		uint32_t i = from + (to - from) / 2;

		if (a->node[i].node == node)
			return cs_alloc_cores(a, i);
		if (a->node[i].node < node)
			from = i + 1;
		else
			to = i;
	}
	return NULL;
}

/* Does nobody but @own (NULL: nobody at all) hold a core of @a?  A host that
 * gives one core to several has jobs that the model does not hold. */
static int check_free(const struct cs_engine *e, const struct cs_alloc *a,
		      const struct cs_alloc *own, struct cs_err *err)
{
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;
		const uint64_t *used = cs_occ_used(&e->now, n);
		const uint64_t *mine = cores_on(own, n);

		for (uint32_t w = 0; w < a->words; w++)
			if (cs_alloc_cores(a, i)[w] & used[w] &
			    ~(mine ? mine[w] : 0))
				return cs_err_set(err, -EINVAL,
						  "somebody else holds a core "
						  "of it on node %u",
						  n);
	}
	return 0;
}

/* Take over what the host really gave. */
static int run(struct cs_engine *e, struct cs_ejob *j,
	       const struct cs_started *s, enum cs_hold hold)
{
	struct cs_alloc *a = cs_alloc_copy(s->alloc);
	struct cs_alloc *old = j->alloc;
	bool booked = j->state == CS_PROPOSED && !j->placed_by_host;
	int rc = a ? 0 : -ENOMEM;

	if (rc)
		return rc;
	if (booked)
		cs_engine_unbook(e, j);
	j->alloc = a;
	j->hold = hold;
	j->start_us = s->start_us;
	rc = cs_engine_book(e, j);
	if (rc) {
		/* as it was: the slots it had cannot fail to be there */
		j->alloc = old;
		if (booked)
			cs_engine_book(e, j);
		cs_alloc_free(a);
		return rc;
	}
	cs_alloc_free(old);
	return 0;
}

/* A task of an array has its id now: tell its partners. */
static void named(struct cs_engine *e, const struct cs_ejob *j)
{
	for (size_t i = 0; j->group && i < e->started.n; i++) {
		struct cs_ejob *x = e->started.job[i];

		if (x != j && x->group == j->group && !x->with)
			x->with = j->job.id;
	}
}

static int on_confirmed(struct cs_engine *e, const struct cs_started *s,
			struct cs_err *err)
{
	struct cs_ejob *j = proposed(e, s->seq), *same;
	int rc;

	if (!j)
		return unknown(err, "seq", s->seq);
	same = cs_engine_job(e, s->job_id);
	/* the last task of an array may keep the array's id */
	if (same && same != j &&
	    (j->master != s->job_id || same->job.tasks ||
	     cs_jobtable_tasks(e, j->master) > 1))
		return cs_err_set(err, -EEXIST, "job %u is known already",
				  s->job_id);
	rc = check_alloc(e, s->alloc, err);
	if (!rc)
		rc = check_free(e, s->alloc, j->placed_by_host ? NULL : j->alloc,
				err);
	if (!rc)
		rc = run(e, j, s, j->hold);
	if (!rc)
		rc = cs_jobtable_name(e, j, s->job_id);
	if (rc)
		return rc;
	cs_jobtable_move(e, j, CS_RUNNING);
	j->at_us = e->now_us;
	j->limit_us = s->limit_us;
	j->limit_dirty = false;
	j->seq = 0;
	e->open--;
	e->starts++;
	named(e, j);
	return 0;
}

/* A job that ran before we came, or that the host started by itself. */
static int on_found_running(struct cs_engine *e, const struct cs_started *s,
			    struct cs_err *err)
{
	struct cs_ejob *j = cs_engine_job(e, s->job_id);
	bool exclusive;
	int rc;

	if (!j)
		return unknown(err, "job", s->job_id);
	if (j->state != CS_WAITING)
		return cs_err_set(err, -EINVAL, "job %u does not wait",
				  s->job_id);
	if (s->option >= j->job.n_option)
		return cs_err_set(err, -EINVAL, "job %u: no partition %u",
				  s->job_id, s->option);
	rc = check_alloc(e, s->alloc, err);
	if (!rc)
		rc = check_free(e, s->alloc, NULL, err);
	if (rc)
		return rc;
	exclusive = (cs_job_flags(j, s->option) & CS_JOB_EXCLUSIVE) != 0;
	cs_jobtable_move(e, j, CS_RUNNING);
	j->option = s->option;
	j->at_us = s->at_us ? s->at_us : s->start_us;
	j->ran_us = s->at_us ? s->at_us - s->start_us : 0;
	j->done_us = s->done_us;
	j->factor = s->factor > 1 ? s->factor : 1;
	j->cos = 1;
	j->group = s->group;
	j->role = s->group ? s->role : CS_ROLE_NONE;
	e->told_groups |= s->group != 0;
	j->limit_us = s->limit_us;
	j->told_us = 0;
	rc = run(e, j, s,
		 exclusive   ? CS_HOLD_EXCLUSIVE
		 : s->packed ? CS_HOLD_PACKED
			     : CS_HOLD_COUNTED);
	if (rc) {
		waits_again(e, j);
		return rc;
	}
	if (s->group >= e->next_group)
		e->next_group = s->group + 1;
	/* it was raised for a partner who may have ended meanwhile */
	j->limit_dirty = s->factor > 1;
	named(e, j);
	return 0;
}

static int on_refused(struct cs_engine *e, uint32_t seq, enum cs_refused class,
		      const char *why, struct cs_err *err)
{
	struct cs_ejob *j = proposed(e, seq), *waits;
	uint32_t group;

	if (!j)
		return unknown(err, "seq", seq);
	group = j->group;
	if (!j->placed_by_host)
		cs_engine_unbook(e, j);
	waits_again(e, j);
	waits = cs_jobtable_merge(e, j);
	cs_group_left(e, group, false);
	e->open--;
	e->refusals++;
	if (class == CS_REFUSED_CHANGED)
		waits->refused_epoch = e->epoch;
	if (class == CS_REFUSED_TIMED)
		waits->retry_us = e->now_us + e->params.retry_s * 1000000;
	snprintf(waits->refused, sizeof(waits->refused), "%s", why ? why : "");
	return 0;
}

static int started_job(const struct cs_engine *e, uint32_t id,
		       struct cs_ejob **ret, struct cs_err *err)
{
	*ret = cs_engine_job(e, id);
	if (!*ret)
		return unknown(err, "job", id);
	if ((*ret)->state != CS_RUNNING && (*ret)->state != CS_SUSPENDED)
		return cs_err_set(err, -EINVAL, "job %u does not run", id);
	return 0;
}

static void leave(struct cs_engine *e, struct cs_ejob *j)
{
	uint32_t group = j->group;

	if (j->state == CS_SUSPENDED)
		cs_occ_remove_memory(&e->now, j->alloc);
	else
		cs_engine_unbook(e, j);
	e->epoch++;
	j->group = 0;
	cs_group_left(e, group, true);
}

static int on_finish(struct cs_engine *e, uint32_t id, struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = started_job(e, id, &j, err);

	if (rc)
		return rc;
	leave(e, j);
	cs_jobtable_remove(e, j);
	return 0;
}

static int on_requeue(struct cs_engine *e, const struct cs_job *job,
		      struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = started_job(e, job->id, &j, err);

	if (!rc)
		rc = cs_jobtable_check(e, job, err);
	if (!rc)
		rc = cs_jobtable_replace(e, j, job, err);
	if (rc)
		return rc;
	leave(e, j);
	waits_again(e, j);
	return 0;
}

static int on_suspend(struct cs_engine *e, uint32_t id, struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = started_job(e, id, &j, err);

	if (rc)
		return rc;
	if (j->state == CS_SUSPENDED)
		return cs_err_set(err, -EINVAL, "job %u is suspended", id);
	cs_engine_unbook(e, j);
	cs_occ_add_memory(&e->now, j->alloc);
	cs_jobtable_move(e, j, CS_SUSPENDED);
	e->epoch++;
	return 0;
}

static int on_resume(struct cs_engine *e, uint32_t id, struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = started_job(e, id, &j, err);

	if (rc)
		return rc;
	if (j->state != CS_SUSPENDED)
		return cs_err_set(err, -EINVAL, "job %u is not suspended", id);
	rc = check_free(e, j->alloc, NULL, err);
	if (rc)
		return rc;
	cs_progress_bring(j, e->now_us);
	cs_occ_remove_memory(&e->now, j->alloc);
	cs_jobtable_move(e, j, CS_RUNNING);
	rc = cs_engine_book(e, j);
	if (rc) {
		cs_jobtable_move(e, j, CS_SUSPENDED);
		cs_occ_add_memory(&e->now, j->alloc);
	}
	return rc;
}

/* The host changed a limit: the estimate becomes what fits it, and we do not cut
 * what somebody has granted. */
static int on_limit(struct cs_engine *e, uint32_t id, int64_t limit_us,
		    struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = started_job(e, id, &j, err);
	int64_t rest;

	if (rc)
		return rc;
	cs_progress_bring(j, e->now_us);
	rest = limit_us > j->ran_us ? limit_us - j->ran_us : 0;
	j->job.estimate_us = j->done_us + (int64_t)((double)rest / j->factor);
	if (j->job.estimate_us < 1)
		j->job.estimate_us = 1;
	j->limit_us = j->told_us = limit_us;
	return 0;
}

static int on_node(struct cs_engine *e, uint32_t n, bool up,
		   struct cs_err *err)
{
	if (n >= e->machine->n_node)
		return unknown(err, "node", n);
	e->now.down[n / 64] &= ~(UINT64_C(1) << (n % 64));
	if (!up)
		cs_bit_set(e->now.down, n);
	e->epoch++;
	return 0;
}

static struct cs_held_nodes *find_held(struct cs_engine *e, uint32_t id)
{
	for (uint32_t i = 0; i < e->n_held; i++)
		if (e->held[i].id == id)
			return &e->held[i];
	return NULL;
}

/* A reservation's place in engine->held, a new one if need be; NULL: no memory */
static struct cs_held_nodes *held_for(struct cs_engine *e, uint32_t id)
{
	struct cs_held_nodes *h = find_held(e, id);

	if (h)
		return h;
	h = realloc(e->held, (e->n_held + 1) * sizeof(*h));
	if (!h)
		return NULL;
	e->held = h;
	h += e->n_held;
	*h = (struct cs_held_nodes){
		.id = id,
		.nodes = calloc(cs_node_words(e->machine), sizeof(*h->nodes))
	};
	if (!h->nodes)
		return NULL;
	e->n_held++;
	return h;
}

static int on_reservation(struct cs_engine *e, const struct cs_reservation *r,
			  struct cs_err *err)
{
	struct cs_held_nodes *h;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i] >= e->machine->n_node)
			return unknown(err, "node", r->node[i]);
	if (!r->n && !find_held(e, r->id))
		return unknown(err, "reservation", r->id);
	h = held_for(e, r->id);
	if (!h)
		return -ENOMEM;
	e->epoch++;
	if (!r->n) {
		free(h->nodes);
		*h = e->held[--e->n_held];
		return 0;
	}
	h->start_us = r->start_us;
	h->end_us = r->end_us;
	memset(h->nodes, 0, cs_node_words(e->machine) * sizeof(*h->nodes));
	for (uint32_t i = 0; i < r->n; i++)
		cs_bit_set(h->nodes, r->node[i]);
	return 0;
}

int cs_engine_event(struct cs_engine *e, const struct cs_event *ev,
		    struct cs_err *err)
{
	if (ev->t_us > e->now_us)
		e->now_us = ev->t_us;
	switch (ev->type) {
	case CS_EV_SUBMIT:
		return on_submit(e, ev->job, err);
	case CS_EV_CHANGE:
		return on_change(e, ev->job, err);
	case CS_EV_CANCEL:
		return on_cancel(e, ev->job_id, err);
	case CS_EV_STARTED:
		return ev->start->seq ? on_confirmed(e, ev->start, err)
				      : on_found_running(e, ev->start, err);
	case CS_EV_REFUSED:
		return on_refused(e, ev->refused.seq, ev->refused.class,
				  ev->refused.why, err);
	case CS_EV_FINISH:
		return on_finish(e, ev->job_id, err);
	case CS_EV_REQUEUE:
		return on_requeue(e, ev->job, err);
	case CS_EV_SUSPEND:
		return on_suspend(e, ev->job_id, err);
	case CS_EV_RESUME:
		return on_resume(e, ev->job_id, err);
	case CS_EV_LIMIT:
		return on_limit(e, ev->limit.job_id, ev->limit.limit_us, err);
	case CS_EV_NODE:
		return on_node(e, ev->node.index, ev->node.up, err);
	case CS_EV_RESERVATION:
		return on_reservation(e, ev->reservation, err);
	case CS_EV_TICK:
		return 0;
	}
	return cs_err_set(err, -EINVAL, "event of type %d", (int)ev->type);
}
