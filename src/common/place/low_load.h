/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps before matchmaking; the theory is in low_load.c. */
#ifndef CS_PLACE_LOW_LOAD_H
#define CS_PLACE_LOW_LOAD_H

#include "state/pass.h"

/* The steps before matchmaking; only the first of them: at low load one process
 * a node. */
int cs_place_light(struct cs_pass *p, const struct cs_entry *entry);
int cs_place_spread(struct cs_pass *p, const struct cs_entry *entry);
/* Beside the best running job (join.h), @serial: among serial ones. */
int cs_place_beside(struct cs_pass *p, const struct cs_entry *entry,
		    bool serial);

#endif
