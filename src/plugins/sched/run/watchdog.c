/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog.
 */
#include "sched/run/watchdog.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gate/gate.h"

void cs_watchdog_set(struct cs_watchdog *w, int64_t budget_ms, int64_t hang_s)
{
	memset(w, 0, sizeof(*w));
	w->budget_us = budget_ms * 1000;
	w->hang_us = hang_s * 1000000;
}

void cs_watchdog_begin(struct cs_watchdog *w)
{
	w->work_us = 0;
	w->stretch_us = 0;
	cs_watchdog_go_on(w);
}

void cs_watchdog_go_on(struct cs_watchdog *w)
{
	w->since_us = cs_gate_now_us();
	cs_gate_beat();
}

void cs_watchdog_pause(struct cs_watchdog *w)
{
	int64_t stretch = cs_gate_now_us() - w->since_us;

	w->work_us += stretch;
	if (stretch > w->stretch_us)
		w->stretch_us = stretch;
	cs_gate_beat();
}

void cs_watchdog_end(struct cs_watchdog *w)
{
	cs_watchdog_pause(w);
	w->last_us = w->work_us;
	if (w->last_us > w->max_us)
		w->max_us = w->last_us;
}

bool cs_watchdog_half(const struct cs_watchdog *w)
{
	return w->budget_us && w->work_us > w->budget_us / 2;
}

bool cs_watchdog_trips(struct cs_watchdog *w, char *ret_why, size_t size)
{
	if (w->budget_us && w->work_us > w->budget_us) {
		snprintf(ret_why, size,
			 "a cycle worked %" PRId64
			 " ms, expected at most cosched_budget_ms=%" PRId64,
			 w->work_us / 1000, w->budget_us / 1000);
		return true;
	}
	if (w->stretch_us > w->hang_us) {
		snprintf(ret_why, size,
			 "the thread gave no sign of life for %" PRId64
			 " s, expected at most cosched_hang_s=%" PRId64,
			 w->stretch_us / 1000000, w->hang_us / 1000000);
		return true;
	}
	return false;
}
