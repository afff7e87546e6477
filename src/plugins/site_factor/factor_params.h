/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PrioritySiteFactorParameters: the engine's parameters, without a prefix.
 *
 * Those that mean something where Slurm's schedulers decide, over policy=ostrich-paper
 * (no backfilling, no sharing).
 */
#ifndef CS_FACTOR_PARAMS_H
#define CS_FACTOR_PARAMS_H

#include <stdbool.h>

#include "common/params/params.h"

struct cs_factor_params {
	char *text; /* as last read */
	struct cs_params now;
	bool known; /* `now` is there */
};

/* Read them where they have changed; Slurm's configuration is locked.  A wrong list
 * is said once, and the last good one, or none, stays in force.  True where p->now is
 * another one. */
bool cs_factor_params_read(struct cs_factor_params *p);
void cs_factor_params_done(struct cs_factor_params *p);

#endif
