/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/duration.h"
#include "common/base/idmap.h"

#define SECOND_US 1e6
#define SHORT_US (600 * INT64_C(1000000)) /* longest short job (Zeng09, 5.1) */
#define MEDIUM_US (10800 * INT64_C(1000000)) /* longest medium one */

void cs_load_note(struct cs_load *l, int64_t now_us, struct cs_engine_use use)
{
	int64_t dt = now_us - l->at_us;
	bool was = cs_load_high(l);

	if (was) {
		l->high_us += dt;
		l->core_us += (double)dt * l->use.cores;
		l->node_us += (double)dt * l->use.nodes;
	}
	l->at_us = now_us;
	l->use = use;
	l->phases += !was && cs_load_high(l);
}

static double max(double a, double b)
{
	return a > b ? a : b;
}

/* A sum and its count. */
struct mean {
	double sum;
	uint64_t n;
};

static void add(struct mean *m, double x)
{
	m->sum += x;
	m->n++;
}

static double mean_of(const struct mean *m)
{
	return m->n ? m->sum / (double)m->n : NAN;
}

/* Response over runtime (at least @bound_s); at least 1. */
static double bounded(double response_us, double runtime_us, double bound_s)
{
	return max(1, response_us / max(runtime_us, bound_s * SECOND_US));
}

/* Rules 1 to 5, 9. */
static void jobs(struct cs_metrics *k, const struct cs_trace *t,
		 const struct cs_sim_result *r, double cores, double bound_s)
{
	struct mean wait = { 0 }, resp = { 0 }, slow = { 0 }, all = { 0 },
		    all60 = { 0 }, medium = { 0 }, longs = { 0 };
	double used = 0, last = 0, waited = 0, stayed = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct cs_trace_job *j = &t->job[i];
		const struct cs_sim_job *x = &r->job[i];
		double response = (double)(x->end_us - j->submit_us);
		double waits = (double)(x->start_us - j->submit_us);
		double runtime = (double)j->runtime_us;
		double work = (double)j->procs * (double)x->ran_us;

		last = max(last, (double)x->end_us);
		used += work;
		waited += work * waits;
		stayed += work * response;
		add(&wait, waits);
		add(&resp, response);
		add(&slow, bounded(response, runtime, 10));
		add(&all60, bounded(response, runtime, 60));
		add(&all, bounded(response, runtime, bound_s));
		if (j->runtime_us > SHORT_US)
			add(j->runtime_us > MEDIUM_US ? &longs : &medium,
			    response / runtime);
	}
	k->makespan = last / SECOND_US;
	k->mean_wait = mean_of(&wait) / SECOND_US;
	k->mean_response = mean_of(&resp) / SECOND_US;
	k->mean_bounded_slowdown = k->rr_all_10 = mean_of(&slow);
	k->rr_all_60 = mean_of(&all60);
	k->rr_all = mean_of(&all);
	k->rr_medium = mean_of(&medium);
	k->rr_long = mean_of(&longs);
	k->utilization = last > 0 ? used / (last * cores) : NAN;
	k->awrt = used > 0 ? stayed / used / SECOND_US : NAN;
	k->awwt = used > 0 ? waited / used / SECOND_US : NAN;
}

/* Rule 9: jobs that are split over sites. */
static void fragments(struct cs_metrics *k, const struct cs_sim_result *r)
{
	struct mean all = { 0 };

	for (size_t i = 0; i < r->n; i++) {
		const struct cs_sim_job *x = &r->job[i];

		if (x->fragments < 2)
			continue;
		add(&all, x->fragments);
		k->split_node_s +=
			(double)x->nodes * (double)x->ran_us / SECOND_US;
	}
	k->multisite_jobs = all.n;
	k->fragments_mean = mean_of(&all);
}

/* Rule 6: the time in which n_high or more jobs wait. */
static void high_load(struct cs_metrics *k, const struct cs_load *l,
		      double cores, double nodes)
{
	double us = (double)l->high_us;

	k->high_s = us / SECOND_US;
	k->high_phases = l->phases;
	k->ucore_high = us > 0 ? l->core_us / (us * cores) : NAN;
	k->unode_high = us > 0 ? l->node_us / (us * nodes) : NAN;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

static double percentile(const double *x, size_t n, double p)
{
	size_t place = (size_t)ceil(p * (double)n);

	return n ? x[place ? place - 1 : 0] : NAN;
}

/* Rule 8: delays of jobs with a promise. */

/* R_i / R_est,i into @x, for runtimes above @low_us and at most @high_us;
 * sorted.  Returns how many. */
static size_t delays_of(double *x, const struct cs_trace *t,
			const struct cs_sim_result *r, int64_t low_us,
			int64_t high_us)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct cs_trace_job *j = &t->job[i];
		const struct cs_sim_job *y = &r->job[i];

		if (y->est_us > 0 && j->runtime_us > low_us &&
		    j->runtime_us <= high_us)
			x[n++] = (double)(y->end_us - j->submit_us) /
				 (double)y->est_us;
	}
	if (n)
		qsort(x, n, sizeof(*x), by_size);
	return n;
}

/* Rule 2: the longest wait, and the 99th percentile. */
static int long_waits(struct cs_metrics *k, const struct cs_trace *t,
		      const struct cs_sim_result *r)
{
	double *x = calloc(r->n + 1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++)
		x[i] = (double)(r->job[i].start_us - t->job[i].submit_us) /
		       SECOND_US;
	qsort(x, r->n, sizeof(*x), by_size);
	k->longest_wait_s = percentile(x, r->n, 1);
	k->wait_p99_s = percentile(x, r->n, .99);
	free(x);
	return 0;
}

static int delays(struct cs_metrics *k, const struct cs_trace *t,
		  const struct cs_sim_result *r)
{
	double *x = calloc(r->n + 1, sizeof(*x));
	struct mean all = { 0 };
	size_t n;

	if (!x)
		return -ENOMEM;
	n = delays_of(x, t, r, SHORT_US, MEDIUM_US);
	k->delay_p75_medium = percentile(x, n, .75);
	k->delay_p95_medium = percentile(x, n, .95);
	n = delays_of(x, t, r, MEDIUM_US, INT64_MAX);
	k->delay_p75_long = percentile(x, n, .75);
	k->delay_p95_long = percentile(x, n, .95);
	n = delays_of(x, t, r, 0, INT64_MAX);
	for (size_t i = 0; i < n; i++)
		add(&all, x[i]);
	k->delay_mean = mean_of(&all);
	k->delay_p50 = percentile(x, n, .50);
	k->delay_p75 = percentile(x, n, .75);
	k->delay_p95 = percentile(x, n, .95);
	free(x);
	return 0;
}

/* Rule 10: the stretch of jobs, and its means by user. */

/* The means of all users into @y, sorted; returns how many.  @of: scratch. */
static size_t user_means(double *y, struct mean *of, struct cs_idmap *users,
			 const struct cs_trace *t,
			 const struct cs_sim_result *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct cs_trace_job *j = &t->job[i];
		struct mean *m = cs_idmap_find(users, (uint32_t)j->user);

		if (!m) {
			m = &of[users->n];
			cs_idmap_add(users, (uint32_t)j->user, m);
		}
		add(m, (double)(r->job[i].end_us - j->submit_us) /
			       (double)j->runtime_us);
	}
	for (size_t i = 0; i < users->n; i++)
		y[i] = mean_of(&of[i]);
	if (users->n)
		qsort(y, users->n, sizeof(*y), by_size);
	return users->n;
}

static int stretches(struct cs_metrics *k, const struct cs_trace *t,
		     const struct cs_sim_result *r)
{
	double *y = calloc(r->n + 1, sizeof(*y)), tilted = 0;
	struct mean all = { 0 }, *of = calloc(r->n + 1, sizeof(*of));
	struct cs_idmap users = { 0 };
	size_t n = 0;
	int rc = y && of ? cs_idmap_reserve(&users, r->n) : -ENOMEM;

	if (!rc)
		n = user_means(y, of, &users, t, r);
	for (size_t i = 0; i < n; i++) {
		add(&all, y[i]);
		tilted += (2 * (double)i + 1 - (double)n) * y[i];
	}
	k->users = n;
	k->user_stretch_mean = mean_of(&all);
	k->user_stretch_max = n ? y[n - 1] : NAN;
	k->user_stretch_gini = n ? tilted / ((double)n * all.sum) : NAN;
	free(y);
	free(of);
	cs_idmap_done(&users);
	return rc;
}

/* Rule 11: the stretch of each campaign of jobs. */

struct member { /* of a campaign */
	int32_t user, field14;
	size_t job;
};

static int by_campaign(const void *x, const void *y)
{
	const struct member *a = x, *b = y;

	if (a->user != b->user)
		return a->user < b->user ? -1 : 1;
	if (a->field14 != b->field14)
		return a->field14 < b->field14 ? -1 : 1;
	return a->job < b->job ? -1 : a->job > b->job;
}

static bool same_campaign(const struct member *a, const struct member *b)
{
	return a->field14 >= 0 && a->user == b->user &&
	       a->field14 == b->field14;
}

/* For the campaign of the @n members of @x. */
static double stretch_of(const struct member *x, size_t n,
			 const struct cs_trace *t,
			 const struct cs_sim_result *r, double cores)
{
	int64_t submit_us = INT64_MAX, end_us = 0, longest_us = 0;
	double work = 0;

	for (size_t i = 0; i < n; i++) {
		const struct cs_trace_job *j = &t->job[x[i].job];
		int64_t e_us = r->job[x[i].job].end_us;

		submit_us = j->submit_us < submit_us ? j->submit_us : submit_us;
		end_us = e_us > end_us ? e_us : end_us;
		longest_us =
			j->runtime_us > longest_us ? j->runtime_us : longest_us;
		work += (double)j->procs * (double)j->runtime_us;
	}
	return (double)(end_us - submit_us) /
	       max((double)longest_us, work / cores);
}

static int campaigns(struct cs_metrics *k, const struct cs_trace *t,
		     const struct cs_sim_result *r, double cores)
{
	struct member *x = calloc(r->n + 1, sizeof(*x));
	double *y = calloc(r->n + 1, sizeof(*y));
	struct mean all = { 0 };
	size_t n = 0;

	for (size_t i = 0; x && i < r->n; i++)
		x[i] = (struct member){ t->job[i].user,
					r->campaigns ? t->job[i].exe : -1, i };
	if (x && r->campaigns)
		qsort(x, r->n, sizeof(*x), by_campaign);
	for (size_t from = 0, to; x && y && from < r->n; from = to) {
		to = from + 1;
		while (to < r->n && same_campaign(&x[from], &x[to]))
			to++;
		y[n] = stretch_of(x + from, to - from, t, r, cores);
		add(&all, y[n++]);
	}
	if (n)
		qsort(y, n, sizeof(*y), by_size);
	k->stretch_mean = mean_of(&all);
	k->stretch_median = percentile(y, n, .50);
	k->stretch_p90 = percentile(y, n, .90);
	k->stretch_p95 = percentile(y, n, .95);
	k->stretch_p99 = percentile(y, n, .99);
	k->stretch_max = percentile(y, n, 1);
	n = x && y;
	free(x);
	free(y);
	return n ? 0 : -ENOMEM;
}

/* Rule 12: jobs that progress by a separate truth. */

/* Sorts the @n of @x.  NAN if none. */
static void mean_and_p99(double *x, size_t n, double *ret_mean, double *ret_p99)
{
	struct mean m = { 0 };

	if (n)
		qsort(x, n, sizeof(*x), by_size);
	for (size_t i = 0; i < n; i++)
		add(&m, x[i]);
	*ret_mean = mean_of(&m);
	*ret_p99 = percentile(x, n, .99);
}

static void count_truth(struct cs_metrics *k, const struct cs_sim_result *r,
			double max_slowdown)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct cs_truth_job *x = &r->truth[i];
		bool broken = x->worst > max_slowdown;

		k->shared_jobs += x->beside_us > 0;
		k->promise_broken += broken && r->job[i].group;
		k->packed_broken += broken && !r->job[i].group;
		k->beyond_limit += x->limited;
		k->beyond_r_max += x->late;
	}
	if (k->shared_jobs)
		k->broken_share =
			(double)(k->promise_broken + k->packed_broken) /
			(double)k->shared_jobs;
}

static int truths(struct cs_metrics *k, const struct cs_trace *t,
		  const struct cs_sim_result *r, const struct cs_params *p)
{
	double *x = calloc(r->n + 1, sizeof(*x)), all;
	double *y = calloc(r->n + 1, sizeof(*y));
	size_t n = 0;

	k->truth = x && y;
	if (!k->truth) {
		free(x);
		free(y);
		return -ENOMEM;
	}
	for (size_t i = 0; i < r->n; i++) {
		const struct cs_truth_job *j = &r->truth[i];

		if (j->beside_us <= 0)
			continue;
		x[n] = (double)j->beside_us / j->alone_us;
		y[n++] = (double)j->beside_us / j->believed_us;
	}
	count_truth(k, r, p->max_slowdown);
	mean_and_p99(x, n, &k->true_slowdown_mean, &k->true_slowdown_p99);
	mean_and_p99(y, n, &k->predicted_slowdown_mean,
		     &k->predicted_slowdown_p99);
	for (size_t i = 0; i < r->n; i++)
		x[i] = bounded((double)(r->job[i].end_us - t->job[i].submit_us),
			       (double)t->job[i].runtime_us,
			       (double)p->rr_bound_s);
	mean_and_p99(x, r->n, &all, &k->rr_all_p99);
	free(x);
	free(y);
	return 0;
}

/* Rule 13: turnaround in slots, and how many slots there are. */

#define SMALL_SLOTS 12
#define MEDIUM_SLOTS 60

static void slots(struct cs_metrics *k, const struct cs_trace *t,
		  const struct cs_sim_result *r, double cores)
{
	struct mean all = { 0 }, small = { 0 }, medium = { 0 }, large = { 0 };
	int64_t slot_us = r->slots.slot_us, last_us = 0;
	double work = 0;

	for (size_t i = 0; slot_us && i < r->n; i++) {
		int64_t need = cs_spans(t->job[i].runtime_us, slot_us);
		int64_t from = cs_spans(t->job[i].submit_us, slot_us);
		int64_t end_us = r->job[i].end_us;
		double s = (double)(end_us - from * slot_us) / SECOND_US;

		last_us = end_us > last_us ? end_us : last_us;
		work += (double)t->job[i].procs * (double)(need * slot_us);
		add(&all, s);
		add(need <= SMALL_SLOTS	   ? &small
		    : need <= MEDIUM_SLOTS ? &medium
					   : &large,
		    s);
	}
	k->turnaround_all = mean_of(&all);
	k->turnaround_small = mean_of(&small);
	k->turnaround_medium = mean_of(&medium);
	k->turnaround_large = mean_of(&large);
	k->slots_max = slot_us ? (double)r->slots.most : NAN;
	k->slots_avg = last_us ? r->slots.sum_us / (double)last_us : NAN;
	k->active_ratio = last_us ? work / (cores * (double)last_us) : NAN;
}

/* Rule 14: how far estimates of starts are off. */

#define COUNTS_US INT64_C(60000000)

static double median(double *x, size_t n)
{
	if (n)
		qsort(x, n, sizeof(*x), by_size);
	return percentile(x, n, .50);
}

static int estimates(struct cs_metrics *k, const struct cs_sim_result *r)
{
	double *x = calloc(3 * (r->n + 1), sizeof(*x)), *by_limits, *width;
	size_t n = 0, within = 0;

	if (!x)
		return -ENOMEM;
	by_limits = x + r->n + 1;
	width = by_limits + r->n + 1;
	for (size_t i = 0; i < r->n; i++) {
		const struct cs_estimate *e = &r->estimate[i];
		int64_t b_us = r->job[i].start_us;

		if (!e->job_id || (b_us - e->at_us < COUNTS_US &&
				   e->start_us - e->at_us < COUNTS_US))
			continue;
		x[n] = fabs((double)(b_us - e->start_us)) / SECOND_US;
		by_limits[n] = fabs((double)(b_us - e->limits_us)) / SECOND_US;
		width[n++] = (double)(e->high_us - e->low_us) / SECOND_US;
		within += e->low_us <= b_us && b_us <= e->high_us;
	}
	k->estimated = true;
	k->estimates = n;
	k->estimate_error_p50_s = median(x, n);
	k->estimate_error_limits_p50_s = median(by_limits, n);
	k->estimate_within_90 = n ? (double)within / (double)n : NAN;
	k->estimate_width_p50_s = median(width, n);
	free(x);
	return 0;
}

/* Rule 15: GPUs held, and fragments of free ones, over time. */

void cs_gpu_load_note(struct cs_gpu_load *l, int64_t now_us,
		      struct cs_engine_gpus use)
{
	double us = (double)(now_us - l->at_us);

	l->held_us += l->use.held * us;
	l->fragment_us += l->use.fragment * us;
	if (l->use.waiting) {
		l->waits_us += us;
		l->idle_us += l->use.free * us;
		l->idle_fragment_us += l->use.fragment * us;
	}
	l->at_us = now_us;
	l->use = use;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static void gpus(struct cs_metrics *k, const struct cs_trace *t,
		 const struct cs_sim_result *r, const struct cs_machine *m)
{
	const struct cs_gpu_load *l = &r->gpus;
	struct mean wait = { 0 }, wide = { 0 }, slowdown = { 0 };
	double all = (double)cs_machine_gpus(m);

	k->gpus = cs_machine_gpus(m);
	for (size_t i = 0; k->gpus && i < r->n; i++) {
		const struct cs_trace_job *j = &t->job[i];
		double s =
			(double)(r->job[i].start_us - j->submit_us) / SECOND_US;

		if (!j->gpus)
			continue;
		add(&wait, s);
		add(&slowdown,
		    bounded((double)(r->job[i].end_us - j->submit_us),
			    (double)j->runtime_us, 10));
		k->gpu_longest_wait_s = max(k->gpu_longest_wait_s, s);
		if (j->gpus < m->gpus_most || j->gpu_share)
			continue;
		add(&wide, s);
		k->gpu_wide_longest_wait_s = max(k->gpu_wide_longest_wait_s, s);
	}
	k->gpu_jobs = wait.n;
	k->gpu_mean_wait = mean_of(&wait);
	k->gpu_mean_bounded_slowdown = mean_of(&slowdown);
	k->gpu_wide_mean_wait = mean_of(&wide);
	k->gpu_utilization = ratio(l->held_us, all * (double)l->at_us);
	k->gpu_fragment = ratio(l->fragment_us, all * (double)l->at_us);
	k->gpu_waits_idle = ratio(l->idle_us, all * l->waits_us);
	k->gpu_waits_fragment = ratio(l->idle_fragment_us, all * l->waits_us);
}

int cs_metrics(struct cs_metrics *ret, const struct cs_trace *t,
	       const struct cs_sim_result *r, const struct cs_machine *m,
	       const struct cs_params *p)
{
	struct cs_metrics k = {
		.jobs = r->n,
		.skipped = cs_trace_skipped(t),
		.grouped = r->grouped,
		.searches = r->searches,
		.pledges = r->pledges,
		.learned = r->learned,
		.jobs_per_group = NAN,
		.broken_share = NAN,
		.true_slowdown_p99 = NAN,
	};
	double cores = (double)cs_machine_cores(m);
	int rc;

	jobs(&k, t, r, cores, (double)p->rr_bound_s);
	k.sites = m->sites;
	fragments(&k, r);
	high_load(&k, &r->load, cores, m->n_node);
	slots(&k, t, r, cores);
	gpus(&k, t, r, m);
	if (r->grouped.groups)
		k.jobs_per_group =
			(double)r->grouped.members / (double)r->grouped.groups;
	rc = long_waits(&k, t, r) ?: delays(&k, t, r);
	if (!rc)
		rc = stretches(&k, t, r);
	if (!rc)
		rc = campaigns(&k, t, r, cores);
	if (!rc && r->truth)
		rc = truths(&k, t, r, p);
	if (!rc && r->estimate)
		rc = estimates(&k, r);
	if (!rc)
		*ret = k;
	return rc;
}
