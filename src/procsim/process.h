/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process's program: computation, I/O and communication, loop by loop; process.c. */
#ifndef CS_PROCSIM_PROCESS_H
#define CS_PROCSIM_PROCESS_H

#include "procsim/world.h"

/* Its peer number @i. */
struct cs_process *cs_process_peer(const struct cs_world *w,
				   const struct cs_process *p, uint32_t i);
/* Do processes of one job send to each other? */
bool cs_process_are_peers(const struct cs_world *w, const struct cs_process *a,
			  const struct cs_process *b);
/* The number that @to gives to its peer @from. */
uint32_t cs_process_number(const struct cs_world *w,
			   const struct cs_process *to,
			   const struct cs_process *from);

/* Begin the first loop. */
void cs_process_begin(struct cs_world *w, struct cs_process *p);
/* The step of @p, which runs on @n, has ended.  Does it still run? */
bool cs_process_step(struct cs_world *w, struct cs_world_node *n,
		     struct cs_process *p);
/* I/O of @p, which is in no queue, has ended: communication is next. */
void cs_process_communicate(struct cs_world *w, struct cs_process *p);
/* The message for which @p waits has arrived: reading it is the next step. */
void cs_process_read(const struct cs_world *w, struct cs_process *p);

#endif
