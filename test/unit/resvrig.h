/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reservations, and jobs in one of them or in none. */
#ifndef CS_RESVRIG_H
#define CS_RESVRIG_H

#include "cs_test.h"
#include "rig.h"

#define PACK "policy=pack,backfill=conservative"

/* Reservation @id of nodes @first to @last from @start_s to @end_s; of the @cores of
 * each, or (0) whole. */
static inline void reserve_for(struct rig *r, uint32_t id, uint32_t first,
			       uint32_t last, uint64_t cores, int64_t start_s,
			       int64_t end_s, uint32_t flags, uint32_t delay_s)
{
	uint32_t node[64], n = 0;
	struct cs_alloc *a = NULL;
	struct cs_reservation v = { .id = id,
				    .node = node,
				    .flags = flags,
				    .delay_s = delay_s,
				    .start_us = start_s * RIG_S,
				    .end_us = end_s * RIG_S };

	for (uint32_t i = first; i <= last; i++)
		node[n++] = i;
	v.n = n;
	if (cores)
		a = cs_alloc_create(n, r->machine->words);
	for (uint32_t i = 0; a && i < n; i++) {
		a->node[i].node = node[i];
		cs_alloc_cores(a, i)[0] = cores;
	}
	v.cores = a;
	rig_tell(r, (struct cs_event){ .type = CS_EV_RESERVATION,
				       .reservation = &v });
	cs_alloc_free(a);
}

static inline void reserve(struct rig *r, uint32_t id, uint32_t first,
			   uint32_t last, uint64_t cores, int64_t start_s,
			   int64_t end_s, uint32_t flags)
{
	reserve_for(r, id, first, last, cores, start_s, end_s, flags, 0);
}

static inline void gone(struct rig *r, uint32_t id)
{
	struct cs_reservation v = { .id = id };

	rig_tell(r, (struct cs_event){ .type = CS_EV_RESERVATION,
				       .reservation = &v });
}

static inline void add_in(struct rig *r, uint32_t id, uint32_t procs, int64_t s,
			  const char *profile, uint32_t reservation)
{
	struct cs_job j = rig_job(r, id, procs, s, profile);

	j.base_procs = 1; /* a limit, which no layout stretches by itself */
	j.reservation = reservation;
	rig_submit(r, &j);
}

static inline void add(struct rig *r, uint32_t id, uint32_t procs, int64_t s,
		       const char *profile)
{
	add_in(r, id, procs, s, profile, 0);
}

static inline int64_t promised_s(struct rig *r, uint32_t id)
{
	int64_t t = cs_engine_predicted_start_us(r->engine, id, NULL);

	return t == CS_TIME_NONE ? -1 : t / RIG_S;
}

#endif
