/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs as campaigns of their users (order=ostrich): between the engine's jobs and
 * the virtual schedule.  Rules and theory in campaign.c; with another order every
 * function does nothing.
 */
#ifndef CS_ORDER_CAMPAIGN_H
#define CS_ORDER_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/action.h"
#include "order/campaigns.h"
#include "order/ostrich.h"

struct cs_ejob;
struct cs_engine;

int cs_campaign_init(struct cs_engine *e); /* 0, -ENOMEM */
void cs_campaign_done(struct cs_engine *e);

/* Room in the heap for @jobs jobs.  0, -ENOMEM. */
int cs_campaign_reserve(struct cs_engine *e, size_t jobs);

/* Bring the virtual schedule to engine->now_us; jobs whose time has come join
 * campaigns. */
void cs_campaign_clock(struct cs_engine *e);

/* @j is new; -ENOMEM: nothing happened. */
int cs_campaign_add(struct cs_engine *e, struct cs_ejob *j);
/* Its description, estimate or tasks have changed.  -ENOMEM: it is in no campaign
 * yet. */
int cs_campaign_change(struct cs_engine *e, struct cs_ejob *j);
/* The host started it, though it was not free to start yet.  0, -ENOMEM. */
int cs_campaign_starts(struct cs_engine *e, struct cs_ejob *j);
/* It has ended: what it did is its work.  O(its user's waiting campaigns). */
void cs_campaign_ended(struct cs_engine *e, struct cs_ejob *j);
/* It will not run: it has no work. */
void cs_campaign_cancelled(struct cs_engine *e, struct cs_ejob *j);
/* It is about to be freed. */
void cs_campaign_remove(struct cs_engine *e, struct cs_ejob *j);
/* @task was split off @master; goes back to it. */
void cs_campaign_split(struct cs_engine *e, struct cs_ejob *master,
		       struct cs_ejob *task);
void cs_campaign_merge(struct cs_ejob *master, struct cs_ejob *task);
/* @cores are up now that were down, or (up false) down. */
void cs_campaign_cores(struct cs_engine *e, uint32_t cores, bool up);

/* Put changed campaigns in their places in the queue; did anybody move? */
bool cs_campaign_refresh(struct cs_engine *e);
/* Rule 5: has its campaign to wait? */
bool cs_campaign_held(const struct cs_engine *e, const struct cs_ejob *j);
/* When somebody's rank may change though nothing happens; CS_TIME_NONE. */
int64_t cs_campaign_wakeup_us(const struct cs_engine *e);
/* The campaign's part of a START action of @j. */
void cs_campaign_note(const struct cs_engine *e, const struct cs_ejob *j,
		      struct cs_action *a);
/* CS_EV_KEPT: all lines in one piece, before the first job.  0, -EINVAL,
 * -ENOMEM. */
int cs_campaign_read(struct cs_engine *e, const char *line, struct cs_err *err);
int cs_campaign_check(const struct cs_engine *e, struct cs_err *err);

#endif
