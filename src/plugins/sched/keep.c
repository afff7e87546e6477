/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What outlives a restart: groups, progress, and limits before they were raised.
 *
 *	cosched 1
 *	job ID START ARRAY GROUP ROLE PACKED ESTIMATE DONE AT FACTOR RAISED FLAG
 *	    SHARED							(one line)
 *
 * Times in microseconds since 1970 or of run time; FACTOR, what a second of the
 * estimate takes since AT, in millionths.  A job is known again by its
 * number and start together: a number may come back for another job.  All else
 * is read from Slurm; a line that is not understood is left out.
 */
#include "inside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "cosched 1\n"
#define KEPT_MAX 1000000 /* lines */

bool cs_bridge_dirty(const struct cs_bridge *b)
{
	return b->dirty;
}

static int print_job(const struct cs_bridge *b, const struct cs_known_job *k,
		     char *buf, size_t size)
{
	struct cs_running r;

	if (k->state == CS_VIEW_WAITING || k->ghost ||
	    cs_engine_running(b->engine, k->id, &r))
		return 0;
	return snprintf(buf, size,
			"job %u %" PRId64 " %u %u %u %u %" PRId64 " %" PRId64
			" %" PRId64 " %u %u %u %u\n",
			k->id, k->start_us, k->array_id, r.group,
			(unsigned)r.role, (unsigned)r.packed, r.estimate_us,
			r.done_us, r.at_us, (unsigned)(r.slowdown * 1e6),
			k->raised_from, k->raised_flag, (unsigned)k->shared);
}

char *cs_bridge_save(struct cs_bridge *b, size_t *ret_len)
{
	size_t cap = sizeof(HEAD) + 256, len = strlen(HEAD);
	char *text;

	for (uint32_t i = 0; i < b->known.n; i++)
		cap += b->known.list[i]->state != CS_VIEW_WAITING ? 256 : 0;
	text = malloc(cap);
	if (!text)
		return NULL;
	memcpy(text, HEAD, len + 1);
	for (uint32_t i = 0; b->engine && i < b->known.n; i++) {
		int n = print_job(b, b->known.list[i], text + len, cap - len);

		if (n > 0 && (size_t)n < cap - len)
			len += (size_t)n;
	}
	text[len] = '\0';
	b->dirty = false;
	*ret_len = len;
	return text;
}

static int by_id(const void *x, const void *y)
{
	const struct cs_kept *a = x, *b = y;

	return a->id < b->id ? -1 : a->id > b->id;
}

static bool parse(const char *line, struct cs_kept *k)
{
	memset(k, 0, sizeof(*k));
	return sscanf(line,
		      "job %" SCNu32 " %" SCNd64 " %" SCNu32 " %" SCNu32
		      " %" SCNu32 " %" SCNu32 " %" SCNd64 " %" SCNd64
		      " %" SCNd64 " %" SCNu32 " %" SCNu32 " %" SCNu32
		      " %" SCNu32,
		      &k->id, &k->start_us, &k->array_id, &k->group, &k->role,
		      &k->packed, &k->estimate_us, &k->done_us, &k->at_us,
		      &k->factor, &k->raised_from, &k->raised_flag,
		      &k->shared) == 13 &&
	       k->id && k->start_us > 0 && k->role <= CS_ROLE_MATCHED &&
	       k->estimate_us > 0 && k->done_us >= 0 &&
	       k->at_us >= k->start_us;
}

void cs_keep_read(struct cs_bridge *b, const char *text, size_t len)
{
	const char *end = text + len, *at;
	char line[512];
	uint32_t n = 0;

	if (len < strlen(HEAD) || memcmp(text, HEAD, strlen(HEAD)))
		return;
	text += strlen(HEAD);
	for (at = text; at < end && n < KEPT_MAX; at++)
		n += *at == '\n';
	b->kept = n ? calloc(n, sizeof(*b->kept)) : NULL;
	for (at = text; b->kept && at < end && b->n_kept < n;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((stop ? stop : end) - at);

		if (size < sizeof(line)) {
			memcpy(line, at, size);
			line[size] = '\0';
			b->n_kept += parse(line, &b->kept[b->n_kept]);
		}
		at += size + 1;
	}
	if (b->n_kept)
		qsort(b->kept, b->n_kept, sizeof(*b->kept), by_id);
}

const struct cs_kept *cs_keep_find(const struct cs_bridge *b, uint32_t id,
				   int64_t start_us)
{
	const struct cs_kept key = { .id = id }, *k;

	k = b->n_kept ? bsearch(&key, b->kept, b->n_kept, sizeof(key), by_id) :
			NULL;
	return k && k->start_us == start_us ? k : NULL;
}
