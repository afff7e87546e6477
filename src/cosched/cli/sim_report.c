/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/sim_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "common/place/place.h"
#include "common/state/stage.h"

#define SPREAD .75 /* of the cores of held nodes: below it, say so */

static void say_bounded(const struct cs_metrics *k, const struct cs_params *p)
{
	printf("relative response %12.2f  all jobs, runtimes from %" PRId64
	       " s on\n",
	       k->rr_all, p->rr_bound_s);
	if (!isnan(k->rr_medium))
		printf("%30.2f  medium jobs (10 min to 3 h)\n", k->rr_medium);
	if (!isnan(k->rr_long))
		printf("%30.2f  long jobs\n", k->rr_long);
}

static void say_high(const struct cs_metrics *k, const struct cs_params *p)
{
	if (isnan(k->ucore_high))
		return;
	printf("high load %20.1f  s with %" PRId64
	       " or more jobs waiting, %" PRIu64 " times\n",
	       k->high_s, p->n_high, k->high_phases);
	printf("%30.2f  %% of the cores held then\n", 100 * k->ucore_high);
}

static void say_groups(const struct cs_metrics *k)
{
	if (k->grouped.groups)
		printf("groups %23" PRIu64 "  of %.2f jobs, %" PRIu64
		       " jobs ever in one\n",
		       k->grouped.groups, k->jobs_per_group, k->grouped.jobs);
	if (!isnan(k->delay_mean))
		printf("response / promised %10.2f  half within %.2f, three in "
		       "four %.2f, 95 %% %.2f\n",
		       k->delay_mean, k->delay_p50, k->delay_p75, k->delay_p95);
}

static void say_sites(const struct cs_metrics *k)
{
	if (!k->sites)
		return;
	printf("weighted response %12.1f  s, by each job's work (awrt); wait "
	       "%.1f s (awwt)\n",
	       k->awrt, k->awwt);
	printf("over several sites %11" PRIu64 "  jobs", k->multisite_jobs);
	if (k->multisite_jobs)
		printf(", over %.2f each, for %.0f node seconds",
		       k->fragments_mean, k->split_node_s);
	putchar('\n');
}

/* For jobs that obeyed a truth file. */
static void say_truth(const struct cs_metrics *k, const struct cs_params *p)
{
	if (!k->truth)
		return;
	printf("shared %23" PRIu64 "  jobs ran beside others; %" PRIu64
	       " of groups slowed by more than %g, %" PRIu64 " of others\n",
	       k->shared_jobs, k->promise_broken, p->max_slowdown,
	       k->packed_broken);
	if (k->shared_jobs)
		printf("slowdown beside others %7.3f  %.3f predicted; one in a "
		       "hundred above %.3f, %.3f predicted\n",
		       k->true_slowdown_mean, k->predicted_slowdown_mean,
		       k->true_slowdown_p99, k->predicted_slowdown_p99);
	printf("ended by the limit %11" PRIu64 "  jobs; %" PRIu64
	       " responded later than was promised at worst\n",
	       k->beyond_limit, k->beyond_r_max);
}

/* Of starts, at the submits. */
static void say_estimates(const struct cs_metrics *k)
{
	if (!k->estimated)
		return;
	printf("estimated starts %13" PRIu64 "  of waits of a minute or more\n",
	       k->estimates);
	if (!k->estimates)
		return;
	printf("half off by up to %12.1f  s; by limits alone %.1f s\n",
	       k->estimate_error_p50_s, k->estimate_error_limits_p50_s);
	printf("within the interval %10.1f  %%; half of the intervals up to "
	       "%.1f s wide\n",
	       100 * k->estimate_within_90, k->estimate_width_p50_s);
}

static void say_slots(const struct cs_metrics *k)
{
	if (isnan(k->slots_avg))
		return;
	printf("time slots %19.2f  in a round, %.0f at most\n", k->slots_avg,
	       k->slots_max);
	printf("turnaround %19.1f  s", k->turnaround_all);
	if (!isnan(k->turnaround_small))
		printf(", up to 12 slots %.1f", k->turnaround_small);
	if (!isnan(k->turnaround_medium))
		printf(", up to 60 %.1f", k->turnaround_medium);
	if (!isnan(k->turnaround_large))
		printf(", longer %.1f", k->turnaround_large);
	putchar('\n');
}

void cs_sim_report_figures(const struct cs_metrics *k,
			   const struct cs_params *p, double wall_seconds)
{
	printf("jobs %25" PRIu64 "  simulated in %.2f s, %" PRIu64 " skipped\n",
	       k->jobs, wall_seconds, k->skipped);
	printf("makespan %21.1f  s\n", k->makespan);
	printf("mean wait %20.1f  s\n", k->mean_wait);
	printf("mean response %16.1f  s\n", k->mean_response);
	printf("bounded slowdown %13.2f  mean, runtimes from 10 s on\n",
	       k->mean_bounded_slowdown);
	printf("utilization %18.2f  %%\n", 100 * k->utilization);
	say_bounded(k, p);
	say_high(k, p);
	say_groups(k);
	say_sites(k);
	say_truth(k, p);
	say_estimates(k);
	say_slots(k);
}

struct cs_spread cs_spread(const struct cs_params *p, double ucore,
			   double unode, uint64_t grouped)
{
	struct cs_spread ret = { .there = false };

	if (!cs_place_choose(p)->shares || p->layout != CS_LAYOUT_MODEL ||
	    isnan(ucore) || ucore >= SPREAD * unode)
		return ret;
	ret.there = true;
	snprintf(ret.text, sizeof(ret.text),
		 "in high load %.0f %% of the nodes were held, but %.0f %% of "
		 "the cores: layout=model kept the rest for partners, and %s; "
		 "see SPREAD JOBS in cosched(1)",
		 100 * unode, 100 * ucore,
		 grouped ? "few came" : "no jobs could share");
	return ret;
}
