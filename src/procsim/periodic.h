/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel thread of PB and PROC-S; rules in periodic.c. */
#ifndef CS_PROCSIM_PERIODIC_H
#define CS_PROCSIM_PERIODIC_H

#include "procsim/world.h"

/* The thread of node @n runs; while the node has processes it runs again. */
void cs_periodic_run(struct cs_world *w, struct cs_world_node *n);

#endif
