/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `cosched compare` compares: every policy on every case; a case is a trace, or a
 * workload generated with one seed.
 *
 * Means are over the cases that have a value.  A change compares means with the first
 * policy's, over the cases in which both have values; its error is two standard errors
 * of the differences case by case (pairs.h).
 */
#ifndef CS_COSCHED_COMPARE_COMPARE_H
#define CS_COSCHED_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/sim_report.h"
#include "import/site_error.h"
#include "learned/use_gain.h"
#include "sim/metrics.h"
#include "sim/sim.h"
#include "sim/watch.h"

struct cs_compare_policy {
	char *title;	/* as the user wrote it */
	char *settings; /* for cs_params_parse(), without the case's seed */
	struct cs_params params; /* of the first case */
	struct cs_profiles *profiles;
};

struct cs_compare_user {
	int32_t number; /* field 12 of a trace */
	char *title;	/* name, or "user 12" */
	uint32_t jobs;
};

struct cs_compare_case {
	char *title;
	int64_t seed;		      /* of a generated workload; -1: a trace */
	struct cs_compare_user *user; /* [n_user] by number; models have none */
	size_t n_user;
};

/*
 * Histograms of waits and bounded slowdowns: bin 0 holds waits below 1 s, bin i > 0
 * those below 10^(i / CS_WAIT_BINS) s; bin i slowdowns up to 10^(i / CS_SLOW_BINS).
 * The last bin also holds the rest.
 */
#define CS_COMPARE_BINS 128
#define CS_WAIT_BINS 12 /* per power of ten */
#define CS_SLOW_BINS 24

/* What a simulation process sends back. */
struct cs_compare_run {
	struct cs_metrics figures;
	double wall_s;
	uint32_t wait[CS_COMPARE_BINS], slow[CS_COMPARE_BINS];
};

/* For a site's history: how far the first policy is from what happened.  The cases are
 * the history and its replicas, titled by their files' names without folder. */
struct cs_compare_site {
	const char *policy;
	/* The site's SchedulerParameters, and settings ("key=value,...") of its own policy
	 * that its title lacks; NULL: not known. */
	const char *sched, *settings;
	/* The answer tells of this policy and of the best two others; NULL: of all. */
	const char *always;
	struct cs_site_figures simulated, recorded;
	uint64_t large; /* jobs too large for the machine */
	/* The part of the core time, 0 to 1, of these and of those that still run. */
	double left_part;
	struct cs_use_gain use; /* what learn=use would gain */
};

struct cs_compare {
	const char *machine_text;
	struct cs_machine *machine;
	enum cs_estimates estimates;
	enum cs_param_host host;	    /* whose defaults apply */
	const struct cs_compare_site *site; /* NULL: not a site's history */
	struct cs_compare_policy *policy;
	size_t n_policy;
	struct cs_compare_case *cases;
	size_t n_case;
	struct cs_compare_run *run; /* [n_case][n_policy] */
	double **response_s;	    /* [n_case][n_policy] sum for each user */
};

/* A figure to compare. */
struct cs_compare_figure {
	const char *key;   /* as in --summary */
	const char *head;  /* heading of a narrow column */
	const char *name;  /* within a sentence */
	const char *title; /* for a page, ... */
	const char *what;  /* ... and what it means */
	const char *unit;  /* after scale */
	size_t offset;	   /* of the double in struct cs_metrics */
	double scale;
	int places; /* decimals */
	bool less;  /* is better */
};

extern const struct cs_compare_figure cs_compare_figures[];
extern const size_t cs_compare_n_figure;

/* Scaled; NAN: no value. */
double cs_compare_mean(const struct cs_compare *c, size_t policy,
		       const struct cs_compare_figure *f);
/* Of one case; NAN: no value. */
double cs_compare_value(const struct cs_compare *c, size_t at, size_t policy,
			const struct cs_compare_figure *f);
/* Of @policy against policy @base.  *ret_error: NAN with one case. */
double cs_compare_change(const struct cs_compare *c, size_t policy, size_t base,
			 const struct cs_compare_figure *f, double *ret_error);
/* Has any policy this figure? */
bool cs_compare_there(const struct cs_compare *c,
		      const struct cs_compare_figure *f);
/* By its key, which must exist. */
const struct cs_compare_figure *cs_compare_figure(const char *key);

/* Count the jobs of @r by wait and bounded slowdown into @ret; add the responses of
 * @at's users to @response_s.  @at NULL: users are not needed. */
void cs_compare_count(struct cs_compare_run *ret, double *response_s,
		      const struct cs_compare_case *at,
		      const struct cs_trace *t, const struct cs_sim_result *r);

/* What a page shows of @t: steps and nodes; and the window, if none is set. */
void cs_compare_watch(struct cs_watch_options *o, const struct cs_trace *t,
		      const struct cs_machine *m);

/* Over all runs of @policy. */
struct cs_spread cs_compare_spread(const struct cs_compare *c, size_t policy);

/* The command, for a site's history; returns the exit status. */
int cs_cmd_compare_history(int argc, char **argv,
			   const struct cs_compare_site *site);

/* The means, and the changes against the first policy, as tables. */
void cs_compare_say_means(const struct cs_compare *c);
void cs_compare_say_changes(const struct cs_compare *c);
/* Print them and the verdict on standard output.  0, -ENOMEM. */
int cs_compare_say(const struct cs_compare *c);

/* All of it as JSON.  0; -ENOMEM, -EIO or another errno. */
int cs_compare_summary(FILE *file, const struct cs_compare *c);

#endif
