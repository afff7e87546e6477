/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explain: what a job needs, and what is free. */
#include <inttypes.h>
#include <stdlib.h>

#include "explain/explain.h"
#include "job/alone.h"
#include "job/progress.h"
#include "job/match.h"
#include "job/resv.h"
#include "state/pass.h"
#include "model/topology.h"

/* Cores that @procs processes of a job of shape @s take, on nodes like s->like. */
static uint32_t cores_of(const struct cs_shape *s, uint32_t procs)
{
	return cs_shape_cores(s, s->like, procs);
}

/* Cores of @allowed that a job which may use any part of a node could have, and on how
 * many nodes. */
static uint32_t free_cores(const struct cs_occ *o, const struct cs_shape *s,
			   const uint64_t *allowed, uint32_t *ret_nodes)
{
	uint32_t k = 0;

	*ret_nodes = 0;
	for (uint32_t n = 0; n < o->machine->n_node; n++) {
		uint32_t procs =
			cs_bit(allowed, n) ? cs_layout_fit(o, n, s) : 0;

		k += cores_of(s, procs);
		*ret_nodes += procs > 0;
	}
	return k;
}

bool cs_room_look(const struct cs_engine *e, const struct cs_ejob *j,
		  uint32_t option, struct cs_room *ret)
{
	const struct cs_topology *t = e->machine->topology;
	const struct cs_slice_machine *sm = cs_sm_of(e, j);
	const struct cs_occ *now;
	struct cs_shape *s = &ret->shape, light, any;

	if (!cs_alone_shape(e, j, option, s))
		return false;
	now = cs_resv_room(e, j, option, s, &sm->now, e->now_us,
			   j->job.estimate_us, e->mask);
	/* in another class's slice: what that class leaves */
	for (uint32_t w = 0; sm->guest && w < cs_node_words(e->machine); w++)
		e->mask[w] &= sm->usable[w];
	ret->free = s->even ? cs_layout_count(now, s, e->mask, NULL)
			    : free_cores(now, s, e->mask, &ret->nodes);
	ret->fits = cs_layout_fits(now, s, e->mask);
	ret->scoped = cs_scoped(e);
	light = *s;
	light.mem_node_mb = light.mem_cpu_mb = 0;
	ret->memory = !ret->fits && cs_layout_fits(now, &light, e->mask);
	light = *s;
	light.gpus = 0;
	ret->gpus =
		s->gpus && !ret->fits && cs_layout_fits(now, &light, e->mask);
	any = *s;
	any.anywhere = true;
	ret->apart = NULL;
	if (t && !ret->fits && cs_layout_fits(now, &any, e->mask))
		ret->apart = t->block ? "in different blocks"
				      : "below switches that are not connected";
	return true;
}

bool cs_room_reserved(const struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option, const struct cs_shape *s)
{
	const struct cs_resv_job of = cs_resv_of(e, j, option);
	const struct cs_occ *now;
	struct cs_engine own;

	if (!e->n_held || cs_resv_confines(&of))
		return false;
	own = *e;
	own.sm = cs_sm_of(e, j); /* its own slices tell how long it takes */
	cs_resv_lifted(&own, j, option, e->now_us, j->job.estimate_us, e->mask);
	if (!cs_layout_fits(&own.sm->now, s, e->mask))
		return false;
	now = cs_resv_room(&own, j, option, s, &own.sm->now, e->now_us,
			   j->job.estimate_us, e->mask);
	return !cs_layout_fits(now, s, e->mask);
}

/* Running jobs, sorted by the time at which they end at the latest. */
static int by_end(const void *x, const void *y)
{
	const struct cs_ending *a = x, *b = y;

	if (a->end_us != b->end_us)
		return a->end_us < b->end_us ? -1 : 1;
	return cs_ejob_cmp(a->job, b->job);
}

size_t cs_room_ends(const struct cs_engine *e,
		    const struct cs_slice_machine *sm, struct cs_ending *end)
{
	size_t n = 0;

	for (size_t i = 0; i < e->started.n; i++) {
		const struct cs_ejob *x = e->started.job[i];

		if (cs_sm_of(e, x) == sm && cs_sm_holds(x) &&
		    x->state != CS_SUSPENDED && !cs_rests(e, x))
			end[n++] =
				(struct cs_ending){ cs_progress_latest_us(e, x),
						    x };
	}
	qsort(end, n, sizeof(*end), by_end);
	return n;
}

/* Does @s fit once the first @n of @end have ended?  @then is overwritten. */
static bool fits_without(const struct cs_slice_machine *sm, struct cs_occ *then,
			 const struct cs_shape *s, const uint64_t *allowed,
			 const struct cs_ending *end, size_t n)
{
	cs_occ_copy(then, &sm->now);
	for (size_t i = 0; i < n; i++)
		cs_occ_remove(then, end[i].job->alloc, end[i].job->hold);
	return cs_layout_fits(then, s, allowed);
}

int64_t cs_explain_room_us(const struct cs_engine *e, uint32_t job_id)
{
	struct cs_ejob *j = cs_engine_job(e, job_id);
	struct cs_ending *end = calloc(e->started.n + 1, sizeof(*end));
	struct cs_occ then = { 0 };
	struct cs_room r;
	size_t low = 0, high;
	int64_t at_us = CS_TIME_NONE;
	const struct cs_slice_machine *sm;

	if (!j || j->state != CS_WAITING || !end ||
	    cs_occ_init(&then, e->machine) ||
	    !cs_room_look(e, j, j->verdict.option, &r))
		goto out;
	sm = cs_sm_of(e, j);
	high = cs_room_ends(e, sm, end);
	/* cs_room_look() left the nodes that it may use in e->mask */
	if (r.fits || !high ||
	    !fits_without(sm, &then, &r.shape, e->mask, end, high))
		goto out;
	while (high - low > 1) { /* fits after high endings, not after low */
		size_t half = low + (high - low) / 2;

		if (fits_without(sm, &then, &r.shape, e->mask, end, half))
			high = half;
		else
			low = half;
	}
	at_us = cs_progress_host_us(e, end[high - 1].job, end[high - 1].end_us);
out:
	cs_occ_done(&then);
	free(end);
	return at_us;
}

/* How many nodes an uneven shape may have, if that is restricted. */
static void put_span_of_nodes(struct cs_text *t, const struct cs_shape *s)
{
	const char *of = s->kind == CS_SHAPE_SPACE ? "," : " of";

	if (s->nodes == s->max_nodes)
		cs_put(t, "%s %u node%s", of, s->nodes, cs_plural(s->nodes));
	else if (s->nodes > 1 && s->max_nodes)
		cs_put(t, "%s %u to %u nodes", of, s->nodes, s->max_nodes);
	else if (s->nodes > 1)
		cs_put(t, "%s %u nodes or more", of, s->nodes);
	else if (s->max_nodes)
		cs_put(t, "%s at most %u nodes", of, s->max_nodes);
}

/* The type is the job's wish, which its user knows. */
static void put_gpus(struct cs_text *t, const struct cs_shape *s)
{
	if (s->gpu_share < CS_GPU_WHOLE)
		cs_put(t, " with %u thousandths of %u GPU%s", s->gpu_share,
		       s->gpus, cs_plural(s->gpus));
	else
		cs_put(t, " with %u GPU%s", s->gpus, cs_plural(s->gpus));
}

void cs_explain_put_shape(struct cs_text *t, const struct cs_shape *s)
{
	uint32_t cores = cores_of(s, s->even ? s->quota : s->procs);
	bool whole = s->kind == CS_SHAPE_SPACE;

	if (!s->even || !whole)
		cs_put(t, "%u core%s", cores, cs_plural(cores));
	if (s->even && !whole && s->nodes == 1)
		cs_put(t, " of one node");
	else if (s->even)
		cs_put(t, "%s%u node%s", whole ? "" : " on each of ", s->nodes,
		       cs_plural(s->nodes));
	else if (whole)
		cs_put(t, " of empty nodes");
	if (!s->even)
		put_span_of_nodes(t, s);
	if (s->gpus)
		put_gpus(t, s);
}

void cs_explain_put_room(struct cs_text *t, const struct cs_room *r)
{
	const struct cs_shape *s = &r->shape;
	bool each = s->even && s->kind != CS_SHAPE_SPACE;

	cs_put(t, "needs ");
	cs_explain_put_shape(t, s);
	if (each && !r->free)
		cs_put(t, ", none has them free");
	else if (each)
		cs_put(t, ", %u ha%s them free", r->free,
		       r->free == 1 ? "s" : "ve");
	else
		cs_put(t, ", %u free", r->free);
	if (!s->even && s->nodes > 1 && s->kind != CS_SHAPE_SPACE)
		cs_put(t, " on %u node%s", r->nodes, cs_plural(r->nodes));
	if (r->memory)
		cs_put(t, " with the memory it asks for");
	if (r->gpus)
		cs_put(t, "; without its GPUs it would have room");
	if (r->apart)
		cs_put(t, ", but %s", r->apart);
	if (s->owner)
		cs_put(t, " (%s: beside no other owner's jobs)",
		       r->scoped ? "share_scope" : "--exclusive=user");
}

/* May dynamic nodes come to its partitions? */
static bool may_grow(const struct cs_text *t)
{
	return t->to && t->to->more_nodes;
}

void cs_explain_put_never(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j, uint32_t option)
{
	const struct cs_occ *now = &cs_sm_of(e, j)->now;
	const uint64_t *set = cs_engine_set(e, &j->job.option[option]);
	struct cs_shape s;

	if (t->to && t->to->no_nodes)
		cs_put(t, "its partition has no nodes yet");
	else if (!cs_engine_could_run(e, j->job.id) && may_grow(t))
		cs_put(t, "the nodes that there are now cannot hold it, even "
			  "with all up and empty; more may register (dynamic "
			  "nodes)");
	else if (!cs_engine_could_run(e, j->job.id))
		cs_put(t, "no set of nodes that it may use can hold it, even "
			  "with all up and empty");
	else if (!cs_alone_shape(e, j, option, &s) ||
		 !cs_layout_holds(e->machine, now->down, &s, set))
		cs_put(t, "no set of nodes that are up can hold it");
	else if (cs_alone_too_slow(e, j, option, &s))
		cs_put(t, CS_TOO_SLOW);
	else
		cs_put(t, "no set of nodes is free of reservations for as "
			  "long as it may run");
}

/* The nodes that a job may use, up or down. */
struct might {
	uint32_t nodes, most_cores, most_gpus; /* GPUs of the job's type */
	uint64_t cores, most_mb;
};

static struct might might_have(const struct cs_engine *e, const uint64_t *set,
			       uint32_t gpu_id)
{
	struct might m = { 0 };

	for (uint32_t n = 0; n < e->machine->n_node; n++) {
		const struct cs_node *node = &e->machine->node[n];
		uint32_t gpus = cs_popcount(cs_gpus_of(node->gpus, gpu_id));

		if (!cs_bit(set, n))
			continue;
		if (gpus > m.most_gpus)
			m.most_gpus = gpus;
		m.nodes++;
		m.cores += cs_node_cores(node);
		if (cs_node_cores(node) > m.most_cores)
			m.most_cores = cs_node_cores(node);
		if (node->memory_mb > m.most_mb)
			m.most_mb = node->memory_mb;
	}
	return m;
}

/* The least memory that it needs on one node; 0: no particular amount. */
static uint64_t least_mb(const struct cs_job *j)
{
	uint32_t procs = j->procs_per_node ? j->procs_per_node : 1;

	if (j->mem_node_mb)
		return j->mem_node_mb == CS_MEM_ALL ? 0 : j->mem_node_mb;
	return j->mem_cpu_mb * j->cpus_per_proc * procs;
}

/* Which part of its request is too much, and what there is. */
static void say_too_much(struct cs_text *t, const struct cs_job *j,
			 uint32_t cores, const struct might *m)
{
	bool memory = m->most_mb && least_mb(j) > m->most_mb;
	/* all may be on as many nodes as it has processes */
	uint32_t spread = j->max_nodes ? j->max_nodes : j->procs;
	uint32_t gpus =
		j->gpus_node ? j->gpus_node : cs_div_up(j->gpus, spread);

	if (cores > m->cores)
		cs_put(t, "%u core%s", cores, cs_plural(cores));
	else if (j->max_nodes && j->min_nodes > j->max_nodes)
		cs_put(t, "%u nodes and may have %u", j->min_nodes,
		       j->max_nodes);
	else if (j->min_nodes > m->nodes)
		cs_put(t, "%u nodes", j->min_nodes);
	else if (memory)
		cs_put(t, "%" PRIu64 " MB on a node", least_mb(j));
	else if (gpus > m->most_gpus)
		cs_put(t,
		       "%u GPUs%s%.*s on a node, of which none has more "
		       "than %u",
		       gpus, j->gpu_type && *j->gpu_type ? " of type " : "",
		       CS_GPU_NAME, j->gpu_type ? j->gpu_type : "",
		       m->most_gpus);
	else
		cs_put(t,
		       "more cores or memory on a node than any has, or "
		       "for fewer nodes than its %u core%s take%s",
		       cores, cs_plural(cores), cores == 1 ? "s" : "");
	cs_put(t,
	       "; the nodes it may use are %u, with %" PRIu64
	       " cores in all and at most %u",
	       m->nodes, m->cores, m->most_cores);
	if (memory)
		cs_put(t, " and %" PRIu64 " MB", m->most_mb);
	cs_put(t, " each\n");
}

void cs_explain_put_too_large(struct cs_text *t, const struct cs_engine *e,
			      const struct cs_ejob *j)
{
	const struct cs_job *job = &j->job;
	const struct cs_node *like = cs_engine_like(e, &job->option[0]);
	struct might m = might_have(e, cs_engine_set(e, &job->option[0]),
				    cs_gpu_id(job->gpu_type));

	if ((t->to && t->to->no_nodes) || cs_engine_could_run(e, job->id))
		return;
	cs_put(t, may_grow(t) ? "  it cannot run on the nodes that there are "
				"now, but more may register (dynamic nodes): "
			      : "  it can never run: ");
	if (!like) {
		cs_put(t, "no node of its partition meets its request\n");
		return;
	}
	cs_put(t, "it asks for ");
	say_too_much(t, job, cs_job_cores(job, like, job->procs), &m);
}
