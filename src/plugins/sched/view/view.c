/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arrays of a snapshot: blocks are in one arena that grows and is reused.
 */
#include "sched/view/view.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "sched/view/view_before.h"
#include "sched/view/view_table.h"

struct cs_view *cs_view_create(const struct cs_params *params,
			       enum cs_mode mode, bool all_partitions)
{
	struct cs_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->params = params;
	v->mode = mode;
	v->all_partitions = all_partitions;
	v->sets = cs_view_sets_create();
	v->partitions = cs_view_names_create();
	v->made = cs_view_made_create();
	v->before = cs_view_before_create();
	if (!v->sets || !v->partitions || !v->made || !v->before) {
		cs_view_free(v);
		return NULL;
	}
	v->wake_us = CS_TIME_NONE;
	return v;
}

void cs_view_map_done(struct cs_view_map *map)
{
	free(map->core);
	free(map->gpu);
	*map = (struct cs_view_map){ NULL, NULL };
}

void cs_view_clear(struct cs_view *v)
{
	cs_view_before_turn(v);
	for (uint32_t i = 0; i < v->n_alloc; i++)
		cs_alloc_free(v->alloc[i]);
	v->n_alloc = 0;
	v->used = 0;
	v->n_job = v->n_waiting = v->n_running = 0;
	v->n_todo = v->done = v->n_later = v->n_buffered = 0;
	for (uint32_t i = 0; i < v->n_resv; i++) {
		cs_alloc_free(v->resv[i].cores);
		v->resv[i].cores = NULL;
	}
	v->n_resv = 0;
	v->wake_us = CS_TIME_NONE;
	v->blocked = 0;
	v->lowest_tier = v->lowest_priority = UINT32_MAX;
	v->borrowed = false;
	v->hold = false;
	v->nomem = false;
}

void cs_view_wake(struct cs_view *v, int64_t engine_us)
{
	/* Too early if the engine's runs slower: then it is asked again. */
	if (engine_us - v->ahead_us < v->wake_us)
		v->wake_us = engine_us - v->ahead_us;
}

void cs_view_free(struct cs_view *v)
{
	if (!v)
		return;
	cs_view_clear(v);
	for (uint32_t i = 0; v->map && i < v->machine->n_node; i++)
		cs_view_map_done(&v->map[i]);
	free(v->map);
	free(v->first_core);
	free(v->moved);
	free(v->most);
	free(v->up);
	free(v->unready);
	free(v->rebooting);
	free(v->for_gpus);
	free(v->site_file);
	free(v->site_last);
	free(v->site_text);
	cs_settle_done(&v->settle);
	cs_machine_free(v->machine);
	cs_view_sets_free(v->sets);
	cs_view_names_free(v->partitions);
	cs_view_made_free(v->made);
	cs_view_before_free(v->before);
	free(v->shares.share);
	free(v->precedence.level);
	free(v->mem);
	free(v->todo);
	free(v->later);
	free(v->buffered);
	free(v->alloc);
	free(v->resv);
	free(v);
}

struct cs_view_job *cs_view_next(const struct cs_view *v,
				 const struct cs_view_job *j)
{
	size_t at =
		j ? (size_t)((const uint64_t *)j - v->mem) + j->size / 8 : 0;

	return at < v->used ? (struct cs_view_job *)(v->mem + at) : NULL;
}

struct cs_view_option *cs_view_options(const struct cs_view_job *j)
{
	return (struct cs_view_option *)(j + 1);
}

const void *cs_view_bytes(const struct cs_view_job *j, size_t *ret_size)
{
	*ret_size = j->size - offsetof(struct cs_view_job, desc);
	return &j->desc;
}

struct cs_view_job *cs_view_add(struct cs_view *v, uint32_t n_option,
				size_t texts)
{
	size_t size = sizeof(struct cs_view_job) +
		      n_option * sizeof(struct cs_view_option) + texts;
	size_t words = (size + 7) / 8;
	struct cs_view_job *j;

	if (cs_array_room(&v->mem, &v->cap, v->used + words)) {
		v->nomem = true;
		return NULL;
	}
	j = (struct cs_view_job *)(v->mem + v->used);
	memset(j, 0, words * 8);
	j->size = (uint32_t)(words * 8);
	j->desc.n_option = n_option;
	v->used += words;
	v->n_job++;
	return j;
}

bool cs_view_take_alloc(struct cs_view *v, struct cs_view_job *j,
			struct cs_alloc *a)
{
	if (cs_array_room(&v->alloc, &v->cap_alloc, (size_t)v->n_alloc + 1)) {
		cs_alloc_free(a);
		v->nomem = true;
		return false;
	}
	v->alloc[v->n_alloc++] = a;
	j->alloc = v->n_alloc;
	return true;
}

uint32_t cs_view_system_cores(const struct cs_view *v, uint32_t node)
{
	return cs_node_cores(&v->machine->node[node]);
}

uint32_t cs_view_system_core(const struct cs_view *v, uint32_t node,
			     uint32_t core)
{
	const uint16_t *map = v->map[node].core;

	return v->first_core[node] + (map ? map[core] : core);
}
