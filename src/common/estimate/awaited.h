/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said of waits that were estimated in two ways, and what the starts teach; the rules
 * are in awaited.c.
 */
#ifndef CS_ESTIMATE_AWAITED_H
#define CS_ESTIMATE_AWAITED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/textbuf.h"
#include "base/window.h"
#include "estimate/calibration.h"
#include "estimate/numbers.h"
#include "estimate/outcomes.h"

#define CS_AWAITED_ERRORS 1000
#define CS_AWAITED_WIDTHS 500

/* A wait by drawn runtimes, with an interval, and by limits, in seconds. */
struct cs_wait_two_ways {
	double drawn_s, limits_s;
	struct cs_interval drawn;
};

/* An estimate until its job starts. */
struct cs_awaited {
	uint32_t job_id;
	int64_t at_us;
	double drawn_s, limits_s; /* waits */
	struct cs_calibrated drawn, limits;
	bool by_limits; /* limits_s was said, else drawn_s; with this interval: */
	struct cs_interval said;
};

/* How well one of the two ways did. */
struct cs_awaited_score {
	struct cs_window error, width; /* s */
};

struct cs_awaiting {
	struct cs_calibration by_draws, by_limits;
	struct cs_awaited_score draws, limits;
	struct cs_outcomes outcomes; /* of what was said */

	struct cs_awaited *awaited; /* [n] in no order */
	uint32_t n, cap;
	struct cs_idmap of; /* by job: index plus 1 */
	int64_t passes_us;  /* no interval passes before */
};

/* 0, -ENOMEM; in both cases cs_awaiting_done() is due. */
int cs_awaiting_init(struct cs_awaiting *a);
void cs_awaiting_done(struct cs_awaiting *a);

/* What is said of job @job_id, whose wait from @at_us on is estimated as @wait. */
struct cs_awaited cs_awaiting_say(const struct cs_awaiting *a, uint32_t job_id,
				  int64_t at_us,
				  const struct cs_wait_two_ways *wait);

/* Add @x [n], each in place of one of an earlier run of its job.  0; -ENOMEM: none is
 * added. */
int cs_awaiting_add(struct cs_awaiting *a, const struct cs_awaited *x,
		    uint32_t n);
bool cs_awaiting_has(const struct cs_awaiting *a, uint32_t job_id);

/* The job has left the queue without a start. */
void cs_awaiting_remove(struct cs_awaiting *a, uint32_t job_id);
/* It has started at @t_us. */
void cs_awaiting_started(struct cs_awaiting *a, uint32_t job_id, int64_t t_us);
/* It is @t_us: intervals of jobs that still wait may have passed. */
void cs_awaiting_pass(struct cs_awaiting *a, int64_t t_us);

/* Add the lines to @t that restore all but the estimates, each with @before before it.
 * Less than CS_AWAITING_BYTES. */
#define CS_AWAITING_BYTES                                                     \
	(2 * CS_CALIBRATION_BYTES +                                           \
	 2 * (CS_AWAITED_ERRORS + CS_AWAITED_WIDTHS) * (CS_NUMBERS_I64 + 1) + \
	 CS_OUTCOMES_KEPT * (32 + 6 * CS_NUMBERS_I64) + 1024)
void cs_awaiting_save(const struct cs_awaiting *a, const char *before,
		      struct cs_textbuf *t);
/* Restore what the line @text, without that, has.  0; -ENOENT: it is no such line;
 * -EINVAL: it is damaged. */
int cs_awaiting_restore(struct cs_awaiting *a, const char *text);

#endif
