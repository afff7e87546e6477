/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a job waits, in words that its reader may read: the engine's line with the
 * jobs named as the reader knows them (an array's tasks as squeue has them), and
 * without the numbers of other users' jobs where PrivateData=jobs hides these.
 */
#include "sched/apply/reason.h"

#include <stdio.h>

void cs_call_job(const struct cs_known_job *k, const char *before, char *buf,
		 size_t size)
{
	const struct cs_view_desc *d = cs_known_desc(k);

	if (d && d->array_id && k->task != UINT32_MAX)
		snprintf(buf, size, "%s%u_%u", before, d->array_id, k->task);
	else
		snprintf(buf, size, "%s%u", before, k->id);
}

bool cs_name_job(void *arg, uint32_t id, char *buf, size_t size)
{
	const struct cs_reader *r = arg;
	const struct cs_known_job *k = cs_known_find(&r->b->known, id);
	const struct cs_view_desc *d = k ? cs_known_desc(k) : NULL;

	if (r->b->view->private && !r->privileged && (!d || d->uid != r->uid)) {
		snprintf(buf, size, "a job of another user");
		return false;
	}
	if (k)
		cs_call_job(k, "job ", buf, size);
	return true;
}

int cs_bridge_reason(const struct cs_bridge *b, uint32_t id, char *buf,
		     size_t size)
{
	const struct cs_known_job *k = cs_known_find(&b->known, id);
	struct cs_reader r = {
		b, k && cs_known_desc(k) ? cs_known_desc(k)->uid : 0, false
	};

	return cs_engine_reason(b->engine, id,
				&(struct cs_audience){ cs_name_job, &r }, buf,
				size);
}
