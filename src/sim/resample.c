/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A workload like a log's: its jobs and gaps, resampled.
 *
 * Problem.  A log is one sample.  To tell a policy's effect from luck takes many
 * similar ones, and a paper's unpublished synthetic workload needs a stand-in.
 *
 * Rules.
 *  1. Size, runtime, estimate, user and program come together from one random job of
 *     the log; each job is drawn independently.
 *  2. The gap to the next job is one of the log's that began in the same hour of the day,
 *     on working days or on weekends (UTC, by the log's UnixStartTime); if the log has
 *     no such gap, any of its gaps.  Gaps over 12 hours are left out: the log had
 *     stopped.
 *  3. All submit times are divided by `load`.
 *
 * Known weakness: jobs submitted together are drawn separately, so bursts of similar
 * jobs are lost; the daily cycle stays, weeks and months are alike.
 */
#include "resample.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/duration.h"
#include "common/base/rng.h"

#define HOUR_S 3600
#define DAY_S (24 * HOUR_S)
#define HOURS 48 /* of a working day, of a day of the weekend */
#define GAP_MAX_US (12 * HOUR_S * CS_SECOND_US)

/* The log's gaps, by the hour of their beginning: those of hour h are us[from[h]] to
 * us[from[h + 1] - 1]. */
struct gaps {
	int64_t *us;
	size_t from[HOURS + 1];
};

static int hour_of(const struct cs_trace *log, int64_t us)
{
	int64_t s = log->unix_start_s + us / CS_SECOND_US;
	int64_t day =
		(s / DAY_S + 3) % 7; /* 1970-01-01 was a Thursday; 0: Monday */

	return (int)(s % DAY_S / HOUR_S) + (day >= 5 ? 24 : 0);
}

static int64_t gap_behind(const struct cs_trace *log, size_t i)
{
	return log->job[i + 1].submit_us - log->job[i].submit_us;
}

static int sort_gaps(struct gaps *g, const struct cs_trace *log)
{
	size_t at[HOURS] = { 0 };

	g->us = calloc(log->n, sizeof(*g->us));
	if (!g->us)
		return -ENOMEM;
	for (size_t i = 0; i + 1 < log->n; i++)
		if (gap_behind(log, i) <= GAP_MAX_US)
			at[hour_of(log, log->job[i].submit_us)]++;
	g->from[0] = 0;
	for (int h = 0; h < HOURS; h++) {
		g->from[h + 1] = g->from[h] + at[h];
		at[h] = g->from[h];
	}
	for (size_t i = 0; i + 1 < log->n; i++)
		if (gap_behind(log, i) <= GAP_MAX_US)
			g->us[at[hour_of(log, log->job[i].submit_us)]++] =
				gap_behind(log, i);
	return 0;
}

/* A random number below @n. */
static size_t pick(struct cs_rng *r, size_t n)
{
	return (size_t)(cs_rng_unit(r) * (double)n);
}

static int64_t draw_gap(const struct gaps *g, struct cs_rng *r, int hour)
{
	size_t n = g->from[hour + 1] - g->from[hour];

	return n ? g->us[g->from[hour] + pick(r, n)]
		 : g->us[pick(r, g->from[HOURS])];
}

static void draw(struct cs_trace *t, const struct cs_trace *log,
		 const struct gaps *g, const struct cs_resample *m)
{
	int64_t now_us = 0;
	struct cs_rng r;

	cs_rng_init(&r, m->seed, 1);
	for (; t->n < m->jobs; t->n++) {
		struct cs_trace_job *j = &t->job[t->n];

		*j = log->job[pick(&r, log->n)];
		j->id = (uint32_t)t->n + 1;
		j->wait_us = -1;
		j->line = 0;
		j->submit_us = (int64_t)((double)now_us / m->load) /
			       CS_SECOND_US * CS_SECOND_US;
		now_us += draw_gap(g, &r, hour_of(log, now_us));
	}
}

int cs_resample_generate(struct cs_trace *ret, const struct cs_trace *log,
			 const struct cs_resample *m, struct cs_err *err)
{
	struct cs_trace t = { .unix_start_s = log->unix_start_s,
			      .packed = log->packed };
	struct gaps g = { 0 };

	if (!m->jobs || !(m->load >= .001 && m->load <= 1000))
		return cs_err_set(
			err, -EINVAL,
			"%u jobs at load %g, expected 1 at least and 0.001 to "
			"1000",
			m->jobs, m->load);
	t.job = calloc(m->jobs, sizeof(*t.job));
	if (!t.job || sort_gaps(&g, log)) {
		free(t.job);
		return cs_err_set(err, -ENOMEM, "no memory for %u jobs",
				  m->jobs);
	}
	if (g.from[HOURS])
		draw(&t, log, &g, m);
	free(g.us);
	if (!t.n) {
		free(t.job);
		return cs_err_set(
			err, -EINVAL,
			"a log without gaps, expected two jobs within 12 hours");
	}
	*ret = t;
	return 0;
}
