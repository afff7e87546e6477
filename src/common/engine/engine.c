/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates and frees the engine and its parts; and the node sets that its host has
 * named.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backfill/backfill.h"
#include "backfill/easy.h"
#include "engine/region.h"
#include "job/crossing.h"
#include "job/lesson.h"
#include "job/resv.h"
#include "job/site_room.h"
#include "order/depth.h"
#include "order/order.h"
#include "order/passing.h"
#include "place/joinable.h"
#include "place/place.h"
#include "slice/slice.h"
#include "state/jobtable.h"
#include "state/pass.h"

static int sm_init(struct cs_engine *e, struct cs_slice_machine *sm)
{
	sm->on = calloc(e->machine->n_node, sizeof(*sm->on));
	sm->serves_us = INT64_MIN;
	if (!sm->on || cs_ask(e->backfill, init, 0, e, sm))
		return -ENOMEM;
	if (cs_occ_init(&sm->now, e->machine))
		return -ENOMEM;
	sm->now.mix = &e->gpu_mix;
	return 0;
}

static void sm_done(struct cs_engine *e, struct cs_slice_machine *sm)
{
	cs_backfill_done(sm);
	free(sm->queue.entry);
	for (uint32_t n = 0; sm->on && n < e->machine->n_node; n++)
		free(sm->on[n].slot);
	free(sm->on);
	cs_occ_done(&sm->now);
	cs_tell(e->backfill, done, sm);
}

static int machine_init(struct cs_engine *e, const struct cs_machine *machine)
{
	uint32_t words;
	int rc = 0;

	e->machine = cs_machine_copy(machine);
	if (!e->machine)
		return -ENOMEM;
	e->machine->core_jobs = (uint32_t)e->params.mpl;
	words = cs_node_words(e->machine);
	e->mask = calloc(words, sizeof(*e->mask));
	e->mask2 = calloc(words, sizeof(*e->mask2));
	e->lines = calloc(2 * cs_bit_words(e->machine->n_node + 1),
			  sizeof(*e->lines));
	e->waited = calloc(words, sizeof(*e->waited));
	e->pass = calloc(1, sizeof(*e->pass));
	if (!e->mask || !e->mask2 || !e->lines || !e->waited || !e->pass)
		return -ENOMEM;
	e->n_sm = e->slice->n_sm;
	e->sm = e->sms;
	for (uint32_t i = 0; !rc && i < e->n_sm; i++)
		rc = sm_init(e, &e->sms[i]);
	return rc ?: cs_site_room_init(e) ?: cs_ask(e->slice, init, 0, e) ?:
		     cs_ask(e->order, init, 0, e);
}

struct cs_engine *cs_engine_create(const struct cs_params *params,
				   const struct cs_machine *machine,
				   const struct cs_profiles *profiles,
				   struct cs_err *err)
{
	struct cs_engine *e;

	e = calloc(1, sizeof(*e));
	if (!e)
		goto nomem;
	e->order = cs_order_choose(params);
	e->order_cmp = e->order->cmp(params);
	e->slice = cs_slice_choose(params);
	e->place = cs_place_choose(params);
	e->backfill = cs_backfill_choose(params);
	if (cs_params_copy(&e->params, params) || machine_init(e, machine))
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
	if (cs_lesson_init(e) || cs_crossing_init(e))
		goto nomem;
	e->gpu_mix.pick = (uint32_t)params->gpu_fit;
	e->epoch = 1;
	e->rescan = true;
	e->layouts = 1;
	e->next_seq = 1;
	e->next_group = 1;
	return e;
nomem:
	cs_err_set(err, -ENOMEM, "engine: out of memory");
	cs_engine_free(e);
	return NULL;
}

bool cs_engine_free_jobs(struct cs_engine *e, uint32_t most)
{
	return cs_jobtable_free_some(e, most);
}

void cs_engine_free(struct cs_engine *e)
{
	if (!e)
		return;
	cs_jobtable_done(e);
	for (uint32_t i = 0; i < e->n_sm; i++)
		sm_done(e, &e->sms[i]);
	cs_tell(e->slice, done, e);
	cs_tell(e->order, done, e);
	cs_lesson_done(e);
	free(e->crossed);
	for (uint32_t i = 0; i < e->n_nodeset; i++)
		free(e->nodeset[i]);
	free(e->nodeset);
	free(e->nodeset_sizes);
	free(e->full);
	cs_resv_done(e);
	cs_site_room_done(e);
	cs_depth_done(&e->depth);
	cs_passing_done(&e->passing);
	cs_region_done(e);
	free(e->mask);
	free(e->mask2);
	cs_occ_done(&e->shared_room);
	free(e->lines);
	free(e->candidate);
	free(e->waited);
	if (e->pass)
		cs_joinable_forget(e->pass);
	free(e->pass);
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
		void *sizes;

		if (sets)
			e->nodeset = sets;
		sizes = realloc(e->nodeset_sizes,
				cap * sizeof(*e->nodeset_sizes));
		if (sizes)
			e->nodeset_sizes = sizes;
		if (!sets || !sizes)
			return -ENOMEM;
		e->cap_nodeset = cap;
	}
	copy = malloc(bytes);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, set, bytes);
	e->nodeset[e->n_nodeset] = copy;
	cs_layout_sizes(e->machine, copy, &e->nodeset_sizes[e->n_nodeset]);
	return e->n_nodeset++;
}

const struct cs_machine *cs_engine_machine(const struct cs_engine *e)
{
	return e->machine;
}

int64_t cs_engine_job_nodeset(const struct cs_engine *e, uint32_t id,
			      uint32_t option)
{
	const struct cs_ejob *j = cs_engine_job(e, id);

	if (!j || option >= j->job.n_option)
		return -1;
	return j->job.option[option].nodeset;
}

const uint64_t *cs_engine_nodeset_words(const struct cs_engine *e,
					uint32_t nodeset, uint32_t *ret_words)
{
	if (nodeset >= e->n_nodeset)
		return NULL;
	*ret_words = cs_node_words(e->machine);
	return e->nodeset[nodeset];
}
