/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison whose simulations run as tasks of a job array (sweep/sweep.h).  A task is
 * told what the site's Slurm is set to, then the words of this command; it reads the
 * copies of the traces.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "compare/compare_parts.h"
#include "sweep/sweep.h"

enum {
	W_SITE,	    /* "site": of a site's history */
	W_SCHED,    /* its SchedulerParameters, behind '='; "": not known */
	W_SETTINGS, /* the same of its policy's other settings */
	W_ARGS	    /* from here on: the command's words */
};

/* '=' and @text; "" for NULL.  NULL: no memory. */
static char *optional(const char *text)
{
	char *ret = NULL;

	if (!text)
		return strdup("");
	return asprintf(&ret, "=%s", text) < 0 ? NULL : ret;
}

/* Files that are read in their own places. */
static size_t other_files(const struct cs_compare_work *k, const char **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < k->c.n_policy; i++)
		ret[n++] = k->c.policy[i].params.profiles;
	ret[n++] = k->truth.file;
	return n;
}

/* The options, and with a workload no traces: they are in the sum by their bytes, and
 * whatif's have a name of this run. */
static size_t words_of(const struct cs_compare_wish *w,
		       const struct cs_compare_work *k, const char **word)
{
	size_t n = W_ARGS;

	for (int i = 0; i < w->argc - (int)w->n_trace; i++)
		word[n++] = w->argv[i];
	for (size_t i = 0; i < w->n_trace; i++)
		word[n++] = k->c.cases[i].title;
	return n;
}

int cs_compare_sweep(const struct cs_compare_wish *w, struct cs_compare_work *k,
		     const struct cs_parallel *all, struct cs_err *err)
{
	const struct cs_compare_site *site = k->c.site;
	const char **word = calloc((size_t)w->argc + W_ARGS, sizeof(*word));
	const char **also = calloc(k->c.n_policy + 1, sizeof(*also));
	char *sched = optional(site ? site->sched : NULL);
	char *settings = optional(site ? site->settings : NULL);
	struct cs_sweep s = { .cmd = "compare",
			      .options = w->sbatch,
			      .where = w->of[CS_CMP_SHARED] ?: ".",
			      .n = all->n,
			      .word = word,
			      .input = w->trace,
			      .n_input = w->n_trace,
			      .also = also };
	int sig = 0, rc = -ENOMEM;

	if (word && also && sched && settings) {
		word[W_SITE] = site ? "site" : "";
		word[W_SCHED] = sched;
		word[W_SETTINGS] = settings;
		s.n_word = words_of(w, k, word);
		s.n_also = other_files(k, also);
		rc = cs_sweep_run(&s, all, &k->sweep, &sig, err);
	} else {
		cs_err_set(err, rc, "no memory");
	}
	free(word);
	free(also);
	free(sched);
	free(settings);
	k->signal = sig;
	return rc;
}

/* ---- a task ---------------------------------------------------------------- */

int cs_compare_task_begin(struct cs_sweep_task *t, struct cs_compare_site *site,
			  const char *folder)
{
	struct cs_err err = { "" };
	int rc = cs_sweep_task_read(folder, t, &err);

	if (!rc && t->n_word < W_ARGS + 1)
		rc = cs_err_set(&err, -EINVAL, "no command in the work list");
	if (rc)
		return cs_cmd_bad("compare: %s", err.text);
	if (*t->word[W_SCHED])
		site->sched = t->word[W_SCHED] + 1;
	if (*t->word[W_SETTINGS])
		site->settings = t->word[W_SETTINGS] + 1;
	return CS_EXIT_OK;
}

bool cs_compare_task_of_site(const struct cs_sweep_task *t)
{
	return *t->word[W_SITE];
}

char **cs_compare_task_args(const struct cs_sweep_task *t, int *ret_argc)
{
	*ret_argc = (int)(t->n_word - W_ARGS);
	return t->word + W_ARGS;
}
