/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run a program for a limited time and keep its output. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conf/slurm_conf.h"

extern char **environ;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int start(char *const *argv, int out, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return -rc;
	rc = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null",
					      O_RDONLY, 0);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&actions, out, 2);
	if (!rc)
		rc = posix_spawnp(ret, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

/* Fill @text with at most @max bytes, and a 0. */
static int collect(int fd, char *text, size_t max, int64_t deadline_ms)
{
	size_t n = 0;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = deadline_ms - now_ms();
		char rest[512];
		ssize_t got;

		if (left <= 0 || !poll(&p, 1, (int)left))
			return -ETIMEDOUT;
		got = n < max ? read(fd, text + n, max - n)
			      : read(fd, rest, sizeof(rest));
		if (got < 0 && errno != EINTR)
			return -errno;
		if (!got)
			break;
		if (got > 0 && n < max)
			n += (size_t)got;
	}
	text[n] = '\0';
	return 0;
}

static int finish(pid_t pid, int rc)
{
	int status = 0;

	if (rc)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (rc)
		return rc;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}

int cs_run_program(char *const *argv, int timeout_s, size_t max,
		   char **ret_text)
{
	char *text = malloc(max + 1);
	int fd[2], rc;
	pid_t pid;

	if (!text)
		return -ENOMEM;
	if (pipe2(fd, O_CLOEXEC)) {
		free(text);
		return -errno;
	}
	rc = start(argv, fd[1], &pid);
	close(fd[1]);
	if (!rc) {
		rc = collect(fd[0], text, max,
			     now_ms() + (int64_t)timeout_s * 1000);
		rc = finish(pid, rc);
	}
	close(fd[0]);
	if (rc < 0)
		free(text);
	else
		*ret_text = text;
	return rc;
}
