/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/site_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/textbuf.h"

#define NAME_MAX_LEN 256 /* of a node's name, 0 byte included */
#define SHOWN 64	 /* bytes of the file in a message */
#define DIGITS_MAX 9
#define COUNTED 1000 /* errors behind the first; slurmctld reads under locks */

static const char blanks[] = " \t\r";

int cs_site_list_init(struct cs_site_list *l, const struct cs_machine *m)
{
	memset(l, 0, sizeof(*l));
	l->m = m;
	l->of = malloc((m->n_node + 1) * sizeof(*l->of));
	if (!l->of)
		return -ENOMEM;
	memset(l->of, 0xff, m->n_node * sizeof(*l->of));
	return 0;
}

/* Back to no site. */
static void clear(struct cs_site_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		free(l->name[i]);
	l->n = 0;
	memset(l->of, 0xff, l->m->n_node * sizeof(*l->of));
}

void cs_site_list_done(struct cs_site_list *l)
{
	if (l->of)
		clear(l);
	free(l->of);
	free(l->name);
	free(l->key);
	memset(l, 0, sizeof(*l));
}

int cs_site_list_more(struct cs_site_list *l, const char *name, size_t len,
		      struct cs_err *err)
{
	if (l->n == CS_SITE_LIST_MAX)
		return cs_err_set(err, -EINVAL,
				  "more than %d sites, expected fewer",
				  CS_SITE_LIST_MAX);
	if (cs_array_room(&l->name, &l->cap, l->n + 1))
		return cs_err_set(err, -ENOMEM, "no memory");
	l->name[l->n] = strndup(name, len);
	if (!l->name[l->n])
		return cs_err_set(err, -ENOMEM, "no memory");
	l->n++;
	l->in_last = 0;
	return 0;
}

int cs_site_list_put(struct cs_site_list *l, uint32_t n, struct cs_err *err)
{
	const char *name = l->m->node[n].name;

	if (l->of[n] != UINT32_MAX)
		return cs_err_set(
			err, -EINVAL,
			"node '%s' is in '%s' and in '%s', expected one of them, once",
			name ? name : "?", l->name[l->of[n]],
			l->name[l->n - 1]);
	l->of[n] = l->n - 1;
	l->in_last++;
	return 0;
}

int cs_site_list_closed(const struct cs_site_list *l, struct cs_err *err)
{
	if (l->in_last)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "site '%s' has no nodes, expected at least one",
			  l->name[l->n - 1]);
}

int cs_site_list_rest(struct cs_site_list *l, struct cs_err *err)
{
	bool any = false;
	int rc = 0;

	for (uint32_t n = 0; n < l->m->n_node; n++)
		any |= l->of[n] == UINT32_MAX;
	if (any)
		rc = cs_site_list_more(l, "-", 1, err);
	for (uint32_t n = 0; !rc && n < l->m->n_node; n++)
		if (l->of[n] == UINT32_MAX)
			l->of[n] = l->n - 1;
	return rc;
}

/* ---- switches and blocks --------------------------------------------------- */

/* What to say of the switches, in one line. */
struct oddity {
	uint32_t twice, node; /* nodes below two, and the first of them ... */
	const char *of;	      /* ... with its second switch */
	uint32_t empty;	      /* switches without nodes of their own */
};

static const char *name_of(const char *name)
{
	return name ? name : "?";
}

static int put_leaf(struct cs_site_list *l, const struct cs_group *g,
		    struct oddity *odd, struct cs_err *err)
{
	int rc = cs_site_list_more(l, name_of(g->name),
				   strlen(name_of(g->name)), err);

	for (uint32_t w = g->from; !rc && w < g->end; w++)
		for (uint64_t set = g->nodes[w]; !rc && set;) {
			uint32_t n = w * 64 + cs_bit_pop(&set);

			if (l->of[n] == UINT32_MAX) {
				rc = cs_site_list_put(l, n, err);
			} else if (!odd->twice++) {
				odd->node = n;
				odd->of = g->name;
			}
		}
	if (rc || l->in_last)
		return rc;
	odd->empty++;
	free(l->name[--l->n]);
	return 0;
}

static void note_odd(const struct cs_site_list *l, const struct oddity *odd,
		     char *note, size_t size)
{
	int n = snprintf(
		note, size,
		"cosched_sites=topology: node '%s' is below '%s' and '%s'%s: "
		"such nodes count to the first",
		name_of(l->m->node[odd->node].name), l->name[l->of[odd->node]],
		name_of(odd->of),
		odd->twice > 1 ? ", and others are below two" : "");

	if (odd->empty && n > 0 && (size_t)n < size)
		snprintf(
			note + n, size - (size_t)n,
			odd->empty == 1
				? "; %u switch has only such nodes, and is no site"
				: "; %u switches have only such nodes, and are no sites",
			odd->empty);
}

int cs_site_list_leaves(struct cs_site_list *l, const struct cs_topology *t,
			char *note, size_t size, struct cs_err *err)
{
	struct oddity odd = { 0 };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < t->n_group; i++)
		if (!t->group[i].level && t->group[i].end)
			rc = put_leaf(l, &t->group[i], &odd, err);
	if (!rc && odd.twice)
		note_odd(l, &odd, note, size);
	return rc;
}

/* ---- nodes by name -------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct cs_site_key *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int sort_names(struct cs_site_list *l)
{
	uint32_t n = 0;

	l->key = malloc((l->m->n_node + 1) * sizeof(*l->key));
	if (!l->key)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->m->n_node; i++)
		if (l->m->node[i].name)
			l->key[n++] =
				(struct cs_site_key){ l->m->node[i].name, i };
	l->n_key = n;
	qsort(l->key, n, sizeof(*l->key), by_name);
	return 0;
}

/* UINT32_MAX: there is none. */
static uint32_t find(const struct cs_site_list *l, const char *name)
{
	uint32_t from = 0, to = l->n_key;

	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		int c = strcmp(l->key[mid].name, name);

		if (!c)
			return l->key[mid].node;
		if (c < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return UINT32_MAX;
}

uint32_t cs_site_list_find(struct cs_site_list *l, const char *name)
{
	return l->key || !sort_names(l) ? find(l, name) : UINT32_MAX;
}

/* ---- the file ------------------------------------------------------------- */

struct reader {
	struct cs_site_list *l;
	bool lenient;
	/* Told of each error; false: enough. */
	bool (*tell)(void *arg, unsigned line, const char *text);
	void *arg;
	unsigned line;
	int told;
	bool stop;		 /* reading does not go on */
	struct cs_err err;	 /* the last */
	char name[NAME_MAX_LEN]; /* being put together */
	const char *end;	 /* of the list of nodes */
	uint32_t names;		 /* so far */
};

/* Of an error: tell it.  0: reading goes on; @rc: it does not. */
static int tell_error(struct reader *r, int rc)
{
	if (rc == -ENOMEM)
		return rc;
	r->told++;
	r->stop |= !r->tell(r->arg, r->line, r->err.text);
	return r->stop ? rc : 0;
}

/* A whole number without sign; its digits in *@ret_width. */
static bool number(const char **at, uint64_t *ret, int *ret_width)
{
	const char *p = *at;

	for (*ret = 0; *p >= '0' && *p <= '9' && p - *at < DIGITS_MAX; p++)
		*ret = *ret * 10 + (uint64_t)(*p - '0');
	*ret_width = (int)(p - *at);
	*at = p;
	return *ret_width;
}

static int malformed(struct reader *r, const char *at)
{
	int shown = r->end - at < SHOWN ? (int)(r->end - at) : SHOWN;

	return cs_err_set(&r->err, -EINVAL,
			  "malformed nodes at '%.*s', expected such as "
			  "n[1-4,7],m[01-10]",
			  shown, at);
}

static int put_name(struct reader *r)
{
	uint32_t n = find(r->l, r->name);

	/* in one that is lenient no unknown name ends a range */
	r->stop = r->names++ == CS_SITE_NAMES_MAX;
	if (r->stop)
		return cs_err_set(&r->err, -EINVAL,
				  "more than %d nodes, expected fewer",
				  CS_SITE_NAMES_MAX);
	if (n != UINT32_MAX)
		return cs_site_list_put(r->l, n, &r->err);
	return r->lenient ? 0
			  : cs_err_set(&r->err, -EINVAL,
				       "no node '%.*s', expected nodes of "
				       "slurm.conf",
				       SHOWN, r->name);
}

static int expand(struct reader *r, size_t len, const char *at);

/* The numbers of one range, each followed by what comes after the ']' at @after. */
static int expand_range(struct reader *r, size_t len, const char **at,
			const char *after)
{
	uint64_t from, to;
	int width, other, rc = 0;
	const char *was = *at;

	if (!number(at, &from, &width))
		return malformed(r, was);
	to = from;
	if (**at == '-') {
		++*at;
		if (!number(at, &to, &other) || to < from)
			return malformed(r, was);
	}
	/* the first unknown name ends it, and so does one put twice */
	for (; !rc && from <= to; from++) {
		int n = snprintf(r->name + len, sizeof(r->name) - len,
				 "%0*" PRIu64, width, from);

		if (n >= (int)(sizeof(r->name) - len))
			return malformed(r, was);
		rc = expand(r, len + (size_t)n, after);
	}
	return rc;
}

static int expand_ranges(struct reader *r, size_t len, const char *at)
{
	const char *close = memchr(at, ']', (size_t)(r->end - at));
	int rc;

	if (!close)
		return malformed(r, at);
	for (;; at++) {
		rc = expand_range(r, len, &at, close + 1);
		if (rc || at == close)
			return rc;
		if (*at != ',')
			return malformed(r, at);
	}
}

/* The names that begin with the @len bytes put together, and go on at @at. */
static int expand(struct reader *r, size_t len, const char *at)
{
	for (; at < r->end && *at != ',' && *at != '['; at++) {
		if (*at == ']' || len + 1 >= sizeof(r->name))
			return malformed(r, at);
		r->name[len++] = *at;
	}
	if (at < r->end && *at == '[')
		return expand_ranges(r, len, at + 1);
	r->name[len] = '\0';
	return len ? put_name(r) : malformed(r, at);
}

/* Past the item of a list of nodes at @at: a comma outside brackets ends it. */
static const char *item_end(const struct reader *r, const char *at)
{
	bool inside = false;

	for (; at < r->end && (inside || *at != ','); at++)
		inside = *at == '[' || (inside && *at != ']');
	return at;
}

/* An item that is wrong is told, and the next is read. */
static int read_nodes(struct reader *r, const char *at, const char *end)
{
	int rc = 0;

	while (!rc && at < end) {
		const char *next;

		r->end = end;
		next = item_end(r, at);
		r->end = next;
		rc = expand(r, 0, at);
		at = next + (next < end);
		if (!rc && next < end && at == end)
			rc = malformed(r, next);
		if (rc)
			rc = tell_error(r, rc);
	}
	return rc;
}

/* From @at past bytes that are @blank, or are not. */
static size_t past(const char *line, size_t len, size_t at, bool blank)
{
	while (at < len && !strchr(blanks, line[at]) == !blank)
		at++;
	return at;
}

/* Where the line's comment begins, or @len. */
static size_t comment(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (line[i] == '#' && (!i || strchr(blanks, line[i - 1])))
			return i;
	return len;
}

/* A line of @len bytes without its end. */
static int read_line(struct reader *r, const char *line, size_t len)
{
	size_t site, name, nodes, more;
	int rc;

	len = comment(line, len);
	site = past(line, len, 0, true);
	if (site == len)
		return 0;
	line += site;
	len -= site;
	name = past(line, len, 0, false);
	nodes = past(line, len, name, true);
	more = past(line, len, nodes, false);
	if (nodes == more)
		return tell_error(
			r, cs_err_set(&r->err, -EINVAL,
				      "site '%.*s' has no nodes, expected "
				      "SITE NODES",
				      name < SHOWN ? (int)name : SHOWN, line));
	if (past(line, len, more, true) < len)
		return tell_error(
			r, cs_err_set(&r->err, -EINVAL,
				      "more than a site and its nodes, "
				      "expected SITE NODES without blanks "
				      "in NODES"));
	rc = cs_site_list_more(r->l, line, name, &r->err);
	r->stop = rc;
	return rc ? tell_error(r, rc)
		  : read_nodes(r, line + nodes, line + more);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Has each site a name of its own? */
static int check_names(struct reader *r)
{
	const struct cs_site_list *l = r->l;
	char **name = malloc((l->n + 1) * sizeof(*name));
	int rc = 0;

	if (!name)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->n; i++)
		name[i] = l->name[i];
	qsort(name, l->n, sizeof(*name), by_text);
	for (uint32_t i = 1; !rc && i < l->n; i++) {
		if (strcmp(name[i - 1], name[i]) ||
		    (i > 1 && !strcmp(name[i - 2], name[i])))
			continue;
		rc = tell_error(r,
				cs_err_set(&r->err, -EINVAL,
					   "site '%.*s' on two lines, expected "
					   "one for each",
					   SHOWN, name[i]));
	}
	free(name);
	return rc;
}

/* Leave out the last site if none of its nodes is there. */
static void drop_empty(struct cs_site_list *l)
{
	if (l->n && cs_site_list_closed(l, NULL))
		free(l->name[--l->n]);
}

static int read_lines(struct reader *r, const char *text)
{
	int rc = r->l->key ? 0 : sort_names(r->l);

	for (r->line = 1; !rc && *text; r->line++) {
		size_t len = strcspn(text, "\n");

		rc = read_line(r, text, len);
		if (!rc && r->lenient)
			drop_empty(r->l);
		text += len + (text[len] == '\n');
	}
	return rc;
}

/* How many errors were told; -ENOMEM. */
static int read_text(struct reader *r, const char *text)
{
	int rc = read_lines(r, text);

	r->line = 0;
	if (!rc && !r->lenient && !r->l->n && !r->told)
		tell_error(r,
			   cs_err_set(&r->err, -EINVAL,
				      "no site, expected lines of SITE NODES"));
	if (!rc && !r->lenient)
		rc = check_names(r);
	return rc == -ENOMEM ? rc : r->told;
}

/* The first error, and how many are behind it. */
struct first {
	struct cs_err err;
	int more;
};

static bool tell_first(void *arg, unsigned line, const char *text)
{
	struct first *f = arg;

	if (f->err.text[0])
		return ++f->more < COUNTED;
	if (line)
		cs_err_set(&f->err, 0, "line %u: %s", line, text);
	else
		cs_err_set(&f->err, 0, "%s", text);
	return true;
}

int cs_site_list_read(struct cs_site_list *l, const char *text, bool lenient,
		      struct cs_err *err)
{
	struct first f = { .more = 0 };
	struct reader r = {
		.l = l, .lenient = lenient, .tell = tell_first, .arg = &f
	};
	int rc = read_text(&r, text);

	if (rc < 0)
		return cs_err_set(err, rc, "no memory");
	if (!rc)
		return 0;
	if (!f.more)
		return cs_err_set(err, -EINVAL, "%s", f.err.text);
	return cs_err_set(
		err, -EINVAL,
		"%.200s, and %s%d more (cosched conf --check tells all)",
		f.err.text, f.more < COUNTED ? "" : "at least ", f.more);
}

int cs_site_list_errors(struct cs_site_list *l, const char *text,
			bool (*tell)(void *arg, unsigned line,
				     const char *text),
			void *arg)
{
	struct reader r = { .l = l, .tell = tell, .arg = arg };

	return read_text(&r, text);
}

/* As one word that is no comment. */
static void put_word(struct cs_textbuf *t, const char *name)
{
	for (const char *c = *name ? name : "-"; *c; c++)
		cs_textbuf_byte(
			t, strchr(blanks, *c) || strchr("#\n", *c) ? '_' : *c);
}

/* The nodes by their sites, in their order: site i has node[from[i]] up to, not with,
 * node[from[i + 1]].  NULL: no memory; else two arrays in one, from and node. */
static uint32_t *by_site(const struct cs_site_list *l)
{
	uint32_t nodes = l->m->n_node;
	uint32_t *from = calloc((size_t)l->n + 2 + nodes, sizeof(*from));
	uint32_t *node;

	if (!from)
		return NULL;
	node = from + l->n + 2;
	for (uint32_t n = 0; n < nodes; n++)
		if (l->of[n] < l->n)
			from[l->of[n] + 2]++;
	for (uint32_t i = 0; i < l->n; i++)
		from[i + 2] += from[i + 1];
	for (uint32_t n = 0; n < nodes; n++)
		if (l->of[n] < l->n)
			node[from[l->of[n] + 1]++] = n;
	return from;
}

/* @from: by_site(). */
static void put_text(struct cs_textbuf *t, const struct cs_site_list *l,
		     const uint32_t *from)
{
	const uint32_t *node = from + l->n + 2;

	for (uint32_t i = 0; i < l->n; i++) {
		const char *before = " ";

		put_word(t, l->name[i]);
		for (uint32_t k = from[i]; k < from[i + 1]; k++) {
			const char *name = l->m->node[node[k]].name;

			if (!name)
				continue;
			cs_textbuf_add(t, before);
			cs_textbuf_add(t, name);
			before = ",";
		}
		cs_textbuf_byte(t, '\n');
	}
}

char *cs_site_list_text(const struct cs_site_list *l)
{
	uint32_t *from = by_site(l);
	struct cs_textbuf t = { NULL, 0, 0 };

	if (!from)
		return NULL;
	put_text(&t, l, from);
	t.size = t.len + 1;
	t.len = 0;
	t.buf = malloc(t.size);
	if (t.buf) {
		put_text(&t, l, from);
		cs_textbuf_end(&t);
	}
	free(from);
	return t.buf;
}
