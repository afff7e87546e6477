/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running jobs: progress, predicted ends, limits (progress.c). */
#ifndef CS_JOB_PROGRESS_H
#define CS_JOB_PROGRESS_H

#include "state/state.h"

void cs_progress_bring(struct cs_ejob *j, int64_t now_us);
/* Running time of @j by @now_us. */
int64_t cs_progress_ran_us(const struct cs_ejob *j, int64_t now_us);
/* Time that a second of @j's estimate takes at @procs processes a node on nodes
 * like @node, beside neighbours that slow it down by @cos. */
double cs_progress_factor(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t procs, const struct cs_node *node,
			  double cos);
/* Self slowdown of the same layout (Zeng09's SL_self). */
double cs_progress_self(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t procs, const struct cs_node *node);
/* Running job @j's factor at a coscheduling slowdown of @cos. */
double cs_progress_beside(const struct cs_engine *e, const struct cs_ejob *j,
			  double cos);

/* Rest of its estimate. */
static inline int64_t cs_progress_rest_us(const struct cs_ejob *j)
{
	int64_t rest = j->job.estimate_us - j->done_us;

	return rest > 0 ? rest : 0;
}
/* Until its predicted end, from j->at_us on. */
static inline int64_t cs_progress_rest_run_us(const struct cs_engine *e,
					      const struct cs_ejob *j)
{
	int64_t rest = cs_stretch_us(cs_progress_rest_us(j), j->slowdown);
	int64_t left = j->limit_us > j->ran_us ? j->limit_us - j->ran_us : 0;

	if (e->params.mode == CS_MODE_SHADOW && j->job.base_procs &&
	    rest > left)
		return left;
	return rest < j->floor_us - j->ran_us ? j->floor_us - j->ran_us : rest;
}
/* Predicted end of a running job, perhaps past.  Inline: a promise asks for every
 * running job's. */
static inline int64_t cs_progress_rest_end_us(const struct cs_engine *e,
					      const struct cs_ejob *j)
{
	bool runs = j->state == CS_RUNNING || j->state == CS_PROPOSED;

	return cs_later_us(runs ? j->at_us : e->now_us,
			   cs_progress_rest_run_us(e, j));
}
/* The same of a job that is past it, as at @end_us (rule 3). */
int64_t cs_progress_past_end_us(const struct cs_engine *e,
				const struct cs_ejob *j, int64_t end_us);
/* The same, not before now; for a suspended job, as if it resumed now. */
static inline int64_t cs_progress_end_us(const struct cs_engine *e,
					 const struct cs_ejob *j)
{
	int64_t end = cs_progress_rest_end_us(e, j);

	return end > e->now_us ? end : cs_progress_past_end_us(e, j, end);
}

/* The same, or when its time limit ends it, where that is before and the estimate is a
 * limit at all (base_procs). */
int64_t cs_progress_latest_us(const struct cs_engine *e,
			      const struct cs_ejob *j);
/* @at_us, of the two above, on the host's clock if only @j's own time slices serve it, as
 * predicted; as it is without slices, or with none for @j. */
int64_t cs_progress_host_us(const struct cs_engine *e, const struct cs_ejob *j,
			    int64_t at_us);
/* The same of waiting @j's promised start, @start_us in its verdict: not before its turn
 * comes. */
int64_t cs_progress_host_start_us(const struct cs_engine *e,
				  const struct cs_ejob *j, int64_t start_us);
/* Recompute the factor of a job whose neighbours may have changed. */
void cs_progress_refresh(struct cs_engine *e, struct cs_ejob *j);
/* The same for the jobs on the nodes of @a after a change there. */
void cs_progress_neighbours(struct cs_engine *e, const struct cs_alloc *a);
/* The limit that lets @j end as predicted; never below its estimate's rest. */
int64_t cs_progress_limit_us(const struct cs_engine *e,
			     const struct cs_ejob *j);

#endif
