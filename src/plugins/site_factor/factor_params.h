/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PrioritySiteFactorParameters: the engine's parameters, without a prefix.
 *
 * Only keys that mean something when Slurm's own schedulers decide, on top of
 * policy=ostrich-paper (no backfill, no sharing).
 */
#ifndef CS_FACTOR_PARAMS_H
#define CS_FACTOR_PARAMS_H

#include <stdbool.h>

#include "common/params/params.h"

struct cs_factor_params {
	char *text; /* as last read */
	struct cs_params now;
	bool known; /* `now` is valid */
};

/* Read them if they have changed; Slurm's configuration is locked.  A wrong list is
 * reported once, and the last good one, or the defaults, stay in force.  True: p->now
 * has changed. */
bool cs_factor_params_read(struct cs_factor_params *p);
void cs_factor_params_done(struct cs_factor_params *p);

#endif
