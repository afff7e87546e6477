/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of slice=gang, shared by its files; the theory is in gang_slice.c. */
#ifndef CS_SLICE_GANG_SLICE_H
#define CS_SLICE_GANG_SLICE_H

#include "gang/gang.h"
#include "model/occupancy.h"
#include "state/state.h"

struct cs_gang_seat {	 /* a place in the matrix, by its number there */
	uint32_t slot;	 /* of its job: engine->slot */
	uint32_t option; /* of the job, in which it waits */
	uint64_t turn;	 /* turns->turns at its last one */
	uint64_t ends;	 /* turns->ends when last examined */
	uint64_t walk;	 /* engine->walks when its job asked for it */
	bool late;	 /* its turn is over: it is to be stopped */
};

struct cs_turns {
	struct cs_gang *gang;
	struct cs_gang_seat *seat; /* [cap], by number */
	uint32_t cap;
	uint32_t row;	  /* the current slot */
	uint64_t turns;	  /* counts turns, by two: arrivals go between */
	uint64_t ends;	  /* counts jobs that gave up their places */
	int64_t begin_us; /* the turn's */
	int64_t end_us;
	bool served; /* a job of the slot has run in it, or was asked to */
	bool starts; /* the walk may start jobs, not only give places */
	struct cs_occ bare; /* no core is taken; memory is all that is promised */
	uint64_t *room;	    /* scratch: node set */
};

/* Has @j a place in slot @row? */
bool cs_gang_seat_in_row(const struct cs_turns *t, const struct cs_ejob *j,
			 uint32_t row);
/* The job of place @k; NULL: it is gone. */
struct cs_ejob *cs_gang_seat_job(const struct cs_engine *e, uint32_t k);
/* Time from now until @j's next turn; 0: its slot has it now, or it has no place. */
int64_t cs_gang_slice_next_us(const struct cs_engine *e,
			      const struct cs_ejob *j);

/* gang_seats.c */
int cs_gang_seats_init(struct cs_engine *e);
void cs_gang_seats_done(struct cs_engine *e);
/* Of `slice`: who waits gives up a place on a node that was another. */
void cs_gang_seats_became(struct cs_engine *e, uint32_t n,
			  const struct cs_node *was);
int cs_gang_seats_copy(struct cs_engine *to, const struct cs_engine *from);
/* struct cs_slice_ops */
int cs_gang_seat(struct cs_engine *e, const struct cs_entry *entry, bool first);
enum cs_lack cs_gang_seat_lacks(const struct cs_engine *e,
				const struct cs_ejob *j, uint32_t option);
void cs_gang_seat_booked(struct cs_engine *e, const struct cs_ejob *j,
			 int more);
/* Give running and stopped jobs a place; give up the places of jobs that are gone.  0,
 * -ENOMEM. */
int cs_gang_seats_settle(struct cs_engine *e);
/* A walk begins; @starts: it may start jobs, not only give places. */
void cs_gang_seats_begin(struct cs_engine *e, bool starts);
/* The walk is over: waiting jobs that did not ask for their places lose them. */
void cs_gang_seats_end(struct cs_engine *e);
/* Do the invariants hold?  0, -EINVAL. */
int cs_gang_seats_check(const struct cs_engine *e, struct cs_err *err);

#endif
