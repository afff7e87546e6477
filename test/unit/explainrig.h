/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine says of a job. */
#ifndef CS_EXPLAINRIG_H
#define CS_EXPLAINRIG_H

#include "cs_test.h"
#include "rig.h"

#include <errno.h>

static inline const char *explain(struct rig *r, uint32_t id)
{
	static char text[8192];

	assert_true(cs_explain(r->engine, id, NULL, text, sizeof(text)) > 0);
	return text;
}

static inline const char *explain_to(struct rig *r, uint32_t id,
				     const struct cs_audience *to)
{
	static char text[8192];

	assert_true(cs_explain(r->engine, id, to, text, sizeof(text)) > 0);
	return text;
}

static inline void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' holds '%s'", text, part);
}

static inline void reserve(struct rig *r, uint32_t n, const uint32_t *node,
			   int64_t end_us)
{
	struct cs_reservation v = { .id = 1,
				    .n = n,
				    .node = node,
				    .start_us = r->now_us,
				    .end_us = end_us };

	rig_tell(r, (struct cs_event){ .type = CS_EV_RESERVATION,
				       .reservation = &v });
}

/* ---- what it needs -------------------------------------------------------- */

/* Four nodes of 4 cores; by core, as without profiles on a live machine. Four
 * processes on a node make a runtime some 1.37 times as long. */
static inline void open_packed(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, 4, 2, 2, 0);
}

/* Self slowdown 1.6 on all 4 cores; the limit is for one process a node. */
static const char slow[] =
	"{\"version\":1,\"profiles\":{\"a\":{\"self\":{\"1\":1,\"4\":1.6}}}}";

/* ---- the queue ------------------------------------------------------------ */

static inline void submit_with(struct rig *r, uint32_t id, uint64_t priority,
			       uint32_t flags, int32_t nice)
{
	struct cs_job_partition o = { .nodeset = r->all,
				      .tier = 1,
				      .priority = priority,
				      .limit_max_us = CS_TIME_NONE };
	struct cs_job j = rig_job(r, id, 1, 100, NULL);

	j.option = &o;
	j.flags = flags;
	j.nice = nice;
	rig_submit(r, &j);
}

static inline void open_queue(struct rig *r, const char *params)
{
	rig_open(r, params, NULL, 1, 1, 1, 0);
	submit_with(r, 1, 100, 0, 0);
	rig_decide(r);
	assert_true(rig_runs(r, 1));
}

#endif
