/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of two estimates of a wait, what is said, and what the start teaches.
 *
 * Problem.  A wait is estimated by drawn runtimes and by limits.  Which one is nearer
 * differs by site, as does how wide an interval must be to hold the start.
 *
 * Symbols	C name			unit
 *   d, l	drawn_s, limits_s	s; the two waits
 *   w		wait_s			s; the true one, from the estimate to the start
 *
 * Rules.
 *  1. The intervals of both, that of l from l to l, are calibrated, each in the class of its
 *     wait (calibration.c): by starts, and by intervals that pass while the job still waits.
 *  2. What is said: the one with the smaller median of |w - estimate| over the last
 *     CS_AWAITED_ERRORS jobs that have started; the interval whose median width was smaller
 *     over the last CS_AWAITED_WIDTHS.  If the two come from different ones, the interval is
 *     widened to hold the estimate.  This guards sites where limits are the runtimes.
 *
 * Source: ours.
 *
 * Cost: O(1) an estimate and a start; O(jobs that wait) when the next interval passes.
 */
#include "estimate/awaited.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/duration.h"
#include "estimate/numbers.h"
#include "learn/real.h"

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static double seconds(int64_t us)
{
	return (double)us / 1e6;
}

/* The wait that was said. */
static double said_s(const struct cs_awaited *o)
{
	return o->by_limits ? o->limits_s : o->drawn_s;
}

static double width_of(const struct cs_calibrated *x)
{
	return x->said.high_s - x->said.low_s;
}

/* When the interval that ends at @x passes, if it has not yet. */
static int64_t passes_us(const struct cs_awaited *o,
			 const struct cs_calibrated *x)
{
	double at = (double)o->at_us + x->said.high_s * 1e6;

	return x->passed || at >= 9e18 ? CS_TIME_NONE : (int64_t)at;
}

/* Rule 2: as @said, widened to hold @wait_s. */
static struct cs_interval around(struct cs_interval said, double wait_s)
{
	return (struct cs_interval){
		.low_s = said.low_s < wait_s ? said.low_s : wait_s,
		.high_s = said.high_s > wait_s ? said.high_s : wait_s,
	};
}

struct cs_awaited cs_awaiting_say(const struct cs_awaiting *a, uint32_t job_id,
				  int64_t at_us,
				  const struct cs_wait_two_ways *wait)
{
	const struct cs_interval limits = { wait->limits_s, wait->limits_s };
	struct cs_awaited o = {
		.job_id = job_id,
		.at_us = at_us,
		.drawn_s = wait->drawn_s,
		.limits_s = wait->limits_s,
		.drawn = cs_calibration_say(&a->by_draws,
					    cs_calibration_class(wait->drawn_s),
					    wait->drawn),
		.limits = cs_calibration_say(
			&a->by_limits, cs_calibration_class(wait->limits_s),
			limits),
	};
	bool narrower = cs_window_median(&a->limits.width) <
			cs_window_median(&a->draws.width);

	o.by_limits = cs_window_median(&a->limits.error) <
		      cs_window_median(&a->draws.error);
	o.said = around(narrower ? o.limits.said : o.drawn.said, said_s(&o));
	return o;
}

bool cs_awaiting_has(const struct cs_awaiting *a, uint32_t job_id)
{
	return cs_idmap_find(&a->of, job_id);
}

void cs_awaiting_remove(struct cs_awaiting *a, uint32_t job_id)
{
	uintptr_t at = (uintptr_t)cs_idmap_remove(&a->of, job_id);
	struct cs_awaited *last;

	if (!at)
		return;
	last = &a->awaited[--a->n];
	if (at - 1 == a->n)
		return;
	a->awaited[at - 1] = *last;
	cs_idmap_remove(&a->of, last->job_id);
	cs_idmap_add(&a->of, last->job_id, (void *)at);
}

int cs_awaiting_add(struct cs_awaiting *a, const struct cs_awaited *x,
		    uint32_t n)
{
	if (cs_array_room(&a->awaited, &a->cap, a->n + n) ||
	    cs_idmap_reserve(&a->of, a->n + n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct cs_awaited *o = &x[i];

		cs_awaiting_remove(a, o->job_id);
		a->awaited[a->n++] = *o;
		cs_idmap_add(&a->of, o->job_id, (void *)(uintptr_t)a->n);
		a->passes_us =
			least(a->passes_us, least(passes_us(o, &o->drawn),
						  passes_us(o, &o->limits)));
	}
	return 0;
}

void cs_awaiting_started(struct cs_awaiting *a, uint32_t job_id, int64_t t_us)
{
	uintptr_t at = (uintptr_t)cs_idmap_find(&a->of, job_id);
	const struct cs_awaited *o;
	double wait_s;

	if (!at)
		return;
	o = &a->awaited[at - 1];
	wait_s = seconds(t_us - o->at_us);
	cs_calibration_ended(&a->by_draws, &o->drawn, wait_s);
	cs_calibration_ended(&a->by_limits, &o->limits, wait_s);
	cs_window_add(&a->draws.error, cs_real_distance(wait_s, o->drawn_s));
	cs_window_add(&a->limits.error, cs_real_distance(wait_s, o->limits_s));
	cs_window_add(&a->draws.width, width_of(&o->drawn));
	cs_window_add(&a->limits.width, width_of(&o->limits));
	cs_outcomes_add(&a->outcomes,
			&(struct cs_outcome){ .started_us = t_us,
					      .wait_s = wait_s,
					      .said_s = said_s(o),
					      .low_s = o->said.low_s,
					      .high_s = o->said.high_s,
					      .limits_s = o->limits_s });
	cs_awaiting_remove(a, job_id);
}

void cs_awaiting_pass(struct cs_awaiting *a, int64_t t_us)
{
	if (t_us <= a->passes_us)
		return;
	a->passes_us = CS_TIME_NONE;
	for (uint32_t i = 0; i < a->n; i++) {
		struct cs_awaited *o = &a->awaited[i];

		if (passes_us(o, &o->drawn) < t_us)
			cs_calibration_passed(&a->by_draws, &o->drawn);
		if (passes_us(o, &o->limits) < t_us)
			cs_calibration_passed(&a->by_limits, &o->limits);
		a->passes_us = least(a->passes_us, passes_us(o, &o->drawn));
		a->passes_us = least(a->passes_us, passes_us(o, &o->limits));
	}
}

/* ---- what outlives a restart ------------------------------------------------ */

static void save(const struct cs_calibration *c,
		 const struct cs_awaited_score *score, const char *before,
		 const char *way, struct cs_textbuf *t)
{
	char head[64];

	snprintf(head, sizeof(head), "%s%s ", before, way);
	cs_calibration_save(c, head, t);
	snprintf(head, sizeof(head), "%s%s error", before, way);
	cs_numbers_put_window(t, head, &score->error);
	snprintf(head, sizeof(head), "%s%s width", before, way);
	cs_numbers_put_window(t, head, &score->width);
}

void cs_awaiting_save(const struct cs_awaiting *a, const char *before,
		      struct cs_textbuf *t)
{
	save(&a->by_draws, &a->draws, before, "draws", t);
	save(&a->by_limits, &a->limits, before, "limits", t);
	cs_outcomes_save(&a->outcomes, before, t);
}

/* Of @text behind "draws" or "limits". */
static int restore(struct cs_calibration *c, struct cs_awaited_score *score,
		   const char *text)
{
	const char *rest;

	if (*text++ != ' ')
		return -EINVAL;
	if ((rest = cs_numbers_behind(text, "error")))
		return cs_numbers_read_window(rest, &score->error);
	if ((rest = cs_numbers_behind(text, "width")))
		return cs_numbers_read_window(rest, &score->width);
	return cs_calibration_restore(c, text);
}

int cs_awaiting_restore(struct cs_awaiting *a, const char *text)
{
	const char *rest;

	if ((rest = cs_numbers_behind(text, "draws")))
		return restore(&a->by_draws, &a->draws, rest);
	if ((rest = cs_numbers_behind(text, "limits")))
		return restore(&a->by_limits, &a->limits, rest);
	return cs_outcomes_restore(&a->outcomes, text);
}

/* ---- life ------------------------------------------------------------------ */

static int score_init(struct cs_awaited_score *x)
{
	return cs_window_init(&x->error, CS_AWAITED_ERRORS)
		       ?: cs_window_init(&x->width, CS_AWAITED_WIDTHS);
}

static void score_done(struct cs_awaited_score *x)
{
	cs_window_done(&x->error);
	cs_window_done(&x->width);
}

int cs_awaiting_init(struct cs_awaiting *a)
{
	*a = (struct cs_awaiting){ .passes_us = CS_TIME_NONE };
	return cs_calibration_init(&a->by_draws)
		       ?: cs_calibration_init(&a->by_limits)
		       ?: score_init(&a->draws)
		       ?: score_init(&a->limits);
}

void cs_awaiting_done(struct cs_awaiting *a)
{
	cs_calibration_done(&a->by_draws);
	cs_calibration_done(&a->by_limits);
	score_done(&a->draws);
	score_done(&a->limits);
	free(a->awaited);
	cs_idmap_done(&a->of);
}
