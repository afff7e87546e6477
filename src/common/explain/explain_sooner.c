/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explain: what would start a job sooner, if that was looked up (sooner.c). */
#include "explain/explain.h"
#include "explain/sooner.h"

/* "now with -t 10", "in 0:12:00 at the latest with -n 4"; a latest start that has come
 * is now. */
static void put_change(struct cs_text *t, const struct cs_engine *e,
		       const struct cs_ejob *j, const struct cs_sooner *c)
{
	char ask[80];

	cs_sooner_text(&j->job, c, ask, sizeof(ask));
	if (c->now || c->start_us <= e->now_us) {
		cs_put(t, "now");
	} else {
		cs_put(t, "in ");
		cs_explain_put_span(t, c->start_us - e->now_us);
		cs_put(t, " at the latest");
	}
	cs_put(t, " %s%s", ask,
	       c->rough ? " (a smaller change may do: not all were tried)"
			: "");
}

void cs_explain_put_sooner(struct cs_text *t, const struct cs_engine *e,
			   const struct cs_ejob *j)
{
	const struct cs_sooner_list *l = t->to ? t->to->sooner : NULL;

	if (!l || !l->n)
		return;
	cs_put(t, "; sooner: ");
	put_change(t, e, j, &l->change[0]);
}

void cs_explain_put_others_sooner(struct cs_text *t, const struct cs_engine *e,
				  const struct cs_ejob *j)
{
	const struct cs_sooner_list *l = t->to ? t->to->sooner : NULL;

	if (t->to && t->to->no_sooner)
		cs_put(t, "  what would start it sooner: %s\n",
		       t->to->no_sooner);
	if (l && !l->n && l->probes > 1)
		cs_put(t, "  no shorter limit, less memory, other layout or "
			  "smaller size alone would start it sooner\n");
	if (!l || l->n < 2)
		return;
	cs_put(t, "  sooner, too: ");
	for (uint32_t i = 1; i < l->n; i++) {
		cs_put(t, "%s", i > 1 ? "; " : "");
		put_change(t, e, j, &l->change[i]);
	}
	cs_put(t, "\n");
}
