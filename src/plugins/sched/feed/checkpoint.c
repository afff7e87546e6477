/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State that outlives a restart: groups, progress, limits before raises, and with
 * order=ostrich campaigns and the virtual schedule.
 *
 *	cosched 1
 *	job ID START ARRAY GROUP ROLE PACKED ESTIMATE DONE AT FACTOR RAISED FLAG
 *	    SHARED RAN STOPS MOVED FLOOR RESTARTS LIMIT CPUS FROM	(one line)
 *	user UID NAME			a name of a user, the present one first
 *	named ID UID NAME		a job that was fed with another than that
 *	virtual LINE			a line of cs_engine_save(), in their order
 *
 * and, apart from that, since mode shadow has it too and damage to one file shall not
 * cost the other, what was learned: the lines "learn ..." of cs_engine_save(), as they
 * are.  (They were "virtual" lines once, and are still read as such.)
 *
 * Times in microseconds since 1970 or of run time; FACTOR, what a second of the
 * estimate takes since AT, in millionths; RAN, running time until AT, is missing in
 * older files, or 0: then all since FROM; so is STOPS, by time slices, and MOVED, the second
 * of the last stop or, negative, resume by one (0: none), and FLOOR, the limit that it
 * got for crossing sites, which it keeps (0: none).  All else is read from Slurm; an
 * unknown line is left out.
 *
 * A run is recognised by id and RESTARTS, Slurm's count of the job's requeues: its start
 * moves when its nodes have booted.  It does not move back: an earlier start means that an
 * id was reused.  A start that slurmctld lost leaves the count as it is, so the line of a
 * job that waits in the first snapshot is of no run.  Older files lack RESTARTS: there the
 * start decides.  LIMIT, as we left it: a job that still has it in another run, or waits
 * with it, was raised by us, from RAISED.  CPUS, at its start: others mean that its size
 * was changed meanwhile.  FROM, since when its time counts (0: START).
 *
 * All is printed at each save: 32,000 running jobs take 11 ms of processor by put(), 22
 * by snprintf().
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

#include "resident/users.h"
#include "sched/feed/ended.h"
#include "sched/feed/feed_event.h"

#define HEAD "cosched 1\n"
#define VIRTUAL "virtual "
#define USER "user "
#define NAMED "named "
#define KEPT_MAX 1000000 /* lines */

bool cs_checkpoint_dirty(const struct cs_adapter *b)
{
	/* What was saved before is all there is until the jobs were seen. */
	return b->count.snapshots &&
	       (b->dirty || b->names != cs_users_version());
}

/* ---- printing ---------------------------------------------------------------- */

struct text {
	char *at; /* [n], no 0 at its end */
	size_t n, cap;
};

/* Room for @more bytes; 0, -ENOMEM. */
static int text_room(struct text *t, size_t more)
{
	return cs_array_room(&t->at, &t->cap, t->n + more);
}

#define NUMBER_MAX 21 /* bytes of ' ' and a number, of up to 20 */

/* Append ' ' and @v; there is room. */
static void put(struct text *t, int64_t v)
{
	char digits[20];
	uint64_t rest = v < 0 ? -(uint64_t)v : (uint64_t)v;
	int n = 0;

	do {
		digits[n++] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	t->at[t->n++] = ' ';
	if (v < 0)
		t->at[t->n++] = '-';
	while (n)
		t->at[t->n++] = digits[--n];
}

static int put_numbers(struct text *t, const int64_t *number, size_t n)
{
	if (text_room(t, strlen("job") + n * NUMBER_MAX + 1))
		return -ENOMEM;
	memcpy(t->at + t->n, "job", strlen("job"));
	t->n += strlen("job");
	for (size_t i = 0; i < n; i++)
		put(t, number[i]);
	t->at[t->n++] = '\n';
	return 0;
}

/* The line of @k, of which the engine says @r. */
static struct cs_kept line_of(const struct cs_known_job *k,
			      const struct cs_running *r)
{
	return (struct cs_kept){
		.id = k->id,
		.start_us = k->start_us,
		.array_id = k->array_id,
		.group = r->group,
		.role = (uint32_t)r->role,
		.packed = r->packed,
		.estimate_us = r->estimate_us,
		.done_us = r->done_us,
		.at_us = r->at_us,
		.factor = (uint32_t)(r->slowdown * 1e6),
		.raised_from = k->raised_from,
		.raised_flag = k->raised_flag,
		.shared = k->shared,
		.ran_us = r->ran_us,
		.stops = k->stops,
		.moved_s = k->moved_s,
		.floor_us = r->floor_us,
		.restarts = k->restarts,
		.limit_us = k->limit_us,
		.cpus = k->cpus_first,
		.from_us = r->from_us,
	};
}

bool cs_checkpoint_of(const struct cs_adapter *b, const struct cs_known_job *k,
		      struct cs_kept *ret)
{
	struct cs_running r = { .estimate_us =
					k->raised_from * INT64_C(60000000),
				.at_us = k->start_us,
				.slowdown = 1 };
	bool there = k->state != CS_VIEW_WAITING && !k->ghost &&
		     !cs_engine_running(b->engine, k->id, &r);

	/* of one that the engine does not have, what to undo at its requeue */
	if (!there && (k->state == CS_VIEW_WAITING || !k->raised_from))
		return false;
	*ret = line_of(k, &r);
	return true;
}

static int put_kept(const struct cs_kept *k, struct text *t)
{
	return put_numbers(
		t,
		(const int64_t[]){
			k->id,		k->start_us,	k->array_id,
			k->group,	k->role,	k->packed,
			k->estimate_us, k->done_us,	k->at_us,
			k->factor,	k->raised_from, k->raised_flag,
			k->shared,	k->ran_us,	k->stops,
			k->moved_s,	k->floor_us,	k->restarts,
			k->limit_us,	k->cpus,	k->from_us },
		21);
}

static int put_job(const struct cs_adapter *b, const struct cs_known_job *k,
		   struct text *t)
{
	struct cs_kept kept;

	return cs_checkpoint_of(b, k, &kept) ? put_kept(&kept, t) : 0;
}

static int put_users(struct text *t)
{
	size_t len = cs_users_print(NULL, 0), now;

	for (;;) { /* there may be more of them meanwhile */
		if (text_room(t, len + 1))
			return -ENOMEM;
		now = cs_users_print(t->at + t->n, t->cap - t->n);
		if (now < t->cap - t->n)
			break;
		len = now;
	}
	t->n += now;
	return 0;
}

static int put_named(const struct cs_known_job *k, struct text *t)
{
	size_t len;

	if (!k->bytes || k->user == cs_users_known(cs_known_desc(k)->uid) ||
	    strchr(k->user, '\n'))
		return 0;
	len = strlen(k->user);
	if (text_room(t, strlen(NAMED) + 2 * NUMBER_MAX + len + 3))
		return -ENOMEM;
	t->n += (size_t)sprintf(t->at + t->n, NAMED "%u %u %s\n", k->id,
				cs_known_desc(k)->uid, k->user);
	return 0;
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

static int put_text(struct text *t, const char *text, size_t n)
{
	int rc = text_room(t, n);

	if (rc)
		return rc;
	memcpy(t->at + t->n, text, n);
	t->n += n;
	return 0;
}

static int put_virtual(const struct cs_adapter *b, struct text *t)
{
	char *lines = lines_of(b, false);
	int rc = lines ? 0 : -ENOMEM;

	for (const char *c = lines, *end; !rc && *c; c = end) {
		size_t n;

		end = strchr(c, '\n') + 1;
		n = (size_t)(end - c);
		rc = put_text(t, VIRTUAL, strlen(VIRTUAL)) ?: put_text(t, c, n);
	}
	free(lines);
	return rc;
}

static int put_all(const struct cs_adapter *b, struct text *t)
{
	int rc = put_text(t, HEAD, strlen(HEAD));

	for (uint32_t i = 0; !rc && b->engine && i < b->known.n; i++)
		rc = put_job(b, b->known.list[i], t);
	for (uint32_t i = 0; !rc && i < b->ended.n; i++)
		if (cs_ended_counts(b, &b->ended.job[i].was))
			rc = put_kept(&b->ended.job[i].was, t);
	if (!rc)
		rc = put_users(t);
	for (uint32_t i = 0; !rc && i < b->known.n; i++)
		rc = put_named(b->known.list[i], t);
	if (!rc)
		rc = put_virtual(b, t);
	return rc ? rc : text_room(t, 1);
}

char *cs_checkpoint_save(struct cs_adapter *b, size_t *ret_len)
{
	struct text t = { 0 };
	uint64_t names = cs_users_version();

	if (put_all(b, &t)) {
		free(t.at);
		return NULL;
	}
	t.at[t.n] = '\0';
	b->dirty = false;
	b->names = names;
	*ret_len = t.n;
	return t.at;
}

int cs_checkpoint_learned(struct cs_adapter *b, char **ret)
{
	bool none = b->params.learn == CS_LEARN_OFF || !b->engine;

	*ret = none ? NULL : lines_of(b, true);
	if (!*ret && !none)
		return -ENOMEM;
	b->dirty = false;
	b->names = cs_users_version();
	return 0;
}

/* ---- reading ----------------------------------------------------------------- */

static int by_id(const void *x, const void *y)
{
	const struct cs_kept *a = x, *b = y;

	return a->id < b->id ? -1 : a->id > b->id;
}

static bool parse(const char *line, struct cs_kept *k)
{
	int n;

	*k = (struct cs_kept){ .restarts = UINT32_MAX };
	n = sscanf(line,
		   "job %" SCNu32 " %" SCNd64 " %" SCNu32 " %" SCNu32
		   " %" SCNu32 " %" SCNu32 " %" SCNd64 " %" SCNd64 " %" SCNd64
		   " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNd64
		   " %" SCNu32 " %" SCNd64 " %" SCNd64 " %" SCNu32 " %" SCNd64
		   " %" SCNu32 " %" SCNd64,
		   &k->id, &k->start_us, &k->array_id, &k->group, &k->role,
		   &k->packed, &k->estimate_us, &k->done_us, &k->at_us,
		   &k->factor, &k->raised_from, &k->raised_flag, &k->shared,
		   &k->ran_us, &k->stops, &k->moved_s, &k->floor_us,
		   &k->restarts, &k->limit_us, &k->cpus, &k->from_us);
	if (n < 13 || !k->id || k->start_us <= 0 || k->role > CS_ROLE_MATCHED ||
	    k->estimate_us <= 0 || k->done_us < 0 || k->at_us < k->start_us)
		return false;
	if (k->from_us < k->start_us || k->from_us > k->at_us)
		k->from_us = 0;
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

/* "UID NAME" of @text, held; NULL: it is not so. */
static const char *read_name(const char *text, uint32_t *ret_uid)
{
	char *end;
	unsigned long uid;

	errno = 0;
	uid = strtoul(text, &end, 10);
	if (errno || end == text || *end != ' ' || !end[1] || uid > UINT32_MAX)
		return NULL;
	*ret_uid = (uint32_t)uid;
	return cs_users_note(*ret_uid, end + 1);
}

/* @named.user is held. */
static int add_named(struct cs_adapter *b, struct cs_named named)
{
	struct cs_restored *r = &b->restored;

	if (cs_array_room(&r->named, &r->cap_named, r->n_named + 1))
		return -ENOMEM;
	r->named[r->n_named++] = named;
	return 0;
}

static void read_named(struct cs_adapter *b, const char *text)
{
	struct cs_named n;
	char *end;

	n.id = (uint32_t)strtoul(text, &end, 10);
	n.user = *end == ' ' ? read_name(end + 1, &n.uid) : NULL;
	if (n.user && (!n.id || add_named(b, n)))
		cs_users_drop(n.user);
}

static int named_by_id(const void *x, const void *y)
{
	const struct cs_named *a = x, *b = y;

	return a->id < b->id ? -1 : a->id > b->id;
}

static void sort_named(struct cs_restored *r)
{
	if (r->n_named)
		qsort(r->named, r->n_named, sizeof(*r->named), named_by_id);
}

int cs_checkpoint_take_names(struct cs_adapter *b,
			     const struct cs_adapter *before)
{
	for (uint32_t i = 0; i < before->known.n; i++) {
		const struct cs_known_job *k = before->known.list[i];
		uint32_t uid = k->bytes ? cs_known_desc(k)->uid : 0;
		struct cs_named n = { k->id, uid, k->user };

		if (!k->bytes || k->user == cs_users_known(uid))
			continue;
		if (add_named(b, n))
			return -ENOMEM;
		cs_users_hold(n.user);
	}
	sort_named(&b->restored);
	return 0;
}

const char *cs_checkpoint_user(const struct cs_adapter *b, uint32_t id,
			       uint32_t uid)
{
	const struct cs_named key = { .id = id }, *n;

	n = b->restored.n_named
		    ? bsearch(&key, b->restored.named, b->restored.n_named,
			      sizeof(key), named_by_id)
		    : NULL;
	return n && n->uid == uid ? n->user : NULL;
}

void cs_checkpoint_drop_names(struct cs_restored *r)
{
	for (uint32_t i = 0; i < r->n_named; i++)
		cs_users_drop(r->named[i].user);
	free(r->named);
	r->named = NULL;
	r->n_named = r->cap_named = 0;
}

static void read_user(const char *text)
{
	uint32_t uid;
	const char *name = read_name(text, &uid);

	if (name)
		cs_users_drop(name);
}

static void read_line(struct cs_adapter *b, const char *line)
{
	if (!strncmp(line, VIRTUAL, strlen(VIRTUAL)))
		keep_line(b, line + strlen(VIRTUAL));
	else if (!strncmp(line, USER, strlen(USER)))
		read_user(line + strlen(USER));
	else if (!strncmp(line, NAMED, strlen(NAMED)))
		read_named(b, line + strlen(NAMED));
	else
		b->restored.n_kept +=
			parse(line, &b->restored.kept[b->restored.n_kept]);
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
			read_line(b, line);
		}
		at += size + 1;
	}
	if (b->restored.n_kept)
		qsort(b->restored.kept, b->restored.n_kept,
		      sizeof(*b->restored.kept), by_id);
	sort_named(&b->restored);
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

int cs_checkpoint_read_estimates(struct cs_adapter *b, const char *text)
{
	char *copy = strdup(text), *save = NULL;

	if (!copy)
		return -ENOMEM;
	for (char *l = strtok_r(copy, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save))
		if (cs_estimator_is_line(l))
			keep_line(b, l);
	free(copy);
	return 0;
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

struct cs_kept *cs_checkpoint_kept(const struct cs_adapter *b, uint32_t id)
{
	const struct cs_kept key = { .id = id };

	return b->restored.n_kept
		       ? bsearch(&key, b->restored.kept, b->restored.n_kept,
				 sizeof(key), by_id)
		       : NULL;
}

const struct cs_kept *cs_checkpoint_find(const struct cs_adapter *b,
					 uint32_t id)
{
	const struct cs_kept *ended = cs_ended_find(b, id);

	return ended ? ended : cs_checkpoint_kept(b, id);
}

const struct cs_kept *cs_checkpoint_run(const struct cs_adapter *b,
					const struct cs_view_job *j)
{
	const struct cs_kept *k = cs_checkpoint_find(b, j->id);

	if (!k || k->gone || k->start_us > j->start_us)
		return NULL;
	if (k->restarts == UINT32_MAX)
		return k->start_us == j->start_us ? k : NULL;
	return k->restarts == j->restarts ? k : NULL;
}

uint32_t cs_checkpoint_jobs(const char *text, size_t len, struct cs_kept **ret)
{
	const char *end = text + len, *stop;
	struct cs_kept *job = NULL;
	size_t n = 0, cap = 0;

	for (; text < end; text = stop + 1) {
		char line[512];

		stop = memchr(text, '\n', (size_t)(end - text));
		if (!stop)
			stop = end;
		if ((size_t)(stop - text) >= sizeof(line))
			continue;
		memcpy(line, text, (size_t)(stop - text));
		line[stop - text] = '\0';
		if (cs_array_room(&job, &cap, n + 1))
			break;
		n += parse(line, &job[n]);
	}
	*ret = job;
	return (uint32_t)n;
}

/* ---- amending ------------------------------------------------------------------ */

/* A saved state, and its lines of jobs. */
struct saved {
	const char *text; /* [len] */
	size_t len;
	struct cs_kept *job; /* [n] by id */
	uint32_t n;
};

/* That of the run which @k is in, or NULL. */
static const struct cs_kept *saved_of(const struct saved *s,
				      const struct cs_known_job *k)
{
	const struct cs_kept key = { .id = k->id };
	const struct cs_kept *was =
		s->n ? bsearch(&key, s->job, s->n, sizeof(key), by_id) : NULL;

	if (!was || was->start_us > k->start_us)
		return NULL;
	if (was->restarts == UINT32_MAX)
		return was->start_us == k->start_us ? was : NULL;
	return was->restarts == k->restarts ? was : NULL;
}

static bool has_line(const struct cs_known_job *k)
{
	return k && k->state != CS_VIEW_WAITING;
}

/* The line of @k, which runs: what is the engine's as it was saved. */
static int put_amended(const struct saved *s, const struct cs_known_job *k,
		       struct text *t)
{
	const struct cs_kept *was = saved_of(s, k);
	const struct cs_running none = { .estimate_us = k->estimate_us,
					 .at_us = k->start_us,
					 .slowdown = 1 };
	struct cs_kept now = line_of(k, &none);

	if (was) {
		now = *was;
		now.raised_from = k->raised_from;
		now.raised_flag = k->raised_flag;
		now.shared = k->shared;
		now.stops = k->stops;
		now.moved_s = k->moved_s;
		now.limit_us = k->limit_us;
	} else if (!k->raised_from && !k->shared && !k->stops) {
		return 0;
	}
	if (!now.estimate_us)
		now.estimate_us = k->raised_from
					  ? k->raised_from * INT64_C(60000000)
					  : k->limit_us;
	return put_kept(&now, t);
}

/* The lines of @s that are the engine's alone. */
static int put_saved_virtual(const struct saved *s, struct text *t)
{
	const char *end = s->text + s->len, *stop;
	int rc = 0;

	for (const char *at = s->text; !rc && at < end; at = stop) {
		stop = memchr(at, '\n', (size_t)(end - at));
		if (!stop)
			return 0; /* it was cut */
		stop++;
		if ((size_t)(stop - at) > strlen(VIRTUAL) &&
		    !memcmp(at, VIRTUAL, strlen(VIRTUAL)))
			rc = put_text(t, at, (size_t)(stop - at));
	}
	return rc;
}

static int put_amended_all(const struct cs_adapter *b, const struct saved *s,
			   struct text *t)
{
	int rc = put_text(t, HEAD, strlen(HEAD));

	for (uint32_t i = 0; !rc && i < b->known.n; i++)
		if (has_line(b->known.list[i]))
			rc = put_amended(s, b->known.list[i], t);
	for (uint32_t i = 0; !rc && i < b->ended.n; i++)
		if (cs_ended_counts(b, &b->ended.job[i].was))
			rc = put_kept(&b->ended.job[i].was, t);
	for (uint32_t i = 0; !rc && i < s->n; i++)
		if (!has_line(cs_known_find(&b->known, s->job[i].id)) &&
		    !cs_ended_find(b, s->job[i].id))
			rc = put_kept(&s->job[i], t);
	if (!rc)
		rc = put_users(t);
	for (uint32_t i = 0; !rc && i < b->known.n; i++)
		rc = put_named(b->known.list[i], t);
	if (!rc)
		rc = put_saved_virtual(s, t);
	return rc ? rc : text_room(t, 1);
}

char *cs_checkpoint_amend(const struct cs_adapter *b, const char *saved,
			  size_t len, size_t *ret_len)
{
	struct saved s = { .text = saved ? saved : "", .len = saved ? len : 0 };
	struct text t = { 0 };
	int rc;

	s.n = cs_checkpoint_jobs(s.text, s.len, &s.job);
	if (s.n)
		qsort(s.job, s.n, sizeof(*s.job), by_id);
	rc = put_amended_all(b, &s, &t);
	free(s.job);
	if (rc) {
		free(t.at);
		return NULL;
	}
	t.at[t.n] = '\0';
	*ret_len = t.n;
	return t.at;
}
