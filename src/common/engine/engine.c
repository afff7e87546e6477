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

#include "job/resv.h"
#include "lifecycle/booking.h"
#include "lifecycle/keepers.h"
#include "lifecycle/lifecycle.h"
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

/* Events.  Each checks, then changes. */

static int unknown(struct cs_err *err, const char *what, uint32_t id)
{
	return cs_err_set(err, -ENOENT, "%s %u is not known", what, id);
}

static int on_submit(struct cs_engine *e, const struct cs_job *job,
		     struct cs_err *err)
{
	return cs_jobtable_check(e, job, err) ?: cs_lifecycle_add(e, job, err);
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
	       cs_lifecycle_replace(e, j, job, err);
}

static int on_cancel(struct cs_engine *e, uint32_t id, struct cs_err *err)
{
	struct cs_ejob *j = cs_engine_job(e, id);

	if (!j)
		return unknown(err, "job", id);
	if (j->state != CS_WAITING)
		return cs_err_set(err, -EINVAL, "job %u does not wait", id);
	cs_lifecycle_cancel(e, j);
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
	       cs_book_given(e, j, s, j->hold);
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
	rc = take_given(e, j, s, err) ?: cs_lifecycle_name(e, j, s->job_id);
	if (rc)
		return rc;
	if (j->placed_by_host)
		cs_refused_unasked(e);
	cs_lifecycle_move(e, j, CS_RUNNING);
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
	cs_lifecycle_move(e, j, CS_RUNNING);
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
	rc = cs_book_given(e, j, s, hold_of(j, s));
	if (rc) {
		cs_lifecycle_waits_again(e, j);
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
		cs_unbook(e, j);
	else if (class == CS_REFUSED_GROUP)
		cs_refused_unasked(e);
	cs_group_leave(e, j, false);
	cs_lifecycle_waits_again(e, j);
	if (class != CS_REFUSED_GROUP)
		j->plan.turn_us = CS_TURN_QUEUE;
	waits = cs_lifecycle_merge(e, j);
	e->open--;
	e->refusals++;
	if (!waits->job.id) {
		cs_lifecycle_cancel(e, waits); /* its array was cancelled meanwhile */
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
	cs_keeper_set(e, j, false);
	e->vm = cs_vm_of(e, j);
	if (j->state == CS_SUSPENDED)
		cs_occ_remove_memory(&e->vm->now, j->alloc);
	else
		cs_unbook(e, j);
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
	cs_lifecycle_remove(e, j);
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
		rc = cs_lifecycle_replace(e, j, job, err);
	if (rc)
		return rc;
	leave(e, j);
	cs_lifecycle_waits_again(e, j);
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
	cs_unbook(e, j);
	cs_occ_add_memory(&e->vm->now, j->alloc);
	cs_lifecycle_move(e, j, CS_SUSPENDED);
	cs_speed_note(e, j);
	cs_keeper_set(e, j, keeps);
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
	cs_lifecycle_move(e, j, CS_RUNNING);
	cs_speed_note(e, j);
	rc = cs_book(e, j);
	if (rc) {
		cs_lifecycle_move(e, j, CS_SUSPENDED);
		cs_occ_add_memory(&e->vm->now, j->alloc);
	} else {
		cs_keeper_set(e, j, false);
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
	cs_keepers_let_go(e);
	rc = dispatch(e, ev, err);
	if (cs_keepers_keep(e))
		return cs_err_set(err, -ENOMEM,
				  "no memory for what suspended jobs keep");
	return rc;
}
