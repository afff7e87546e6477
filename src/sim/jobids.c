/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jobids.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_id(const void *x, const void *y)
{
	const struct cs_jobid *a = x, *b = y;

	return a->id < b->id ? -1 : a->id > b->id;
}

static int check_once(const struct cs_jobids *ids, struct cs_err *err)
{
	for (size_t i = 1; i < ids->n; i++)
		if (ids->sorted[i].id == ids->sorted[i - 1].id)
			return cs_err_set(err, -EEXIST,
					  "job %u is there twice, expected "
					  "every id once",
					  ids->sorted[i].id);
	return 0;
}

static int make_direct(struct cs_jobids *ids)
{
	ids->max = ids->n ? ids->sorted[ids->n - 1].id : 0;
	if (ids->max > 8 * ids->n + 4096)
		return 0;
	ids->direct = calloc((size_t)ids->max + 1, sizeof(*ids->direct));
	if (!ids->direct)
		return -ENOMEM;
	for (size_t i = 0; i < ids->n; i++)
		ids->direct[ids->sorted[i].id] = ids->sorted[i].job + 1;
	return 0;
}

int cs_jobids_init(struct cs_jobids *ret, const struct cs_trace *t,
		   struct cs_err *err)
{
	struct cs_jobids ids = { .n = t->n };
	bool sorted = true;
	int rc = -ENOMEM;

	ids.sorted = calloc(t->n + 1, sizeof(*ids.sorted));
	if (!ids.sorted)
		goto out;
	for (size_t i = 0; i < t->n; i++) {
		ids.sorted[i] = (struct cs_jobid){ t->job[i].id, (uint32_t)i };
		sorted &= !i || t->job[i].id > t->job[i - 1].id;
	}
	if (!sorted)
		qsort(ids.sorted, ids.n, sizeof(*ids.sorted), by_id);
	rc = check_once(&ids, err) ?: make_direct(&ids);
out:
	if (rc == -ENOMEM)
		cs_err_set(err, rc, "out of memory");
	if (rc)
		cs_jobids_done(&ids);
	else
		*ret = ids;
	return rc;
}

void cs_jobids_done(struct cs_jobids *ids)
{
	free(ids->sorted);
	free(ids->direct);
	memset(ids, 0, sizeof(*ids));
}

uint32_t cs_jobids_find(const struct cs_jobids *ids, uint32_t id)
{
	struct cs_jobid key = { .id = id };
	const struct cs_jobid *found;

	if (ids->direct)
		return id <= ids->max ? ids->direct[id] - 1 : UINT32_MAX;
	found = bsearch(&key, ids->sorted, ids->n, sizeof(key), by_id);
	return found ? found->job : UINT32_MAX;
}
