/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log as a file.
 *
 * Written with write(2), and no buffer of our own but for the lines that come
 * under slurmctld's locks: what a killed slurmctld has logged is in the file up to
 * the last time that it let go of them.  When a write comes back short (disk
 * full), the file is cut back to the last whole line.
 */
#include "sched/store/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/array.h"

#define RETRY_S 60

struct cs_logfile {
	char path[PATH_MAX - 16]; /* room for ".1000" */
	int64_t max_bytes;	  /* 0: no limit */
	int64_t keep;
	struct cs_logfile_owner owner;

	int fd;		 /* -1: not open */
	int64_t bytes;	 /* size of the file */
	int64_t now_s;	 /* as of the last cs_logfile_ready() */
	int64_t retry_s; /* while there is trouble: when to try again */
	struct cs_err trouble;

	bool begun; /* it was open before */
	bool gap;   /* lines were dropped since the last header */

	bool holding; /* lines are collected: */
	bool lost;    /* some were too many */
	char *held;   /* [n_held] */
	size_t n_held, cap_held;
};

struct cs_logfile *cs_logfile_create(const char *path, int64_t max_mb,
				     int64_t keep,
				     const struct cs_logfile_owner *owner,
				     struct cs_err *err)
{
	struct cs_logfile *log;

	if (path[0] != '/') {
		cs_err_set(err, -EINVAL,
			   "event log '%s': expected an absolute path", path);
		return NULL;
	}
	log = calloc(1, sizeof(*log));
	if (!log || strlen(path) >= sizeof(log->path)) {
		cs_err_set(err, -ENOMEM, "event log '%s': %s", path,
			   log ? "path is too long" : "no memory");
		free(log);
		return NULL;
	}
	strcpy(log->path, path);
	log->max_bytes = max_mb * 1024 * 1024;
	log->keep = keep;
	log->owner = *owner;
	log->fd = -1;
	return log;
}

void cs_logfile_close(struct cs_logfile *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

void cs_logfile_free(struct cs_logfile *log)
{
	if (!log)
		return;
	cs_logfile_release(log);
	cs_logfile_close(log);
	free(log->held);
	free(log);
}

const char *cs_logfile_trouble(const struct cs_logfile *log)
{
	return log->trouble.text;
}

const char *cs_logfile_after(const struct cs_logfile *log)
{
	if (log->gap)
		return "loss";
	return log->begun ? "rotation" : NULL;
}

/* Close, and say it if it is news. */
static void fail(struct cs_logfile *log, const char *what, int error)
{
	bool news = !log->trouble.text[0];

	cs_logfile_close(log);
	log->retry_s = log->now_s + RETRY_S;
	cs_err_set(
		&log->trouble, 0,
		"event log '%s': %s: %s; lines are dropped until it works, next try in %d s",
		log->path, what, strerror(error), RETRY_S);
	if (news)
		log->owner.said(log->owner.arg, log->trouble.text);
}

/* Length of the file without a half-written last line; negative errno. */
static int64_t whole_lines(int fd)
{
	int64_t end = lseek(fd, 0, SEEK_END);
	char buf[4096];

	while (end > 0) {
		int64_t from = end > (int64_t)sizeof(buf)
				       ? end - (int64_t)sizeof(buf)
				       : 0;
		ssize_t n = pread(fd, buf, (size_t)(end - from), from);

		if (n <= 0)
			return n ? -errno : -EIO;
		for (ssize_t i = n; i > 0; i--)
			if (buf[i - 1] == '\n')
				return from + i;
		end = from;
	}
	return end < 0 ? -errno : 0;
}

/* Empty, or does it begin as ours do? */
static bool is_event_log(int fd, int64_t size)
{
	static const char head[] = "{\"ev\":\"header\"";
	char buf[sizeof(head) - 1];

	return !size || (pread(fd, buf, sizeof(buf), 0) == sizeof(buf) &&
			 !memcmp(buf, head, sizeof(buf)));
}

static void open_file(struct cs_logfile *log)
{
	struct stat st;
	int64_t size;

	log->fd = open(log->path,
		       O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
			       O_NONBLOCK,
		       0640);
	if (log->fd < 0 || fstat(log->fd, &st)) {
		fail(log, "cannot open", errno);
		return;
	}
	if (!S_ISREG(st.st_mode)) {
		fail(log, "not a plain file", EINVAL);
		return;
	}
	if (!is_event_log(log->fd, st.st_size)) {
		fail(log,
		     "it is somebody's file: expected none, or one that begins with the header of an event log",
		     EEXIST);
		return;
	}
	size = whole_lines(log->fd);
	if (size < 0 || ftruncate(log->fd, size)) {
		fail(log, "cannot cut the last line",
		     size < 0 ? (int)-size : errno);
		return;
	}
	log->bytes = size;
	if (log->trouble.text[0])
		log->owner.said(log->owner.arg, "event log is written again");
	log->trouble.text[0] = '\0';
	log->owner.opened(log->owner.arg, log);
	log->begun = true;
	log->gap = log->fd < 0;
}

/* FILE.n -> FILE.n+1 for all that are kept, FILE -> FILE.1. */
static void rotate(struct cs_logfile *log)
{
	char from[PATH_MAX], to[PATH_MAX];

	close(log->fd);
	log->fd = -1;
	if (!log->keep) {
		unlink(log->path);
		return;
	}
	for (int64_t n = log->keep; n > 1; n--) {
		snprintf(from, sizeof(from), "%s.%d", log->path, (int)n - 1);
		snprintf(to, sizeof(to), "%s.%d", log->path, (int)n);
		rename(from, to);
	}
	snprintf(to, sizeof(to), "%s.1", log->path);
	rename(log->path, to);
}

void cs_logfile_ready(struct cs_logfile *log, int64_t now_s)
{
	log->now_s = now_s;
	if (log->fd >= 0 && log->max_bytes && log->bytes >= log->max_bytes)
		rotate(log);
	if (log->fd < 0 && (!log->trouble.text[0] || now_s >= log->retry_s))
		open_file(log);
}

static void write_out(struct cs_logfile *log, const char *lines, size_t len)
{
	ssize_t n;
	int error;

	do
		n = write(log->fd, lines, len);
	while (n < 0 && errno == EINTR);
	if (n >= 0 && (size_t)n == len) {
		log->bytes += n;
		return;
	}
	error = n < 0 ? errno : ENOSPC;
	log->gap = true;
	if (ftruncate(log->fd, log->bytes))
		error = errno; /* the next opening cuts */
	fail(log, "cannot write", error);
}

/* Room for @len more bytes in log->held; false: too many, or no memory. */
static bool held_room(struct cs_logfile *log, size_t len)
{
	return len <= CS_LOGFILE_HELD_MAX - log->n_held &&
	       !cs_array_room(&log->held, &log->cap_held, log->n_held + len);
}

void cs_logfile_write(struct cs_logfile *log, const char *lines, size_t len)
{
	if (log->fd < 0) {
		log->gap = true;
		return;
	}
	if (!log->holding) {
		write_out(log, lines, len);
	} else if (!log->lost && held_room(log, len)) {
		memcpy(log->held + log->n_held, lines, len);
		log->n_held += len;
	} else {
		log->gap = log->lost =
			true; /* and all behind it: no gap inside */
	}
}

void cs_logfile_hold(struct cs_logfile *log)
{
	if (log)
		log->holding = true;
}

void cs_logfile_release(struct cs_logfile *log)
{
	if (!log || !log->holding)
		return;
	log->holding = false;
	if (log->n_held && log->fd >= 0)
		write_out(log, log->held, log->n_held);
	log->n_held = 0;
	if (log->lost && log->fd >= 0) {
		log->owner.said(
			log->owner.arg,
			"event log: too many lines at once, some are lost; it starts afresh");
		cs_logfile_close(log);
	}
	log->lost = false;
}
