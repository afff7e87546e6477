/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cores are held, by an event log: a bit a core and job there, a count a node.
 *
 * Takes or gives a job's cores as a whole.  Independent of the engine's own
 * bookkeeping (occupancy.h), since it must find that one's mistakes.
 */
#ifndef CS_COSCHED_CHECK_CORE_MAP_H
#define CS_COSCHED_CHECK_CORE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/model/machine.h"
#include "common/log/log_alloc.h"

struct cs_held {
	uint32_t n_node;
	uint64_t *base;	 /* [n_node] bit of a node's core 0 */
	uint32_t *cores; /* [n_node] of a node */
	uint32_t *room;	 /* [n_node] bits from `base` on, >= cores */
	uint32_t deep;	 /* jobs that a core may have */
	uint64_t **
		used; /* [deep] bits of the cores with more than 0, 1, ... jobs */
	uint64_t n_bit;
	uint32_t *counted; /* [n_node] counting jobs there */
	double *down_s;	   /* [n_node] down since; INFINITY: it is up */
};

/* A core may have @deep jobs, >= 1.  0, -ENOMEM. */
int cs_held_init(struct cs_held *h, const struct cs_machine *m, uint32_t deep);
void cs_held_done(struct cs_held *h);

/* Where a check failed. */
struct cs_place_of {
	uint32_t node, core;
};

/* Does a node or core of @a not exist?  *ret says which; core UINT32_MAX means
 * the node itself. */
bool cs_held_absent(const struct cs_held *h, const struct cs_log_alloc *a,
		    struct cs_place_of *ret);
/* For an @a that exists: does one of its cores have all jobs that it may have? */
bool cs_held_overlaps(const struct cs_held *h, const struct cs_log_alloc *a,
		      struct cs_place_of *ret);
/* Does a node of @a already have @limit counted jobs? */
bool cs_held_full(const struct cs_held *h, const struct cs_log_alloc *a,
		  uint32_t limit, struct cs_place_of *ret);
/* Is a node of @a down since @t_s or earlier? */
bool cs_held_down(const struct cs_held *h, const struct cs_log_alloc *a,
		  double t_s, struct cs_place_of *ret);

/* Does a job hold anything on node @n, < n_node?  If not, it may have other @cores from
 * now on; 0, -ENOMEM. */
bool cs_held_any(const struct cs_held *h, uint32_t n);
int cs_held_become(struct cs_held *h, uint32_t n, uint32_t cores);

/* Take the free cores of @a, or give them back.  O(what it holds / 64). */
void cs_held_take(struct cs_held *h, const struct cs_log_alloc *a, bool counts);
void cs_held_give(struct cs_held *h, const struct cs_log_alloc *a, bool counts);

/* Does @a hold this core (UINT32_MAX: any on the node)? */
bool cs_core_map_holds(const struct cs_log_alloc *a,
		       const struct cs_place_of *p);

#endif
