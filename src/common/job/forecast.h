/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Promises to jobs that the host's own test places.  The theory is in forecast.c.
 */
#ifndef CS_JOB_FORECAST_H
#define CS_JOB_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/event.h"

struct cs_ejob;
struct cs_engine;
struct cs_entry;
struct cs_held_nodes;
struct cs_hosts;

/* Does @h, the forecast of a job ahead in the queue, keep the waiting job of @x off its
 * nodes (rule 2)? */
bool cs_forecast_keeps_off(const struct cs_engine *e,
			   const struct cs_held_nodes *h,
			   const struct cs_entry *x);
/* What @j holds by forecast; NULL: nothing. */
const struct cs_held_nodes *cs_forecast_of(const struct cs_engine *e,
					   const struct cs_ejob *j);
/* The same, unless @j is promised a sooner start in another partition (rule 8). */
const struct cs_held_nodes *cs_forecast_promised(const struct cs_engine *e,
						 const struct cs_ejob *j);
/* The next in queue order: how many of @j's kind, asked for or given up (rule 4),
 * @hosts has counted before it. */
uint32_t cs_forecast_count(const struct cs_ejob *j, struct cs_hosts *hosts);
/* Rule 1: should the host be asked when @j can start?  @before: jobs of its kind ahead
 * in the queue. */
bool cs_forecast_wanted(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t before);
/* Are there too many of its kind before a job for it to get one? */
bool cs_forecast_late(const struct cs_engine *e, uint32_t before);
/* Rule 6: does the model promise @j nothing in partition @option?  @late: the above. */
bool cs_forecast_waits(const struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, bool late);
/* Rule 8: may waiting @j be tried in another partition than @option now? */
bool cs_forecast_elsewhere(const struct cs_engine *e, const struct cs_ejob *j,
			   uint32_t option);
/* 0; -EINVAL: @f (NULL: none) names an unknown node. */
int cs_forecast_check(const struct cs_engine *e, const struct cs_forecast *f,
		      struct cs_err *err);
/* Waiting @j was refused in partition @option; @f: what the host predicts, checked, or
 * NULL.  Out of memory, it gets nothing. */
void cs_forecast_take(struct cs_engine *e, struct cs_ejob *j, uint32_t option,
		      enum cs_refused class, const struct cs_forecast *f);
/* It gives up its forecast. */
void cs_forecast_drop(struct cs_engine *e, struct cs_ejob *j);

#endif
