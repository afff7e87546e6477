/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtual schedule as text, for restarts and the event log (format in ostrich.h).
 *
 * A line is read field by field and checked against those before it, so that no text
 * makes a schedule that breaks an invariant; derived state is not trusted either: the
 * heap, W and k are rebuilt, and F of waiting campaigns is computed.
 */
#include "order/ostrich.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/textbuf.h"

#define V_MAX ((cs_u128)1 << 126)
#define WORK_MAX ((cs_u128)1 << 90)

/* ---- writing ------------------------------------------------------------- */

static void put_word(struct cs_textbuf *t, const char *text)
{
	cs_textbuf_print(t, "%s%s", t->len ? " " : "", text);
}

static void put_number(struct cs_textbuf *t, uint64_t v)
{
	cs_textbuf_print(t, " %" PRIu64, v);
}

static void put_time(struct cs_textbuf *t, int64_t us)
{
	if (us == CS_TIME_NONE)
		put_word(t, "-");
	else
		cs_textbuf_print(t, " %" PRId64, us);
}

static void put_large(struct cs_textbuf *t, cs_u128 v)
{
	uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;

	if (high)
		cs_textbuf_print(t, " %" PRIx64 "%016" PRIx64, high, low);
	else
		cs_textbuf_print(t, " %" PRIx64, low);
}

static bool plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._+-", c));
}

/* Names over 256 bytes are cut; the host's are shorter. */
static void put_name(struct cs_textbuf *t, const char *name)
{
	put_word(t, "=");
	for (size_t i = 0; i < 256 && name[i]; i++)
		if (plain(name[i]))
			cs_textbuf_byte(t, name[i]);
		else
			cs_textbuf_print(t, "%%%02X",
					 (unsigned)(unsigned char)name[i]);
}

static void print_campaign(const struct cs_campaign *c, struct cs_textbuf *t)
{
	static const char *const states[] = { "waits", "runs", "ended" };

	put_word(t, "campaign");
	put_number(t, c->seq);
	put_number(t, c->number);
	put_word(t, states[c->state]);
	put_number(t, c->busy);
	put_time(t, c->submit_us);
	put_time(t, c->start_us);
	put_time(t, c->end_us);
	put_large(t, c->work);
	put_large(t, c->start);
	put_large(t, c->finish);
	put_large(t, c->joined);
	put_number(t, c->array);
	put_time(t, c->left_us);
	put_name(t, c->name);
}

static void print_user(const struct cs_ostrich_user *u, struct cs_textbuf *t)
{
	put_word(t, "user");
	put_name(t, u->name);
	put_number(t, u->weight);
	put_number(t, u->numbers);
	put_number(t, u->busy);
	put_number(t, u->last_job);
	put_time(t, u->last_join_us);
}

static void print_clock(const struct cs_ostrich *s, struct cs_textbuf *t)
{
	put_word(t, "clock");
	put_time(t, s->now_us);
	put_large(t, s->v);
	put_large(t, s->rest);
	put_number(t, s->seq);
}

/* The next campaign from @c on that may still be needed. */
static const struct cs_campaign *wanted(const struct cs_campaign *c)
{
	while (c && c->state == CS_CAMPAIGN_ENDED && !c->jobs)
		c = c->next;
	return c;
}

bool cs_ostrich_print(const struct cs_ostrich *s, struct cs_ostrich_walk *w,
		      char *buf)
{
	struct cs_textbuf t = { buf, CS_OSTRICH_LINE, 0 };

	if (!w->stage) {
		w->stage = 1;
		w->user = s->first;
		print_clock(s, &t);
	} else if (w->stage == 2 && w->campaign) {
		print_campaign(w->campaign, &t);
		w->campaign = wanted(w->campaign->next);
	} else {
		if (w->stage == 2)
			w->user = w->user->next;
		while (w->user && !wanted(w->user->first))
			w->user = w->user->next;
		w->stage = w->user ? 2 : 1;
		if (!w->user)
			return false;
		print_user(w->user, &t);
		w->campaign = wanted(w->user->first);
	}
	cs_textbuf_end(&t);
	return true;
}

/* ---- reading ------------------------------------------------------------- */

struct in {
	const char *at;
	bool bad;
};

/* The next word into @buf; "" at the end, or where it is too long. */
static const char *word(struct in *i, char *buf, size_t size)
{
	size_t n = strcspn(i->at, " \n");

	if (n >= size) {
		i->bad = true;
		n = 0;
	}
	memcpy(buf, i->at, n);
	buf[n] = '\0';
	i->at += strcspn(i->at, " \n");
	i->at += *i->at == ' ';
	return buf;
}

static uint64_t number(struct in *i, uint64_t most)
{
	char buf[24], *end;
	uint64_t v;

	word(i, buf, sizeof(buf));
	errno = 0;
	v = strtoull(buf, &end, 10);
	i->bad |= buf[0] < '0' || buf[0] > '9' || *end || errno || v > most;
	return v;
}

static int64_t instant(struct in *i)
{
	char buf[24], *end;
	long long v;

	word(i, buf, sizeof(buf));
	if (!strcmp(buf, "-"))
		return CS_TIME_NONE;
	errno = 0;
	v = strtoll(buf, &end, 10);
	i->bad |= !*buf || *end || errno || v > CS_TIME_NONE / 4 ||
		  v < -(CS_TIME_NONE / 4);
	return v;
}

static cs_u128 large(struct in *i, cs_u128 most)
{
	char buf[40];
	cs_u128 v = 0;
	size_t n;

	word(i, buf, sizeof(buf));
	n = strspn(buf, "0123456789abcdef");
	i->bad |= !n || buf[n] || n > 32;
	for (size_t k = 0; !i->bad && k < n; k++)
		v = (v << 4) + (unsigned)(buf[k] <= '9' ? buf[k] - '0'
							: buf[k] - 'a' + 10);
	i->bad |= v > most;
	return v;
}

static int hex(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static void name(struct in *i, char *buf, size_t size)
{
	char text[CS_OSTRICH_LINE];
	size_t n = 0;

	word(i, text, sizeof(text));
	i->bad |= *text != '=';
	for (const char *c = text + (*text == '='); *c && !i->bad; c++) {
		int high = -1, low = -1;

		if (*c == '%') {
			high = hex(c[1]);
			low = high < 0 ? -1 : hex(c[2]);
			i->bad |= low < 0 || !(high | low);
			c += low < 0 ? 0 : 2;
		}
		i->bad |= n + 1 >= size;
		if (!i->bad)
			buf[n++] = (char)(low < 0 ? *c : high << 4 | low);
	}
	buf[n] = '\0';
}

static int wrong(const char *line, struct cs_err *err)
{
	return cs_err_set(err, -EINVAL,
			  "'%.60s', expected a line of the virtual schedule",
			  line);
}

static int read_clock(struct cs_ostrich *o, struct in *i, int64_t now_us,
		      const char *line, struct cs_err *err)
{
	int64_t at = instant(i);
	cs_u128 v = large(i, V_MAX), rest = large(i, V_MAX);
	uint64_t seq = number(i, UINT64_MAX / 2);

	if (i->bad || *i->at || o->first || at == CS_TIME_NONE)
		return wrong(line, err);
	o->now_us = at < now_us ? at : now_us;
	o->v = v;
	o->rest = rest;
	o->seq = seq;
	return 0;
}

static int read_user(struct cs_ostrich *o, struct in *i, const char *line,
		     struct cs_err *err)
{
	char text[257];
	struct cs_ostrich_user *u, of;

	name(i, text, sizeof(text));
	of.weight = (uint32_t)number(i, CS_OSTRICH_WEIGHT_MAX);
	of.numbers = (uint32_t)number(i, UINT32_MAX);
	of.busy = (uint32_t)number(i, UINT32_MAX);
	of.last_job = (uint32_t)number(i, UINT32_MAX);
	of.last_join_us = instant(i);
	o->told = NULL;
	if (i->bad || *i->at || !of.weight || cs_ostrich_find(o, text))
		return wrong(line, err);
	u = o->told = cs_ostrich_user(o, text);
	if (!u)
		return -ENOMEM;
	u->weight = of.weight;
	u->numbers = of.numbers;
	u->busy = of.busy;
	u->last_job = of.last_job;
	u->last_join_us = of.last_join_us;
	return 0;
}

static enum cs_campaign_state state(struct in *i)
{
	char buf[8];

	word(i, buf, sizeof(buf));
	if (!strcmp(buf, "ended"))
		return CS_CAMPAIGN_ENDED;
	if (!strcmp(buf, "runs"))
		return CS_CAMPAIGN_RUNS;
	i->bad |= strcmp(buf, "waits") != 0;
	return CS_CAMPAIGN_WAITS;
}

static void campaign_fields(struct in *i, struct cs_campaign *c)
{
	c->seq = number(i, UINT64_MAX / 2);
	c->number = (uint32_t)number(i, UINT32_MAX);
	c->state = state(i);
	c->busy = (uint32_t)number(i, UINT32_MAX);
	c->submit_us = instant(i);
	c->start_us = instant(i);
	c->end_us = instant(i);
	c->work = large(i, WORK_MAX);
	c->start = large(i, V_MAX);
	c->finish = large(i, V_MAX);
	c->joined = large(i, V_MAX);
	c->array = (uint32_t)number(i, UINT32_MAX);
	c->left_us = instant(i);
	name(i, c->name, sizeof(c->name));
}

/* Does @c fit after what was read of its user? */
static bool fits(const struct cs_ostrich *o, const struct cs_ostrich_user *u,
		 const struct cs_campaign *c)
{
	if (!u || !c->seq || c->seq > o->seq || c->joined > o->v ||
	    c->start > c->finish)
		return false;
	switch (c->state) {
	case CS_CAMPAIGN_ENDED:
		return !u->head;
	case CS_CAMPAIGN_RUNS:
		return !u->head && c->finish > o->v;
	case CS_CAMPAIGN_WAITS:
		return u->head && c->finish >= u->last->finish;
	}
	return false;
}

static int read_campaign(struct cs_ostrich *o, struct in *i, const char *line,
			 struct cs_err *err)
{
	struct cs_campaign c;

	memset(&c, 0, sizeof(c));
	campaign_fields(i, &c);
	if (i->bad || *i->at || !fits(o, o->told, &c))
		return wrong(line, err);
	return cs_ostrich_restore(o, o->told, &c);
}

int cs_ostrich_read(struct cs_ostrich *o, const char *line, int64_t now_us,
		    struct cs_err *err)
{
	struct in i = { line, false };
	char kind[16];

	word(&i, kind, sizeof(kind));
	if (!strcmp(kind, "clock"))
		return read_clock(o, &i, now_us, line, err);
	if (!strcmp(kind, "user"))
		return read_user(o, &i, line, err);
	if (!strcmp(kind, "campaign"))
		return read_campaign(o, &i, line, err);
	return wrong(line, err);
}
