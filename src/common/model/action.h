/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a decide asks the host to do, in order.
 */
#ifndef CS_MODEL_ACTION_H
#define CS_MODEL_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/event.h"
#include "model/machine.h"

enum cs_action_type {
	CS_ACT_START,	   /* start on exactly these nodes and cores */
	CS_ACT_HOST_START, /* let the host's own test place it, on nodes of
			      alloc only (its cores do not matter).  Of several
			      in a row one starts: answer those after it
			      CS_REFUSED_GROUP */
	CS_ACT_LIMIT,	   /* give a running job this limit */
	CS_ACT_JOINED,	/* a running job is in a group now; nothing to apply */
	CS_ACT_DISBAND, /* a group has ended; nothing to apply */
	CS_ACT_SUSPEND, /* stop a running job until its RESUME; answered by
			      CS_EV_SUSPEND or CS_EV_REFUSED */
	CS_ACT_RESUME,	/* resume it on its cores; answered by CS_EV_RESUME or
			      CS_EV_REFUSED */
	CS_ACT_SLICE,	/* a time slice begins; nothing to apply */
};

/*
 * Pointers are the engine's and valid until the next event or decide.
 */
struct cs_action {
	enum cs_action_type type;
	uint32_t seq;	/* > 0, of this action; 0: no answer wanted */
	uint32_t needs; /* seq of a start or stop that must be confirmed first;
			   0: none */
	uint32_t job_id;
	uint32_t option;	      /* index into the job's options */
	const struct cs_alloc *alloc; /* START, HOST_START */
	uint32_t procs_per_node;      /* most on any of its nodes */
	int64_t limit_us; /* START, LIMIT: the limit to set; START: 0 to leave
					 it as it is */
	uint32_t group;	  /* 0: none */
	enum cs_role role;
	uint32_t partner_id; /* job id of the primary job (for a primary, of the first
			  matched one); 0: none */
	bool packed; /* by core, outside the jobs_per_node count (unprofiled=pack) */
	bool ask;      /* HOST_START: if refused, give a forecast */
	uint32_t rule; /* Zeng09's case 1 to 5 of section 4.4; 0: another rule */
	double slowdown; /* of the job there: self times coscheduling, over the
			    one its estimate is for */
	double beside;	 /* START, LIMIT: its coscheduling part */
	double gain;	 /* utilisation gain of the decision (Zeng09, eq. 6) */
	int64_t credit_us; /* DISBAND: what sharing has cost this job */
	uint64_t campaign; /* START with order=ostrich: its number among all; 0 */
	int64_t virtual_us;	/* ... its projected virtual end */
	double service, finish; /* ... V, and its F: its rank; in core seconds
				   for a user of weight 1e6 */
	uint32_t slice;		/* SLICE: enum cs_class */
	uint32_t slot,
		slots; /* SLICE of slice=gang: which of how many, from 1; else
				   0 */
	int64_t until_us; /* SLICE: its latest end */
};

struct cs_actions {
	size_t n;
	const struct cs_action *action; /* [n] */
	bool changed;  /* later decides may depend on this one, even with n = 0:
			 promises were made or moved, or it ends one that was
			 answered in a pause */
	bool more;     /* the decide has paused: cs_engine_decide_part() */
	int64_t steps; /* it did in this part */
	bool part; /* it was about a part of the machine: cs_decide_part.nodes */
};

#endif
