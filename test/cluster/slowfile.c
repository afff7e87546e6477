/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into slurmctld: a file system that hangs.  While the file $COSCHED_SLOW
 * exists, a call that changes, opens or examines a file whose path begins with
 * $COSCHED_SLOW_PATHS (a folder with its '/', or a folder and the beginning of a name)
 * returns only when that file is gone.  Calls on other files do not wait.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static bool hanging(void)
{
	const char *control = getenv("COSCHED_SLOW");

	return control && !access(control, F_OK);
}

static void wait_for(const char *path)
{
	const char *slow = getenv("COSCHED_SLOW_PATHS");

	if (!slow || !path || strncmp(path, slow, strlen(slow)))
		return;
	while (hanging())
		usleep(50000);
}

static void wait_for_fd(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	if (!hanging())
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return;
	path[n] = '\0';
	wait_for(path);
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                                          \
	int name(const char *path, int flags, ...);                         \
	int name(const char *path, int flags, ...)                          \
	{                                                                   \
		mode_t mode = 0;                                            \
		va_list args;                                               \
                                                                            \
		if (flags & (O_CREAT | O_TMPFILE)) {                        \
			va_start(args, flags);                              \
			mode = va_arg(args, mode_t);                        \
			va_end(args);                                       \
		}                                                           \
		wait_for(path);                                             \
		return REAL(int, name, const char *, int, ...)(path, flags, \
							       mode);       \
	}

OPEN(open)
OPEN(open64)

#define OF_PATH(name, params, types, ...)                   \
	int name params;                                    \
	int name params                                     \
	{                                                   \
		wait_for(path);                             \
		return REAL(int, name, types)(__VA_ARGS__); \
	}

#define TYPES(...) __VA_ARGS__

OF_PATH(unlink, (const char *path), TYPES(const char *), path)
OF_PATH(rename, (const char *path, const char *to),
	TYPES(const char *, const char *), path, to)
OF_PATH(stat, (const char *path, struct stat *st),
	TYPES(const char *, struct stat *), path, st)
OF_PATH(stat64, (const char *path, struct stat64 *st),
	TYPES(const char *, struct stat64 *), path, st)
OF_PATH(lstat, (const char *path, struct stat *st),
	TYPES(const char *, struct stat *), path, st)
OF_PATH(lstat64, (const char *path, struct stat64 *st),
	TYPES(const char *, struct stat64 *), path, st)

#define OF_FD(type, name, params, types, ...)                \
	type name params;                                    \
	type name params                                     \
	{                                                    \
		wait_for_fd(fd);                             \
		return REAL(type, name, types)(__VA_ARGS__); \
	}

OF_FD(ssize_t, write, (int fd, const void *buf, size_t n),
      TYPES(int, const void *, size_t), fd, buf, n)
OF_FD(int, fsync, (int fd), TYPES(int), fd)
OF_FD(int, fdatasync, (int fd), TYPES(int), fd)
OF_FD(int, ftruncate, (int fd, off_t size), TYPES(int, off_t), fd, size)
OF_FD(int, ftruncate64, (int fd, off64_t size), TYPES(int, off64_t), fd, size)
