/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history as lines of text, and back (past.h).
 *
 * Rules.
 *  1. All numbers are integers, so that nothing is lost and no NaN can be read.
 *  2. State is read into a second history.  That replaces the present one at the last
 *     line, if the sum of the lines before is right.
 *  3. Each line is checked by itself and all of them by cs_past_check(): a state with
 *     the right sum may still be forged.
 */
#include "learn/past.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "learn/numbers.h"

#define VERSION 1
#define CS_LEARN "learn "

/* ---- writing ------------------------------------------------------------- */

static uint64_t sum_line(uint64_t sum, const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum = cs_rng_hash(sum, (unsigned char)line[i]);
	return sum;
}

struct lines {
	struct cs_textbuf *out;
	uint64_t n, sum;
	char line[CS_PAST_LINE];
};

static void put_line(struct lines *l, struct cs_textbuf *line)
{
	l->sum = sum_line(l->sum, l->line, cs_textbuf_end(line));
	l->n++;
	cs_textbuf_add(l->out, l->line);
	cs_textbuf_byte(l->out, '\n');
}

static void put_kind(struct lines *l, const struct cs_kind *k)
{
	struct cs_textbuf t = { l->line, sizeof(l->line), 0 };

	cs_textbuf_print(&t,
			 CS_LEARN "kind %" PRIx64 " %" PRIx64 " %" PRId64
				  " %" PRIu64 " %s",
			 k->key, k->user, k->last_us, k->ended, k->name);
	put_line(l, &t);
}

static void put_group(struct lines *l, const struct cs_group *g)
{
	struct cs_textbuf t = { l->line, sizeof(l->line), 0 };
	uint32_t first = g->n < CS_PAST_ALONE ? 0 : g->next;

	cs_textbuf_print(&t,
			 CS_LEARN "group %" PRIx64 " %" PRIx64 " %" PRIx64
				  " %" PRId64 " %" PRIu32,
			 g->key, g->kind, g->user, g->last_us, g->n);
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t at = (first + i) % CS_PAST_ALONE;

		cs_textbuf_print(&t, " %" PRId64 " %" PRId64, g->alone[at].t_us,
				 g->alone[at].us);
	}
	put_line(l, &t);
}

static void put_run(struct lines *l, const struct cs_run *r)
{
	struct cs_textbuf t = { l->line, sizeof(l->line), 0 };

	cs_textbuf_print(&t,
			 CS_LEARN "run %" PRIx64 " %" PRIx64 " %" PRIx64
				  " %" PRId64 " %" PRId64 " %" PRIu32,
			 r->kind, r->group[0], r->group[1], r->t_us, r->us,
			 r->n_part);
	for (uint32_t i = 0; i < r->n_part; i++)
		cs_textbuf_print(&t, " %" PRIx64 " %" PRId64, r->part[i].beside,
				 r->part[i].us);
	put_line(l, &t);
}

static void put_broken(struct lines *l, const struct cs_broken *b)
{
	struct cs_textbuf t = { l->line, sizeof(l->line), 0 };

	cs_textbuf_print(&t,
			 CS_LEARN "broken %" PRIx64 " %" PRIx64 " %" PRId64
				  " %" PRIu32 " %" PRIu32 " %" PRIu32,
			 b->of, b->beside, b->t_us, b->ppm, b->times, b->kept);
	put_line(l, &t);
}

static void put_promises(struct lines *l, const struct cs_past *h)
{
	struct cs_textbuf t = { l->line, sizeof(l->line), 0 };

	if (!h->promises)
		return;
	cs_textbuf_print(&t, CS_LEARN "promises %" PRIu64, h->promises);
	put_line(l, &t);
	for (size_t i = 0; i < h->n_broken; i++)
		put_broken(l, &h->broken[i]);
}

void cs_past_write(const struct cs_past *h, struct cs_textbuf *out)
{
	struct lines l = { .out = out };
	struct cs_textbuf t = { l.line, sizeof(l.line), 0 };

	cs_textbuf_print(&t, CS_LEARN "first %d %" PRIx64 " %" PRIu64, VERSION,
			 h->machine, h->told);
	put_line(&l, &t);
	for (size_t i = 0; i < h->n_kind; i++)
		put_kind(&l, &h->kind[i]);
	for (size_t i = 0; i < h->n_group; i++)
		put_group(&l, &h->group[i]);
	for (size_t i = 0; i < h->n_run; i++)
		put_run(&l, &h->run[i]);
	put_promises(&l, h);
	cs_textbuf_print(out, CS_LEARN "last %" PRIu64 " %" PRIx64 "\n", l.n,
			 l.sum);
}

/* ---- reading ------------------------------------------------------------- */

bool cs_past_is_line(const char *line)
{
	return !strncmp(line, CS_LEARN, strlen(CS_LEARN));
}

static bool read_kind(struct cs_past *h, const char *at)
{
	struct cs_kind *k = &h->kind[h->n_kind];
	size_t len;

	if (h->n_kind == CS_PAST_KINDS || !cs_numbers_key(&at, &k->key) ||
	    !cs_numbers_key(&at, &k->user) ||
	    !cs_numbers_micros(&at, &k->last_us) ||
	    !cs_numbers_next(&at, 10, UINT64_MAX / 2, &k->ended) ||
	    *at++ != ' ')
		return false;
	len = strlen(at);
	if (!len || len >= sizeof(k->name) || strchr(at, ' '))
		return false;
	memcpy(k->name, at, len + 1);
	h->n_kind++;
	return true;
}

static bool read_group(struct cs_past *h, const char *at)
{
	struct cs_group *g = &h->group[h->n_group];

	if (h->n_group == CS_PAST_GROUPS || !cs_numbers_key(&at, &g->key) ||
	    !cs_numbers_key(&at, &g->kind) || !cs_numbers_key(&at, &g->user) ||
	    !cs_numbers_micros(&at, &g->last_us) ||
	    !cs_numbers_count(&at, CS_PAST_ALONE, &g->n))
		return false;
	for (uint32_t i = 0; i < g->n; i++)
		if (!cs_numbers_micros(&at, &g->alone[i].t_us) ||
		    !cs_numbers_micros(&at, &g->alone[i].us) ||
		    g->alone[i].us < 1)
			return false;
	g->next = g->n % CS_PAST_ALONE;
	h->n_group++;
	return !*at;
}

static bool read_run(struct cs_past *h, const char *at)
{
	struct cs_run *r = &h->run[h->n_run];

	if (h->n_run == CS_PAST_RUNS || !cs_numbers_key(&at, &r->kind) ||
	    !cs_numbers_key(&at, &r->group[0]) ||
	    !cs_numbers_key(&at, &r->group[1]) ||
	    !cs_numbers_micros(&at, &r->t_us) ||
	    !cs_numbers_micros(&at, &r->us) ||
	    !cs_numbers_count(&at, CS_PAST_PARTS, &r->n_part))
		return false;
	for (uint32_t i = 0; i < r->n_part; i++)
		if (!cs_numbers_key(&at, &r->part[i].beside) ||
		    !cs_numbers_micros(&at, &r->part[i].us) ||
		    r->part[i].us > r->us)
			return false;
	h->n_run++;
	return !*at;
}

static bool read_broken(struct cs_past *h, const char *at)
{
	struct cs_broken *b = &h->broken[h->n_broken];

	if (h->n_broken == CS_PAST_BROKEN || !cs_numbers_key(&at, &b->of) ||
	    !cs_numbers_key(&at, &b->beside) ||
	    !cs_numbers_micros(&at, &b->t_us) ||
	    !cs_numbers_count(&at, 1000000000, &b->ppm) ||
	    !cs_numbers_count(&at, UINT32_MAX, &b->times) ||
	    !cs_numbers_count(&at, CS_PAST_KEPT, &b->kept))
		return false;
	h->n_broken++;
	return !*at;
}

static bool read_promises(struct cs_past *h, const char *at)
{
	return cs_numbers_next(&at, 10, UINT64_MAX / 2, &h->promises) && !*at;
}

static int refuse(struct cs_past *h, int rc)
{
	free(h->reading);
	h->reading = NULL;
	return rc;
}

static int read_first(struct cs_past *h, const char *at, struct cs_err *err)
{
	const char *line = at;
	uint64_t version, machine, told;

	refuse(h, 0);
	if (!cs_numbers_next(&at, 10, UINT32_MAX, &version) ||
	    version != VERSION)
		return cs_err_set(err, -EINVAL,
				  "'%.60s', expected what was learned, of "
				  "version %d",
				  line, VERSION);
	if (!cs_numbers_key(&at, &machine) ||
	    !cs_numbers_next(&at, 10, UINT64_MAX / 2, &told) || *at)
		return cs_err_set(err, -EINVAL,
				  "'%.60s', expected a machine and a count",
				  line);
	if (machine != h->machine)
		return cs_err_set(
			err, -ESTALE,
			"what was learned is about other types of nodes; "
			"learning starts afresh");
	h->reading = cs_past_create(machine, h->half_life_us);
	if (!h->reading)
		return cs_err_set(err, -ENOMEM,
				  "no memory for what was "
				  "learned");
	h->reading->told = told;
	h->sum = h->lines = 0;
	return 0;
}

/* Rule 3. */
static bool is_whole(struct cs_past *h)
{
	cs_past_index(h);
	return !cs_past_check(h, NULL);
}

static int read_last(struct cs_past *h, const char *at, struct cs_err *err)
{
	const char *line = at;
	struct cs_past *new = h->reading;
	uint64_t lines, sum;

	if (!cs_numbers_next(&at, 10, UINT64_MAX, &lines) ||
	    !cs_numbers_key(&at, &sum) || *at || lines != h->lines ||
	    sum != h->sum || !is_whole(new))
		return cs_err_set(err, refuse(h, -EINVAL),
				  "what was learned is damaged (%" PRIu64
				  " lines came, and '%.40s'); it is ignored",
				  h->lines, line);
	h->told = new->told;
	h->n_kind = new->n_kind;
	h->n_group = new->n_group;
	h->n_run = new->n_run;
	memcpy(h->kind, new->kind, sizeof(h->kind));
	memcpy(h->group, new->group, sizeof(h->group));
	memcpy(h->kind_at, new->kind_at, sizeof(h->kind_at));
	memcpy(h->group_at, new->group_at, sizeof(h->group_at));
	memcpy(h->run, new->run, sizeof(h->run));
	h->promises = new->promises;
	h->n_broken = new->n_broken;
	memcpy(h->broken, new->broken, sizeof(h->broken));
	return refuse(h, 0);
}

/* What follows the word @word; NULL: @line begins with another. */
static const char *behind(const char *line, const char *word)
{
	size_t n = strlen(CS_LEARN), len = strlen(word);

	return cs_past_is_line(line) && !strncmp(line + n, word, len)
		       ? line + n + len
		       : NULL;
}

int cs_past_read(struct cs_past *h, const char *line, struct cs_err *err)
{
	const char *at;
	bool ok = false;

	if (h->reading && (at = behind(line, "last")))
		return read_last(h, at, err);
	if ((at = behind(line, "first"))) {
		int rc = read_first(h, at, err);

		if (rc)
			return rc;
		ok = true;
	} else if (h->reading && (at = behind(line, "kind"))) {
		ok = read_kind(h->reading, at);
	} else if (h->reading && (at = behind(line, "group"))) {
		ok = read_group(h->reading, at);
	} else if (h->reading && (at = behind(line, "run"))) {
		ok = read_run(h->reading, at);
	} else if (h->reading && (at = behind(line, "promises"))) {
		ok = read_promises(h->reading, at);
	} else if (h->reading && (at = behind(line, "broken"))) {
		ok = read_broken(h->reading, at);
	}
	if (!ok)
		return cs_err_set(err, refuse(h, -EINVAL),
				  "'%.60s', expected a line of what was "
				  "learned",
				  line);
	h->sum = sum_line(h->sum, line, strlen(line));
	h->lines++;
	return 0;
}

/* ---- a whole text --------------------------------------------------------- */

bool cs_past_machine(const char *text, uint64_t *ret)
{
	const char *at = behind(text, "first");
	uint64_t version;

	return at && cs_numbers_next(&at, 10, UINT32_MAX, &version) &&
	       cs_numbers_key(&at, ret);
}

int cs_past_try(const char *text, struct cs_err *err)
{
	uint64_t machine;
	struct cs_past *h = cs_past_machine(text, &machine)
				    ? cs_past_create(machine, 1)
				    : NULL;
	char line[CS_PAST_LINE];
	int rc = 0;

	if (!h)
		return cs_err_set(err, -EINVAL,
				  "what was learned has no first line");
	for (size_t n; !rc && *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (!strncmp(text, CS_LEARN "job ", strlen(CS_LEARN "job ")))
			continue;
		snprintf(line, sizeof(line), "%.*s",
			 n < sizeof(line) ? (int)n : 0, text);
		rc = cs_past_read(h, line, err);
	}
	if (!rc && h->reading)
		rc = cs_err_set(err, -EINVAL,
				"what was learned has no last line");
	cs_past_free(h);
	return rc;
}
