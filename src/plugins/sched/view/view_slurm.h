/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm types shared by view_*.c.  No other file includes this.
 */
#ifndef CS_SCHED_VIEW_VIEW_SLURM_H
#define CS_SCHED_VIEW_VIEW_SLURM_H

#include "compat/calls.h"
#include "compat/job.h"

#include "sched/view/view.h"

#include "common/profile/job_comment.h"
#include "common/profile/profile.h"

/*
 * Number of the nodes that @job_ptr may use in @part_ptr and reservation @resv_ptr, if
 * any.  UINT32_MAX: no memory.  Common wishes cost a hash.
 */
uint32_t cs_view_option_set(struct cs_view *v, const job_record_t *job_ptr,
			    const part_record_t *part_ptr,
			    const slurmctld_resv_t *resv_ptr);

/* Does some reservation attract jobs that name none? */
bool cs_view_any_magnetic(const struct cs_view *v);
/* Entries of Slurm's queue for @job_ptr, one or two for each magnetic reservation that
 * it may use, begun or not; NULL: there are none.  The caller frees the list.  After
 * cs_view_reservations() under the same locks. */
list_t *cs_view_magnetic(const struct cs_view *v, job_record_t *job_ptr);

/* The request of @job_ptr in @part [@n]: flags, sizes, memory, estimate. */
void cs_view_asked(const struct cs_view *v, struct cs_view_desc *to,
		   const job_record_t *job_ptr, part_record_t *const *part,
		   uint32_t n);

/* A record of @job_ptr, with what it asks for in each of its partitions, appended to the
 * view's; NULL: none of them is ours, or no memory (v->nomem). */
struct cs_view_job *cs_view_add_job(struct cs_view *v, job_record_t *job_ptr,
				    bool waiting);
/* Processes of @to on a node as stock lays it out: the user's, or a node full. */
uint32_t cs_view_stock_layout(const struct cs_view_desc *to,
			      const part_record_t *part_ptr);

/* Is the partition in the view's mode, by cosched_partition_modes? */
bool cs_view_part_ours(const struct cs_view *v, const part_record_t *part_ptr);

/* Does the job get only its required nodes? (Else the model fails: some nodes are
 * given, others must be chosen.) */
bool cs_view_required_is_all(const job_record_t *job_ptr);

/* Request of each task, at least 1. */
uint32_t cs_view_cpus_per_task(const job_record_t *job_ptr);
/* Most hardware threads of a core that its processes may use; 0: all. */
uint32_t cs_view_threads(const job_record_t *job_ptr);
/* CPUs that it requires on each node; 0: any. */
uint32_t cs_view_least_cpus(const job_record_t *job_ptr);

/* Memory that it holds on all its nodes; 0 where memory is no resource. */
uint64_t cs_view_memory_held(const struct cs_view *v,
			     const job_resources_t *jr);

/* The running @job_ptr's allocation, for an event; NULL: nothing the machine knows, or
 * no memory.  The caller frees it. */
struct cs_alloc *cs_view_alloc(const struct cs_view *v,
			       const job_record_t *job_ptr, uint32_t procs,
			       uint32_t cpus_per_proc);

/* A time limit of Slurm's: at least a minute, at most a year. */
int64_t cs_view_minutes_us(uint32_t minutes);
/* Minutes: what its limit was before a raise, by its comment (comment.h); 0: none.
 * *@flag: limit_set.time that goes with them; only an administrator may have set a limit
 * beyond its partition's. */
uint32_t cs_view_raised_from(const job_record_t *job_ptr, uint16_t *flag);

/* The most nodes allowed by its QOS, that of @part_ptr and its associations, if limits
 * are enforced; else UINT32_MAX.  Locks as below. */
uint32_t cs_view_most_nodes(const job_record_t *job_ptr,
			    const part_record_t *part_ptr);

/* Limits on the nodes of several jobs together, of those limits under which some have
 * nodes (view_limits.c, rule 8). */
struct cs_view_nodes {
	uint64_t left; /* that they may get beside those; INFINITE64: any number */
	uint64_t most; /* that one job may have, of those and beside; INFINITE64 likewise */
	uint64_t used; /* the most that those under one limit have */
};
/* Of @qos, the QOS of @part_ptr and the associations of @job_ptr.  Locks as below. */
struct cs_view_nodes cs_view_nodes(const job_record_t *job_ptr,
				   const part_record_t *part_ptr,
				   const slurmdb_qos_rec_t *qos);

/* How long @job_ptr runs by itself in @part_ptr: its limit, or TimeMin. */
int64_t cs_view_estimate(const job_record_t *job_ptr,
			 const part_record_t *part_ptr);

/*
 * The longest time limit that @part_ptr, QOS and associations allow, for any layout of
 * the request @d.  May be below the estimate. assoc_mgr's read locks on associations,
 * QOS and TRES.
 */
int64_t cs_view_limit_max(const struct cs_view *v, const struct cs_view_desc *d,
			  const job_record_t *job_ptr,
			  const part_record_t *part_ptr);
/* The same under @qos (may be NULL) in place of the job's. */
int64_t cs_view_limit_max_under(const struct cs_view *v,
				const struct cs_view_desc *d,
				const job_record_t *job_ptr,
				const part_record_t *part_ptr,
				const slurmdb_qos_rec_t *qos);

/* ---- view_again.c ----------------------------------------------------------- */

/* Another round if the configuration has changed. */
void cs_view_before_config(struct cs_view *v);
/* The waiting job's block as in the look before, if it still describes @job_ptr; what is
 * read in each look is left to the caller.  NULL: it does not, or no memory. */
struct cs_view_job *cs_view_before_take(struct cs_view *v,
					const job_record_t *job_ptr);
/* Note that @j was described now. */
void cs_view_before_note(struct cs_view *v, struct cs_view_job *j,
			 const job_record_t *job_ptr);

/* ---- view_het.c ------------------------------------------------------------- */

struct cs_view_others { /* a heterogeneous job's components except the leader */
	uint64_t *nodes; /* that any of them may use; NULL: no components */
	bool whole;	 /* each takes whole nodes */
};

/* Add their requests to @j; the caller frees @ret->nodes. */
void cs_view_others(struct cs_view *v, struct cs_view_job *j,
		    const job_record_t *leader, struct cs_view_others *ret);

/* Widen one of the leader's options to their nodes. */
void cs_view_join(struct cs_view *v, struct cs_view_option *o,
		  const struct cs_view_others *others);

/* Licences held by each job and until when, for the jobs of @queue, which all need some.
 * NULL: no job lacks any (view_licences.c). */
struct cs_view_licences;
struct cs_view_licences *cs_view_licences(struct cs_view *v, list_t *queue);
void cs_view_licences_free(struct cs_view_licences *l);
/* The next entry of the queue, by priority; NULL: that was the last. */
job_queue_rec_t *cs_view_licences_next(struct cs_view_licences *l);
/* When the waiting job may have them for @run_us; reserves them unless that is now;
 * CS_TIME_NONE: unknown.  @lacks: it lacks them now by Slurm's own test. */
int64_t cs_view_licences_at(struct cs_view_licences *l,
			    const job_record_t *job_ptr, int64_t run_us,
			    bool lacks);

#endif
