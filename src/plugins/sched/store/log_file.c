/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log as a file.
 *
 * Two halves.  struct cs_logfile is its owner's: which lines are to be written, and when
 * the file is to be opened.  struct file is what the thread of CS_QUEUE_LOG works on,
 * task by task; it is freed by the last of them, which may come after the owner's end.
 * Both see struct news, under its lock.
 *
 * Rules.
 *  1. Header and state are written once the file is open: while it hangs there, no state
 *     is collected.  Lines until then are dropped, as the state will have them.
 *  2. The file takes lines until a task on it fails; what is queued behind that is
 *     dropped, up to the next opening.
 *  3. After a short write (disk full) the file is cut back to the last whole line.
 *  4. A file that is shorter than what was written was truncated by another program, as
 *     by logrotate's copytruncate: it is opened anew, with header and state, before
 *     another line is written to it.
 *  5. A file without a name any more (removed, or renamed and at once compressed) may have
 *     had its last lines when no program could read them: the next header has "loss".
 */
#include "sched/store/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/array.h"
#include "gate/gate.h"
#include "resident/queue.h"

#define RETRY_S 60
#define BUFFER (256 * 1024) /* bytes that are passed on without a flush */
#define HANG_US INT64_C(5000000)
#define OPEN_US INT64_C(500000) /* once: lines until it is open are lost */

enum state { CLOSED, OPENING, OPEN };

struct news {
	pthread_mutex_t lock;
	bool opened;	/* since the last opening was queued */
	bool failed;	/* ... or it, or a task after it, failed: */
	char what[192]; /* what could not be done, and why */
	bool looking;	/* for that: a task is queued */
	bool moved;	/* the path is another file's, or none's */
	bool truncated; /* by another program; it is closed */
	bool removed;	/* rule 5, when it was opened anew */
	int64_t bytes;	/* size of the file */
	size_t waiting; /* bytes that are queued */
};

struct file {
	struct news news;
	char path[PATH_MAX - 16]; /* room for ".1000" */
	int64_t keep;
	int fd; /* -1: not open */
};

struct cs_logfile {
	struct file *file;
	int64_t max_bytes; /* 0: no limit */
	struct cs_logfile_owner owner;

	enum state state;
	bool begun;	  /* it was open before */
	bool gap;	  /* lines were dropped since the last header */
	bool filling;	  /* header and state are being written */
	bool slow;	  /* the last wait was in vain */
	int64_t now_s;	  /* as of the last cs_logfile_ready() */
	int64_t looked_s; /* that of the last look for another file */
	int64_t retry_s;  /* in trouble: when to try again; 0: when none wait */
	uint64_t dropped; /* lines since it was open */
	struct cs_err trouble;
	char text[sizeof(struct cs_err) + 128]; /* of cs_logfile_trouble() */

	char *line; /* [n_line] not yet passed on */
	size_t n_line, cap_line;
};

/* ---- the file's thread --------------------------------------------------------- */

struct job {		     /* a task on a file */
	struct cs_task task; /* first */
	struct file *file;
	bool rotates;
	char *line; /* [n_line] */
	size_t n_line;
};

static void close_file(struct file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

static void fail(struct file *f, const char *what, int error)
{
	close_file(f);
	pthread_mutex_lock(&f->news.lock);
	if (!f->news.failed)
		snprintf(f->news.what, sizeof(f->news.what), "%s%s%s", what,
			 error ? ": " : "", error ? strerror(error) : "");
	f->news.failed = true;
	pthread_mutex_unlock(&f->news.lock);
}

/* Length of the file without a partial last line; negative errno. */
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

#define EVENT "{\"t\":" /* each other line begins like this */
#define HEADER "{\"ev\":\"header\""

static bool begins_with(int fd, const char *text)
{
	size_t n = strlen(text);
	char buf[sizeof(HEADER)];

	return pread(fd, buf, n, 0) == (ssize_t)n && !memcmp(buf, text, n);
}

/* Is it empty, or does it begin like ours? */
static bool is_event_log(int fd, int64_t size)
{
	return !size || begins_with(fd, HEADER);
}

static void open_file(struct file *f)
{
	struct stat st;
	int64_t size;

	f->fd = open(f->path,
		     O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
			     O_NONBLOCK,
		     0640);
	if (f->fd < 0 || fstat(f->fd, &st)) {
		fail(f, "cannot open", errno);
		return;
	}
	if (!S_ISREG(st.st_mode)) {
		fail(f, "not a plain file", EINVAL);
		return;
	}
	if (!is_event_log(f->fd, st.st_size)) {
		fail(f,
		     "it is somebody's file: expected none, or an event log; move it away (logrotate: rename and scontrol reconfigure, no copytruncate)",
		     0);
		return;
	}
	size = whole_lines(f->fd);
	if (size < 0 || ftruncate(f->fd, size)) {
		fail(f, "cannot cut the last line",
		     size < 0 ? (int)-size : errno);
		return;
	}
	pthread_mutex_lock(&f->news.lock);
	f->news.bytes = size;
	f->news.opened = true;
	f->news.moved = false;
	pthread_mutex_unlock(&f->news.lock);
}

/* FILE.n -> FILE.n+1 for all kept ones, FILE -> FILE.1. */
static void rotate(const struct file *f)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (!f->keep) {
		unlink(f->path);
		return;
	}
	for (int64_t n = f->keep; n > 1; n--) {
		snprintf(from, sizeof(from), "%s.%d", f->path, (int)n - 1);
		snprintf(to, sizeof(to), "%s.%d", f->path, (int)n);
		rename(from, to);
	}
	snprintf(to, sizeof(to), "%s.1", f->path);
	rename(f->path, to);
}

/* Rule 5. */
static void note_removed(struct file *f)
{
	struct stat st;

	if (f->fd < 0 || fstat(f->fd, &st) || st.st_nlink)
		return;
	pthread_mutex_lock(&f->news.lock);
	f->news.removed = true;
	pthread_mutex_unlock(&f->news.lock);
}

static void run_open(struct cs_task *task)
{
	struct job *j = (struct job *)task;

	note_removed(j->file);
	close_file(j->file);
	if (j->rotates)
		rotate(j->file);
	open_file(j->file);
	free(j);
}

/* Has somebody else renamed or removed the file? */
static void run_look(struct cs_task *task)
{
	struct job *j = (struct job *)task;
	struct file *f = j->file;
	struct stat open, now;
	bool moved = f->fd >= 0 && !fstat(f->fd, &open) &&
		     (stat(f->path, &now) || now.st_dev != open.st_dev ||
		      now.st_ino != open.st_ino);

	pthread_mutex_lock(&f->news.lock);
	f->news.moved |= moved;
	f->news.looking = false;
	pthread_mutex_unlock(&f->news.lock);
	free(j);
}

/* Rule 3. */
static void append(struct file *f, const char *line, size_t n_line)
{
	ssize_t n;
	int error;

	do
		n = write(f->fd, line, n_line);
	while (n < 0 && errno == EINTR);
	if (n >= 0 && (size_t)n == n_line) {
		pthread_mutex_lock(&f->news.lock);
		f->news.bytes += n;
		pthread_mutex_unlock(&f->news.lock);
		return;
	}
	error = n < 0 ? errno : ENOSPC;
	if (ftruncate(f->fd, f->news.bytes))
		error = errno; /* the next opening cuts */
	fail(f, "cannot write", error);
}

/* Rule 4.  @bytes is written by this thread alone. */
static bool is_truncated(const struct file *f)
{
	struct stat st;

	return !fstat(f->fd, &st) && st.st_size < f->news.bytes;
}

/* Rule 4.  Lines of ours that came after the cut have no header: they go, too. */
static void leave_truncated(struct file *f)
{
	if (begins_with(f->fd, EVENT) && ftruncate(f->fd, 0))
		fail(f, "cannot empty it", errno);
	close_file(f);
	pthread_mutex_lock(&f->news.lock);
	f->news.truncated = true;
	pthread_mutex_unlock(&f->news.lock);
}

static void run_append(struct cs_task *task)
{
	struct job *j = (struct job *)task;

	if (j->file->fd >= 0 && is_truncated(j->file))
		leave_truncated(j->file);
	else if (j->file->fd >= 0)
		append(j->file, j->line, j->n_line);
	pthread_mutex_lock(&j->file->news.lock);
	j->file->news.waiting -= j->n_line;
	pthread_mutex_unlock(&j->file->news.lock);
	free(j->line);
	free(j);
}

static void run_free(struct cs_task *task)
{
	struct job *j = (struct job *)task;

	close_file(j->file);
	pthread_mutex_destroy(&j->file->news.lock);
	free(j->file);
	free(j);
}

/* ---- the owner's side ------------------------------------------------------------ */

/* 0, -ENOMEM. */
static int put(struct cs_logfile *log, void (*run)(struct cs_task *),
	       struct job job)
{
	struct job *j = malloc(sizeof(*j));

	if (!j)
		return -ENOMEM;
	*j = job;
	j->task.run = run;
	j->file = log->file;
	cs_queue_put(CS_QUEUE_LOG, &j->task);
	return 0;
}

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
	if (log)
		log->file = calloc(1, sizeof(*log->file));
	if (!log || !log->file || strlen(path) >= sizeof(log->file->path)) {
		cs_err_set(err, -ENOMEM, "event log '%s': %s", path,
			   log && log->file ? "path is too long" : "no memory");
		if (log)
			free(log->file);
		free(log);
		return NULL;
	}
	strcpy(log->file->path, path);
	pthread_mutex_init(&log->file->news.lock, NULL);
	log->file->keep = keep;
	log->file->fd = -1;
	log->max_bytes = max_mb * 1024 * 1024;
	log->owner = *owner;
	return log;
}

/* Pass the lines on; without memory for the task they are dropped. */
static void pass_on(struct cs_logfile *log)
{
	struct news *news = &log->file->news;

	if (!log->n_line)
		return;
	pthread_mutex_lock(&news->lock);
	news->waiting += log->n_line;
	pthread_mutex_unlock(&news->lock);
	if (put(log, run_append,
		(struct job){ .line = log->line, .n_line = log->n_line })) {
		pthread_mutex_lock(&news->lock);
		news->waiting -= log->n_line;
		pthread_mutex_unlock(&news->lock);
		free(log->line);
		log->gap = true;
		log->state = CLOSED;
	}
	log->line = NULL;
	log->n_line = log->cap_line = 0;
}

void cs_logfile_free(struct cs_logfile *log)
{
	if (!log)
		return;
	pass_on(log);
	put(log, run_free, (struct job){ 0 }); /* without memory it leaks */
	free(log->line);
	free(log);
}

const char *cs_logfile_after(const struct cs_logfile *log)
{
	if (log->gap)
		return "loss";
	return log->begun ? "rotation" : NULL;
}

static void say(struct cs_logfile *log, const char *text)
{
	log->owner.said(log->owner.arg, text);
}

static struct news look_at_news(struct cs_logfile *log)
{
	struct news news;

	pthread_mutex_lock(&log->file->news.lock);
	news = log->file->news;
	pthread_mutex_unlock(&log->file->news.lock);
	return news;
}

/* The trouble, and when the file is tried again. */
static const char *in_trouble(struct cs_logfile *log)
{
	char next[64] = "", so_far[48] = "";

	if (log->retry_s > log->now_s)
		snprintf(next, sizeof(next), ", next try in %" PRId64 " s",
			 log->retry_s - log->now_s);
	else if (log->retry_s)
		snprintf(next, sizeof(next), ", next try at the next event");
	if (log->dropped)
		snprintf(so_far, sizeof(so_far), "; %" PRIu64 " so far",
			 log->dropped);
	snprintf(log->text, sizeof(log->text), "%s%s%s", log->trouble.text,
		 next, so_far);
	return log->text;
}

/* Rule 4. */
static void say_truncated(struct cs_logfile *log)
{
	char text[sizeof(struct cs_err)];

	snprintf(
		text, sizeof(text),
		"event log '%.100s': another program truncated it (logrotate's copytruncate?): it begins anew, and the lines of that moment are lost; rotate it by rename and scontrol reconfigure",
		log->file->path);
	say(log, text);
}

/* What its thread met since the last time. */
static void follow(struct cs_logfile *log)
{
	struct news news = look_at_news(log);
	bool is_new = !log->trouble.text[0];

	log->gap |= news.removed;
	if (log->state == CLOSED || (!news.failed && !news.truncated))
		return;
	log->gap |= log->state == OPEN;
	log->state = CLOSED;
	if (!news.failed) {
		say_truncated(log);
		return;
	}
	log->retry_s = log->now_s + RETRY_S;
	cs_err_set(&log->trouble, 0,
		   "event log '%s': %s; lines are dropped until it works",
		   log->file->path, news.what);
	if (is_new)
		say(log, in_trouble(log));
}

static void begin(struct cs_logfile *log)
{
	struct news *news = &log->file->news;
	char text[128];

	pthread_mutex_lock(&news->lock);
	log->gap |= news->removed;
	news->removed = false;
	pthread_mutex_unlock(&news->lock);
	if (log->trouble.text[0]) {
		snprintf(text, sizeof(text),
			 "event log is written again, %" PRIu64
			 " lines are missing",
			 log->dropped);
		say(log, text);
	}
	log->trouble.text[0] = '\0';
	log->dropped = 0;
	log->state = OPEN;
	log->filling = true;
	log->owner.opened(log->owner.arg, log);
	log->filling = false;
	log->begun = true;
	log->gap = false;
}

static void reopen(struct cs_logfile *log, bool rotates)
{
	struct news *news = &log->file->news;

	pass_on(log);
	pthread_mutex_lock(&news->lock);
	news->opened = news->failed = news->moved = news->truncated = false;
	pthread_mutex_unlock(&news->lock);
	if (put(log, run_open, (struct job){ .rotates = rotates })) {
		log->gap |= log->state == OPEN;
		log->state = CLOSED;
		return;
	}
	log->state = OPENING;
	log->looked_s = log->now_s;
	cs_queue_wait(CS_QUEUE_LOG, OPEN_US);
}

/* Is the file, as far as known, to be opened anew? */
static void open_if_due(struct cs_logfile *log)
{
	struct news news = look_at_news(log);

	if (log->state == OPEN && log->max_bytes &&
	    news.bytes + (int64_t)(news.waiting + log->n_line) >=
		    log->max_bytes)
		reopen(log, true);
	else if (log->state == OPEN && news.moved)
		reopen(log, false);
	else if (log->state == CLOSED && !news.waiting &&
		 (!log->trouble.text[0] || log->now_s >= log->retry_s))
		reopen(log, false);
}

/* One at a time: while the file hangs no more are queued. */
static void look(struct cs_logfile *log)
{
	struct news *news = &log->file->news;
	bool looking;

	pthread_mutex_lock(&news->lock);
	looking = news->looking;
	news->looking = true;
	pthread_mutex_unlock(&news->lock);
	if (looking || !put(log, run_look, (struct job){ 0 }))
		return;
	pthread_mutex_lock(&news->lock);
	news->looking = false; /* no memory */
	pthread_mutex_unlock(&news->lock);
}

void cs_logfile_ready(struct cs_logfile *log, int64_t now_s)
{
	log->now_s = now_s;
	follow(log);
	open_if_due(log);
	follow(log);
	if (log->state == OPENING && look_at_news(log).opened)
		begin(log);
	if (log->state == OPEN && now_s != log->looked_s) {
		log->looked_s = now_s;
		look(log);
	}
}

/* There is no room for them, nor for any after them: no gap inside. */
static void overflow(struct cs_logfile *log)
{
	pass_on(log);
	log->gap = true;
	log->state = CLOSED;
	cs_err_set(
		&log->trouble, 0,
		"event log '%s': it hangs, and %d MB wait: lines are dropped until these are written",
		log->file->path, CS_LOGFILE_WAITING_MAX / (1024 * 1024));
	log->retry_s = 0;
	say(log, log->trouble.text);
}

void cs_logfile_write(struct cs_logfile *log, const char *lines, size_t len)
{
	if (log->state != OPEN) {
		log->gap = true;
		log->dropped++;
		return;
	}
	if ((!log->filling && look_at_news(log).waiting + log->n_line + len >
				      CS_LOGFILE_WAITING_MAX) ||
	    cs_array_room(&log->line, &log->cap_line, log->n_line + len)) {
		log->dropped++;
		overflow(log);
		return;
	}
	memcpy(log->line + log->n_line, lines, len);
	log->n_line += len;
	if (log->n_line >= BUFFER)
		pass_on(log);
}

void cs_logfile_flush(struct cs_logfile *log)
{
	if (!log)
		return;
	pass_on(log);
	log->slow = !cs_queue_wait(CS_QUEUE_LOG,
				   log->slow ? 0 : CS_LOGFILE_WAIT_US);
}

const char *cs_logfile_trouble(struct cs_logfile *log, int64_t now_s)
{
	int64_t since_us = cs_queue_busy_since_us(CS_QUEUE_LOG);
	int64_t us = since_us ? cs_gate_now_us() - since_us : 0;

	log->now_s = now_s;
	follow(log);
	if (log->trouble.text[0])
		return in_trouble(log);
	if (us < HANG_US)
		return "";
	snprintf(log->text, sizeof(log->text),
		 "event log '%.200s': it has hung for %" PRId64
		 " s; %zu bytes wait",
		 log->file->path, us / 1000000, look_at_news(log).waiting);
	return log->text;
}

bool cs_logfile_finish(int64_t us)
{
	return cs_queue_wait(CS_QUEUE_LOG, us);
}
