/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The depth: how far down the queue a pass looks.
 *
 * Problem.  Planning a start takes time for each job, so that a pass must not look at
 * every one of a very long queue.  But an entry that cannot start anyway, or whose
 * partition is another, must not use up the depth of the jobs behind it.
 *
 * Rules, for the keys depth (D) and depth_of.
 *  1. depth_of=partition: of each partition the first D entries are looked at whose
 *     jobs may start now (eligible.c).  Of those that wait for another job and are
 *     promised a start meanwhile (eligible.c, rule 1) there may be D more.  Entries of
 *     all other jobs are not counted: no time is spent on them.
 *  2. depth_of=queue: the first D entries of the queue are looked at, whatever they
 *     are.  Event logs from before depth_of existed were written by this rule.
 *
 * Example.  D = 2, and the queue A1 a2 A3 A4 A5 B6, where letters are partitions and a2
 * depends on a job: by rule 1 A5 is left out, which is the third of A that may start; by
 * rule 2 all but A1 and a2 are.
 *
 * Which entries are left out is decided once, before the pass: what starts during the
 * pass changes nothing.
 *
 * Source: as default_queue_depth and partition_job_depth of Slurm's main loop, which
 * counts no ineligible job either.
 * Cost: O(queue) if the queue is longer than D, else nothing.
 */
#include "order/depth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "job/eligible.h"

struct cs_depth_count {
	int64_t now,
		later; /* entries that may start; that are promised a start */
};

void cs_depth_done(struct cs_depth *d)
{
	cs_idmap_done(&d->partitions);
	free(d->count);
	free(d->beyond);
}

/* The count of @partition, which is created on first use; NULL: no memory.  Valid until
 * the next call. */
static struct cs_depth_count *count_of(struct cs_depth *d, uint32_t partition)
{
	/* stored plus one, as NULL means none */
	uintptr_t at = (uintptr_t)cs_idmap_find(&d->partitions, partition);

	if (at)
		return &d->count[at - 1];
	if (cs_array_room(&d->count, &d->cap_count, d->partitions.n + 1) ||
	    cs_idmap_reserve(&d->partitions, d->partitions.n + 1))
		return NULL;
	at = d->partitions.n + 1;
	cs_idmap_add(&d->partitions, partition, (void *)at);
	d->count[at - 1] = (struct cs_depth_count){ 0 };
	return &d->count[at - 1];
}

/* Rule 1 for the next @entry of the queue: 1 if it is left out, 0, -ENOMEM. */
static int is_beyond(struct cs_engine *e, const struct cs_entry *entry)
{
	enum cs_why why;
	struct cs_depth_count *count;

	if (!cs_waits(entry->job))
		return 0;
	why = cs_eligible_why_not(e, entry);
	if (why != CS_WHY_NEW && why != CS_WHY_AFTER)
		return 0;
	count = count_of(&e->depth,
			 entry->job->job.option[entry->option].partition);
	if (!count)
		return -ENOMEM;
	return (why == CS_WHY_NEW ? count->now++ : count->later++) >=
	       e->params.depth;
}

int cs_depth_find(struct cs_pass *p)
{
	struct cs_engine *e = p->e;
	struct cs_depth *d = &e->depth;
	bool by_partition = e->params.depth_of == CS_DEPTH_OF_PARTITION;

	p->beyond = NULL;
	if (!e->params.depth || p->n <= (size_t)e->params.depth)
		return 0;
	if (cs_array_room(&d->beyond, &d->cap_beyond, p->n / 64 + 1))
		return -ENOMEM;
	memset(d->beyond, 0, (p->n / 64 + 1) * sizeof(*d->beyond));
	cs_idmap_clear(&d->partitions);
	for (size_t i = 0; i < p->n; i++) {
		int out = by_partition ? is_beyond(e, &p->queue[i])
				       : i >= (size_t)e->params.depth;

		if (out < 0)
			return out;
		cs_bit_put(d->beyond, (uint32_t)i, out);
	}
	p->beyond = d->beyond;
	return 0;
}
