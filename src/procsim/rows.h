/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gang scheduling: the rows of Ousterhout's matrix take turns; rules in rows.c. */
#ifndef CS_PROCSIM_ROWS_H
#define CS_PROCSIM_ROWS_H

#include "procsim/world.h"

/* A job was placed in @row, and starts. */
void cs_rows_start(struct cs_world *w, uint32_t row);
/* A job has ended: an empty row has no turn. */
void cs_rows_end(struct cs_world *w);
/* The turn of the current row has ended. */
void cs_rows_turn(struct cs_world *w);

#endif
