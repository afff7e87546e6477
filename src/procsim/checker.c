/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules of an event file:
 *
 *  1. Time does not go back.
 *  2. A CPU has one process at a time, and a process one CPU: its own node's.
 *  3. A process starts once, at most mpl are on a node, none of the same job twice.
 *  4. A process sends and reads only while it has a CPU.
 *  5. A message arrives at least one latency after it was sent, and is read after it has
 *     arrived; of two processes no more are read than arrived, and no more arrive than
 *     were sent.
 *  6. A level is below 60, and a quantum is at most that of its level.
 *  7. A process uses no more of its quantum than the time it had the CPU, and never more
 *     than all; another level on the CPU adds nothing to it; it leaves for the quantum's
 *     sake only when that is used up.  One that was
 *     preempted, and has the same level again, has no new quantum, unless it waited for
 *     as long as starvation takes.
 *  8. Nothing is lost: at the end, unless the run was capped, every job that arrived has
 *     run all its processes to their end, and no message is unread.
 *  9. A process leaves the CPU before it ends, and a job ends with its last process.
 */
#include "procsim/checker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "procsim/ts.h"

#define MOST_ID 20000000 /* processes and jobs of a file */
#define MOST_NODES 1024
#define MOST_MPL 64
#define MOST_IN_FLIGHT 64 /* messages of one process to another */

/* Messages from one process to another. */
struct line {
	uint32_t from;
	uint32_t n_sent, n_arrived; /* in flight; unread */
	int64_t sent_ns[MOST_IN_FLIGHT];
};

struct process {
	bool known, running, ended;
	char why; /* it left the CPU */
	uint8_t level;
	int64_t quantum, at_ns; /* at the last R or O */
	uint32_t job, node;
	struct line *line;
	uint32_t n_line, cap;
};

struct job {
	bool known, ended;
	uint32_t size, n_started, n_ended;
};

struct file {
	struct cs_err *err;
	uint64_t n_line;
	int64_t now_ns, latency_ns, starvation_ns;
	uint32_t n_node, mpl;
	bool capped;
	uint32_t *on;	/* [n_node]: 1 + the process that runs */
	uint32_t *held; /* [n_node][mpl]: 1 + a process of the node */
	struct process *process;
	struct job *job;
	uint32_t n_process, cap_process, n_job, cap_job;
};

static int broken(const struct file *f, const char *rule)
{
	return cs_err_set(f->err, -EPROTO, "line %" PRIu64 ": %s", f->n_line,
			  rule);
}

#define RULE(f, good, text)                         \
	do {                                        \
		if (!(good))                        \
			return broken((f), (text)); \
	} while (0)

static int no_memory(const struct file *f)
{
	return cs_err_set(f->err, -ENOMEM, "no memory for the check");
}

/* Room for number @id in an array of zeroed members. */
static int room(void *array, uint32_t *n, uint32_t *cap, uint32_t id,
		size_t size)
{
	char *p;
	int rc = cs_array_room_u32(array, cap, (size_t)id + 1, size);

	if (rc || id < *n)
		return rc;
	memcpy(&p, array, sizeof(p));
	memset(p + *n * size, 0, (id + 1 - *n) * size);
	*n = id + 1;
	return 0;
}

/* The process @id, if it has started and not ended. */
static struct process *alive(const struct file *f, int64_t id)
{
	struct process *p =
		id >= 0 && id < f->n_process ? &f->process[id] : NULL;

	return p && p->known && !p->ended ? p : NULL;
}

static struct line *line_of(struct process *to, int64_t from)
{
	for (uint32_t i = 0; i < to->n_line; i++)
		if (to->line[i].from == from)
			return &to->line[i];
	if (cs_array_room(&to->line, &to->cap, (size_t)to->n_line + 1))
		return NULL;
	to->line[to->n_line] = (struct line){ .from = (uint32_t)from };
	return &to->line[to->n_line++];
}

static int head(struct file *f, const int64_t *v)
{
	RULE(f, f->n_line == 1, "a second head");
	RULE(f,
	     v[0] > 0 && v[0] <= MOST_NODES && v[1] > 0 && v[1] <= MOST_MPL &&
		     v[2] >= 0,
	     "a head out of range");
	f->n_node = (uint32_t)v[0];
	f->mpl = (uint32_t)v[1];
	f->latency_ns = v[2];
	f->starvation_ns = v[3];
	f->on = calloc(f->n_node, sizeof(*f->on));
	f->held = calloc((size_t)f->n_node * f->mpl, sizeof(*f->held));
	return f->on && f->held ? 0 : no_memory(f);
}

static int arrives(struct file *f, const int64_t *v)
{
	RULE(f, v[1] >= 0 && v[1] < MOST_ID && v[2] > 0, "a job out of range");
	if (room(&f->job, &f->n_job, &f->cap_job, (uint32_t)v[1],
		 sizeof(*f->job)))
		return no_memory(f);
	RULE(f, !f->job[v[1]].known, "the job has arrived before");
	f->job[v[1]] = (struct job){ .known = true, .size = (uint32_t)v[2] };
	return 0;
}

/* The place of process @id - 1, or with 0 a free one, on node @node; NULL: there is
 * none. */
static uint32_t *place_of(const struct file *f, uint32_t node, uint32_t id)
{
	uint32_t *held = f->held + (size_t)node * f->mpl;

	for (uint32_t i = 0; i < f->mpl; i++)
		if (held[i] == id)
			return &held[i];
	return NULL;
}

/* Is a process of job @job on node @node? */
static bool is_there(const struct file *f, uint32_t node, int64_t job)
{
	const uint32_t *held = f->held + (size_t)node * f->mpl;

	for (uint32_t i = 0; i < f->mpl; i++)
		if (held[i] && f->process[held[i] - 1].job == job)
			return true;
	return false;
}

/* Rule 3. */
static int starts(struct file *f, const int64_t *v)
{
	struct job *j = v[2] >= 0 && v[2] < f->n_job ? &f->job[v[2]] : NULL;
	uint32_t *place;

	RULE(f, v[1] >= 0 && v[1] < MOST_ID && v[4] >= 0 && v[4] < f->n_node,
	     "a process or node out of range");
	RULE(f, j && j->known && !j->ended, "no such job");
	if (room(&f->process, &f->n_process, &f->cap_process, (uint32_t)v[1],
		 sizeof(*f->process)))
		return no_memory(f);
	RULE(f, !f->process[v[1]].known, "the process has started before");
	RULE(f, !is_there(f, (uint32_t)v[4], v[2]),
	     "two processes of a job on a node");
	place = place_of(f, (uint32_t)v[4], 0);
	RULE(f, place, "more than mpl processes");
	*place = (uint32_t)v[1] + 1;
	RULE(f, ++j->n_started <= j->size, "more processes than the job has");
	f->process[v[1]] = (struct process){ .known = true,
					     .job = (uint32_t)v[2],
					     .node = (uint32_t)v[4] };
	return 0;
}

/* Rules 2, 6 and 7. */
static int runs(struct file *f, const int64_t *v)
{
	struct process *p = alive(f, v[1]);

	RULE(f, p && v[2] == p->node, "no such process on the node");
	RULE(f, !f->on[v[2]], "the CPU has another process");
	RULE(f, v[3] >= 0 && v[3] < CS_TS_LEVELS, "no such level");
	RULE(f,
	     v[4] == -1 ||
		     (v[4] > 0 && v[4] <= cs_ts_row((unsigned)v[3]).quantum_ns),
	     "no such quantum at this level");
	RULE(f,
	     p->why != 'p' || p->level != v[3] || v[4] <= p->quantum ||
		     v[0] - p->at_ns >= f->starvation_ns,
	     "a new quantum after a preemption");
	f->on[v[2]] = (uint32_t)v[1] + 1;
	p->running = true;
	p->level = (uint8_t)v[3];
	p->quantum = v[4];
	p->at_ns = v[0];
	return 0;
}

/* Rules 2 and 7; @why for the reason. */
static int leaves(struct file *f, const int64_t *v, char why)
{
	struct process *p = alive(f, v[1]);

	RULE(f, p && p->running && v[2] == p->node, "it has no CPU there");
	RULE(f, strchr("bepq", why), "no such reason");
	RULE(f, (p->quantum == -1) == (v[3] == -1), "a quantum from nowhere");
	RULE(f, v[3] >= -1 && v[3] <= p->quantum, "more than the quantum");
	RULE(f, p->quantum - v[3] <= v[0] - p->at_ns,
	     "it used more than it had");
	RULE(f, why != 'q' || v[3] == 0, "the quantum is not used up");
	f->on[v[2]] = 0;
	p->running = false;
	p->why = why;
	p->quantum = v[3];
	p->at_ns = v[0];
	return 0;
}

/* Rules 6 and 7. */
static int changes(struct file *f, const int64_t *v)
{
	struct process *p = alive(f, v[1]);

	RULE(f, p && p->running, "it has no CPU");
	RULE(f, v[2] >= 0 && v[2] < CS_TS_LEVELS, "no such level");
	RULE(f,
	     v[3] >= -1 && v[3] <= p->quantum &&
		     v[3] <= cs_ts_row((unsigned)v[2]).quantum_ns,
	     "a new quantum with another level");
	p->level = (uint8_t)v[2];
	p->quantum = v[3];
	p->at_ns = v[0];
	return 0;
}

/* Rules 4 and 5. */
static int sends(struct file *f, const int64_t *v)
{
	struct process *p = alive(f, v[1]), *to = alive(f, v[2]);
	struct line *l;

	RULE(f, p && p->running, "the sender does not run");
	RULE(f, to && to->job == p->job && to != p, "to nobody of the job");
	l = line_of(to, v[1]);
	if (!l)
		return no_memory(f);
	RULE(f, l->n_sent < MOST_IN_FLIGHT, "too many messages in flight");
	l->sent_ns[l->n_sent++] = v[0];
	return 0;
}

static int comes(struct file *f, const int64_t *v)
{
	struct process *to = alive(f, v[1]);
	struct line *l = to ? line_of(to, v[2]) : NULL;

	RULE(f, l && l->n_sent, "it was not sent");
	RULE(f, v[0] - l->sent_ns[0] >= f->latency_ns,
	     "it arrives before the latency");
	memmove(l->sent_ns, l->sent_ns + 1, --l->n_sent * sizeof(*l->sent_ns));
	l->n_arrived++;
	return 0;
}

static int reads(struct file *f, const int64_t *v)
{
	struct process *p = alive(f, v[1]);
	struct line *l = p ? line_of(p, v[2]) : NULL;

	RULE(f, p && p->running, "the reader does not run");
	RULE(f, l && l->n_arrived, "it has not arrived");
	l->n_arrived--;
	return 0;
}

/* Rules 8 and 9. */
static int ends(struct file *f, const int64_t *v)
{
	struct process *p = alive(f, v[1]);

	RULE(f, p && !p->running && p->why == 'e', "it has not left the CPU");
	for (uint32_t i = 0; i < p->n_line; i++)
		RULE(f, !p->line[i].n_sent && !p->line[i].n_arrived,
		     "a message to it was not read");
	p->ended = true;
	*place_of(f, p->node, (uint32_t)v[1] + 1) = 0;
	f->job[p->job].n_ended++;
	return 0;
}

static int finishes(struct file *f, const int64_t *v)
{
	struct job *j = v[1] >= 0 && v[1] < f->n_job ? &f->job[v[1]] : NULL;

	RULE(f, j && j->known && !j->ended, "no such job");
	RULE(f, j->n_ended == j->size, "processes of it have not ended");
	j->ended = true;
	return 0;
}

static int apply(struct file *f, char kind, const int64_t *v, char why)
{
	switch (kind) {
	case 'H':
		return head(f, v);
	case 'J':
		return arrives(f, v);
	case 'P':
		return starts(f, v);
	case 'R':
		return runs(f, v);
	case 'O':
		return leaves(f, v, why);
	case 'L':
		return changes(f, v);
	case 'S':
		return sends(f, v);
	case 'A':
		return comes(f, v);
	case 'G':
		return reads(f, v);
	case 'E':
		return ends(f, v);
	case 'F':
		return finishes(f, v);
	default:
		f->capped = true;
		return 0;
	}
}

/* Parse @text: a letter, numbers, and of O a letter among them. */
static int take(struct file *f, const char *text)
{
	static const char kinds[] = "HJPRLSAGEFCO";
	static const int count[] = { 4, 3, 5, 5, 4, 3, 3, 3, 2, 2, 1, 4 };
	const char *at = *text ? strchr(kinds, *text) : NULL;
	char why = 0, *end;
	int64_t v[5] = { 0 };

	RULE(f, at, "no such event");
	RULE(f, f->n_line > 1 || *text == 'H', "no head");
	RULE(f, !f->capped, "an event after the cap");
	text++;
	for (int i = 0; i < count[at - kinds]; i++) {
		if (*at == 'O' && i == 3) {
			RULE(f, text[0] == ' ' && text[1], "no reason");
			why = text[1];
			text += 2;
		}
		errno = 0;
		v[i] = strtoll(text, &end, 10);
		RULE(f, *text == ' ' && end != text && !errno, "no number");
		text = end;
	}
	RULE(f, !strcmp(text, "\n"), "more than an event");
	if (*at != 'H') {
		RULE(f, v[0] >= f->now_ns, "time goes back");
		f->now_ns = v[0];
	}
	return apply(f, *at, v, why);
}

/* Rule 8. */
static int finish(const struct file *f)
{
	RULE(f, f->n_line, "no head");
	for (uint32_t i = 0; !f->capped && i < f->n_job; i++)
		RULE(f, !f->job[i].known || f->job[i].ended,
		     "the end, and a job has not ended");
	return 0;
}

int cs_checker_run(FILE *file, uint64_t *ret_lines, struct cs_err *err)
{
	struct file f = { .err = err };
	char text[256];
	int rc = 0;

	while (!rc && fgets(text, sizeof(text), file)) {
		f.n_line++;
		rc = take(&f, text);
	}
	if (!rc && ferror(file))
		rc = cs_err_set(err, -EIO, "cannot be read");
	if (!rc)
		rc = finish(&f);
	for (uint32_t i = 0; i < f.n_process; i++)
		free(f.process[i].line);
	free(f.process);
	free(f.job);
	free(f.on);
	free(f.held);
	*ret_lines = f.n_line;
	return rc;
}
