/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of running jobs; the rules are in limit.c. */
#ifndef CS_JOB_LIMIT_H
#define CS_JOB_LIMIT_H

#include "state/state.h"

/* Actions for running jobs with new neighbours: the limits they now need. 0,
 * -ENOMEM. */
int cs_limit_notes(struct cs_engine *e);

/* As cs_engine_limit_due(). */
bool cs_limit_due(const struct cs_engine *e, size_t *at, struct cs_action *ret);

#endif
