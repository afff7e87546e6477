/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many runs as the tasks of one job array on the site's own Slurm, with the results in a
 * folder that all nodes share (sweep_files.h).
 *
 * The command copies its input and its work list into the folder, submits the array, and
 * waits; each task is the same command, which reads the list, does its runs (numbers that
 * follow one another) several at a time, and writes each result.  A task that ended
 * without one of its results is submitted once again.  A folder that was left, by an
 * interrupt or a failure, is taken up by the next command with the same input: what is
 * there is not done again, and tasks that still run are waited for.
 */
#ifndef CS_COSCHED_SWEEP_SWEEP_H
#define CS_COSCHED_SWEEP_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "sim/parallel.h"

#define CS_SWEEP_TASKS 250 /* of an array, at most; MaxArraySize is 1,001 */
#define CS_SWEEP_PATH 4097 /* bytes of a path */

struct cs_sweep {
	const char *cmd;     /* the command that a task runs, "compare" */
	const char *options; /* for sbatch, as the user wrote them; "": none */
	const char *where;   /* the folder to make the sweep's in */
	size_t n;	     /* runs, 1 or more */
	/* What a task needs to know, in any form: strings. */
	const char *const *word; /* [n_word] */
	size_t n_word;
	char *const *input; /* [n_input] files that are copied, as "input.N" */
	size_t n_input;
	/* Files that tasks read at their own places; NULL, as the others: left out. */
	const char *const *also; /* [n_also] */
	size_t n_also;
};

/* A sweep that has been begun. */
struct cs_sweep_state {
	char folder[CS_SWEEP_PATH]; /* "": none */
	char name[40];		    /* of the array */
	uint64_t sum;		    /* of the input and the command's build */
	int lock;		    /* descriptor */
};

/*
 * Do all runs of @s in an array, and pass each result in order of the runs to @p's
 * take(); other members of @p are not used.  Progress is drawn on a terminal.  0: the
 * caller reads what it wants and calls cs_sweep_done(); a negative errno with @err, and
 * what was done stays in the folder; -EINTR: a signal came, *ret_signal.  The array is
 * cancelled then, and no task of it is left.
 */
int cs_sweep_run(const struct cs_sweep *s, const struct cs_parallel *p,
		 struct cs_sweep_state *ret, int *ret_signal,
		 struct cs_err *err);

/* The answer has been written: remove the folder.  @keep: only let it go. */
void cs_sweep_done(struct cs_sweep_state *t, int keep);

/* ---- in a task ------------------------------------------------------------ */

struct cs_sweep_task {
	char *text; /* all strings */
	const char *folder;
	uint64_t sum;
	size_t from, to; /* its runs */
	char **all;	 /* the strings, of them ... */
	char **word;	 /* ... those of struct cs_sweep, [n_word] */
	size_t n_word;
};

/* The work of this process, a task of the array.  0; a negative errno with @err. */
int cs_sweep_task_read(const char *folder, struct cs_sweep_task *ret,
		       struct cs_err *err);

/* Do its runs with begin() and work() of @p, whose other members are not used, and write
 * their results.  As cs_parallel(). */
int cs_sweep_task_run(const struct cs_sweep_task *t,
		      const struct cs_parallel *p, struct cs_err *err);

void cs_sweep_task_done(struct cs_sweep_task *t);

#endif
