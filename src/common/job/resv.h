/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's advance reservations: what each keeps from which job, and when.  The
 * theory is in resv.c.
 */
#ifndef CS_JOB_RESV_H
#define CS_JOB_RESV_H

#include "state/state.h"

enum cs_keeps {
	CS_KEEPS_NOTHING,
	CS_KEEPS_CORES, /* its cores; its nodes from jobs that take them
			   whole */
	CS_KEEPS_NODES,
};

/* A job's reservation, if any; @own: NULL if that has no nodes, or is gone. */
struct cs_resv_job {
	bool in;
	const struct cs_held_nodes *own;
	bool shares_cores; /* CS_JOB_SHARES_CORES */
	bool borrows;	   /* CS_JOB_BORROWS, and in none: */
	uint32_t warn_s;   /* ... its notice */
};
struct cs_resv_job cs_resv_of(const struct cs_engine *e,
			      const struct cs_ejob *j, uint32_t option);
/* The same if it confines the job to its nodes and time, else NULL. */
static inline const struct cs_held_nodes *
cs_resv_confines(const struct cs_resv_job *of)
{
	return of->own && !(of->own->flags & CS_RESV_FLEX) ? of->own : NULL;
}
/* Is the job confined to its reservation's cores? */
bool cs_resv_within_cores(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t option);

/* What @h, in its time, keeps from a job in @of; a forecast (forecast.c): nothing. */
enum cs_keeps cs_resv_keeps(const struct cs_resv_job *of,
			    const struct cs_held_nodes *h);
/* Its start, for a job that starts at @from_us: both on the host's clock. */
int64_t cs_resv_start_us(const struct cs_held_nodes *h, int64_t from_us);
int64_t cs_resv_end_us(const struct cs_held_nodes *h, int64_t from_us);
/* Does its time overlap @from_us to @until_us? */
bool cs_resv_meets(const struct cs_held_nodes *h, int64_t from_us,
		   int64_t until_us);
/* When a job that starts at @from_us (both on the host's clock) and needs @run_us of
 * the current slice machine is done, by its predicted slices. */
int64_t cs_resv_until_us(const struct cs_engine *e, int64_t from_us,
			 int64_t run_us);

/* Its cores on @node (words of the machine), or NULL. */
const uint64_t *cs_resv_cores(const struct cs_held_nodes *h, uint32_t node);

/* Could the job, which takes empty nodes in shape @s, be packed on nodes with reserved
 * cores? */
bool cs_resv_may_cut(const struct cs_engine *e, const struct cs_ejob *j,
		     uint32_t option, const struct cs_shape *s);
static inline bool cs_resv_cut(const struct cs_engine *e, uint32_t node)
{
	return e->cuts && cs_bit(e->cut, node);
}

/* CS_EV_RESERVATION.  0, -ENOENT, -EINVAL, -ENOMEM. */
int cs_resv_event(struct cs_engine *e, const struct cs_reservation *r,
		  struct cs_err *err);
void cs_resv_done(struct cs_engine *e);

/* Into @mask, nodes the job may use whole if it starts at @from_us and runs @run_us: of
 * its partition, without host reservations of them or their cores in that time, or of
 * its own reservation in its time. */
void cs_resv_nodes(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option, int64_t from_us, int64_t run_us,
		   uint64_t *mask);
/* The same if there were no reservations but its own. */
void cs_resv_lifted(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, int64_t from_us, int64_t run_us,
		    uint64_t *mask);
/* As cs_resv_nodes(), for shape @s, which, packed by core, may use nodes with only some
 * cores reserved.  Returns the machine for that start, with such cores taken: @now, or
 * scratch of the engine that lasts until the next call with e->sm->now, or with
 * another. */
const struct cs_occ *cs_resv_room(const struct cs_engine *e,
				  const struct cs_ejob *j, uint32_t option,
				  const struct cs_shape *s,
				  const struct cs_occ *now, int64_t from_us,
				  int64_t run_us, uint64_t *mask);

#endif
