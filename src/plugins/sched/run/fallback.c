/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record is
 *
 *	fallback UNTIL ROW TOTAL PAUSE_S RETURN_S CAUSE SETTINGS\n
 *	WHY
 *
 * with UNTIL a number of enum cs_fallback_until, CAUSE one of enum cs_fallback_cause,
 * SETTINGS in hexadecimal.  Older records lack CAUSE: there what waits for a reconfigure
 * was a fault; or SETTINGS, which are unknown then.  RETURN_S is of the clock that may be
 * set; the other one may begin anew.  The rest of a pause is at most the whole.
 */
#include "sched/run/fallback.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define S_US INT64_C(1000000)

static int64_t pause_s(uint32_t row, int64_t first_s)
{
	int64_t s = first_s;

	for (uint32_t i = 1; i < row && s < CS_FALLBACK_MAX_S; i++)
		s *= 2;
	return s < CS_FALLBACK_MAX_S ? s : CS_FALLBACK_MAX_S;
}

void cs_fallback_add(struct cs_fallback *f, enum cs_fallback_cause cause,
		     const char *why, int64_t return_s, uint64_t settings,
		     struct cs_fallback_now now)
{
	bool pauses = cause == CS_FALLBACK_PASSING && return_s > 0;

	if (f->row < UINT32_MAX)
		f->row++;
	f->total++;
	f->until = pauses ? CS_FALLBACK_PAUSE : CS_FALLBACK_RECONFIGURE;
	f->cause = cause;
	f->settings = settings;
	f->pause_s = pauses ? pause_s(f->row, return_s) : 0;
	f->return_us = now.us + f->pause_s * S_US;
	f->return_s = now.s + f->pause_s;
	f->began_us = 0;
	cs_err_set(&f->why, 0, "%.180s", why);
}

bool cs_fallback_due(const struct cs_fallback *f, int64_t now_us)
{
	return f->until == CS_FALLBACK_PAUSE && now_us >= f->return_us;
}

bool cs_fallback_anew(const struct cs_fallback *f, uint64_t settings,
		      bool again)
{
	if (f->until == CS_FALLBACK_PAUSE && f->settings)
		return settings && settings != f->settings;
	return f->until && again;
}

void cs_fallback_end(struct cs_fallback *f)
{
	f->until = CS_FALLBACK_NONE;
}

bool cs_fallback_well(struct cs_fallback *f, int64_t now_us)
{
	if (!f->row || !f->began_us ||
	    now_us - f->began_us < CS_FALLBACK_WELL_S * S_US)
		return false;
	f->row = 0;
	return true;
}

bool cs_fallback_faulty(const struct cs_fallback *f)
{
	return f->until && f->cause == CS_FALLBACK_FAULT;
}

void cs_fallback_next(const struct cs_fallback *f, const char *mode,
		      struct cs_err *ret)
{
	time_t at = (time_t)f->return_s;
	char when[32] = "?";
	struct tm tm;

	if (f->until != CS_FALLBACK_PAUSE) {
		cs_err_set(
			ret, 0,
			"it stays so until scontrol reconfigure: find the cause first, in slurmctld's log");
		return;
	}
	if (localtime_r(&at, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	cs_err_set(ret, 0,
		   "after a pause of %" PRId64
		   " s, at %s, mode %s is tried again (fall-back %" PRIu32
		   " in a row)",
		   f->pause_s, when, mode, f->row);
}

void cs_fallback_say(const struct cs_fallback *f, const char *mode,
		     struct cs_err *ret)
{
	struct cs_err next;

	cs_fallback_next(f, mode, &next);
	cs_err_set(ret, 0, "watchdog: %s; %s", f->why.text, next.text);
}

void cs_fallback_print(const struct cs_fallback *f, char ret[CS_FALLBACK_TEXT])
{
	snprintf(ret, CS_FALLBACK_TEXT,
		 "fallback %d %" PRIu32 " %" PRId64 " %" PRId64 " %" PRId64
		 " %d %" PRIx64 "\n%s",
		 (int)f->until, f->row, f->total, f->pause_s, f->return_s,
		 (int)f->cause, f->settings, f->why.text);
}

int cs_fallback_read(struct cs_fallback *ret, const char *text,
		     struct cs_fallback_now now)
{
	const char *why = strchr(text, '\n');
	struct cs_fallback f = { 0 };
	int until, cause = -1, end = 0;

	if (sscanf(text,
		   "fallback %d %" SCNu32 " %" SCNd64 " %" SCNd64 " %" SCNd64
		   "%n %d%n %" SCNx64 "%n",
		   &until, &f.row, &f.total, &f.pause_s, &f.return_s, &end,
		   &cause, &end, &f.settings, &end) < 5 ||
	    why != text + end || cause > CS_FALLBACK_FAULT ||
	    until < CS_FALLBACK_NONE || until > CS_FALLBACK_RECONFIGURE ||
	    f.total < 0 || f.pause_s < 0 || f.pause_s > CS_FALLBACK_MAX_S)
		return -EINVAL;
	f.until = (enum cs_fallback_until)until;
	if (cause < 0)
		cause = until == CS_FALLBACK_RECONFIGURE ? CS_FALLBACK_FAULT
							 : CS_FALLBACK_PASSING;
	f.cause = (enum cs_fallback_cause)cause;
	if (f.return_s < now.s)
		f.return_s = now.s;
	if (f.return_s > now.s + f.pause_s)
		f.return_s = now.s + f.pause_s;
	f.return_us = now.us + (f.return_s - now.s) * S_US;
	cs_err_set(&f.why, 0, "%.180s", why + 1);
	*ret = f;
	return 0;
}
