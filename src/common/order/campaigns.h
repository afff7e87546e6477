/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of order=ostrich, shared by its files: jobs as campaigns of their users.
 * The theory is in campaign.c.
 */
#ifndef CS_ORDER_CAMPAIGNS_H
#define CS_ORDER_CAMPAIGNS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine.h"
#include "order/ostrich.h"

struct cs_ejob;

struct cs_kept_campaign { /* of restored state: "campaign" lines */
	uint64_t seq;
	struct cs_campaign *campaign;
};

struct cs_kept_job { /* "job" lines, until the job arrives */
	uint32_t id;
	struct cs_campaign *campaign; /* NULL: it has arrived */
	cs_u128 work, done;
};

struct cs_campaigns {
	struct cs_ostrich *virtual;
	struct cs_node like;  /* whose threads count in the work of jobs */
	int64_t longest_us;   /* p of the bounds (campaign_work.c) */
	bool shorter;	      /* a job that long has left since */
	struct cs_ejob **due; /* heap by eligible time; room for every job */
	uint32_t n_due, cap_due;
	struct cs_kept_campaign *kept; /* [n_kept] */
	uint32_t n_kept, cap_kept;
	struct cs_kept_job *kept_job; /* [n_kept_job] by id */
	uint32_t n_kept_job, cap_kept_job;
	bool sorted; /* kept, by seq */
	bool told;   /* something else followed that state: it is complete */
	int64_t kept_us; /* when that state was saved */
};

#endif
