/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares: how medium and long jobs divide an interval of slices (pect.c).
 *
 * Rules.
 *  1. slice_shares=fixed: slice_medium, always.
 *  2. slice_shares=load: at the beginning of the interval, within slice_least,
 *
 *	s = sqrt(W_M V_M) / (sqrt(W_M V_M) + sqrt(W_L V_L))		(1)
 *
 *     W is the remaining work of the class's waiting and started jobs, V the sum of 1 /
 *     T over them, T the estimate.
 *  3. By time of day: the share for the time at which the interval begins; the last of
 *     the list holds past midnight until the first.
 *
 *	s
 *	.3 |       +--------------+		08:00/0.3+20:00/0.15
 *	.15|-------+              +-----
 *	   +-------+--------------+-----+ time of day
 *	   0       8              20    24
 *
 *     The time of day comes from the engine's clock, whose zero is unix_start_s after
 *     1970, and from slice_zone_s.
 *  4. Predictions (R_est, R_max) use rule 3's shares of the time predicted; for shares
 *     that follow the load, the present one.  With slice_expect_short they assume a
 *     short slice in every interval to come, else in none.
 *
 * Source: Zeng09 (see slowdown.h), section 4.7: shares by time of day, or by load.
 *
 * Differs: the paper gives no formula for the load; rule 2 is ours, after Kleinrock's
 * assignment of capacities (Queueing Systems, volume 2, 1976, section 5.7).  A class
 * with work W and the part C of the machine is done after about W / C, which costs its
 * jobs V W / C of relative response; the sum over the classes is least for C
 * proportional to sqrt(W V).  Proportional to W, the long jobs, which have most of it,
 * get nearly all: relative response was 7 and 17 % worse than with 30/70 on W1 and W2;
 * with sqrt(W) the gain was two thirds of that with (1) (seeds 1 to 8).
 *
 * Example: medium jobs with 1 and 4 h of work and T = 1 h, a long one with 45 h and T =
 * 9 h: sqrt(5 * 2) and sqrt(45 / 9), s = .59.
 *
 * Example: intervals of 6 h, 06:00/0.5+18:00/0.25: medium jobs have 0:00 to 1:30, 6:00
 * to 9:00, 12:00 to 15:00, 18:00 to 19:30.
 *
 * Cost: O(1), by load O(jobs); a prediction by time of day O(intervals of a day).
 */
#include "slice/slice_shares.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "learn/real.h"
#include "state/figures.h"

#define DAY_S INT64_C(86400)

int cs_slice_shares_init(struct cs_engine *e)
{
	struct cs_slices *s = e->slices;
	const char *at = e->params.slice_shares;

	s->by_load = !strcmp(at, "load");
	if (s->by_load || !strcmp(at, "fixed"))
		return 0;
	s->day = calloc(strlen(at), sizeof(*s->day));
	if (!s->day)
		return -ENOMEM;
	while (*at && cs_params_next_share(&at, &s->day[s->n_day].from_s,
					   &s->day[s->n_day].medium))
		s->n_day++;
	return 0;
}

void cs_slice_shares_done(struct cs_engine *e)
{
	free(e->slices->day);
}

/* Rule 2. */

/* Add W and V of the jobs of @l in a class to the sums. */
static void add_load(const struct cs_list *l, uint32_t class, double *work,
		     double *hurry)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct cs_ejob *j = l->job[i];
		double tasks = j->job.tasks;

		if (j->class != class)
			continue;
		*work += j->job.procs * tasks *
			 (double)(j->job.estimate_us - j->done_us);
		*hurry += tasks / (double)j->job.estimate_us;
	}
}

static double weight_of(const struct cs_engine *e, uint32_t class)
{
	double work = 0, hurry = 0;

	add_load(&e->waiting, class, &work, &hurry);
	add_load(&e->started, class, &work, &hurry);
	return cs_real_root(work * hurry);
}

static double by_load(const struct cs_engine *e)
{
	const struct cs_params *p = &e->params;
	double medium = weight_of(e, CS_CLASS_MEDIUM);
	double longs = weight_of(e, CS_CLASS_LONG);
	double s = p->slice_medium;

	if (medium + longs > 0)
		s = medium / (medium + longs);
	if (s < p->slice_least)
		s = p->slice_least;
	return s > 1 - p->slice_least ? 1 - p->slice_least : s;
}

/* Rule 3; fixed if there is no list. */
static double by_day(const struct cs_engine *e, int64_t begin_us)
{
	const struct cs_slices *s = e->slices;
	int64_t now_s = (begin_us / CS_SECOND_US + e->params.unix_start_s +
			 e->params.slice_zone_s + DAY_S) %
			DAY_S;
	uint32_t i = s->n_day;

	if (!i)
		return e->params.slice_medium;
	while (i && s->day[i - 1].from_s > now_s)
		i--;
	return s->day[i ? i - 1 : s->n_day - 1].medium;
}

double cs_slice_shares_medium(const struct cs_engine *e, int64_t begin_us)
{
	return e->slices->by_load ? by_load(e) : by_day(e, begin_us);
}

/* Predictions. */

/* The slice of a class in one interval. */
struct slot {
	int64_t begin_us;
	int64_t serves_us; /* its overhead excluded; may be below 0 */
};

/* Length of the short slice of an interval. */
static int64_t short_us(const struct cs_engine *e, int64_t interval_us)
{
	const struct cs_slices *s = e->slices;

	if (e->params.slice_expect_short == CS_NO)
		return 0;
	if (s->class != CS_CLASSES &&
	    interval_us == e->now_us / cs_slice_interval_us(e) *
				   cs_slice_interval_us(e) &&
	    s->period_us >= interval_us)
		return s->period_us - interval_us;
	return e->params.slice_short_s * CS_SECOND_US;
}

/* The medium jobs' expected share. */
static double expected(const struct cs_engine *e, int64_t interval_us)
{
	const struct cs_slices *s = e->slices;

	return s->by_load && s->share > 0 ? s->share : by_day(e, interval_us);
}

static struct slot slot_at(const struct cs_engine *e, uint32_t class,
			   int64_t interval_us)
{
	int64_t o = e->params.slice_overhead_s * CS_SECOND_US;
	int64_t begin = interval_us + short_us(e, interval_us);
	int64_t rest = interval_us + cs_slice_interval_us(e) - begin;
	int64_t medium = (int64_t)(expected(e, interval_us) * (double)rest);

	if (class == CS_CLASS_MEDIUM)
		return (struct slot){ begin, medium - o };
	return (struct slot){ begin + medium, rest - medium - o };
}

/* If all intervals to come are equal. */
static int64_t wall_fixed(const struct cs_engine *e, uint32_t class, int64_t t,
			  int64_t service_us)
{
	int64_t I = cs_slice_interval_us(e);
	int64_t o = e->params.slice_overhead_s * CS_SECOND_US;
	struct slot s = slot_at(e, class, t / I * I);
	int64_t begin;

	if (s.begin_us >= t && service_us <= s.serves_us)
		return s.begin_us + o + service_us;
	if (s.begin_us >= t && s.serves_us > 0)
		service_us -= s.serves_us;
	s = slot_at(e, class, t / I * I + I);
	begin = s.begin_us;
	if (s.serves_us <= 0 ||
	    service_us / s.serves_us > (CS_TIME_NONE - begin) / I - 2)
		return CS_TIME_NONE;
	begin += (service_us - 1) / s.serves_us * I;
	return begin + o + (service_us - 1) % s.serves_us + 1;
}

/* Rule 4: whole days, each of which serves equally long, then interval by interval. */
static int64_t wall_day(const struct cs_engine *e, uint32_t class, int64_t t,
			int64_t service_us)
{
	int64_t I = cs_slice_interval_us(e), day_us = 0, days;
	int64_t later = (t / (DAY_S * CS_SECOND_US) + 1) * DAY_S * CS_SECOND_US;
	int64_t o = e->params.slice_overhead_s * CS_SECOND_US;

	for (int64_t k = 0; k < DAY_S * CS_SECOND_US; k += I) {
		int64_t serves = slot_at(e, class, later + k).serves_us;

		day_us += serves > 0 ? serves : 0;
	}
	if (!day_us)
		return CS_TIME_NONE;
	days = (service_us - 1) / day_us;
	if (days > (CS_TIME_NONE - t) / (DAY_S * CS_SECOND_US) - 3)
		return CS_TIME_NONE;
	service_us -= days * day_us;
	t += days * DAY_S * CS_SECOND_US;
	for (int64_t k = t / I * I;; k += I) {
		struct slot s = slot_at(e, class, k);

		if (s.begin_us < t || s.serves_us <= 0)
			continue;
		if (service_us <= s.serves_us)
			return s.begin_us + o + service_us;
		service_us -= s.serves_us;
	}
}

int64_t cs_slice_wall_us(const struct cs_engine *e,
			 const struct cs_slice_machine *sm, int64_t service_us)
{
	const struct cs_slices *s = e->slices;
	int64_t t = e->now_us;
	uint32_t class = (uint32_t)(sm - e->sms);

	if (class == CS_CLASS_SHORT || service_us >= CS_TIME_NONE - t)
		return cs_later_us(t, service_us);
	if (s->class == class && t < s->end_us) {
		int64_t from = t > s->serve_us ? t : s->serve_us;

		if (service_us <= s->end_us - from)
			return from + service_us;
		service_us -= s->end_us > from ? s->end_us - from : 0;
		t = s->end_us;
	}
	return s->n_day ? wall_day(e, class, t, service_us)
			: wall_fixed(e, class, t, service_us);
}

/* If all intervals to come begin with a short slice. */
static int64_t wall_short(const struct cs_engine *e, int64_t service_us)
{
	const struct cs_slices *s = e->slices;
	int64_t I = cs_slice_interval_us(e), begin = (e->now_us / I + 1) * I;
	int64_t o = e->params.slice_overhead_s * CS_SECOND_US;
	int64_t serves = e->params.slice_short_s * CS_SECOND_US - o;

	if (s->class == CS_CLASS_SHORT && e->now_us < s->end_us) {
		int64_t from =
			e->now_us > s->serve_us ? e->now_us : s->serve_us;

		if (service_us <= s->end_us - from)
			return from + service_us;
		service_us -= s->end_us > from ? s->end_us - from : 0;
	}
	if (serves <= 0 || service_us / serves > (CS_TIME_NONE - begin) / I - 2)
		return CS_TIME_NONE;
	return begin + (service_us - 1) / serves * I + o +
	       (service_us - 1) % serves + 1;
}

int64_t cs_slice_until_us(const struct cs_engine *e, const struct cs_ejob *j,
			  int64_t service_us)
{
	if (e->slices->class == CS_CLASSES)
		return cs_later_us(e->now_us, service_us);
	return j->class == CS_CLASS_SHORT
		       ? wall_short(e, service_us)
		       : cs_slice_wall_us(e, cs_sm_of(e, j), service_us);
}

/* When a class has its next slice, after the present one.  An interval has a short
 * slice if a short job waits at its beginning. */
static int64_t next_us(const struct cs_engine *e, uint32_t class)
{
	const struct cs_slices *s = e->slices;
	int64_t I = cs_slice_interval_us(e);
	int64_t o = e->params.slice_overhead_s * CS_SECOND_US;

	if (class == CS_CLASS_SHORT)
		return e->params.slice_short_s ? (e->now_us / I + 1) * I + o
					       : CS_TIME_NONE;
	if (s->class == class && s->end_us > e->now_us) {
		int64_t left =
			s->end_us -
			(e->now_us > s->serve_us ? e->now_us : s->serve_us);

		return cs_slice_wall_us(e, &e->sms[class], left + 1) - 1;
	}
	return cs_slice_wall_us(e, &e->sms[class], 1) - 1;
}

int cs_slice_now(const struct cs_engine *e, struct cs_slice_now *ret)
{
	const struct cs_slices *s = e->slices;

	if (s->class == CS_CLASSES)
		return -ENOENT;
	ret->slots = ret->slot = 0;
	ret->class = s->class;
	ret->serve_us = s->serve_us;
	ret->end_us = s->end_us;
	for (uint32_t c = 0; c < CS_CLASSES; c++)
		ret->next_us[c] = next_us(e, c);
	return 0;
}
