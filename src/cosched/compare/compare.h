/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `cosched compare` compares: every policy on every case, a case being a
 * trace or a generated workload of one seed.
 *
 * Means are over the cases in which there is anything to take a mean of.  A
 * change is one of means against the first policy, over the cases that both
 * have; its error is two standard errors of the differences case by case:
 *
 *	change = 100 * (A - B) / B	A, B means of a_i, b_i over n cases
 *	error = 100 * 2 * s / sqrt(n) / B	s^2 the variance of a_i - b_i
 */
#ifndef CS_COSCHED_COMPARE_COMPARE_H
#define CS_COSCHED_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/metrics.h"
#include "sim/sim.h"

struct cs_compare_policy {
	char *title;	/* as the user called it */
	char *settings; /* for cs_params_parse(), without the case's seed */
	struct cs_params params; /* of the first case */
	struct cs_profiles *profiles;
};

struct cs_compare_case {
	char *title;
	int64_t seed; /* of a generated workload; -1: a trace */
};

/*
 * Jobs by wait and by bounded slowdown: bin 0 holds waits below 1 s, bin i > 0
 * those below 10^(i / CS_WAIT_BINS) s; bin i the slowdowns up to
 * 10^(i / CS_SLOW_BINS).  The last bin has the rest too.
 */
#define CS_COMPARE_BINS 128
#define CS_WAIT_BINS 12 /* a power of ten */
#define CS_SLOW_BINS 24

/* What a simulation sends home. */
struct cs_compare_run {
	struct cs_metrics figures;
	double wall_s;
	uint32_t wait[CS_COMPARE_BINS], slow[CS_COMPARE_BINS];
};

struct cs_compare {
	const char *machine_text;
	struct cs_machine *machine;
	enum cs_estimates estimates;
	enum cs_param_host host; /* whose defaults */
	const char *note; /* lines on top of the page; NULL: none.  Then cases
			     are called by their files' names without folder */
	struct cs_compare_policy *policy;
	size_t n_policy;
	struct cs_compare_case *cases;
	size_t n_case;
	struct cs_compare_run *run; /* [n_case][n_policy] */
};

/* A figure that is compared. */
struct cs_compare_figure {
	const char *key;   /* as in --summary */
	const char *head;  /* of a narrow column */
	const char *title; /* for a page */
	const char *unit;  /* after scale */
	size_t offset;	   /* of the double in struct cs_metrics */
	double scale;
	int places; /* behind the point */
	bool less;  /* is better */
};

extern const struct cs_compare_figure cs_compare_figures[];
extern const size_t cs_compare_n_figure;

/* Scaled; NAN: there is none. */
double cs_compare_mean(const struct cs_compare *c, size_t policy,
		       const struct cs_compare_figure *f);
/* *ret_error: NAN with one case. */
double cs_compare_change(const struct cs_compare *c, size_t policy,
			 const struct cs_compare_figure *f, double *ret_error);

/* The command, with a note; the exit status. */
int cs_cmd_compare_noted(int argc, char **argv, const char *note);

/* The means and changes on standard output. */
void cs_compare_say(const struct cs_compare *c);

/* All of it as JSON.  0; -ENOMEM, -EIO or another errno. */
int cs_compare_summary(FILE *file, const struct cs_compare *c);

#endif
