/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A start on a machine with sites; the theory is in site_start.c. */
#ifndef CS_PLACE_SITE_START_H
#define CS_PLACE_SITE_START_H

#include "state/pass.h"

/* Start the job of @entry alone with shape @s, which takes @run_us on one site:
 * 1 started, 0 it cannot now or should wait, -ENOMEM. */
int cs_site_start(struct cs_pass *p, const struct cs_entry *entry,
		  const struct cs_shape *s, int64_t run_us, uint32_t rule,
		  double gain);

/* Leave in e->mask the nodes of the site that @s would have in @o by rule 1; false: none
 * holds it.  O(nodes). */
bool cs_site_start_on_one(struct cs_engine *e, const struct cs_occ *o,
			  const struct cs_shape *s);

#endif
