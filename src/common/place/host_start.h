/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that the host's own test places; the theory is in host_start.c. */
#ifndef CS_PLACE_HOST_START_H
#define CS_PLACE_HOST_START_H

#include "state/state.h"

/* Can the model place it nowhere, with all nodes up and empty?  Then the host's own
 * test is to place it from now on (refused.c, rule 3). */
bool cs_host_start_takes_over(struct cs_engine *e,
			      const struct cs_entry *entry);

#endif
