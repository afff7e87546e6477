/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a job waits, in words that its reader may read: the engine's line with jobs named
 * as the reader knows them (array tasks as in squeue), and without the ids of other
 * users' jobs if PrivateData=jobs hides these.
 */
#include "sched/apply/reason.h"

#include <stdio.h>
#include <time.h>

void cs_reason_call_job(const struct cs_known_job *k, const char *before,
			char *buf, size_t size)
{
	const struct cs_view_desc *d = cs_known_desc(k);

	if (d && d->array_id && k->task != UINT32_MAX)
		snprintf(buf, size, "%s%u_%u", before, d->array_id, k->task);
	else
		snprintf(buf, size, "%s%u", before, k->id);
}

bool cs_reason_name_job(void *arg, uint32_t id, char *buf, size_t size)
{
	const struct cs_reader *r = arg;
	const struct cs_known_job *k = cs_known_find(&r->b->known, id);
	const struct cs_view_desc *d = k ? cs_known_desc(k) : NULL;

	if (r->b->view->private && !r->privileged && (!d || d->uid != r->uid)) {
		snprintf(buf, size, "a job of another user");
		return false;
	}
	if (k)
		cs_reason_call_job(k, "job ", buf, size);
	return true;
}

bool cs_reason_clock(int64_t at_us, char *buf, size_t size)
{
	time_t s = (time_t)(at_us / 1000000);
	struct tm at;

	if (!localtime_r(&s, &at))
		return false;
	snprintf(buf, size, "%02d:%02d", at.tm_hour, at.tm_min);
	return true;
}

int cs_reason(const struct cs_adapter *b, uint32_t id, char *buf, size_t size)
{
	const struct cs_known_job *k = cs_known_find(&b->known, id);
	struct cs_reader r = {
		b, k && cs_known_desc(k) ? cs_known_desc(k)->uid : 0, false
	};

	return cs_explain_reason(
		b->engine, id,
		&(struct cs_audience){ .name = cs_reason_name_job,
				       .arg = &r,
				       .clock = cs_reason_clock },
		buf, size);
}
