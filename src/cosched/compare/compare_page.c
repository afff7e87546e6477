/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compare/compare_page.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/options.h"
#include "sim/watch.h"

#define N_COLOUR 8
#define HIGH 190 /* of a plot */
#define TOP 30	 /* above it */
#define LEFT 64
#define WIDE 1080 /* of a wide picture */
#define CORE 5	  /* of a core's row, ... */
#define NODE 12	  /* ... more where a node has few */
#define NODE_GAP 3
#define HOUR_US 3600e6

/* Colours of Okabe and Ito, which people with any colour vision tell apart. */
static const char style[] =
	":root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;"
	"--soft:#57606a;--line:#d0d7de;--row:#f3f5f7;--grid:#dde2e7}\n"
	"@media(prefers-color-scheme:dark){:root{--paper:#0f1419;"
	"--ink:#e6edf3;--soft:#9aa7b4;--line:#30363d;--row:#1a2027;"
	"--grid:#2a323b}}\n"
	"body{margin:0;background:var(--paper);color:var(--ink);"
	"font:15px/1.5 system-ui,'DejaVu Sans',Verdana,sans-serif}\n"
	"main{max-width:1180px;margin:0 auto;padding:24px}\n"
	"h1{font-size:24px}h2{font-size:18px;margin-top:32px}\n"
	".sub,caption{color:var(--soft);text-align:left}\n"
	".wide{overflow-x:auto;margin:14px 0}svg{max-width:100%;height:auto;"
	"margin-right:18px}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:3px 10px;border-bottom:1px solid var(--line);"
	"text-align:right}\n"
	"th:first-child{text-align:left}\n"
	"svg text{font-size:11px;fill:var(--soft)}\n"
	"svg .h{font-size:13px;font-weight:600;fill:var(--ink)}\n"
	"svg .m{text-anchor:middle}svg .r{text-anchor:end}\n"
	".g{stroke:var(--grid);fill:none}.e{stroke:var(--soft);fill:none}\n"
	".n{fill:var(--row)}.l{fill:none;stroke-width:1.6}\n"
	".b{stroke:var(--paper);stroke-width:.5}\n"
	".k{display:inline-block;width:12px;height:12px;margin:0 6px 0 0}\n"
	".c0{fill:#0072b2;background:#0072b2}.s0{stroke:#0072b2}\n"
	".c1{fill:#e69f00;background:#e69f00}.s1{stroke:#e69f00}\n"
	".c2{fill:#009e73;background:#009e73}.s2{stroke:#009e73}\n"
	".c3{fill:#cc79a7;background:#cc79a7}.s3{stroke:#cc79a7}\n"
	".c4{fill:#56b4e9;background:#56b4e9}.s4{stroke:#56b4e9}\n"
	".c5{fill:#d55e00;background:#d55e00}.s5{stroke:#d55e00}\n"
	".c6{fill:#b8a800;background:#b8a800}.s6{stroke:#b8a800}\n"
	".c7{fill:#999999;background:#999999}.s7{stroke:#999999}\n";

/* ---- text ---------------------------------------------------------------- */

void cs_page_text(FILE *f, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			putc((unsigned char)*text < ' ' ? '?' : *text, f);
		}
}

static void text(FILE *f, double x, double y, const char *class, const char *s)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	cs_page_text(f, s);
	fputs("</text>\n", f);
}

static void svg(FILE *f, double wide, double high, const char *label)
{
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
		"height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		"aria-label=\"",
		wide, high, wide, high);
	cs_page_text(f, label);
	fputs("\">\n", f);
}

/* Distance of about five grid lines. */
static double nice_step(double span)
{
	double raw = span / 5, mag = pow(10, floor(log10(span) - log10(5)));

	for (int i = 0; i < 3; i++) {
		static const double by[] = { 1, 2, 5 };

		if (by[i] * mag >= raw * .999)
			return by[i] * mag;
	}
	return 10 * mag;
}

/* Lines of a scale from 0 to at least @top; returns its end. */
static double scale(FILE *f, double top, double left, double wide)
{
	double step = nice_step(top > 0 ? top : 1);
	double end = step * ceil(top / step - 1e-9);
	char s[32];

	end = end > 0 ? end : step;
	for (int i = 0; i * step <= end * 1.0001; i++) {
		double y = TOP + HIGH * (1 - i * step / end);

		fprintf(f, "<path class=\"%c\" d=\"M%.1f %.1fh%.1f\"/>\n",
			i ? 'g' : 'e', left, y, wide);
		snprintf(s, sizeof(s), "%g", i * step);
		text(f, left - 6, y + 4, "r", s);
	}
	return end;
}

static void legend(FILE *f, const struct cs_compare *c)
{
	fputs("<p class=\"sub\">", f);
	for (size_t i = 0; i < c->n_policy; i++) {
		fprintf(f, "<span class=\"k c%zu\"></span>%zu ", i % N_COLOUR,
			i + 1);
		cs_page_text(f, c->policy[i].title);
		fputs(" &#160; ", f);
	}
	fputs("</p>\n", f);
}

/* ---- bars ---------------------------------------------------------------- */

static const struct cs_compare_figure *figure(const char *key)
{
	for (size_t k = 0; k < cs_compare_n_figure; k++)
		if (!strcmp(cs_compare_figures[k].key, key))
			return &cs_compare_figures[k];
	return NULL;
}

static void bars(FILE *f, const struct cs_compare *c, const char *key)
{
	const struct cs_compare_figure *x = figure(key);
	double wide = 44 * (double)c->n_policy, top = 0, end;
	char s[160];

	for (size_t i = 0; i < c->n_policy; i++)
		top = fmax(top, cs_compare_mean(c, i, x));
	snprintf(s, sizeof(s), "%s%s%s", x->title, *x->unit ? ", " : "",
		 x->unit);
	svg(f, LEFT + fmax(wide, 270) + 10, TOP + HIGH + 24, s);
	text(f, 4, 16, "h", s);
	end = scale(f, top, LEFT, wide);
	for (size_t i = 0; i < c->n_policy; i++) {
		double v = cs_compare_mean(c, i, x);
		double at = LEFT + 44 * (double)i;

		if (isnan(v))
			continue;
		fprintf(f,
			"<rect class=\"c%zu\" x=\"%.1f\" y=\"%.1f\" "
			"width=\"34\" height=\"%.1f\"><title>",
			i % N_COLOUR, at + 5, TOP + HIGH * (1 - v / end),
			HIGH * v / end);
		cs_page_text(f, c->policy[i].title);
		fprintf(f, ": %.*f</title></rect>\n", x->places, v);
		snprintf(s, sizeof(s), "%.*f", x->places, v);
		text(f, at + 22, TOP + HIGH * (1 - v / end) - 3, "m", s);
		snprintf(s, sizeof(s), "%zu", i + 1);
		text(f, at + 22, TOP + HIGH + 15, "m", s);
	}
	fputs("</svg>\n", f);
}

/* ---- curves -------------------------------------------------------------- */

static void open_curve(FILE *f, const struct cs_compare *c, size_t i)
{
	fprintf(f, "<path class=\"l s%zu\"", i % N_COLOUR);
	if (i >= N_COLOUR)
		fprintf(f, " stroke-dasharray=\"%zu 3\"", 2 * (i / N_COLOUR));
	(void)c;
	fputs(" d=\"M", f);
}

static void close_curve(FILE *f, const struct cs_compare *c, size_t i)
{
	fputs("\"><title>", f);
	cs_page_text(f, c->policy[i].title);
	fputs("</title></path>\n", f);
}

static void use_over_time(FILE *f, const struct cs_page *p)
{
	double cores = (double)cs_machine_cores(p->c->machine),
	       wide = WIDE - LEFT - 10;
	double step_h = (double)p->step_us / HOUR_US, hours, tick;
	size_t n = 1;
	char s[32];

	for (size_t i = 0; i < p->c->n_policy; i++)
		n = p->view[i].n_step > n ? p->view[i].n_step : n;
	hours = step_h * (double)n;
	tick = nice_step(hours);
	svg(f, WIDE, TOP + HIGH + 34, "Cores held over time");
	text(f, 4, 16, "h", "cores held, % of all");
	scale(f, 100, LEFT, wide);
	for (int i = 0; i * tick <= hours; i++) {
		snprintf(s, sizeof(s), "%g", i * tick);
		text(f, LEFT + wide * i * tick / hours, TOP + HIGH + 15, "m",
		     s);
	}
	text(f, LEFT + wide / 2, TOP + HIGH + 30, "m",
	     "hours since the first submit");
	for (size_t i = 0; i < p->c->n_policy; i++) {
		const struct cs_compare_view *v = &p->view[i];

		open_curve(f, p->c, i);
		fprintf(f, "%d %d", LEFT, TOP + HIGH);
		for (size_t k = 0; k < v->n_step; k++)
			fprintf(f, "L%.1f %.1f",
				LEFT + wide * ((double)k + .5) / (double)n,
				TOP + HIGH * (1 -
					      v->core_us[k] /
						      (cores *
						       (double)p->step_us)));
		close_curve(f, p->c, i);
	}
	fputs("</svg>\n", f);
}

/* The part of all jobs, in percent, at or below each bin. */
static void distribution(FILE *f, const struct cs_compare *c, const char *title,
			 bool wait)
{
	double wide = WIDE / 2 - LEFT - 30,
	       per = wait ? CS_WAIT_BINS : CS_SLOW_BINS;
	uint64_t last = 1;
	char s[32];

	for (size_t i = 0; i < c->n_case * c->n_policy; i++) {
		const uint32_t *bin = wait ? c->run[i].wait : c->run[i].slow;

		for (uint64_t k = 0; k < CS_COMPARE_BINS; k++)
			last = bin[k] && k > last ? k : last;
	}
	svg(f, WIDE / 2 - 20, TOP + HIGH + 24, title);
	text(f, 4, 16, "h", title);
	scale(f, 100, LEFT, wide);
	for (int d = 0; d * per <= (double)last; d++) {
		snprintf(s, sizeof(s), "%g", pow(10, d));
		text(f, LEFT + wide * d * per / (double)last, TOP + HIGH + 15,
		     "m", s);
	}
	for (size_t i = 0; i < c->n_policy; i++) {
		double sum = 0, all = 0;

		open_curve(f, c, i);
		for (size_t k = 0; k < c->n_case; k++)
			all += (double)c->run[k * c->n_policy + i].figures.jobs;
		for (uint64_t b = 0; b <= last; b++) {
			for (size_t k = 0; k < c->n_case; k++) {
				const struct cs_compare_run *r =
					&c->run[k * c->n_policy + i];

				sum += wait ? r->wait[b] : r->slow[b];
			}
			fprintf(f, "%s%.1f %.1f", b ? "L" : "",
				LEFT + wide * (double)b / (double)last,
				TOP + HIGH * (1 - sum / all));
		}
		close_curve(f, c, i);
	}
	fputs("</svg>\n", f);
}

/* ---- Gantt --------------------------------------------------------------- */

static double when(const struct cs_page *p, int64_t t_us)
{
	return LEFT + (WIDE - LEFT - 10) * (double)(t_us - p->from_us) /
			      (double)(p->to_us - p->from_us);
}

/* Cores of a node that are shown; they are alike. */
static uint32_t rows(const struct cs_machine *m)
{
	uint32_t n = cs_node_cores(&m->node[0]);

	return n < CS_PAGE_CORES ? n : CS_PAGE_CORES;
}

static double row_high(const struct cs_machine *m)
{
	return fmax(CORE, NODE / rows(m));
}

/* A bar for each run of adjacent cores. */
static void span(FILE *f, const struct cs_page *p, const struct cs_span *s,
		 double node_high)
{
	double core = row_high(p->c->machine);
	const struct cs_trace_job *j = &p->first->job[s->job];
	double x = when(p, s->from_us), wide = when(p, s->to_us) - x;
	uint64_t rest = s->cores;

	fprintf(f,
		"<g class=\"b c%" PRIu32 "\"><title>job %" PRIu32 ": %" PRIu32
		" processes, submit %.0f s, alone %.0f s, here %.0f to %.0f s"
		"</title>",
		j->id % N_COLOUR, j->id, j->procs, (double)j->submit_us / 1e6,
		(double)j->runtime_us / 1e6, (double)s->from_us / 1e6,
		(double)s->to_us / 1e6);
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
	double from = (double)p->from_us / HOUR_US;
	double to = (double)p->to_us / HOUR_US, tick = nice_step(to - from);
	char s[32];

	svg(f, WIDE, high + 22, "Cores of the first nodes over time");
	text(f, 4, 16, "h", p->c->policy[policy].title);
	for (uint32_t n = 0; n < nodes; n++) {
		fprintf(f,
			"<rect class=\"n\" x=\"%d\" y=\"%.1f\" width=\"%d\" "
			"height=\"%.1f\"/>\n",
			LEFT, TOP + node_high * n, WIDE - LEFT - 10, node);
		snprintf(s, sizeof(s), "node %" PRIu32, n + 1);
		text(f, LEFT - 6, TOP + node_high * n + node / 2 + 4, "r", s);
	}
	for (double t = tick * ceil(from / tick); t <= to * 1.0001; t += tick) {
		double x = when(p, (int64_t)(t * HOUR_US));

		fprintf(f, "<path class=\"g\" d=\"M%.1f %dV%.1f\"/>\n", x, TOP,
			high);
		snprintf(s, sizeof(s), "%g h", t);
		text(f, x, high + 14, "m", s);
	}
	for (size_t i = 0; i < p->view[policy].n_span; i++)
		span(f, p, &p->view[policy].span[i], node_high);
	fputs("</svg>\n", f);
}

/* ---- tables -------------------------------------------------------------- */

static bool there(const struct cs_compare *c, const struct cs_compare_figure *x)
{
	for (size_t i = 0; i < c->n_policy; i++)
		if (!isnan(cs_compare_mean(c, i, x)))
			return true;
	return false;
}

static void cell(FILE *f, const struct cs_compare *c, size_t i,
		 const struct cs_compare_figure *x)
{
	double error, change = cs_compare_change(c, i, x, &error);
	double v = cs_compare_mean(c, i, x);

	if (isnan(v)) {
		fputs("<td>&#8211;</td>", f);
		return;
	}
	fprintf(f, "<td>%.*f", x->places, v);
	if (i && !isnan(change))
		fprintf(f, "<br><small>%+.1f %%", change);
	if (i && !isnan(error))
		fprintf(f, " &#177; %.1f", error);
	fputs(i && !isnan(change) ? "</small></td>" : "</td>", f);
}

void cs_page_means(FILE *f, const struct cs_compare *c)
{
	fputs("<div class=\"wide\"><table><caption>Means; below them the "
	      "change against the first policy",
	      f);
	if (c->n_case > 1)
		fputs(" &#177; two standard errors of the differences case "
		      "by case",
		      f);
	fputs(".</caption><thead><tr><th scope=\"col\">policy</th>", f);
	for (size_t k = 0; k < cs_compare_n_figure; k++) {
		const struct cs_compare_figure *x = &cs_compare_figures[k];

		if (!there(c, x))
			continue;
		fputs("<th scope=\"col\">", f);
		cs_page_text(f, x->title);
		fprintf(f, "%s%s</th>", *x->unit ? ", " : "", x->unit);
	}
	fputs("</tr></thead><tbody>\n", f);
	for (size_t i = 0; i < c->n_policy; i++) {
		fprintf(f,
			"<tr><th scope=\"row\"><span class=\"k c%zu\">"
			"</span>%zu ",
			i % N_COLOUR, i + 1);
		cs_page_text(f, c->policy[i].title);
		fputs("</th>", f);
		for (size_t k = 0; k < cs_compare_n_figure; k++)
			if (there(c, &cs_compare_figures[k]))
				cell(f, c, i, &cs_compare_figures[k]);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}

static void settings(FILE *f, const struct cs_compare *c)
{
	fputs("<h2>What was run</h2><ul>\n", f);
	for (size_t i = 0; i < c->n_policy; i++) {
		fputs("<li><code>", f);
		cs_page_text(f, c->policy[i].settings);
		fputs("</code></li>\n", f);
	}
	fputs("</ul><p>On: ", f);
	for (size_t i = 0; i < c->n_case; i++) {
		cs_page_text(f, i ? "; " : "");
		cs_page_text(f, c->cases[i].title);
	}
	fputs(".</p>\n", f);
}

/* ---- the page ------------------------------------------------------------ */

/* Lines as they stand in a terminal. */
static void note(FILE *f, const char *lines)
{
	fputs("<pre>", f);
	while (*lines) {
		char line[256];
		size_t n = strcspn(lines, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, lines);
		cs_page_text(f, line);
		putc('\n', f);
		lines += n + (lines[n] == '\n');
	}
	fputs("</pre>\n", f);
}

static void head(FILE *f, const char *title, const char *heading)
{
	fputs("<!doctype html>\n<html lang=\"en\"><head>"
	      "<meta charset=\"utf-8\"><meta name=\"viewport\" "
	      "content=\"width=device-width,initial-scale=1\">"
	      "<title>slurm-cosched: ",
	      f);
	cs_page_text(f, title);
	fprintf(f, "</title>\n<style>%s</style></head><body><main>\n<h1>",
		style);
	cs_page_text(f, heading);
	fputs("</h1>\n<p class=\"sub\">", f);
}

static void compare_head(FILE *f, const struct cs_compare *c)
{
	char title[64], heading[64];

	snprintf(title, sizeof(title), "%zu policies compared", c->n_policy);
	snprintf(heading, sizeof(heading), "The same jobs under %zu policies",
		 c->n_policy);
	head(f, title, heading);
	fputs("Simulated on ", f);
	cs_page_text(f, c->machine_text);
	fputs(", ", f);
	cs_page_text(f, c->cases[0].title);
	if (c->n_case > 1) {
		fprintf(f, " and %zu other%s", c->n_case - 1,
			c->n_case > 2 ? "s" : "");
	}
	fputs(", by cosched " COSCHED_VERSION ".</p>\n", f);
	if (c->note)
		note(f, c->note);
}

static void page_head(FILE *f, const struct cs_page *p)
{
	if (!p->title) {
		compare_head(f, p->c);
		return;
	}
	head(f, p->title, p->title);
	cs_page_text(f, p->below);
	fputs("</p>\n", f);
	if (p->part)
		p->part(f, p->arg);
}

static void pictures(FILE *f, const struct cs_page *p)
{
	static const char *const waits[] = { "mean_wait", "mean_response" };
	static const char *const slow[] = { "rr_medium", "rr_long", "rr_all",
					    "mean_bounded_slowdown" };
	const struct cs_compare *c = p->c;

	fputs("<h2>Wait and response</h2>\n", f);
	legend(f, c);
	for (size_t i = 0; i < 2; i++)
		bars(f, c, waits[i]);
	fputs("<h2>Slowdown by class</h2><p class=\"sub\">Response time over "
	      "the runtime alone: jobs of 10 minutes to 3 hours, longer "
	      "ones, and all with a lower bound for the runtime.</p>\n",
	      f);
	for (size_t i = 0; i < 4; i++)
		if (there(c, figure(slow[i])))
			bars(f, c, slow[i]);
	fputs("<h2>Distributions</h2><p class=\"sub\">Part of the jobs, in "
	      "%, that had at most this; all cases together.</p>\n",
	      f);
	legend(f, c);
	distribution(f, c, "wait, s", true);
	distribution(f, c, "bounded slowdown", false);
	fputs("<h2>Use over time</h2><p class=\"sub\">", f);
	cs_page_text(f, c->cases[0].title);
	fputs(".</p>\n", f);
	legend(f, c);
	fputs("<div class=\"wide\">", f);
	use_over_time(f, p);
	fputs("</div>\n<h2>Who is where</h2><p class=\"sub\">", f);
	cs_page_text(f, c->cases[0].title);
	fprintf(f,
		", the first %d nodes at most, %.1f to %.1f hours after the "
		"first submit; a row a core. Two colours in a node at one "
		"time are two jobs that share it. Point at a bar for its "
		"job.</p>\n",
		CS_PAGE_NODES, (double)p->from_us / HOUR_US,
		(double)p->to_us / HOUR_US);
	for (size_t i = 0; i < c->n_policy; i++) {
		fputs("<div class=\"wide\">", f);
		gantt(f, p, i);
		fputs("</div>\n", f);
	}
}

int64_t cs_page_window_end(const struct cs_page *p)
{
	int64_t last = p->from_us;

	for (size_t i = 0; i < p->c->n_policy; i++)
		for (size_t s = 0; s < p->view[i].n_span; s++)
			if (p->view[i].span[s].to_us > last)
				last = p->view[i].span[s].to_us;
	return last > p->from_us ? last : p->to_us;
}

int cs_compare_page(FILE *file, const struct cs_page *p)
{
	errno = 0;
	page_head(file, p);
	if (!p->title)
		cs_page_means(file, p->c);
	if (p->first)
		pictures(file, p);
	settings(file, p->c);
	fputs("</main></body></html>\n", file);
	if (!ferror(file))
		return 0;
	return errno ? -errno : -EIO;
}
