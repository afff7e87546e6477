/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of slice=pect, shared by its files; the theory is in pect.c. */
#ifndef CS_SLICE_SLICES_H
#define CS_SLICE_SLICES_H

#include "base/err.h"
#include "model/job.h"
#include "model/machine.h"

struct cs_engine;
struct cs_ejob;
struct cs_slice_now;
struct cs_slice_machine;

struct cs_day_share { /* of the medium jobs, from a time of day on */
	int64_t from_s;
	double medium;
};

struct cs_slices {
	struct cs_day_share *day; /* [n_day] from_s increasing */
	uint32_t n_day;		  /* 0: shares do not go by the time of day */
	bool by_load;
	uint32_t class;	   /* whose slice; CS_CLASSES: none yet */
	int64_t serve_us;  /* end of its overhead: jobs run */
	int64_t end_us;	   /* of the slice */
	int64_t period_us; /* end of the short slice in this interval, or its
			      beginning */
	double share;	   /* of the medium jobs, in this interval */
	uint16_t *crowd;   /* [n_node] started jobs of all classes */
	uint16_t *busy[CS_CLASSES];   /* [n_node] running jobs of a class */
	uint64_t *usable[CS_CLASSES]; /* node sets: idle, or of that class */
	uint32_t twofold; /* nodes with running jobs of several classes */
	bool mixed; /* the host has a job on a node of another class; false without
		       such nodes */
	uint32_t last_stop;    /* seq, of those of this decide; 0: none */
	uint32_t cores, nodes; /* held by running jobs */
	int64_t settle_from_us; /* others wait since then, rule 5; NONE: they do not */
	int64_t settle_us; /* how much longer they may in this slice */
};

/* class_nodes.c: what of struct cs_slice_ops concerns nodes. */
void cs_slice_booked(struct cs_engine *e, const struct cs_ejob *j, int more);
void cs_slice_enters(struct cs_engine *e, const struct cs_ejob *j);
void cs_slice_leaves(struct cs_engine *e, const struct cs_ejob *j);
/* @j runs where the host placed it, or refused to stop it, perhaps beside another class:
 * cs_slice_check() tolerates such nodes until there is none. */
void cs_slice_host_put(struct cs_slices *s, const struct cs_ejob *j);
int cs_slice_check(const struct cs_engine *e, struct cs_err *err);
/* slice_shares.c: predictions (struct cs_slice_ops, wall_us). */
int cs_slice_now(const struct cs_engine *e, struct cs_slice_now *ret);
int64_t cs_slice_wall_us(const struct cs_engine *e,
			 const struct cs_slice_machine *sm, int64_t service_us);
int64_t cs_slice_until_us(const struct cs_engine *e, const struct cs_ejob *j,
			  int64_t service_us);

#endif
