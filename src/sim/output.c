/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "jobids.h"
#include "json_build.h"

/* ---- jobs ---------------------------------------------------------------- */

static void put_seconds(FILE *file, int64_t us)
{
	fprintf(file, " %" PRId64, us / 1000000);
	if (us % 1000000)
		fprintf(file, ".%06" PRId64, us % 1000000);
}

static int written(FILE *file)
{
	if (!ferror(file))
		return 0;
	return errno ? -errno : -EIO;
}

int cs_output_jobs(FILE *file, const struct cs_trace *t,
		   const struct cs_sim_result *r)
{
	struct cs_jobids ids;
	int rc = cs_jobids_init(&ids, t, NULL);

	if (rc)
		return rc;
	errno = 0;
	fputs("# id submit start end procs nodes ppn\n", file);
	for (size_t i = 0; i < ids.n; i++) {
		const struct cs_trace_job *j = &t->job[ids.sorted[i].job];
		const struct cs_sim_job *x = &r->job[ids.sorted[i].job];

		fprintf(file, "%" PRIu32, j->id);
		put_seconds(file, j->submit_us);
		put_seconds(file, x->start_us);
		put_seconds(file, x->end_us);
		fprintf(file, " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
			j->procs, x->nodes, x->ppn);
	}
	cs_jobids_done(&ids);
	return written(file);
}

/* ---- summary ------------------------------------------------------------- */

static void add_truth(struct cs_build *to, const struct cs_metrics *k)
{
	cs_build_count(to, "shared_jobs", k->shared_jobs);
	cs_build_count(to, "promise_broken", k->promise_broken);
	cs_build_count(to, "packed_broken", k->packed_broken);
	cs_build_real(to, "true_slowdown_mean", k->true_slowdown_mean);
	cs_build_real(to, "true_slowdown_p99", k->true_slowdown_p99);
	cs_build_real(to, "predicted_slowdown_mean",
		      k->predicted_slowdown_mean);
	cs_build_real(to, "predicted_slowdown_p99", k->predicted_slowdown_p99);
	cs_build_count(to, "beyond_limit", k->beyond_limit);
	cs_build_count(to, "beyond_r_max", k->beyond_r_max);
	cs_build_real(to, "rr_all_p99", k->rr_all_p99);
}

static void add_learned(struct cs_build *to, const struct cs_lessons_now *l)
{
	cs_build_count(to, "learn_kinds", l->kinds);
	cs_build_count(to, "learn_runs", l->runs);
	cs_build_count(to, "learn_pairs", l->pairs);
	cs_build_count(to, "learn_seen", l->seen);
	cs_build_count(to, "learn_tried", l->tried);
	cs_build_count(to, "learn_broken", l->broken);
	cs_build_count(to, "learn_tables", l->tables);
}

static void add_estimates(struct cs_build *to, const struct cs_metrics *k)
{
	cs_build_count(to, "estimates", k->estimates);
	cs_build_real(to, "estimate_error_p50_s", k->estimate_error_p50_s);
	cs_build_real(to, "estimate_error_limits_p50_s",
		      k->estimate_error_limits_p50_s);
	cs_build_real(to, "estimate_within_90", k->estimate_within_90);
	cs_build_real(to, "estimate_width_p50_s", k->estimate_width_p50_s);
}

static void add_gpus(struct cs_build *to, const struct cs_metrics *k)
{
	cs_build_count(to, "gpus", k->gpus);
	cs_build_count(to, "gpu_jobs", k->gpu_jobs);
	cs_build_real(to, "gpu_mean_wait", k->gpu_mean_wait);
	cs_build_real(to, "gpu_longest_wait_s", k->gpu_longest_wait_s);
	cs_build_real(to, "gpu_mean_bounded_slowdown",
		      k->gpu_mean_bounded_slowdown);
	cs_build_real(to, "gpu_wide_mean_wait", k->gpu_wide_mean_wait);
	cs_build_real(to, "gpu_wide_longest_wait_s",
		      k->gpu_wide_longest_wait_s);
	cs_build_real(to, "gpu_utilization", k->gpu_utilization);
	cs_build_real(to, "gpu_fragment", k->gpu_fragment);
	cs_build_real(to, "gpu_waits_idle", k->gpu_waits_idle);
	cs_build_real(to, "gpu_waits_fragment", k->gpu_waits_fragment);
}

static void add_figures(struct cs_build *to, const struct cs_metrics *k)
{
	cs_build_count(to, "jobs", k->jobs);
	cs_build_count(to, "skipped", k->skipped);
	cs_build_real(to, "makespan", k->makespan);
	cs_build_real(to, "mean_wait", k->mean_wait);
	cs_build_real(to, "longest_wait_s", k->longest_wait_s);
	cs_build_real(to, "wait_p99_s", k->wait_p99_s);
	cs_build_real(to, "mean_response", k->mean_response);
	cs_build_real(to, "mean_bounded_slowdown", k->mean_bounded_slowdown);
	cs_build_real(to, "utilization", k->utilization);
	cs_build_real(to, "rr_all", k->rr_all);
	cs_build_real(to, "rr_all_10", k->rr_all_10);
	cs_build_real(to, "rr_all_60", k->rr_all_60);
	cs_build_real(to, "rr_medium", k->rr_medium);
	cs_build_real(to, "rr_long", k->rr_long);
	cs_build_real(to, "ucore_high", k->ucore_high);
	cs_build_real(to, "unode_high", k->unode_high);
	cs_build_real(to, "high_seconds", k->high_s);
	cs_build_count(to, "high_phases", k->high_phases);
	cs_build_count(to, "groups", k->grouped.groups);
	cs_build_count(to, "jobs_grouped", k->grouped.jobs);
	cs_build_count(to, "searches", k->searches.all);
	cs_build_count(to, "searches_none", k->searches.none);
	cs_build_count(to, "searches_few", k->searches.few);
	cs_build_count(to, "promises_kept", k->pledges.kept);
	cs_build_count(to, "promises_late", k->pledges.late);
	cs_build_real(to, "jobs_per_group", k->jobs_per_group);
	cs_build_real(to, "delay_mean", k->delay_mean);
	cs_build_real(to, "delay_p50", k->delay_p50);
	cs_build_real(to, "delay_p75", k->delay_p75);
	cs_build_real(to, "delay_p95", k->delay_p95);
	cs_build_real(to, "delay_p75_medium", k->delay_p75_medium);
	cs_build_real(to, "delay_p95_medium", k->delay_p95_medium);
	cs_build_real(to, "delay_p75_long", k->delay_p75_long);
	cs_build_real(to, "delay_p95_long", k->delay_p95_long);
	cs_build_real(to, "awrt", k->awrt);
	cs_build_real(to, "awwt", k->awwt);
	if (k->sites) {
		cs_build_count(to, "multisite_jobs", k->multisite_jobs);
		cs_build_real(to, "fragments_mean", k->fragments_mean);
		cs_build_real(to, "split_node_s", k->split_node_s);
	}
	if (k->gpus)
		add_gpus(to, k);
	cs_build_count(to, "users", k->users);
	cs_build_real(to, "user_stretch_mean", k->user_stretch_mean);
	cs_build_real(to, "user_stretch_max", k->user_stretch_max);
	cs_build_real(to, "user_stretch_gini", k->user_stretch_gini);
	cs_build_real(to, "stretch_mean", k->stretch_mean);
	cs_build_real(to, "stretch_median", k->stretch_median);
	cs_build_real(to, "stretch_p90", k->stretch_p90);
	cs_build_real(to, "stretch_p95", k->stretch_p95);
	cs_build_real(to, "stretch_p99", k->stretch_p99);
	cs_build_real(to, "stretch_max", k->stretch_max);
	if (k->truth)
		add_truth(to, k);
	if (k->learned.learning)
		add_learned(to, &k->learned);
	if (k->estimated)
		add_estimates(to, k);
	cs_build_real(to, "turnaround_all", k->turnaround_all);
	cs_build_real(to, "turnaround_small", k->turnaround_small);
	cs_build_real(to, "turnaround_medium", k->turnaround_medium);
	cs_build_real(to, "turnaround_large", k->turnaround_large);
	cs_build_real(to, "slots_max", k->slots_max);
	cs_build_real(to, "slots_avg", k->slots_avg);
	cs_build_real(to, "active_ratio", k->active_ratio);
}

struct json_object *cs_output_figures(const struct cs_metrics *k)
{
	struct cs_build o = cs_build_object();

	add_figures(&o, k);
	return cs_build_take(&o);
}

static struct json_object *machine_object(const struct cs_machine *m)
{
	struct cs_build o = cs_build_object();

	cs_build_count(&o, "nodes", m->n_node);
	cs_build_count(&o, "sockets", m->node[0].sockets);
	cs_build_count(&o, "cores", m->node[0].cores_per_socket);
	return cs_build_take(&o);
}

struct json_object *cs_output_params(const struct cs_params *p)
{
	struct cs_build o = cs_build_object();
	char value[CS_PATH_MAX + 1];
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);

	for (size_t i = 0; i < n; i++) {
		cs_params_print(p, &row[i], value, sizeof(value));
		if (row[i].kind == CS_PARAM_INT)
			cs_build_add(&o, row[i].key,
				     json_object_new_int64(
					     strtoll(value, NULL, 10)));
		else if (row[i].kind == CS_PARAM_REAL)
			cs_build_add(&o, row[i].key,
				     json_object_new_double_s(
					     strtod(value, NULL), value));
		else
			cs_build_text(&o, row[i].key, value);
	}
	return cs_build_take(&o);
}

int cs_output_summary(FILE *file, const struct cs_metrics *k,
		      const struct cs_output_run *run)
{
	struct cs_build o = cs_build_object();

	add_figures(&o, k);
	if (run->wall_seconds >= 0)
		cs_build_real(&o, "wall_seconds", run->wall_seconds);
	if (run->truth) {
		cs_build_text(&o, "truth", run->truth);
		cs_build_real(&o, "truth_noise", run->truth_noise);
	}
	if (run->spread_jobs)
		cs_build_flag(&o, "spread_jobs", true);
	cs_build_add(&o, "machine", machine_object(run->machine));
	cs_build_text(&o, "trace_estimates",
		      run->estimates == CS_ESTIMATES_EXACT ? "exact" : "trace");
	cs_build_add(&o, "params", cs_output_params(run->params));
	cs_build_add(&o, "seed", json_object_new_int64(run->params->seed));
	cs_build_text(&o, "version", run->version);
	return cs_build_print(&o, file);
}
