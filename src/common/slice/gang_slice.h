/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of slice=gang, which its files share; the theory is in gang_slice.c. */
#ifndef CS_SLICE_GANG_SLICE_H
#define CS_SLICE_GANG_SLICE_H

#include "gang/gang.h"
#include "model/occupancy.h"
#include "state/state.h"

struct cs_gang_seat {	 /* a place in the matrix, by its number there */
	uint32_t slot;	 /* of its job: engine->slot */
	uint32_t option; /* in which it waits */
	uint64_t turn;	 /* turns->turns at its last one */
	uint64_t ends;	 /* turns->ends when it was last weighed */
	uint64_t walk;	 /* engine->walks when its job asked for it */
	bool late;	 /* its turn is over: it is to be stopped */
};

struct cs_turns {
	struct cs_gang *gang;
	struct cs_gang_seat *seat; /* [cap], by number; those that are there */
	uint32_t cap;
	uint32_t row;	  /* whose turn it is */
	uint64_t turns;	  /* counts them, by two: who comes is between */
	uint64_t ends;	  /* counts jobs that gave up their places */
	int64_t begin_us; /* of the turn */
	int64_t end_us;
	bool served; /* somebody of the slot has run in it, or was asked to */
	bool starts; /* the walk is for those who start, not for seats */
	struct cs_occ
		bare;	/* nobody has a core; memory is all that is promised */
	uint64_t *room; /* scratch: node set */
};

/* Has @j a place in the slot whose turn it is, or in @row? */
bool cs_gang_seat_in_row(const struct cs_turns *t, const struct cs_ejob *j,
			 uint32_t row);
/* The job of place @k; NULL: it is gone. */
struct cs_ejob *cs_gang_seat_job(const struct cs_engine *e, uint32_t k);
/* So long from now until the turn of a place of @j that has it not. */
int64_t cs_gang_slice_next_us(const struct cs_engine *e,
			      const struct cs_ejob *j);

/* gang_seats.c */
int cs_gang_seats_init(struct cs_engine *e);
void cs_gang_seats_done(struct cs_engine *e);
/* struct cs_slice_ops */
int cs_gang_seat(struct cs_engine *e, const struct cs_entry *entry, bool first);
void cs_gang_seat_booked(struct cs_engine *e, const struct cs_ejob *j,
			 int more);
/* Who runs or rests has a place; places of those who are gone are given up.  0,
 * -ENOMEM. */
int cs_gang_seats_settle(struct cs_engine *e);
/* A walk begins, for seats or for those who start. */
void cs_gang_seats_begin(struct cs_engine *e, bool starts);
/* It is over: who waits and did not ask for his place has none. */
void cs_gang_seats_end(struct cs_engine *e);
/* Whether everything is as said.  0, -EINVAL. */
int cs_gang_seats_check(const struct cs_engine *e, struct cs_err *err);

#endif
