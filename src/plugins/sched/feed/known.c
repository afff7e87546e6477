/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/feed/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "resident/users.h"

struct cs_known_job *cs_known_find(const struct cs_known *k, uint32_t id)
{
	return cs_idmap_find(&k->ids, id);
}

bool cs_known_runs(const struct cs_known_job *k, const struct cs_view_job *j)
{
	const struct cs_view_desc *d = cs_known_desc(k);

	return k->restarts == j->restarts &&
	       (k->start_us <= j->start_us ||
		(d && d->submit_us == j->desc.submit_us));
}

struct cs_known_job *cs_known_add(struct cs_known *k, uint32_t id)
{
	struct cs_known_job *j;

	if (cs_array_room(&k->list, &k->cap, k->n + 1) ||
	    cs_idmap_reserve(&k->ids, k->n + 1))
		return NULL;
	j = calloc(1, sizeof(*j));
	if (!j)
		return NULL;
	j->id = id;
	j->user = "";
	j->pos = k->n;
	k->list[k->n++] = j;
	cs_idmap_add(&k->ids, id, j);
	return j;
}

static void drop(struct cs_known_job *j)
{
	cs_users_drop(j->user);
	free(j->bytes);
	free(j->order);
	free(j->why);
	free(j);
}

void cs_known_remove(struct cs_known *k, struct cs_known_job *j)
{
	cs_idmap_remove(&k->ids, j->id);
	k->list[j->pos] = k->list[--k->n];
	k->list[j->pos]->pos = j->pos;
	drop(j);
}

void cs_known_done(struct cs_known *k)
{
	for (uint32_t i = 0; i < k->n; i++)
		drop(k->list[i]);
	free(k->list);
	cs_idmap_done(&k->ids);
	memset(k, 0, sizeof(*k));
}

int cs_known_told(struct cs_known_job *j, const void *bytes, size_t n)
{
	if (n > j->n_bytes || !j->bytes) {
		unsigned char *p = realloc(j->bytes, n);

		if (!p)
			return -ENOMEM;
		j->bytes = p;
	}
	memcpy(j->bytes, bytes, n);
	j->n_bytes = n;
	j->fit = CS_FIT_UNKNOWN;
	return 0;
}

void cs_known_order(struct cs_known_job *j, const uint32_t *order, uint32_t n,
		    uint32_t orders)
{
	free(j->order);
	j->order = n ? malloc(n * sizeof(*order)) : NULL;
	j->n_order = j->order ? n : 0;
	j->orders = j->order ? orders : 0;
	if (j->order)
		memcpy(j->order, order, n * sizeof(*order));
}

void cs_known_taken(struct cs_known_job *j)
{
	free(j->why);
	j->why = NULL;
	j->ghost = j->again = false;
}

void cs_known_ghost(struct cs_known_job *j, const char *why)
{
	cs_known_taken(j);
	j->ghost = true;
	j->why = strdup(why);
}

struct cs_view_desc *cs_known_desc(const struct cs_known_job *j)
{
	return j->bytes ? (struct cs_view_desc *)(void *)j->bytes : NULL;
}

struct cs_view_option *cs_known_options(const struct cs_known_job *j)
{
	return (struct cs_view_option *)(void *)(j->bytes +
						 sizeof(struct cs_view_desc));
}
