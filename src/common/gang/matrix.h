/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ousterhout's matrix: which job runs on which processor in which time slot.
 *
 *	slot 2 | 5 5 5 6 6 . 7 7
 *	slot 1 | . . . . 4 4 . .
 *	slot 0 | 1 1 2 2 . 3 3 3
 *	        ----------------
 *	         processors
 *
 * A job occupies in a row all of its processors, which are neighbours, or none; its
 * processors are the same in all rows.  So no row can hold it twice.
 */
#ifndef CS_GANG_MATRIX_H
#define CS_GANG_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#define CS_GANG_NONE UINT32_MAX /* no job, no row */

struct cs_gang_matrix {
	uint32_t procs;
	uint32_t rows; /* in use; rows from there up to `cap` are idle */
	uint32_t cap;
	uint32_t **row; /* [cap][procs]: a job or CS_GANG_NONE */
};

void cs_gang_matrix_init(struct cs_gang_matrix *m, uint32_t procs);
void cs_gang_matrix_done(struct cs_gang_matrix *m);

/* Allocate one more row, so that the next cs_gang_row_add() cannot fail.  0,
 * -ENOMEM. */
int cs_gang_row_reserve(struct cs_gang_matrix *m);

/* Make @to, new and of as many processors, equal to @from.  0, -ENOMEM. */
int cs_gang_matrix_copy(struct cs_gang_matrix *to,
			const struct cs_gang_matrix *from);

/* Append an idle row; its number. */
uint32_t cs_gang_row_add(struct cs_gang_matrix *m);

/* Delete row @row, which is idle; the others keep their order. */
void cs_gang_row_delete(struct cs_gang_matrix *m, uint32_t row);

/* How many processors from @from on are idle in @row, up to @to. */
uint32_t cs_gang_idle_run(const struct cs_gang_matrix *m, uint32_t row,
			  uint32_t from, uint32_t to);

/* Put @job (CS_GANG_NONE: none) on [@from, @to) of @row. */
void cs_gang_row_set(struct cs_gang_matrix *m, uint32_t row, uint32_t from,
		     uint32_t to, uint32_t job);

/* Does a job span the boundary before @at in @row? */
bool cs_gang_crossed(const struct cs_gang_matrix *m, uint32_t row, uint32_t at);

#endif
