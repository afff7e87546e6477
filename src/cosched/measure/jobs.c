/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/jobs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/slurm_command.h"

#define SUBMIT_S 120 /* slurmctld may be busy */
#define LOOK_S 60
#define WORDS 24      /* of ours on sbatch's command line */
#define WORD_MAX 4352 /* bytes of one, with its 0 */

/* What a record has is explained in record.h.  The look is taken during the run, not
 * between two: the partner should not run alone meanwhile.  SIGTERM is scancel's, or
 * that of the time limit, SIGCONT that of a resume: it interrupts wait, too. */
const char cs_measure_jobs_script[] =
	"#!/bin/bash\n"
	"# A job of cosched profile run: runs a program again and again, and writes\n"
	"# when.  Arguments: the folder, experiment, role, partner's job, nodes, time\n"
	"# limit in seconds, the program.\n"
	"folder=$1 limit=$6 program=$7\n"
	"record=$folder/job.$SLURM_JOB_ID\n"
	"say() { printf '%s\\n' \"$*\" >>\"$record\"; }\n"
	"now() { date +%s.%N; }\n"
	"look() {\n"
	"\tlocal at jobs\n"
	"\tat=$(now)\n"
	"\tjobs=$(squeue -h -a -t all -w \"$SLURM_JOB_NODELIST\" -o %A:%T "
	"2>/dev/null) ||\n"
	"\t\tjobs='?'\n"
	"\tsay look \"$at\" $jobs\n"
	"}\n"
	"stop() {\n"
	"\ttrap '' TERM INT\n"
	"\tsay end \"$(now)\" stopped\n"
	"\texit 0\n"
	"}\n"
	"[ -d \"$folder\" ] || exit 44 # this node does not see it\n"
	"trap stop TERM INT\n"
	"trap 'suspended=suspended again=yes' CONT\n"
	"say job \"$SLURM_JOB_ID\" \"$2\" \"$3\" \"$4\" \"$5\" \"$limit\"\n"
	"say cores $(scontrol -d -o show job \"$SLURM_JOB_ID\" |\n"
	"\tgrep -o 'Nodes=[^ ]* CPU_IDs=[^ ]*')\n"
	"say allowed \"$(sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' "
	"/proc/self/status)\"\n"
	"longest=0\n"
	"say start \"$(now)\"\n"
	"while :; do\n"
	"\tsuspended='' again=yes begin=$SECONDS start=$(now)\n"
	"\t\"$program\" >\"$folder/out.$SLURM_JOB_ID\" 2>&1 </dev/null &\n"
	"\tbody=$!\n"
	"\tlook &\n"
	"\tlooking=$!\n"
	"\twhile [ -n \"$again\" ]; do\n"
	"\t\tagain=''\n"
	"\t\twait \"$body\"\n"
	"\t\tstatus=$? end=$(now)\n"
	"\tdone\n"
	"\twait \"$looking\"\n"
	"\tsay run \"$start\" \"$end\" \"$status\" $suspended\n"
	"\tif [ \"$status\" -ne 0 ]; then\n"
	"\t\tsay end \"$(now)\" failed \"$status\"\n"
	"\t\texit 1\n"
	"\tfi\n"
	"\t[ $((SECONDS - begin)) -lt \"$longest\" ] || longest=$((SECONDS - begin "
	"+ 1))\n"
	"\t[ $((SECONDS + longest + 5)) -lt \"$limit\" ] || break\n"
	"done\n"
	"look\n"
	"say end \"$(now)\" time\n";

/* ---- submitting ---------------------------------------------------------------- */

struct words {
	const char **word;
	size_t n;
	char (*text)[WORD_MAX]; /* [WORDS] */
	size_t n_text;
	bool cut;
};

static void add(struct words *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct words *w, const char *fmt, ...)
{
	char *text = w->text[w->n_text++];
	va_list ap;

	va_start(ap, fmt);
	w->cut |= vsnprintf(text, WORD_MAX, fmt, ap) >= WORD_MAX;
	va_end(ap);
	w->word[w->n++] = text;
}

static void add_options(struct words *w, const struct cs_measure_options *o)
{
	for (size_t i = 0; i < o->n; i++)
		w->word[w->n++] = o->word[i];
}

/* Memory: all of a full node, half of a shared one. */
static void add_layout(struct words *w, const struct cs_measure_submit *s)
{
	const struct cs_measure_shape *shape = s->shape;
	uint32_t nodes = cs_measure_nodes(shape, s->kind);
	uint32_t socket = cs_measure_per_socket(shape, s->kind);
	uint32_t node = socket * shape->sockets;

	add(w, "--exclusive=user");
	add(w, "--nodes=%" PRIu32, nodes);
	add(w, "--ntasks=%" PRIu64, (uint64_t)nodes * node);
	add(w, "--ntasks-per-node=%" PRIu32, node);
	add(w, "--ntasks-per-socket=%" PRIu32, socket);
	if (shape->threads > 1)
		add(w, "--ntasks-per-core=1");
	/* threads of a core count, too */
	add(w, "--cpus-per-task=%" PRIu32, shape->per_task * shape->threads);
	if (shape->memory_mb)
		add(w, "--mem=%" PRIu64,
		    s->kind == CS_MEASURE_FULL ? shape->memory_mb
					       : shape->memory_mb / 2);
}

static void add_ours(struct words *w, const struct cs_measure_submit *s)
{
	add_layout(w, s);
	add(w, "--time=%" PRIu32, s->limit_s / 60);
	add(w, "--no-requeue");
	add(w, "--output=%s/log.%%j", s->folder);
	add(w, "--error=%s/log.%%j", s->folder);
	add(w, "--chdir=%s", s->here);
	if (*s->exclude)
		add(w, "--exclude=%s", s->exclude);
	if (s->with) {
		add(w, "--nodelist=%s", s->nodes);
		add(w, "--dependency=after:%" PRIu32, s->with);
	}
}

static void add_arguments(struct words *w, const struct cs_measure_submit *s)
{
	add(w, "%s/job.sh", s->folder);
	add(w, "%s", s->folder);
	add(w, "%zu", s->experiment);
	add(w, "%s", s->with ? "b" : "a");
	add(w, "%" PRIu32, s->with);
	add(w, "%" PRIu32, cs_measure_nodes(s->shape, s->kind));
	add(w, "%" PRIu32, s->limit_s);
	add(w, "%s", s->program);
}

int cs_measure_jobs_submit(const struct cs_measure_submit *s, uint32_t *ret_job,
			   struct cs_err *err)
{
	struct words w = { .n = 0 };
	char title[128], *text = NULL;
	int rc;

	w.word =
		calloc(s->script->n + s->given->n + WORDS + 8, sizeof(*w.word));
	w.text = calloc(WORDS, sizeof(*w.text));
	if (!w.word || !w.text) {
		rc = cs_err_set(err, -ENOMEM, "no memory");
		goto out;
	}
	snprintf(title, sizeof(title), "--job-name=%s", s->name);
	w.word[w.n++] = "sbatch";
	/* before the user's, too: a stray word among these would be the script */
	w.word[w.n++] = "--parsable";
	w.word[w.n++] = title;
	add_options(&w, s->script);
	add_options(&w, s->given);
	w.word[w.n++] = "--parsable";
	w.word[w.n++] = title;
	add_ours(&w, s);
	add_arguments(&w, s);
	rc = w.cut ? cs_err_set(err, -ENAMETOOLONG,
				"'%.200s': too long, expected a shorter path",
				s->folder)
		   : cs_slurm_command(w.word, SUBMIT_S, &text, err);
	if (!rc)
		rc = cs_slurm_command_job(text, ret_job, err);
	free(text);
out:
	free(w.word);
	free(w.text);
	return rc;
}

/* ---- looking --------------------------------------------------------------------- */

double cs_measure_jobs_seconds(const char *text)
{
	const char *dash = strchr(text, '-');
	double days = 0, part[3] = { 0 }, s = 0;
	int n;

	if (dash) {
		days = strtod(text, NULL);
		text = dash + 1;
	}
	n = sscanf(text, "%lf:%lf:%lf", &part[0], &part[1], &part[2]);
	for (int i = 0; i < n; i++)
		s = 60 * s + part[i];
	return days * 86400 + s;
}

static enum cs_measure_state_of state_of(const char *word)
{
	static const char *const ended[] = {
		"COMPLETED", "CANCELLED",     "FAILED",	       "TIMEOUT",
		"NODE_FAIL", "PREEMPTED",     "BOOT_FAIL",     "DEADLINE",
		"REVOKED",   "LAUNCH_FAILED", "OUT_OF_MEMORY",
	};

	if (!strcmp(word, "RUNNING"))
		return CS_MEASURE_RUNS;
	if (!strcmp(word, "PENDING") || !strcmp(word, "CONFIGURING"))
		return CS_MEASURE_WAITS;
	for (size_t i = 0; i < sizeof(ended) / sizeof(ended[0]); i++)
		if (!strcmp(word, ended[i]))
			return CS_MEASURE_ENDED;
	return CS_MEASURE_ENDS;
}

/* Copy the next field of @line, up to '|'. */
static const char *field(const char *line, char *to, size_t size)
{
	size_t n = strcspn(line, "|\n");

	snprintf(to, size, "%.*s", (int)(n < size ? n : 0), line);
	return line[n] == '|' ? line + n + 1 : line + n;
}

bool cs_measure_jobs_line(const char *line, struct cs_measure_seen *ret)
{
	char number[32], elapsed[32];

	line = field(line, number, sizeof(number));
	line = field(line, ret->word, sizeof(ret->word));
	line = field(line, elapsed, sizeof(elapsed));
	line = field(line, ret->nodes, sizeof(ret->nodes));
	field(line, ret->reason, sizeof(ret->reason));
	ret->job = (uint32_t)strtoul(number, NULL, 10);
	ret->state = state_of(ret->word);
	ret->elapsed_s = cs_measure_jobs_seconds(elapsed);
	return ret->job && *ret->word;
}

int cs_measure_jobs_look(const char *name, struct cs_measure_seen **ret,
			 size_t *ret_n, struct cs_err *err)
{
	char title[128], *text = NULL, *rest, *line;
	struct cs_measure_seen *seen;
	size_t n = 1, at = 0;
	int rc;

	snprintf(title, sizeof(title), "--name=%s", name);
	rc = cs_slurm_command(
		(const char *const[]){ "squeue", "--noheader", "--all",
				       "--states=all", title,
				       "--format=%A|%T|%M|%N|%r", NULL },
		LOOK_S, &text, err);
	if (rc)
		return rc;
	for (const char *c = text; *c; c++)
		n += *c == '\n';
	seen = calloc(n, sizeof(*seen));
	rest = text;
	while (seen && (line = strsep(&rest, "\n")))
		at += cs_measure_jobs_line(line, &seen[at]);
	free(text);
	if (!seen)
		return cs_err_set(err, -ENOMEM, "no memory");
	*ret = seen;
	*ret_n = at;
	return 0;
}

/* ---- cancelling ------------------------------------------------------------------ */

int cs_measure_jobs_cancel(uint32_t a, uint32_t b, struct cs_err *err)
{
	char number[2][16], *text = NULL;
	int rc;

	snprintf(number[0], sizeof(number[0]), "%" PRIu32, a);
	snprintf(number[1], sizeof(number[1]), "%" PRIu32, b);
	rc = cs_slurm_command(
		(const char *const[]){ "scancel", "--quiet", number[0],
				       b ? number[1] : NULL, NULL },
		LOOK_S, &text, err);
	free(text);
	return rc;
}

int cs_measure_jobs_cancel_all(const char *name, struct cs_err *err)
{
	char title[128], *text = NULL;
	int rc;

	snprintf(title, sizeof(title), "--name=%s", name);
	rc = cs_slurm_command(
		(const char *const[]){ "scancel", "--quiet", title, NULL },
		LOOK_S, &text, err);
	free(text);
	return rc;
}
