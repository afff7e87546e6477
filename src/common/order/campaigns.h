/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of order=ostrich, which its files share: jobs as campaigns of their users.
 * The theory is in campaign.c.
 */
#ifndef CS_ORDER_CAMPAIGNS_H
#define CS_ORDER_CAMPAIGNS_H

#include <stdbool.h>
#include <stdint.h>

#include "order/ostrich.h"

struct cs_ejob;

struct cs_kept_campaign { /* of state that was told: "campaign" lines */
	uint64_t seq;
	struct cs_campaign *campaign;
};

struct cs_kept_job { /* "job" lines, until the job comes */
	uint32_t id;
	struct cs_campaign *campaign; /* NULL: it has come */
	cs_u128 work, done;
};

struct cs_campaigns {
	struct cs_ostrich *virtual;
	int64_t longest_us;   /* p of the bounds (campaign_work.c) */
	bool shorter;	      /* one as long has left since */
	struct cs_ejob **due; /* heap by eligible time; room for every job */
	uint32_t n_due, cap_due;
	struct cs_kept_campaign *kept; /* [n_kept] */
	uint32_t n_kept, cap_kept;
	struct cs_kept_job *kept_job; /* [n_kept_job] by id */
	uint32_t n_kept_job, cap_kept_job;
	bool sorted; /* kept, by seq */
	bool told;   /* something else came behind that state: it is whole */
	int64_t kept_us; /* instant of that state */
};

#endif
