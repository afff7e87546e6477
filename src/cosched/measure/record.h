/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job of a measurement wrote: one file a job, a line an event, by the clock of
 * its first node.
 *
 *	job JOB EXPERIMENT ROLE WITH NODES LIMIT
 *				ROLE a or b; WITH: of b, the job that it runs beside
 *	cores Nodes=n[1-2] CPU_IDs=0,2 ...	as scontrol shows them
 *	allowed 0,2		processors that its processes may use
 *	start S			the first run begins
 *	look S JOB:STATE ...	all jobs that slurmctld knows on its nodes; "?": no answer
 *	run START END STATUS	one run of the program, after the look of its beginning;
 *				"suspended" follows if the job was suspended during it
 *	end S WHY		no more runs: stopped, time, or failed
 *
 * A line that is not whole is not there yet.  A second "job" is that of a job that was
 * requeued: what is before it does not count.
 */
#ifndef CS_COSCHED_MEASURE_RECORD_H
#define CS_COSCHED_MEASURE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The nodes that a measurement is made on, and what a job takes of them. */
struct cs_measure_shape {
	uint32_t sockets, cores, threads; /* cores a socket, threads a core */
	uint32_t per_task;		  /* cores of a process */
	uint32_t nodes;			  /* full ones; spread: twice as many */
	uint64_t memory_mb;		  /* of a node */
	bool unconstrained; /* processes are not bound to their cores */
};

struct cs_measure_run {
	double start_s, end_s;
	int status;
	bool suspended; /* part of its time */
	size_t look;	/* number of the look of its beginning + 1; 0: none */
};

struct cs_measure_look {
	double at_s;
	const char *jobs;
};

struct cs_measure_record {
	char *text; /* what the strings are in */
	uint32_t job, experiment, with, nodes, limit_s;
	char role;		     /* 'a', 'b'; 0: no first line */
	const char *cores, *allowed; /* NULL: not written */
	double start_s, end_s;	     /* 0: not yet */
	const char *why;	     /* of the end; NULL: not yet */
	struct cs_measure_run *run;  /* [n_run] */
	size_t n_run;
	struct cs_measure_look *look; /* [n_look] */
	size_t n_look;
};

/* Read @text, which is taken, also on error.  0; -ENOMEM. */
int cs_measure_record_read(struct cs_measure_record *ret, char *text);
void cs_measure_record_done(struct cs_measure_record *r);

/*
 * Has the job what it should have: on each node @per_socket cores of each socket, and its
 * processes may use these only?  NULL: yes; else, in @buf, what it has: "processors 0-1 of
 * n1, expected 1 of each socket".
 */
const char *cs_measure_record_cores(const struct cs_measure_record *r,
				    const struct cs_measure_shape *shape,
				    uint32_t per_socket, char *buf,
				    size_t size);

/*
 * Until when @r's program certainly ran again and again: the end of its last run, the
 * moment at which it was stopped, or @alive_s, a moment at which Slurm had it running
 * (0: none), whatever is latest; but not after the start of a run that failed.  0: not
 * at all.
 */
double cs_measure_record_until(const struct cs_measure_record *r,
			       double alive_s);

/*
 * The times of @a's runs that count, into @ret [at most @max]: those that succeeded and
 * were not suspended, with no job on the nodes at their beginning and at the next look but
 * @a and @with, that ended in between; and, if @with is not NULL, wholly between its start
 * and @until_s, and at no time beside a run of it that was suspended.  Returns
 * their number; *ret_third, which may be NULL: a job that spoiled a run (0: none).
 */
size_t cs_measure_record_times(const struct cs_measure_record *a,
			       const struct cs_measure_record *with,
			       double until_s, double *ret, size_t max,
			       uint32_t *ret_third);

#endif
