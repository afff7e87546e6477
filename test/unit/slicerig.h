/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An engine with time slices by class of runtime. */
#ifndef CS_SLICERIG_H
#define CS_SLICERIG_H

#include "simrig.h"

#include <errno.h>

#include "rig.h"

#include "common/slice/slice.h"
#include "common/slice/slices.h"
#include "common/state/state.h"

/*
 * Short jobs last up to 10 s, medium ones up to 100 s.  In 100 s: perhaps 20 s
 * for short jobs, 40 % of the rest for medium ones, the rest for long ones; each
 * slice begins with 5 s in which no job runs.
 */
#define SLICES                                                   \
	"class_short_s=10,class_medium_s=100,slice_cycle_s=100," \
	"slice_overhead_s=5,slice_short_s=20,slice_medium=0.4"
#define PECT "policy=pect,unprofiled=model,low_load=layout," SLICES

enum { MEDIUM = 60, LONG = 1000 }; /* estimates, s */

static inline void open_pect(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, 4, 1, 1, 0);
}

/* Is it there, and not stopped? */
static inline bool goes(struct rig *r, uint32_t id)
{
	struct cs_running run;

	return !cs_engine_running(r->engine, id, &run) && !run.suspended;
}

/* At @s a slice of @class begins, that lasts until @until_s. */
static inline void begins(struct rig *r, int64_t s, enum cs_class class,
			  int64_t until_s)
{
	const struct cs_action *a;

	rig_at(r, s);
	a = rig_last(r, CS_ACT_SLICE, 0);
	if (!a)
		fail_msg("no slice begins at %lld", (long long)s);
	assert_int_equal(a->slice, class);
	assert_int_equal(a->until_us, until_s * RIG_S);
}

#endif
