/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the search for a group's members and nodes, for the current job:
 * group_search.c holds the theory, and each part its own.
 *
 *	group_search.c		the cases of Zeng09, section 4.4, and the choice
 *	group_unplanned.c	... where only heads hold promises
 *	group_match.c	candidates (4.5, steps 1 and 2)
 *	group_form.c, group_layers.c	sets of them (steps 2 to 5)
 *	group_nodes.c	the nodes of a group
 *	group_fair.c	whether that is fair (step 6)
 *	group_start.c	its start, as one transaction
 */
#ifndef CS_PLACE_GROUP_PARTS_H
#define CS_PLACE_GROUP_PARTS_H

#include "place/candidate.h"
#include "state/pass.h"

struct cs_search {
	struct cs_pass *p;
	struct cs_engine *e;
	const struct cs_entry *entry;
	uint32_t rule;		 /* case being tried: 1, 2 or 3 */
	struct cs_ejob *running; /* case 3: the primary job */
	struct cs_forming f;
	struct cs_candidate *all; /* engine's scratch, for f.candidate */
	double least;		  /* the gain that a group must reach */
	bool done;		  /* a job was started */
};

/* The group on the machine: its nodes are numbered as in group_layers.c. */
struct cs_group_alloc {
	uint32_t n_node, *node;	  /* of all members, in the window's order */
	struct cs_alloc *primary; /* NULL: it runs */
	struct cs_alloc *matched[CS_MATCHED_MAX]; /* NULL: they run */
	bool booked[CS_MATCHED_MAX + 1];
};

/* group_search.c */

/* Form the groups of case 1: waiting jobs matched with the entry's, s->f.primary.  0,
 * -ENOMEM. */
int cs_search_form_waiting(struct cs_search *s);
/* Start the best group formed that is fair (step 6) and gains s->least.  0, -ENOMEM. */
int cs_search_choose(struct cs_search *s);

/* group_unplanned.c */

/* The best way to start the entry's job with others, or alone on all cores.  1, 0: none,
 * -ENOMEM. */
int cs_search_unplanned(struct cs_search *s);
/* Could the job lead a group: is there room for it, with every promise kept, even if
 * nothing slows it?  1, 0, -ENOMEM. */
int cs_search_may_lead(struct cs_search *s);

/* group_match.c */

/* A waiting job's part in any group; NULL: it can be in none.  Kept with it. */
const struct cs_part *cs_search_part(const struct cs_engine *e,
				     const struct cs_entry *x);
/* Fill @c, except what depends on the partner, for a waiting job: false if it can be in
 * no group; and for a running one. */
bool cs_search_waiting(const struct cs_engine *e, const struct cs_entry *x,
		       struct cs_candidate *c);
void cs_search_running(const struct cs_engine *e, struct cs_ejob *j,
		       struct cs_candidate *c);
/* What a waiting job takes of a node, into @c. */
void cs_search_takes(struct cs_candidate *c);
/* May running job @r be in a new group: is it alone on its nodes? */
bool cs_search_free(const struct cs_engine *e, const struct cs_ejob *r);
/* May @c be matched with the primary job?  Fills in their slowdowns. */
bool cs_search_suits(struct cs_search *s, struct cs_candidate *c);
/* Nodes that a waiting job may use, for as long as it may last, into @mask. */
void cs_search_nodes(const struct cs_search *s, const struct cs_candidate *c,
		     uint64_t *mask);
/* Make candidates of suitable jobs in the queue, or of the @n jobs of @r; e->mask holds
 * the nodes of the group, or those that it may use.  O(waiting), O(nodes of the
 * jobs). */
void cs_search_add_waiting(struct cs_search *s);
void cs_search_add_running(struct cs_search *s, struct cs_ejob *const *r,
			   size_t n, const struct cs_shape *shape);

/* group_nodes.c */

/* Leave only empty nodes in e->mask; returns how many. */
uint32_t cs_search_empty(const struct cs_engine *e);
/* Put the group on nodes.  1: @t holds them, booked; 0: no room; -ENOMEM.  Always call
 * _done, which undoes the booking, and _free for what it points to. */
int cs_group_alloc_make(struct cs_search *s, const struct cs_formed *g,
			struct cs_group_alloc *t);
void cs_group_alloc_done(struct cs_search *s, struct cs_group_alloc *t);
void cs_group_alloc_free(struct cs_group_alloc *t);

/* group_fair.c: is the group fair on its nodes?  1, 0, -ENOMEM. */
int cs_search_fair(struct cs_search *s, const struct cs_formed *g,
		   const struct cs_group_alloc *t);

/* group_start.c: propose its starts, of @t [booked].  0, -ENOMEM: a start already
 * proposed stands, without a group if it is the only one. */
int cs_search_start(struct cs_search *s, const struct cs_formed *g,
		    struct cs_group_alloc *t);

#endif
