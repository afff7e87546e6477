/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quality of a simulated schedule: the figures of --summary.
 *
 * Symbols, for job i	C name			unit
 *   s_i		trace job->submit_us	us
 *   b_i, e_i		start_us, end_us	us
 *   T_i		trace job->runtime_us	us; with one process a node and
 *						no neighbour
 *   P_i		trace job->procs	processes
 *   r_i		ran_us			us that it ran, not suspended
 *   R_i		e_i - s_i		us, the response time
 *   R_est,i		est_us			us, its promise
 *
 * Rules, means over all n jobs unless they say otherwise.
 *  1. makespan = max e_i - min s_i (which is 0: the trace's rules)
 *  2. mean_wait = mean of b_i - s_i, longest_wait_s and wait_p99_s the largest one and
 *     the 99th percentile (as in 8); mean_response = mean of R_i
 *  3. mean_bounded_slowdown = mean of max(1, R_i / max(T_i, 10 s))
 *  4. utilization = sum of P_i * r_i / (makespan * cores): processes that ran, not
 *     cores held
 *  5. rr_all = mean of max(1, R_i / max(T_i, rr_bound_s)); rr_all_10 and
 *     rr_all_60 the same with 10 s and 60 s; rr_medium, rr_long = mean of R_i /
 *     T_i over the jobs with 600 s < T_i <= 10,800 s, and with more
 *  6. High load (Zeng09, eq. 1): the time in which n_high or more jobs wait.  With the
 *     periods tp between two changes in it, and uc, un the cores and nodes held then,
 *
 *	ucore_high = sum of tp * uc / (sum of tp * cores)	(Zeng09, eq. 3)
 *	unode_high = sum of tp * un / (sum of tp * nodes)	(Zeng09, eq. 2)
 *
 *	waiting
 *	 |      ####        ###
 *	 |-----######------#####---- n_high
 *	 |  ##########  #########
 *	 +-----+-----+-----+----+--- time
 *	       l     j     l    j	two phases
 *
 *  7. groups = groups formed; jobs_per_group = their members, each counted once a
 *     group, over groups; jobs_grouped = jobs ever in one; searches = searches for
 *     partners of one primary job in one of Zeng09's cases (in case 3 one that the
 *     first waiting job suits), searches_none = those with no candidate, searches_few =
 *     those with fewer than 4 (Zeng09, section 5.3: 85 %).  promises_kept, promises_late:
 *     starts by the first promised one, or later (job/pledge.c)
 *  8. delay = R_i / R_est,i over the jobs with a promise; its mean and percentiles
 *     (nearest rank: the value at place ceil(p * n)); two of them also for the medium
 *     and for the long jobs of rule 5
 *  9. Weighted by each job's work (Ernemann02, eq. 2 to 5),
 *
 *	awrt = sum of P_i * r_i * R_i / (sum of P_i * r_i)
 *	awwt = sum of P_i * r_i * (b_i - s_i) / (sum of P_i * r_i)
 *
	for a job over several sites r_i includes the cost of crossing.
 *     multisite_jobs = those jobs; fragments_mean = the sites of one of them;
 *     split_node_s = sum of nodes * r_i over them
 *
 * 10. stretch of a job = R_i / T_i: of a campaign of one job, since Emeras12's flow
 *     over max(longest job, W / m) is that for P_i <= m.  y_u, the mean of user
 *     u's jobs (field 12), over the n users: user_stretch_mean,
 *     user_stretch_max, and with y_(1) <= ... <= y_(n) the Gini coefficient
 *
 *	user_stretch_gini = sum of (2 k - n - 1) * y_(k) / (n * sum of y_(k))
 *
 *     0: all are equal; towards 1: one has all the stretch
 * 11. stretch of a campaign, over its jobs,
 *
 *	(max e_i - min s_i) / max(max T_i, sum of P_i T_i / cores)
 *
 *     its flow over the least possible: its mean, median, percentiles and maximum over
 *     the campaigns.  A user's jobs with the same field 14 are one if campaigns are
 *     read from there, else each job is one
 * 12. If jobs progress by a separate truth (truth.h): shared_jobs ever ran beside
 *     another; promise_broken, of those ever in a group, those whose neighbours ever
 *     slowed them by more than max_slowdown, packed_broken, of the others, which had no
 *     promise; true_slowdown of a shared job = its time beside others over the time
 *     that would have taken alone, by the truth; predicted_slowdown, as the engine saw
 *     it then; beyond_limit = jobs ended by their limit; beyond_r_max = jobs with R_i >
 *     R_max,i (Zeng09, eq. 4); rr_all_p99 = that of rule 5
 * 13. With slice=gang, in slots of slot_s, with T_i rounded up to whole ones, the
 *     submit to the next slot boundary and the last end as e:
 *
 *	turnaround = mean of e_i - s_i: all; small (T <= 12 slots), medium (<= 60)
 *		and large jobs
 *	slots_max, slots_avg = slots of a round, at most and by time (none: 0)
 *	active_ratio = sum of P_i * T_i / (processors * e)
 * 14. With start_estimates, over the jobs whose wait, by the estimate or in fact, is a
 *     minute or more: estimates = how many; estimate_error_p50_s = median of |b - start|,
 *     estimate_error_limits_p50_s = median of |b - limits|, for the start that was
 *     estimated, and the one by limits alone (common/estimate/estimate.h);
 *     estimate_within_90 = the fraction with low <= b <= high; estimate_width_p50_s =
 *     median of high - low
 * 15. On a machine with GPUs, over jobs with some: gpu_mean_wait, gpu_longest_wait_s and
 *     gpu_mean_bounded_slowdown as above, gpu_wide_* of those that take all GPUs of a node,
 *     or more; over time until the last end, as parts of the machine's GPUs:
 *
 *	gpu_utilization = GPUs that jobs hold
 *	gpu_fragment = the expected fragment of the free ones (gpu_mix.c, equation 2)
 *	gpu_waits_idle, gpu_waits_fragment = free ones, and their expected fragment, over
 *		the time in which a job with GPUs waits
 *
 * Source: 3: Feitelson et al., Theory and Practice in Parallel Job Scheduling,
 * JSSPP 1997, with their threshold of 10 s.  5 to 8: Zeng09 (see slowdown.h),
 * sections 4.1 (equations 1 to 4) and 5.1.  9: Ernemann02 (Ernemann et al., Enhanced
 * Algorithms for Multi-Site Scheduling, GRID 2002), equations 2 to 5.  10: Emeras12
 * (Emeras et al., Fair Scheduling for Multiple Submissions, RR-LIG-033, 2013),
 * sections III and VI.  13: Zhou00 (see common/gang/repack.c), section 4.3.
 *
 * Differs.
 *  1. Rule 5: the paper gives no cut-off for its "very short jobs": ours is rr_bound_s.
 *     Medium and long jobs need none.
 *  2. Rule 6: the paper's changes are starts, ends and slice switches; here a submit
 *     that makes the queue long also begins a phase.
 *  3. Rule 10 is about jobs, whatever the campaigns: those of order=ostrich
 *     (campaign.c) are its own, and no other order has any.
 */
#ifndef CS_METRICS_H
#define CS_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/engine/engine.h"
#include "common/estimate/estimate.h"
#include "trace.h"
#include "truth.h"

/* The outcome of a job of the trace. */
struct cs_sim_job {
	int64_t start_us, end_us;
	int64_t ran_us;	     /* of that time, not suspended */
	int64_t est_us;	     /* R_est; 0: no promise */
	uint32_t nodes, ppn; /* at its (last) start; ppn: most on a node */
	uint32_t group;	     /* the last one it was in; 0: none ever */
	uint32_t fragments;  /* sites, at its (last) start */
};

/* Use of the machine under high load (rule 6), reported instant by instant. */
struct cs_load {
	uint32_t n_high;
	int64_t at_us;		  /* of the last change */
	struct cs_engine_use use; /* since then */
	uint64_t phases;	  /* begun so far */
	int64_t high_us;	  /* time in them */
	double core_us, node_us;  /* cores and nodes times time, in them */
};

static inline bool cs_load_high(const struct cs_load *l)
{
	return l->use.waiting >= l->n_high;
}

/* From @now_us on (never decreasing; the first is 0) it is @use.  O(1). */
void cs_load_note(struct cs_load *l, int64_t now_us, struct cs_engine_use use);

/* Of slice=gang (rule 13). */
struct cs_sim_slots {
	int64_t slot_us; /* 0: there were none */
	uint32_t most;	 /* in a round */
	double sum_us;	 /* of their number times its duration */
};

/* Use of the GPUs (rule 15), reported instant by instant. */
struct cs_gpu_load {
	int64_t at_us;		     /* of the last change */
	struct cs_engine_gpus use;   /* since then */
	double held_us, fragment_us; /* GPUs times time */
	double waits_us; /* time with a job with GPUs waiting, ... */
	double idle_us,
		idle_fragment_us; /* ... and free GPUs, fragments in it */
};

/* From @now_us on (never decreasing; the first is 0) it is @use.  O(1). */
void cs_gpu_load_note(struct cs_gpu_load *l, int64_t now_us,
		      struct cs_engine_gpus use);

struct cs_groups {
	uint64_t groups;  /* formed */
	uint64_t members; /* each once a group */
	uint64_t jobs;	  /* ever in one */
};

/* Times are seconds.  NAN: no data, so it is left out. */
struct cs_metrics {
	uint64_t jobs, skipped;
	double makespan, mean_wait, mean_response, mean_bounded_slowdown;
	double longest_wait_s, wait_p99_s;
	double utilization;
	double rr_all, rr_all_10, rr_all_60, rr_medium, rr_long;
	double ucore_high, unode_high, high_s;
	uint64_t high_phases;
	struct cs_groups grouped;
	struct cs_searches searches;
	struct cs_pledges pledges;
	struct cs_lessons_now learned;
	double jobs_per_group;
	double delay_mean, delay_p50, delay_p75, delay_p95;
	double delay_p75_medium, delay_p95_medium;
	double delay_p75_long, delay_p95_long;
	double awrt, awwt;
	bool sites; /* the machine has sites: the next three count */
	uint64_t multisite_jobs;
	double fragments_mean, split_node_s;
	uint64_t users;
	double user_stretch_mean, user_stretch_max, user_stretch_gini;
	double stretch_mean, stretch_median, stretch_p90, stretch_p95;
	double stretch_p99, stretch_max;
	uint64_t gpus; /* of the machine; 0: the next ones do not count */
	uint64_t gpu_jobs;
	double gpu_mean_wait, gpu_longest_wait_s, gpu_mean_bounded_slowdown;
	double gpu_wide_mean_wait, gpu_wide_longest_wait_s;
	double gpu_utilization, gpu_fragment, gpu_waits_idle;
	double gpu_waits_fragment;
	bool truth;	     /* there was one: the rest counts */
	double broken_share; /* of shared jobs, with a promise or not */
	uint64_t shared_jobs, promise_broken, packed_broken;
	uint64_t beyond_limit, beyond_r_max;
	double true_slowdown_mean, true_slowdown_p99;
	double predicted_slowdown_mean, predicted_slowdown_p99;
	double rr_all_p99;
	double turnaround_all, turnaround_small, turnaround_medium;
	double turnaround_large, slots_max, slots_avg, active_ratio;
	bool estimated; /* there were estimates: the rest counts */
	uint64_t estimates;
	double estimate_error_p50_s, estimate_error_limits_p50_s;
	double estimate_within_90, estimate_width_p50_s;
};

struct cs_sim_result {
	struct cs_sim_job *job;	      /* [n] in the trace's order */
	struct cs_truth_job *truth;   /* [n] NULL: as believed */
	struct cs_estimate *estimate; /* [n] job_id 0: none; NULL: not made */
	size_t n;
	bool campaigns; /* field 14 names a job's campaign among its user's */
	struct cs_load load;
	struct cs_gpu_load gpus;
	struct cs_groups grouped;
	struct cs_searches searches; /* engine.h */
	struct cs_pledges pledges;
	struct cs_lessons_now learned; /* at the end */
	struct cs_sim_slots slots;
	uint64_t instants; /* with any event */
	uint64_t decides;
};

/* The figures of @r, which simulated @t on @m under @p.  0, -ENOMEM.  O(jobs),
 * and sorts of the users and of the jobs. */
int cs_metrics(struct cs_metrics *ret, const struct cs_trace *t,
	       const struct cs_sim_result *r, const struct cs_machine *m,
	       const struct cs_params *p);

#endif
