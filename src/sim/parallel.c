/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parallel.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_SIZE 65536
#define STATUS_FAILED 1 /* and the error's text was sent */

struct child {
	pid_t pid; /* 0: none here */
	int fd;
	size_t task;
	char *data; /* [room] */
	size_t size, room;
};

struct pool {
	const struct cs_parallel *p;
	struct cs_err *err;
	struct child *child; /* [width] */
	struct pollfd *poll; /* [width] */
	size_t running, next;
};

static int failed(struct pool *l, int error, const char *what)
{
	return cs_err_set(l->err, -error, "%s: %s", what, strerror(error));
}

/* ---- in the task's process ----------------------------------------------- */

static _Noreturn void be_child(const struct cs_parallel *p, size_t task, int fd,
			       pid_t parent)
{
	struct cs_err err = { "" };
	FILE *out;
	int rc;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	out = fdopen(fd, "w");
	if (!out || getppid() != parent)
		_exit(STATUS_FAILED + 1);
	rc = p->work(p->arg, task, out, &err);
	if (rc) {
		/* the parent discards what it wrote */
		fputc('\0', out);
		fputs(*err.text ? err.text : strerror(-rc), out);
	}
	if (fflush(out) || ferror(out))
		_exit(STATUS_FAILED + 1);
	_exit(rc ? STATUS_FAILED : 0);
}

/* ---- in the caller's ----------------------------------------------------- */

static struct child *free_place(struct pool *l)
{
	for (size_t i = 0; i < l->p->width; i++)
		if (!l->child[i].pid)
			return &l->child[i];
	return NULL;
}

static int spawn(struct pool *l)
{
	struct child *c = free_place(l);
	pid_t parent = getpid();
	int fd[2], rc = 0;

	if (l->p->begin)
		rc = l->p->begin(l->p->arg, l->next, l->err);
	if (rc)
		return rc;
	if (pipe(fd))
		return failed(l, errno, "pipe");
	fflush(NULL);
	c->pid = fork();
	if (c->pid == 0) {
		close(fd[0]);
		be_child(l->p, l->next, fd[1], parent);
	}
	rc = errno;
	close(fd[1]);
	if (c->pid < 0) {
		close(fd[0]);
		c->pid = 0;
		return failed(l, rc, "fork");
	}
	c->fd = fd[0];
	c->task = l->next++;
	c->size = 0;
	l->running++;
	return 0;
}

static pid_t wait_for(pid_t pid, int *status)
{
	pid_t got;

	do
		got = waitpid(pid, status, 0);
	while (got < 0 && errno == EINTR);
	return got;
}

/* The last zero byte is before the text of the error. */
static int say_error(struct pool *l, struct child *c)
{
	size_t at = c->size;

	c->data[c->size] = '\0';
	while (at && c->data[at - 1])
		at--;
	return cs_err_set(l->err, -EINVAL, "%s", c->data + at);
}

static int ended(struct pool *l, struct child *c)
{
	int status = 0;
	pid_t pid = c->pid;

	close(c->fd);
	c->pid = 0;
	l->running--;
	if (wait_for(pid, &status) < 0)
		return failed(l, errno, "waitpid");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return l->p->take(l->p->arg, c->task, c->data, c->size, l->err);
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_FAILED &&
	    c->size)
		return say_error(l, c);
	if (WIFSIGNALED(status))
		return cs_err_set(l->err, -EIO,
				  "a simulation was killed by signal %d",
				  WTERMSIG(status));
	return cs_err_set(l->err, -EIO, "a simulation came to nothing");
}

/* Read what is available; at the end, take it. */
static int hear(struct pool *l, struct child *c)
{
	ssize_t n;

	if (c->room < c->size + READ_SIZE + 1) {
		size_t room = 2 * (c->size + READ_SIZE + 1);
		char *data = realloc(c->data, room);

		if (!data)
			return failed(l, ENOMEM, "a simulation's result");
		c->data = data;
		c->room = room;
	}
	n = read(c->fd, c->data + c->size, READ_SIZE);
	if (n < 0)
		return errno == EINTR ? 0 : failed(l, errno, "read");
	c->size += (size_t)n;
	return n ? 0 : ended(l, c);
}

static int hear_all(struct pool *l)
{
	int rc = 0;

	for (size_t i = 0; i < l->p->width; i++)
		l->poll[i] =
			(struct pollfd){ l->child[i].pid ? l->child[i].fd : -1,
					 POLLIN, 0 };
	if (poll(l->poll, l->p->width, -1) < 0)
		return errno == EINTR ? 0 : failed(l, errno, "poll");
	for (size_t i = 0; !rc && i < l->p->width; i++)
		if (l->poll[i].revents)
			rc = hear(l, &l->child[i]);
	return rc;
}

static void stop(struct pool *l)
{
	for (size_t i = 0; i < l->p->width; i++)
		if (l->child[i].pid)
			kill(l->child[i].pid, SIGTERM);
	for (size_t i = 0; i < l->p->width; i++) {
		if (!l->child[i].pid)
			continue;
		close(l->child[i].fd);
		wait_for(l->child[i].pid, NULL);
	}
}

int cs_parallel(const struct cs_parallel *p, struct cs_err *err)
{
	struct cs_err none = { "" };
	struct pool l = { .p = p, .err = err ? err : &none };
	int rc = 0;

	l.child = calloc(p->width, sizeof(*l.child));
	l.poll = calloc(p->width, sizeof(*l.poll));
	if (!l.child || !l.poll)
		rc = failed(&l, ENOMEM, "processes");
	while (!rc && (l.running || l.next < p->n)) {
		if (l.next < p->n && l.running < p->width)
			rc = spawn(&l);
		else
			rc = hear_all(&l);
	}
	if (l.child) {
		stop(&l);
		for (size_t i = 0; i < p->width; i++)
			free(l.child[i].data);
	}
	free(l.child);
	free(l.poll);
	return rc;
}

size_t cs_parallel_cores(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n < 1 ? 1 : n > CS_PARALLEL_MAX ? CS_PARALLEL_MAX : (size_t)n;
}
