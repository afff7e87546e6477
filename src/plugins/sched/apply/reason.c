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

bool cs_reason_clock(int64_t at_us, bool seconds, char *buf, size_t size)
{
	time_t s = (time_t)(at_us / 1000000);
	struct tm at;

	if (!localtime_r(&s, &at))
		return false;
	strftime(buf, size, seconds ? "%H:%M:%S" : "%H:%M", &at);
	return true;
}

const char *cs_reason_kept(const struct cs_known_job *k)
{
	static const char *const text[] = {
		[CS_KEPT_OTHER] = NULL,
		[CS_KEPT_HELD] = "it is held (scontrol release lets it go)",
		[CS_KEPT_DEPENDENCY] =
			"it depends on another job (scontrol show job names it)",
		[CS_KEPT_BEGIN] = "its begin time has not come",
		[CS_KEPT_LICENSES] = "licenses that it needs are in use",
		[CS_KEPT_BUFFER] = "its burst buffer is not filled",
		[CS_KEPT_PART_NODES] =
			"it asks for more or fewer nodes than its partition allows, or than are up",
		[CS_KEPT_PART_TIME] =
			"its time limit is above its partition's (scontrol show partition)",
		[CS_KEPT_PART_DOWN] = "its partition is down or inactive",
		[CS_KEPT_RESERVATION] =
			"its reservation is not active now (scontrol show reservation)",
		[CS_KEPT_RESERVED] =
			"a reservation that is not its own keeps nodes that it could use (scontrol show reservation)",
		[CS_KEPT_ARRAY] =
			"as many tasks of its array run as may (the % of --array)",
		[CS_KEPT_LIMIT] =
			"a limit of its association or QOS is reached (squeue's reason names it)",
		[CS_KEPT_COMPLETING] =
			"its run before has not ended on all its nodes yet (an epilog may run there)",
	};

	return k->state == CS_VIEW_WAITING ? text[k->kept] : NULL;
}

const char *cs_reason_kept_beside(const struct cs_known_job *k, int64_t now_us)
{
	bool begins = cs_known_desc(k)->eligible_us > now_us;

	if (k->kept == CS_KEPT_BEGIN)
		return NULL;
	/* of the others only these are known before it may begin */
	if (begins && k->kept != CS_KEPT_HELD && k->kept != CS_KEPT_PART_TIME)
		return NULL;
	return cs_reason_kept(k);
}

int64_t cs_reason_settles_us(const struct cs_known_job *k)
{
	return k->state == CS_VIEW_WAITING && k->settles ? k->lost_us : 0;
}

bool cs_reason_would(const struct cs_adapter *b, const struct cs_known_job *k)
{
	return b->mode == CS_MODE_SHADOW && k->would_us &&
	       k->would_us == b->decided_us;
}

int cs_reason(const struct cs_adapter *b, uint32_t id, char *buf, size_t size)
{
	const struct cs_known_job *k = cs_known_find(&b->known, id);
	struct cs_reader r = {
		b, k && cs_known_desc(k) ? cs_known_desc(k)->uid : 0, false
	};

	return cs_explain_reason(
		b->engine, id,
		&(struct cs_audience){
			.name = cs_reason_name_job,
			.arg = &r,
			.clock = cs_reason_clock,
			.would = k && cs_reason_would(b, k),
			.settles_us = k ? cs_reason_settles_us(k) : 0,
			.kept = k && cs_known_desc(k)
					? cs_reason_kept_beside(k, b->now_us)
					: NULL },
		buf, size);
}
