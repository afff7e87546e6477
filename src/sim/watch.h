/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulation observed as it runs, for pictures: cores held over time, and
 * where jobs are in a window of time and nodes.
 */
#ifndef CS_WATCH_H
#define CS_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include "common/engine/engine.h"
#include "jobids.h"
#include "trace.h"

/* A job held cores of a node without a stop. */
struct cs_span {
	uint32_t job; /* index into the trace */
	uint32_t node;
	uint64_t cores; /* of the node's first 64 */
	int64_t from_us, to_us;
};

struct cs_watch_options {
	int64_t step_us;	/* > 0, of the use over time */
	size_t steps_max;	/* later ones are left out */
	int64_t from_us, to_us; /* the window; spans are cut at its edges */
	uint32_t nodes;		/* the first ones of the machine */
	size_t spans_max;
};

struct cs_watch {
	struct cs_watch_options o;
	double *core_us; /* [n_step] cores held times time */
	size_t n_step, room_step;
	struct cs_span *span; /* [n_span] in order of their ends */
	size_t n_span, room_span;
	int rc; /* -ENOMEM: something is missing */
	/* below: its own */
	struct cs_jobids ids;
	struct cs_watched *job; /* [jobs of the trace] */
	size_t n_job;
	uint64_t cores; /* held since at_us */
	int64_t at_us;
};

/* 0; -ENOMEM, -EEXIST: a duplicate id. */
int cs_watch_init(struct cs_watch *w, const struct cs_trace *t,
		  const struct cs_watch_options *o);
/* A cs_sim_options.heard with the watch as its arg. */
void cs_watch_hear(void *watch, const struct cs_event *ev);
void cs_watch_done(struct cs_watch *w);

#endif
