/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placing functions: where an entry's job starts, and beside which jobs. */
#ifndef CS_PLACE_PLACE_H
#define CS_PLACE_PLACE_H

#include "state/pass.h"

const struct cs_place_ops *cs_place_choose(const struct cs_params *p);

cs_place_fn cs_place_one; /* by the table in force */
cs_place_fn cs_place_alone, cs_place_group, cs_place_cover, cs_place_host;

#endif
