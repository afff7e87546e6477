/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compare/page_text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/base/utf8.h"

/* Blue and grey, and for jobs the colours of Okabe and Ito: distinct for people with
 * any colour vision; no information is in colour alone. */
const char cs_page_style[] =
	":root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;"
	"--soft:#57606a;--line:#d0d7de;--row:#f3f5f7;--grid:#dde2e7;"
	"--mark:#fff8c5;--best:#0b6b3a;--here:#0072b2;--base:#6e7781;"
	"--focus:#b3261e}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--paper:#0f1419;"
	"--ink:#e6edf3;--soft:#9aa7b4;--line:#30363d;--row:#1a2027;"
	"--grid:#2a323b;--mark:#3a3312;--best:#5fd39b;--here:#56b4e9;"
	"--base:#8b97a3;--focus:#ff8a80}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--paper);color:var(--ink);"
	"font:15px/1.5 system-ui,'DejaVu Sans',Verdana,sans-serif}\n"
	"main{max-width:1180px;margin:0 auto;padding:28px 24px 60px}\n"
	"h1{font-size:26px;line-height:1.25;margin:0 0 4px}"
	"h2{font-size:18px;margin:38px 0 10px}"
	"h3{font-size:15px;margin:20px 0 4px;overflow-wrap:anywhere}\n"
	"p,li{max-width:78ch;margin:8px 0;overflow-wrap:anywhere}\n"
	"nav a{color:inherit;margin-right:16px}\n"
	".sub,caption{color:var(--soft)}"
	"caption{text-align:left;padding-bottom:6px;"
	"max-width:min(78ch,100vw - 48px)}\n"
	".verdict{border-left:4px solid var(--best);padding:2px 0 2px 16px;"
	"margin:18px 0}"
	".verdict p{font-size:17px}.verdict .sub{font-size:15px}\n"
	".notice{background:var(--mark);border:1px solid var(--line);"
	"border-radius:6px;padding:10px 14px;max-width:none}\n"
	".wide{overflow-x:auto}.wide+.wide{margin-top:22px}"
	".panels{display:flex;flex-wrap:wrap;gap:16px 24px}"
	"figure{margin:0}figcaption{font-weight:600;font-size:13px;"
	"max-width:340px;overflow-wrap:anywhere}.wide figcaption{max-width:none}\n"
	"svg{display:block;max-width:100%;height:auto}"
	".wide svg{max-width:none}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:6px 14px 6px 0;text-align:right;vertical-align:top;"
	"border-bottom:1px solid var(--line)}\n"
	"th:first-child,td:first-child,.l{text-align:left}"
	"thead th{color:var(--soft);font-weight:600;overflow-wrap:break-word;"
	"max-width:22ch}tbody th{font-weight:500;overflow-wrap:anywhere}\n"
	"td{white-space:nowrap}.even td,.even thead th{min-width:112px}"
	"td.best{font-weight:700;color:var(--best)}"
	"td small{display:block;font-weight:400;color:var(--soft)}\n"
	".meter{display:block;width:100px;height:4px;margin:4px 0 2px auto;"
	"background:var(--row)}"
	".meter i{display:block;height:4px;background:var(--base);"
	"margin-left:auto}.best .meter i{background:var(--best)}\n"
	".what{display:block;color:var(--soft);font-size:12.5px;"
	"font-weight:400;max-width:40ch}\n"
	"svg text{font-size:12px;fill:var(--soft)}"
	"svg .m{text-anchor:middle}svg .r{text-anchor:end}\n"
	".g{stroke:var(--grid);fill:none}.e{stroke:var(--soft);fill:none}"
	".n{fill:var(--row)}\n"
	".base{fill:none;stroke:var(--base);stroke-width:1.6;"
	"stroke-dasharray:4 3}.here{fill:none;stroke:var(--here);"
	"stroke-width:2}.area{fill:var(--here);fill-opacity:.3;"
	"stroke:var(--here);stroke-width:1}\n"
	".b{stroke:var(--paper);stroke-width:.6}"
	".c0{fill:#0072b2}.c1{fill:#e69f00}.c2{fill:#009e73}.c3{fill:#cc79a7}"
	".c4{fill:#56b4e9}.c5{fill:#d55e00}.c6{fill:#b8a800}.c7{fill:#999}\n"
	":focus-visible{outline:2px solid var(--focus);outline-offset:2px}\n"
	"@media(max-width:600px){main{padding:16px 12px 40px}"
	"h1{font-size:22px}.verdict p{font-size:16px}"
	"caption{max-width:calc(100vw - 24px)}th,td{padding-right:10px}"
	"tbody th{position:sticky;left:0;background:var(--paper)}"
	".even tbody th{min-width:100px}.what{font-size:11.5px}"
	".even td,.even thead th{min-width:82px}.meter{width:76px}}\n"
	"@media print{@page{margin:14mm}body{font-size:10pt}"
	"main{max-width:none;padding:0}nav{display:none}"
	"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
	".wide{overflow:visible}.wide svg{max-width:100%}"
	".wide svg text{font-size:17px}.panels{gap:12px 2%}"
	".panels figure{width:49%}"
	"figure,table:not(.even),tr,.notice,.verdict{break-inside:avoid}"
	"h2,h3,.sub{break-after:avoid}"
	"th,td{padding:3px 6px 3px 0}"
	".even td,.even thead th{min-width:0;font-size:8.5pt}"
	".even tbody th{min-width:36mm}.what{font-size:8pt}"
	".meter{width:56px}}\n";

void cs_page_esc(FILE *f, const char *text)
{
	size_t left = strlen(text), n;

	for (; left; text += n, left -= n) {
		n = cs_utf8_len(text, left);
		if (!n || (unsigned char)*text < ' ' || *text == 127)
			putc('?', f);
		else if (strchr("<>&\"'", *text))
			fprintf(f, "&#%d;", *text);
		else
			fwrite(text, 1, n, f);
		n = n ? n : 1;
	}
}

void cs_page_head(FILE *f, const char *title, const char *heading)
{
	fputs("<!doctype html>\n<html lang=\"en\"><head>"
	      "<meta charset=\"utf-8\"><meta name=\"viewport\" "
	      "content=\"width=device-width,initial-scale=1\">"
	      "<title>slurm-cosched: ",
	      f);
	cs_page_esc(f, title);
	fprintf(f, "</title>\n<style>%s</style></head><body><main>\n<h1>",
		cs_page_style);
	cs_page_esc(f, heading);
	fputs("</h1>\n<p class=\"sub\">", f);
}

void cs_page_tail(FILE *f)
{
	fputs("</main></body></html>\n", f);
}

void cs_page_title(FILE *f, const char *title)
{
	char part[256];

	while (*title) {
		size_t n = strcspn(title, ":=") + 1;

		n = n > strlen(title) ? strlen(title) : n;
		n = n < sizeof(part) ? n : sizeof(part) - 1;
		memcpy(part, title, n);
		part[n] = '\0';
		cs_page_esc(f, part);
		fputs("<wbr>", f);
		title += n;
	}
}

/* ---- pictures ------------------------------------------------------------ */

void cs_page_text(FILE *f, double x, double y, const char *class, const char *s)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	cs_page_esc(f, s);
	fputs("</text>\n", f);
}

void cs_page_svg(FILE *f, double wide, double high, const char *label)
{
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
		"height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		"aria-label=\"",
		wide, high, wide, high);
	cs_page_esc(f, label);
	fputs("\">\n", f);
}

void cs_page_svg_end(FILE *f)
{
	fputs("</svg>\n", f);
}

void cs_page_wide(FILE *f, const char *label)
{
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"",
	      f);
	cs_page_esc(f, label);
	fputs("\">\n", f);
}

void cs_page_wide_end(FILE *f)
{
	fputs("</div>\n", f);
}

/* ---- time ---------------------------------------------------------------- */

#define TICKS 10 /* at most */
#define UNITS 4

static const struct {
	int64_t s;
	const char *name;
} unit[UNITS] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };

double cs_page_at(const struct cs_page_axis *a, double s)
{
	return a->left + a->wide * (s - a->from_s) / (a->to_s - a->from_s);
}

/* A step in customary units of time. */
static int64_t step_of(double span_s)
{
	static const int step[] = { 1,	  2,	5,     10,    15,    30,
				    60,	  120,	300,   600,   900,   1800,
				    3600, 7200, 10800, 21600, 43200, 86400 };
	static const int by[] = { 2, 5, 10 };
	int64_t days = 86400;

	for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++)
		if (span_s <= (double)step[i] * TICKS)
			return step[i];
	for (;; days *= 10)
		for (int i = 0; i < 3; i++)
			if (span_s <= (double)(days * by[i]) * TICKS)
				return days * by[i];
}

/* "14 d 6 h", and "15 d" where a day begins; likewise hours and minutes, minutes and
 * seconds. */
static void tick_text(int64_t at, int64_t step, char *buf, size_t size)
{
	int fine = 0;
	int64_t whole, part;

	while (step < unit[fine].s)
		fine++;
	whole = fine ? at / unit[fine - 1].s : at / unit[0].s;
	part = fine ? at % unit[fine - 1].s / unit[fine].s : 0;
	if (!at)
		snprintf(buf, size, "0");
	else if (!part)
		snprintf(buf, size, "%lld %s", (long long)whole,
			 unit[fine ? fine - 1 : 0].name);
	else if (whole)
		snprintf(buf, size, "%lld %s %lld %s", (long long)whole,
			 unit[fine - 1].name, (long long)part, unit[fine].name);
	else
		snprintf(buf, size, "%lld %s", (long long)part,
			 unit[fine].name);
}

void cs_page_ticks(FILE *f, const struct cs_page_axis *a, double top,
		   double bottom)
{
	int64_t step = step_of(a->to_s - a->from_s);
	int64_t first = (int64_t)ceil(a->from_s / (double)step) * step;
	char s[64];

	for (int64_t t = first; (double)t <= a->to_s; t += step) {
		double x = cs_page_at(a, (double)t);

		fprintf(f, "<path class=\"g\" d=\"M%.1f %.1fV%.1f\"/>\n", x,
			top, bottom);
		tick_text(t, step, s, sizeof(s));
		cs_page_text(f, x, bottom + 16, "m", s);
	}
}
