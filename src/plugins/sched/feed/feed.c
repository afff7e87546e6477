/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a snapshot to events: only changes.
 *
 * Rules.
 *  1. First events that free (jobs that ended, were requeued or suspended), then the
 *     machine, then the rest, in the order of Slurm's job list; suspended jobs before
 *     the others: a new one runs for a moment, on cores that another may hold by now.
 *     Then a job that runs takes cores even from one that a slice has stopped
 *     (lifecycle/keepers.c).
 *  2. A job missing from the snapshot has ended or was cancelled; it failed, unless the
 *     look found it completed.  A running job that Slurm has requeued since (restart_cnt)
 *     ran twice: it is requeued and started.  In one run the start may move, when its
 *     nodes have booted, and its limit may begin to count later, when PrologSlurmctld is
 *     over: CS_EV_BEGIN.  Its nodes may become fewer (scontrol, a failed node of a
 *     --no-kill job) or more (--dependency=expand): CS_EV_RESIZE, after the ends.
 *  3. A job that the engine cannot take (a partition that gives one core to several
 *     jobs, an unknown node, refused numbers), or not back when it resumes, is a ghost:
 *     left out, reported once, and tried again: if it waits, when it changes; if it
 *     runs or is suspended, as soon as no job holds its cores.  The gate and Slurm's
 *     test still protect what it holds; unless another job holds that too, its nodes
 *     are an advance reservation, CS_FEED_HAUNTED, until it should end: otherwise each
 *     job in turn would be proposed there, and refused, while other cores idle.  Not
 *     for jobs that share cores themselves.  Its end may free what a job was refused
 *     for.
 *  4. Nodes about to be ready (view_nodes.c) are an advance reservation,
 *     CS_FEED_UNREADY, until they should be: no job starts there now, and a head that
 *     needs them keeps its turn.  So are those that are to reboot, CS_FEED_REBOOTING.
 *  5. A waiting job kept from starting by a limit of its association or QOS
 *     (start_step.c) is blocked until a job ends or half a minute has passed.
 *  6. Unless order=slurm, a new priority alone is no change: multifactor recomputes
 *     them all every few minutes, and with order=ostrich we write them ourselves.  One
 *     set by the administrator is.
 *  7. Any other refusal by the engine means that the two disagree: -ESTALE, and the
 *     thread builds a new adapter.
 *  8. A job that runs by our state and waits by Slurm's lost its start: slurmctld was
 *     killed before saving it.  It may still run.  When its node registers, Slurm ends
 *     that run, and until that is done, and in the second of the order, slurmd refuses
 *     the job ("already running": it is held and the node drained; or its credential
 *     revoked: it is ended).  So it is blocked for LOST_US from the first snapshot,
 *     which waits for the nodes to register (sched_cycle.c); a slower node settles when
 *     it comes (settle.h).  Without our state this may be any job that was submitted to
 *     an earlier slurmctld.  An adapter that takes over from one that ran for so long
 *     has lost no start, nor has one of a slurmctld that has been in service for long.
 *  9. A limit that differs from the one we left was set by others: the job keeps it
 *     when it waits again, as under stock.  One that we left raised is lowered when its
 *     run is over in our eyes, also if slurmctld was restarted meanwhile: while the job
 *     waits it gets the original one; if it runs again, the engine sets what it needs.
 *     Ended jobs are remembered for that (ended.c).  Of a limit that our state does not
 *     know, or only from before the raise, the job's comment tells whether we raised it:
 *     Slurm saves both together, and may have been killed before our state was written.
 *     So it is with the components of a heterogeneous job that waits again, which are not
 *     looked at one by one.
 * 10. A job that Slurm itself started, for a preemption, may have got more than its
 *     TimeMin, which the engine assumes while it waits: it is described again before it
 *     runs, like an array task that got its id at the start.
 * 11. The name of a job's user keys profile rules, campaigns and what is learned.  It is
 *     the name in Slurm's record, else it is looked up (resident/users.h): the job is
 *     fed when the name is known, or after CS_USERS_PATIENCE_US by the user's number;
 *     other users' jobs do not wait.  If such a job runs already, its nodes are haunted
 *     until then, as a ghost's (rule 3).  The job keeps the name that it was fed with,
 *     also over a restart (checkpoint.c), whatever later look-ups say; so do tasks of an
 *     array, whether we or Slurm give them their ids.
 * 12. A node that came, went or changed is told before it is up.  If the engine refuses
 *     that (a job holds it, or it is larger than all before), nothing is wrong: the
 *     machine has changed beyond a difference, and the thread builds a new adapter.
 *
 * No Slurm here.  O(jobs) comparisons of a few hundred bytes a snapshot.
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/order/order.h"
#include "common/slice/slice.h"
#include "gate/gate.h"
#include "resident/users.h"
#include "sched/feed/ended.h"
#include "sched/feed/feed_event.h"
#include "sched/feed/nodesets.h"
#include "sched/view/view_table.h"

#define LOST_US INT64_C(3000000)
#define HAUNT_MORE_US INT64_C(60000000)
#define HAUNT_MAX_US (INT64_C(365) * 86400 * 1000000)

struct cs_engine *cs_feed_engine(const struct cs_adapter *b, struct cs_err *err)
{
	struct cs_params p = b->params; /* borrowed: the engine copies */

	p.mode = (int)b->mode;
	return cs_engine_create(&p, b->view->machine, b->profiles, err);
}

/* ---- frees ----------------------------------------------------------------- */

static int simple(struct cs_adapter *b, enum cs_event_type type, uint32_t id,
		  struct cs_err *err)
{
	struct cs_event ev = { .type = type, .t_us = b->now_us, .job_id = id };

	return cs_feed_event(b, &ev, NULL, err);
}

/* Its comment says whether a slice has stopped it. */
static void say_whose(struct cs_adapter *b, struct cs_known_job *k)
{
	if (k->stopped && !k->stops)
		k->stops = 1;
	if (!k->stops)
		return;
	k->again_us = b->now_us;
	cs_slice_again(b, k->again_us);
}

static int suspended(struct cs_adapter *b, struct cs_known_job *k,
		     const struct cs_view_job *j, struct cs_err *err)
{
	struct cs_event ev = {
		.type = CS_EV_SUSPEND,
		.keeps = j->keeps,
		.t_us = b->now_us,
		.job_id = k->id,
	};

	b->stops.others = true;
	k->state = CS_VIEW_SUSPENDED;
	k->stopped = j->stopped;
	if (cs_slice_choose(&b->params)->stops)
		say_whose(b, k);
	return cs_feed_event(b, &ev, NULL, err);
}

int cs_feed_freed(struct cs_adapter *b, struct cs_err *err)
{
	struct cs_event ev = {
		.type = CS_EV_TICK,
		.freed = true,
		.t_us = b->now_us,
	};

	return cs_feed_event(b, &ev, NULL, err);
}

/* Rule 2. */
static int gone(struct cs_adapter *b, struct cs_known_job *k,
		struct cs_err *err)
{
	bool waited = k->state == CS_VIEW_WAITING;
	struct cs_event ev = {
		.type = waited ? CS_EV_CANCEL : CS_EV_FINISH,
		.failed = !waited && !k->done,
		.t_us = b->now_us,
		.job_id = k->id,
	};
	struct cs_kept kept;
	int rc = 0;

	if (k->raised_from && cs_checkpoint_of(b, k, &kept))
		cs_ended_add(b, &kept);
	if (!k->ghost)
		rc = cs_feed_event(b, &ev, NULL, err);
	else if (!waited)
		rc = cs_feed_freed(b, err);
	if (!waited) {
		b->count.ended++;
		b->dirty = true;
	}
	cs_known_remove(&b->known, k);
	return rc;
}

/* Rule 9. */
static void leave_limit(struct cs_adapter *b, struct cs_known_job *k)
{
	k->overruled |= k->raised_from != 0;
	b->untidy |= k->overruled;
	k->raised_from = k->raised_flag = 0;
	b->dirty = true;
}

/* Its run is over: what we wrote into Slurm's record is to be undone; of a heterogeneous
 * job in those of its components, too, which are not in the look while it waits. */
static void untidy(struct cs_adapter *b, struct cs_known_job *k,
		   const struct cs_view_job *j)
{
	k->tidy = k->raised_from || k->shared || k->stops || j->desc.n_comp;
	b->untidy |= k->tidy;
}

/* A running job waits again, or was restarted meanwhile. */
static int requeued(struct cs_adapter *b, struct cs_known_job *k,
		    struct cs_view_job *j, struct cs_err *err)
{
	size_t n;
	const void *bytes = cs_view_bytes(j, &n);
	int rc = k->ghost ? cs_feed_freed(b, err) : 0;
	struct cs_kept was;

	if (rc)
		return rc;
	if (k->raised_from && j->limit_us == k->limit_us &&
	    cs_checkpoint_of(b, k, &was))
		cs_ended_requeued(b, &was);
	b->count.ended++;
	b->dirty = true;
	k->array_id = 0;
	k->hold_us = 0;
	if (j->limit_us != k->limit_us)
		leave_limit(b, k);
	untidy(b, k, j);
	k->inherits = k->raised_from != 0;
	if (k->raised_from)
		j->desc.estimate_us = k->raised_from * INT64_C(60000000);
	if (cs_known_told(k, bytes, n))
		return -ENOMEM;
	k->state = CS_VIEW_WAITING;
	return cs_feed_describe(b, k, CS_EV_REQUEUE, err);
}

/* Rule 2. */
static int begun(struct cs_adapter *b, struct cs_known_job *k,
		 const struct cs_view_job *j, struct cs_err *err)
{
	struct cs_event ev = {
		.type = CS_EV_BEGIN,
		.t_us = b->now_us,
		.begin = { .job_id = k->id,
			   .start_us = j->start_us,
			   .from_us = j->from_us },
	};

	if (j->start_us < k->start_us) {
		k->start_us = j->start_us; /* a restart finds it by that */
		b->dirty = true;
	}
	if (j->from_us <= k->from_us)
		return 0;
	k->start_us = j->start_us;
	k->from_us = j->from_us;
	b->dirty = true;
	return k->ghost ? 0 : cs_feed_event(b, &ev, NULL, err);
}

/* Rule 2. */
static int resized(struct cs_adapter *b, struct cs_known_job *k,
		   const struct cs_view_job *j, struct cs_err *err)
{
	k->n_node = j->n_node;
	k->cpus = j->cpus;
	k->mem_mb = j->mem_mb;
	b->dirty = true;
	b->count.ended++; /* what it gave back may be what others wait for */
	if (k->ghost)
		return cs_feed_freed(b, err);
	if (j->alloc)
		return cs_feed_resize(b, k, b->view->alloc[j->alloc - 1], err);
	cs_err_set(err, -EINVAL, "it holds nothing of the machine");
	return cs_feed_ghost(b, k, CS_EV_FINISH, err);
}

/* Was it suspended since the last look, or, by an administrator, while a time slice had
 * stopped it? */
static bool is_suspended(const struct cs_known_job *k,
			 const struct cs_view_job *j)
{
	return j->state == CS_VIEW_SUSPENDED &&
	       (k->state == CS_VIEW_RUNNING || (k->stopped && !j->stopped));
}

/* An administrator had suspended it, and gives it back to the slices (scontrol release).
 * A hold alone is no such sign. */
static bool is_given_back(const struct cs_known_job *k,
			  const struct cs_view_job *j)
{
	return k->state == CS_VIEW_SUSPENDED && !k->stopped && j->stopped &&
	       !j->held;
}

/* After what frees: before another job gets their cores. */
static int given_back(struct cs_adapter *b, struct cs_err *err)
{
	for (struct cs_view_job *j = cs_view_next(b->view, NULL); j;
	     j = cs_view_next(b->view, j)) {
		struct cs_known_job *k = cs_known_find(&b->known, j->id);
		int rc;

		if (!k || k->ghost || !is_given_back(k, j))
			continue;
		rc = suspended(b, k, j, err);
		b->dirty = true;
		if (rc)
			return rc;
	}
	return 0;
}

static int sizes_changed(struct cs_adapter *b, struct cs_err *err)
{
	int rc = 0;

	for (struct cs_view_job *j = cs_view_next(b->view, NULL); !rc && j;
	     j = cs_view_next(b->view, j)) {
		struct cs_known_job *k = cs_known_find(&b->known, j->id);

		if (k && k->state != CS_VIEW_WAITING && !cs_known_sized(k, j))
			rc = resized(b, k, j, err);
	}
	return rc;
}

static int freed(struct cs_adapter *b, struct cs_err *err)
{
	bool sizes = false;

	for (struct cs_view_job *j = cs_view_next(b->view, NULL); j;
	     j = cs_view_next(b->view, j)) {
		struct cs_known_job *k = cs_known_find(&b->known, j->id);
		int rc = 0;

		if (!k)
			continue;
		k->seen = b->count.snapshots;
		if (k->state == CS_VIEW_WAITING)
			continue;
		if (j->state == CS_VIEW_WAITING || !cs_known_runs(k, j)) {
			rc = requeued(b, k, j, err);
		} else {
			rc = begun(b, k, j, err);
			sizes |= !cs_known_sized(k, j);
		}
		if (!rc && !k->ghost && is_suspended(k, j)) {
			rc = suspended(b, k, j, err);
			b->dirty = true;
		}
		if (rc)
			return rc;
	}
	for (uint32_t i = 0; i < b->known.n;) {
		struct cs_known_job *k = b->known.list[i];
		int rc = k->seen == b->count.snapshots ? 0 : gone(b, k, err);

		if (rc)
			return rc;
		if (i < b->known.n && b->known.list[i] == k)
			i++;
	}
	return (sizes ? sizes_changed(b, err) : 0) ?: given_back(b, err);
}

/* ---- the machine ----------------------------------------------------------- */

static int node(struct cs_adapter *b, uint32_t n, bool up,
		const struct cs_node *now, const char *why, struct cs_err *err)
{
	struct cs_event ev = {
		.type = CS_EV_NODE,
		.t_us = b->now_us,
		.node = { .index = n, .up = up, .now = now, .why = why },
	};
	int rc = cs_feed_tell(b, &ev, NULL, err);

	if (!rc)
		cs_bit_put(b->told.up, n, up);
	return rc;
}

/* Rule 12. */
static int moved(struct cs_adapter *b, struct cs_err *err)
{
	const struct cs_machine *m = cs_engine_machine(b->engine);

	/* backwards: the first one is what its sets go by (cs_engine_like()) */
	for (uint32_t n = m->n_node; n--;) {
		const struct cs_node *now = &b->view->machine->node[n];
		struct cs_node was = m->node[n];
		bool up = cs_bit(b->told.up, n);
		int rc = 0;

		if (!b->view->moved[n / 64])
			n &= ~UINT32_C(63);
		if (!cs_bit(b->view->moved, n))
			continue;
		was.weight = now->weight;
		if (up && !cs_node_same(&was, now)) {
			up = false;
			rc = node(b, n, false, NULL, "it becomes another", err);
		}
		if (!rc)
			rc = node(b, n, up, now, up ? "" : "not available",
				  err);
		if (rc)
			return rc == -ENOMEM ? rc : -ERESTART;
		cs_bit_clear(b->view->moved, n);
	}
	return 0;
}

static int nodes(struct cs_adapter *b, struct cs_err *err)
{
	int rc = moved(b, err);

	for (uint32_t n = 0; !rc && n < b->view->machine->n_node; n++) {
		bool up = cs_bit(b->view->up, n);

		if (b->view->up[n / 64] == b->told.up[n / 64])
			n |= 63;
		else if (up != cs_bit(b->told.up, n))
			rc = cs_feed_stale(node(b, n, up, NULL,
						up ? "" : "not available",
						err));
	}
	return rc;
}

/* @r of nodes @set, or (NULL) gone.  Never reported without nodes. */
static int reservation(struct cs_adapter *b, const struct cs_view_resv *r,
		       const uint64_t *set, struct cs_err *err)
{
	uint32_t n_node = b->view->machine->n_node;
	uint32_t *node = set ? calloc(n_node, sizeof(*node)) : NULL;
	struct cs_reservation e = {
		.id = r->id,
		.node = node,
		.start_us = r->start_us,
		.end_us = r->end_us,
		.flags = r->flags,
		.delay_s = r->delay_s,
		.cores = set ? r->cores : NULL,
	};
	struct cs_event ev = {
		.type = CS_EV_RESERVATION,
		.t_us = b->now_us,
		.reservation = &e,
	};
	int rc;

	if (set && !node)
		return -ENOMEM;
	for (uint32_t n = 0; set && n < n_node; n++)
		if (cs_bit(set, n))
			node[e.n++] = n;
	rc = set && !e.n ? 0 : cs_feed_event(b, &ev, NULL, err);
	free(node);
	return rc;
}

static const struct cs_view_resv *find_resv(const struct cs_view_resv *list,
					    uint32_t n, uint32_t id)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].id == id)
			return &list[i];
	return NULL;
}

static bool same_resv(const struct cs_view_resv *a,
		      const struct cs_view_resv *b)
{
	return a->start_us == b->start_us && a->end_us == b->end_us &&
	       a->set == b->set && a->flags == b->flags &&
	       a->delay_s == b->delay_s &&
	       (a->cores && b->cores ? cs_alloc_equal(a->cores, b->cores)
				     : a->cores == b->cores);
}

/* Keep what the engine was told, for the next time. */
static int keep_resvs(struct cs_adapter *b)
{
	const struct cs_view *v = b->view;

	if (cs_array_room(&b->told.resv, &b->told.cap_resv, v->n_resv))
		return -ENOMEM;
	for (uint32_t i = 0; i < b->told.n_resv; i++)
		cs_alloc_free(b->told.resv[i].cores);
	b->told.n_resv = 0;
	for (uint32_t i = 0; i < v->n_resv; i++) {
		struct cs_view_resv *to = &b->told.resv[i];

		*to = v->resv[i];
		to->cores = to->cores ? cs_alloc_copy(to->cores) : NULL;
		b->told.n_resv++;
		if (v->resv[i].cores && !to->cores)
			return -ENOMEM;
	}
	return 0;
}

static int reservations(struct cs_adapter *b, struct cs_err *err)
{
	const struct cs_view *v = b->view;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < b->told.n_resv; i++)
		if (!find_resv(v->resv, v->n_resv, b->told.resv[i].id))
			rc = reservation(b, &b->told.resv[i], NULL, err);
	for (uint32_t i = 0; !rc && i < v->n_resv; i++) {
		const struct cs_view_resv *was =
			find_resv(b->told.resv, b->told.n_resv, v->resv[i].id);

		if (!was || !same_resv(was, &v->resv[i]))
			rc = reservation(
				b, &v->resv[i],
				cs_view_set_words(v->sets, v->resv[i].set),
				err);
	}
	return rc ? rc : keep_resvs(b);
}

static bool any(const uint64_t *set, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (set[w])
			return true;
	return false;
}

/* No job starts on the nodes of @set before @until_us: our reservation @id, last told
 * the engine as @told and *told_us. */
static int keep_off(struct cs_adapter *b, uint32_t id, const uint64_t *set,
		    int64_t until_us, uint64_t *told, int64_t *told_us,
		    struct cs_err *err)
{
	uint32_t words = cs_node_words(b->view->machine);
	bool had = any(told, words), has = any(set, words);
	struct cs_view_resv kept;
	int rc;

	if ((!had && !has) ||
	    (until_us == *told_us && !memcmp(set, told, words * sizeof(*set))))
		return 0;
	kept = cs_feed_kept_off(b, id, until_us);
	rc = reservation(b, &kept, has ? set : NULL, err);
	if (rc)
		return rc;
	memcpy(told, set, words * sizeof(*set));
	*told_us = until_us;
	return 0;
}

static int unready(struct cs_adapter *b, struct cs_err *err)
{
	return keep_off(b, CS_FEED_UNREADY, b->view->unready,
			b->view->unready_us, b->told.unready,
			&b->told.unready_us, err);
}

static int rebooting(struct cs_adapter *b, struct cs_err *err)
{
	return keep_off(b, CS_FEED_REBOOTING, b->view->rebooting,
			b->view->rebooting_us, b->told.rebooting,
			&b->told.rebooting_us, err);
}

/* When a ghost should be gone; a late one gets another minute each time. */
static int64_t gone_us(const struct cs_adapter *b, const struct cs_view_job *j)
{
	int64_t limit = j->limit_us < HAUNT_MAX_US ? j->limit_us : HAUNT_MAX_US;
	int64_t at = j->start_us + limit;

	if (at > b->now_us)
		return at;
	return b->now_us - b->now_us % HAUNT_MORE_US + 2 * HAUNT_MORE_US;
}

/* Rules 3 and 11: nodes where a job unknown to the engine holds a core that the engine
 * considers free. */
static int haunted(struct cs_adapter *b, struct cs_err *err)
{
	uint32_t words = cs_node_words(b->view->machine);
	int64_t until_us = 0;
	uint64_t *set;
	int rc;

	if (!b->told.ghosts && !b->unnamed.n && !any(b->told.haunted, words))
		return 0;
	set = calloc(words, sizeof(*set));
	if (!set)
		return -ENOMEM;
	for (struct cs_view_job *j = cs_view_next(b->view, NULL); j;
	     j = cs_view_next(b->view, j)) {
		const struct cs_known_job *k = cs_known_find(&b->known, j->id);
		int64_t at;

		if ((k && !k->ghost) || j->state != CS_VIEW_RUNNING ||
		    !j->alloc)
			continue;
		cs_engine_unheld(b->engine, b->view->alloc[j->alloc - 1], set);
		at = gone_us(b, j);
		until_us = at > until_us ? at : until_us;
	}
	rc = keep_off(b, CS_FEED_HAUNTED, set, until_us, b->told.haunted,
		      &b->told.haunted_us, err);
	free(set);
	return rc;
}

/* ---- the rest -------------------------------------------------------------- */

static void keep_priority(const struct cs_known_job *k, struct cs_view_job *j)
{
	const struct cs_view_option *was = cs_known_options(k);
	struct cs_view_option *o = cs_view_options(j);

	if (cs_known_desc(k)->n_option != j->desc.n_option)
		return;
	for (uint32_t i = 0; i < j->desc.n_option; i++)
		if (o[i].partition == was[i].partition)
			o[i].priority = was[i].priority;
}

static void hold(struct cs_adapter *b, struct cs_known_job *k,
		 struct cs_view_job *j)
{
	if (!k->hold_us)
		return;
	if (b->now_us >= k->hold_us || b->count.ended != k->hold_ends)
		k->hold_us = 0;
	else
		j->desc.flags |= CS_JOB_BLOCKED;
}

static void hold_lost(struct cs_adapter *b, struct cs_known_job *k,
		      struct cs_view_job *j)
{
	k->settles =
		b->now_us < k->lost_us && !(j->desc.flags & CS_JOB_BLOCKED);
	if (b->now_us >= k->lost_us)
		return;
	j->desc.flags |= CS_JOB_BLOCKED;
	cs_view_wake(b->view, k->lost_us);
}

static int waiting(struct cs_adapter *b, struct cs_known_job *k,
		   struct cs_view_job *j, bool new, struct cs_err *err)
{
	const void *bytes;
	size_t n;

	hold(b, k, j);
	hold_lost(b, k, j);
	if (k->tidy && k->raised_from)
		j->desc.estimate_us = k->raised_from * INT64_C(60000000);
	if (!new && !cs_order_choose(&b->params)->priority &&
	    !(j->desc.flags & CS_JOB_PRIORITY_SET))
		keep_priority(k, j);
	bytes = cs_view_bytes(j, &n);
	if (!new &&n == k->n_bytes && !memcmp(bytes, k->bytes, n))
		return 0;
	if (cs_known_told(k, bytes, n))
		return -ENOMEM;
	return cs_feed_describe(b, k, new ? CS_EV_SUBMIT : CS_EV_CHANGE, err);
}

static int running(struct cs_adapter *b, struct cs_known_job *k,
		   const struct cs_view_job *j, struct cs_err *err)
{
	struct cs_event ev = { .type = CS_EV_LIMIT, .t_us = b->now_us };
	int rc = 0;

	if (k->ghost)
		return 0;
	if (k->state == CS_VIEW_SUSPENDED && j->state == CS_VIEW_RUNNING) {
		rc = simple(b, CS_EV_RESUME, k->id, err);
		k->state = CS_VIEW_RUNNING;
		k->stopped = false;
		b->dirty = true;
		if (rc == -ESTALE)
			return cs_feed_ghost(b, k, CS_EV_FINISH, err);
	}
	if (rc || k->state == CS_VIEW_SUSPENDED || j->limit_us == k->limit_us)
		return rc;
	ev.limit.job_id = k->id;
	ev.limit.limit_us = j->limit_us;
	k->limit_us = j->limit_us;
	leave_limit(b, k);
	return cs_feed_event(b, &ev, NULL, err);
}

/* @j waits or runs with a limit that was raised from @minutes. */
static void was_raised(struct cs_known_job *k, struct cs_view_job *j,
		       uint32_t minutes, uint32_t flag)
{
	k->raised_from = minutes;
	k->raised_flag = flag;
	k->limit_us = j->limit_us;
	j->desc.estimate_us = minutes * INT64_C(60000000);
}

/* A job of before we did: its estimate is the one before a raise.  Rule 9, if the raise
 * was in another run, or is only in its comment. */
static void remember(struct cs_adapter *b, struct cs_known_job *k,
		     struct cs_view_job *j)
{
	const struct cs_kept *was = cs_checkpoint_find(b, j->id);
	bool waits = j->state == CS_VIEW_WAITING;
	bool same = was && was->limit_us == j->limit_us;
	bool run = !waits && cs_checkpoint_run(b, j);

	if (!same && j->raised_from)
		was_raised(k, j, j->raised_from, j->raised_flag);
	if (run) {
		j->desc.estimate_us = was->estimate_us;
		return;
	}
	if (was) {
		k->shared = was->shared;
		k->stops = was->stops;
	}
	if (same && was->raised_from)
		was_raised(k, j, was->raised_from, was->raised_flag);
	k->inherits = k->raised_from && (waits || same);
	if (was || waits)
		untidy(b, k, j);
}

/* Rule 10. */
static int given_time(struct cs_adapter *b, struct cs_known_job *k,
		      const struct cs_view_job *j, struct cs_err *err)
{
	struct cs_view_desc *told = cs_known_desc(k);

	if (k->ghost || told->estimate_us == j->desc.estimate_us)
		return 0;
	told->estimate_us = j->desc.estimate_us;
	return cs_feed_describe(b, k, CS_EV_CHANGE, err);
}

/* To the engine it waits. */
static int entered(struct cs_adapter *b, struct cs_known_job *k,
		   const struct cs_view_job *j, struct cs_err *err)
{
	int rc = given_time(b, k, j, err) ?: cs_feed_running(b, k, j, err);

	/* its node may have it the other way round: stops first */
	if (b->count.snapshots == 1 && cs_slice_choose(&b->params)->stops) {
		k->again_us = b->now_us;
		k->again_late = j->state == CS_VIEW_SUSPENDED;
		if (!k->again_late)
			k->again_us += CS_SLICE_SOON_US;
		cs_slice_again(b, k->again_us);
	}
	if (rc || k->ghost || j->state != CS_VIEW_SUSPENDED)
		return rc;
	return suspended(b, k, j, err);
}

/* Rule 3, for a running or suspended job. */
static int again(struct cs_adapter *b, struct cs_known_job *k,
		 const struct cs_view_job *j, struct cs_err *err)
{
	int rc;

	if (!j->alloc ||
	    !cs_engine_has_room(b->engine, b->view->alloc[j->alloc - 1]))
		return 0;
	rc = cs_feed_describe(b, k, CS_EV_SUBMIT, err);
	return rc ? rc : entered(b, k, j, err);
}

/* Rule 11: the name that it, or the array from which Slurm has split it, was fed with;
 * NULL: neither was. */
static const char *fed_with(const struct cs_adapter *b,
			    const struct cs_view_job *j)
{
	const char *user = cs_checkpoint_user(b, j->id, j->desc.uid);
	const struct cs_known_job *array;

	if (user || !j->desc.array_id)
		return user;
	array = cs_known_find(&b->known, j->desc.array_id);
	if (array && array->bytes && cs_known_desc(array)->uid == j->desc.uid)
		return array->user;
	return cs_checkpoint_user(b, j->desc.array_id, j->desc.uid);
}

/* Rule 11.  Held; NULL: not yet. */
static const char *user_of(struct cs_adapter *b, const struct cs_view_job *j)
{
	const char *slurms = (const char *)(j + 1) + j->desc.text[CS_VIEW_USER];
	const char *user = fed_with(b, j);
	int64_t due_us;

	if (user)
		cs_users_hold(user);
	else
		user = *slurms ? cs_users_note(j->desc.uid, slurms)
			       : cs_users_name(j->desc.uid, &due_us);
	if (!user) {
		b->unnamed.n++;
		if (due_us < b->unnamed.due_us)
			b->unnamed.due_us = due_us;
	} else if (user != cs_users_known(j->desc.uid)) {
		b->dirty = true; /* a name that a restart must find again */
	}
	return user;
}

/* Rule 8, without our state: was a job of @submit_us there before this slurmctld? */
static bool may_be_lost(const struct cs_adapter *b, int64_t submit_us)
{
	return b->restored.no_state && submit_us < b->served_us;
}

/* Rule 8, for a job of the first snapshot that had no name then. */
static int64_t lost_us(const struct cs_adapter *b, const struct cs_view_job *j)
{
	bool lost = may_be_lost(b, j->desc.submit_us) ||
		    cs_checkpoint_find(b, j->id);

	return lost && b->served_us && j->state == CS_VIEW_WAITING
		       ? b->restored.first_us + LOST_US
		       : 0;
}

static int one(struct cs_adapter *b, struct cs_view_job *j, struct cs_err *err)
{
	struct cs_known_job *k = cs_known_find(&b->known, j->id);
	const char *user = k ? k->user : user_of(b, j);
	bool new = !k;
	int rc;

	if (!user)
		return 0; /* not yet */
	if (new) {
		k = cs_known_add(&b->known, j->id);
		if (!k) {
			cs_users_drop(user);
			return -ENOMEM;
		}
		k->seen = b->count.snapshots;
		k->user = user;
		k->lost_us = lost_us(b, j);
		remember(b, k, j);
		rc = waiting(b, k, j, true, err);
		if (rc)
			return rc;
	}
	k->task = j->task;
	k->kept = j->kept;
	k->reason = j->reason;
	k->lines = j->lines;
	k->priority = j->priority;
	if (j->state == CS_VIEW_WAITING)
		return new ? 0 : waiting(b, k, j, false, err);
	rc = 0;
	if (k->state == CS_VIEW_WAITING)
		rc = entered(b, k, j, err);
	else if (k->again)
		rc = again(b, k, j, err);
	return rc ? rc : running(b, k, j, err);
}

/* Rule 1. */
static int rest(struct cs_adapter *b, bool stopped, struct cs_err *err)
{
	int rc = 0;

	for (struct cs_view_job *j = cs_view_next(b->view, NULL); !rc && j;
	     j = cs_view_next(b->view, j))
		if ((j->state == CS_VIEW_SUSPENDED) == stopped)
			rc = one(b, j, err);
	return rc;
}

static void lost(struct cs_adapter *b, struct cs_known_job *k)
{
	if (k && k->state == CS_VIEW_WAITING && b->served_us)
		k->lost_us = b->began_us + LOST_US;
}

/* Rule 8, in the first snapshot.  A task waits again under its array's id. */
static int lost_starts(struct cs_adapter *b, struct cs_err *err)
{
	int rc = 0;

	b->restored.first_us = b->now_us;
	for (uint32_t i = 0; i < b->known.n; i++)
		if (may_be_lost(b, cs_known_desc(b->known.list[i])->submit_us))
			lost(b, b->known.list[i]);
	for (uint32_t i = 0; i < b->restored.n_kept; i++) {
		struct cs_known_job *k =
			cs_known_find(&b->known, b->restored.kept[i].id);

		if (!k && b->restored.kept[i].array_id)
			k = cs_known_find(&b->known,
					  b->restored.kept[i].array_id);
		lost(b, k);
		b->restored.kept[i].gone |= !k || k->state == CS_VIEW_WAITING;
	}
	for (struct cs_view_job *j = cs_view_next(b->view, NULL); !rc && j;
	     j = cs_view_next(b->view, j)) {
		struct cs_known_job *k = cs_known_find(&b->known, j->id);

		struct cs_kept *was = cs_checkpoint_kept(b, j->id);

		/* it has no name yet, but runs: nothing of it is lost */
		if (!k && was)
			was->gone &= j->state == CS_VIEW_WAITING;
		if (k && k->lost_us)
			rc = waiting(b, k, j, false, err);
	}
	return rc;
}

/* In the first snapshot: jobs of the state that have ended. */
static void ended_before(struct cs_adapter *b)
{
	for (struct cs_view_job *j = cs_view_next(b->view, NULL); j;
	     j = cs_view_next(b->view, j)) {
		struct cs_kept *was = cs_checkpoint_kept(b, j->id);

		if (was)
			was->shown = true;
	}
	for (uint32_t i = 0; i < b->restored.n_kept; i++) {
		const struct cs_kept *was = &b->restored.kept[i];

		if (was->raised_from && !was->shown &&
		    !cs_known_find(&b->known, was->id))
			cs_ended_add(b, was);
	}
}

int cs_feed(struct cs_adapter *b, struct cs_err *err)
{
	int rc;

	b->count.snapshots++;
	b->unnamed = (struct cs_unnamed){ .due_us = INT64_MAX,
					  .answers = cs_users_answers() };
	rc = b->count.snapshots == 1 ? cs_checkpoint_tell(b) : 0;
	if (!rc)
		rc = freed(b, err);
	if (!rc)
		rc = nodes(b, err);
	if (!rc)
		rc = reservations(b, err);
	if (!rc)
		rc = unready(b, err);
	if (!rc)
		rc = rebooting(b, err);
	if (!rc)
		rc = cs_feed_nodesets(b, err);
	if (!rc)
		rc = rest(b, true, err);
	if (!rc)
		rc = rest(b, false, err);
	if (!rc)
		rc = haunted(b, err);
	if (!b->began_us)
		b->began_us = b->now_us;
	if (!rc && b->count.snapshots == 1 && b->now_us < b->began_us + LOST_US)
		rc = lost_starts(b, err);
	if (b->count.snapshots == 1)
		ended_before(b);
	cs_ended_tidy(b);
	if (rc == -ENOMEM)
		cs_err_set(err, rc, "no memory to follow Slurm's jobs");
	return rc;
}

/* Add the nodes that job @j, which was fed, may use; false: any. */
static bool add_nodes(struct cs_adapter *b, const struct cs_view_job *j)
{
	const struct cs_view_option *o = cs_view_options(j);
	const struct cs_view *v = b->view;

	for (uint32_t i = 0; i < j->desc.n_option; i++) {
		const uint64_t *set = cs_view_set_words(v->sets, o[i].set);

		if (!set)
			return false;
		cs_bits_or(b->news.nodes, set, cs_node_words(v->machine));
	}
	return true;
}

int cs_feed_news(struct cs_adapter *b, struct cs_err *err)
{
	const struct cs_view *v = b->view;
	int rc = 0;

	for (size_t at = b->news.from; !rc && at < v->used;) {
		struct cs_view_job *j = (struct cs_view_job *)(v->mem + at);

		at += j->size / 8;
		rc = one(b, j, err);
		if (rc || j->desc.flags & CS_JOB_BLOCKED)
			continue;
		b->news.look |= !add_nodes(b, j);
		b->news.tasks += j->desc.tasks;
	}
	if (rc == -ENOMEM)
		cs_err_set(err, rc, "no memory to follow Slurm's jobs");
	return rc;
}
