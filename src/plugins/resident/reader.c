/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resident/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/cond.h"
#include "gate/gate.h"

#define CHUNK 65536

/* One reading.  It belongs to who comes last: the caller, or the thread once the caller
 * gave up. */
struct reading {
	char *path;
	char *text;
	size_t len;
	int rc;
	bool done, given_up;
	struct reading *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended;
static struct reading *given_up; /* those that hang */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void)
{
	cs_cond_init(&ended);
}

/* The rest of @fd into @r. */
static int read_all(int fd, struct reading *r)
{
	size_t cap = 0;
	ssize_t n;

	do {
		if (cap - r->len < CHUNK / 2) {
			char *more = realloc(r->text, cap += CHUNK);

			if (!more)
				return -ENOMEM;
			r->text = more;
		}
		n = read(fd, r->text + r->len, cap - r->len - 1);
		if (n < 0)
			return -errno;
		r->len += (size_t)n;
		if (r->len > CS_READER_MAX)
			return -EFBIG;
	} while (n);
	r->text[r->len] = '\0';
	return 0;
}

/* O_NONBLOCK: a fifo without a writer is an empty file. */
static int read_file(struct reading *r)
{
	int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;

	if (fd < 0)
		return -errno;
	rc = read_all(fd, r);
	close(fd);
	return rc;
}

static void free_reading(struct reading *r)
{
	free(r->path);
	free(r->text);
	free(r);
}

/* Locked. */
static void forget(const struct reading *r)
{
	struct reading **at = &given_up;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
}

static void *work(void *arg)
{
	struct reading *r = arg;
	int rc;

	pthread_setname_np(pthread_self(), "cosched-read");
	rc = read_file(r);
	pthread_mutex_lock(&lock);
	r->rc = rc;
	r->done = true;
	if (!r->given_up) {
		pthread_cond_broadcast(&ended);
		pthread_mutex_unlock(&lock);
		return NULL; /* the caller has it */
	}
	forget(r);
	pthread_mutex_unlock(&lock);
	free_reading(r);
	cs_gate_wake(CS_WAKE_FILE);
	return NULL;
}

static int start(struct reading *r)
{
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &attr, work, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -rc;
}

static bool hangs(const char *path)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (const struct reading *r = given_up; r && !found; r = r->next)
		found = !strcmp(r->path, path);
	pthread_mutex_unlock(&lock);
	return found;
}

/* Wait for @r; false: it is given up, and the thread's. */
static bool await(struct reading *r)
{
	int64_t until = cs_gate_now_us() + CS_READER_PATIENCE_US;
	const struct timespec ts = {
		.tv_sec = (time_t)(until / 1000000),
		.tv_nsec = (long)(until % 1000000) * 1000,
	};
	int rc = 0;
	bool done;

	pthread_mutex_lock(&lock);
	while (!r->done && !rc)
		rc = pthread_cond_timedwait(&ended, &lock, &ts);
	done = r->done;
	if (!done) {
		r->given_up = true;
		r->next = given_up;
		given_up = r;
	}
	pthread_mutex_unlock(&lock);
	return done;
}

int cs_reader_read(const char *path, char **ret, size_t *ret_len)
{
	struct reading *r;
	int rc;

	if (hangs(path))
		return -ETIMEDOUT;
	pthread_once(&once, prepare);
	r = calloc(1, sizeof(*r));
	if (!r || !(r->path = strdup(path))) {
		free(r);
		return -ENOMEM;
	}
	rc = start(r);
	if (!rc && !await(r))
		return -ETIMEDOUT;
	if (!rc)
		rc = r->rc;
	if (!rc) {
		*ret = r->text;
		*ret_len = r->len;
		r->text = NULL;
	}
	free_reading(r);
	return rc;
}
