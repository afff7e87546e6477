/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gang/matrix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cs_gang_matrix_init(struct cs_gang_matrix *m, uint32_t procs)
{
	*m = (struct cs_gang_matrix){ .procs = procs };
}

void cs_gang_matrix_done(struct cs_gang_matrix *m)
{
	for (uint32_t i = 0; i < m->cap; i++)
		free(m->row[i]);
	free(m->row);
	*m = (struct cs_gang_matrix){ .procs = m->procs };
}

int cs_gang_row_reserve(struct cs_gang_matrix *m)
{
	uint32_t **row = m->row, *fresh;

	if (m->rows < m->cap)
		return 0;
	if (m->cap == CS_GANG_NONE - 1)
		return -ENOMEM;
	row = realloc(m->row, (m->cap + (size_t)1) * sizeof(*row));
	if (!row)
		return -ENOMEM;
	m->row = row;
	fresh = malloc(m->procs * sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	m->row[m->cap] = fresh;
	cs_gang_row_set(m, m->cap++, 0, m->procs, CS_GANG_NONE);
	return 0;
}

int cs_gang_matrix_copy(struct cs_gang_matrix *to,
			const struct cs_gang_matrix *from)
{
	int rc = 0;

	while (!rc && to->cap < from->cap) {
		to->rows = to->cap;
		rc = cs_gang_row_reserve(to);
	}
	for (uint32_t r = 0; !rc && r < from->cap; r++)
		memcpy(to->row[r], from->row[r],
		       from->procs * sizeof(*to->row[r]));
	to->rows = rc ? 0 : from->rows;
	return rc;
}

uint32_t cs_gang_row_add(struct cs_gang_matrix *m)
{
	return m->rows++;
}

void cs_gang_row_delete(struct cs_gang_matrix *m, uint32_t row)
{
	uint32_t *spare = m->row[row];

	m->rows--;
	memmove(m->row + row, m->row + row + 1,
		(m->rows - row) * sizeof(*m->row));
	m->row[m->rows] = spare;
}

uint32_t cs_gang_idle_run(const struct cs_gang_matrix *m, uint32_t row,
			  uint32_t from, uint32_t to)
{
	uint32_t at = from;

	while (at < to && m->row[row][at] == CS_GANG_NONE)
		at++;
	return at - from;
}

void cs_gang_row_set(struct cs_gang_matrix *m, uint32_t row, uint32_t from,
		     uint32_t to, uint32_t job)
{
	for (uint32_t i = from; i < to; i++)
		m->row[row][i] = job;
}

bool cs_gang_crossed(const struct cs_gang_matrix *m, uint32_t row, uint32_t at)
{
	return at && at < m->procs && m->row[row][at] != CS_GANG_NONE &&
	       m->row[row][at] == m->row[row][at - 1];
}
