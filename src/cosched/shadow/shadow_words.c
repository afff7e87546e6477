/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report's sentences, the same as text and on the page. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/duration.h"
#include "common/base/textbuf.h"
#include "shadow/shadow.h"

#define NAMED 3 /* neighbours; --json has more */

const char cs_shadow_moments_text[] =
	"From the log: each is a statement about one instant, for the machine as "
	"Slurm had it; together they are not a schedule.";
const char cs_shadow_schedule_text[] =
	"The jobs of the log that have ended, simulated on its machine "
	"under its settings, and under a policy near the site's own, whose "
	"distance from what happened is the simulator's error.";
const char cs_shadow_empty_text[] =
	"The log has no event yet: since mode shadow is on, no job has come, "
	"started or ended.";

void cs_shadow_time(const struct cs_shadow *s, int64_t us, char *buf,
		    size_t size)
{
	time_t t = (time_t)(us / 1000000);
	struct tm tm;

	if (!s->live || !localtime_r(&t, &tm) ||
	    !strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(buf, size, "%.6f s", (double)us / 1e6);
}

void cs_shadow_span(const struct cs_shadow *s, char *buf, size_t size)
{
	char from[32], to[32];

	if (s->from_us == CS_TIME_NONE) {
		snprintf(buf, size, "without an event yet");
		return;
	}
	cs_shadow_time(s, s->from_us, from, sizeof(from));
	cs_shadow_time(s, s->to_us, to, sizeof(to));
	snprintf(buf, size, "from %s to %s", from, to);
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

/* The mean responses of the jobs of a class, in one unit. */
static void class_of(const struct cs_shadow *s, struct cs_textbuf *t,
		     uint32_t k, const struct cs_shadow_class *c)
{
	char d[CS_SHADOW_PLANS][CS_DURATION_SIZE];

	for (int p = 0; p < CS_SHADOW_PLANS; p++)
		cs_duration_text(c->response_s[p],
				 c->response_s[CS_SHADOW_REAL], d[p]);
	cs_textbuf_print(t,
			 " Mean response of %" PRIu64 " %s job%s: %s with "
			 "them, %s really, %s under %.60s, simulated.",
			 c->jobs, cs_class_name(k), c->jobs == 1 ? "" : "s",
			 d[CS_SHADOW_OURS], d[CS_SHADOW_REAL],
			 d[CS_SHADOW_SITE], s->site);
}

void cs_shadow_slices(const struct cs_shadow *s, char *buf, size_t size)
{
	struct cs_textbuf t = { buf, size, 0 };
	char d[2][CS_DURATION_SIZE];
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
		" time%s, for %s in all and %s at most.",
		s->act_slice, all.jobs, all.stopped, all.stops,
		all.stops == 1 ? "" : "s",
		cs_duration_text(all.still_s, all.still_s, d[0]),
		cs_duration_text(all.most_still_s, all.most_still_s, d[1]));
	for (uint32_t k = 0; k < CS_CLASSES; k++)
		if (c[k].jobs)
			class_of(s, &t, k, &c[k]);
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

void cs_shadow_beside(const struct cs_shadow *s,
		      const struct cs_shadow_would *w, char *buf, size_t size)
{
	struct cs_textbuf t = { buf, size, 0 };
	uint32_t i;

	for (i = 0; i < w->n_beside && i < NAMED; i++)
		cs_textbuf_print(
			&t, "%s%" PRIu32 " (%.40s)", i ? ", " : "",
			w->beside[i],
			cs_shadow_name(s, CS_SHADOW_USER, w->beside_user[i]));
	if (w->n_beside > i)
		cs_textbuf_print(&t, " and %" PRIu32 " more", w->n_beside - i);
}

/* ---- the conclusion ------------------------------------------------------- */

/* Nothing was simulated: what the log itself says. */
static void of_moments(const struct cs_shadow *s, struct cs_textbuf *t,
		       const struct cs_shadow_sum *x)
{
	char d[CS_DURATION_SIZE];

	cs_textbuf_print(t,
			 "Of %" PRIu64 " jobs that Slurm started, %" PRIu64
			 " would have begun earlier",
			 x->starts, x->before);
	if (x->before)
		cs_textbuf_print(
			t, ", by %s on average",
			cs_duration_text(cs_shadow_mean(x->before_s, x->before),
					 cs_shadow_mean(x->before_s, x->before),
					 d));
	cs_textbuf_print(t, ". What that adds up to is not known: %s.",
			 s->no_schedule);
}

/* The part of the log's jobs that no schedule has: of those without an end the number
 * stands for the core time, which nobody knows. */
static double left_out(const struct cs_shadow *s)
{
	const uint64_t *n = s->im.count;
	uint64_t open = n[CS_IMPORT_WAITING] + n[CS_IMPORT_RUNNING] + s->left;
	double part = (double)open / (double)(open + s->im.trace.n + s->large);

	return part + (1 - part) * s->large_part;
}

/* Ours against the site's policy, both simulated; that it says nothing if so much is left out
 * or the simulation is off by more. */
static void of_means(const struct cs_shadow *s, struct cs_textbuf *t)
{
	double ours = s->figures[CS_SHADOW_OURS].figures.mean_response;
	double real = s->figures[CS_SHADOW_REAL].figures.mean_response;
	double site = s->figures[CS_SHADOW_SITE].figures.mean_response;
	double gain = 100 * (ours / site - 1), off = 100 * (site / real - 1);
	const char *policy = s->policy[CS_SHADOW_OURS].params.policy;
	char d[3][CS_DURATION_SIZE];

	if (!(real > 0) || !(site > 0))
		return;
	if (left_out(s) > CS_SITE_LEFT_OUT_MOST)
		cs_textbuf_print(
			t,
			"What %s gains is withheld: jobs that are left "
			"out have about %.0f %% of the core time, "
			"expected at most %.0f. ",
			policy, 100 * left_out(s), 100 * CS_SITE_LEFT_OUT_MOST);
	else if (fabs(gain) < fabs(off))
		cs_textbuf_print(t,
				 "What %s gains is withheld: %.60s, simulated, "
				 "is %+.1f %% off from the mean response of %s "
				 "that it was, more than the two differ. ",
				 policy, s->site, off,
				 cs_duration_text(real, real, d[2]));
	else
		cs_textbuf_print(
			t,
			"Under %s the mean response is %s, %.1f %% %s than the "
			"%s under %.60s, both simulated; %.60s itself is %+.1f "
			"%% off from the %s that it was. ",
			policy, cs_duration_text(ours, ours, d[0]), fabs(gain),
			gain < 0 ? "less" : "more",
			cs_duration_text(site, site, d[1]), s->site, s->site,
			off, cs_duration_text(real, real, d[2]));
}

/* "12 LEAD, by 3.00 min"; "none LEAD" */
static void how_many(struct cs_textbuf *t, const char *lead, uint64_t n,
		     double sum_s)
{
	double mean = cs_shadow_mean(sum_s, n);
	char d[CS_DURATION_SIZE];

	if (n)
		cs_textbuf_print(t, "%" PRIu64 " %s, by %s", n, lead,
				 cs_duration_text(mean, mean, d));
	else
		cs_textbuf_print(t, "none %s", lead);
}

/* "12 LEAD, by 3.00 min on average, and 4 later, by 20.0 s" */
static void ends(struct cs_textbuf *t, const char *lead, uint64_t earlier,
		 double earlier_s, uint64_t later, double later_s)
{
	how_many(t, lead, earlier, earlier_s);
	cs_textbuf_print(t, "%s, and ", earlier ? " on average" : "");
	how_many(t, "later", later, later_s);
}

static void of_jobs(const struct cs_shadow *s, struct cs_textbuf *t,
		    const struct cs_shadow_sum *x)
{
	cs_textbuf_print(t, "Of %" PRIu64 " jobs, ", x->jobs);
	ends(t, "would have ended earlier than they did", x->earlier,
	     x->earlier_s, x->later, x->later_s);
	if (x->later)
		cs_textbuf_print(t,
				 "; %" PRIu64 " of the latter also under "
				 "%.60s, simulated",
				 x->later_site, s->site);
	cs_textbuf_print(t, ". Against %.60s, both simulated, ", s->site);
	ends(t, "end earlier", x->earlier_than_site, x->earlier_than_site_s,
	     x->later_than_site, x->later_than_site_s);
	cs_textbuf_print(t,
			 ". %" PRIu64 " would have shared nodes, %" PRIu64
			 " had a longer limit.",
			 x->shared, x->raised_ours);
}

int cs_shadow_verdict(const struct cs_shadow *s, char *buf, size_t size)
{
	struct cs_textbuf t = { buf, size, 0 };
	struct cs_shadow_sum *x;
	size_t n;
	int rc = cs_shadow_sums(s, CS_SHADOW_KINDS, &x, &n);

	if (rc)
		return rc;
	if (s->from_us == CS_TIME_NONE) {
		cs_textbuf_print(&t, "%s", cs_shadow_empty_text);
	} else if (!s->simulated) {
		of_moments(s, &t, x);
	} else {
		of_means(s, &t);
		of_jobs(s, &t, x);
	}
	free(x);
	return 0;
}
