/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules that an event log keeps, checked a line at a time.
 *
 *	 1  the log begins with a header; a reader starts afresh at each
 *	 2  t never decreases (within a header's stretch)
 *	 3  nodes and cores exist
 *	 4  no core is held by two unsuspended jobs, whatever their size becomes; with mpl
 *	    above 1, by more than mpl
 *	 5  at most jobs_per_node unsuspended jobs on a node; packed ones do not count,
 *	    and for a start, resume or resize by the host itself the count is not
 *	    checked
 *	 6  a resumed job has the cores it had, free again
 *	 7  nothing starts on a node that is down
 *	 8  every start follows its submit (a task of an array: the array's)
 *	 9  a job ends once; a submitted job ends or is still alive
 *	10  only a running job is suspended, only a suspended one resumed, only
 *	    one of these begins, is resized, finished or requeued
 *	11  V never decreases within a header's stretch, and with campaign_hold=strict the
 *	    starts of a decide come in the order of their campaigns' virtual
 *	    ends (order=ostrich; place=space or pack, no slices)
 *	12  a node gets other cores, or none, only while it is down and unused
 *	13  each GPU exists, and no more than all of it is held, also by suspended jobs: so of
 *	    no type are more held on a node than it has; a start that the host did not place
 *	    has as many as the job asks for
 *
 * Memory: the machine and the jobs alive.  A start or resize that breaks 3, 4, 5 or 7 is reported
 * and then holds nothing, so that one mistake is one breach.
 */
#ifndef CS_COSCHED_CHECK_CHECK_STATE_H
#define CS_COSCHED_CHECK_CHECK_STATE_H

#include <stdint.h>

#include "common/base/err.h"
#include "common/log/read_line.h"

struct cs_checkstate;

struct cs_check_counts {
	uint64_t jobs; /* submitted; the tasks of an array one by one */
	uint64_t starts;
	uint64_t groups; /* named by a start */
	uint64_t alive;	 /* jobs alive */
};

/* NULL: no memory. */
struct cs_checkstate *cs_checkstate_create(void);
void cs_checkstate_free(struct cs_checkstate *c);

/* Another file follows, which must begin with a header. */
void cs_checkstate_begin(struct cs_checkstate *c);

/* A header was unreadable: skip to the next without further reports. */
void cs_checkstate_lost(struct cs_checkstate *c);

/*
 * Line number @number of the log is @l; its alloc and header may be taken over.
 * 0; -EINVAL: it breaks a rule, "what, expected what" in @err, and the check
 * goes on; -ENOMEM.  O(what the line's job holds) and a logarithm of the jobs
 * alive.
 */
int cs_checkstate_line(struct cs_checkstate *c, uint64_t number,
		       struct cs_log_line *l, struct cs_err *err);

/*
 * The counts since the last begin.  A job, start or group that the state after a header
 * with "boot" only repeats is not counted again.
 */
void cs_checkstate_counts(const struct cs_checkstate *c,
			  struct cs_check_counts *ret);

#endif
