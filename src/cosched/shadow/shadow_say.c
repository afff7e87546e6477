/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as text on standard output. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/duration.h"
#include "cli/options.h"
#include "cli/table.h"
#include "shadow/shadow.h"

#define ROWS_MAX 20 /* per table; --json has all */

/* A mean time. */
static void time_cell(struct cs_table *t, double sum_s, uint64_t n)
{
	char d[CS_DURATION_SIZE];
	double v = cs_shadow_mean(sum_s, n);

	cs_table_cell(t, "%s", n ? cs_duration_text(v, fabs(v), d) : "-");
}

/* ---- moments ---------------------------------------------------------------- */

static void moment_cells(struct cs_table *t, const struct cs_shadow_sum *x)
{
	cs_table_cell(t, "%" PRIu64, x->starts);
	cs_table_cell(t, "%" PRIu64, x->before);
	time_cell(t, x->before_s, x->before);
	cs_table_cell(t, "%" PRIu64, x->beside);
	cs_table_cell(t, "%" PRIu64, x->grouped);
	cs_table_cell(t, "%" PRIu64, x->raised);
	time_cell(t, x->raised_s, x->raised);
}

static void schedule_cells(struct cs_table *t, const struct cs_shadow_sum *x)
{
	cs_table_cell(t, "%" PRIu64, x->jobs);
	for (int p = 0; p < CS_SHADOW_PLANS; p++)
		time_cell(t, x->wait_s[p], x->jobs);
	cs_table_cell(t, "%" PRIu64, x->earlier);
	time_cell(t, x->earlier_s, x->earlier);
	cs_table_cell(t, "%" PRIu64, x->later);
	time_cell(t, x->later_s, x->later);
	cs_table_cell(t, "%" PRIu64, x->later_site);
	cs_table_cell(t, "%" PRIu64, x->shared);
	cs_table_cell(t, "%" PRIu64, x->raised_ours);
}

/* Rows without any are left out; a single name repeats the total. */
static void rows(const struct cs_shadow *s, struct cs_table *t,
		 enum cs_shadow_kind k, bool schedule,
		 const struct cs_shadow_sum *x, size_t n)
{
	size_t said = 0, left = 0;

	for (size_t i = 0; i < n && (n > 1 || k == CS_SHADOW_KINDS); i++) {
		if (schedule ? !x[i].jobs : !x[i].starts)
			continue;
		if (said++ >= ROWS_MAX) {
			left++;
			continue;
		}
		cs_table_cell(t, "%s", cs_shadow_name(s, k, x[i].name));
		(schedule ? schedule_cells : moment_cells)(t, &x[i]);
	}
	if (said)
		cs_table_print(t, cs_cmd_columns());
	if (left)
		printf("and %zu more: --json has them\n", left);
	if (said)
		printf("\n");
}

/* Sums of the schedule or of the moments. */
static int by_name(const struct cs_shadow *s, enum cs_shadow_kind k,
		   bool schedule)
{
	const char *moments[] = { cs_shadow_kind_name(k),
				  ">started",
				  ">earlier",
				  ">by",
				  ">beside",
				  ">group",
				  ">raised",
				  ">by",
				  NULL };
	const char *plans[] = { cs_shadow_kind_name(k),
				">jobs",
				">wait",
				">site's",
				">ours",
				">earlier",
				">by",
				">later",
				">by",
				">site's too",
				">shares",
				">raised",
				NULL };
	struct cs_shadow_sum *x;
	struct cs_table t;
	size_t n;
	int rc = cs_shadow_sums(s, k, &x, &n);

	if (rc)
		return rc;
	cs_table_init(&t, schedule ? plans : moments);
	rows(s, &t, k, schedule, x, n);
	cs_table_done(&t);
	free(x);
	return 0;
}

static int all_names(const struct cs_shadow *s, bool schedule)
{
	int rc = by_name(s, CS_SHADOW_KINDS, schedule);

	for (int k = 0; !rc && k < CS_SHADOW_KINDS; k++)
		rc = by_name(s, (enum cs_shadow_kind)k, schedule);
	return rc;
}

static void say_pairs(const struct cs_shadow *s)
{
	static const char *const head[] = { "profile", "beside", ">times",
					    ">in groups", NULL };
	struct cs_table t;

	if (!s->n_pair)
		return;
	cs_table_init(&t, head);
	for (size_t i = 0; i < s->n_pair && i < ROWS_MAX; i++) {
		const struct cs_shadow_pair *p = &s->pair[i];

		cs_table_cell(&t, "%s",
			      cs_shadow_name(s, CS_SHADOW_PROFILE, p->of));
		cs_table_cell(&t, "%s",
			      cs_shadow_name(s, CS_SHADOW_PROFILE, p->beside));
		cs_table_cell(&t, "%" PRIu64, p->n);
		cs_table_cell(&t, "%" PRIu64, p->grouped);
	}
	printf("Which jobs would have shared a node, at the first moment of each "
	       "job:\n\n");
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
	if (s->n_pair > ROWS_MAX)
		printf("and %zu more: --json has them\n", s->n_pair - ROWS_MAX);
	printf("\n");
}

/* "17 (ann), 12 (bob), 3 more" */
static void beside_cell(const struct cs_shadow *s, struct cs_table *t,
			const struct cs_shadow_would *w)
{
	char text[256];

	cs_shadow_beside(s, w, text, sizeof(text));
	cs_table_cell(t, "%s", text);
}

static void say_partners(const struct cs_shadow *s)
{
	static const char *const head[] = { ">job", "user", ">earlier by",
					    "beside", NULL };
	size_t at[CS_SHADOW_SHOWN];
	size_t n = cs_shadow_shared(s, at);
	struct cs_table t;

	if (!n)
		return;
	cs_table_init(&t, head);
	for (size_t i = 0; i < n; i++) {
		const struct cs_shadow_wait *w = &s->wait[at[i]];

		cs_table_cell(&t, "%" PRIu32, w->id);
		cs_table_cell(&t, "%s",
			      cs_shadow_name(s, CS_SHADOW_USER,
					     w->who.name[CS_SHADOW_USER]));
		time_cell(&t, cs_shadow_before_s(w), 1);
		beside_cell(s, &t, &w->would);
	}
	printf("Who with whom, those first who would have begun longest before "
	       "they did:\n\n");
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
	printf("\n");
}

static int say_moments(const struct cs_shadow *s)
{
	uint64_t waits = 0, cancelled = 0;

	for (size_t i = 0; i < s->n_wait; i++) {
		bool would = s->wait[i].would.at_us != CS_TIME_NONE;

		waits += s->wait[i].end == CS_SHADOW_WAITS && would;
		cancelled += s->wait[i].end == CS_SHADOW_CANCELLED && would;
	}
	printf("MOMENTS\n\n");
	cs_table_print_wrapped(cs_shadow_moments_text, 0, cs_cmd_columns());
	printf("\nstarted: by Slurm; earlier: would have been started more than "
	       "a second before that,\nby so much on average; beside others, "
	       "in a group, with a raised limit there.\n");
	if (waits || cancelled)
		printf("%" PRIu64 " that would have been started still wait, "
		       "%" PRIu64 " were cancelled.\n",
		       waits, cancelled);
	printf("\n");
	say_pairs(s);
	say_partners(s);
	return all_names(s, false);
}

/* ---- the schedule -------------------------------------------------------------- */

static void say_error(const struct cs_shadow *s)
{
	const struct cs_metrics *site = &s->figures[CS_SHADOW_SITE].figures;
	const struct cs_metrics *real = &s->figures[CS_SHADOW_REAL].figures;

	cs_site_error_say(
		stdout, s->site,
		&(struct cs_site_figures){ site->mean_wait, site->mean_response,
					   site->makespan },
		&(struct cs_site_figures){ real->mean_wait, real->mean_response,
					   real->makespan });
}

static void worst_row(const struct cs_shadow *s, struct cs_table *t, size_t i)
{
	const struct cs_trace_job *j = &s->im.trace.job[i];
	const struct cs_shadow_run *r = &s->run[j->line];

	cs_table_cell(t, "%" PRIu32, r->id);
	for (int k = 0; k < CS_SHADOW_KINDS; k++)
		cs_table_cell(t, "%s",
			      cs_shadow_name(s, (enum cs_shadow_kind)k,
					     r->who.name[k]));
	time_cell(t, cs_shadow_later_s(s, CS_SHADOW_OURS, i), 1);
	time_cell(t, cs_shadow_later_s(s, CS_SHADOW_SITE, i), 1);
	time_cell(t, (double)j->runtime_us / 1e6, 1);
}

static void say_worst(const struct cs_shadow *s)
{
	static const char *const head[] = { ">job",	 "user",    "account",
					    "partition", "profile", ">later",
					    ">site's",	 ">ran",    NULL };
	size_t worst[CS_SHADOW_WORST];
	size_t n = cs_shadow_worst(s, worst);
	struct cs_table t;

	if (!n) {
		printf("No job would have ended later than it did.\n\n");
		return;
	}
	printf("The jobs delayed most: later than really, and the same under "
	       "%s (simulated)\n\n",
	       s->site);
	cs_table_init(&t, head);
	for (size_t i = 0; i < n; i++)
		worst_row(s, &t, worst[i]);
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
	printf("\n");
}

static int say_schedule(const struct cs_shadow *s)
{
	char text[1024];

	printf("SCHEDULE\n\n");
	cs_table_print_wrapped(cs_shadow_schedule_text, 0, cs_cmd_columns());
	printf("\n");
	if (!s->simulated) {
		printf("No schedule: %s.\n", s->no_schedule);
		return 0;
	}
	cs_shadow_left_out(s, text, sizeof(text));
	cs_table_print_wrapped(text, 0, cs_cmd_columns());
	printf("\n");
	if (s->plain)
		printf("Jobs are reduced to their number of processes, since "
		       "their requests cannot be simulated: %s.\n\n",
		       s->why_plain);
	cs_compare_say(&s->c);
	cs_shadow_busy(s, text, sizeof(text));
	printf("\n");
	cs_table_print_wrapped(text, 0, cs_cmd_columns());
	printf("\nThe simulator's error: ");
	say_error(s);
	printf("\n");
	cs_shadow_slices(s, text, sizeof(text));
	if (*text) {
		cs_table_print_wrapped(text, 0, cs_cmd_columns());
		printf("\n");
	}
	say_worst(s);
	printf("wait: really, under the site's policy and under ours; earlier, "
	       "later: ended so, by more\nthan a second against really; site's "
	       "too: of those, later under the site's policy too.\n\n");
	return all_names(s, true);
}

int cs_shadow_say(const struct cs_shadow *s)
{
	char text[1024];
	int rc;

	cs_shadow_span(s, text, sizeof(text));
	printf("What policy %s would have done, %s\n\n",
	       s->policy[CS_SHADOW_OURS].params.policy, text);
	rc = cs_shadow_verdict(s, text, sizeof(text));
	if (rc)
		return rc;
	cs_table_print_wrapped(text, 0, cs_cmd_columns());
	if (s->use.there)
		cs_use_gain_say(&s->use);
	if (s->from_us == CS_TIME_NONE)
		return 0;
	printf("\n");
	rc = say_moments(s);
	return rc ? rc : say_schedule(s);
}
