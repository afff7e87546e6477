/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop of a measurement.
 *
 * Rules.
 *  1. Of a pair, job a is submitted first.  When it runs, job b is submitted to its nodes,
 *     with a limit that ends a minute or more before that of a.  Both ask for
 *     --exclusive=user, so that no other user's job comes to these nodes.  Those of other
 *     attempts are of the same user: an attempt is begun only when all others run, on
 *     nodes that are not theirs.
 *  2. Each job runs its program again and again, and writes a record (record.h).  What of
 *     it counts is decided from the records of all jobs whenever they are read
 *     (evaluate.h): a command that was killed has lost nothing.
 *  3. An attempt ends, and its jobs are cancelled, when the experiment is measured well
 *     enough or has the attempt's share of runs; when one job of a pair has ended; when
 *     the partner does not start in PARTNER_S; when SPOILED runs of it do not count; or
 *     when the budget is spent.
 *  4. An experiment of which FAILURES attempts in a row bring no run that counts is given
 *     up, with its reason.
 *  5. The jobs that a killed command left are cancelled at the beginning; their runs
 *     count, since their records have what is needed.  A job of the measurement's name
 *     that is not in the state is cancelled whenever it is seen.
 *  6. Whatever ends the command cancels its jobs by their name: a signal or an error.
 *     Only a kill -9 leaves jobs, until their time limits.
 */
#include "measure/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/progress_bar.h"
#include "cli/stop_signals.h"
#include "conf/slurm_command.h"
#include "measure/evaluate.h"
#include "measure/folder.h"
#include "measure/jobs.h"
#include "measure/site.h"

#define TICK_MS 1000
#define SILENT_S 1800 /* without an answer of slurmctld: given up */
#define PARTNER_S 120 /* until a partner runs */
#define CANCEL_S 90
#define FAILURES 2
#define SPOILED 3

/* An attempt that is under way. */
struct flight {
	size_t experiment, had, goal;
	uint32_t a, b;	/* jobs; b 0: none, or not yet */
	double begun_s; /* b was submitted */
	bool cancelled;
	char nodes[CS_MEASURE_NODES];
	char why[160]; /* why it ends; "": it has what it needs */
};

struct run {
	const struct cs_measure_ask *ask;
	struct cs_measure_done *done;
	struct cs_measure_state *state;
	struct cs_measure_plan *plan;
	struct cs_measure_folder folder;
	struct cs_measure_options given, script[CS_MEASURE_PROGRAMS];
	struct flight flight[CS_MEASURE_EXPERIMENTS]; /* [n_flight] */
	size_t n_flight;
	uint32_t limit_s; /* of a job, at most */
	int failures[CS_MEASURE_EXPERIMENTS];
	struct cs_measure_evaluation all;
	struct cs_measure_seen *seen; /* [n_seen] */
	size_t n_seen;
	double answered_s;
	char here[CS_MEASURE_PATH];
	struct cs_bar bar;
	char unit[96];
};

static void say(struct run *r, const char *text)
{
	cs_bar_done(&r->bar);
	fprintf(stderr, "cosched: profile run: %s\n", text);
}

/* ---- what Slurm says ---------------------------------------------------------------- */

static const struct cs_measure_seen *seen_of(const struct run *r, uint32_t job)
{
	for (size_t i = 0; i < r->n_seen; i++)
		if (r->seen[i].job == job)
			return &r->seen[i];
	return NULL;
}

/* The last moment at which a run of the partner ended that has been read: if Slurm has the
 * job running after that, it ran then. */
static double partner_end_s(const struct run *r, size_t i)
{
	const struct cs_measure_record *p =
		cs_measure_evaluation_partner(&r->all, i);

	return p && p->n_run ? p->run[p->n_run - 1].end_s : 0;
}

/* slurmctld has forgotten a job: how long may it have taken? */
static double elapsed_at_most(const struct run *r, size_t i)
{
	const struct cs_measure_job *j = &r->state->job[i];
	const struct cs_measure_record *record =
		cs_measure_evaluation_record(&r->all, j->job);

	if (!record || record->start_s <= 0)
		return j->elapsed_s;
	if (record->why)
		return fmax(j->elapsed_s, record->end_s - record->start_s + 1);
	return fmax(j->elapsed_s, j->limit_s);
}

static void note_job(struct run *r, size_t i)
{
	struct cs_measure_job *j = &r->state->job[i];
	const struct cs_measure_seen *s = seen_of(r, j->job);

	if (j->ended)
		return;
	if (!s) {
		j->ended = true;
		j->elapsed_s = elapsed_at_most(r, i);
		return;
	}
	if (s->state != CS_MEASURE_WAITS)
		j->elapsed_s = fmax(j->elapsed_s, s->elapsed_s);
	if (s->state == CS_MEASURE_RUNS)
		j->alive_s = fmax(j->alive_s, partner_end_s(r, i));
	j->ended = s->state == CS_MEASURE_ENDED;
}

/* Ask slurmctld and note what it says.  The records must have been read. */
static int look(struct run *r, struct cs_err *err)
{
	struct cs_measure_seen *seen;
	size_t n;
	int rc = cs_measure_jobs_look(r->folder.name, &seen, &n, err);

	if (rc)
		return rc;
	r->answered_s = cs_cmd_clock_s();
	free(r->seen);
	r->seen = seen;
	r->n_seen = n;
	for (size_t i = 0; i < r->all.n; i++)
		note_job(r, i);
	return 0;
}

/*
 * Cancel the jobs of our name that are not in the state: an sbatch outlived the command
 * that started it, or its time limit.  They would be on the nodes of other attempts.
 */
static void cancel_strays(const struct run *r)
{
	for (size_t i = 0; i < r->n_seen; i++) {
		const struct cs_measure_seen *s = &r->seen[i];
		struct cs_err err = { "" };

		/* If this fails, the next look shows the job again. */
		if (s->state != CS_MEASURE_ENDED &&
		    !cs_measure_state_find(r->state, s->job))
			cs_measure_jobs_cancel(s->job, 0, &err);
	}
}

/* Look in a step of the loop, in which slurmctld may be silent for SILENT_S, and keep
 * what has changed. */
static int follow(struct run *r, struct cs_err *err)
{
	int rc = look(r, err);

	if (rc && rc != -ENOMEM && cs_cmd_clock_s() - r->answered_s <= SILENT_S)
		return 0;
	if (rc)
		return rc;
	cancel_strays(r);
	return cs_measure_folder_save(&r->folder, r->state, err);
}

/* ---- jobs ----------------------------------------------------------------------------- */

/* Node seconds that are neither spent nor may be by jobs under way. */
static double left_node_s(const struct run *r)
{
	double left = r->ask->budget_node_s - cs_measure_state_spent(r->state);

	for (size_t i = 0; i < r->state->n_job; i++) {
		const struct cs_measure_job *j = &r->state->job[i];

		if (j->role == 'a' && !j->ended && j->limit_s > j->elapsed_s)
			left -= (j->limit_s - j->elapsed_s) * j->nodes;
	}
	return left;
}

/* Do all attempts under way run? */
static bool all_run(const struct run *r)
{
	for (size_t i = 0; i < r->n_flight; i++) {
		const struct cs_measure_seen *s = seen_of(r, r->flight[i].a);

		if (!s || s->state == CS_MEASURE_WAITS || !*s->nodes)
			return false;
	}
	return true;
}

/* The nodes of all attempts under way, and those that the user excludes.  false: too many
 * bytes. */
static bool list_others(const struct run *r,
			const struct cs_measure_options *script,
			char list[CS_MEASURE_NODES])
{
	const char *user =
		cs_measure_options_value(&r->given, 'x', "--exclude");
	size_t n = 0;

	if (!user)
		user = cs_measure_options_value(script, 'x', "--exclude");
	if (user)
		n = (size_t)snprintf(list, CS_MEASURE_NODES, "%s", user);
	for (size_t i = 0; i < r->n_flight && n < CS_MEASURE_NODES; i++)
		n += (size_t)snprintf(list + n, CS_MEASURE_NODES - n, "%s%s",
				      n ? "," : "",
				      seen_of(r, r->flight[i].a)->nodes);
	return n < CS_MEASURE_NODES;
}

/* Submit job a, or job b of @f if @limit_s is its partner's. */
static int submit(struct run *r, struct flight *f, uint32_t limit_s,
		  struct cs_err *err)
{
	struct cs_measure_experiment e =
		cs_measure_experiment(r->state->n, f->experiment);
	size_t program = f->a ? e.b : e.a;
	char path[CS_MEASURE_PATH + 32], exclude[CS_MEASURE_NODES] = "";
	struct cs_measure_submit s = {
		.name = r->folder.name,
		.folder = r->folder.path,
		.here = r->here,
		.program = path,
		.script = &r->script[program],
		.given = &r->given,
		.shape = &r->state->shape,
		.kind = e.kind,
		.experiment = f->experiment,
		.limit_s = limit_s,
		.with = f->a,
		.nodes = f->nodes,
		.exclude = exclude,
	};
	struct cs_measure_job job = {
		.experiment = (uint32_t)f->experiment,
		.with = f->a,
		.nodes = cs_measure_nodes(s.shape, e.kind),
		.limit_s = limit_s,
		.role = f->a ? 'b' : 'a',
	};
	int rc;

	snprintf(path, sizeof(path), "%s/program.%zu", r->folder.path, program);
	if (!f->a && !list_others(r, s.script, exclude))
		return cs_err_set(err, -ENAMETOOLONG,
				  "the list of nodes of other experiments is "
				  "too long, expected fewer --at-once");
	cs_stop_signals_hold(true);
	rc = cs_measure_jobs_submit(&s, &job.job, err);
	if (!rc)
		rc = cs_measure_state_add(r->state, &job);
	if (!rc)
		rc = cs_measure_folder_save(&r->folder, r->state, err);
	cs_stop_signals_hold(false);
	if (!rc)
		*(f->a ? &f->b : &f->a) = job.job;
	return rc;
}

static void cancel(struct flight *f, const char *why)
{
	struct cs_err err = { "" };

	if (!*f->why)
		snprintf(f->why, sizeof(f->why), "%s", why);
	/* an error is seen by that they are still there at the next look */
	f->cancelled = !cs_measure_jobs_cancel(f->a, f->b, &err);
}

/* ---- an attempt -------------------------------------------------------------------- */

/* Why job @job ended, as its record, its cores or Slurm says. */
static void reason_of(const struct run *r, uint32_t job, char *buf, size_t size)
{
	const struct cs_measure_record *record =
		cs_measure_evaluation_record(&r->all, job);
	const struct cs_measure_seen *seen = seen_of(r, job);

	for (size_t i = 0; i < r->all.n; i++)
		if (r->state->job[i].job == job &&
		    cs_measure_evaluation_spoiled(&r->all, i, buf, size))
			return;
	if (record && record->why && !strncmp(record->why, "failed ", 7))
		snprintf(buf, size,
			 "the program ended with status %.10s (out.%" PRIu32
			 ")",
			 record->why + 7, job);
	else if (seen && seen->state == CS_MEASURE_ENDED &&
		 !strcmp(seen->word, "TIMEOUT"))
		snprintf(buf, size,
			 "job %" PRIu32 " reached its time limit before a run "
			 "of the program had ended (--limit)",
			 job);
	else if (seen && seen->state == CS_MEASURE_ENDED &&
		 strcmp(seen->word, "COMPLETED") &&
		 strcmp(seen->word, "CANCELLED"))
		snprintf(buf, size, "job %" PRIu32 " is %s (log.%" PRIu32 ")",
			 job, seen->word, job);
	else if (seen && seen->state == CS_MEASURE_ENDED &&
		 !strcmp(seen->word, "CANCELLED") && (!record || !record->why))
		snprintf(buf, size, "job %" PRIu32 " was cancelled", job);
	else
		*buf = '\0';
}

static void attempt_failed(struct run *r, const struct flight *f,
			   const char *why)
{
	size_t i = f->experiment;
	char title[160], text[400];

	cs_measure_state_title(r->state, i, title, sizeof(title));
	snprintf(text, sizeof(text), "%.140s: no run counts: %.160s", title,
		 why);
	say(r, text);
	if (++r->failures[i] < FAILURES)
		return;
	r->plan->given_up[i] = true;
	snprintf(r->done->why[i], sizeof(r->done->why[i]), "%s", why);
}

/* The means of an experiment, and how well its slowdowns are known. */
static void attempt_told(struct run *r, size_t i)
{
	const struct cs_measure_plan *p = r->plan;
	struct cs_measure_experiment e = cs_measure_experiment(p->n, i);
	struct cs_measure_interval v;
	char title[160], text[400];
	int n;

	cs_measure_state_title(r->state, i, title, sizeof(title));
	if (e.kind != CS_MEASURE_PAIR) {
		v = cs_measure_mean_interval(
			p->cell[cs_measure_cell_alone(p->n, e.kind, e.a)]);
		snprintf(text, sizeof(text),
			 "%.140s: %zu runs, %.4g s +- %.2g %%", title,
			 cs_measure_least(p, i), v.value,
			 100 * cs_measure_part(v));
		say(r, text);
		return;
	}
	v = cs_measure_slowdown(p, e.a, e.b, CS_MEASURE_SPREAD);
	n = snprintf(text, sizeof(text),
		     "%.140s: %zu runs, slowdown %.4g +- %.2g", title,
		     cs_measure_least(p, i), v.value, v.half);
	v = cs_measure_slowdown(p, e.b, e.a, CS_MEASURE_SPREAD);
	if (e.a != e.b)
		snprintf(text + n, sizeof(text) - (size_t)n,
			 ", reverse %.4g +- %.2g", v.value, v.half);
	say(r, text);
}

/* All jobs of @f have ended: their records are whole.  0; -ENOMEM. */
static int finish(struct run *r, const struct flight *f)
{
	char why[160] = "";
	int rc = cs_measure_evaluate(&r->all, r->plan);

	if (rc)
		return rc;
	r->plan->busy[f->experiment] = false;
	if (cs_measure_least(r->plan, f->experiment) > f->had) {
		r->failures[f->experiment] = 0;
		attempt_told(r, f->experiment);
		return 0;
	}
	reason_of(r, f->a, why, sizeof(why));
	if (!*why && f->b)
		reason_of(r, f->b, why, sizeof(why));
	if (!*why)
		snprintf(why, sizeof(why), "%s",
			 *f->why ? f->why : "it ended before");
	attempt_failed(r, f, why);
	return 0;
}

/* Job a of a pair runs: submit its partner, whose limit ends before. */
static int begin_partner(struct run *r, struct flight *f,
			 const struct cs_measure_job *a, struct cs_err *err)
{
	const struct cs_measure_seen *s = seen_of(r, f->a);
	double left_s = a->limit_s - (s ? s->elapsed_s : a->elapsed_s) - 1;
	uint32_t limit_s = left_s < 60 ? 0 : (uint32_t)(left_s / 60) * 60;
	int rc;

	if (!s || s->state != CS_MEASURE_RUNS)
		return 0;
	if (!*s->nodes || !limit_s) {
		cancel(f, *s->nodes ? "job a began late"
				    : "its list of nodes is too long");
		return 0;
	}
	snprintf(f->nodes, sizeof(f->nodes), "%s", s->nodes);
	rc = submit(r, f, limit_s, err);
	f->begun_s = cs_cmd_clock_s();
	return rc;
}

static bool reached(const struct run *r, const struct flight *f)
{
	return cs_measure_enough(r->plan, f->experiment) ||
	       cs_measure_least(r->plan, f->experiment) >= f->goal;
}

/* How many runs of job @job began at @from_s or later, and have ended with the look after
 * them. */
static size_t runs_since(const struct run *r, uint32_t job, double from_s)
{
	const struct cs_measure_record *record =
		cs_measure_evaluation_record(&r->all, job);
	size_t n = 0;

	for (size_t i = 0; record && i < record->n_run; i++)
		n += record->run[i].start_s >= from_s &&
		     record->run[i].look < record->n_look;
	return n;
}

/* Have SPOILED runs more ended in the attempt @f, of each job, than count? */
static bool spoiled(const struct run *r, const struct flight *f)
{
	size_t counted = cs_measure_least(r->plan, f->experiment) - f->had;
	size_t n = runs_since(r, f->a, 0);

	if (f->b) {
		const struct cs_measure_record *b =
			cs_measure_evaluation_record(&r->all, f->b);
		size_t of_b = runs_since(r, f->b, 0);

		n = b && b->start_s > 0 ? runs_since(r, f->a, b->start_s) : 0;
		n = of_b < n ? of_b : n;
	}
	return n >= counted + SPOILED;
}

/* Bring @f forward.  1: it has ended; 0; a negative errno with @err. */
static int advance(struct run *r, struct flight *f, struct cs_err *err)
{
	const struct cs_measure_job *a = cs_measure_state_find(r->state, f->a);
	const struct cs_measure_job *b =
		f->b ? cs_measure_state_find(r->state, f->b) : NULL;
	const struct cs_measure_seen *s = f->b ? seen_of(r, f->b) : NULL;
	bool pair = cs_measure_experiment(r->state->n, f->experiment).kind ==
		    CS_MEASURE_PAIR;
	char why[160];

	if (a->ended && (!b || b->ended))
		return finish(r, f) ? cs_err_set(err, -ENOMEM, "no memory") : 1;
	if (f->cancelled)
		return 0;
	if (pair && !b)
		return begin_partner(r, f, a, err);
	if (a->ended || (b && b->ended)) {
		cancel(f, "its partner ended");
	} else if (reached(r, f)) {
		cancel(f, "");
	} else if (spoiled(r, f)) {
		cancel(f, "none lies wholly beside its partner's");
	} else if (cs_measure_state_spent(r->state) >= r->ask->budget_node_s) {
		cancel(f, "the budget is spent");
	} else if (s && s->state == CS_MEASURE_WAITS &&
		   cs_cmd_clock_s() - f->begun_s > PARTNER_S) {
		snprintf(why, sizeof(why),
			 "job %" PRIu32 " did not start beside job %" PRIu32
			 " in %d s (%s)",
			 f->b, f->a, PARTNER_S, s->reason);
		cancel(f, why);
	}
	return 0;
}

/* Begin another attempt, if there is something to do and it is paid for.  1; 0: not; a
 * negative errno with @err. */
static int begin(struct run *r, struct cs_err *err)
{
	size_t i = cs_measure_next(r->plan);
	struct cs_measure_experiment e;
	struct flight *f = &r->flight[r->n_flight];
	uint32_t limit_s;
	int rc;

	if (i == CS_MEASURE_NONE || r->n_flight >= r->ask->at_once ||
	    !all_run(r))
		return 0;
	e = cs_measure_experiment(r->state->n, i);
	limit_s = cs_measure_limit(r->plan, i, r->limit_s, left_node_s(r),
				   cs_measure_nodes(&r->state->shape, e.kind));
	if (!limit_s) {
		r->done->paid = !r->n_flight;
		return 0;
	}
	*f = (struct flight){ .experiment = i,
			      .had = cs_measure_least(r->plan, i),
			      .goal = cs_measure_goal(r->plan, i) };
	rc = submit(r, f, limit_s, err);
	if (rc)
		return rc;
	r->plan->busy[i] = true;
	r->n_flight++;
	return 1;
}

/* ---- the loop ------------------------------------------------------------------------ */

static size_t count_measured(const struct cs_measure_plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < cs_measure_experiments(p->n); i++)
		n += cs_measure_enough(p, i);
	return n;
}

static void draw(struct run *r)
{
	size_t waits = 0, runs = 0;

	for (size_t i = 0; i < r->n_seen; i++) {
		waits += r->seen[i].state == CS_MEASURE_WAITS;
		runs += r->seen[i].state == CS_MEASURE_RUNS;
	}
	snprintf(r->unit, sizeof(r->unit),
		 "measured; jobs: %zu run, %zu wait; %.2f node-hours  ", runs,
		 waits, cs_measure_state_spent(r->state) / 3600);
	cs_bar_draw(&r->bar, count_measured(r->plan), r->done->experiments);
}

static int step(struct run *r, struct cs_err *err)
{
	int rc = cs_measure_evaluate(&r->all, r->plan);

	if (rc)
		return cs_err_set(err, rc, "no memory");
	rc = follow(r, err);
	for (size_t i = 0; rc >= 0 && i < r->n_flight;) {
		rc = advance(r, &r->flight[i], err);
		if (rc == 1)
			r->flight[i] = r->flight[--r->n_flight];
		else
			i++;
	}
	while (rc >= 0 && (rc = begin(r, err)) == 1)
		;
	draw(r);
	return rc < 0 ? rc : 0;
}

/*
 * Cancel all jobs and wait until they have ended.  What the state then says is saved by
 * the caller: jobs end also on a full disk.
 */
static int cancel_all(struct run *r, struct cs_err *err)
{
	double until_s = cs_cmd_clock_s() + CANCEL_S;
	int rc;

	do {
		size_t left = 0;

		rc = cs_measure_jobs_cancel_all(r->folder.name, err);
		if (!rc)
			rc = cs_measure_evaluate(&r->all, r->plan)
				     ? cs_err_set(err, -ENOMEM, "no memory")
				     : look(r, err);
		for (size_t i = 0; i < r->n_seen; i++)
			left += r->seen[i].state != CS_MEASURE_ENDED;
		if (!rc && !left)
			return 0;
		poll(NULL, 0, 500);
	} while (cs_cmd_clock_s() < until_s);
	return rc ? rc
		  : cs_err_set(err, -ETIMEDOUT,
			       "jobs named '%s' are still there, expected "
			       "scancel --name=%s to end them",
			       r->folder.name, r->folder.name);
}

/* Adopt and cancel what an earlier command left.  slurmctld must answer: a job that had
 * been submitted when the command was killed may be in no file of ours. */
static int take_up(struct run *r, struct cs_err *err)
{
	int rc = cs_measure_folder_adopt(&r->folder, r->state);
	bool left = false;

	if (rc || cs_measure_evaluate(&r->all, r->plan))
		return cs_err_set(err, -ENOMEM, "no memory");
	do {
		rc = look(r, err);
		if (rc)
			poll(NULL, 0, TICK_MS);
	} while (rc && rc != -ENOMEM && !cs_stop_signals_caught() &&
		 cs_cmd_clock_s() - r->answered_s <= CANCEL_S);
	if (cs_stop_signals_caught())
		return 0; /* the end of cs_measure_run() cancels all jobs */
	for (size_t i = 0; i < r->n_seen; i++)
		left |= r->seen[i].state != CS_MEASURE_ENDED;
	if (!rc && left)
		rc = cancel_all(r, err);
	return rc ? rc : cs_measure_folder_save(&r->folder, r->state, err);
}

static int measure(struct run *r, struct cs_err *err)
{
	int rc = take_up(r, err);

	while (!rc && !cs_stop_signals_caught()) {
		rc = step(r, err);
		if (!rc && !r->n_flight)
			break;
		poll(NULL, 0, TICK_MS);
	}
	cs_bar_done(&r->bar);
	return rc;
}

/* ---- beginning -------------------------------------------------------------------------- */

static int same_names(const struct cs_measure_state *s, struct cs_err *err)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(s->program[i].name, s->program[k].name))
				return cs_err_set(err, -EINVAL,
						  "two programs are called "
						  "'%s', expected file names "
						  "that differ",
						  s->program[i].name);
	return 0;
}

/* The programs, the partition, the folder. */
static int prepare(struct run *r, struct cs_err *err)
{
	const struct cs_measure_ask *ask = r->ask;
	struct cs_measure_state *s = r->state;
	const char *partition;
	int rc = cs_measure_options_given(&r->given, ask->options, err);

	s->options = strdup(ask->options);
	if (!s->options || cs_measure_evaluation_init(&r->all, &r->folder, s))
		return cs_err_set(err, -ENOMEM, "no memory");
	for (; !rc && s->n < ask->n; s->n++)
		rc = cs_measure_folder_program(ask->script[s->n],
					       &s->program[s->n],
					       &r->script[s->n], err);
	if (!rc)
		rc = same_names(s, err);
	if (rc)
		return rc;
	partition = cs_measure_options_value(&r->given, 'p', "--partition");
	if (!partition)
		partition = cs_measure_options_value(&r->script[0], 'p',
						     "--partition");
	s->shape = ask->shape;
	r->limit_s = ask->limit_s;
	rc = cs_measure_site_ask(partition, &s->shape, &r->limit_s, err);
	return rc ? rc
		  : cs_measure_folder_open(&r->folder, ask->folder, ask->script,
					   s, err);
}

/* The measurement ends with @rc: cancel its jobs and keep what is known of them.
 * Returns @rc, or the first error after it; one line of @err has all of it. */
static int end_jobs(struct run *r, int rc, struct cs_err *err)
{
	struct cs_err first = *err, more = { "" };
	int ended = cancel_all(r, &more);

	if (ended && rc)
		cs_err_set(err, rc,
			   "%.200s; jobs named '%s' may be left, "
			   "expected scancel --name=%s to end them",
			   first.text, r->folder.name, r->folder.name);
	else if (ended)
		cs_err_set(err, ended, "%s", more.text);
	rc = rc ? rc : ended;
	ended = cs_measure_folder_save(&r->folder, r->state, rc ? &more : err);
	return rc ? rc : ended;
}

int cs_measure_run(const struct cs_measure_ask *ask,
		   struct cs_measure_done *ret, struct cs_err *err)
{
	struct run *r = calloc(1, sizeof(*r));
	struct sigaction was[CS_STOP_SIGNALS];
	sighandler_t was_pipe = signal(SIGPIPE, SIG_IGN);
	int rc;

	*ret = (struct cs_measure_done){
		.plan = { .n = ask->n, .part = ask->part },
		.experiments = cs_measure_experiments(ask->n),
	};
	if (!r || !getcwd(r->here, sizeof(r->here))) {
		free(r);
		signal(SIGPIPE, was_pipe);
		return cs_err_set(err, -ENOMEM, "no memory, or no folder here");
	}
	r->ask = ask;
	r->done = ret;
	r->state = &ret->state;
	r->plan = &ret->plan;
	r->folder.lock = -1;
	r->answered_s = cs_cmd_clock_s();
	cs_slurm_command_environment();
	cs_bar_init(&r->bar);
	r->bar.unit = r->unit;
	cs_stop_signals_catch(was);
	rc = prepare(r, err);
	if (!rc) {
		rc = measure(r, err);
		ret->signal = cs_stop_signals_caught();
		cs_stop_signals_hold(true);
		if (r->n_flight || rc || ret->signal)
			rc = end_jobs(r, rc, err);
		cs_stop_signals_hold(false);
	}
	ret->measured = count_measured(&ret->plan);
	cs_stop_signals_restore(was);
	signal(SIGPIPE, was_pipe);
	cs_measure_folder_close(&r->folder);
	cs_measure_evaluation_done(&r->all);
	for (size_t i = 0; i < ask->n; i++)
		cs_measure_options_done(&r->script[i]);
	cs_measure_options_done(&r->given);
	free(r->seen);
	free(r);
	if (rc)
		cs_measure_run_done(ret);
	return rc;
}

void cs_measure_run_done(struct cs_measure_done *d)
{
	cs_measure_state_done(&d->state);
}
