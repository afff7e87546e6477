/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks of waiting jobs of the look before.  No Slurm here.
 *
 * They are found by a walk beside the look: both go through Slurm's list of jobs, of
 * which some leave and to which others are added at its end.  A job out of that order is
 * not found, and described anew.  A look passes each block once, and CS_BEFORE_AHEAD
 * more for each job that it does not find.
 *
 * Memory: the blocks twice, a few hundred bytes a job.
 */
#ifndef CS_SCHED_VIEW_VIEW_BEFORE_H
#define CS_SCHED_VIEW_VIEW_BEFORE_H

#include "sched/view/view.h"

#define CS_BEFORE_AHEAD 64
#define CS_BEFORE_FIRST 1000 /* jobs that come first in a partition */

struct cs_view_before *cs_view_before_create(void);
void cs_view_before_free(struct cs_view_before *w);

/* A look begins: what @v has is the look before. */
void cs_view_before_turn(struct cs_view *v);
/* The block of job @id, or NULL.  In the order of Slurm's list. */
const struct cs_view_job *cs_view_before_find(struct cs_view_before *w,
					      uint32_t id);
/* Append a copy of @was to the blocks of this look; NULL: no memory (v->nomem is set). */
struct cs_view_job *cs_view_before_copy(struct cs_view *v,
					const struct cs_view_job *was);
/* Note the block @j of this look, for the next one. */
void cs_view_before_add(struct cs_view *v, const struct cs_view_job *j);

/* After a look, without locks: which jobs come first in their partitions, by priority. */
void cs_view_before_rank(struct cs_view *v);
/* Was @j among the CS_BEFORE_FIRST first of a partition, or are there fewer? */
bool cs_view_before_first(const struct cs_view *v, const struct cs_view_job *j);

/* Memory for blocks. */
size_t cs_view_before_bytes(const struct cs_view *v);

#endif
