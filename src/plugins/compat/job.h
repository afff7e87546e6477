/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about jobs, and actions on them, whose form depends on the release.
 *
 * The headers below are those that snapshot and apply need besides slurm.h.
 */
#ifndef CS_COMPAT_JOB_H
#define CS_COMPAT_JOB_H

#include "slurm.h"

#include "src/common/assoc_mgr.h"
#include "src/common/node_conf.h"
#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/fed_mgr.h"
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/reservation.h"

#if __has_include("src/common/node_features.h")
#include "src/common/node_features.h"
#endif

#if __has_include("src/common/job_state_reason.h")
#include "src/common/job_state_reason.h"
#endif

#if __has_include("src/common/job_features.h")
#include "src/common/job_features.h"
#endif

#if CS_SLURM_AT_LEAST(24, 5)
#include "src/common/job_record.h"
#endif

#if CS_SLURM_AT_LEAST(23, 11)
typedef job_details_t cs_details_t;
#else
typedef struct job_details cs_details_t;
#endif

#if CS_SLURM_AT_LEAST(23, 2)
#include "src/interfaces/accounting_storage.h"
#include "src/interfaces/burst_buffer.h"
#include "src/interfaces/cred.h"
#include "src/interfaces/preempt.h"
#else
#include "src/common/slurm_accounting_storage.h"
#include "src/common/slurm_cred.h"
#include "src/slurmctld/burst_buffer.h"
#include "src/slurmctld/preempt.h"
#endif

/* select_nodes(): licences chosen there are consumed. */
#if CS_SLURM_AT_LEAST(23, 11)
#define CS_LICENSES_UNAVAILABLE ESLURM_LICENSES_UNAVAILABLE
#else
#define CS_LICENSES_UNAVAILABLE ESLURM_INVALID_LICENSES
#endif

/* What select's test of a start says of a job that is refused: from 23.11 on it is there
 * that Slurm finds its licences used, and takes squeue's reason from.  Under the job lock. */
static inline int cs_job_refusal(job_record_t *job_ptr)
{
#if CS_SLURM_AT_LEAST(23, 11)
	if (license_job_test(job_ptr, time(NULL), true))
		return ESLURM_LICENSES_UNAVAILABLE;
#else
	(void)job_ptr;
#endif
	return SLURM_ERROR;
}

/* Node @i is to reboot and then to resume: may a job start there meanwhile?  From 24.11.2
 * on it may, until the reboot is issued, unless that is to be as soon as possible. */
static inline bool cs_compat_starts_before_reboot(int i)
{
#if CS_SLURM_FROM(24, 11, 2)
	const node_record_t *n = node_record_table_ptr[i];

	return n && IS_NODE_REBOOT_REQUESTED(n) &&
	       !bit_test(asap_node_bitmap, i);
#else
	(void)i;
	return false;
#endif
}

/* Does Slurm weigh powered down nodes by the site's weights, and not all alike? */
#define CS_ASLEEP_BY_WEIGHT CS_SLURM_AT_LEAST(24, 11)

/* Before it chooses cores of a node, does Slurm's own test of a job without generic
 * resources clear the highest free ones that its whole tasks leave (core_layout.c, rule
 * 4)?  All releases from 22.05 on but 22.05.7 to 23.02.4 do. */
#define CS_TEST_CLEARS_CORES                                   \
	(SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(22, 5, 7) || \
	 SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 5))

/* The name of its user, as far as Slurm knows it without a look-up; or NULL. */
const char *cs_job_user_name(const job_record_t *job_ptr);

/* Whole nodes, or nodes kept from others, by the job's request. */
enum cs_cmd_whole {
	CS_WHOLE_NO,
	CS_WHOLE_NODE,	/* --exclusive */
	CS_WHOLE_OTHER, /* of a user, of an MCS label, of a topology block */
};
enum cs_cmd_whole cs_job_whole(const job_record_t *job_ptr);
/* Does it keep its nodes to its user (--exclusive=user)? */
bool cs_job_owns_nodes(const job_record_t *job_ptr);

/* Does the job ask for no features, or for ones that every node must have now?
 * No counts, alternatives, parentheses, preferences, or changeable ones. */
bool cs_job_features_plain(const job_record_t *job_ptr);

/* Add to @nodes those with a feature of which the job asks for a number of nodes
 * (-C '[a*2&b*1]'). */
void cs_job_counted_nodes(const job_record_t *job_ptr, bitstr_t *nodes);

/* Does the job ask for generic resources? */
bool cs_job_wants_gres(const job_record_t *job_ptr);

/* Was its last test by Slurm in vain because it waits for fewer switches? */
static inline bool cs_job_waits_for_switches(const job_record_t *job_ptr)
{
	return job_ptr->req_switch && !job_ptr->best_switch;
}

/* Does the job ask for anything chosen with the nodes beyond sockets, cores, memory
 * and generic resources (gres.h): switches, the most nodes of a range, ...? */
bool cs_job_wants_other(const job_record_t *job_ptr);
/* A hash of those requests: it changes with them. */
uint32_t cs_job_other_wishes(const job_record_t *job_ptr);

/* The most nodes that it asked for; 0: any number.  From 26.05 on Slurm writes a job's number
 * of tasks there if it asked for none, and uses as few nodes as before. */
uint32_t cs_job_max_nodes(const job_record_t *job_ptr);

/* Was it requeued with --requeue=expedite, and is first of the queue therefore?  (25.11) */
bool cs_job_expedited(const job_record_t *job_ptr);

/* Is the number of @entry of a job's licences what the job takes?  Not of one of several
 * alternatives (-L a|b), nor of one that nodes hold (HRES): Slurm chooses those at the start
 * (25.05). */
bool cs_compat_licence_counts(const licenses_t *entry);
/* Licences of @entry that a started job holds, as far as the cluster counts them. */
uint32_t cs_compat_licence_held(const licenses_t *entry);

/* Does it ask for a burst buffer?  (bb_g_*() lock a mutex.) */
bool cs_job_has_buffer(const job_record_t *job_ptr);

/* JOB_DEF_CPU_PER_GPU or JOB_DEF_MEM_PER_GPU (@type; MB) of jobs in @part_ptr: its own, which
 * may be 0, else the cluster's; 0: neither has one. */
uint64_t cs_compat_part_default(const part_record_t *part_ptr, uint16_t type);

/* Is its memory counted by its GPUs, overriding the rest? */
bool cs_job_memory_by_gpu(const job_record_t *job_ptr,
			  const part_record_t *part_ptr);

/* Most CPUs of a socket that the partition's jobs may have; INFINITE. */
uint32_t cs_compat_part_max_cpus_per_socket(const part_record_t *part_ptr);

/* Are cores of the node kept for jobs with GPUs (RestrictedCoresPerGPU)? */
bool cs_compat_node_keeps_cores(const node_record_t *node_ptr);

/* Id of a queue record's quality of service; 0: the job's. */
uint32_t cs_compat_queue_qos(const job_queue_rec_t *rec);
/* Give @rec that of its job with id @qos_id; 0: the job's. */
void cs_compat_queue_take_qos(job_queue_rec_t *rec, uint32_t qos_id);
/* Make the job a candidate under it; false: the job no longer has it. */
bool cs_job_take_qos(job_record_t *job_ptr, uint32_t qos_id);
#if CS_SLURM_AT_LEAST(24, 11)
/* Make it a candidate under @qos (NULL: none); from 25.11 on its number follows. */
void cs_job_set_qos(job_record_t *job_ptr, slurmdb_qos_rec_t *qos);
#endif
/* Of a job that names several, the first ones into @ret [@max]; returns how many, 0 for
 * a job that does not. */
uint32_t cs_job_several_qos(const job_record_t *job_ptr,
			    const slurmdb_qos_rec_t **ret, uint32_t max);

/* Where Slurm has them, from 24.05 on with the names of partitions. */
#if CS_SLURM_FROM(25, 5, 1) || \
	(CS_SLURM_FROM(24, 11, 7) && !CS_SLURM_AT_LEAST(25, 5))
#define CS_JOB_PRIORITIES prio_mult
#elif CS_SLURM_AT_LEAST(24, 5)
#define CS_JOB_PRIORITIES part_prio
#else
#define CS_JOB_PRIORITIES priority_array
#endif

/* Slurm's priorities of a waiting job's partitions, each under each of its QOS; NULL: it
 * has one priority. */
uint32_t *cs_job_priorities(const job_record_t *job_ptr);
/* Give a waiting job a priority, in each of its partitions, and show it in sprio as its
 * site factor, if there are factors (priority/multifactor). */
void cs_job_rank(job_record_t *job_ptr, uint32_t priority);

/*
 * Site factors (priority/multifactor).  A priority is the factor less the nice value,
 * and `scontrol top` moves the difference of two priorities into nice values; so a
 * job's factor is @number plus its nice value: its priority then is @number, whatever
 * its user does to the latter.
 *
 * Set that, and the resulting priority; false: already set.
 */
bool cs_job_set_factor(job_record_t *job_ptr, uint32_t number);
/* The same for a job without one, whose priority Slurm computes next. */
void cs_job_first_factor(job_record_t *job_ptr, uint32_t number);
/* The number of a waiting job, 1 if it has none; 0: it is held. */
uint32_t cs_job_factor(const job_record_t *job_ptr);

/* Before job_ptr->time_limit becomes @minutes: tell the limits of association and QOS
 * of a running or suspended job, which count its remaining minutes. */
void cs_job_count_minutes(job_record_t *job_ptr, uint32_t minutes);

/* Tell the accounting storage of a started job's new facts. */
void cs_job_account(job_record_t *job_ptr);

/*
 * Could @job_ptr start now on @nodes?  Slurm's will-run test in
 * job_ptr->part_ptr, with reservations; @nodes (a map of nodes) shrinks to those that
 * it would take.  Leaves the job's start time unchanged.
 */
bool cs_job_could_start(job_record_t *job_ptr, bitstr_t *nodes);

/*
 * When Slurm's own test would start @job_ptr on those of @nodes that it may use, by
 * Slurm's running jobs: 0, never.  @nodes shrinks to those that it would take.
 */
time_t cs_job_forecast(job_record_t *job_ptr, bitstr_t *nodes);

/* Take back the start of a component of a heterogeneous job whose other
 * components could not follow: it waits again, beyond the life of its credential. */
void cs_job_unstart(job_record_t *job_ptr);

/* Has any of its partitions nodes?  One of dynamic nodes may have none yet. */
bool cs_job_has_nodes(job_record_t *job_ptr);
/* May one of them have more, dynamic ones that have yet to register? */
bool cs_job_gains_nodes(job_record_t *job_ptr);

/* Does it wait, by Slurm's record, for a limit of its association or QOS? */
bool cs_job_at_limit(const job_record_t *job_ptr);

/* May jobs with --signal=R and a notice within its MaxStartDelay use what @r
 * reserves? */
bool cs_compat_resv_lends(const slurmctld_resv_t *r);

#endif
