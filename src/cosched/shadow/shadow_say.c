/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as text on standard output. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/options.h"
#include "cli/table.h"
#include "common/base/textbuf.h"
#include "shadow/shadow.h"

#define ROWS_MAX 20 /* per table; --json has all */

void cs_shadow_time(const struct cs_shadow *s, int64_t us, char *buf,
		    size_t size)
{
	time_t t = (time_t)(us / 1000000);
	struct tm tm;

	if (!s->live || !localtime_r(&t, &tm) ||
	    !strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(buf, size, "%.6f s", (double)us / 1e6);
}

static double mean(double sum, uint64_t n)
{
	return n ? sum / (double)n : 0;
}

/* ---- moments ---------------------------------------------------------------- */

static void moment_cells(struct cs_table *t, const struct cs_shadow_sum *x)
{
	cs_table_cell(t, "%" PRIu64, x->starts);
	cs_table_cell(t, "%" PRIu64, x->before);
	cs_table_cell(t, "%.1f", mean(x->before_s, x->before));
	cs_table_cell(t, "%" PRIu64, x->beside);
	cs_table_cell(t, "%" PRIu64, x->grouped);
	cs_table_cell(t, "%" PRIu64, x->raised);
	cs_table_cell(t, "%.1f", mean(x->raised_s, x->raised) / 60);
}

static void schedule_cells(struct cs_table *t, const struct cs_shadow_sum *x)
{
	cs_table_cell(t, "%" PRIu64, x->jobs);
	for (int p = 0; p < CS_SHADOW_PLANS; p++)
		cs_table_cell(t, "%.1f", mean(x->wait_s[p], x->jobs));
	cs_table_cell(t, "%" PRIu64, x->earlier);
	cs_table_cell(t, "%.1f", mean(x->earlier_s, x->earlier));
	cs_table_cell(t, "%" PRIu64, x->later);
	cs_table_cell(t, "%.1f", mean(x->later_s, x->later));
	cs_table_cell(t, "%" PRIu64, x->later_site);
	cs_table_cell(t, "%" PRIu64, x->shared);
	cs_table_cell(t, "%" PRIu64, x->raised_ours);
}

/* Sums of the schedule or of the moments; rows without any are left out. */
static int by_name(const struct cs_shadow *s, enum cs_shadow_kind k,
		   bool schedule)
{
	const char *moments[] = { cs_shadow_kind_name(k),
				  ">started",
				  ">before",
				  ">by s",
				  ">beside",
				  ">group",
				  ">raised",
				  ">by min",
				  NULL };
	const char *plans[] = { cs_shadow_kind_name(k),
				">jobs",
				">wait s",
				">site s",
				">ours s",
				">earlier",
				">by s",
				">later",
				">by s",
				">site too",
				">shares",
				">raised",
				NULL };
	struct cs_shadow_sum *x;
	struct cs_table t;
	size_t n, said = 0, left = 0;
	int rc = cs_shadow_sums(s, k, &x, &n);

	if (rc)
		return rc;
	cs_table_init(&t, schedule ? plans : moments);
	/* a single name repeats the total */
	for (size_t i = 0; i < n && (n > 1 || k == CS_SHADOW_KINDS); i++) {
		if (schedule ? !x[i].jobs : !x[i].starts)
			continue;
		if (said++ >= ROWS_MAX) {
			left++;
			continue;
		}
		cs_table_cell(&t, "%s", cs_shadow_name(s, k, x[i].name));
		(schedule ? schedule_cells : moment_cells)(&t, &x[i]);
	}
	if (said)
		cs_table_print(&t, cs_cmd_columns());
	if (left)
		printf("and %zu more: --json has them\n", left);
	if (said)
		printf("\n");
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
	printf("\nstarted: by Slurm; before: would have been started more than "
	       "a second before that,\nby so much on average; beside others, "
	       "in a group, with a raised limit there.\n");
	if (waits || cancelled)
		printf("%" PRIu64 " that would have been started still wait, "
		       "%" PRIu64 " were cancelled.\n",
		       waits, cancelled);
	printf("\n");
	say_pairs(s);
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
	cs_table_cell(t, "%.1f", cs_shadow_later_s(s, CS_SHADOW_OURS, i));
	cs_table_cell(t, "%.1f", cs_shadow_later_s(s, CS_SHADOW_SITE, i));
	cs_table_cell(t, "%.1f", (double)j->runtime_us / 1e6);
}

static void say_worst(const struct cs_shadow *s)
{
	static const char *const head[] = { ">job",	 "user",    "account",
					    "partition", "profile", ">later s",
					    ">site s",	 ">ran s",  NULL };
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

void cs_shadow_left_out(const struct cs_shadow *s, char *buf, size_t size)
{
	const uint64_t *n = s->im.count;
	struct cs_textbuf t = { buf, size, 0 };

	cs_textbuf_print(&t,
			 "Included: %zu jobs; left out: %" PRIu64 " that still "
			 "waited and %" PRIu64 " that ran when a log ended or "
			 "was restarted, %" PRIu64 " that never ran, %" PRIu64
			 " that ran no time",
			 s->im.trace.n, n[CS_IMPORT_WAITING],
			 n[CS_IMPORT_RUNNING], n[CS_IMPORT_UNSTARTED],
			 n[CS_IMPORT_INSTANT]);
	if (n[CS_IMPORT_BEFORE])
		cs_textbuf_print(&t, ", %" PRIu64 " before --since",
				 n[CS_IMPORT_BEFORE]);
	if (s->left)
		cs_textbuf_print(&t, ", %" PRIu64 " of another mode", s->left);
	if (s->large)
		cs_textbuf_print(&t, ", %" PRIu64 " larger than the machine",
				 s->large);
	cs_textbuf_print(&t, ".");
}

static int say_schedule(const struct cs_shadow *s)
{
	char text[1024];
	int rc;

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
	rc = cs_shadow_verdict(s, text, sizeof(text));
	if (rc)
		return rc;
	cs_table_print_wrapped(text, 0, cs_cmd_columns());
	printf("\n");
	cs_shadow_slices(s, text, sizeof(text));
	if (*text) {
		cs_table_print_wrapped(text, 0, cs_cmd_columns());
		printf("\n");
	}
	say_worst(s);
	printf("wait: really, under the site's policy and under ours; earlier, "
	       "later: ended so, by more\nthan a second against really; site "
	       "too: of those, later under the site's policy too.\n\n");
	return all_names(s, true);
}

void cs_shadow_slices(const struct cs_shadow *s, char *buf, size_t size)
{
	struct cs_textbuf t = { buf, size, 0 };
	struct cs_shadow_class c[CS_CLASSES], all = { .jobs = 0 };

	if (size)
		*buf = 0;
	if (!s->act_slice)
		return;
	for (uint32_t k = 0; k < CS_CLASSES; k++) {
		cs_shadow_class(s, k, &c[k]);
		all.jobs += c[k].jobs;
		all.stopped += c[k].stopped;
		all.stops += c[k].stops;
		all.still_s += c[k].still_s;
		if (c[k].most_still_s > all.most_still_s)
			all.most_still_s = c[k].most_still_s;
	}
	cs_textbuf_print(
		&t,
		"Time slices (slice=%s), which mode act would have and "
		"mode shadow decides without: of %" PRIu64 " jobs "
		"%" PRIu64 " would have been stopped, %" PRIu64
		" time%s, for %.1f s in all and %.1f s at most.",
		s->act_slice, all.jobs, all.stopped, all.stops,
		all.stops == 1 ? "" : "s", all.still_s, all.most_still_s);
	for (uint32_t k = 0; k < CS_CLASSES; k++)
		if (c[k].jobs)
			cs_textbuf_print(&t,
					 " Mean response of %" PRIu64 " %s "
					 "job%s: %.1f s with them, %.1f s "
					 "really, %.1f s under %.60s, "
					 "simulated.",
					 c[k].jobs, cs_class_name(k),
					 c[k].jobs == 1 ? "" : "s",
					 c[k].response_s[CS_SHADOW_OURS],
					 c[k].response_s[CS_SHADOW_REAL],
					 c[k].response_s[CS_SHADOW_SITE],
					 s->site);
}

void cs_shadow_busy(const struct cs_shadow *s, char *buf, size_t size)
{
	struct cs_textbuf t = { buf, size, 0 };

	cs_textbuf_print(&t,
			 "Mean number of busy cores, of %" PRIu64 ", from the "
			 "first submit to the last end:",
			 cs_machine_cores(s->machine));
	for (int p = 0; p < CS_SHADOW_PLANS; p++)
		cs_textbuf_print(&t, "%s %.1f (%s)", p ? "," : "",
				 s->figures[p].figures.utilization *
					 (double)cs_machine_cores(s->machine),
				 s->titles[p]);
	cs_textbuf_print(&t, ".");
}

int cs_shadow_verdict(const struct cs_shadow *s, char *buf, size_t size)
{
	struct cs_textbuf t = { buf, size, 0 };
	struct cs_shadow_sum *x;
	size_t n;
	int rc = cs_shadow_sums(s, CS_SHADOW_KINDS, &x, &n);

	if (rc)
		return rc;
	cs_textbuf_print(
		&t,
		"Of %" PRIu64 " jobs, %" PRIu64 " would have ended "
		"earlier than they did, by %.1f s on average, and %" PRIu64
		" later, by %.1f s; %" PRIu64 " of the latter also under "
		"%.60s, simulated.",
		x->jobs, x->earlier, mean(x->earlier_s, x->earlier), x->later,
		mean(x->later_s, x->later), x->later_site, s->site);
	cs_textbuf_print(&t,
			 " Against that, both simulated, %" PRIu64 " end "
			 "earlier, by %.1f s, and %" PRIu64 " later, by %.1f "
			 "s. %" PRIu64 " would have shared nodes, %" PRIu64
			 " had a longer limit.",
			 x->earlier_than_site,
			 mean(x->earlier_than_site_s, x->earlier_than_site),
			 x->later_than_site,
			 mean(x->later_than_site_s, x->later_than_site),
			 x->shared, x->raised_ours);
	free(x);
	return 0;
}

int cs_shadow_say(const struct cs_shadow *s)
{
	char from[32], to[32];
	int rc;

	cs_shadow_time(s, s->from_us, from, sizeof(from));
	cs_shadow_time(s, s->to_us, to, sizeof(to));
	printf("What policy %s would have done, from %s to %s\n\n",
	       s->policy[CS_SHADOW_OURS].params.policy, from, to);
	rc = say_moments(s);
	return rc ? rc : say_schedule(s);
}
