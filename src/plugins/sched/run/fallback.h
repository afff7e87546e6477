/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fall-backs: the watchdog ended mode act or shadow.  When is the mode tried again?
 *
 *  1. A passing cause (a cycle over its budget, no memory, an engine that is built anew
 *     again and again) makes a pause of cosched_return_s.  Each further fall-back in a
 *     row doubles it, to at most CS_FALLBACK_MAX_S.
 *  2. A row ends once the mode has been in force for CS_FALLBACK_WELL_S.
 *  3. A fault, the engine found itself inconsistent, has no pause: the mode is tried
 *     again when the administrator reconfigures.  So it is with cosched_return_s=0.
 *  4. A reconfigure, a restart and a takeover go on with the pause and the row, which are
 *     recorded in StateSaveLocation.  Without the record, or with a bad one, there is no
 *     pause.
 *  5. Other settings than those of the fall-back end its pause at once, as the cause may
 *     be mended; the row goes on.  If it is not known which they were, a reconfigure ends it.
 *
 * No Slurm here.
 */
#ifndef CS_SCHED_RUN_FALLBACK_H
#define CS_SCHED_RUN_FALLBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

#define CS_FALLBACK_MAX_S 3600	/* longest pause */
#define CS_FALLBACK_WELL_S 3600 /* in the mode, that end a row */
#define CS_FALLBACK_TEXT 512	/* bytes of a record, with its 0 */

enum cs_fallback_cause { CS_FALLBACK_PASSING, CS_FALLBACK_FAULT };

/* The end of what a fall-back began. */
enum cs_fallback_until {
	CS_FALLBACK_NONE, /* it has ended, or there was none */
	CS_FALLBACK_PAUSE,
	CS_FALLBACK_RECONFIGURE,
};

struct cs_fallback {
	enum cs_fallback_until until;
	enum cs_fallback_cause cause; /* of the last one */
	uint32_t row;		      /* fall-backs in a row */
	int64_t total;		      /* all, as far as records go back */
	int64_t pause_s;	      /* of the last one; 0: none */
	int64_t return_us;	      /* end of that pause, cs_gate_now_us() */
	int64_t return_s;	      /* the same, since 1970 */
	uint64_t settings;	      /* in force then: a hash; 0: unknown */
	int64_t began_us;  /* the mode is in force since; 0: it is not */
	struct cs_err why; /* of the last one */
};

/* Both clocks. */
struct cs_fallback_now {
	int64_t us; /* cs_gate_now_us() */
	int64_t s;  /* since 1970 */
};

/* The mode ends now, because of @why.  @return_s: cosched_return_s; @settings: a hash of
 * those in force, or 0. */
void cs_fallback_add(struct cs_fallback *f, enum cs_fallback_cause cause,
		     const char *why, int64_t return_s, uint64_t settings,
		     struct cs_fallback_now now);

/* Is the pause over? */
bool cs_fallback_due(const struct cs_fallback *f, int64_t now_us);

/* With @settings (a hash; 0: they are wrong) read at a start or, @again, a reconfigure: is
 * the mode tried again before its pause is over (rules 3 and 5)? */
bool cs_fallback_anew(const struct cs_fallback *f, uint64_t settings,
		      bool again);

/* The mode may be tried again. */
void cs_fallback_end(struct cs_fallback *f);

/* Has a row ended just now (rule 2)? */
bool cs_fallback_well(struct cs_fallback *f, int64_t now_us);

/* Did a fault end the mode, which has not been tried again since?  Then the engine, if it
 * is still there, must not be asked.  A passing cause that waits for a reconfigure is none. */
bool cs_fallback_faulty(const struct cs_fallback *f);

/* When @mode is tried again. */
void cs_fallback_next(const struct cs_fallback *f, const char *mode,
		      struct cs_err *ret);
/* What ended it, and when it is tried again. */
void cs_fallback_say(const struct cs_fallback *f, const char *mode,
		     struct cs_err *ret);

/* The record, for rule 4. */
void cs_fallback_print(const struct cs_fallback *f, char ret[CS_FALLBACK_TEXT]);
/* 0, or -EINVAL with @ret unchanged. */
int cs_fallback_read(struct cs_fallback *ret, const char *text,
		     struct cs_fallback_now now);

#endif
