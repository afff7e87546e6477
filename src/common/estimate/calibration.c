/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calibrated intervals.
 *
 * Problem.  The spread of a few forward runs is too narrow or too wide, by how much
 * depends on the site and changes.  An interval of 90 % must hold nine times in ten.
 *
 * Symbols		C name			unit
 *   w			wait_s			s; the wait that was estimated
 *   a, b		raw.low_s, raw.high_s	s; the interval before calibration
 *   c			SHIFT_S			s
 *   A_lo, A_hi		low_level, high_level	fractions of misses below and above to allow
 *
 * Rules.
 *  1. Jobs are classed by their estimated wait: up to 15 min, 1, 4, 12 and 36 h, and more.
 *     Each class is calibrated by itself, by its last KEPT jobs that have started.
 *  2. Of each of these the ratios are kept
 *
 *		(w + c) / (a + c)		(w + c) / (b + c)		(1)
 *
 *     With q_lo the A_lo quantile of the left ones and q_hi the 1 - A_hi quantile of
 *     the right ones, the interval that is said is
 *
 *		(a + c) q_lo - c   to   (b + c) q_hi - c			(2)
 *
 *     rounded outward to whole seconds.  A class without jobs has q = 1.
 *  3. Both levels are ALLOWED at first.  Each outcome changes them by
 *
 *		A += RATE (ALLOWED - miss)					(3)
 *
 *     where miss is 1 if w is below (above) the interval that was said, else 0.  They stay
 *     within 0 and 1/2.
 *  4. A job that still waits when its interval has passed is a miss above at once: those
 *     that wait longest would otherwise be learned last.
 *
 * Source: (3) is adaptive conformal inference: Gibbs and Candes, "Adaptive conformal
 * inference under distribution shift", NeurIPS 2021, eq. 2.
 *
 * Differs: two one-sided levels instead of one; quantiles of ratios, which need no
 * logarithm, by class.
 *
 * Example: a = b = 0 and ten waits of 0, 100, ..., 900 s with A = .05: q_lo is the least
 * ratio, 1, and q_hi the largest, 1,200 / 300; 0 to 900 s is said (test_calibration.c,
 * quantiles_of_ten_waits).
 *
 * Cost: a search and a move within KEPT numbers.
 */
#include "estimate/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "estimate/numbers.h"

#define KEPT 2000
#define SHIFT_S 300.
#define ALLOWED .05
#define RATE .001
#define LEVEL_MAX .5

int cs_calibration_init(struct cs_calibration *c)
{
	int rc = 0;

	*c = (struct cs_calibration){ 0 };
	for (int i = 0; i < CS_CALIBRATION_CLASSES; i++) {
		c->class[i].low_level = c->class[i].high_level = ALLOWED;
		rc = rc ?: cs_window_init(&c->class[i].low, KEPT);
		rc = rc ?: cs_window_init(&c->class[i].high, KEPT);
	}
	if (rc)
		cs_calibration_done(c);
	return rc;
}

void cs_calibration_done(struct cs_calibration *c)
{
	for (int i = 0; i < CS_CALIBRATION_CLASSES; i++) {
		cs_window_done(&c->class[i].low);
		cs_window_done(&c->class[i].high);
	}
}

uint32_t cs_calibration_class(double wait_s)
{
	static const double most_s[CS_CALIBRATION_CLASSES - 1] = { 900, 3600,
								   14400, 43200,
								   129600 };
	uint32_t class = 0;

	while (class < CS_CALIBRATION_CLASSES - 1 && wait_s > most_s[class])
		class ++;
	return class;
}

/* Of n + 1 places, of which the new job takes one, the part @level. */
static double low_quantile(const struct cs_window *w, double level)
{
	double rank = floor(level * (w->n + 1)) - 1;

	return !w->n ? 1 : w->sorted[rank > 0 ? (uint32_t)rank : 0];
}

static double high_quantile(const struct cs_window *w, double level)
{
	double rank = ceil((1 - level) * (w->n + 1)) - 1;

	return !w->n ? 1
		     : w->sorted[rank < w->n - 1 ? (uint32_t)rank : w->n - 1];
}

struct cs_calibrated cs_calibration_say(const struct cs_calibration *c,
					uint32_t class, struct cs_interval raw)
{
	double low =
		low_quantile(&c->class[class].low, c->class[class].low_level);
	double high = high_quantile(&c->class[class].high,
				    c->class[class].high_level);
	struct cs_calibrated x = { .class = class, .raw = raw };

	low = floor((raw.low_s + SHIFT_S) * low - SHIFT_S);
	high = ceil((raw.high_s + SHIFT_S) * high - SHIFT_S);
	x.said.low_s = low > 0 ? low : 0;
	x.said.high_s = high > x.said.low_s ? high : x.said.low_s;
	return x;
}

static void adapt(double *level, bool miss)
{
	*level += RATE * (ALLOWED - miss);
	if (*level < 0)
		*level = 0;
	if (*level > LEVEL_MAX)
		*level = LEVEL_MAX;
}

void cs_calibration_passed(struct cs_calibration *c, struct cs_calibrated *x)
{
	if (!x->passed)
		adapt(&c->class[x->class].high_level, true);
	x->passed = true;
}

void cs_calibration_ended(struct cs_calibration *c,
			  const struct cs_calibrated *x, double wait_s)
{
	if (!x->passed)
		adapt(&c->class[x->class].high_level, wait_s > x->said.high_s);
	adapt(&c->class[x->class].low_level, wait_s < x->said.low_s);
	cs_window_add(&c->class[x->class].low,
		      (wait_s + SHIFT_S) / (x->raw.low_s + SHIFT_S));
	cs_window_add(&c->class[x->class].high,
		      (wait_s + SHIFT_S) / (x->raw.high_s + SHIFT_S));
}

/* ---- lines ------------------------------------------------------------------ */

/* each value with its part of the line's head */
_Static_assert(CS_CALIBRATION_CLASSES *(128 + 2 * KEPT * (CS_NUMBERS_I64 + 1)) <
		       CS_CALIBRATION_BYTES,
	       "what is saved");

/* "levels CLASS LOW HIGH", "low CLASS RATIO..." and "high CLASS RATIO...". */
void cs_calibration_save(const struct cs_calibration *c, const char *before,
			 struct cs_textbuf *t)
{
	for (int i = 0; i < CS_CALIBRATION_CLASSES; i++) {
		char head[64];

		cs_textbuf_print(t, "%slevels %d", before, i);
		cs_numbers_put_real(t, c->class[i].low_level);
		cs_numbers_put_real(t, c->class[i].high_level);
		cs_textbuf_byte(t, '\n');
		snprintf(head, sizeof(head), "%slow %d", before, i);
		cs_numbers_put_window(t, head, &c->class[i].low);
		snprintf(head, sizeof(head), "%shigh %d", before, i);
		cs_numbers_put_window(t, head, &c->class[i].high);
	}
}

static bool is_level(double level)
{
	return level >= 0 && level <= LEVEL_MAX;
}

static int restore_levels(struct cs_calibration *c, const char *text)
{
	int64_t v[3];
	double low, high;

	if (cs_numbers_read(text, v, 3) != 3 || v[0] < 0 ||
	    v[0] >= CS_CALIBRATION_CLASSES)
		return -EINVAL;
	low = cs_numbers_real(v[1]);
	high = cs_numbers_real(v[2]);
	if (!is_level(low) || !is_level(high))
		return -EINVAL;
	c->class[v[0]].low_level = low;
	c->class[v[0]].high_level = high;
	return 0;
}

int cs_calibration_restore(struct cs_calibration *c, const char *text)
{
	const char *low = cs_numbers_behind(text, "low");
	const char *rest = low ? low : cs_numbers_behind(text, "high");
	int i;

	if (!rest) {
		rest = cs_numbers_behind(text, "levels");
		return rest ? restore_levels(c, rest) : -EINVAL;
	}
	i = *rest == ' ' ? rest[1] - '0' : -1;
	if (i < 0 || i >= CS_CALIBRATION_CLASSES || rest[2] != ' ')
		return -EINVAL;
	return cs_numbers_read_window(rest + 2, low ? &c->class[i].low
						    : &c->class[i].high);
}
