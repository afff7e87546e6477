/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time slices by class of runtime (slice=pect); the theory is in pect.c. */
#ifndef CS_SLICE_SLICES_H
#define CS_SLICE_SLICES_H

#include "base/err.h"
#include "model/job.h"
#include "model/machine.h"

struct cs_engine;
struct cs_ejob;
struct cs_pass;
struct cs_vm;

struct cs_day_share { /* of the medium jobs, from a time of day on */
	int64_t from_s;
	double medium;
};

struct cs_slices {
	struct cs_day_share *day; /* [n_day] from_s increasing */
	uint32_t n_day;	   /* 0: shares do not go by the time of day */
	bool by_load;
	uint32_t class;	   /* whose slice; CS_CLASSES: none yet */
	int64_t serve_us;  /* its overhead is over, jobs run */
	int64_t end_us;	   /* of the slice */
	int64_t period_us; /* end of the short slice in this interval, else its
			      beginning */
	double share; /* of the medium jobs, in this interval */
	uint16_t *crowd;   /* [n_node] started jobs of all classes */
	uint16_t *busy[CS_CLASSES]; /* [n_node] unsuspended jobs of a class */
	uint64_t *usable[CS_CLASSES]; /* node sets: idle, or of that class */
	uint64_t *stuck; /* node set: others run there, and cannot be stopped
			    before the host may be asked again */
	uint32_t last_stop; /* seq, of those of this decide; 0: none */
	bool other;	   /* jobs of another class are being placed */
	uint32_t cores, nodes; /* held by unsuspended jobs */
};

int cs_slice_init(struct cs_engine *e);
void cs_slice_done(struct cs_engine *e);

/* Class of a job by its estimate. */
uint32_t cs_slice_class(const struct cs_engine *e, int64_t estimate_us);

/* Does virtual machine @vm have the real one now? */
bool cs_slice_serves(const struct cs_engine *e, const struct cs_vm *vm);

/* The host's clock goes on to @now_us: those of waiting machines do not. */
void cs_slice_clock(struct cs_engine *e, int64_t now_us);

/* When a job that needs @service_us of its virtual machine from now on has had
 * them, on the host's clock, if nothing but its own slices serves it. */
int64_t cs_slice_wall_us(const struct cs_engine *e, const struct cs_vm *vm,
			 int64_t service_us);

/* @j got, or gives back, its nodes on its virtual machine. */
void cs_slice_got(struct cs_engine *e, const struct cs_ejob *j, int more);

/* @j came to, or leaves, the nodes that it runs on. */
void cs_slice_enters(struct cs_engine *e, const struct cs_ejob *j);
void cs_slice_leaves(struct cs_engine *e, const struct cs_ejob *j);

/* For who is of the slice, stop the jobs of other classes that run on the nodes of
 * @a.  What is done there needs *@ret_needs (0: nothing), a stop of this decide, to
 * have been done; a later one stands for all before it.  0, -ENOMEM. */
int cs_slice_clear(struct cs_engine *e, const struct cs_alloc *a,
		   uint32_t *ret_needs);

/* The host could not stop or resume @j: not asked for again before retry_s. */
void cs_slice_refused(struct cs_engine *e, struct cs_ejob *j);

/* One decide under slices: ends and begins them, and calls @walk for the virtual
 * machine of the slice, then for the others' jobs on what is left idle. */
int cs_slice_decide(struct cs_engine *e, int (*walk)(struct cs_engine *e));

/* No node has running jobs of two classes, and the counts are right.  0, or
 * -EINVAL with the first breach in @err.  O(nodes * jobs on each). */
int cs_slice_check(const struct cs_engine *e, struct cs_err *err);

/* The next end, or beginning of service, of a slice; CS_TIME_NONE: nobody is
 * there to be served. */
int64_t cs_slice_wakeup_us(const struct cs_engine *e);

#endif
