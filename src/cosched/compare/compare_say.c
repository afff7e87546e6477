/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as text: its verdict, the tables that it comes from, and notes. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cli/options.h"
#include "cli/table.h"
#include "compare/compare_answer.h"
#include "compare/compare_verdict.h"

static void say_notes(const struct cs_compare *c)
{
	for (size_t i = 0; i < c->n_policy; i++) {
		struct cs_spread note = cs_compare_spread(c, i);

		if (note.there)
			printf("note: %s: %s\n", c->policy[i].title, note.text);
	}
}

/* What the heads of the columns leave out, of those that are there. */
static void say_heads(const struct cs_compare *c)
{
	static const struct {
		const char *key, *text;
	} about[] = {
		{ "rr_all", "relative: response over the runtime alone, as if "
			    "no job ran less than 10 minutes (rr_bound_s); " },
		{ "rr_medium", "medium: the same of jobs of 10 minutes to 3 "
			       "hours; " },
		{ "rr_long", "long: of longer ones; " },
		{ "utilization", "in use: cores with a process, of all; " },
		{ "ucore_high", "high load: cores held while 12 jobs or more "
				"wait (n_high); " },
		{ "broken_share", "too slow: jobs slowed beyond max_slowdown, "
				  "of those beside others; " },
		{ "true_slowdown_p99", "worst 1 %: the least slowdown of those "
				       "slowed most; " },
	};
	char text[1024] = "";
	size_t n = 0;

	for (size_t i = 0; i < sizeof(about) / sizeof(about[0]); i++)
		if (cs_compare_there(c, cs_compare_figure(about[i].key)))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s",
					      about[i].text);
	if (!n)
		return;
	text[n - 2] = '.'; /* the last "; " */
	text[n - 1] = '\0';
	printf("\n");
	cs_table_print_wrapped(text, 0, cs_cmd_columns());
}

/* ---- the verdict ---------------------------------------------------------- */

/* Frees @text. */
static int paragraph(char *text)
{
	if (!text)
		return -ENOMEM;
	cs_table_print_wrapped(text, 0, cs_cmd_columns());
	free(text);
	return 0;
}

static int say_losers(const struct cs_compare *c, size_t policy)
{
	struct cs_losers l;
	int rc;

	if (!cs_compare_tells_losers(c, policy))
		return 0;
	rc = cs_compare_losers(c, policy, &l);
	if (!rc && (l.users > 1 || c->site))
		rc = paragraph(cs_losers_text(c, policy, &l));
	free(l.list);
	return rc;
}

static int say_verdict(const struct cs_compare *c)
{
	struct cs_verdict v;
	bool told = !c->site;
	int rc = 0;

	for (size_t i = 0; !rc && i < CS_VERDICTS; i++) {
		if (!cs_compare_verdict(c, i, &v) || cs_compare_withheld(c, &v))
			continue;
		rc = paragraph(cs_verdict_text(c, &v));
		told = true;
	}
	for (size_t p = 1; !rc && !c->site && p < c->n_policy; p++)
		rc = say_losers(c, p);
	if (told)
		printf("\n");
	return rc;
}

/* ---- the answer for a site ------------------------------------------------ */

static int say_answer(const struct cs_compare *c)
{
	size_t *order = calloc(c->n_policy, sizeof(*order));
	size_t n = order ? cs_compare_told(c, order) : 0;
	int rc = order ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < n; i++)
		rc = paragraph(cs_compare_gain_text(c, order[i]))
			     ?: say_losers(c, order[i]);
	free(order);
	if (!rc && c->site->use.there)
		cs_use_gain_say(&c->site->use);
	return rc ?: paragraph(cs_verdict_caution(c));
}

static void say_site(const struct cs_compare_site *s)
{
	printf("\n");
	cs_site_error_say(stdout, s->policy, &s->simulated, &s->recorded);
	if (s->large)
		printf("%" PRIu64 " jobs are larger than the machine and left "
		       "out.\n",
		       s->large);
	printf("\n");
}

static int say_way(const struct cs_compare *c)
{
	char *text = cs_compare_way_text(c);

	if (text && *text)
		printf("\n");
	return paragraph(text);
}

/* ---- all of it ------------------------------------------------------------ */

int cs_compare_say(const struct cs_compare *c)
{
	int rc = 0;

	if (c->site) {
		rc = say_answer(c);
		say_site(c->site);
	}
	if (c->n_case == 1)
		printf("%s on %s\n\n", c->cases[0].title, c->machine_text);
	else
		printf("Means over %zu cases, %s to %s, on %s\n\n", c->n_case,
		       c->cases[0].title, c->cases[c->n_case - 1].title,
		       c->machine_text);
	if (!rc && c->n_policy > 1)
		rc = say_verdict(c);
	cs_compare_say_means(c);
	say_heads(c);
	if (c->n_policy > 1) {
		printf("\nAgainst %s, in %%%s\n\n", c->policy[0].title,
		       c->n_case > 1 ? " (behind ~: two standard errors)" : "");
		cs_compare_say_changes(c);
	}
	say_notes(c);
	return rc ?: c->site ? say_way(c) : 0;
}
