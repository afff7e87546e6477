/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of explain share: text that grows, and how jobs and times are
 * written.
 *
 *	explain.c		why a job waits, or how it runs
 *	explain_room.c		what it needs and what there is
 *	explain_queue.c		its place in the queue, its campaign
 *	explain_partner.c	with whom it shares, or might
 */
#ifndef CS_EXPLAIN_EXPLAIN_H
#define CS_EXPLAIN_EXPLAIN_H

#include "base/textbuf.h"
#include "engine/engine.h"
#include "state/state.h"

struct cs_text {
	struct cs_textbuf buf;
	const struct cs_audience *to; /* NULL: jobs by number */
};

#define cs_put(t, ...) cs_textbuf_print(&(t)->buf, __VA_ARGS__)
/* Job @id as who asks may know it; false: nothing but that it is there. */
bool cs_explain_put_job(struct cs_text *t, uint32_t id);
/* @us as squeue has it, hours:minutes:seconds behind days-, rounded up. */
void cs_explain_put_span(struct cs_text *t, int64_t us);
/* "" or "s". */
static inline const char *cs_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}
const char *cs_explain_profile(const struct cs_engine *e,
			       const struct cs_ejob *j);

/* ---- explain_room.c ------------------------------------------------------- */

#define CS_TOO_SLOW                                                            \
	"alone, as laid out here, it could need more time than it may get (a " \
	"shorter time limit helps)"

/* What a job alone needs, and what of that it could have now. */
struct cs_room {
	struct cs_shape shape;
	bool fits;
	bool memory;	   /* it would fit, but for its memory */
	const char *apart; /* it would fit, but for the topology: where what is
			      free is then; NULL */
	bool scoped;	   /* share_scope says beside whom */
	uint32_t free;	   /* nodes, or cores where it is packed as it comes */
};

/* false: no nodes that are up could hold it in that partition. */
bool cs_room_look(const struct cs_engine *e, const struct cs_ejob *j,
		  uint32_t option, struct cs_room *ret);
/* "needs 2 nodes, 1 free" */
void cs_explain_put_room(struct cs_text *t, const struct cs_room *r);
/* "2 nodes" */
void cs_explain_put_shape(struct cs_text *t, const struct cs_shape *s);
/* Why no nodes that are up can hold it, as part of a line. */
void cs_explain_put_never(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j, uint32_t option);
/* The line that compares what it asks for with the nodes it may use, where it
 * could not run with all of them up and empty; else nothing. */
void cs_explain_put_too_large(struct cs_text *t, const struct cs_engine *e,
			      const struct cs_ejob *j);

/* ---- explain_queue.c ------------------------------------------------------ */

/* The line about its place among those that may start, and what orders them. */
void cs_explain_put_place(struct cs_text *t, const struct cs_engine *e,
			  struct cs_ejob *j);
/* Where its campaign stands in the virtual schedule, and what that promises. */
void cs_explain_put_campaign(struct cs_text *t, const struct cs_engine *e,
			     const struct cs_ejob *j);

/* ---- explain_partner.c ---------------------------------------------------- */

/* A line for each job that waiting @j might share with: why not, or that it
 * may. */
void cs_explain_put_partners(struct cs_text *t, const struct cs_engine *e,
			     struct cs_ejob *j);
/* The others of started @j's group, and what it costs them. */
void cs_explain_put_group(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j);

#endif
