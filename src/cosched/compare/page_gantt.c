/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where jobs ran: cores of the first nodes over time, one row per core. */
#include <inttypes.h>
#include <math.h>

#include "cli/duration.h"
#include "compare/page_text.h"
#include "sim/watch.h"

#define N_COLOUR 8
#define TOP 6
#define LEFT 76
#define WIDE 1080
#define CORE 5	/* height of a core's row, ... */
#define NODE 12 /* ... or of a node's, if it has few cores */
#define NODE_GAP 3

/* Cores shown per node; all nodes are alike. */
static uint32_t rows(const struct cs_machine *m)
{
	uint32_t n = cs_node_cores(&m->node[0]);

	return n < CS_PAGE_CORES ? n : CS_PAGE_CORES;
}

static double row_high(const struct cs_machine *m)
{
	return fmax(CORE, NODE / rows(m));
}

/* "2 d 03:04:05" */
static void put_clock(FILE *f, int64_t us)
{
	int64_t s = us / 1000000;

	if (s >= 86400)
		fprintf(f, "%" PRId64 " d ", s / 86400);
	fprintf(f, "%02d:%02d:%02d", (int)(s / 3600 % 24), (int)(s / 60 % 60),
		(int)(s % 60));
}

/* The tooltip of a bar. */
static void about(FILE *f, const struct cs_trace *t, const struct cs_span *s)
{
	const struct cs_trace_job *j = &t->job[s->job];
	const char *name = cs_trace_name(t->names, CS_NAME_EXE, j->exe);
	const char *user = cs_trace_name(t->names, CS_NAME_USER, j->user);
	double alone = (double)j->runtime_us / 1e6;
	char span[CS_DURATION_SIZE];

	fprintf(f, "<title>job %" PRIu32, j->id);
	if (name) {
		fputs(" (", f);
		cs_page_esc(f, name);
		fputs(")", f);
	}
	if (user || j->user >= 0)
		fputs(" of ", f);
	if (user)
		cs_page_esc(f, user);
	else if (j->user >= 0)
		fprintf(f, "user %" PRId32, j->user);
	fprintf(f, ": %" PRIu32 " processes, %s alone, submitted ", j->procs,
		cs_duration_text(alone, alone, span));
	put_clock(f, j->submit_us);
	fputs(", here ", f);
	put_clock(f, s->from_us);
	fputs(" to ", f);
	put_clock(f, s->to_us);
	fputs("</title>", f);
}

/* One bar for each run of adjacent cores. */
static void span(FILE *f, const struct cs_page *p, const struct cs_page_axis *a,
		 const struct cs_span *s, double node_high)
{
	double core = row_high(p->c->machine);
	double x = cs_page_at(a, (double)s->from_us / 1e6);
	double wide = cs_page_at(a, (double)s->to_us / 1e6) - x;
	uint64_t rest = s->cores;

	fprintf(f, "<g class=\"b c%" PRIu32 "\">",
		p->first->job[s->job].id % N_COLOUR);
	about(f, p->first, s);
	while (rest) {
		int at = __builtin_ctzll(rest), n = 0;

		while (at + n < 64 && rest >> (at + n) & 1)
			rest &= ~(UINT64_C(1) << (at + n++));
		fprintf(f,
			"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" "
			"height=\"%.1f\"/>",
			x, TOP + node_high * s->node + core * at,
			wide > .4 ? wide : .4, core * n);
	}
	fputs("</g>\n", f);
}

static void gantt(FILE *f, const struct cs_page *p, size_t policy)
{
	const struct cs_machine *m = p->c->machine;
	uint32_t nodes = m->n_node < CS_PAGE_NODES ? m->n_node : CS_PAGE_NODES;
	double node = row_high(m) * rows(m), node_high = node + NODE_GAP;
	double high = TOP + node_high * nodes;
	struct cs_page_axis a = { (double)p->from_us / 1e6,
				  (double)p->to_us / 1e6, LEFT,
				  WIDE - LEFT - 26 };
	char s[32];

	fputs("<figure><figcaption>", f);
	cs_page_esc(f, p->c->policy[policy].title);
	fputs("</figcaption>\n", f);
	cs_page_svg(f, WIDE, high + 26, "Cores of the first nodes over time");
	for (uint32_t n = 0; n < nodes; n++) {
		fprintf(f,
			"<rect class=\"n\" x=\"%d\" y=\"%.1f\" width=\"%.0f\" "
			"height=\"%.1f\"/>\n",
			LEFT, TOP + node_high * n, a.wide, node);
		snprintf(s, sizeof(s), "node %" PRIu32, n + 1);
		cs_page_text(f, LEFT - 6, TOP + node_high * n + node / 2 + 4,
			     "r", s);
	}
	cs_page_ticks(f, &a, TOP, high);
	for (size_t i = 0; i < p->view[policy].n_span; i++)
		span(f, p, &a, &p->view[policy].span[i], node_high);
	cs_page_svg_end(f);
	fputs("</figure>\n", f);
}

void cs_page_gantt(FILE *f, const struct cs_page *p)
{
	const struct cs_machine *m = p->c->machine;

	fputs("<h2 id=\"where\">Where jobs ran</h2><p class=\"sub\">", f);
	cs_page_esc(f, p->c->cases[0].title);
	fprintf(f,
		", %s%" PRIu32 " nodes, one row per core; time since the first "
		"submit. Colours only separate neighbours: two on a node at one "
		"time are two jobs that share it. Point at a bar for its "
		"job.</p>\n",
		m->n_node > CS_PAGE_NODES ? "the first " : "",
		m->n_node > CS_PAGE_NODES ? CS_PAGE_NODES : m->n_node);
	cs_page_wide(f, "Where jobs ran");
	for (size_t i = 0; i < p->c->n_policy; i++)
		gantt(f, p, i);
	cs_page_wide_end(f);
}
