/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Life of the adapter, and the steps of a cycle.
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/order/order.h"
#include "common/order/priority.h"
#include "common/slice/slice.h"
#include "gate/gate.h"
#include "resident/reader.h"
#include "resident/users.h"
#include "sched/adapter/start_estimates.h"
#include "sched/apply/apply_slice.h"
#include "sched/apply/freed.h"
#include "sched/apply/start_step.h"
#include "sched/feed/feed_event.h"
#include "sched/feed/log_state.h"
#include "sched/view/view_before.h"
#include "sched/view/view_table.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

#define ROUNDS 256		 /* most decides in a cycle */
#define PART_STEPS INT64_C(4000) /* of a decide in mode act, at first ... */
#define PART_GROWS 6		 /* ... and doubled so often */
#define SETS_SPARE 8192		 /* node sets beyond the first */
#define LOOK_AGAIN_US INT64_C(30000000) /* limits are freed unnoticed */

/* ---- time ------------------------------------------------------------------ */

/* Monotonic time since, and reset. */
static int64_t lap_us(int64_t *since)
{
	int64_t now = cs_clock_us(CLOCK_MONOTONIC);
	int64_t lap = now - *since;

	*since = now;
	return lap;
}

static void timed(int64_t *last, int64_t *most, int64_t lap, bool more)
{
	*last = more ? *last + lap : lap;
	if (*last > *most)
		*most = *last;
}

/* ---- life ------------------------------------------------------------------ */

/* Why cs_reader_read() failed with @rc. */
static const char *not_read(int rc)
{
	return rc == -ETIMEDOUT
		       ? "it does not answer, and is read again when it does"
		       : strerror(-rc);
}

static int read_file(struct cs_adapter *b, struct cs_err *err)
{
	const char *path = b->params.profiles;
	int rc = cs_reader_read(path, &b->profile_file, &b->n_profile_file);

	return rc ? cs_err_set(err, rc, "profile file \"%s\": %s", path,
			       not_read(rc))
		  : 0;
}

static int copy_file(struct cs_adapter *b, const char *text, size_t len,
		     struct cs_err *err)
{
	b->profile_file = malloc(len + 1);
	if (!b->profile_file)
		return cs_err_set(err, -ENOMEM, "no memory");
	memcpy(b->profile_file, text, len + 1);
	b->n_profile_file = len;
	return 0;
}

/* The profile file's, or those that the adapter before it read, or the last good ones. */
static int read_profiles(struct cs_adapter *b,
			 const struct cs_adapter_setup *setup,
			 struct cs_err *err)
{
	const struct cs_adapter *from =
		setup->same_files ? setup->before : NULL;
	const char *path = b->params.profiles;
	int rc;

	if (!path || !*path) {
		b->profiles = cs_profiles_create();
		return b->profiles ? 0 : cs_err_set(err, -ENOMEM, "no memory");
	}
	if (from)
		rc = copy_file(b, from->profile_file, from->n_profile_file,
			       err);
	else if (setup->profiles)
		rc = copy_file(b, setup->profiles, setup->profiles_len, err);
	else
		rc = read_file(b, err);
	return rc ? rc
		  : cs_profiles_read(&b->profiles, b->profile_file,
				     b->n_profile_file, path, err);
}

/* The text of cosched_sites=FILE, or that of the view @from.  A file that cannot be
 * read is like one that is wrong: view_sites.c goes on without. */
static int read_sites(struct cs_adapter *b, const struct cs_view *from,
		      const char *last)
{
	struct cs_view *v = b->view;
	size_t len;
	int rc;

	if (last && !(v->site_last = strdup(last)))
		return -ENOMEM;
	if (*b->params.sites != '/')
		return 0;
	if (from) {
		memcpy(v->site_file_error, from->site_file_error,
		       sizeof(v->site_file_error));
		if (from->site_file)
			v->site_file = strdup(from->site_file);
		return from->site_file && !v->site_file ? -ENOMEM : 0;
	}
	rc = cs_reader_read(b->params.sites, &v->site_file, &len);
	if (rc)
		snprintf(v->site_file_error, sizeof(v->site_file_error), "%s",
			 not_read(rc));
	return 0;
}

const char *cs_adapter_sites_good(const struct cs_adapter *b)
{
	const struct cs_view *v = b->view;

	if (v->site_error[0] || !v->machine)
		return NULL;
	return v->site_text ? v->site_text : "";
}

const char *cs_adapter_profiles(const struct cs_adapter *b, size_t *ret_len)
{
	*ret_len = b->n_profile_file;
	return b->profile_file;
}

/* What a counter of the exporter has counted must not be less after a reconfigure. */
static void count_on(struct cs_counts *c, const struct cs_adapter *before)
{
	struct cs_engine_stats st = { 0 };

	if (before->engine)
		cs_engine_stats(before->engine, &st);
	c->events = before->count.events;
	c->started = before->count.started;
	c->refusals = before->count.refusals;
	c->would = before->count.would;
	c->pairs_before = before->count.pairs_before + st.pairs;
	c->pledges_before = before->count.pledges_before;
	c->pledges_before.kept += st.pledges.kept;
	c->pledges_before.late += st.pledges.late;
}

struct cs_adapter *cs_adapter_create(const struct cs_adapter_setup *setup,
				     struct cs_err *err)
{
	struct cs_adapter *b = calloc(1, sizeof(*b));
	int rc = -ENOMEM;

	if (!b || cs_params_copy(&b->params, setup->params))
		goto out;
	b->mode = setup->mode;
	b->halted = setup->halted;
	/* we do not stop or resume jobs that stock runs */
	if (b->mode != CS_MODE_ACT)
		b->act_slice = cs_params_no_slices(&b->params);
	b->log = setup->log;
	b->served_us = setup->served_us;
	b->view =
		cs_view_create(&b->params, setup->mode, setup->all_partitions);
	if (!b->view)
		goto out;
	b->view->factors = setup->factors;
	if (setup->before) {
		count_on(&b->count, setup->before);
		b->began_us = setup->before->began_us;
	}
	if (setup->before &&
	    cs_settle_copy(&b->view->settle, &setup->before->view->settle))
		goto out;
	rc = read_sites(b, setup->same_files ? setup->before->view : NULL,
			setup->sites);
	if (rc)
		goto out;
	rc = read_profiles(b, setup, err);
	b->restored.no_state = !setup->state;
	if (!rc && setup->before)
		rc = cs_checkpoint_take_names(b, setup->before);
	if (!rc && setup->state)
		cs_checkpoint_read(b, setup->state, setup->state_len);
	if (!rc && setup->learned)
		cs_checkpoint_read_learned(b, setup->learned);
	if (!rc && setup->estimates && b->mode == CS_MODE_ACT)
		rc = cs_checkpoint_read_estimates(b, setup->estimates);
	if (!rc)
		return b;
out:
	if (rc == -ENOMEM)
		cs_err_set(err, rc, "no memory");
	cs_adapter_free(b);
	return NULL;
}

static void drop_actions(struct cs_adapter *b)
{
	for (size_t i = 0; i < b->batch.n_action; i++)
		cs_alloc_free((struct cs_alloc *)b->batch.action[i].alloc);
	b->batch.n_action = b->batch.next = b->batch.n_refused = 0;
	b->batch.host_started = b->batch.guards = false;
}

void cs_adapter_free(struct cs_adapter *b)
{
	if (!b)
		return;
	drop_actions(b);
	free(b->batch.action);
	free(b->batch.refused);
	cs_known_done(&b->known);
	cs_start_estimates_done(&b->estimates);
	cs_engine_free(b->engine);
	cs_view_free(b->view);
	cs_profiles_free(b->profiles);
	free(b->profile_file);
	free(b->told.nodeset);
	free(b->told.up);
	free(b->told.unready);
	free(b->told.rebooting);
	free(b->told.haunted);
	for (uint32_t i = 0; i < b->told.n_resv; i++)
		cs_alloc_free(b->told.resv[i].cores);
	free(b->told.resv);
	free(b->restored.kept);
	free(b->restored.line);
	free(b->ended.job);
	free(b->news.nodes);
	cs_checkpoint_drop_names(&b->restored);
	free(b->ranks.id);
	free(b->batch.freed);
	free(b->texts.planned);
	free(b->texts.plan_id);
	free(b->texts.plan);
	free(b->line);
	cs_params_done(&b->params);
	free(b);
}

/* ---- look ------------------------------------------------------------------ */

/* Is this running job's allocation known already? */
static bool is_known(void *arg, const struct cs_view_job *j)
{
	const struct cs_adapter *b = arg;
	const struct cs_known_job *k = cs_known_find(&b->known, j->id);

	return k && k->state != CS_VIEW_WAITING && !k->again &&
	       cs_known_runs(k, j) && cs_known_sized(k, j);
}

/* The run after @restarts others is over. */
static void is_over(void *arg, uint32_t id, uint32_t restarts, bool failed)
{
	struct cs_adapter *b = arg;
	struct cs_known_job *k = cs_known_find(&b->known, id);

	if (k && k->state != CS_VIEW_WAITING && k->restarts == restarts)
		k->done = !failed;
}

int cs_adapter_follow(struct cs_adapter *b, bool look, struct cs_err *err)
{
	uint64_t now = cs_gate_machine();
	int rc;

	if (!look && now == b->machine)
		return 0;
	rc = cs_view_machine_follow(b->view, err);
	if (rc < 0)
		return rc;
	if (rc) { /* cores of the system have other numbers */
		b->batch.let_go = b->batch.freed;
		free(b->batch.freed);
		b->batch.freed = NULL;
	}
	b->machine = now;
	return 0;
}

/* Does the rest of the batch need a node that has moved? */
static bool needs_moved(const struct cs_adapter *b)
{
	const struct cs_batch *batch = &b->batch;

	if (!cs_view_any_moved(b->view))
		return false;
	if (batch->preempting)
		return true;
	for (size_t i = batch->next; i < batch->n_action; i++) {
		const struct cs_alloc *a = batch->action[i].alloc;

		if (!a && batch->action[i].seq)
			return true; /* Slurm would choose */
		for (uint32_t k = 0; a && k < a->n_node; k++)
			if (cs_bit(b->view->moved, a->node[k].node))
				return true;
	}
	return false;
}

/* It waited when the look began: until the next one sees what it does now, all stays as
 * it was. */
static void has_left(void *arg, uint32_t id)
{
	struct cs_adapter *b = arg;
	struct cs_known_job *k = cs_known_find(&b->known, id);

	if (k)
		k->seen = b->count.snapshots + 1; /* as in the feed to come */
}

/* The machine, all that holds parts of it, and a list of what waits. */
static int begin_look(struct cs_adapter *b, struct cs_err *err)
{
	struct cs_view *v = b->view;
	int rc;

	cs_view_clear(v);
	b->looked_us = cs_feed_now_of(b, &v->now_us);
	v->ahead_us = b->looked_us - v->now_us;
	if (!v->machine) {
		b->machine = cs_gate_machine();
		rc = cs_view_machine(v, err);
	} else {
		rc = cs_adapter_follow(b, true, err);
	}
	if (rc)
		return rc;
	cs_view_usable(v);
	cs_view_reservations(v);
	cs_view_jobs(v, is_known, is_over, b);
	return 0;
}

void cs_adapter_look_anew(struct cs_adapter *b)
{
	b->looking = false;
}

/*
 * What holds nodes is seen in one piece: two halves of that would not match.  Then the
 * jobs that wait, each by itself.  One that starts in between is found refused when it
 * is started again.
 */
int cs_adapter_look(struct cs_adapter *b, int64_t until_us, struct cs_err *err)
{
	struct cs_view *v = b->view;
	bool begins = !b->looking, more = true;
	int64_t since = 0, lap;
	int rc;

	lap_us(&since);
	rc = begins ? begin_look(b, err) : cs_adapter_follow(b, false, err);
	b->looking = !rc;
	if (rc)
		return rc;
	if (!begins || cs_gate_now_us() < until_us)
		more = cs_view_waiting(v, until_us, has_left, b);
	if (!more && b->mode == CS_MODE_ACT && !v->nomem)
		cs_view_queue_end(v);
	if (!b->count.snapshots)
		b->first_sets = cs_view_set_count(v->sets);
	lap = lap_us(&since);
	timed(&b->count.last.look, &b->count.most.look, lap, !begins);
	timed(&b->count.last.look_step, &b->count.most.look_step, lap, false);
	b->looking = more && !v->nomem;
	if (v->nomem)
		return cs_err_set(err, -ENOMEM, "no memory for a snapshot");
	return more;
}

/* ---- feed ------------------------------------------------------------------ */

static int build(struct cs_adapter *b, struct cs_err *err)
{
	uint32_t words = cs_node_words(b->view->machine);

	b->told.up = malloc(words * sizeof(*b->told.up));
	b->told.unready = calloc(words, sizeof(*b->told.unready));
	b->told.rebooting = calloc(words, sizeof(*b->told.rebooting));
	b->told.haunted = calloc(words, sizeof(*b->told.haunted));
	if (!b->told.up || !b->told.unready || !b->told.rebooting ||
	    !b->told.haunted)
		return cs_err_set(err, -ENOMEM, "no memory");
	/* An engine considers every node usable until told otherwise. */
	memset(b->told.up, 0, words * sizeof(*b->told.up));
	for (uint32_t n = 0; n < b->view->machine->n_node; n++)
		if (!cs_node_vacant(&b->view->machine->node[n]))
			cs_bit_set(b->told.up, n);
	b->engine = cs_feed_engine(b, err);
	if (!b->engine)
		return -ENOMEM;
	if (cs_start_estimates_init(b))
		return cs_err_set(err, -ENOMEM, "no memory");
	return 0;
}

int cs_adapter_build(struct cs_adapter *b, struct cs_err *err)
{
	if (b->view->limits)
		cs_view_before_rank(b->view);
	return b->engine ? 0 : build(b, err);
}

void cs_adapter_begin_cycle(struct cs_adapter *b)
{
	b->count.cycle_started = 0;
	b->batch.rounds = 0;
	b->batch.parts = 0;
	b->batch.limit_next = 0;
	b->batch.preempted = b->batch.preempting = false;
	b->batch.preempt_tries = 0;
	b->batch.by_preempting = false;
	drop_actions(b);
	cs_feed_now_us(b);
}

int cs_adapter_feed(struct cs_adapter *b, struct cs_err *err)
{
	int64_t since = 0;
	int rc;

	lap_us(&since);
	b->count.cycles++;
	b->texts.next = 0;
	b->news.on = false;
	cs_adapter_begin_cycle(b);
	rc = cs_feed(b, err);
	/* it may still run, like one that we stop (apply_slice.c, rule 1) */
	if (b->stops.others && cs_slice_choose(&b->params)->stops)
		b->stops.stopped_us = cs_gate_now_us();
	b->stops.others = false;
	cs_freed_tidy(b);
	if (!rc && b->batch.let_go)
		rc = cs_feed_freed(b, err);
	b->batch.let_go = false;
	timed(&b->count.last.feed, &b->count.most.feed, lap_us(&since), false);
	return rc;
}

/* ---- decide ---------------------------------------------------------------- */

/* The engine's actions are valid until the next event: copy them. */
static int take_actions(struct cs_adapter *b, const struct cs_actions *a)
{
	drop_actions(b);
	if (a->n > b->batch.cap_action) {
		void *p = realloc(b->batch.action,
				  a->n * sizeof(*b->batch.action));

		if (!p)
			return -ENOMEM;
		b->batch.action = p;
		p = realloc(b->batch.refused, a->n * sizeof(*b->batch.refused));
		if (!p)
			return -ENOMEM;
		b->batch.refused = p;
		b->batch.cap_action = b->batch.cap_refused = a->n;
	}
	for (size_t i = 0; i < a->n; i++) {
		b->batch.action[i] = a->action[i];
		if (a->action[i].alloc)
			b->batch.action[i].alloc =
				cs_alloc_copy(a->action[i].alloc);
		b->batch.n_action = i + 1;
		if (a->action[i].alloc && !b->batch.action[i].alloc)
			return -ENOMEM;
	}
	return 0;
}

/* The first starts come soon; the parts behind them grow, as each has to wait for Slurm's
 * locks. */
static int64_t part_steps(const struct cs_adapter *b)
{
	uint32_t n = b->batch.parts;

	return PART_STEPS << (n < PART_GROWS ? n : PART_GROWS);
}

/* Ask the engine, in mode act until it has decided something: that is done before it
 * continues.  In mode shadow a proposal is withdrawn, so that the decide is a whole. */
static int ask(struct cs_adapter *b, const struct cs_adapter_host *host,
	       struct cs_err *err)
{
	const struct cs_decide_part part = {
		.steps = b->mode == CS_MODE_ACT ? part_steps(b) : 0,
		.nodes = b->news.on ? b->news.nodes : NULL,
		.goes_on = host->goes_on,
		.arg = host->arg,
	};
	int64_t now_us = cs_feed_now_us(b), steps = 0;
	struct cs_actions a;
	bool changed = false;
	int rc;

	do {
		rc = cs_engine_decide_part(b->engine, now_us, &part, &a);
		steps += a.steps;
		changed |= a.changed;
	} while (!rc && a.more && !a.n && !b->halted());
	b->decided_us = b->now_us;
	b->batch.parts = !rc && a.more ? b->batch.parts + 1 : 0;
	b->stops.sliced = !cs_engine_slice(b->engine, &b->stops.now);
	if (rc)
		return cs_err_set(err, rc, "the engine cannot decide: %s",
				  strerror(-rc));
	rc = take_actions(b, &a);
	if (rc)
		return cs_err_set(err, rc, "no memory for %zu actions", a.n);
	if (a.n || changed || a.more)
		cs_feed_log_decide(b, a.n, a.more ? steps : 0);
	return 0;
}

bool cs_adapter_paused(const struct cs_adapter *b)
{
	return b->batch.parts > 0;
}

uint32_t cs_adapter_started(const struct cs_adapter *b)
{
	return b->count.cycle_started;
}

int cs_adapter_decide(struct cs_adapter *b, const struct cs_adapter_host *host,
		      struct cs_err *err)
{
	bool first = !b->batch.rounds;
	int64_t since = 0;
	int rc = 0;

	drop_actions(b);
	if (b->view->hold)
		return 0;
	if (!b->batch.parts && b->batch.rounds++ >= ROUNDS)
		return 0;
	lap_us(&since);
	if (!b->batch.preempted)
		rc = ask(b, host, err);
	timed(&b->count.last.decide, &b->count.most.decide, lap_us(&since),
	      !first);
	if (rc)
		return rc;
	b->batch.preempting = b->mode == CS_MODE_ACT && !b->news.on &&
			      !b->batch.preempted && cs_preempt_choose(b);
	if (b->batch.n_action || b->batch.parts || b->news.on)
		return b->batch.n_action > 0;
	if (!b->batch.preempting && b->mode == CS_MODE_ACT && cs_apply_rank(b))
		return cs_err_set(err, -ENOMEM, "no memory to rank jobs");
	if (!b->batch.preempting && b->mode == CS_MODE_ACT)
		cs_apply_text_plan(b);
	return b->batch.preempting;
}

/* ---- act ------------------------------------------------------------------- */

static uint64_t hash_of(const struct cs_action *a)
{
	uint64_t h = cs_view_hash(11, &a->option, sizeof(a->option));

	h = cs_view_hash(h, &a->partner_id, sizeof(a->partner_id));
	h = cs_view_hash(h, a->alloc->node,
			 a->alloc->n_node * sizeof(*a->alloc->node));
	return cs_view_hash(h, a->alloc->cores,
			    (size_t)a->alloc->n_node * a->alloc->words *
				    sizeof(*a->alloc->cores));
}

/*
 * Mode shadow: a proposal holds nothing, so it is withdrawn at once (at the instant of
 * the decide, so that a replay can do the same) and repeated at every decide; only a
 * new one is recorded.
 */
static int record(struct cs_adapter *b, struct cs_err *err)
{
	for (; b->batch.next < b->batch.n_action; b->batch.next++) {
		const struct cs_action *a = &b->batch.action[b->batch.next];
		struct cs_known_job *k = cs_known_find(&b->known, a->job_id);
		struct cs_event ev = {
			.type = CS_EV_REFUSED,
			.t_us = b->decided_us,
			.refused = { .seq = a->seq,
				     .class = CS_REFUSED_GROUP,
				     .why = "mode shadow" },
		};

		if (!a->seq || !a->alloc)
			continue;
		if (k)
			k->would_us = b->decided_us;
		if (k && k->would != hash_of(a)) {
			k->would = hash_of(a);
			b->count.would++;
			cs_feed_log_action(b, a, true);
		}
		if (cs_engine_event(b->engine, &ev, err))
			return -ESTALE;
	}
	return 0;
}

/* Refuse the rest of this batch for @why.  What needs no answer (limits, groups) is only
 * logged: this engine decides nothing more. */
static int give_up(struct cs_adapter *b, const struct cs_refusal *why,
		   struct cs_err *err)
{
	int rc = 0;

	for (; !rc && b->batch.next < b->batch.n_action; b->batch.next++) {
		const struct cs_action *a = &b->batch.action[b->batch.next];

		if (a->seq)
			rc = cs_start_step_refuse(b, a, why, err);
		else if (b->mode == CS_MODE_ACT)
			cs_feed_log_action(b, a, false);
	}
	b->batch.preempting = b->batch.guards = false;
	return rc;
}

static int act(struct cs_adapter *b, int64_t until_us, struct cs_err *err)
{
	static const struct cs_refusal other_nodes = { CS_REFUSED_GROUP,
						       "nodes have changed",
						       false };
	static const struct cs_refusal behind = {
		CS_REFUSED_GROUP, "another job has started first", false
	};
	bool moved = needs_moved(b);
	int rc;

	cs_apply_limit_tidy(b);
	if (moved) {
		rc = CS_ADAPTER_LOOK;
	} else if (b->batch.n_action) {
		rc = cs_apply(b, until_us, err);
	} else {
		rc = cs_preempt(b, NULL, until_us, err);
		b->batch.preempted = !rc;
		b->batch.preempting = rc == 1;
	}
	b->batch.guards = rc == CS_ADAPTER_GUARD;
	if (rc != CS_ADAPTER_LOOK)
		return rc;
	b->batch.preempting = false;
	return cs_apply_refuse(b, moved ? &other_nodes : &behind, err)
		       ?: CS_ADAPTER_LOOK;
}

int cs_adapter_act(struct cs_adapter *b, int64_t until_us, struct cs_err *err)
{
	static const struct cs_refusal other_machine = {
		CS_REFUSED_GROUP, "the machine has changed", false
	};
	int64_t since = 0;
	int rc = 0;

	lap_us(&since);
	cs_feed_now_us(b);
	if (b->mode == CS_MODE_ACT) /* what is only recorded touches no node */
		rc = cs_adapter_follow(b, false, err);
	if (rc)
		return give_up(b, &other_machine, err) ?: rc;
	rc = b->mode == CS_MODE_ACT ? act(b, until_us, err) : record(b, err);
	timed(&b->count.last.apply, &b->count.most.apply, lap_us(&since),
	      b->batch.rounds > 1);
	return rc;
}

int64_t cs_adapter_guard_us(const struct cs_adapter *b)
{
	return b->batch.guards ? b->batch.guard_us : 0;
}

int cs_adapter_drop_rest(struct cs_adapter *b, int64_t until_us,
			 struct cs_err *err)
{
	(void)until_us; /* a batch's rest is short, without its starts */
	cs_feed_now_us(b);
	if (b->mode != CS_MODE_ACT || cs_adapter_follow(b, false, err))
		return give_up(b, &cs_start_step_halted, err);
	b->batch.preempting = b->batch.guards = false;
	return cs_apply_refuse(b, &cs_start_step_halted, err);
}

int cs_adapter_give_up(struct cs_adapter *b, struct cs_err *err)
{
	cs_feed_now_us(b);
	return give_up(b, &cs_start_step_halted, err);
}

int cs_adapter_limits_due(struct cs_adapter *b, int64_t until_us)
{
	struct cs_err err;

	if (!b->engine || cs_adapter_follow(b, false, &err))
		return 0;
	return cs_apply_limits_due(b, until_us);
}

int cs_adapter_texts(struct cs_adapter *b, int64_t until_us, struct cs_err *err)
{
	int64_t since = 0;
	int rc = 0;

	if (b->engine)
		rc = cs_adapter_follow(b, false, err);
	if (!b->engine || rc || cs_view_any_moved(b->view))
		return rc;
	lap_us(&since);
	cs_apply_slice_say_again(b);
	rc = cs_apply_rank_write(b, until_us) || cs_apply_text(b, until_us);
	timed(&b->count.last.texts, &b->count.most.texts, lap_us(&since),
	      false);
	return rc;
}

int cs_adapter_rank(struct cs_adapter *b, struct cs_err *err)
{
	struct cs_event ev = { .type = CS_EV_TICK };
	int rc;

	ev.t_us = cs_feed_now_us(b);
	rc = cs_feed_event(b, &ev, NULL, err);
	if (!rc && cs_apply_rank(b))
		rc = cs_err_set(err, -ENOMEM, "no memory to rank jobs");
	return rc ? rc : b->ranks.n > 0;
}

uint32_t cs_adapter_rank_behind(const struct cs_adapter *b)
{
	return cs_priority_behind(b->ranks.least);
}

int cs_adapter_rank_write(struct cs_adapter *b, int64_t until_us,
			  struct cs_err *err)
{
	(void)err;
	return cs_apply_rank_write(b, until_us);
}

bool cs_adapter_wrote(struct cs_adapter *b)
{
	bool wrote = b->wrote;

	b->wrote = false;
	return wrote;
}

void cs_adapter_mark_dirty(struct cs_adapter *b)
{
	struct cs_event now = { .type = CS_EV_TICK };

	if (!b->count.snapshots)
		return;
	b->dirty = true;
	if (!cs_order_choose(&b->params)->campaigns)
		return;
	/* no decision depends on it, so it is not in the log */
	now.t_us = cs_feed_now_us(b);
	cs_engine_event(b->engine, &now, NULL);
}

/* ---- questions ------------------------------------------------------------- */

int cs_adapter_check(const struct cs_adapter *b, struct cs_err *err)
{
	return b->engine ? cs_engine_check(b->engine, err) : 0;
}

bool cs_adapter_outgrown(const struct cs_adapter *b)
{
	return cs_view_set_count(b->view->sets) >
	       2 * b->first_sets + SETS_SPARE;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Until jobs that wait for the names of their users may be fed. */
static int64_t names_in_us(const struct cs_adapter *b)
{
	if (!b->unnamed.n)
		return CS_TIME_NONE;
	if (cs_users_answers() != b->unnamed.answers)
		return 0;
	return b->unnamed.due_us - cs_gate_now_us();
}

/* The thread asks ten times a second, and few cycles are due. */
static int64_t engine_wakeup_us(struct cs_adapter *b)
{
	uint64_t changes = cs_engine_changes(b->engine) + 1;

	if (b->wakeup.changes != changes)
		b->wakeup.next_us = cs_engine_next_wakeup_us(b->engine);
	b->wakeup.changes = changes;
	return b->wakeup.next_us;
}

int64_t cs_adapter_wakeup_in_us(struct cs_adapter *b)
{
	int64_t next, slurm;

	if (!b->engine)
		return CS_TIME_NONE;
	next = engine_wakeup_us(b);
	if (b->view->n_waiting)
		next = earlier(next, b->looked_us + LOOK_AGAIN_US);
	if (b->stops.again_us)
		next = earlier(next, b->stops.again_us);
	if (next != CS_TIME_NONE)
		next -= cs_feed_now_us(b);
	slurm = b->view->wake_us;
	if (slurm != CS_TIME_NONE)
		slurm -= cs_clock_us(CLOCK_REALTIME);
	return earlier(earlier(next, slurm), names_in_us(b));
}

void cs_adapter_log_opened(struct cs_adapter *b, const char *after)
{
	int len;

	if (!b->engine || !b->log)
		return;
	for (int i = 0; i < 2; i++) {
		len = cs_log_header(b->line, b->n_line,
				    cs_engine_machine(b->engine), &b->params,
				    b->mode, b->act_slice, b->profiles,
				    cs_feed_now_us(b), after, PACKAGE_VERSION);
		if (len <= 0 || (size_t)len < b->n_line)
			break;
		free(b->line);
		b->n_line = (size_t)len + 4096;
		b->line = malloc(b->n_line);
		if (!b->line) {
			b->n_line = 0;
			return;
		}
	}
	if (len <= 0 || (size_t)len >= b->n_line)
		return;
	cs_logfile_write(b->log, b->line, (size_t)len);
	if (!after)
		cs_start_estimates_log(b);
	cs_feed_log_state(b, after != NULL);
}

void cs_adapter_figures(const struct cs_adapter *b,
			struct cs_adapter_figures *ret)
{
	struct cs_engine_stats st = { 0 };

	if (b->engine)
		cs_engine_stats(b->engine, &st);
	*ret = (struct cs_adapter_figures){
		.queue = b->view->n_waiting,
		.looked = b->view->n_waiting - b->view->blocked,
		.started = b->count.cycle_started,
		.reserved = st.reservations,
	};
}
