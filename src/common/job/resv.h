/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's advance reservations: what they keep from which job, and when.  The
 * theory is in resv.c.
 */
#ifndef CS_JOB_RESV_H
#define CS_JOB_RESV_H

#include "state/state.h"

enum cs_keeps {
	CS_KEEPS_NOTHING,
	CS_KEEPS_CORES, /* its cores; its nodes from who takes them whole */
	CS_KEEPS_NODES,
};

/* The reservation that a job is in, if it is in one; @own: NULL where that has no
 * nodes, or is gone. */
struct cs_resv_job {
	bool in;
	const struct cs_held_nodes *own;
	bool shares_cores; /* CS_JOB_SHARES_CORES */
	bool borrows;	   /* CS_JOB_BORROWS, and in none: */
	uint32_t warn_s;   /* ... its notice */
};
struct cs_resv_job cs_resv_of(const struct cs_engine *e,
			      const struct cs_ejob *j, uint32_t option);
/* The same where it keeps the job to its nodes and its time, else NULL. */
static inline const struct cs_held_nodes *
cs_resv_confines(const struct cs_resv_job *of)
{
	return of->own && !(of->own->flags & CS_RESV_FLEX) ? of->own : NULL;
}
/* Is the job one of a reservation of cores, which keeps it to them? */
bool cs_resv_within_cores(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t option);

/* What @h keeps in its time from a job that is in @of; of a forecast (forecast.c)
 * nothing. */
enum cs_keeps cs_resv_keeps(const struct cs_resv_job *of,
			    const struct cs_held_nodes *h);
/* Its time, for who starts at @from_us: both on the host's clock. */
int64_t cs_resv_start_us(const struct cs_held_nodes *h, int64_t from_us);
int64_t cs_resv_end_us(const struct cs_held_nodes *h, int64_t from_us);
/* Does its time meet that from @from_us to @until_us? */
bool cs_resv_meets(const struct cs_held_nodes *h, int64_t from_us,
		   int64_t until_us);
/* When a job is gone that starts at @from_us (both on the host's clock) and needs
 * @run_us of the slice machine at work, as its slices are predicted. */
int64_t cs_resv_until_us(const struct cs_engine *e, int64_t from_us,
			 int64_t run_us);

/* Its cores on @node (words of the machine), or NULL. */
const uint64_t *cs_resv_cores(const struct cs_held_nodes *h, uint32_t node);

/* Might the job, which takes empty nodes in shape @s, be packed where cores of nodes are
 * reserved? */
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

/* Nodes the job may use whole if it starts at @from_us and runs @run_us: of its
 * partition, not reserved by the host in that time, nor cores of them, or of its
 * own reservation in its time.  Into @mask. */
void cs_resv_nodes(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option, int64_t from_us, int64_t run_us,
		   uint64_t *mask);
/* The same for shape @s, which, where it is packed by core, may have nodes of which
 * only cores are reserved.  Returns the machine as it is for that start, where such
 * cores are taken: @now or scratch of the engine, until the next call with e->sm->now,
 * or with another. */
const struct cs_occ *cs_resv_room(const struct cs_engine *e,
				  const struct cs_ejob *j, uint32_t option,
				  const struct cs_shape *s,
				  const struct cs_occ *now, int64_t from_us,
				  int64_t run_us, uint64_t *mask);

#endif
