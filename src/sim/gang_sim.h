/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gang scheduling (slice=gang), slot by slot; theory in gang_sim.c. */
#ifndef CS_GANG_SIM_H
#define CS_GANG_SIM_H

#include "sim.h"

/*
 * Run the jobs of @t, which cs_sim_run() has checked, under the gang keys of
 * @o->params on a machine of one core a node.
 *
 * 0: r->job [n] and r->slots are set.  -EINVAL: another machine, a job wider than
 * it, an event log (there are no events here), more time than can be told; -ENOMEM.
 * @err holds a line but for -ENOMEM.
 */
int cs_gang_sim(const struct cs_sim_options *o, const struct cs_trace *t,
		struct cs_sim_result *r, struct cs_err *err);

#endif
