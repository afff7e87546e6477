/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of gang scheduling share. */
#ifndef CS_GANG_GANG_PARTS_H
#define CS_GANG_GANG_PARTS_H

#include <stddef.h>

#include "gang/gang.h"
#include "gang/matrix.h"
#include "gang/tree.h"

struct cs_gang {
	struct cs_gang_rules rules;
	struct cs_gang_matrix m;
	uint32_t *idle;		  /* [procs] slots in which it is idle */
	struct cs_gang_tree room; /* the same, with lent places as idle */
	struct cs_gang_job *job;  /* [cap] */
	uint32_t *by_width;	  /* [n of cap] jobs by (procs, seq) */
	uint32_t *scratch;	  /* [cap] */
	uint32_t *window;	  /* [procs] scratch */
	size_t n, cap;
	uint64_t last_seq;
	uint64_t dealt_seq; /* last_seq at the last settlement */
	bool changed;	    /* since the last settlement; nothing is lent */
};

/* Are extra places taken back at each change (gang.c, rule 5)? */
static inline bool cs_gang_lends(const struct cs_gang *g)
{
	return g->rules.extra == CS_GANG_EXTRA_LENT;
}

/* Is a slot removed as soon as it can be spared (rule 4)?  Else only an empty one
 * is. */
static inline bool cs_gang_unites(const struct cs_gang *g)
{
	return g->rules.block != CS_GANG_BLOCK_FIRST &&
	       (cs_gang_lends(g) || g->rules.extra == CS_GANG_EXTRA_NONE);
}

/* Give @job a place in @row, where its processors are idle. */
void cs_gang_place(struct cs_gang *g, uint32_t job, uint32_t row);

/* Take @job's place in @row. */
void cs_gang_unplace(struct cs_gang *g, uint32_t job, uint32_t row);

/* Rule 2: the first processor for a job of @procs; CS_GANG_NONE: no room.  *ret_row:
 * the row, now idle there. */
uint32_t cs_gang_block(struct cs_gang *g, uint32_t procs, uint32_t *ret_row);

/* The same for a job that can use only the processors in @allowed, of which there are
 * at least @procs; *ret_procs: how many neighbours it takes to have @procs of those. */
uint32_t cs_gang_block_on(struct cs_gang *g, uint32_t procs,
			  const uint64_t *allowed, uint32_t *ret_procs,
			  uint32_t *ret_row);

/* A row that is idle on the @procs processors from @first on, found or made as rule 2
 * allows; CS_GANG_NONE: none. */
uint32_t cs_gang_row_for(struct cs_gang *g, uint32_t first, uint32_t procs);

/* Rule 5: one extra place for each job that fits; @again: repeated until none fits. */
void cs_gang_deal(struct cs_gang *g, bool again);

/* Rule 5: a second place for each job that has one, where no re-packing is needed for its
 * whole block. */
void cs_gang_deal_one(struct cs_gang *g);

/* Rule 5: each job keeps one place. */
void cs_gang_take_back(struct cs_gang *g);

#endif
