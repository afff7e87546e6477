/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of `cosched compare`; private to them.
 *
 *	cmd_compare.c	options, output
 *	compare_cases.c	the policies and the cases of a comparison
 *	compare_run.c	the simulations, several at a time
 *	compare_sweep.c	the simulations as tasks of a job array
 */
#ifndef CS_COSCHED_COMPARE_COMPARE_PARTS_H
#define CS_COSCHED_COMPARE_COMPARE_PARTS_H

#include "cli/progress_bar.h"
#include "cli/profile_file.h"
#include "compare/compare.h"
#include "compare/compare_page.h"
#include "sim/outfile.h"
#include "sim/parallel.h"
#include "sim/watch.h"
#include "sim/workload.h"
#include "sweep/sweep.h"

/* Options with a value. */
enum {
	CS_CMP_MACHINE,
	CS_CMP_SITES,
	CS_CMP_POLICIES,
	CS_CMP_PROFILES,
	CS_CMP_ESTIMATES,
	CS_CMP_WORKLOAD,
	CS_CMP_REPLICAS,
	CS_CMP_SEED,
	CS_CMP_JOBS,
	CS_CMP_SUMMARY,
	CS_CMP_HTML,
	CS_CMP_WINDOW,
	CS_CMP_TRUTH,
	CS_CMP_NOISE,
	CS_CMP_SHARED,
	CS_CMP_GPUS,
	CS_CMP_OPTIONS
};

struct cs_compare_wish {
	const char *of[CS_CMP_OPTIONS]; /* as given, or NULL */
	const char *const *set;		/* [n_set] --set key=value */
	size_t n_set;
	char *const *trace; /* [n_trace] */
	size_t n_trace;
	int64_t replicas, seed, jobs;
	int64_t from_us, to_us; /* the window; both 0: we choose it */
	int64_t width;		/* -j */
	bool live;		/* --live-defaults */
	bool strict;		/* about lines of the traces */
	bool json;
	const char *sbatch; /* options of sbatch; NULL: the runs are done here */
	char **argv;	    /* [argc] the command, traces last */
	int argc;
	const struct cs_sweep_task *task; /* this process is one; or NULL */
};

struct cs_compare_work {
	struct cs_compare c;
	struct cs_workload workload; /* model NULL: traces */
	struct cs_truth_option truth;
	struct cs_trace *trace; /* [n_case] as far as needed */
	struct cs_outfile summary, html;
	struct cs_compare_view *view; /* [n_policy] NULL: no page */
	struct cs_watch_options watch;
	struct cs_compare_bar *bar; /* of all processes; NULL: none */
	size_t begun;		    /* cases; the last one's jobs are there */
	struct cs_sweep_state sweep;
	int signal; /* that ended the sweep; 0: none */
};

/* 0; CS_EXIT_USAGE: a message has been printed. */
int cs_compare_policies(const struct cs_compare_wish *w, struct cs_compare *c);
int cs_compare_cases(const struct cs_compare_wish *w,
		     struct cs_compare_work *k);
int cs_compare_runs(const struct cs_compare_wish *w, struct cs_compare_work *k);
/* Do @all in a job array.  As cs_parallel(), and k->signal. */
int cs_compare_sweep(const struct cs_compare_wish *w, struct cs_compare_work *k,
		     const struct cs_parallel *all, struct cs_err *err);

/* A task of it: read its work list, with what the site's Slurm is set to, into @t and
 * @site.  0; CS_EXIT_USAGE: a message has been printed. */
int cs_compare_task_begin(struct cs_sweep_task *t, struct cs_compare_site *site,
			  const char *folder);
/* Is it of a site's history? */
bool cs_compare_task_of_site(const struct cs_sweep_task *t);
/* Its words, as main() gave them. */
char **cs_compare_task_args(const struct cs_sweep_task *t, int *ret_argc);

/* The parameters of @p with a case's seed (>= 0: it has one).  0; -EINVAL with @err,
 * -ENOMEM. */
int cs_compare_params(const struct cs_compare *c,
		      const struct cs_compare_policy *p, int64_t seed,
		      struct cs_params *ret, struct cs_err *err);

#endif
