/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen of `cosched top`:
 *
 *	a line with mode, policy and usage, and one with the time slice
 *	the machine	a bar per node, [####....], and GPUs held of all; with more nodes than a
 *			third of the lines holds, a character per node or several:
 *			' ' idle, then .:-=+*#%@ up to all cores used, x down
 *	who shares	jobs in groups, at most a quarter of the lines
 *	the queue	by promised start, in the remaining lines
 *
 * Names may hold anything: unprintable bytes become '?'.
 */
#include "top/top_page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_view.h"
#include "cli/node_names.h"
#include "common/base/textbuf.h"

#define BAR 10
#define GPUS 7 /* width of " 12/16g" */
#define PAGE_MAX (1 << 20)
#define LINE_MAX_BYTES 4096
#define COLUMNS_UNCUT 80

struct page {
	struct cs_textbuf text;
	size_t columns, cut; /* the bars' width; that of the longest line */
	int left;	     /* remaining lines */
};

struct node {
	int64_t cores, used, jobs; /* used < 0: not up */
	int64_t gpus, gpus_held;
};

/* One line, cut at the page's width. */
__attribute__((format(printf, 2, 3))) static void line(struct page *p,
						       const char *fmt, ...)
{
	char buf[LINE_MAX_BYTES];
	va_list ap;
	size_t n;

	if (p->left <= 0)
		return;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	for (n = 0; n < p->cut && buf[n]; n++)
		if (buf[n] < ' ' || buf[n] > '~')
			buf[n] = '?';
	while (n && buf[n - 1] == ' ')
		n--;
	buf[n] = '\0';
	cs_textbuf_print(&p->text, "%s\n", buf);
	p->left--;
}

/* "0:12:00", "1-03:00:00": as in explain. */
static void put_span(int64_t s, char *buf, size_t size)
{
	int n = 0;

	s = s > 0 ? s : 0;
	if (s >= 86400)
		n = snprintf(buf, size, "%" PRId64 "-%02d", s / 86400,
			     (int)(s / 3600 % 24));
	else
		n = snprintf(buf, size, "%d", (int)(s / 3600));
	if (n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, ":%02d:%02d",
			 (int)(s / 60 % 60), (int)(s % 60));
}

static size_t length(struct json_object *list)
{
	return json_object_is_type(list, json_type_array)
		       ? json_object_array_length(list)
		       : 0;
}

/* Text @i of a list; "" if it is no string. */
static const char *text_at(struct json_object *list, size_t i)
{
	struct json_object *o = json_object_array_get_idx(list, i);

	return json_object_is_type(o, json_type_string)
		       ? json_object_get_string(o)
		       : "";
}

/* ---- the machine ------------------------------------------------------------ */

static struct node node_of(struct json_object *nodes, size_t i)
{
	struct json_object *o = json_object_array_get_idx(nodes, i);
	int64_t v[5] = { 0, -1, 0, 0, 0 };

	for (size_t k = 0; k < 5 && k < length(o); k++)
		v[k] = json_object_get_int64(json_object_array_get_idx(o, k));
	return (struct node){ v[0], v[1], v[2], v[3], v[4] };
}

/* GPUs held of all on nodes that are up; 0: the machine has none. */
static int64_t count_gpus(struct json_object *nodes, int64_t *ret_held)
{
	int64_t all = 0;

	*ret_held = 0;
	for (size_t i = 0; i < length(nodes); i++) {
		struct node n = node_of(nodes, i);

		if (n.used < 0)
			continue;
		all += n.gpus;
		*ret_held += n.gpus_held;
	}
	return all;
}

/* "n1 [######....]    6/10    2j   3/4g", names @width bytes wide; @gpus: with room for
 * them. */
static int put_bar(char *buf, size_t size, const char *name, int width,
		   const struct node *n, bool gpus)
{
	char bar[BAR + 1], held[32] = "";
	int full = n->used > 0 && n->cores > 0
			   ? (int)((n->used * BAR + n->cores - 1) / n->cores)
			   : 0;

	for (int i = 0; i < BAR; i++)
		bar[i] = n->used < 0 ? 'x' : i < full ? '#' : '.';
	bar[BAR] = '\0';
	if (n->gpus)
		snprintf(held, sizeof(held), "%3" PRId64 "/%" PRId64 "g",
			 n->gpus_held, n->gpus);
	if (n->used < 0)
		return snprintf(buf, size, "%-*s [%s] %-*s", width, name, bar,
				13 + (gpus ? GPUS : 0), "not up");
	return snprintf(buf, size,
			"%-*s [%s] %4" PRId64 "/%-4" PRId64 " %2" PRId64
			"j%-*.*s",
			width, name, bar, n->used, n->cores, n->jobs,
			gpus ? GPUS : 0, GPUS, held);
}

static int widest(struct json_object *names)
{
	size_t most = 1;

	for (size_t i = 0; i < length(names); i++) {
		size_t n = strlen(text_at(names, i));

		most = n > most ? n : most;
	}
	return most < 24 ? (int)most : 24;
}

/* Bars side by side, in node order; false: they need more than @most lines. */
static bool bars(struct page *p, struct json_object *nodes,
		 struct json_object *names, int most)
{
	int64_t held;
	bool gpus = count_gpus(nodes, &held) > 0;
	int width = widest(names), cell = width + BAR + 18 + (gpus ? GPUS : 0);
	size_t a_line = p->columns / (size_t)(cell + 2), n = length(nodes);
	char buf[LINE_MAX_BYTES];
	size_t at = 0;

	a_line = a_line ? a_line : 1;
	if (length(names) < n || (n + a_line - 1) / a_line > (size_t)most)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct node one = node_of(nodes, i);
		int k = put_bar(buf + at, sizeof(buf) - at, text_at(names, i),
				width, &one, gpus);

		at += k > 0 ? (size_t)k : 0;
		if (at + (size_t)cell >= sizeof(buf) || (i + 1) % a_line == 0 ||
		    i + 1 == n) {
			line(p, "%s", buf);
			at = 0;
		} else {
			at += (size_t)snprintf(buf + at, sizeof(buf) - at,
					       "  ");
		}
	}
	return true;
}

static char heat(const struct node *n)
{
	static const char shades[] = " .:-=+*#%@";

	if (n->used < 0)
		return 'x';
	if (n->cores <= 0 || n->used <= 0)
		return ' ';
	return n->used >= n->cores ? '@' : shades[1 + n->used * 8 / n->cores];
}

/* One character per @each nodes, summed over those that are up. */
static void heat_lines(struct page *p, struct json_object *nodes, int most)
{
	size_t n = length(nodes), width = p->columns - 2, each;
	char buf[LINE_MAX_BYTES];
	size_t k = 0;

	width = width < sizeof(buf) ? width : sizeof(buf) - 1;
	each = (n + width * (size_t)most - 1) / (width * (size_t)most);
	each = each ? each : 1;
	if (each > 1)
		line(p,
		     "%zu nodes, %zu a character: ' ' idle to @ full, x not up",
		     n, each);
	else
		line(p, "%zu nodes: ' ' idle to @ full, x not up", n);
	for (size_t i = 0; i < n; i += each) {
		struct node sum = { 0 };
		bool up = false;

		for (size_t x = i; x < n && x < i + each; x++) {
			struct node one = node_of(nodes, x);

			if (one.used < 0)
				continue;
			up = true;
			sum.cores += one.cores;
			sum.used += one.used;
		}
		sum.used = up ? sum.used : -1;
		buf[k++] = heat(&sum);
		if (k == width || i + each >= n) {
			buf[k] = '\0';
			line(p, "|%s|", buf);
			k = 0;
		}
	}
}

/* ---- who shares -------------------------------------------------------------- */

static const char *id_of(struct json_object *job, char *buf, size_t size)
{
	snprintf(buf, size, "%s", cs_json_view_text(job, "id"));
	if (!*buf)
		snprintf(buf, size, "%" PRId64,
			 cs_json_view_integer(job, "job"));
	return buf;
}

static void share_line(struct page *p, int64_t group, struct json_object *job,
		       int64_t now_s)
{
	char *nodes = cs_node_names_fold(cs_json_view_member(job, "nodes"));
	char id[32], end[32];

	put_span(cs_json_view_integer(job, "end_s") - now_s, end, sizeof(end));
	line(p, "%6" PRId64 " %-7s %12s %-12.12s %8.2f %12s  %s", group,
	     cs_json_view_text(job, "role"), id_of(job, id, sizeof(id)),
	     cs_json_view_text(job, "user"),
	     json_object_get_double(cs_json_view_member(job, "slowdown")), end,
	     nodes ? nodes : "");
	free(nodes);
}

/* At most @most lines. */
static void groups(struct page *p, struct json_object *list, int64_t now_s,
		   int most)
{
	int all = 0, said = 0;

	for (size_t i = 0; i < length(list); i++)
		all += (int)length(cs_json_view_member(
			json_object_array_get_idx(list, i), "jobs"));
	if (!all) {
		line(p, "no jobs share nodes as a group");
		return;
	}
	line(p, "%6s %-7s %12s %-12s %8s %12s  %s", "GROUP", "ROLE", "JOB",
	     "USER", "SLOWDOWN", "ENDS IN", "NODES");
	most = all > most ? most - 1 : all;
	for (size_t i = 0; i < length(list); i++) {
		struct json_object *g = json_object_array_get_idx(list, i);
		struct json_object *jobs = cs_json_view_member(g, "jobs");

		for (size_t k = 0; k < length(jobs) && said < most; k++, said++)
			share_line(p, cs_json_view_integer(g, "group"),
				   json_object_array_get_idx(jobs, k), now_s);
	}
	if (said < all)
		line(p, "       and %d more (cosched groups)", all - said);
}

/* ---- the queue ---------------------------------------------------------------- */

static void wait_line(struct page *p, struct json_object *job, int64_t now_s,
		      bool shadow)
{
	char id[32], start[32] = "-";
	int64_t at_s = cs_json_view_integer(job, "start_s");

	if (at_s > now_s)
		put_span(at_s - now_s, start, sizeof(start));
	else if (at_s)
		snprintf(start, sizeof(start), shadow ? "now" : "late");
	line(p, "%12s %-12.12s %12s  %s", id_of(job, id, sizeof(id)),
	     cs_json_view_text(job, "user"), start,
	     cs_json_view_text(job, "why"));
}

static void queue(struct page *p, struct json_object *o, int64_t now_s)
{
	struct json_object *list = cs_json_view_member(o, "queue");
	int64_t more = cs_json_view_integer(o, "queue_more");
	size_t n = length(list), said = 0;
	bool cut, shadow = !strcmp(cs_json_view_text(o, "mode"), "shadow");

	if (!n) {
		line(p, "no job waits");
		return;
	}
	if (shadow)
		line(p, "mode shadow: Slurm decides when these start; below is "
			"what cosched would do");
	line(p, "%12s %-12s %12s  %s", "WAITS", "USER",
	     shadow ? "WOULD START" : "STARTS IN", "WHY");
	cut = more || n > (size_t)(p->left > 0 ? p->left : 0);
	while (said < n && p->left > cut)
		wait_line(p, json_object_array_get_idx(list, said++), now_s,
			  shadow);
	if (said < n || more)
		line(p, "%12s and %" PRId64 " more wait", "",
		     (int64_t)(n - said) + more);
}

/* "long slice until 14:30:05, 3 jobs stopped"; nothing without slices. */
static void slice(struct page *p, struct json_object *o)
{
	struct json_object *now = cs_json_view_member(o, "slice");
	int64_t end_s = cs_json_view_integer(now, "end_s"),
		slots = cs_json_view_integer(now, "slots"),
		stopped = cs_json_view_integer(now, "stopped");
	char what[64], until[32] = "";
	size_t n = 0;

	if (!now)
		return;
	if (slots)
		snprintf(what, sizeof(what), "slot %" PRId64 " of %" PRId64,
			 cs_json_view_integer(now, "slot"), slots);
	else
		snprintf(what, sizeof(what), "%.16s slice",
			 cs_json_view_text(now, "class"));
	if (end_s) {
		n = (size_t)snprintf(until, sizeof(until), " until ");
		cs_json_view_time(end_s, until + n, sizeof(until) - n);
	}
	if (!cs_json_view_integer(o, "running") && !stopped &&
	    !cs_json_view_integer(o, "waiting"))
		line(p, "no slice now: no job needs one");
	else
		line(p, "%s%s, %" PRId64 " job%s stopped", what, until, stopped,
		     stopped == 1 ? "" : "s");
}

char *cs_top_page(struct json_object *o, int columns, int rows)
{
	struct page p = { .left = rows ? rows : 4096 };
	struct json_object *nodes = cs_json_view_member(o, "nodes");
	int64_t now_s = cs_json_view_integer(o, "now_s");
	int64_t held, gpus = count_gpus(nodes, &held);
	char at[32], some[64] = "";

	if (!columns)
		p.cut = LINE_MAX_BYTES - 1, columns = COLUMNS_UNCUT;
	if (columns < CS_TOP_COLUMNS_MIN)
		columns = CS_TOP_COLUMNS_MIN;
	if (columns >= LINE_MAX_BYTES)
		columns = LINE_MAX_BYTES - 1;
	if (rows && rows < CS_TOP_ROWS_MIN)
		rows = CS_TOP_ROWS_MIN;
	p.columns = (size_t)columns;
	p.cut = p.cut ? p.cut : p.columns;
	p.text.buf = malloc(PAGE_MAX);
	p.text.size = PAGE_MAX;
	if (!p.text.buf)
		return NULL;
	p.text.buf[0] = '\0';
	cs_json_view_time(now_s, at, sizeof(at));
	if (gpus)
		snprintf(some, sizeof(some),
			 ", %" PRId64 " of %" PRId64 " GPUs", held, gpus);
	line(&p,
	     "cosched %s  mode %s, policy %s; %" PRId64 " run, %" PRId64
	     " wait; %" PRId64 " of %" PRId64 " cores%s used",
	     at, cs_json_view_text(o, "mode"), cs_json_view_text(o, "policy"),
	     cs_json_view_integer(o, "running"),
	     cs_json_view_integer(o, "waiting"),
	     cs_json_view_integer(o, "cores_used"),
	     cs_json_view_integer(o, "cores"), some);
	slice(&p, o);
	line(&p, " ");
	if (length(nodes) && !bars(&p, nodes, cs_json_view_member(o, "names"),
				   rows ? rows / 3 : 64))
		heat_lines(&p, nodes, rows ? rows / 3 : 64);
	line(&p, " ");
	groups(&p, cs_json_view_member(o, "groups"), now_s,
	       rows ? (rows + 3) / 4 : 1024);
	line(&p, " ");
	queue(&p, o, now_s);
	cs_textbuf_end(&p.text);
	return p.text.buf;
}
