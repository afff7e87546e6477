/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's allocation on the machine: taken and given back.
 */
#ifndef CS_LIFECYCLE_BOOKING_H
#define CS_LIFECYCLE_BOOKING_H

#include "model/event.h"
#include "model/occupancy.h"

struct cs_ejob;
struct cs_engine;

/* @j (proposed, running) takes the nodes of j->alloc on its slice machine, the current
 * one then.  0, -ENOMEM. */
int cs_booking_add(struct cs_engine *e, struct cs_ejob *j);
/* It gives them back. */
void cs_booking_remove(struct cs_engine *e, struct cs_ejob *j);
/* A suspended job, which gave back its nodes, keeps their memory; gives it back. */
void cs_booking_keep_memory(struct cs_engine *e, struct cs_ejob *j);
void cs_booking_give_memory(struct cs_engine *e, struct cs_ejob *j);
/* @j, which runs, rests: its cores are given back, its memory is kept without swap.
 * No claim of it to its nodes is: a slice has it come back.  And it does: 0, -ENOMEM. */
void cs_booking_rest(struct cs_engine *e, struct cs_ejob *j);
int cs_booking_back(struct cs_engine *e, struct cs_ejob *j);
/* A slice will have @j, which holds nothing, come back on j->alloc; it will not. */
void cs_booking_await(struct cs_engine *e, struct cs_ejob *j);
void cs_booking_forget(struct cs_engine *e, struct cs_ejob *j);
/* Take what the host really gave.  0; -ENOMEM: as before. */
int cs_booking_add_given(struct cs_engine *e, struct cs_ejob *j,
			 const struct cs_started *s, enum cs_node_use hold);

#endif
