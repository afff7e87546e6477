/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/site_error.h"

#include <math.h>

#include "cli/duration.h"

static void add(struct cs_site_figures *f, double wait_s, double run_s,
		double end_s)
{
	f->wait_s += wait_s;
	f->response_s += wait_s + run_s;
	if (end_s > f->makespan_s)
		f->makespan_s = end_s;
}

static void mean(struct cs_site_figures *f, size_t n)
{
	f->wait_s /= n ? (double)n : 1;
	f->response_s /= n ? (double)n : 1;
}

struct cs_site_figures cs_site_error_recorded(const struct cs_trace *t)
{
	struct cs_site_figures f = { 0 };
	size_t known = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct cs_trace_job *j = &t->job[i];
		double wait = j->wait_us > 0 ? (double)j->wait_us / 1e6 : 0;
		double run = (double)j->runtime_us / 1e6;

		add(&f, wait, run, (double)j->submit_us / 1e6 + wait + run);
		known += j->wait_us >= 0;
	}
	mean(&f, t->n);
	return known ? f : (struct cs_site_figures){ NAN, NAN, NAN };
}

struct cs_site_figures cs_site_error_result(const struct cs_trace *t,
					    const struct cs_sim_result *r)
{
	struct cs_site_figures f = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		double submit = (double)t->job[i].submit_us / 1e6;
		double start = (double)r->job[i].start_us / 1e6;
		double end = (double)r->job[i].end_us / 1e6;

		add(&f, start - submit, end - start, end);
	}
	mean(&f, t->n);
	return f;
}

int cs_site_error_simulated(const struct cs_sim_options *o,
			    const struct cs_trace *t,
			    struct cs_site_figures *ret, struct cs_err *err)
{
	struct cs_sim_result r = { 0 };
	int rc = cs_sim_run(o, t, &r, err);

	if (rc)
		return rc;
	*ret = cs_site_error_result(t, &r);
	cs_sim_result_done(&r);
	return 0;
}

double cs_site_error_left_part(const struct cs_trace *t, uint64_t cores,
			       double open_core_us)
{
	double left = open_core_us, all = left;

	for (size_t i = 0; i < t->n; i++) {
		const struct cs_trace_job *j = &t->job[i];
		double area = (double)j->procs * (double)j->runtime_us;

		all += area;
		left += j->procs > cores ? area : 0;
	}
	return all > 0 ? left / all : 0;
}

static double error(double simulated, double recorded)
{
	return recorded > 0 ? 100 * (simulated / recorded - 1) : NAN;
}

struct cs_site_figures cs_site_error(const struct cs_site_figures *simulated,
				     const struct cs_site_figures *recorded)
{
	return (struct cs_site_figures){
		error(simulated->wait_s, recorded->wait_s),
		error(simulated->response_s, recorded->response_s),
		error(simulated->makespan_s, recorded->makespan_s),
	};
}

/* Both in the unit that suits what happened. */
static void line(FILE *out, const char *title, double simulated,
		 double recorded)
{
	double e = error(simulated, recorded);
	double like = recorded > 0 ? recorded : simulated;
	char text[2][CS_DURATION_SIZE];

	fprintf(out, "  %-14s %14s %14s", title,
		cs_duration_text(simulated, like, text[0]),
		isnan(recorded) ? "not recorded"
				: cs_duration_text(recorded, like, text[1]));
	if (isnan(e))
		fprintf(out, " %11s\n", "-");
	else
		fprintf(out, " %+9.1f %%\n", e);
}

void cs_site_error_say(FILE *out, const char *name,
		       const struct cs_site_figures *simulated,
		       const struct cs_site_figures *recorded)
{
	fprintf(out, "%.40s simulated, against what happened:\n", name);
	fprintf(out, "  %-14s %14s %14s %11s\n", "", "simulated", "recorded",
		"error");
	line(out, "mean wait", simulated->wait_s, recorded->wait_s);
	line(out, "mean response", simulated->response_s, recorded->response_s);
	line(out, "makespan", simulated->makespan_s, recorded->makespan_s);
}
