/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room that the sites have for a job, and over how many it may be split; the theory is
 * in site_room.c.
 */
#ifndef CS_JOB_SITE_ROOM_H
#define CS_JOB_SITE_ROOM_H

#include "state/state.h"

/* For one shape on one machine: what each site has of the nodes (even shapes) or
 * processes that the job needs, and nodes that do, of which it needs some, too. */
struct cs_site_room {
	uint32_t n; /* sites */
	uint32_t need, need_nodes;
	uint32_t *have, *nodes; /* [n] */
};

/* What the rule needs to look at sites. */
struct cs_site_work {
	struct cs_site_room now, then; /* at this instant; at one ahead */
	struct cs_occ at;	       /* the machine ahead */
	uint64_t *mask, *nodes;	       /* node sets: scratch */
	struct cs_site_step *step; /* [n] scratch of backfill/site_ahead.c */
};

/* An instant from which on the job needs no more than so many fragments. */
struct cs_site_step {
	int64_t start_us;
	uint32_t fragments;
};

/* Does a rule look at sites?  Then e->site_work is there. */
static inline bool cs_site_rules(const struct cs_engine *e)
{
	return e->site_work != NULL;
}

/* Make what the rule needs, if there is one and the machine has sites.  0, -ENOMEM. */
int cs_site_room_init(struct cs_engine *e);
void cs_site_room_done(struct cs_engine *e);

/* What node @n has in @o. */
uint32_t cs_site_room_on(const struct cs_occ *o, const struct cs_shape *s,
			 uint32_t n);
/* Into @r what all sites have in @o of nodes of @allowed.  O(nodes). */
void cs_site_room_in(struct cs_site_room *r, const struct cs_occ *o,
		     const struct cs_shape *s, const uint64_t *allowed);
/* The same for an even shape, of whose nodes those of @set do. */
void cs_site_room_of(struct cs_site_room *r, const struct cs_machine *m,
		     const struct cs_shape *s, const uint64_t *set);

/* The next site by decreasing room, of two equal ones the first: behind @last, which is
 * UINT32_MAX for the first of all.  UINT32_MAX: there is none with room.  O(sites). */
uint32_t cs_site_room_next(const struct cs_site_room *r, uint32_t last);
/* The next by increasing room of those that have enough; the same. */
uint32_t cs_site_room_tightest(const struct cs_site_room *r, uint32_t last);
/* The fewest fragments; 0: all sites together have not enough.  O(sites * fragments). */
uint32_t cs_site_room_fewest(const struct cs_site_room *r);
/* The most that the rule allows job @j of shape @s, and the fewest that could ever hold
 * it; 0: it fits on no machine of ours. */
uint32_t cs_site_room_most(const struct cs_engine *e, const struct cs_ejob *j,
			   uint32_t option, const struct cs_shape *s,
			   uint32_t *ret_least);

#endif
