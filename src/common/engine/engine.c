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
 * Proposed and running jobs hold cores and memory on their virtual machine and stand in
 * its lists for their neighbours; suspended ones hold memory.  An event is
 * checked whole before anything changes.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/easy.h"
#include "log/write_line.h"
#include "job/resv.h"
#include "state/jobtable.h"
#include "state/state.h"

static int vm_init(struct cs_engine *e, struct cs_vm *vm)
{
	vm->on = calloc(e->machine->n_node, sizeof(*vm->on));
	vm->plan.regroup = true;
	return vm->on ? cs_occ_init(&vm->now, e->machine) : -ENOMEM;
}

static void vm_done(struct cs_engine *e, struct cs_vm *vm)
{
	cs_backfill_done(vm);
	free(vm->queue.entry);
	for (uint32_t n = 0; vm->on && n < e->machine->n_node; n++)
		free(vm->on[n].slot);
	free(vm->on);
	cs_occ_done(&vm->now);
	cs_plan_done(&vm->plan);
}

static int machine_init(struct cs_engine *e, const struct cs_machine *machine)
{
	uint32_t words;
	int rc = 0;

	e->machine = cs_machine_copy(machine);
	if (!e->machine)
		return -ENOMEM;
	words = cs_node_words(e->machine);
	for (uint32_t n = 0; n < machine->n_node; n++)
		if (machine->node[n].threads > e->most_threads)
			e->most_threads = machine->node[n].threads;
	e->mask = calloc(words, sizeof(*e->mask));
	e->mask2 = calloc(words, sizeof(*e->mask2));
	e->waited = calloc(words, sizeof(*e->waited));
	if (!e->mask || !e->mask2 || !e->waited)
		return -ENOMEM;
	e->n_vm = e->params.slice == CS_SLICE_PECT ? CS_CLASSES : 1;
	e->vm = e->vms;
	for (uint32_t i = 0; !rc && i < e->n_vm; i++)
		rc = vm_init(e, &e->vms[i]);
	return rc ?: cs_slice_init(e) ?: cs_campaign_init(e);
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
	e->model.table4 = params->slowdowns == CS_SLOWDOWNS_TABLE4;
	e->model.seed = (uint64_t)params->seed;
	e->epoch = 1;
	e->anew = true;
	e->layouts = 1;
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
	for (uint32_t i = 0; i < e->n_vm; i++)
		vm_done(e, &e->vms[i]);
	cs_slice_done(e);
	cs_campaign_done(e);
	for (uint32_t i = 0; i < e->n_nodeset; i++)
		free(e->nodeset[i]);
	free(e->nodeset);
	free(e->nodeset_node);
	cs_resv_done(e);
	free(e->mask);
	free(e->mask2);
	free(e->candidate);
	free(e->waited);
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
	*a = (struct cs_action){ .type = type, .slowdown = 1, .beside = 1 };
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
	uint32_t i = 0;

	while (i < s->n && s->slot[i] != slot)
		i++;
	if (i < s->n)
		s->n--;
	for (; i < s->n; i++)
		s->slot[i] = s->slot[i + 1];
}

/* Book or unbook a job's allocation on the machine (proposed, running). */
static int book(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_alloc *a = j->alloc;

	e->vm = cs_vm_of(e, j);
	a->owner = cs_match_owner(e, j, j->option);
	for (uint32_t i = 0; i < a->n_node; i++)
		if (slots_add(&e->vm->on[a->node[i].node], j->slot)) {
			while (i--)
				slots_remove(&e->vm->on[a->node[i].node], j->slot);
			return -ENOMEM;
		}
	cs_occ_add(&e->vm->now, a, j->hold);
	cs_endings_add(e, j);
	if (e->vm->now.shared_nodes)
		cs_progress_neighbours(e, a);
	else
		cs_progress_refresh(e, j);
	cs_plan_booked(e, j);
	cs_slice_got(e, j, 1);
	if (j->state != CS_STOPPED)
		cs_slice_enters(e, j);
	return 0;
}

static void unbook(struct cs_engine *e, struct cs_ejob *j)
{
	const struct cs_alloc *a = j->alloc;
	bool shared;

	e->vm = cs_vm_of(e, j);
	shared = e->vm->now.shared_nodes > 0;
	cs_plan_leaving(e, j);
	cs_progress_bring(j, e->now_us);
	cs_slice_got(e, j, -1);
	if (j->state != CS_STOPPED)
		cs_slice_leaves(e, j);
	for (uint32_t i = 0; i < a->n_node; i++)
		slots_remove(&e->vm->on[a->node[i].node], j->slot);
	cs_occ_remove(&e->vm->now, a, j->hold);
	cs_endings_remove(e, j);
	if (shared)
		cs_progress_neighbours(e, a);
}

/* Proposals. */

static void waits_again(struct cs_engine *e, struct cs_ejob *j)
{
	cs_alloc_free(j->alloc);
	j->alloc = NULL;
	j->seq = 0;
	j->needs = 0;
	j->placed_by_host = false;
	j->limit_dirty = false;
	j->plan.start_us = j->plan.end_us = CS_TIME_NONE;
	cs_jobtable_move(e, j, CS_WAITING);
}

struct cs_ejob *cs_engine_propose(struct cs_engine *e, struct cs_ejob *j,
				  uint32_t option, struct cs_alloc *a,
				  enum cs_hold hold)
{
	int64_t turn_us = j->plan.turn_us;
	struct cs_ejob *task = j;
	uint32_t needs;

	/* A proposal without its action would never be answered: the room for
	 * those of both members of a new pair comes first. */
	if (cs_slice_clear(e, a, &needs) || actions_reserve(e, 2))
		task = NULL;
	else if (j->job.array_id)
		task = cs_jobtable_split(e, j);
	if (!task) {
		cs_alloc_free(a);
		return NULL;
	}
	cs_plan_takes(e, j, a, hold);
	cs_plan_drop(e, j);
	if (!(cs_job_flags(j, option) & CS_JOB_HOST))
		cs_refused_exact(e, j, option);
	j = task;
	j->plan.turn_us = turn_us;
	cs_jobtable_move(e, j, CS_PROPOSED);
	j->alloc = a;
	j->option = option;
	j->hold = hold;
	j->seq = e->next_seq++;
	j->needs = needs;
	j->start_us = j->at_us = e->now_us;
	j->ran_us = j->done_us = 0;
	j->factor = j->cos = 1;
	j->limit_us = j->job.estimate_us;
	j->told_us = 0;
	j->placed_by_host = (cs_job_flags(j, option) & CS_JOB_HOST) != 0;
	if (!j->placed_by_host && book(e, j)) {
		waits_again(e, j);
		cs_jobtable_merge(e, j);
		return NULL;
	}
	j->limit_dirty = false;
	e->open++;
	return j;
}

/* Whom action @seq was about, who is in @state since. */
static struct cs_ejob *asked(const struct cs_engine *e, uint32_t seq,
			     enum cs_state state)
{
	/* the last ones stand at the end */
	for (size_t i = e->started.n; seq && i--;)
		if (e->started.job[i]->state == state &&
		    e->started.job[i]->seq == seq)
			return e->started.job[i];
	return NULL;
}

/*
 * Cores that suspended jobs keep.  A host that lets a job stand on cores of a
 * suspended one, and resumes that when the other has gone, gives these to nobody
 * else meanwhile.  So whenever it moves a job all of them let go, and then keep, in
 * the order of their numbers, what nobody has.
 */

static void let_go(struct cs_engine *e, struct cs_ejob *j)
{
	if (!j->whole)
		return;
	unbook(e, j);
	cs_alloc_free(j->alloc);
	j->alloc = j->whole;
	j->hold = j->whole_hold;
	j->whole = NULL;
}

/* A copy of @a without the cores that are used; NULL with *@ret_rc 0: none is
 * left. */
static struct cs_alloc *unused(const struct cs_vm *vm, const struct cs_alloc *a,
			       int *ret_rc)
{
	struct cs_alloc *to = cs_alloc_copy(a);
	uint32_t n = 0;

	*ret_rc = to ? 0 : -ENOMEM;
	for (uint32_t i = 0; to && i < a->n_node; i++) {
		const uint64_t *used = cs_occ_used(&vm->now, a->node[i].node);
		uint64_t any = 0;

		to->node[n] = a->node[i];
		to->node[n].mem_mb = 0; /* it holds that all the time */
		for (uint32_t w = 0; w < a->words; w++) {
			uint64_t left = cs_alloc_cores(a, i)[w] & ~used[w];

			cs_alloc_cores(to, n)[w] = left;
			any |= left;
		}
		n += any != 0;
	}
	if (to)
		to->n_node = n;
	if (n)
		return to;
	cs_alloc_free(to);
	return NULL;
}

/* Beside packed ones, whoever it is: the host lets others come there. */
static int keep(struct cs_engine *e, struct cs_ejob *j)
{
	int rc;
	struct cs_alloc *left = unused(cs_vm_of(e, j), j->alloc, &rc);

	if (!left)
		return rc;
	j->whole = j->alloc;
	j->whole_hold = j->hold;
	j->alloc = left;
	j->hold = CS_HOLD_PACKED;
	rc = book(e, j);
	if (!rc)
		return 0;
	cs_alloc_free(left);
	j->alloc = j->whole;
	j->hold = j->whole_hold;
	j->whole = NULL;
	return rc;
}

static int by_number(const void *a, const void *b)
{
	const struct cs_ejob *x = *(struct cs_ejob *const *)a;
	const struct cs_ejob *y = *(struct cs_ejob *const *)b;

	return x->job.id < y->job.id ? -1 : x->job.id > y->job.id;
}

/* Those that keep cores, into e->scratch. */
static size_t keepers(struct cs_engine *e)
{
	size_t n = 0;

	for (size_t i = 0; e->keepers && i < e->started.n; i++)
		if (e->started.job[i]->keeps)
			e->scratch.job[n++] = e->started.job[i];
	if (n > 1)
		qsort(e->scratch.job, n, sizeof(*e->scratch.job), by_number);
	return n;
}

static void all_let_go(struct cs_engine *e)
{
	size_t n = keepers(e);

	for (size_t i = 0; i < n; i++)
		let_go(e, e->scratch.job[i]);
}

static int all_keep(struct cs_engine *e)
{
	size_t n = keepers(e);
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = keep(e, e->scratch.job[i]);
	return rc;
}

static void set_keeps(struct cs_engine *e, struct cs_ejob *j, bool keeps)
{
	e->keepers += keeps;
	e->keepers -= j->keeps;
	j->keeps = keeps;
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

/* The waiting job @j is no more. */
static void will_not_run(struct cs_engine *e, struct cs_ejob *j)
{
	cs_plan_drop(e, j);
	cs_vm_of(e, j)->plan.stale = true; /* others may move up */
	cs_campaign_cancelled(e, j);
	cs_jobtable_remove(e, j);
}

static int on_cancel(struct cs_engine *e, uint32_t id, struct cs_err *err)
{
	struct cs_ejob *j = cs_engine_job(e, id);

	if (!j)
		return unknown(err, "job", id);
	if (j->state != CS_WAITING)
		return cs_err_set(err, -EINVAL, "job %u does not wait", id);
	will_not_run(e, j);
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

/* Does nobody but @own (NULL: nobody at all) hold a core of @a?  A host that
 * gives one core to several has jobs that the model does not hold. */
static int check_free(const struct cs_vm *vm, const struct cs_alloc *a,
		      const struct cs_alloc *own, struct cs_err *err)
{
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t n = a->node[i].node;
		const uint64_t *used = cs_occ_used(&vm->now, n);
		const uint64_t *mine = cs_alloc_cores_on(own, n);

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

bool cs_engine_has_room(const struct cs_engine *e, const struct cs_alloc *a)
{
	bool room = !check_alloc(e, a, NULL);

	for (uint32_t i = 0; room && i < e->n_vm; i++)
		room = !check_free(&e->vms[i], a, NULL, NULL);
	return room;
}

void cs_engine_unheld(const struct cs_engine *e, const struct cs_alloc *a,
		      uint64_t *ret_nodes)
{
	if (a->words != e->machine->words)
		return;
	for (uint32_t i = 0; i < a->n_node; i++) {
		const uint64_t *cores = cs_alloc_cores(a, i);
		uint32_t n = a->node[i].node;

		for (uint32_t w = 0; n < e->machine->n_node && w < a->words;
		     w++)
			if (cores[w] & ~cs_occ_used(&e->vm->now, n)[w])
				cs_bit_set(ret_nodes, n);
	}
}

/* Take over what the host really gave. */
static int run(struct cs_engine *e, struct cs_ejob *j,
	       const struct cs_started *s, enum cs_hold hold)
{
	bool booked = j->state == CS_PROPOSED && !j->placed_by_host;
	struct cs_alloc *a, *old = j->alloc;
	int rc;

	e->anew = true;
	a = cs_alloc_copy(s->alloc);
	if (!a)
		return -ENOMEM;
	if (booked)
		unbook(e, j);
	j->alloc = a;
	j->hold = hold;
	j->start_us = s->start_us;
	rc = book(e, j);
	if (rc) {
		/* as it was: the slots it had cannot fail to be there */
		j->alloc = old;
		if (booked)
			book(e, j);
		cs_alloc_free(a);
		return rc;
	}
	cs_alloc_free(old);
	return 0;
}

/* Did the host give what was proposed, which is booked? */
static bool as_proposed(const struct cs_ejob *j, const struct cs_started *s)
{
	return !j->placed_by_host && s->alloc &&
	       cs_alloc_equal(j->alloc, s->alloc);
}

/* What the host gave to proposed job @j. */
static int take_given(struct cs_engine *e, struct cs_ejob *j,
		      const struct cs_started *s, struct cs_err *err)
{
	if (as_proposed(j, s)) {
		e->anew |= j->at_us != e->now_us;
		j->start_us = s->start_us;
		return 0;
	}
	return check_alloc(e, s->alloc, err) ?:
	       check_free(e->vm, s->alloc, j->placed_by_host ? NULL : j->alloc,
			  err) ?:
	       run(e, j, s, j->hold);
}

/* A task of an array has its id now: tell its partners. */
static void named(const struct cs_ejob *j)
{
	for (struct cs_ejob *x = j->mate; x && x != j; x = x->mate)
		if (!x->with)
			x->with = j->job.id;
}

/* @j, or a task of it, has started in that partition. */
static void took_off(struct cs_engine *e, struct cs_ejob *j, uint32_t option)
{
	cs_refused_started(j, option);
	cs_forecast_drop(e, j);
}

static int on_confirmed(struct cs_engine *e, const struct cs_started *s,
			struct cs_err *err)
{
	struct cs_ejob *j = asked(e, s->seq, CS_PROPOSED), *same;
	uint32_t array;
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
	e->vm = cs_vm_of(e, j);
	array = j->master;
	rc = take_given(e, j, s, err) ?: cs_jobtable_name(e, j, s->job_id);
	if (rc)
		return rc;
	if (j->placed_by_host)
		cs_refused_unasked(e);
	cs_jobtable_move(e, j, CS_RUNNING);
	cs_speed_note(e, j);
	j->at_us = e->now_us;
	j->limit_us = s->limit_us;
	/* who was put beside it after its start was proposed is not in that limit */
	e->limits |= j->limit_dirty;
	j->seq = 0;
	e->open--;
	e->starts++;
	took_off(e, j, j->option);
	if (cs_engine_job(e, array))
		took_off(e, cs_engine_job(e, array), j->option);
	named(j);
	return 0;
}

/* @j runs as @s says, but for its nodes. */
static void runs_as(struct cs_engine *e, struct cs_ejob *j,
		    const struct cs_started *s)
{
	cs_jobtable_move(e, j, CS_RUNNING);
	cs_speed_note(e, j);
	j->option = s->option;
	j->at_us = s->at_us ? s->at_us : s->start_us;
	j->ran_us = s->at_us ? s->at_us - s->start_us : 0;
	if (s->ran_us > 0)
		j->ran_us = s->ran_us;
	j->done_us = s->done_us;
	j->factor = s->factor > 1 ? s->factor : 1;
	j->cos = 1;
	j->limit_us = s->limit_us;
	j->told_us = 0;
}

static enum cs_hold hold_of(const struct cs_ejob *j, const struct cs_started *s)
{
	if (cs_job_flags(j, s->option) & CS_JOB_EXCLUSIVE)
		return CS_HOLD_EXCLUSIVE;
	return s->packed ? CS_HOLD_PACKED : CS_HOLD_COUNTED;
}

/* A job that ran before we came, or that the host started by itself. */
static int on_found_running(struct cs_engine *e, const struct cs_started *s,
			    struct cs_err *err)
{
	struct cs_ejob *j = cs_engine_job(e, s->job_id);
	int rc;

	if (!j)
		return unknown(err, "job", s->job_id);
	if (j->state != CS_WAITING)
		return cs_err_set(err, -EINVAL, "job %u does not wait",
				  s->job_id);
	if (s->option >= j->job.n_option)
		return cs_err_set(err, -EINVAL, "job %u: no partition %u",
				  s->job_id, s->option);
	e->vm = cs_vm_of(e, j);
	rc = check_alloc(e, s->alloc, err) ?:
	     check_free(e->vm, s->alloc, NULL, err);
	if (rc)
		return rc;
	if (!j->campaign && cs_campaign_starts(e, j))
		return -ENOMEM;
	cs_plan_drop(e, j);
	took_off(e, j, s->option);
	runs_as(e, j, s);
	rc = run(e, j, s, hold_of(j, s));
	if (rc) {
		waits_again(e, j);
		return rc;
	}
	if (s->group)
		cs_group_told(e, j, s->group, s->role);
	/* it was raised for a partner who may have ended meanwhile; else what
	 * booking it said: whom it was found beside */
	j->limit_dirty |= s->factor > 1;
	/* one that was not raised by us is not cut */
	if (!(s->factor > 1))
		j->told_us = s->limit_us;
	e->limits |= j->limit_dirty;
	named(j);
	return 0;
}

/* A stop or a resume that the host could not do: as before. */
static int slice_refused(struct cs_engine *e, uint32_t seq, struct cs_err *err)
{
	struct cs_ejob *j = asked(e, seq, CS_STOPPED);

	if (!j)
		j = asked(e, seq, CS_RUNNING);
	if (!j)
		return unknown(err, "seq", seq);
	cs_slice_refused(e, j);
	j->seq = 0;
	e->open--;
	e->refusals++;
	return 0;
}

/* Whom the answer to proposed @j is kept with: of a task, its array. */
static struct cs_ejob *master_of(const struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_ejob *master = cs_engine_job(e, j->master);

	return j->master && master ? master : j;
}

static int on_refused(struct cs_engine *e, const struct cs_event *ev,
		      struct cs_err *err)
{
	struct cs_ejob *j = asked(e, ev->refused.seq, CS_PROPOSED), *waits;
	enum cs_refused class = ev->refused.class;
	uint32_t option;

	if (!j)
		return slice_refused(e, ev->refused.seq, err);
	if (cs_forecast_check(e, ev->refused.forecast, err))
		return -EINVAL;
	if (cs_refused_reserve(master_of(e, j)))
		return cs_err_set(err, -ENOMEM, "no memory for a refusal");
	option = j->option;
	if (!j->placed_by_host)
		unbook(e, j);
	else if (class == CS_REFUSED_GROUP)
		cs_refused_unasked(e);
	cs_group_leave(e, j, false);
	waits_again(e, j);
	if (class != CS_REFUSED_GROUP)
		j->plan.turn_us = CS_TURN_QUEUE;
	waits = cs_jobtable_merge(e, j);
	e->open--;
	e->refusals++;
	if (!waits->job.id) {
		will_not_run(e, waits); /* its array was cancelled meanwhile */
		return 0;
	}
	if (option >= waits->job.n_option)
		return 0; /* or asks for other partitions */
	if (class != CS_REFUSED_GROUP)
		cs_forecast_take(e, waits, option, class,
				 ev->refused.forecast);
	cs_refused_note(e, waits, option, class, ev->refused.why);
	return 0;
}

static int started_job(const struct cs_engine *e, uint32_t id,
		       struct cs_ejob **ret, struct cs_err *err)
{
	*ret = cs_engine_job(e, id);
	if (!*ret)
		return unknown(err, "job", id);
	if ((*ret)->state != CS_RUNNING && (*ret)->state != CS_SUSPENDED &&
	    (*ret)->state != CS_STOPPED)
		return cs_err_set(err, -EINVAL, "job %u does not run", id);
	return 0;
}

static void leave(struct cs_engine *e, struct cs_ejob *j)
{
	set_keeps(e, j, false);
	e->vm = cs_vm_of(e, j);
	if (j->state == CS_SUSPENDED)
		cs_occ_remove_memory(&e->vm->now, j->alloc);
	else
		unbook(e, j);
	e->epoch++;
	cs_group_leave(e, j, true);
}

static int on_finish(struct cs_engine *e, uint32_t id, struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = started_job(e, id, &j, err);

	if (rc)
		return rc;
	leave(e, j);
	cs_campaign_ended(e, j);
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

/* The host did what a slice asked for. */
static bool slice_done(struct cs_engine *e, struct cs_ejob *j,
		       enum cs_state state)
{
	if (!j->seq || j->state != state)
		return false;
	j->seq = 0;
	e->open--;
	return true;
}

static int on_suspend(struct cs_engine *e, uint32_t id, bool keeps,
		      struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = started_job(e, id, &j, err);

	if (rc)
		return rc;
	if (slice_done(e, j, CS_STOPPED))
		return 0;
	if (j->state == CS_SUSPENDED)
		return cs_err_set(err, -EINVAL, "job %u is suspended", id);
	unbook(e, j);
	cs_occ_add_memory(&e->vm->now, j->alloc);
	cs_jobtable_move(e, j, CS_SUSPENDED);
	cs_speed_note(e, j);
	set_keeps(e, j, keeps);
	e->epoch++;
	return 0;
}

static int on_resume(struct cs_engine *e, uint32_t id, struct cs_err *err)
{
	struct cs_ejob *j;
	int rc = started_job(e, id, &j, err);

	if (rc)
		return rc;
	if (slice_done(e, j, CS_RUNNING))
		return 0;
	if (j->state != CS_SUSPENDED)
		return cs_err_set(err, -EINVAL, "job %u is not suspended", id);
	e->vm = cs_vm_of(e, j);
	rc = check_free(e->vm, j->alloc, NULL, err);
	if (rc)
		return rc;
	e->vm = cs_vm_of(e, j);
	cs_progress_bring(j, e->now_us);
	cs_occ_remove_memory(&e->vm->now, j->alloc);
	cs_jobtable_move(e, j, CS_RUNNING);
	cs_speed_note(e, j);
	rc = book(e, j);
	if (rc) {
		cs_jobtable_move(e, j, CS_SUSPENDED);
		cs_occ_add_memory(&e->vm->now, j->alloc);
	} else {
		set_keeps(e, j, false);
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
	int64_t rest, left;

	if (rc)
		return rc;
	e->vm = cs_vm_of(e, j);
	cs_progress_bring(j, e->now_us);
	left = cs_progress_end_us(e, j);
	rest = limit_us > j->ran_us ? limit_us - j->ran_us : 0;
	j->job.estimate_us = j->done_us + (int64_t)((double)rest / j->factor);
	if (j->job.estimate_us < 1)
		j->job.estimate_us = 1;
	j->limit_us = j->told_us = limit_us;
	cs_plan_longer(e, j, left);
	return cs_campaign_change(e, j); /* it is in a campaign: 0 */
}

static int on_node(struct cs_engine *e, uint32_t n, bool up,
		   struct cs_err *err)
{
	if (n >= e->machine->n_node)
		return unknown(err, "node", n);
	if (up == cs_bit(e->vm->now.down, n))
		cs_campaign_cores(e, cs_node_cores(&e->machine->node[n]), up);
	for (uint32_t i = 0; i < e->n_vm; i++) {
		struct cs_vm *vm = &e->vms[i];

		vm->now.down[n / 64] &= ~(UINT64_C(1) << (n % 64));
		if (!up)
			cs_bit_set(vm->now.down, n);
		vm->plan.stale = true;
	}
	e->layouts++;
	e->epoch++;
	return 0;
}

static int dispatch(struct cs_engine *e, const struct cs_event *ev,
		    struct cs_err *err)
{
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
		return on_refused(e, ev, err);
	case CS_EV_FINISH:
		return on_finish(e, ev->job_id, err);
	case CS_EV_REQUEUE:
		return on_requeue(e, ev->job, err);
	case CS_EV_SUSPEND:
		return on_suspend(e, ev->job_id, ev->keeps, err);
	case CS_EV_RESUME:
		return on_resume(e, ev->job_id, err);
	case CS_EV_LIMIT:
		return on_limit(e, ev->limit.job_id, ev->limit.limit_us, err);
	case CS_EV_NODE:
		return on_node(e, ev->node.index, ev->node.up, err);
	case CS_EV_RESERVATION:
		return cs_resv_event(e, ev->reservation, err);
	case CS_EV_TICK:
		e->epoch += ev->freed;
		return 0;
	case CS_EV_KEPT: /* read above */
		return 0;
	}
	return cs_err_set(err, -EINVAL, "event of type %d", (int)ev->type);
}

/* Does it say that the host moved a job? */
static bool moves(const struct cs_event *ev)
{
	return ev->type == CS_EV_STARTED || ev->type == CS_EV_FINISH ||
	       ev->type == CS_EV_REQUEUE || ev->type == CS_EV_SUSPEND ||
	       ev->type == CS_EV_RESUME;
}

int cs_engine_event(struct cs_engine *e, const struct cs_event *ev,
		    struct cs_err *err)
{
	int rc;

	cs_slice_clock(e, ev->t_us);
	if (ev->type == CS_EV_KEPT)
		return cs_campaign_read(e, ev->kept, err);
	cs_campaign_clock(e);
	/* a start confirmed as proposed changes nothing: see take_given() */
	e->anew |= ev->type != CS_EV_SUBMIT &&
		      (ev->type != CS_EV_TICK || ev->freed) &&
		      !(ev->type == CS_EV_STARTED && ev->start->seq);
	if (!moves(ev))
		return dispatch(e, ev, err);
	all_let_go(e);
	rc = dispatch(e, ev, err);
	if (all_keep(e))
		return cs_err_set(err, -ENOMEM,
				  "no memory for what suspended jobs keep");
	return rc;
}
