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
	uint32_t *idle;		  /* [procs] slots in which nobody is on it */
	struct cs_gang_tree room; /* the same, and those that are lent */
	struct cs_gang_job *job;  /* [cap] */
	uint32_t *by_width;	  /* [n of cap] jobs by (procs, seq) */
	uint32_t *scratch;	  /* [cap] */
	uint32_t *window;	  /* [procs] scratch */
	size_t n, cap;
	uint64_t last_seq;
	bool changed; /* since the last settlement; nothing is lent */
};

/* Whether extra places go back (gang.c, rule 5). */
static inline bool cs_gang_lends(const struct cs_gang *g)
{
	return g->rules.extra == CS_GANG_EXTRA_LENT;
}

/* Whether a slot goes as soon as it can be spared (rule 4); else only an empty
 * one does. */
static inline bool cs_gang_unites(const struct cs_gang *g)
{
	return g->rules.block != CS_GANG_BLOCK_FIRST &&
	       (cs_gang_lends(g) || g->rules.extra == CS_GANG_EXTRA_NONE);
}

/* @job gets a place in @row, where its processors are idle. */
void cs_gang_place(struct cs_gang *g, uint32_t job, uint32_t row);

/* @job gives up its place in @row. */
void cs_gang_unplace(struct cs_gang *g, uint32_t job, uint32_t row);

/* Rule 2: where a job of @procs goes, its first processor; CS_GANG_NONE: there
 * is no room.  *ret_row: the row, idle there by now. */
uint32_t cs_gang_block(struct cs_gang *g, uint32_t procs, uint32_t *ret_row);

/* The same for one that can use the processors of @allowed alone, of which there are so
 * many; *ret_procs: how many neighbours it takes, to have @procs of those. */
uint32_t cs_gang_block_on(struct cs_gang *g, uint32_t procs,
			  const uint64_t *allowed, uint32_t *ret_procs,
			  uint32_t *ret_row);

/* A row that is idle on the @procs processors from @first on, by rule 2's means;
 * CS_GANG_NONE: there is none. */
uint32_t cs_gang_row_for(struct cs_gang *g, uint32_t first, uint32_t procs);

/* Rule 5: an extra place for each job that fits, (@again) and more until none
 * does. */
void cs_gang_deal(struct cs_gang *g, bool again);

/* Rule 5: all jobs keep one place. */
void cs_gang_take_back(struct cs_gang *g);

#endif
