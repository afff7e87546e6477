/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compare/compare_page.h"

#include <errno.h>
#include <inttypes.h>

#include "compare/page_text.h"

static void head(FILE *f, const struct cs_compare *c)
{
	fprintf(f,
		"<!doctype html>\n<html lang=\"en\"><head>"
		"<meta charset=\"utf-8\"><meta name=\"viewport\" "
		"content=\"width=device-width,initial-scale=1\">"
		"<title>slurm-cosched: %zu policies compared</title>\n"
		"<style>%s</style></head><body><main>\n"
		"<h1>The same jobs under %zu policies</h1>\n<p class=\"sub\">"
		"%llu jobs of ",
		c->n_policy, cs_page_style, c->n_policy,
		(unsigned long long)c->run[0].figures.jobs);
	cs_page_esc(f, c->cases[0].title);
	if (c->n_case > 1)
		fprintf(f, " (and %zu other case%s)", c->n_case - 1,
			c->n_case > 2 ? "s" : "");
	fputs(", simulated on ", f);
	cs_page_esc(f, c->machine_text);
	fprintf(f,
		": %" PRIu32 " nodes, %" PRIu64
		" cores. By cosched " COSCHED_VERSION ".</p>\n",
		c->machine->n_node, (uint64_t)cs_machine_cores(c->machine));
}

static void contents(FILE *f, const struct cs_compare *c)
{
	bool users = false;

	for (size_t k = 0; k < c->n_case; k++)
		users |= c->n_policy > 1 && c->cases[k].n_user > 1;
	fputs("<nav aria-label=\"On this page\">", f);
	if (c->site)
		fputs("<a href=\"#site\">The site's own policy</a> ", f);
	fputs("<a href=\"#figures\">Figures</a> ", f);
	if (users)
		fputs("<a href=\"#users\">Who loses</a> ", f);
	fputs("<a href=\"#jobs\">Jobs by wait</a> "
	      "<a href=\"#use\">Cores over time</a> "
	      "<a href=\"#where\">Who is where</a> "
	      "<a href=\"#run\">What was run</a></nav>\n",
	      f);
}

int cs_compare_page(FILE *file, const struct cs_page *p)
{
	int rc;

	errno = 0;
	head(file, p->c);
	contents(file, p->c);
	rc = cs_page_words(file, p->c);
	if (rc)
		return rc;
	cs_page_curves(file, p);
	cs_page_gantt(file, p);
	cs_page_settings(file, p->c);
	fputs("</main></body></html>\n", file);
	if (!ferror(file))
		return 0;
	return errno ? -errno : -EIO;
}
