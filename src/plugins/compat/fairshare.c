/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm.h"

#include "fairshare.h"

#include <errno.h>
#include <stdlib.h>

#include "src/common/assoc_mgr.h"

#define ALL 1e9

struct node { /* an association or account */
	const slurmdb_assoc_rec_t *rec;
	uint32_t parent; /* id; 0: the root */
	uint64_t level;	 /* shares of its level */
	double share;	 /* of a user */
};

static bool by_parent_share(const slurmdb_assoc_rec_t *a)
{
	return a->shares_raw == SLURMDB_FS_USE_PARENT;
}

static const slurmdb_assoc_rec_t *parent_of(const slurmdb_assoc_rec_t *a)
{
	return a->usage ? a->usage->parent_assoc_ptr : NULL;
}

static int by_parent(const void *x, const void *y)
{
	const struct node *a = x, *b = y;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return a->rec->id < b->rec->id ? -1 : a->rec->id > b->rec->id;
}

static struct node *collect(size_t *ret_n)
{
	int most = assoc_mgr_assoc_list ? list_count(assoc_mgr_assoc_list) : 0;
	struct node *all = calloc((size_t)most + 1, sizeof(*all));
	slurmdb_assoc_rec_t *rec;
	list_itr_t *it;
	size_t n = 0;

	*ret_n = 0;
	if (!most || !all)
		return all;
	it = list_iterator_create(assoc_mgr_assoc_list);
	while (n < (size_t)most && (rec = list_next(it)))
		all[n++] = (struct node){
			.rec = rec,
			.parent = parent_of(rec) ? parent_of(rec)->id : 0,
		};
	list_iterator_destroy(it);
	qsort(all, n, sizeof(*all), by_parent);
	*ret_n = n;
	return all;
}

static void sum_levels(struct node *all, size_t n)
{
	for (size_t from = 0, to; from < n; from = to) {
		uint64_t sum = 0;

		for (to = from; to < n && all[to].parent == all[from].parent;
		     to++)
			if (!by_parent_share(all[to].rec))
				sum += all[to].rec->shares_raw;
		for (size_t i = from; i < to; i++)
			all[i].level = sum;
	}
}

static const struct node *find(const struct node *all, size_t n,
			       const slurmdb_assoc_rec_t *rec)
{
	struct node key = {
		.rec = rec,
		.parent = parent_of(rec) ? parent_of(rec)->id : 0,
	};

	return bsearch(&key, all, n, sizeof(*all), by_parent);
}

static double share_of(const struct node *all, size_t n,
		       const slurmdb_assoc_rec_t *rec)
{
	double share = 1;

	for (; rec && parent_of(rec); rec = parent_of(rec)) {
		const struct node *x = find(all, n, rec);

		if (!x || by_parent_share(rec))
			continue;
		share *= x->level ? (double)rec->shares_raw / (double)x->level
				  : 0;
	}
	return share;
}

static int by_uid(const void *x, const void *y)
{
	const struct node *a = x, *b = y;

	if (a->rec->uid != b->rec->uid)
		return a->rec->uid < b->rec->uid ? -1 : 1;
	return a->rec->id < b->rec->id ? -1 : a->rec->id > b->rec->id;
}

/* Keep associations of users with their shares, by user. */
static size_t keep_users(struct node *all, size_t n)
{
	size_t users = 0;

	for (size_t i = 0; i < n; i++)
		if (all[i].rec->user)
			all[i].share = share_of(all, n, all[i].rec);
	for (size_t i = 0; i < n; i++)
		if (all[i].rec->user && all[i].rec->uid != NO_VAL)
			all[users++] = all[i];
	qsort(all, users, sizeof(*all), by_uid);
	return users;
}

int cs_fairshare_read(struct cs_fairshares *s, time_t now)
{
	size_t n, users, k = 0;
	struct node *all = collect(&n);
	struct cs_fairshare *share;

	if (!all)
		return -ENOMEM;
	sum_levels(all, n);
	users = keep_users(all, n);
	share = calloc(users + 1, sizeof(*share));
	for (size_t i = 0; share && i < users;) {
		uint32_t uid = all[i].rec->uid;
		double sum = 0;

		for (; i < users && all[i].rec->uid == uid; i++)
			sum += all[i].share;
		sum = sum * ALL + .5;
		share[k++] =
			(struct cs_fairshare){ uid, sum < 1 ? 1
						    : sum > ALL
							    ? (uint32_t)ALL
							    : (uint32_t)sum };
	}
	free(all);
	if (!share)
		return -ENOMEM;
	free(s->share);
	*s = (struct cs_fairshares){ share, (uint32_t)k, now };
	return 0;
}

uint32_t cs_fairshare_of(const struct cs_fairshares *s, uint32_t uid)
{
	uint32_t from = 0, to = s->n;

	while (from < to) {
		uint32_t i = from + (to - from) / 2;

		if (s->share[i].uid == uid)
			return s->share[i].weight;
		if (s->share[i].uid < uid)
			from = i + 1;
		else
			to = i;
	}
	return s->n ? (uint32_t)(ALL / s->n) : 0;
}
