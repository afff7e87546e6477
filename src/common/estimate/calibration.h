/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals that hold: their ends are moved by what earlier ones have missed.  The theory
 * is in calibration.c.
 */
#ifndef CS_ESTIMATE_CALIBRATION_H
#define CS_ESTIMATE_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/textbuf.h"
#include "base/window.h"

#define CS_CALIBRATION_CLASSES 6

struct cs_calibration {
	struct {
		struct cs_window low, high; /* of the ratios of rule 2 */
		double low_level, high_level;
	} class[CS_CALIBRATION_CLASSES];
};

/* An interval of a wait, in seconds (>= 0). */
struct cs_interval {
	double low_s, high_s;
};

/* What became of an interval, as far as that is known. */
struct cs_calibrated {
	uint32_t class;
	struct cs_interval raw, said;
	bool passed; /* the wait has passed said.high_s: that has been counted */
};

/* 0, -ENOMEM.  About 400 kB. */
int cs_calibration_init(struct cs_calibration *c);
void cs_calibration_done(struct cs_calibration *c);

/* The class of a job that is estimated to wait for @wait_s, below
 * CS_CALIBRATION_CLASSES. */
uint32_t cs_calibration_class(double wait_s);

/* The interval to say for @raw of a job of @class.  Whole seconds, 0 <= low <= high. */
struct cs_calibrated cs_calibration_say(const struct cs_calibration *c,
					uint32_t class, struct cs_interval raw);

/* The job of @x still waits, longer than x->said.high_s: that counts now, once. */
void cs_calibration_passed(struct cs_calibration *c, struct cs_calibrated *x);

/* The job of @x has waited for @wait_s. */
void cs_calibration_ended(struct cs_calibration *c,
			  const struct cs_calibrated *x, double wait_s);

/* Add the lines to @t that restore all, each with @before before it.  Less than
 * CS_CALIBRATION_BYTES. */
#define CS_CALIBRATION_BYTES 600000
void cs_calibration_save(const struct cs_calibration *c, const char *before,
			 struct cs_textbuf *t);
/* Restore what the line @text, without that, has.  0; -EINVAL: it is no such line. */
int cs_calibration_restore(struct cs_calibration *c, const char *text);

#endif
