/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sites' room for a job, and over how many it may be split; the theory is in
 * site_room.c.
 */
#ifndef CS_JOB_SITE_ROOM_H
#define CS_JOB_SITE_ROOM_H

#include "state/state.h"

/* For one shape on one machine: each site's nodes (even shapes) or processes that the
 * job needs, and its suitable nodes, of which it also needs some. */
struct cs_site_room {
	uint32_t n; /* sites */
	uint32_t need, need_nodes;
	uint32_t *have, *nodes; /* [n] */
	/* [n], of which one job takes the smallest; NULL: of any size */
	const struct cs_site *by_size;
};

/* What the values of site_rule differ in (site_room.c has their table). */
struct cs_site_rule_row {
	bool splits; /* also a job that one site could hold */
	bool weighs; /* starts now against later ones; else the first is taken */
	bool best; /* of all starts; else the first that ends before it would on
			one site */
	bool small; /* a job on one site is on the smallest that holds it */
	/* A start counts as its end and so many times what crossing adds to the run;
	 * -1: only the start counts. */
	double toll;
};

/* What a rule about sites needs. */
struct cs_site_work {
	const struct cs_site_rule_row *rule;
	struct cs_site_room now, then; /* now; at a later instant */
	struct cs_occ at;	       /* the machine then */
	uint64_t *mask, *nodes;	       /* node sets: scratch */
	struct cs_site_step *step; /* [n] scratch of backfill/site_ahead.c */
	uint64_t walk, spent;	   /* what its looks cost in that walk */
};

/* From this instant on the job needs at most so many fragments. */
struct cs_site_step {
	int64_t start_us;
	uint32_t fragments;
};

/* Is there a rule about sites?  Then e->site_work exists. */
static inline bool cs_site_rules(const struct cs_engine *e)
{
	return e->site_work != NULL;
}

/* What the rule counts beside the end of a job to whose run crossing adds @more_us. */
static inline int64_t cs_site_toll_us(const struct cs_engine *e,
				      int64_t more_us)
{
	return (int64_t)(e->site_work->rule->toll * (double)more_us);
}

/* Allocate what the rule needs, if there is one and the machine has sites.  0,
 * -ENOMEM. */
int cs_site_room_init(struct cs_engine *e);
void cs_site_room_done(struct cs_engine *e);

/* What node @n has in @o. */
uint32_t cs_site_room_on(const struct cs_occ *o, const struct cs_shape *s,
			 uint32_t n);
/* Into @r what all sites have in @o of @allowed nodes.  O(nodes). */
void cs_site_room_in(struct cs_site_room *r, const struct cs_occ *o,
		     const struct cs_shape *s, const uint64_t *allowed);
/* The same for an even shape that fits on the nodes of @set. */
void cs_site_room_of(struct cs_site_room *r, const struct cs_machine *m,
		     const struct cs_shape *s, const uint64_t *set);

/* The site after @last (UINT32_MAX: the first) by decreasing room, equal ones in their
 * order.  UINT32_MAX: no other has room.  O(sites). */
uint32_t cs_site_room_next(const struct cs_site_room *r, uint32_t last);
/* The same by increasing room, with by_size by increasing size first, of sites that
 * have enough. */
uint32_t cs_site_room_tightest(const struct cs_site_room *r, uint32_t last);
/* The fewest fragments; 0: all sites together have not enough.  O(sites * fragments). */
uint32_t cs_site_room_fewest(const struct cs_site_room *r);
/* The same, and how much more room the sites must have in all before it can be fewer. */
uint32_t cs_site_room_lacks(const struct cs_site_room *r, uint64_t *ret_lacks);
/* The most fragments by the rule, and the fewest that ever hold job @j; 0: none do. */
uint32_t cs_site_room_most(const struct cs_engine *e, const struct cs_ejob *j,
			   uint32_t option, const struct cs_shape *s,
			   uint32_t *ret_least);
/* How many sites job @j may be on where it shares nodes: as many as it was promised,
 * without a plan as few as could ever hold it by itself; without a rule any number.
 * O(1), without a plan O(nodes). */
uint32_t cs_site_room_beside(const struct cs_engine *e, const struct cs_ejob *j,
			     uint32_t option);

#endif
