/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a job waits, in words that its reader may read: the engine's line with jobs named
 * as the reader knows them (array tasks as in squeue), and without the ids of other
 * users' jobs if PrivateData=jobs hides these.
 *
 * With time slices it begins with the one that the job waits for, as "long slice at
 * 14:30", during others' slices.
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

/* Its slice, if another class is served; returns the length. */
static int put_slice(const struct cs_adapter *b, uint32_t id, char *buf,
		     size_t size)
{
	uint32_t class =
		b->stops.sliced ? cs_engine_class(b->engine, id) : CS_CLASSES;
	struct tm at;
	time_t s;
	int n;

	if (size)
		*buf = 0;
	if (class >= CS_CLASSES || class == b->stops.now.class ||
	    b->stops.now.next_us[class] == CS_TIME_NONE)
		return 0;
	s = (time_t)(b->stops.now.next_us[class] / 1000000);
	if (!localtime_r(&s, &at))
		return 0;
	n = snprintf(buf, size, "%s slice at %02d:%02d; ", cs_class_name(class),
		     at.tm_hour, at.tm_min);
	return n < 0 || (size_t)n >= size ? 0 : n;
}

int cs_reason(const struct cs_adapter *b, uint32_t id, char *buf, size_t size)
{
	int n = put_slice(b, id, buf, size), rc;
	const struct cs_known_job *k = cs_known_find(&b->known, id);
	struct cs_reader r = {
		b, k && cs_known_desc(k) ? cs_known_desc(k)->uid : 0, false
	};

	rc = cs_explain_reason(
		b->engine, id,
		&(struct cs_audience){ .name = cs_reason_name_job, .arg = &r },
		buf + n, size - (size_t)n);
	if (rc >= 0 && !buf[n])
		*buf = 0; /* it does not wait */
	return rc < 0 ? rc : rc + n;
}
