/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compare/compare_page.h"

#include <errno.h>
#include <inttypes.h>

#include "compare/compare_answer.h"
#include "compare/page_text.h"

static void compare_head(FILE *f, const struct cs_compare *c)
{
	char title[64], heading[64];

	snprintf(title, sizeof(title), "%zu policies compared", c->n_policy);
	snprintf(heading, sizeof(heading), "The same jobs under %zu policies",
		 c->n_policy);
	cs_page_head(f, title, heading);
	fprintf(f, "%llu jobs of ", (unsigned long long)c->run[0].figures.jobs);
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
	bool users = false, told = false;

	for (size_t k = 0; k < c->n_case; k++)
		users |= c->cases[k].n_user > 1;
	for (size_t p = 1; p < c->n_policy; p++)
		told |= cs_compare_tells_losers(c, p);
	fputs("<nav aria-label=\"On this page\">", f);
	if (c->site)
		fputs("<a href=\"#site\">The site's own policy</a> ", f);
	fputs("<a href=\"#figures\">Figures</a> ", f);
	if (users && told)
		fputs("<a href=\"#users\">Users who lose</a> ", f);
	fputs("<a href=\"#jobs\">Jobs by wait</a> "
	      "<a href=\"#use\">Cores over time</a> "
	      "<a href=\"#where\">Where jobs ran</a> "
	      "<a href=\"#run\">What was run</a></nav>\n",
	      f);
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

/* The text above the pictures.  0, -ENOMEM. */
static int words(FILE *file, const struct cs_page *p)
{
	if (!p->title) {
		compare_head(file, p->c);
		contents(file, p->c);
		return cs_page_words(file, p->c);
	}
	cs_page_head(file, p->title, p->title);
	cs_page_esc(file, p->below);
	fputs("</p>\n", file);
	if (p->part)
		p->part(file, p->arg);
	return 0;
}

int cs_compare_page(FILE *file, const struct cs_page *p)
{
	int rc;

	errno = 0;
	rc = words(file, p);
	if (rc)
		return rc;
	if (p->first) {
		cs_page_curves(file, p);
		cs_page_gantt(file, p);
	}
	cs_page_settings(file, p->c);
	cs_page_tail(file);
	if (!ferror(file))
		return 0;
	return errno ? -errno : -EIO;
}
