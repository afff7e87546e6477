/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host that refuses what the engine proposes, and jobs that only the host can place. */
#ifndef CS_REFUSERIG_H
#define CS_REFUSERIG_H

#include "cs_test.h"
#include "rig.h"

/* What the engine wants now; it must be one start. */
static inline struct cs_action wants(struct rig *r)
{
	struct cs_actions a;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	assert_int_equal(a.n, 1);
	return a.action[0];
}

static inline void wants_nothing(struct rig *r)
{
	struct cs_actions a;

	assert_int_equal(cs_engine_decide(r->engine, r->now_us, &a), 0);
	assert_int_equal(a.n, 0);
}

static inline void refuse(struct rig *r, uint32_t seq, enum cs_refused class)
{
	rig_tell(r, (struct cs_event){ .type = CS_EV_REFUSED,
				       .refused = { seq, class, "test" } });
}

static inline struct cs_job host_job(struct rig *r, uint32_t id,
				     int64_t estimate_s)
{
	struct cs_job j = rig_job(r, id, 1, estimate_s, NULL);

	j.flags = CS_JOB_HOST;
	return j;
}

/* The host starts what was proposed as @seq on core 0 of @node, under @id. */
static inline void starts_on(struct rig *r, uint32_t seq, uint32_t id,
			     uint32_t node)
{
	struct cs_alloc *on = cs_alloc_create(1, 1);
	const struct cs_started s = { .seq = seq,
				      .job_id = id,
				      .start_us = r->now_us,
				      .limit_us = 100 * RIG_S,
				      .alloc = on };

	on->node[0] = (struct cs_alloc_node){ .node = node, .procs = 1 };
	on->cores[0] = 1;
	rig_tell(r, (struct cs_event){ .type = CS_EV_STARTED, .start = &s });
	cs_alloc_free(on);
}

#endif
