/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State that outlives a restart: groups, progress, limits before raises, and with
 * order=ostrich campaigns and the virtual schedule.
 *
 *	cosched 1
 *	job ID START ARRAY GROUP ROLE PACKED ESTIMATE DONE AT FACTOR RAISED FLAG
 *	    SHARED RAN STOPS MOVED FLOOR				(one line)
 *	virtual LINE			a line of cs_engine_save(), in their order
 *
 * and, apart from that, since mode shadow has it too and damage to one file shall not
 * cost the other, what was learned: the lines "learn ..." of cs_engine_save(), as they
 * are.  (They were "virtual" lines once, and are still read as such.)
 *
 * Times in microseconds since 1970 or of run time; FACTOR, what a second of the
 * estimate takes since AT, in millionths; RAN, running time until AT, is missing in
 * older files: then all since START; so is STOPS, by time slices, and MOVED, the second
 * of the last stop or, negative, resume by one (0: none), and FLOOR, the limit that it
 * got for crossing sites, which it keeps (0: none).  A job is recognised
 * by id and start together: an id may be reused.  All else is read from Slurm; an
 * unknown line is left out.
 */
#include "sched/feed/adapter_state.h"

#include "common/base/array.h"
#include "common/learn/past.h"
#include "common/order/ostrich.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/feed/feed_event.h"

#define HEAD "cosched 1\n"
#define VIRTUAL "virtual "
#define KEPT_MAX 1000000 /* lines */

bool cs_checkpoint_dirty(const struct cs_adapter *b)
{
	return b->dirty;
}

static int print_job(const struct cs_adapter *b, const struct cs_known_job *k,
		     char *buf, size_t size)
{
	struct cs_running r;

	if (k->state == CS_VIEW_WAITING || k->ghost ||
	    cs_engine_running(b->engine, k->id, &r))
		return 0;
	return snprintf(buf, size,
			"job %u %" PRId64 " %u %u %u %u %" PRId64 " %" PRId64
			" %" PRId64 " %u %u %u %u %" PRId64 " %u %" PRId64
			" %" PRId64 "\n",
			k->id, k->start_us, k->array_id, r.group,
			(unsigned)r.role, (unsigned)r.packed, r.estimate_us,
			r.done_us, r.at_us, (unsigned)(r.slowdown * 1e6),
			k->raised_from, k->raised_flag, (unsigned)k->shared,
			r.ran_us, k->stops, k->moved_s, r.floor_us);
}

/* The engine's lines, each with its '\n'; NULL: no memory. */
static char *engine_lines(const struct cs_adapter *b)
{
	size_t n = b->engine ? cs_engine_save(b->engine, NULL, 0) : 0;
	char *text = malloc(n + 1);

	if (text && n)
		cs_engine_save(b->engine, text, n + 1);
	else if (text)
		*text = '\0';
	return text;
}

/* Those of what was @learned, or the others. */
static char *lines_of(const struct cs_adapter *b, bool learned)
{
	char *text = engine_lines(b), *to = text;

	for (char *at = text, *end; at && *at; at = end) {
		end = strchr(at, '\n') + 1;
		if (cs_past_is_line(at) != learned)
			continue;
		memmove(to, at, (size_t)(end - at));
		to += end - at;
	}
	if (text)
		*to = '\0';
	return text;
}

/* Append them to @text of @len bytes, which may move. */
static char *add_virtual(const struct cs_adapter *b, char *text, size_t *len)
{
	char *lines = lines_of(b, false), *all = NULL, *to;
	size_t n = 0;

	for (const char *c = lines; c && *c; c++)
		n += *c == '\n';
	if (lines)
		all = realloc(text,
			      *len + strlen(lines) + n * strlen(VIRTUAL) + 1);
	if (!all)
		free(text);
	to = all ? all + *len : NULL;
	for (const char *c = lines, *end; to && *c; c = end) {
		end = strchr(c, '\n') + 1;
		memcpy(to, VIRTUAL, strlen(VIRTUAL));
		memcpy(to + strlen(VIRTUAL), c, (size_t)(end - c));
		to += strlen(VIRTUAL) + (size_t)(end - c);
	}
	if (to) {
		*to = '\0';
		*len = (size_t)(to - all);
	}
	free(lines);
	return all;
}

char *cs_checkpoint_save(struct cs_adapter *b, size_t *ret_len)
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
	text = add_virtual(b, text, &len);
	if (!text)
		return NULL;
	b->dirty = false;
	*ret_len = len;
	return text;
}

int cs_checkpoint_learned(struct cs_adapter *b, char **ret)
{
	bool none = b->params.learn == CS_LEARN_OFF || !b->engine;

	*ret = none ? NULL : lines_of(b, true);
	if (!*ret && !none)
		return -ENOMEM;
	b->dirty = false;
	return 0;
}

static int by_id(const void *x, const void *y)
{
	const struct cs_kept *a = x, *b = y;

	return a->id < b->id ? -1 : a->id > b->id;
}

static bool parse(const char *line, struct cs_kept *k)
{
	int n;

	memset(k, 0, sizeof(*k));
	n = sscanf(line,
		   "job %" SCNu32 " %" SCNd64 " %" SCNu32 " %" SCNu32
		   " %" SCNu32 " %" SCNu32 " %" SCNd64 " %" SCNd64 " %" SCNd64
		   " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNd64
		   " %" SCNu32 " %" SCNd64 " %" SCNd64,
		   &k->id, &k->start_us, &k->array_id, &k->group, &k->role,
		   &k->packed, &k->estimate_us, &k->done_us, &k->at_us,
		   &k->factor, &k->raised_from, &k->raised_flag, &k->shared,
		   &k->ran_us, &k->stops, &k->moved_s, &k->floor_us);
	if (n < 13 || !k->id || k->start_us <= 0 || k->role > CS_ROLE_MATCHED ||
	    k->estimate_us <= 0 || k->done_us < 0 || k->at_us < k->start_us)
		return false;
	if (k->ran_us < 0 || k->ran_us > k->at_us - k->start_us)
		k->ran_us = 0;
	return true;
}

/* Keep the engine's @line until there is an engine. */
static void keep_line(struct cs_adapter *b, const char *line)
{
	size_t n = strlen(line) + 1;

	if (cs_array_room(&b->restored.line, &b->restored.cap_line,
			  b->restored.n_line + n))
		return;
	memcpy(b->restored.line + b->restored.n_line, line, n);
	b->restored.n_line += n;
}

void cs_checkpoint_read(struct cs_adapter *b, const char *text, size_t len)
{
	const char *end = text + len, *at;
	char line[CS_OSTRICH_LINE + sizeof(VIRTUAL)];
	uint32_t n = 0;

	b->restored.no_state =
		len < strlen(HEAD) || memcmp(text, HEAD, strlen(HEAD));
	if (b->restored.no_state)
		return;
	text += strlen(HEAD);
	for (at = text; at < end && n < KEPT_MAX; at++)
		n += *at == '\n';
	b->restored.kept = n ? calloc(n, sizeof(*b->restored.kept)) : NULL;
	for (at = text;
	     b->restored.kept && at < end && b->restored.n_kept < n;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((stop ? stop : end) - at);

		if (size < sizeof(line)) {
			memcpy(line, at, size);
			line[size] = '\0';
			if (!strncmp(line, VIRTUAL, strlen(VIRTUAL)))
				keep_line(b, line + strlen(VIRTUAL));
			else
				b->restored.n_kept += parse(
					line,
					&b->restored.kept[b->restored.n_kept]);
		}
		at += size + 1;
	}
	if (b->restored.n_kept)
		qsort(b->restored.kept, b->restored.n_kept,
		      sizeof(*b->restored.kept), by_id);
}

void cs_checkpoint_read_learned(struct cs_adapter *b, const char *text)
{
	char line[CS_OSTRICH_LINE];
	size_t n;

	for (; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (n >= sizeof(line))
			continue;
		memcpy(line, text, n);
		line[n] = '\0';
		if (cs_past_is_line(line))
			keep_line(b, line);
	}
}

int cs_checkpoint_tell(struct cs_adapter *b)
{
	struct cs_event ev = { .type = CS_EV_KEPT, .t_us = b->now_us };
	struct cs_err err, first;
	unsigned bad = 0;
	int rc = 0;

	for (size_t at = 0; rc != -ENOMEM && at < b->restored.n_line;
	     at += strlen(b->restored.line + at) + 1) {
		ev.kept = b->restored.line + at;
		rc = cs_feed_tell(b, &ev, NULL, &err);
		b->restored.odd_nodes |=
			rc == -ESTALE && cs_past_is_line(ev.kept);
		if (rc && !bad++)
			first = err;
	}
	if (bad)
		cs_say(true,
		       "%u lines of the engine's in the state are left out: %s",
		       bad, first.text);
	free(b->restored.line);
	b->restored.line = NULL;
	b->restored.n_line = b->restored.cap_line = 0;
	return rc == -ENOMEM ? rc : 0;
}

bool cs_checkpoint_odd_nodes(struct cs_adapter *b)
{
	bool odd = b->restored.odd_nodes;

	b->restored.odd_nodes = false;
	return odd;
}

void cs_checkpoint_log(struct cs_adapter *b)
{
	struct cs_event ev = { .type = CS_EV_KEPT, .t_us = b->now_us };
	/* before the first snapshot there is no state, not even a time */
	char *lines = b->count.snapshots ? engine_lines(b) : NULL, *save = NULL;

	for (char *l = lines ? strtok_r(lines, "\n", &save) : NULL; l;
	     l = strtok_r(NULL, "\n", &save)) {
		ev.kept = l;
		cs_feed_log_event(b, &ev, NULL);
	}
	free(lines);
}

const struct cs_kept *cs_checkpoint_find(const struct cs_adapter *b,
					 uint32_t id, int64_t start_us)
{
	const struct cs_kept key = { .id = id }, *k;

	k = b->restored.n_kept ? bsearch(&key, b->restored.kept,
					 b->restored.n_kept, sizeof(key), by_id)
			       : NULL;
	return k && k->start_us == start_us ? k : NULL;
}
