/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog.
 */
#include "sched/run/watchdog.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gate/gate.h"

static struct cs_watchdog_time now(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (struct cs_watchdog_time){
		.took_us = cs_gate_now_us(),
		.worked_us = (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000,
	};
}

static int64_t more(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void cs_watchdog_set(struct cs_watchdog *w, int64_t budget_ms, int64_t hang_s)
{
	memset(w, 0, sizeof(*w));
	w->budget_us = budget_ms * 1000;
	w->hang_us = hang_s * 1000000;
}

void cs_watchdog_begin(struct cs_watchdog *w)
{
	w->cycle = (struct cs_watchdog_time){ 0 };
	w->stretch_us = w->progress_us = 0;
	cs_watchdog_go_on(w);
}

void cs_watchdog_go_on(struct cs_watchdog *w)
{
	w->since = now();
	cs_gate_beat();
}

void cs_watchdog_pause(struct cs_watchdog *w)
{
	struct cs_watchdog_time at = now();
	int64_t worked_us = at.worked_us - w->since.worked_us;

	w->cycle.took_us += at.took_us - w->since.took_us;
	w->cycle.worked_us += worked_us;
	w->stretch_us = more(w->stretch_us, worked_us);
	cs_gate_beat();
}

void cs_watchdog_progress(struct cs_watchdog *w)
{
	w->progress_us = w->cycle.worked_us;
}

void cs_watchdog_end(struct cs_watchdog *w)
{
	cs_watchdog_pause(w);
	w->last = w->cycle;
	w->max.took_us = more(w->max.took_us, w->last.took_us);
	w->max.worked_us = more(w->max.worked_us, w->last.worked_us);
}

bool cs_watchdog_half(const struct cs_watchdog *w)
{
	return w->budget_us && w->cycle.took_us > w->budget_us / 2;
}

/* Units are rounded up: what is said of a limit that is exceeded is above it. */
bool cs_watchdog_trips(struct cs_watchdog *w, char *ret_why, size_t size)
{
	if (w->budget_us &&
	    w->cycle.worked_us - w->progress_us > w->budget_us) {
		snprintf(ret_why, size,
			 "a cycle worked %" PRId64
			 " ms%s, expected at most cosched_budget_ms=%" PRId64,
			 (w->cycle.worked_us - w->progress_us + 999) / 1000,
			 w->progress_us ? " after its last start" : "",
			 w->budget_us / 1000);
		return true;
	}
	if (w->stretch_us > w->hang_us) {
		snprintf(
			ret_why, size,
			"the thread worked for %" PRId64
			" s without a sign of life, expected at most cosched_hang_s=%" PRId64,
			(w->stretch_us + 999999) / 1000000,
			w->hang_us / 1000000);
		return true;
	}
	return false;
}
