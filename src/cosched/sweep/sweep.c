/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command's side of a sweep: it makes the folder, submits, waits and collects. */
#include "sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/progress_bar.h"
#include "cli/stop_signals.h"
#include "conf/slurm_command.h"
#include "sweep/job_array.h"
#include "sweep/sweep_files.h"

#define TICK_MS 500  /* between two looks at the folder */
#define ASK_S 3	     /* between two questions to slurmctld */
#define ASK_SOON_S 1 /* in the first ASK_SOON_UNTIL_S seconds */
#define ASK_SOON_UNTIL_S 10
#define SILENT_S 1800 /* without an answer of slurmctld: given up */
#define SHARED_S 20   /* until a file of a node is seen here */
#define CANCEL_S 90
#define SUBMISSIONS 2 /* of a task */

static const char script[] =
	"#!/bin/sh\n"
	"# A task of a sweep of cosched. $1: the command, $2: its subcommand, $3: the "
	"folder.\n"
	"[ -r \"$3/work\" ] || exit 44 # this node does not see it\n"
	"exec >>\"$3/log.$SLURM_ARRAY_TASK_ID\" 2>&1\n"
	"exec \"$1\" \"$2\" --sbatch-task \"$3\"\n";

/* What the command that waits knows. */
struct wait {
	const struct cs_sweep *s;
	struct cs_sweep_state *t;
	char **option; /* of sbatch, [n_option] */
	size_t n_option;
	char program[CS_SWEEP_PATH], here[CS_SWEEP_PATH];
	bool *have;  /* [s->n] the result is there */
	bool *found; /* [s->n] a file of its name is */
	size_t left, chunk, n_task;
	uint32_t job; /* the array; 0: another command submitted it */
	bool shared;  /* a task has written here */
	bool ours;    /* tasks may be there that this command has to cancel */
	double since_s, asked_s, answered_s,
		ended_s; /* ended_s 0: no task yet */
	struct cs_sweep_array_look look;
	struct cs_bar bar;
	char unit[96];
};

/* ---- the folder ----------------------------------------------------------- */

/* The sum of all that decides the results, and of the user, whose array it is. */
static int sum_of(const struct wait *w, const char *where, uint64_t *ret,
		  struct cs_err *err)
{
	const struct cs_sweep *s = w->s;
	uint64_t sum = CS_SWEEP_SUM, user = (uint64_t)getuid(), n = s->n;
	int rc = cs_sweep_sum_file(&sum, "/proc/self/exe", err);

	sum = cs_sweep_sum(sum, &user, sizeof(user));
	sum = cs_sweep_sum(sum, &n, sizeof(n));
	sum = cs_sweep_sum(sum, where, strlen(where) + 1);
	sum = cs_sweep_sum(sum, w->here, strlen(w->here) + 1);
	for (size_t i = 0; i < s->n_word; i++)
		sum = cs_sweep_sum(sum, s->word[i], strlen(s->word[i]) + 1);
	for (size_t i = 0; !rc && i < s->n_input; i++)
		rc = cs_sweep_sum_file(&sum, s->input[i], err);
	for (size_t i = 0; !rc && i < s->n_also; i++)
		if (s->also[i] && *s->also[i])
			rc = cs_sweep_sum_file(&sum, s->also[i], err);
	*ret = sum;
	return rc;
}

static int failed(const char *path, struct cs_err *err)
{
	int rc = errno ? -errno : -EIO;

	return cs_err_set(err, rc, "'%.250s': %s", path, strerror(-rc));
}

static int make_folder(const char *path, struct cs_err *err)
{
	return mkdir(path, 0777) && errno != EEXIST ? failed(path, err) : 0;
}

/* Two commands on one folder would cancel each other's tasks. */
static int take_lock(struct cs_sweep_state *t, struct cs_err *err)
{
	char path[CS_SWEEP_PATH + 16];

	snprintf(path, sizeof(path), "%s/lock", t->folder);
	t->lock = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (t->lock < 0)
		return failed(path, err);
	if (flock(t->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return cs_err_set(err, -EBUSY,
				  "another command waits for the sweep in "
				  "'%.250s'",
				  t->folder);
	return 0;
}

/* The work list: the sums and sizes, then the words. */
static int write_work(const struct wait *w, struct cs_err *err)
{
	const struct cs_sweep *s = w->s;
	char path[CS_SWEEP_PATH + 16], number[4][32];
	uint64_t program = CS_SWEEP_SUM;
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int rc = cs_sweep_sum_file(&program, "/proc/self/exe", err);

	if (rc)
		return rc;
	out = open_memstream(&text, &size);
	if (!out)
		return cs_err_set(err, -ENOMEM, "no memory");
	snprintf(number[0], sizeof(number[0]), "%" PRIx64, program);
	snprintf(number[1], sizeof(number[1]), "%" PRIx64, w->t->sum);
	snprintf(number[2], sizeof(number[2]), "%zu", s->n);
	snprintf(number[3], sizeof(number[3]), "%zu", w->chunk);
	for (size_t i = 0; i < 4; i++)
		fwrite(number[i], 1, strlen(number[i]) + 1, out);
	for (size_t i = 0; i < s->n_word; i++)
		fwrite(s->word[i], 1, strlen(s->word[i]) + 1, out);
	rc = ferror(out) ? -ENOMEM : 0;
	if (fclose(out) || rc)
		rc = cs_err_set(err, -ENOMEM, "no memory");
	snprintf(path, sizeof(path), "%s/work", w->t->folder);
	if (!rc)
		rc = cs_sweep_write(path, text, size, err);
	free(text);
	return rc;
}

/* Make the folder, or find the one that an earlier command left. */
static int begin(struct wait *w, struct cs_err *err)
{
	struct cs_sweep_state *t = w->t;
	char path[CS_SWEEP_PATH + 32];
	char *where = realpath(w->s->where, NULL);
	int rc = where ? 0 : failed(w->s->where, err);

	if (!rc)
		rc = sum_of(w, where, &t->sum, err);
	if (!rc && strlen(where) + 48 > sizeof(t->folder))
		rc = cs_err_set(err, -ENAMETOOLONG, "'%.200s': %s", where,
				strerror(ENAMETOOLONG));
	if (!rc) {
		snprintf(t->name, sizeof(t->name), "cosched-sweep-%016" PRIx64,
			 t->sum);
		snprintf(t->folder, sizeof(t->folder), "%s/%s", where, t->name);
		rc = make_folder(t->folder, err);
	}
	free(where);
	if (!rc)
		rc = take_lock(t, err);
	snprintf(path, sizeof(path), "%s/run", t->folder);
	if (!rc)
		rc = make_folder(path, err);
	for (size_t i = 0; !rc && i < w->s->n_input; i++) {
		snprintf(path, sizeof(path), "%s/input.%zu", t->folder, i);
		rc = cs_sweep_copy(w->s->input[i], path, err);
	}
	snprintf(path, sizeof(path), "%s/task.sh", t->folder);
	if (!rc)
		rc = cs_sweep_write(path, script, sizeof(script) - 1, err);
	return rc ? rc : write_work(w, err);
}

/* ---- waiting --------------------------------------------------------------- */

static bool has_log(const struct wait *w, size_t task)
{
	char path[CS_SWEEP_PATH + 32];

	snprintf(path, sizeof(path), "%s/log.%zu", w->t->folder, task);
	return !access(path, F_OK);
}

/* See which results are there by now. */
static void count_results(struct wait *w)
{
	cs_sweep_found(w->t->folder, w->found, w->s->n);
	for (size_t i = 0; i < w->s->n; i++) {
		void *data;
		size_t size;

		if (w->have[i] || !w->found[i] ||
		    cs_sweep_get(w->t->folder, w->t->sum, i, &data, &size))
			continue;
		free(data);
		w->have[i] = true;
		w->left--;
		w->shared = true;
	}
	if (!w->shared)
		cs_sweep_renew(w->t->folder);
	for (size_t i = 0; !w->shared && i < w->n_task; i++)
		w->shared = has_log(w, i);
}

/* Ask slurmctld, not too often; it may be restarted meanwhile. */
static int ask(struct wait *w, struct cs_err *err)
{
	double now_s = cs_cmd_clock_s();
	double pause_s =
		now_s - w->since_s < ASK_SOON_UNTIL_S ? ASK_SOON_S : ASK_S;
	int rc;

	if (now_s - w->asked_s < pause_s)
		return 0;
	rc = cs_sweep_array_look(w->t->name, w->job, &w->look, err);
	w->asked_s = cs_cmd_clock_s();
	if (!rc) {
		w->answered_s = w->asked_s;
		return 0;
	}
	return rc == -ENOMEM || w->asked_s - w->answered_s > SILENT_S ? rc : 0;
}

/* A task has ended, and no file of a task is here. */
static int not_shared(struct wait *w, struct cs_err *err)
{
	double now_s = cs_cmd_clock_s();
	bool ended = w->look.ended >= 0 ||
		     (w->job && w->answered_s > w->since_s && !w->look.listed);

	if (w->shared || !ended) {
		w->ended_s = 0;
		return 0;
	}
	if (w->ended_s <= 0)
		w->ended_s = now_s;
	if (now_s - w->ended_s < SHARED_S)
		return 0;
	return cs_err_set(err, -ENOENT,
			  "%s%s%sdoes not see '%.200s', or cannot write there, "
			  "expected a folder that all nodes share",
			  *w->look.node ? "node '" : "", w->look.node,
			  *w->look.node ? "' " : "a node ", w->t->folder);
}

static void draw(struct wait *w)
{
	snprintf(w->unit, sizeof(w->unit), "runs; tasks: %zu run, %zu wait  ",
		 w->look.running, w->look.waiting);
	cs_bar_draw(&w->bar, w->s->n - w->left, w->s->n);
}

/* Until all results are there, or no task is left.  0, -EINTR, or what went wrong. */
static int wait_for_tasks(struct wait *w, struct cs_err *err)
{
	double idle_s = 0;
	int rc = 0;

	w->since_s = cs_cmd_clock_s();
	w->answered_s = w->since_s;
	w->asked_s = 0;
	w->ended_s = 0;
	w->look = (struct cs_sweep_array_look){ .waiting = 1,
						.listed = 1,
						.ended = -1 };
	for (;;) {
		if (cs_stop_signals_caught())
			return -EINTR;
		rc = ask(w, err);
		count_results(w);
		draw(w);
		if (rc || !w->left)
			return rc;
		rc = not_shared(w, err);
		if (rc)
			return rc;
		/* the last results may be seen a moment after the last task ended */
		if (w->look.waiting || w->look.running)
			idle_s = 0;
		else if (idle_s <= 0)
			idle_s = cs_cmd_clock_s();
		else if (cs_cmd_clock_s() - idle_s > ASK_S + 1 &&
			 (w->shared || !w->job ||
			  (w->look.listed && w->look.ended < 0)))
			return 0;
		poll(NULL, 0, TICK_MS);
	}
}

/* ---- submitting ------------------------------------------------------------ */

static bool misses(const struct wait *w, size_t task)
{
	size_t to = (task + 1) * w->chunk;

	for (size_t i = task * w->chunk; i < to && i < w->s->n; i++)
		if (!w->have[i])
			return true;
	return false;
}

/* Submit the tasks that miss a result. */
static int submit(struct wait *w, struct cs_err *err)
{
	char script_path[CS_SWEEP_PATH + 16];
	const char *arg[] = { w->program, w->s->cmd, w->t->folder, NULL };
	char *list = NULL;
	size_t size = 0, n = 0;
	FILE *out = open_memstream(&list, &size);
	int rc = 0;

	if (!out)
		return cs_err_set(err, -ENOMEM, "no memory");
	for (size_t i = 0; i < w->n_task; i++)
		if (misses(w, i))
			fprintf(out, "%s%zu", n++ ? "," : "", i);
	if (fclose(out) || !list)
		rc = cs_err_set(err, -ENOMEM, "no memory");
	snprintf(script_path, sizeof(script_path), "%s/task.sh", w->t->folder);
	if (!rc) {
		cs_stop_signals_hold(true);
		rc = cs_sweep_array_submit(w->t->name, w->option, w->n_option,
					   w->here, list, script_path, arg,
					   &w->job, err);
		cs_stop_signals_hold(false);
	}
	free(list);
	if (!rc && !w->bar.terminal)
		fprintf(stderr,
			"cosched: %s: %zu simulations, %zu tasks of job "
			"array %" PRIu32 "\n",
			w->s->cmd, w->left, n, w->job);
	return rc;
}

/* The last line that a task without a result printed. */
static int lost(const struct wait *w, struct cs_err *err)
{
	char path[CS_SWEEP_PATH + 32], *text = NULL, *line;
	size_t task = 0, size;

	while (task < w->n_task && !misses(w, task))
		task++;
	snprintf(path, sizeof(path), "%s/log.%zu", w->t->folder, task);
	if (cs_sweep_read(path, &text, &size))
		return cs_err_set(err, -EIO,
				  "task %zu failed twice and left nothing in "
				  "'%.200s': does its node share it?",
				  task, w->t->folder);
	while (size && text[size - 1] == '\n')
		text[--size] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	cs_err_set(err, -EIO, "task %zu failed twice: %.300s", task,
		   *line ? line : "it was killed");
	free(text);
	return -EIO;
}

static int do_all(struct wait *w, struct cs_err *err)
{
	struct cs_sweep_array_look left;
	int rc = cs_sweep_array_look(w->t->name, 0, &left, err);

	count_results(w);
	if (rc && w->left)
		return rc;
	w->ours = !rc && (left.waiting || left.running);
	/* tasks of a command that was killed */
	if (w->left && (left.waiting || left.running))
		rc = wait_for_tasks(w, err);
	for (int i = 0; w->left && i < SUBMISSIONS && !rc; i++) {
		w->ours |= !cs_stop_signals_caught();
		rc = cs_stop_signals_caught() ? -EINTR : submit(w, err);
		if (!rc)
			rc = wait_for_tasks(w, err);
	}
	if (rc)
		return rc;
	return w->left ? lost(w, err) : 0;
}

/* Pass the results on, in order. */
static int collect(const struct wait *w, const struct cs_parallel *p,
		   struct cs_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < w->s->n; i++) {
		void *data;
		size_t size;

		rc = cs_sweep_get(w->t->folder, w->t->sum, i, &data, &size);
		if (rc)
			return cs_err_set(err, rc, "'%.200s/run/%zu': %s",
					  w->t->folder, i, strerror(-rc));
		rc = p->take(p->arg, i, data, size, err);
		free(data);
	}
	return rc;
}

/* No task is left behind: neither after a signal nor after a failure. */
static void cancel(const struct wait *w)
{
	struct cs_err err = { "" };

	cs_stop_signals_hold(true);
	if (cs_sweep_array_cancel(w->t->name, CANCEL_S, &err))
		cs_cmd_bad("%s: %s; scancel --name=%s", w->s->cmd, err.text,
			   w->t->name);
	cs_stop_signals_hold(false);
}

int cs_sweep_run(const struct cs_sweep *s, const struct cs_parallel *p,
		 struct cs_sweep_state *ret, int *ret_signal,
		 struct cs_err *err)
{
	struct wait w = { .s = s, .t = ret, .left = s->n };
	struct sigaction was[CS_STOP_SIGNALS];
	ssize_t n =
		readlink("/proc/self/exe", w.program, sizeof(w.program) - 1);
	int rc;

	*ret = (struct cs_sweep_state){ .lock = -1 };
	*ret_signal = 0;
	if (n < 0 || !getcwd(w.here, sizeof(w.here)))
		return failed(n < 0 ? "/proc/self/exe" : ".", err);
	rc = cs_sweep_array_words("--sbatch", s->options, &w.option,
				  &w.n_option, err);
	if (rc)
		return rc;
	w.chunk = (s->n + CS_SWEEP_TASKS - 1) / CS_SWEEP_TASKS;
	w.n_task = (s->n + w.chunk - 1) / w.chunk;
	w.have = calloc(s->n, sizeof(*w.have));
	cs_slurm_command_environment();
	cs_bar_init(&w.bar);
	w.bar.unit = w.unit;
	cs_stop_signals_catch(was);
	w.found = calloc(s->n, sizeof(*w.found));
	rc = w.have && w.found ? begin(&w, err)
			       : cs_err_set(err, -ENOMEM, "no memory");
	if (!rc) {
		rc = do_all(&w, err);
		cs_bar_done(&w.bar);
		if (rc && w.ours)
			cancel(&w);
	}
	if (!rc)
		rc = collect(&w, p, err);
	if (!rc && cs_stop_signals_caught())
		rc = -EINTR;
	if (rc == -EINTR) {
		*ret_signal = cs_stop_signals_caught();
		count_results(&w); /* those of tasks that ended meanwhile */
		cs_err_set(err, rc,
			   "interrupted: %zu of %zu simulations are kept in "
			   "'%.200s', and the same command goes on",
			   s->n - w.left, s->n, ret->folder);
	}
	cs_stop_signals_restore(was);
	free(w.have);
	free(w.found);
	free(w.option);
	return rc;
}

void cs_sweep_done(struct cs_sweep_state *t, int keep)
{
	if (!*t->folder)
		return;
	if (!keep)
		cs_sweep_remove(t->folder);
	if (t->lock >= 0)
		close(t->lock);
	*t = (struct cs_sweep_state){ .lock = -1 };
}
