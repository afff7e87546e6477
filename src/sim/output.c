/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "jobids.h"

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

/* The object in the making; after a failure nothing more goes in. */
struct object {
	struct json_object *o;
	bool nomem;
};

static struct object object(void)
{
	struct json_object *o = json_object_new_object();

	return (struct object){ o, !o };
}

static void add(struct object *to, const char *key, struct json_object *v)
{
	if (!to->nomem && v && !json_object_object_add(to->o, key, v))
		return;
	to->nomem = true;
	json_object_put(v);
}

/* Nine digits: enough to compare, few enough to be the same everywhere. */
static void add_real(struct object *to, const char *key, double v)
{
	char text[32];

	if (isnan(v))
		return;
	snprintf(text, sizeof(text), "%.9g", v);
	add(to, key, json_object_new_double_s(v, text));
}

static void add_count(struct object *to, const char *key, uint64_t v)
{
	add(to, key, json_object_new_uint64(v));
}

static void add_text(struct object *to, const char *key, const char *v)
{
	add(to, key, json_object_new_string(v));
}

/* The object, NULL: no memory. */
static struct json_object *finished(struct object *o)
{
	if (!o->nomem)
		return o->o;
	json_object_put(o->o);
	return NULL;
}

static void add_truth(struct object *to, const struct cs_metrics *k)
{
	add_count(to, "shared_jobs", k->shared_jobs);
	add_count(to, "promise_broken", k->promise_broken);
	add_count(to, "packed_broken", k->packed_broken);
	add_real(to, "true_slowdown_mean", k->true_slowdown_mean);
	add_real(to, "true_slowdown_p99", k->true_slowdown_p99);
	add_real(to, "predicted_slowdown_mean", k->predicted_slowdown_mean);
	add_real(to, "predicted_slowdown_p99", k->predicted_slowdown_p99);
	add_count(to, "beyond_limit", k->beyond_limit);
	add_count(to, "beyond_r_max", k->beyond_r_max);
	add_real(to, "rr_all_p99", k->rr_all_p99);
}

static void add_figures(struct object *to, const struct cs_metrics *k)
{
	add_count(to, "jobs", k->jobs);
	add_count(to, "skipped", k->skipped);
	add_real(to, "makespan", k->makespan);
	add_real(to, "mean_wait", k->mean_wait);
	add_real(to, "mean_response", k->mean_response);
	add_real(to, "mean_bounded_slowdown", k->mean_bounded_slowdown);
	add_real(to, "utilization", k->utilization);
	add_real(to, "rr_all", k->rr_all);
	add_real(to, "rr_all_10", k->rr_all_10);
	add_real(to, "rr_all_60", k->rr_all_60);
	add_real(to, "rr_medium", k->rr_medium);
	add_real(to, "rr_long", k->rr_long);
	add_real(to, "ucore_high", k->ucore_high);
	add_real(to, "unode_high", k->unode_high);
	add_real(to, "high_seconds", k->high_s);
	add_count(to, "high_phases", k->high_phases);
	add_count(to, "groups", k->grouped.groups);
	add_count(to, "jobs_grouped", k->grouped.jobs);
	add_count(to, "searches", k->searches.all);
	add_count(to, "searches_none", k->searches.none);
	add_count(to, "searches_few", k->searches.few);
	add_real(to, "jobs_per_group", k->jobs_per_group);
	add_real(to, "delay_mean", k->delay_mean);
	add_real(to, "delay_p50", k->delay_p50);
	add_real(to, "delay_p75", k->delay_p75);
	add_real(to, "delay_p95", k->delay_p95);
	add_real(to, "delay_p75_medium", k->delay_p75_medium);
	add_real(to, "delay_p95_medium", k->delay_p95_medium);
	add_real(to, "delay_p75_long", k->delay_p75_long);
	add_real(to, "delay_p95_long", k->delay_p95_long);
	add_real(to, "awrt", k->awrt);
	add_real(to, "awwt", k->awwt);
	if (k->sites) {
		add_count(to, "multisite_jobs", k->multisite_jobs);
		add_real(to, "fragments_mean", k->fragments_mean);
		add_real(to, "split_node_s", k->split_node_s);
	}
	add_count(to, "users", k->users);
	add_real(to, "user_stretch_mean", k->user_stretch_mean);
	add_real(to, "user_stretch_max", k->user_stretch_max);
	add_real(to, "user_stretch_gini", k->user_stretch_gini);
	add_real(to, "stretch_mean", k->stretch_mean);
	add_real(to, "stretch_median", k->stretch_median);
	add_real(to, "stretch_p90", k->stretch_p90);
	add_real(to, "stretch_p95", k->stretch_p95);
	add_real(to, "stretch_p99", k->stretch_p99);
	add_real(to, "stretch_max", k->stretch_max);
	if (k->truth)
		add_truth(to, k);
	add_real(to, "turnaround_all", k->turnaround_all);
	add_real(to, "turnaround_small", k->turnaround_small);
	add_real(to, "turnaround_medium", k->turnaround_medium);
	add_real(to, "turnaround_large", k->turnaround_large);
	add_real(to, "slots_max", k->slots_max);
	add_real(to, "slots_avg", k->slots_avg);
	add_real(to, "active_ratio", k->active_ratio);
}

struct json_object *cs_output_figures(const struct cs_metrics *k)
{
	struct object o = object();

	add_figures(&o, k);
	return finished(&o);
}

static struct json_object *machine_object(const struct cs_machine *m)
{
	struct object o = object();

	add_count(&o, "nodes", m->n_node);
	add_count(&o, "sockets", m->node[0].sockets);
	add_count(&o, "cores", m->node[0].cores_per_socket);
	return finished(&o);
}

struct json_object *cs_output_params(const struct cs_params *p)
{
	struct object o = object();
	char value[CS_PATH_MAX + 1];
	size_t n;
	const struct cs_param_row *row = cs_params_rows(&n);

	for (size_t i = 0; i < n; i++) {
		cs_params_print(p, &row[i], value, sizeof(value));
		if (row[i].kind == CS_PARAM_INT)
			add(&o, row[i].key,
			    json_object_new_int64(strtoll(value, NULL, 10)));
		else if (row[i].kind == CS_PARAM_REAL)
			add(&o, row[i].key,
			    json_object_new_double_s(strtod(value, NULL),
						     value));
		else
			add_text(&o, row[i].key, value);
	}
	return finished(&o);
}

int cs_output_summary(FILE *file, const struct cs_metrics *k,
		      const struct cs_output_run *run)
{
	struct object o = object();
	const char *text = NULL;

	add_figures(&o, k);
	if (run->wall_seconds >= 0)
		add_real(&o, "wall_seconds", run->wall_seconds);
	if (run->truth) {
		add_text(&o, "truth", run->truth);
		add_real(&o, "truth_noise", run->truth_noise);
	}
	add(&o, "machine", machine_object(run->machine));
	add_text(&o, "estimates",
		 run->estimates == CS_ESTIMATES_EXACT ? "exact" : "trace");
	add(&o, "params", cs_output_params(run->params));
	add(&o, "seed", json_object_new_int64(run->params->seed));
	add_text(&o, "version", run->version);
	if (!o.nomem)
		text = json_object_to_json_string_ext(
			o.o, JSON_C_TO_STRING_PRETTY |
				     JSON_C_TO_STRING_NOSLASHESCAPE);
	errno = 0;
	if (text)
		fprintf(file, "%s\n", text);
	json_object_put(o.o);
	return text ? written(file) : -ENOMEM;
}
