/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of explain share: a growing text, and how jobs and times are written.
 *
 *	explain.c		why a job waits, or how it runs
 *	explain_room.c		what it needs and what there is
 *	planned_nodes.c		on which nodes planned jobs would start
 *	explain_slices.c	when its time slice comes, why it has none
 *	explain_sites.c		which sites it waits for, or is on
 *	explain_queue.c		its place in the queue, its campaign
 *	explain_partner.c	which jobs it shares with, or might
 *	sooner.c	what would start it sooner
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
/* Name job @id as far as the reader may know it; false: the reader may know only that
 * it exists. */
bool cs_explain_put_job(struct cs_text *t, uint32_t id);
/* @us in squeue's format, [days-]hours:minutes:seconds, rounded up. */
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

/* What a job needs to run alone, and how much of it is free now. */
struct cs_room {
	struct cs_shape shape;
	bool fits;
	bool memory; /* only memory is short */
	bool gpus;   /* only GPUs are */
	/* where the free nodes are, if only the topology is in the way; else NULL */
	const char *apart;
	bool scoped;	/* share_scope restricts its neighbours */
	uint32_t free;	/* nodes, or cores if it may use any part of a node */
	uint32_t nodes; /* that these cores are on */
};

/* false: it fits on no set of up nodes in that partition. */
bool cs_room_look(const struct cs_engine *e, const struct cs_ejob *j,
		  uint32_t option, struct cs_room *ret);
/* Would it fit now, in shape @s, on its own slice machine, if no reservation kept nodes
 * from it before it has ended?  Nodes that are away, or kept for other jobs, stay so, and
 * a job in a reservation waits for nothing but that. */
bool cs_room_reserved(const struct cs_engine *e, const struct cs_ejob *j,
		      uint32_t option, const struct cs_shape *s);
/* The running jobs of @sm that leave its nodes, by latest end and id, into @end, which has
 * room for all that are started; returns how many. */
size_t cs_room_ends(const struct cs_engine *e,
		    const struct cs_slice_machine *sm, struct cs_ending *end);
/* "needs 2 nodes, 1 free" */
void cs_explain_put_room(struct cs_text *t, const struct cs_room *r);
/* "2 nodes" */
void cs_explain_put_shape(struct cs_text *t, const struct cs_shape *s);
/* Why no set of up nodes can hold it, as part of a line. */
void cs_explain_put_never(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j, uint32_t option);
/* If it could not run even with all nodes up and empty: the line that compares its
 * request with the nodes it may use; else nothing. */
void cs_explain_put_too_large(struct cs_text *t, const struct cs_engine *e,
			      const struct cs_ejob *j);

/* ---- explain_slices.c ----------------------------------------------------- */

/* "long slice at 14:30; ", of a job's class while others have theirs; @when: ", in
 * 0:12:00" too.  A text that is stored has no time but the clock's. */
void cs_explain_put_slice(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j, bool when);
/* When its slot has its turn: at @at_us. */
void cs_explain_put_turn(struct cs_text *t, const struct cs_engine *e,
			 int64_t at_us);
/* Why it has no slot. */
void cs_explain_put_no_seat(struct cs_text *t, const struct cs_engine *e,
			    const struct cs_ejob *j, uint32_t option);
/* The line of when a job that stands still goes on; none for one that runs. */
void cs_explain_put_again(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j);

/* ---- explain_sites.c ------------------------------------------------------ */

/* No site has room for it, all together may: what the site rule compared. */
void cs_explain_put_site_wait(struct cs_text *t, const struct cs_engine *e,
			      const struct cs_ejob *j, uint32_t option,
			      bool when);
/* The line of the sites that a started job is on, if there are several. */
void cs_explain_put_sites(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j);

/* ---- explain_queue.c ------------------------------------------------------ */

/* The line about its place among eligible jobs, and what orders them. */
void cs_explain_put_place(struct cs_text *t, const struct cs_engine *e,
			  struct cs_ejob *j);
/* Where its campaign stands in the virtual schedule, and the bounds that follow. */
void cs_explain_put_campaign(struct cs_text *t, const struct cs_engine *e,
			     const struct cs_ejob *j);

/* ---- sooner.c ------------------------------------------------------------- */

/* The best change, appended to a line. */
void cs_explain_put_sooner(struct cs_text *t, const struct cs_engine *e,
			   const struct cs_ejob *j);
/* The line of the other changes, or that there is none. */
void cs_explain_put_others_sooner(struct cs_text *t, const struct cs_engine *e,
				  const struct cs_ejob *j);

/* ---- explain_partner.c ---------------------------------------------------- */

/* A line for each job that waiting @j might share with: that it may, or why not. */
void cs_explain_put_partners(struct cs_text *t, const struct cs_engine *e,
			     struct cs_ejob *j);
/* The other jobs of started @j's group, and what sharing costs them. */
void cs_explain_put_group(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j);
/* The other jobs on started @j's nodes, whoever placed them. */
void cs_explain_put_beside(struct cs_text *t, const struct cs_engine *e,
			   const struct cs_ejob *j);

#endif
