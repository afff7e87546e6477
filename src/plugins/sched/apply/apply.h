/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the apply_*.c share of Slurm's types.  Nobody else includes this.
 *
 * All under write locks; job pointers are looked up anew by each function that
 * is called from outside and never kept.
 */
#ifndef CS_SCHED_APPLY_APPLY_H
#define CS_SCHED_APPLY_APPLY_H

#include "compat/calls.h"
#include "compat/job.h"

#include "sched/feed/adapter_state.h"
#include "gate/gate.h"
#include "sched/apply/refusal.h"
#include "sched/view/view_slurm.h"

/* ---- apply_start.c --------------------------------------------------------- */

/*
 * Is @job_ptr still to be started, in the option @o that it was decided for?
 * Makes it a candidate there (partition, QOS, reservation).
 */
bool cs_start_ready(struct cs_bridge *b, job_record_t *job_ptr,
		    const struct cs_view_option *o, struct cs_refusal *ret);

/* Undo what ready did, where no start was tried or none came of it. */
void cs_start_leave(job_record_t *job_ptr);

/* The nodes of an allocation, of a set.  The caller frees them. */
bitstr_t *cs_start_nodes(const struct cs_bridge *b, const struct cs_alloc *a);
bitstr_t *cs_start_set(const struct cs_bridge *b, uint32_t set);
/* The idle cores of nodes that hold jobs which are not packed, or beside which job
 * @id may not be packed: it would share without having been asked.  On nodes
 * @checked (NULL: none) share_scope has been asked. */
bitstr_t *cs_start_kept(const struct cs_bridge *b, uint32_t id,
			const bitstr_t *checked);

/* freed.c: the cores of all jobs that go are kept for @k, which preempts them; not
 * any more. */
void cs_freed_begin(struct cs_bridge *b, struct cs_known_job *k);
void cs_freed_end(struct cs_bridge *b, struct cs_known_job *k);
/* What is kept for others than job @id, cores of the system; NULL: nothing.  The
 * caller frees it.  The same set in @map, and what is kept for job @id cleared.
 * Where one of the others wants generic resources, and @id does, all cores of the
 * nodes. */
bitstr_t *cs_freed_map(const struct cs_bridge *b, uint32_t id);
void cs_freed_forbid(const struct cs_bridge *b, uint32_t id, bitstr_t *map);

/* A forecast of @start (0: none) on @nodes, whose indexes the caller frees; false:
 * it is none. */
bool cs_start_forecast(const struct cs_bridge *b, time_t start,
		       const bitstr_t *nodes, struct cs_forecast *ret);

/* Where select_nodes() may start a job.  All maps may be NULL. */
struct cs_where {
	const bitstr_t *nodes;	   /* on no others */
	const bitstr_t *cores;	   /* exactly these; else Slurm chooses, ... */
	const bitstr_t *forbidden; /* ... but none of these */
	uint32_t n_node;	   /* on so many nodes; 0: as the job says */
};

/* select_nodes() there; launched on success.  A Slurm error code. */
int cs_start_select(job_record_t *job_ptr, const struct cs_where *where);

/* START and HOST_START: apply and answer.  The locks should be let go at @until_us
 * (cs_plan_now_us()). */
int cs_apply_start(struct cs_bridge *b, const struct cs_action *a,
		   int64_t until_us, struct cs_err *err);
/* Answer for a job that has started. */
int cs_start_confirm(struct cs_bridge *b, const struct cs_action *a,
		     job_record_t *job_ptr, struct cs_err *err);
int cs_start_refuse(struct cs_bridge *b, const struct cs_action *a,
		    const struct cs_refusal *r, struct cs_err *err);
/* The same with what Slurm predicts; NULL: nothing. */
int cs_start_refuse_until(struct cs_bridge *b, const struct cs_action *a,
			  const struct cs_refusal *r,
			  const struct cs_forecast *f, struct cs_err *err);

/* ---- apply_het.c ------------------------------------------------------------ */

/* All components of the heterogeneous job @leader, or none. */
int cs_apply_het(struct cs_bridge *b, const struct cs_action *a,
		 job_record_t *leader, int64_t until_us, struct cs_err *err);

/* ---- apply_limit.c ---------------------------------------------------------- */

/* Give a job that has just started the limit, in whole minutes, rounded up. */
void cs_limit_set(job_record_t *job_ptr, int64_t limit_us);
int64_t cs_limit_us(const job_record_t *job_ptr);
/* Give a job that is about to start, and has none, the limit of its deadline. */
void cs_limit_until_deadline(job_record_t *job_ptr);
/* Of a job with TimeMin, which has started with that and was confirmed, if the engine
 * has it: as high as what was asked, @max_us, a deadline and the promises to others
 * allow, and no lower.  0 or an error of cs_feed_event(). */
int cs_limit_stretch(struct cs_bridge *b, job_record_t *job_ptr,
		     uint32_t wanted_min, int64_t max_us, struct cs_err *err);
/* LIMIT, DISBAND and JOINED. */
void cs_apply_limit(struct cs_bridge *b, const struct cs_action *a);
void cs_apply_disband(struct cs_bridge *b, const struct cs_action *a);
void cs_apply_joined(struct cs_bridge *b, const struct cs_action *a);
/* The raise and the group of a start that was confirmed; @flag: limit_set.time
 * before the raise. */
void cs_limit_started(struct cs_bridge *b, const struct cs_action *a,
		      job_record_t *job_ptr, struct cs_known_job *k,
		      uint32_t flag);
/* A job that waits again gets back the limit and comment it came with. */
void cs_limit_tidy(struct cs_bridge *b, struct cs_known_job *k);

#endif
