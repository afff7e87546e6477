/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/job_array.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "conf/slurm_command.h"

#define SUBMIT_S 120 /* slurmctld may be busy */
#define LOOK_S 60

/* ---- options of sbatch --------------------------------------------------- */

/* Options that would make another job of it than the array that is waited for. */
static const char *const own[] = { "-a",   "--arr", "--wr", "-M",
				   "--cl", "--te",  "-W" };

static int refused(const char *what, const char *word, bool first,
		   struct cs_err *err)
{
	if (first && *word != '-')
		return cs_err_set(err, -EINVAL,
				  "%s begins with '%.100s', expected an option "
				  "of sbatch",
				  what, word);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strncmp(word, own[i], strlen(own[i])) ||
		    !strcmp(word, "--wait"))
			return cs_err_set(err, -EINVAL,
					  "%s has '%.100s', expected options "
					  "that leave the jobs as the command "
					  "submits them",
					  what, word);
	return 0;
}

int cs_sweep_array_words(const char *what, const char *text, char ***ret,
			 size_t *ret_n, struct cs_err *err)
{
	size_t len = strlen(text), n = 0;
	char **word = malloc((len / 2 + 2) * sizeof(*word) + len + 1);
	char *to = word ? (char *)(word + len / 2 + 2) : NULL;
	char quote = '\0';
	bool inside = false;
	int rc = 0;

	if (!word)
		return cs_err_set(err, -ENOMEM, "no memory");
	for (const char *c = text; *c; c++) {
		if (!quote && isspace((unsigned char)*c)) {
			if (inside)
				*to++ = '\0';
			inside = false;
			continue;
		}
		if (!inside)
			word[n++] = to;
		inside = true;
		if (quote ? *c == quote : *c == '\'' || *c == '"')
			quote = quote ? '\0' : *c;
		else if (*c == '\\' && quote != '\'' && c[1])
			*to++ = *++c;
		else
			*to++ = *c;
	}
	if (inside)
		*to = '\0';
	if (quote)
		rc = cs_err_set(err, -EINVAL,
				"%s has '%.100s', expected a closing %c", what,
				text, quote);
	for (size_t i = 0; !rc && i < n; i++)
		rc = refused(what, word[i], !i, err);
	if (rc) {
		free(word);
		return rc;
	}
	*ret = word;
	*ret_n = n;
	return 0;
}

/* ---- the commands -------------------------------------------------------- */

int cs_sweep_array_submit(const char *name, char *const *option, size_t n,
			  const char *folder, const char *list,
			  const char *script, const char *const *arg,
			  uint32_t *ret_job, struct cs_err *err)
{
	size_t n_arg = 0, at = 0;
	const char **argv;
	char *array = NULL, *title = NULL, *where = NULL, *text = NULL;
	int rc = -ENOMEM;

	while (arg[n_arg])
		n_arg++;
	argv = calloc(n + n_arg + 16, sizeof(*argv));
	if (!argv || asprintf(&array, "--array=%s", list) < 0 ||
	    asprintf(&title, "--job-name=%s", name) < 0 ||
	    asprintf(&where, "--chdir=%s", folder) < 0) {
		cs_err_set(err, rc, "no memory");
		goto out;
	}
	argv[at++] = "sbatch";
	/* before the user's, too: a stray word among these would be the script */
	argv[at++] = "--parsable";
	argv[at++] = title;
	argv[at++] = array;
	for (size_t i = 0; i < n; i++)
		argv[at++] = option[i];
	argv[at++] = "--parsable";
	argv[at++] = "--requeue";
	argv[at++] = "--output=/dev/null";
	argv[at++] = "--error=/dev/null";
	argv[at++] = title;
	argv[at++] = where;
	argv[at++] = array;
	argv[at++] = script;
	for (size_t i = 0; i < n_arg; i++)
		argv[at++] = arg[i];
	rc = cs_slurm_command(argv, SUBMIT_S, &text, err);
	if (!rc)
		rc = cs_slurm_command_job(text, ret_job, err);
	free(text);
out:
	free(array);
	free(title);
	free(where);
	free(argv);
	return rc;
}

static bool is_one_of(const char *state, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(state, list[i]))
			return true;
	return false;
}

/* One line: array, task, state, nodes. */
static void count_line(const char *line, uint32_t job,
		       struct cs_sweep_array_look *ret)
{
	static const char *const ends[] = {
		"COMPLETED", "CANCELLED",     "FAILED",	       "TIMEOUT",
		"NODE_FAIL", "PREEMPTED",     "BOOT_FAIL",     "DEADLINE",
		"REVOKED",   "LAUNCH_FAILED", "OUT_OF_MEMORY",
	};
	static const char *const waits[] = { "PENDING", "REQUEUED",
					     "REQUEUE_HOLD", "REQUEUE_FED",
					     "SPECIAL_EXIT" };
	char state[32] = "", node[CS_ARRAY_NODE] = "";
	uint32_t of;
	int64_t task;

	if (sscanf(line, "%" SCNu32 " %" SCNd64 " %31s %63s", &of, &task, state,
		   node) < 3)
		return;
	ret->listed += of == job;
	if (is_one_of(state, waits, sizeof(waits) / sizeof(waits[0]))) {
		ret->waiting++;
	} else if (!is_one_of(state, ends, sizeof(ends) / sizeof(ends[0]))) {
		ret->running++;
	} else if (of == job && ret->ended < 0 &&
		   (!strcmp(state, "FAILED") || !strcmp(state, "COMPLETED"))) {
		ret->ended = task;
		memcpy(ret->node, node, sizeof(ret->node));
	}
}

int cs_sweep_array_look(const char *name, uint32_t job,
			struct cs_sweep_array_look *ret, struct cs_err *err)
{
	char *title = NULL, *text = NULL, *rest, *line;
	int rc;

	if (asprintf(&title, "--name=%s", name) < 0)
		return cs_err_set(err, -ENOMEM, "no memory");
	rc = cs_slurm_command(
		(const char *const[]){ "squeue", "--noheader", "--array",
				       "--states=all", title,
				       "--format=%F %K %T %N", NULL },
		LOOK_S, &text, err);
	free(title);
	if (rc)
		return rc;
	*ret = (struct cs_sweep_array_look){ .ended = -1 };
	rest = text;
	while ((line = strsep(&rest, "\n")))
		count_line(line, job, ret);
	free(text);
	return 0;
}

int cs_sweep_array_cancel(const char *name, int wait_s, struct cs_err *err)
{
	double until = cs_cmd_clock_s() + wait_s;
	struct cs_sweep_array_look look;
	char *title = NULL, *text = NULL;
	int rc;

	if (asprintf(&title, "--name=%s", name) < 0)
		return cs_err_set(err, -ENOMEM, "no memory");
	do {
		/* again each time: a task may be requeued meanwhile */
		rc = cs_slurm_command((const char *const[]){ "scancel",
							     "--quiet", title,
							     NULL },
				      LOOK_S, &text, err);
		free(text);
		text = NULL;
		if (rc == -ENOENT) /* there is no scancel here */
			break;
		if (!rc)
			rc = cs_sweep_array_look(name, 0, &look, err);
		if (!rc && !look.waiting && !look.running)
			break;
		poll(NULL, 0, 500);
		if (!rc)
			rc = cs_err_set(err, -ETIMEDOUT,
					"tasks named '%s' are still there",
					name);
	} while (cs_cmd_clock_s() < until);
	free(title);
	return rc;
}
