/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the job of an entry starts, and with whom: placing functions. */
#ifndef CS_PLACE_PLACE_H
#define CS_PLACE_PLACE_H

#include "state/pass.h"

/* A placing function starts the job of an entry, perhaps with others:
 * 1 it did, 0 it cannot now, -ENOMEM. */
typedef int cs_place_fn(struct cs_pass *p, const struct cs_entry *entry);
cs_place_fn cs_place_one; /* by the rule in force: one of the others */
cs_place_fn cs_place_alone, cs_place_pair, cs_place_group, cs_place_host;

#endif
