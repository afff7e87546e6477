/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of campaigns that outlived a restart, told line by line before the first job
 * comes (CS_EV_KEPT); what is written is in campaign_query.c and ostrich_state.c.
 *
 * Rules.
 *  1. A job of which state was kept is, when it comes, where it was.
 *  2. One that has gone when it is told again (the host was down, or went its own way
 *     meanwhile) has ended: its work is what it had done when the state was kept, so
 *     that nobody waits for what nobody will do.
 */
#include "order/campaign_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "order/campaign_work.h"

static int by_seq(const void *x, const void *y)
{
	const struct cs_kept_campaign *a = x, *b = y;

	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static int by_id(const void *x, const void *y)
{
	const struct cs_kept_job *a = x, *b = y;

	return a->id < b->id ? -1 : a->id > b->id;
}

static struct cs_campaign *kept_campaign(struct cs_campaigns *k, uint64_t seq)
{
	const struct cs_kept_campaign key = { .seq = seq }, *found;

	if (!k->sorted && k->n_kept)
		qsort(k->kept, k->n_kept, sizeof(key), by_seq);
	k->sorted = true;
	found = k->n_kept
			? bsearch(&key, k->kept, k->n_kept, sizeof(key), by_seq)
			: NULL;
	return found ? found->campaign : NULL;
}

/* The next number of *at, a blank before it; more than @most: false. */
static bool next_number(const char **at, int base, uint64_t most, uint64_t *ret)
{
	const char *text = *at + 1;
	char *end;

	if (**at != ' ' || !*text || !strchr("0123456789abcdef", *text))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, base);
	*at = end;
	return end > text && !errno && *ret <= most;
}

/* The next two numbers, high and low half. */
static bool next_large(const char **at, cs_u128 *ret)
{
	uint64_t high, low;

	if (!next_number(at, 16, (UINT64_C(1) << 26) - 1, &high) ||
	    !next_number(at, 16, UINT64_MAX, &low))
		return false;
	*ret = (cs_u128)high << 64 | low;
	return true;
}

/* "job ID SEQ WORK [DONE]", work in two halves of 64 bits */
static int read_job(struct cs_campaigns *k, const char *line,
		    struct cs_err *err)
{
	const char *at = line + 3;
	uint64_t id, seq;
	cs_u128 work, done = 0;
	struct cs_campaign *c = NULL;

	if (cs_array_room(&k->kept_job, &k->cap_kept_job,
			  (size_t)k->n_kept_job + 1))
		return -ENOMEM;
	if (next_number(&at, 10, UINT32_MAX, &id) &&
	    next_number(&at, 10, UINT64_MAX, &seq) && next_large(&at, &work) &&
	    (!*at || next_large(&at, &done)) && !*at && done <= work && id &&
	    (!k->n_kept_job || k->kept_job[k->n_kept_job - 1].id < id))
		c = kept_campaign(k, seq);
	if (!c)
		return cs_err_set(err, -EINVAL,
				  "'%.60s', expected a job of a campaign above",
				  line);
	cs_ostrich_claim(c);
	k->kept_job[k->n_kept_job++] =
		(struct cs_kept_job){ (uint32_t)id, c, work, done };
	return 0;
}

/* "longest US" */
static int read_longest(struct cs_campaigns *k, const char *line,
			struct cs_err *err)
{
	const char *at = line + 7;
	uint64_t us;

	if (!next_number(&at, 10, CS_TIME_NONE, &us) || *at)
		return cs_err_set(err, -EINVAL,
				  "'%.60s', expected a time in microseconds",
				  line);
	k->longest_us = (int64_t)us;
	k->shorter = true;
	return 0;
}

int cs_campaign_read(struct cs_engine *e, const char *line, struct cs_err *err)
{
	struct cs_campaigns *k = e->campaigns;
	struct cs_ostrich *o = k->virtual;
	bool campaign = !strncmp(line, "campaign ", 9);
	int rc;

	/* later what `kept` points to may be gone */
	if (e->ids.n || k->told)
		return cs_err_set(err, -EINVAL,
				  "state of the virtual schedule behind the "
				  "first job, or in two pieces");
	k->kept_us = e->now_us;
	if (!strncmp(line, "job ", 4))
		return read_job(k, line, err);
	if (!strncmp(line, "longest ", 8))
		return read_longest(k, line, err);
	if (campaign &&
	    cs_array_room(&k->kept, &k->cap_kept, (size_t)k->n_kept + 1))
		return -ENOMEM;
	rc = cs_ostrich_read(o, line, e->now_us, err);
	if (!rc && campaign) {
		k->kept[k->n_kept++] =
			(struct cs_kept_campaign){ o->told->last->seq,
						   o->told->last };
		k->sorted = false;
	}
	return rc;
}

void cs_campaign_forget_kept(struct cs_engine *e)
{
	struct cs_campaigns *k = e->campaigns;

	for (uint32_t i = 0; i < k->n_kept_job; i++) {
		const struct cs_kept_job *j = &k->kept_job[i];

		if (!j->campaign)
			continue;
		cs_ostrich_correct(k->virtual, j->campaign, 0,
				   j->work - j->done);
		cs_ostrich_leave(k->virtual, j->campaign);
	}
	k->n_kept_job = k->n_kept = 0;
}

bool cs_campaign_come_back(struct cs_engine *e, struct cs_ejob *j)
{
	struct cs_campaigns *k = e->campaigns;
	const struct cs_kept_job key = { .id = j->job.id };
	struct cs_kept_job *was = NULL;

	if (k->n_kept_job)
		was = bsearch(&key, k->kept_job, k->n_kept_job, sizeof(key),
			      by_id);
	if (!was || !was->campaign ||
	    strcmp(was->campaign->user->name, j->job.user ? j->job.user : ""))
		return false;
	j->campaign = was->campaign;
	j->work = was->work;
	was->campaign = NULL;
	cs_campaign_note_length(e, j);
	cs_campaign_charge(e, j, cs_campaign_work_of(e, j));
	return true;
}
