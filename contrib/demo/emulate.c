/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched-emulate: what the jobs of the demonstration run.
 *
 *	cosched-emulate workload [--jobs N] [--nodes N] [--seed S] [--scale F]
 *				 [--truth FILE [--kinds N]]
 *	cosched-emulate job --run DIR --profiles FILE --profile NAME --seconds T
 *			    [--node SOCKETSxCORES]
 *
 * Problem.  A demonstration on one small host has no real cores to share, but it
 * must show what sharing a node costs, under any scheduler alike.  So a job does
 * no work: one process stands for it and lets as much time pass as the slowdown
 * model says.
 *
 * Rule.  With T the runtime alone, one process a node (--seconds), p the largest
 * number of its processes on one of its nodes, and N(n) the jobs that run on its
 * node n at this moment, a job progresses at the rate
 *
 *	r = 1 / (self(p) * max over its nodes n of beside(N(n)))	(1)
 *
 * and ends when the progress, the sum of r dt, is T.  self and beside are those
 * of slowdown.h, read from a profile file: that which the plugin plans with, or
 * another one, of which it knows nothing (`cosched sim --truth` takes the same).
 *
 * Neighbours find each other in the folder DIR/now: one file per running job,
 * written aside and renamed, holding its profile and its processes on each node.
 * The file is locked as long as its job lives, and the kernel drops the lock of
 * a process that was killed: an entry that can be locked is stale, whoever meets
 * it removes it.  Slurm is asked for nothing in this: neither who schedules nor
 * whether a plugin is loaded makes a difference to the model.
 *
 * At its end a job appends one line of JSON to DIR/jobs.jsonl: its times, its
 * layout, beside whom it ran for how long, and the cores that it held, which it
 * reads from `scontrol -d show job`.
 *
 * Differs from a real job: (1) takes effect at each look, every 50 ms; all
 * processes of a job go at the pace of the slowest node; a job suspended by
 * somebody would go on progressing (nobody suspends in the demonstration).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/profile/profile.h"
#include "common/profile/slowdown.h"

#define LOOK_MS 50	   /* between two looks at the neighbours */
#define ALIVE_EVERY 20	   /* looks between two tests for stale entries */
#define UNKNOWN_PAIR 1.5   /* as the parameter's default */
#define NODE_NAME 64	   /* bytes of a node's name, with its 0 */
#define KINDS_MAX 64	   /* of jobs in a workload */
#define SCONTROL_WAIT_S 10 /* for a slow answer at the end of a job */

static volatile sig_atomic_t stopped; /* SIGTERM, SIGINT: the signal */

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *fmt,
								...)
{
	va_list ap;

	fputs("cosched-emulate: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

static void *need(void *p)
{
	if (!p)
		die("no memory");
	return p;
}

/* --- text that grows ------------------------------------------------------ */

struct text {
	char *s;
	size_t len, size;
};

static void text_room(struct text *t, size_t more)
{
	while (t->size < t->len + more + 1) {
		t->size = t->size ? t->size * 2 : 512;
		t->s = need(realloc(t->s, t->size));
	}
}

__attribute__((format(printf, 2, 3))) static void text_add(struct text *t,
							   const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text_room(t, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(t->s + t->len, t->size - t->len, fmt, ap);
	va_end(ap);
	t->len += (size_t)n;
}

/* --- time ----------------------------------------------------------------- */

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Sleep @s seconds, or until a signal comes. */
static void nap(double s)
{
	poll(NULL, 0, s <= 0 ? 0 : (int)ceil(s * 1000));
}

/* --- a job's nodes -------------------------------------------------------- */

struct place {
	char node[NODE_NAME];
	uint32_t procs;
	uint64_t cores; /* that Slurm gave it there: bit c is core c */
};

struct layout {
	struct place *place; /* [n] */
	size_t n;
};

static struct place *layout_add(struct layout *l, const char *node)
{
	struct place *p;

	if (strlen(node) >= NODE_NAME)
		die("node '%s': a shorter name expected", node);
	l->place = need(realloc(l->place, (l->n + 1) * sizeof(*l->place)));
	p = &l->place[l->n++];
	memset(p, 0, sizeof(*p));
	strcpy(p->node, node);
	return p;
}

static struct place *layout_find(const struct layout *l, const char *node)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->place[i].node, node))
			return &l->place[i];
	return NULL;
}

/*
 * Read a list such as "n[1-3,07],login": calls @each with every name.  One
 * bracket a name, which is all that the demonstration's clusters have.
 */
static void each_node(const char *list, void (*each)(void *arg, const char *),
		      void *arg)
{
	const char *c = list;

	while (*c) {
		size_t prefix = strcspn(c, "[,");
		char name[2 * NODE_NAME];

		if (prefix == 0 || prefix >= NODE_NAME)
			die("node list '%s': names expected", list);
		memcpy(name, c, prefix);
		name[prefix] = '\0';
		c += prefix;
		if (*c != '[') {
			each(arg, name);
		} else {
			do {
				char *end;
				const char *first = ++c;
				unsigned long lo, hi;
				int width;

				lo = strtoul(c, &end, 10);
				width = (int)(end - first);
				hi = *end == '-' ? strtoul(end + 1, &end, 10)
						 : lo;
				if (width == 0 || width > 9 || hi < lo ||
				    hi - lo > 65535 ||
				    (*end != ',' && *end != ']'))
					die("node list '%s': numbers expected "
					    "in brackets",
					    list);
				for (; lo <= hi; lo++) {
					snprintf(name + prefix,
						 sizeof(name) - prefix, "%0*lu",
						 width, lo);
					each(arg, name);
				}
				c = end;
			} while (*c == ',');
			c++;
		}
		if (*c == ',')
			c++;
		else if (*c)
			die("node list '%s': ',' expected before '%s'", list,
			    c);
	}
}

static void add_node(void *arg, const char *node)
{
	layout_add(arg, node);
}

static const char *env(const char *name)
{
	const char *value = getenv(name);

	if (!value || !*value)
		die("%s is not set: this runs inside a Slurm job", name);
	return value;
}

/* SLURM_TASKS_PER_NODE: "4,2(x3)" in the order of SLURM_JOB_NODELIST. */
static void layout_from_env(struct layout *l)
{
	const char *list = env("SLURM_JOB_NODELIST");
	const char *tasks = env("SLURM_TASKS_PER_NODE"), *c = tasks;
	size_t i = 0;

	each_node(list, add_node, l);
	while (*c) {
		char *end;
		unsigned long procs = strtoul(c, &end, 10), times = 1;

		if (!strncmp(end, "(x", 2)) {
			times = strtoul(end + 2, &end, 10);
			if (*end++ != ')')
				break;
		}
		if (procs == 0 || procs > 65535 || times > l->n - i ||
		    (*end && *end != ','))
			break;
		while (times--)
			l->place[i++].procs = (uint32_t)procs;
		c = *end ? end + 1 : end;
	}
	if (*c || i != l->n)
		die("SLURM_TASKS_PER_NODE '%s': one count for each node of '%s' "
		    "expected",
		    tasks, list);
}

/* --- the cores, as Slurm has them ----------------------------------------- */

/*
 * `scontrol -d show job` runs beside the job, so that a slow answer does not
 * disturb the emulation.  Its output fits a pipe.
 */
struct reading {
	int fd;
	pid_t pid;
	struct text out;
	bool done;
};

static void reading_start(struct reading *r, const char *job)
{
	int fd[2];

	memset(r, 0, sizeof(*r));
	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
		die("pipe: %s", strerror(errno));
	r->pid = fork();
	if (r->pid < 0)
		die("fork: %s", strerror(errno));
	if (!r->pid) {
		fcntl(fd[1], F_SETFL, 0);
		if (dup2(fd[1], STDOUT_FILENO) < 0)
			_exit(127);
		execlp("scontrol", "scontrol", "-d", "-o", "show", "job", job,
		       (char *)NULL);
		_exit(127);
	}
	close(fd[1]);
	r->fd = fd[0];
}

static void reading_poll(struct reading *r)
{
	ssize_t n;

	if (r->done)
		return;
	do {
		text_room(&r->out, 4096);
		n = read(r->fd, r->out.s + r->out.len, 4096);
		if (n > 0)
			r->out.len += (size_t)n;
	} while (n > 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	r->out.s[r->out.len] = '\0';
	r->done = true;
	close(r->fd);
	waitpid(r->pid, NULL, 0);
}

/* Wait for the rest of it; true where there is an answer. */
static bool reading_finish(struct reading *r)
{
	double end = now_s(CLOCK_MONOTONIC) + SCONTROL_WAIT_S;

	reading_poll(r);
	while (!r->done && now_s(CLOCK_MONOTONIC) < end) {
		nap(0.02);
		reading_poll(r);
	}
	if (!r->done) {
		kill(r->pid, SIGKILL);
		waitpid(r->pid, NULL, 0);
		return false;
	}
	return r->out.len > 0;
}

struct core_list {
	struct layout *l;
	uint64_t cores;
};

static void give_cores(void *arg, const char *node)
{
	struct core_list *c = arg;
	struct place *p = layout_find(c->l, node);

	if (p)
		p->cores |= c->cores;
}

/* Every " Nodes=LIST CPU_IDs=SET " of the answer. */
static void reading_apply(const struct reading *r, struct layout *l)
{
	const char *c = r->out.s, *word = " CPU_IDs=";

	while ((c = strstr(c, word))) {
		const char *start = c;
		struct core_list give = { .l = l };
		char *list;

		while (start > r->out.s && start[-1] != ' ')
			start--;
		c += strlen(word);
		if (strncmp(start, "Nodes=", 6))
			continue;
		start += 6;
		list = need(strndup(start, (size_t)(c - start) - strlen(word)));
		while (*c >= '0' && *c <= '9') {
			char *end;
			unsigned long lo = strtoul(c, &end, 10), hi = lo;

			if (*end == '-')
				hi = strtoul(end + 1, &end, 10);
			for (; lo <= hi && lo < 64; lo++)
				give.cores |= UINT64_C(1) << lo;
			c = *end == ',' ? end + 1 : end;
		}
		each_node(list, give_cores, &give);
		free(list);
	}
}

/* --- the neighbours ------------------------------------------------------- */

struct other {
	char entry[NODE_NAME]; /* file name in DIR/now */
	int profile;
	struct layout layout;
	bool beside; /* has a node of ours */
	bool seen;   /* in this look */
	double beside_s;
};

struct job {
	const char *id, *name, *run;
	struct cs_slowdown model;
	int profile;
	double alone_s;
	uint32_t sockets, cores; /* of a node; cores in all */
	struct layout layout;
	struct other *other; /* [n_other], gone ones too */
	size_t n_other;
	int now_fd;   /* DIR/now */
	int entry_fd; /* our own entry, locked while we live */
	char entry[NODE_NAME];
	double self; /* slowdown by our own processes */
	double cos;  /* slowdown by the neighbours of the last look */
	uint64_t looks;
};

/* Our line in DIR/now: "PROFILE NODE PROCS NODE PROCS ...\n". */
static void enter(struct job *j)
{
	struct text t = { 0 };
	char aside[NODE_NAME + 8];

	text_add(&t, "%s", j->model.profiles->profile[j->profile].name);
	for (size_t i = 0; i < j->layout.n; i++)
		text_add(&t, " %s %u", j->layout.place[i].node,
			 j->layout.place[i].procs);
	text_add(&t, "\n");
	snprintf(j->entry, sizeof(j->entry), "%s", j->id);
	snprintf(aside, sizeof(aside), ".%s", j->entry);
	j->entry_fd = openat(j->now_fd, aside,
			     O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644);
	if (j->entry_fd < 0 || flock(j->entry_fd, LOCK_EX | LOCK_NB) ||
	    write(j->entry_fd, t.s, t.len) != (ssize_t)t.len ||
	    renameat(j->now_fd, aside, j->now_fd, j->entry))
		die("cannot write '%s/now/%s': %s", j->run, j->entry,
		    strerror(errno));
	free(t.s);
}

static void leave(struct job *j)
{
	unlinkat(j->now_fd, j->entry, 0);
	close(j->entry_fd);
}

/* Whether the job behind an entry is gone; the entry then is, too. */
static bool stale(struct job *j, int fd, const char *entry)
{
	if (flock(fd, LOCK_SH | LOCK_NB))
		return false;
	unlinkat(j->now_fd, entry, 0);
	return true;
}

/* Read an entry; false where it is gone or stale. */
static bool other_read(struct job *j, struct other *o)
{
	int fd = openat(j->now_fd, o->entry, O_RDONLY | O_CLOEXEC);
	char line[16384], *save = NULL, *word;
	ssize_t n;

	if (fd < 0)
		return false;
	n = stale(j, fd, o->entry) ? -1 : read(fd, line, sizeof(line) - 1);
	close(fd);
	if (n <= 0 || line[n - 1] != '\n')
		return false;
	line[n - 1] = '\0';
	word = strtok_r(line, " ", &save);
	o->profile = cs_profiles_find(j->model.profiles, word ? word : "");
	while ((word = strtok_r(NULL, " ", &save))) {
		struct place *p = layout_add(&o->layout, word);

		word = strtok_r(NULL, " ", &save);
		p->procs = word ? (uint32_t)strtoul(word, NULL, 10) : 0;
		if (layout_find(&j->layout, p->node))
			o->beside = true;
	}
	return true;
}

static struct other *other_find(struct job *j, const char *entry)
{
	for (size_t i = 0; i < j->n_other; i++)
		if (!strcmp(j->other[i].entry, entry))
			return &j->other[i];
	return NULL;
}

static bool still_alive(struct job *j, const struct other *o)
{
	int fd = openat(j->now_fd, o->entry, O_RDONLY | O_CLOEXEC);
	bool alive;

	if (fd < 0)
		return false;
	alive = !stale(j, fd, o->entry);
	close(fd);
	return alive;
}

/*
 * Who is there now?  @since_s, the time since the last look, goes to the
 * account of those who were there then.
 */
static void look(struct job *j, double since_s)
{
	bool test = ++j->looks % ALIVE_EVERY == 0;
	const struct dirent *d;
	DIR *dir;
	int fd;

	for (size_t i = 0; i < j->n_other; i++) {
		if (j->other[i].seen && j->other[i].beside)
			j->other[i].beside_s += since_s;
		j->other[i].seen = false;
	}
	fd = openat(j->now_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		die("cannot read '%s/now': %s", j->run, strerror(errno));
	while ((d = readdir(dir))) {
		struct other *o;

		if (d->d_name[0] == '.' || !strcmp(d->d_name, j->entry) ||
		    strlen(d->d_name) >= NODE_NAME)
			continue;
		o = other_find(j, d->d_name);
		if (o) {
			o->seen = !test || !o->beside || still_alive(j, o);
			continue;
		}
		j->other = need(realloc(j->other,
					(j->n_other + 1) * sizeof(*j->other)));
		o = &j->other[j->n_other];
		memset(o, 0, sizeof(*o));
		strcpy(o->entry, d->d_name);
		if (other_read(j, o)) {
			o->seen = true;
			j->n_other++;
		} else {
			free(o->layout.place);
		}
	}
	closedir(dir);
}

/* The second factor of (1). */
static double beside(const struct job *j)
{
	double worst = 1;
	struct cs_who *who = need(malloc((j->n_other + 1) * sizeof(*who)));
	struct cs_who self = { .profile = j->profile };

	for (size_t i = 0; i < j->layout.n; i++) {
		size_t n = 0;
		double s;

		for (size_t k = 0; k < j->n_other; k++)
			if (j->other[k].seen && j->other[k].beside &&
			    layout_find(&j->other[k].layout,
					j->layout.place[i].node))
				who[n++] = (struct cs_who){
					.profile = j->other[k].profile
				};
		s = cs_slowdown_beside(&j->model, self, who, n);
		if (i == 0 || s > worst)
			worst = s;
	}
	free(who);
	return worst;
}

/* --- the record ----------------------------------------------------------- */

static void text_json(struct text *t, const char *s)
{
	text_add(t, "\"");
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			text_add(t, "\\%c", *s);
		else if ((unsigned char)*s < ' ')
			text_add(t, "\\u%04x", (unsigned char)*s);
		else
			text_add(t, "%c", *s);
	text_add(t, "\"");
}

static void record(const struct job *j, double start, double run_s,
		   double done_s, const char *state, bool cores_known)
{
	struct text t = { 0 };
	char *path = NULL;
	const char *sep = "";
	int fd;

	text_add(&t, "{\"job\":%s,\"name\":", j->id);
	text_json(&t, j->name);
	text_add(&t, ",\"profile\":");
	text_json(&t, j->model.profiles->profile[j->profile].name);
	text_add(&t,
		 ",\"alone_s\":%.3f,\"start\":%.3f,\"end\":%.3f,"
		 "\"done_s\":%.3f,\"state\":\"%s\",\"self\":%.4f,\"nodes\":[",
		 j->alone_s, start, start + run_s, done_s, state, j->self);
	for (size_t i = 0; i < j->layout.n; i++) {
		const struct place *p = &j->layout.place[i];

		text_add(&t, "%s{\"node\":", i ? "," : "");
		text_json(&t, p->node);
		text_add(&t, ",\"procs\":%u,\"cores\":", p->procs);
		if (!cores_known) {
			text_add(&t, "null}");
			continue;
		}
		text_add(&t, "[");
		sep = "";
		for (unsigned c = 0; c < 64; c++)
			if (p->cores >> c & 1) {
				text_add(&t, "%s%u", sep, c);
				sep = ",";
			}
		text_add(&t, "]}");
	}
	text_add(&t, "],\"beside\":[");
	sep = "";
	for (size_t i = 0; i < j->n_other; i++)
		if (j->other[i].beside_s > 0) {
			text_add(&t, "%s{\"job\":%s,\"s\":%.3f}", sep,
				 j->other[i].entry, j->other[i].beside_s);
			sep = ",";
		}
	text_add(&t, "]}\n");
	if (asprintf(&path, "%s/jobs.jsonl", j->run) < 0)
		die("no memory");
	/* one write: lines of several jobs do not mix */
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, t.s, t.len) != (ssize_t)t.len)
		die("cannot write '%s': %s", path, strerror(errno));
	close(fd);
	free(path);
	free(t.s);
}

/* --- a job ---------------------------------------------------------------- */

static void on_signal(int sig)
{
	stopped = sig;
}

static struct cs_profiles *read_profiles(const char *path)
{
	struct cs_profiles *p = NULL;
	struct cs_err err = { "" };
	struct text t = { 0 };
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		die("cannot read '%s': %s", path, strerror(errno));
	do {
		text_room(&t, 65536);
		n = fread(t.s + t.len, 1, 65536, f);
		t.len += n;
	} while (n);
	fclose(f);
	if (cs_profiles_read(&p, t.s, t.len, path, &err))
		die("%s", err.text);
	free(t.s);
	return p;
}

static int run_job(struct job *j)
{
	struct sigaction act = { .sa_handler = on_signal };
	struct reading reading;
	double start, begin, last, done = 0;
	uint32_t most = 0;
	char *now_dir = NULL;
	bool known;

	j->id = env("SLURM_JOB_ID");
	j->name = getenv("SLURM_JOB_NAME");
	if (!j->name)
		j->name = "";
	if (strspn(j->id, "0123456789") != strlen(j->id) ||
	    strlen(j->id) >= NODE_NAME)
		die("SLURM_JOB_ID '%s': a number expected", j->id);
	start = now_s(CLOCK_REALTIME);
	begin = last = now_s(CLOCK_MONOTONIC);
	layout_from_env(&j->layout);
	for (size_t i = 0; i < j->layout.n; i++)
		if (j->layout.place[i].procs > most)
			most = j->layout.place[i].procs;
	j->self = cs_slowdown_self(&j->model,
				   (struct cs_who){ .profile = j->profile },
				   most, j->sockets, j->cores);

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	if (asprintf(&now_dir, "%s/now", j->run) < 0)
		die("no memory");
	if (mkdir(now_dir, 0755) && errno != EEXIST)
		die("cannot make '%s': %s", now_dir, strerror(errno));
	j->now_fd = open(now_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (j->now_fd < 0)
		die("cannot read '%s': %s", now_dir, strerror(errno));
	free(now_dir);
	enter(j);
	reading_start(&reading, j->id);
	look(j, 0);
	j->cos = beside(j);
	for (;;) {
		double slow = j->self * j->cos, now;
		double left_s = (j->alone_s - done) * slow;

		if (!stopped)
			nap(left_s < LOOK_MS * 1e-3 ? left_s : LOOK_MS * 1e-3);
		now = now_s(CLOCK_MONOTONIC);
		done += (now - last) / slow;
		if (done >= j->alone_s) {
			/* it ended between two looks */
			now -= (done - j->alone_s) * slow;
			done = j->alone_s;
		}
		look(j, now - last);
		j->cos = beside(j);
		last = now;
		if (stopped || done >= j->alone_s)
			break;
		reading_poll(&reading);
	}
	leave(j);
	known = reading_finish(&reading);
	if (known)
		reading_apply(&reading, &j->layout);
	record(j, start, last - begin, done,
	       done >= j->alone_s ? "done" : "killed", known);
	return done >= j->alone_s ? 0 : 128 + (int)stopped;
}

/* --- the workload --------------------------------------------------------- */

/*
 * A list of jobs, the same for the same three numbers:
 *
 *	submit_s name profile procs alone_s limit_min
 *
 * Two in five jobs come in a burst, 0.1 s apart; the others steadily, with gaps
 * of 0.5 to 1.5 times a mean that offers a little more work than so many nodes of
 * four cores can do, so that there is a queue to choose from.  Sizes are
 * mostly powers of two; runtimes alone are 3 to 9 s, evenly spread on a
 * logarithmic scale; each profile has its turn as often as the others, in
 * shuffled order.
 *
 * Slurm counts limits in minutes, so a second counts for 20 s of limit: jobs
 * whose limits were all one minute would leave backfilling nothing to tell them
 * apart by.  Users guess high, one to three times.  A scale of 20 or more needs
 * no such stretching.
 *
 * Kinds of jobs are the four of the demonstration, or some of a truth file's, evenly
 * apart in it; jobs are then named as their kind, so that whoever learns from names
 * can.
 */
static uint64_t rng_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static double rng_unit(uint64_t *state)
{
	return (double)(rng_next(state) >> 11) * 0x1p-53;
}

/* The kinds of the jobs: @n of @truth, or our own. */
static unsigned choose_kinds(const char *kind[KINDS_MAX], unsigned n,
			     const struct cs_profiles *truth)
{
	static const char *const own[] = { "compute", "memory", "network",
					   "io" };
	unsigned all = truth ? (unsigned)truth->n_profile : 4;

	if (!truth)
		n = all;
	if (n > all)
		die("--kinds %u: '--truth' has %u profiles", n, all);
	for (unsigned i = 0; i < n; i++)
		kind[i] = truth ? truth->profile[i * all / n].name : own[i];
	return n;
}

static void print_workload(unsigned jobs, uint64_t seed, double scale,
			   double nodes, const struct cs_profiles *truth,
			   unsigned kinds)
{
	const char *profile[KINDS_MAX];
	static const struct {
		unsigned procs, weight;
	} size[] = { { 1, 3 }, { 2, 5 }, { 3, 1 },  { 4, 7 },
		     { 6, 1 }, { 8, 5 }, { 12, 1 }, { 16, 1 } };
	const unsigned n_size = sizeof(size) / sizeof(*size);
	unsigned turn[KINDS_MAX], count[KINDS_MAX] = { 0 }, weights = 0;
	const double stretch = scale < 20 ? 20 / scale : 1;
	uint64_t guess = ~seed; /* a sequence of its own */
	double t = 0;

	kinds = choose_kinds(profile, kinds, truth);
	for (unsigned i = 0; i < kinds; i++)
		turn[i] = i;
	for (unsigned i = 0; i < n_size; i++)
		weights += size[i].weight;
	puts("# submit_s name profile procs alone_s limit_min");
	for (unsigned i = 0; i < jobs; i++) {
		char name[CS_PROFILE_NAME];
		unsigned pick, s = 0, p;
		double alone;

		if (i % kinds == 0)
			for (unsigned k = kinds - 1; k > 0; k--) {
				unsigned with =
					(unsigned)(rng_next(&seed) % (k + 1));
				unsigned keep = turn[k];

				turn[k] = turn[with];
				turn[with] = keep;
			}
		p = turn[i % kinds];
		pick = (unsigned)(rng_next(&seed) % weights);
		while (pick >= size[s].weight)
			pick -= size[s++].weight;
		alone = 3 * pow(3, rng_unit(&seed));
		alone = round(alone * 10) / 10 * scale;
		if (truth)
			snprintf(name, sizeof(name), "%s", profile[p]);
		else
			snprintf(name, sizeof(name), "%c%02u",
				 profile[p][0] - 'a' + 'A', ++count[p]);
		printf("%.2f %s %s %u %.2f %d\n", t * scale, name, profile[p],
		       size[s].procs, alone,
		       (int)ceil(alone * stretch * (1 + 2 * rng_unit(&guess)) /
				 60));
		t += i + 1 < jobs * 2 / 5
			     ? 0.1
			     : (0.8 + 1.6 * rng_unit(&seed)) * 4 / nodes;
	}
}

/* --- arguments ------------------------------------------------------------ */

static double number(const char *option, const char *value, double min,
		     double max)
{
	char *end;
	double x;

	errno = 0;
	x = strtod(value, &end);
	if (errno || end == value || *end || !(x >= min && x <= max))
		die("%s '%s': a number from %g to %g expected", option, value,
		    min, max);
	return x;
}

static const char usage[] =
	"Usage: cosched-emulate workload [--jobs N] [--nodes N] [--seed S]\n"
	"                                [--scale F] [--truth FILE [--kinds N]]\n"
	"       cosched-emulate job --run DIR --profiles FILE --profile NAME\n"
	"                           --seconds T [--node SOCKETSxCORES]\n"
	"\n"
	"workload prints the list of jobs of the demonstration, of its own kinds\n"
	"or of N (8) of the profiles of FILE, by whose names they go.  job, inside a\n"
	"Slurm job, lets as much time pass as a job of that profile would take\n"
	"there, T being its runtime alone with one process a node, and appends a\n"
	"line to DIR/jobs.jsonl.\n";

int main(int argc, char **argv)
{
	struct job j = { .sockets = 2, .cores = 4 };
	const char *profiles = NULL, *profile = NULL;
	const char *truth = NULL;
	double jobs = 48, seed = 1, scale = 1, nodes = 8, kinds = 8;
	bool job;

	if (argc == 2 &&
	    (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc < 2 || (strcmp(argv[1], "job") && strcmp(argv[1], "workload")))
		die("'job' or 'workload' expected: see --help");
	job = !strcmp(argv[1], "job");
	for (int i = 2; i < argc; i += 2) {
		const char *o = argv[i], *v = argv[i + 1];

		if (!v)
			die("%s: a value expected", o);
		if (job && !strcmp(o, "--run")) {
			j.run = v;
		} else if (job && !strcmp(o, "--profiles")) {
			profiles = v;
		} else if (job && !strcmp(o, "--profile")) {
			profile = v;
		} else if (job && !strcmp(o, "--seconds")) {
			j.alone_s = number(o, v, 0.01, 1e6);
		} else if (job && !strcmp(o, "--node")) {
			unsigned s, c;
			int n = 0;

			if (sscanf(v, "%5ux%5u%n", &s, &c, &n) != 2 || v[n] ||
			    !s || !c)
				die("%s '%s': SOCKETSxCORES expected", o, v);
			j.sockets = s;
			j.cores = s * c;
		} else if (!job && !strcmp(o, "--jobs")) {
			jobs = number(o, v, 1, 10000);
		} else if (!job && !strcmp(o, "--nodes")) {
			nodes = number(o, v, 4, 1000);
		} else if (!job && !strcmp(o, "--truth")) {
			truth = v;
		} else if (!job && !strcmp(o, "--kinds")) {
			kinds = number(o, v, 1, KINDS_MAX);
		} else if (!job && !strcmp(o, "--seed")) {
			seed = number(o, v, 0, 1e15);
		} else if (!job && !strcmp(o, "--scale")) {
			scale = number(o, v, 0.01, 1000);
		} else {
			die("unknown option '%s': see --help", o);
		}
	}
	if (!job) {
		struct cs_profiles *p = truth ? read_profiles(truth) : NULL;

		print_workload((unsigned)jobs, (uint64_t)seed, scale, nodes, p,
			       (unsigned)kinds);
		cs_profiles_free(p);
		return 0;
	}
	if (!j.run || !profiles || !profile || !(j.alone_s > 0))
		die("job: --run, --profiles, --profile and --seconds expected");
	j.model.profiles = read_profiles(profiles);
	j.model.unknown_pair = UNKNOWN_PAIR;
	j.profile = cs_profiles_find(j.model.profiles, profile);
	if (j.profile == CS_PROFILE_NONE)
		die("profile '%s': there is none in '%s'", profile, profiles);
	return run_job(&j);
}
