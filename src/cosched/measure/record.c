/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOCKETS_MAX 64

/* ---- reading --------------------------------------------------------------- */

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* What follows @word and a blank in @line; NULL: another line. */
static char *after(char *line, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(line, word, n) && line[n] == ' ' ? line + n + 1 : NULL;
}

static void read_head(struct cs_measure_record *r, const char *rest)
{
	char role;

	if (sscanf(rest,
		   "%" SCNu32 " %" SCNu32 " %c %" SCNu32 " %" SCNu32
		   " %" SCNu32,
		   &r->job, &r->experiment, &role, &r->with, &r->nodes,
		   &r->limit_s) == 6 &&
	    (role == 'a' || role == 'b'))
		r->role = role;
	/* it was requeued, maybe to other nodes: what it did before is void */
	r->n_run = r->n_look = 0;
}

static void read_run(struct cs_measure_record *r, const char *rest)
{
	struct cs_measure_run run = { .look = r->n_look };
	int n = 0;

	if (sscanf(rest, "%lf %lf %d%n", &run.start_s, &run.end_s, &run.status,
		   &n) != 3 ||
	    run.end_s < run.start_s)
		return;
	run.suspended = strstr(rest + n, "suspended");
	r->run[r->n_run++] = run;
}

static void read_look(struct cs_measure_record *r, char *rest)
{
	char *end;
	double at_s = strtod(rest, &end);

	if (end != rest)
		r->look[r->n_look++] =
			(struct cs_measure_look){ at_s,
						  end + strspn(end, " ") };
}

static void read_line(struct cs_measure_record *r, char *line)
{
	char *rest;

	if ((rest = after(line, "job"))) {
		read_head(r, rest);
	} else if ((rest = after(line, "cores"))) {
		r->cores = rest;
	} else if ((rest = after(line, "allowed"))) {
		r->allowed = rest;
	} else if ((rest = after(line, "start"))) {
		r->start_s = strtod(rest, NULL);
	} else if ((rest = after(line, "run"))) {
		read_run(r, rest);
	} else if ((rest = after(line, "look"))) {
		read_look(r, rest);
	} else if ((rest = after(line, "end"))) {
		r->end_s = strtod(rest, &rest);
		r->why = rest + strspn(rest, " ");
	}
}

int cs_measure_record_read(struct cs_measure_record *ret, char *text)
{
	struct cs_measure_record r = { .text = text };
	size_t lines = count_lines(text);
	char *end;

	r.run = calloc(lines, sizeof(*r.run));
	r.look = calloc(lines, sizeof(*r.look));
	if (!r.run || !r.look) {
		cs_measure_record_done(&r);
		return -ENOMEM;
	}
	for (char *line = text; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		read_line(&r, line);
	}
	*ret = r;
	return 0;
}

void cs_measure_record_done(struct cs_measure_record *r)
{
	free(r->text);
	free(r->run);
	free(r->look);
	*r = (struct cs_measure_record){ .text = NULL };
}

/* ---- cores ----------------------------------------------------------------- */

/* Call @each for the numbers of a list such as "0-3,8", which ends at a blank. */
static void each_number(const char *list,
			void (*each)(void *arg, uint64_t number), void *arg)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		uint64_t low = strtoull(list, &end, 10), high = low;

		if (*end == '-')
			high = strtoull(end + 1, &end, 10);
		for (; low <= high && low < 65536; low++)
			each(arg, low);
		list = *end == ',' ? end + 1 : end;
	}
}

struct per_socket {
	uint64_t of_socket; /* processors */
	uint32_t count[SOCKETS_MAX];
	uint32_t outside;
};

static void add_processor(void *arg, uint64_t number)
{
	struct per_socket *p = arg;
	uint64_t socket = number / p->of_socket;

	if (socket < SOCKETS_MAX)
		p->count[socket]++;
	else
		p->outside++;
}

static void add_one(void *arg, uint64_t number)
{
	uint64_t *n = arg;

	(void)number;
	++*n;
}

/* One "Nodes=LIST CPU_IDs=SET"; @list and @set end at a blank. */
static bool even(const char *list, const char *set,
		 const struct cs_measure_shape *shape, uint32_t want, char *buf,
		 size_t size)
{
	struct per_socket p = { .of_socket = (uint64_t)shape->cores *
					     shape->threads };

	each_number(set, add_processor, &p);
	for (uint32_t s = 0; s < SOCKETS_MAX; s++)
		if (p.count[s] != (s < shape->sockets ? want : 0) ||
		    p.outside) {
			snprintf(buf, size,
				 "processors %.*s of %.*s, expected %" PRIu32
				 " of each socket",
				 (int)strcspn(set, " "), set,
				 (int)strcspn(list, " "), list, want);
			return false;
		}
	return true;
}

const char *cs_measure_record_cores(const struct cs_measure_record *r,
				    const struct cs_measure_shape *shape,
				    uint32_t per_socket, char *buf, size_t size)
{
	static const char nodes[] = "Nodes=", ids[] = "CPU_IDs=";
	uint32_t want = per_socket * shape->threads;
	const char *at = r->cores ? strstr(r->cores, nodes) : NULL;
	uint64_t allowed = 0;

	if (!at) {
		snprintf(buf, size, "no processors by scontrol, expected some");
		return buf;
	}
	for (; at; at = strstr(at + 1, nodes)) {
		const char *set = strstr(at, ids);

		if (!set || !even(at + strlen(nodes), set + strlen(ids), shape,
				  want, buf, size))
			return set ? buf : "no processors, expected some";
	}
	each_number(r->allowed ? r->allowed : "", add_one, &allowed);
	if (shape->unconstrained || allowed == (uint64_t)want * shape->sockets)
		return NULL;
	snprintf(buf, size,
		 "processes that may use %" PRIu64
		 " processors of its first node, expected the %" PRIu64
		 " that it was given",
		 allowed, (uint64_t)want * shape->sockets);
	return buf;
}

/* ---- what counts ------------------------------------------------------------- */

double cs_measure_record_until(const struct cs_measure_record *r,
			       double alive_s)
{
	double until_s = alive_s;

	if (r->start_s <= 0)
		return 0;
	if (r->why && !strncmp(r->why, "stopped", 7) && r->end_s > until_s)
		until_s = r->end_s;
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].end_s > until_s)
			until_s = r->run[i].end_s;
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].status && r->run[i].start_s < until_s)
			until_s = r->run[i].start_s;
	return until_s;
}

/* The next "JOB:STATE" of a look.  false: no more. */
static bool next_job(const char **at, uint32_t *ret_job, const char **ret_state)
{
	char *end;

	*at += strspn(*at, " ");
	*ret_job = (uint32_t)strtoul(*at, &end, 10);
	if (end == *at || *end != ':')
		return false;
	*ret_state = end + 1;
	*at = end + strcspn(end, " ");
	return true;
}

/* May a job in this state have processes? */
static bool active(const char *state)
{
	static const char *const ended[] = {
		"COMPLETED", "CANCELLED",     "FAILED",	       "TIMEOUT",
		"NODE_FAIL", "PREEMPTED",     "BOOT_FAIL",     "DEADLINE",
		"REVOKED",   "LAUNCH_FAILED", "OUT_OF_MEMORY", "PENDING",
	};
	size_t n = strcspn(state, " ");

	for (size_t i = 0; i < sizeof(ended) / sizeof(ended[0]); i++)
		if (strlen(ended[i]) == n && !strncmp(state, ended[i], n))
			return false;
	return true;
}

static bool has_job(const char *jobs, uint32_t job)
{
	const char *state;
	uint32_t other;

	while (next_job(&jobs, &other, &state))
		if (other == job)
			return true;
	return false;
}

/* A job of @now that is neither @a nor @b and has processes, or that has come since
 * @before (NULL: none is compared); @a or @b if it is suspended.  0: none; UINT32_MAX:
 * nobody knows. */
static uint32_t third(const char *now, const char *before, uint32_t a,
		      uint32_t b)
{
	const char *at = now, *state;
	uint32_t job;

	if (*now == '?' || (before && *before == '?'))
		return UINT32_MAX;
	while (next_job(&at, &job, &state))
		if (job != a && job != b
			    ? active(state) || (before && !has_job(before, job))
			    : !strncmp(state, "SUSPENDED", 9))
			return job;
	return 0;
}

/* Who spoiled run @i of @r; 0: nobody. */
static uint32_t spoiled(const struct cs_measure_record *r, size_t i,
			uint32_t with)
{
	size_t look = r->run[i].look;
	uint32_t who;

	if (!look || look >= r->n_look)
		return UINT32_MAX;
	who = third(r->look[look - 1].jobs, NULL, r->job, with);
	return who ? who
		   : third(r->look[look].jobs, r->look[look - 1].jobs, r->job,
			   with);
}

/* Was a run of @with suspended that has a part of @run's time? */
static bool beside_suspended(const struct cs_measure_run *run,
			     const struct cs_measure_record *with)
{
	for (size_t i = 0; with && i < with->n_run; i++)
		if (with->run[i].suspended &&
		    with->run[i].start_s < run->end_s &&
		    with->run[i].end_s > run->start_s)
			return true;
	return false;
}

size_t cs_measure_record_times(const struct cs_measure_record *a,
			       const struct cs_measure_record *with,
			       double until_s, double *ret, size_t max,
			       uint32_t *ret_third)
{
	size_t n = 0;

	if (ret_third)
		*ret_third = 0;
	for (size_t i = 0; i < a->n_run && n < max; i++) {
		const struct cs_measure_run *run = &a->run[i];
		uint32_t who;

		if (run->suspended || beside_suspended(run, with))
			continue;
		if (run->status || (with && (with->start_s <= 0 ||
					     run->start_s < with->start_s ||
					     run->end_s > until_s)))
			continue;
		who = spoiled(a, i, with ? with->job : 0);
		if (who && who != UINT32_MAX && ret_third)
			*ret_third = who;
		if (!who)
			ret[n++] = run->end_s - run->start_s;
	}
	return n;
}
