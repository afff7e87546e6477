/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "estimate/outcomes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "estimate/numbers.h"
#include "learn/real.h"

static bool is_outside(const struct cs_outcome *x)
{
	return x->wait_s < x->low_s || x->wait_s > x->high_s;
}

/* As much as a line may have. */
static double within(double s)
{
	double most_s = cs_numbers_real(CS_NUMBERS_MOST / 2);

	return s < most_s ? s : most_s;
}

static void keep(struct cs_outcomes *o, const struct cs_outcome *x)
{
	o->outcome[o->next] =
		(struct cs_outcome){ .started_us = x->started_us,
				     .wait_s = within(x->wait_s),
				     .said_s = within(x->said_s),
				     .low_s = within(x->low_s),
				     .high_s = within(x->high_s),
				     .limits_s = within(x->limits_s) };
	o->next = (o->next + 1) % CS_OUTCOMES_KEPT;
	o->n += o->n < CS_OUTCOMES_KEPT;
}

void cs_outcomes_add(struct cs_outcomes *o, const struct cs_outcome *x)
{
	if (x->wait_s < CS_OUTCOMES_LEAST_S && x->said_s < CS_OUTCOMES_LEAST_S)
		return;
	o->judged++;
	o->outside += is_outside(x);
	keep(o, x);
}

/* ---- sums -------------------------------------------------------------------- */

static double off_s(const struct cs_outcome *x)
{
	return cs_real_distance(x->wait_s, x->said_s);
}

static double late_s(const struct cs_outcome *x)
{
	return x->wait_s - x->said_s;
}

static double limits_off_s(const struct cs_outcome *x)
{
	return cs_real_distance(x->wait_s, x->limits_s);
}

static double width_s(const struct cs_outcome *x)
{
	return x->high_s - x->low_s;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The least value of @of that at least @part of the jobs since @since_us do not exceed: of 10
 * jobs and .9 the ninth, of 11 the tenth.  0 without any. */
static double quantile(const struct cs_outcomes *o, int64_t since_us,
		       double (*of)(const struct cs_outcome *x), double part)
{
	double value[CS_OUTCOMES_KEPT];
	uint32_t n = 0, rank;

	for (uint32_t i = 0; i < o->n; i++)
		if (o->outcome[i].started_us > since_us)
			value[n++] = of(&o->outcome[i]);
	if (!n)
		return 0;
	qsort(value, n, sizeof(*value), by_size);
	rank = (uint32_t)(part * n);
	rank -= rank &&
		(double)rank >= part * n; /* a whole number of jobs: its last */
	return value[rank];
}

struct cs_outcomes_sum cs_outcomes_sum(const struct cs_outcomes *o,
				       int64_t since_us)
{
	struct cs_outcomes_sum sum = {
		.error_p50_s = quantile(o, since_us, off_s, .5),
		.error_p90_s = quantile(o, since_us, off_s, .9),
		.late_p50_s = quantile(o, since_us, late_s, .5),
		.error_limits_p50_s = quantile(o, since_us, limits_off_s, .5),
		.width_p50_s = quantile(o, since_us, width_s, .5),
	};

	for (uint32_t i = 0; i < o->n; i++) {
		if (o->outcome[i].started_us <= since_us)
			continue;
		sum.jobs++;
		sum.outside += is_outside(&o->outcome[i]);
	}
	return sum;
}

/* ---- lines ------------------------------------------------------------------ */

/* "outcomes JUDGED OUTSIDE", and "outcome STARTED WAIT SAID LOW HIGH LIMITS" of each,
 * the oldest first. */
void cs_outcomes_save(const struct cs_outcomes *o, const char *before,
		      struct cs_textbuf *t)
{
	if (!o->judged)
		return;
	cs_textbuf_add(t, before);
	cs_textbuf_add(t, "outcomes");
	cs_numbers_put(t, (int64_t)o->judged);
	cs_numbers_put(t, (int64_t)o->outside);
	cs_textbuf_byte(t, '\n');
	for (uint32_t k = o->n; k; k--) {
		const struct cs_outcome *x =
			&o->outcome[(o->next + CS_OUTCOMES_KEPT - k) %
				    CS_OUTCOMES_KEPT];

		cs_textbuf_add(t, before);
		cs_textbuf_add(t, "outcome");
		cs_numbers_put(t, x->started_us);
		cs_numbers_put_real(t, x->wait_s);
		cs_numbers_put_real(t, x->said_s);
		cs_numbers_put_real(t, x->low_s);
		cs_numbers_put_real(t, x->high_s);
		cs_numbers_put_real(t, x->limits_s);
		cs_textbuf_byte(t, '\n');
	}
}

static int restore_outcome(struct cs_outcomes *o, const char *text)
{
	int64_t v[6];
	struct cs_outcome x;

	if (cs_numbers_read(text, v, 6) != 6)
		return -EINVAL;
	for (int i = 0; i < 6; i++)
		if (v[i] < 0 || v[i] > CS_NUMBERS_MOST)
			return -EINVAL;
	x = (struct cs_outcome){ .started_us = v[0],
				 .wait_s = cs_numbers_real(v[1]),
				 .said_s = cs_numbers_real(v[2]),
				 .low_s = cs_numbers_real(v[3]),
				 .high_s = cs_numbers_real(v[4]),
				 .limits_s = cs_numbers_real(v[5]) };
	if (x.high_s < x.low_s)
		return -EINVAL;
	keep(o, &x);
	return 0;
}

int cs_outcomes_restore(struct cs_outcomes *o, const char *text)
{
	const char *rest = cs_numbers_behind(text, "outcome");
	int64_t v[2];

	if (rest)
		return restore_outcome(o, rest);
	rest = cs_numbers_behind(text, "outcomes");
	if (!rest)
		return -ENOENT;
	if (cs_numbers_read(rest, v, 2) != 2 || v[1] < 0 || v[0] < v[1] ||
	    v[0] > CS_NUMBERS_MOST)
		return -EINVAL;
	o->judged = (uint64_t)v[0];
	o->outside = (uint64_t)v[1];
	return 0;
}
