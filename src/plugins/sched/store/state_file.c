/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own state file.
 *
 * CRC-32 as in IEEE 802.3 (reflected, polynomial 0xedb88320): it detects damage
 * by a crash or a full disk; it does not guard against an attacker, who would
 * need the rights of SlurmUser.
 *
 * Rules.
 *  1. One struct slot a file, never freed: it holds the content that was loaded or put
 *     last.
 *  2. A slot that is queued is written with the content that it has when its turn comes;
 *     put again meanwhile, it is queued again.
 *  3. The lock is held for copies, never across a call that touches a file.
 *  4. A content that could not be written is queued again, by cs_state_file_again(),
 *     AGAIN_MIN_US after the failure; the pause doubles with each failure in a row, up
 *     to AGAIN_MAX_US.
 */
#include "sched/store/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/gate.h"
#include "resident/queue.h"

#define AGAIN_MIN_US INT64_C(5000000)
#define AGAIN_MAX_US INT64_C(60000000)

/* ---- files ------------------------------------------------------------------- */

static uint32_t crc_of[256]; /* of one byte */
static pthread_once_t crc_once = PTHREAD_ONCE_INIT;

static void make_crc(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		crc_of[i] = crc;
	}
}

static uint32_t crc32(const unsigned char *p, size_t n)
{
	uint32_t crc = UINT32_MAX;

	pthread_once(&crc_once, make_crc);
	while (n--)
		crc = crc >> 8 ^ crc_of[(crc ^ *p++) & 0xff];
	return ~crc;
}

static int path_of(char *buf, const char *dir, const char *name,
		   const char *suffix, struct cs_err *err)
{
	int n = snprintf(buf, PATH_MAX, "%s/%s%s", dir, name, suffix);

	if (n >= PATH_MAX)
		return cs_err_set(err, -ENAMETOOLONG,
				  "path of the state in '%s' is too long", dir);
	return 0;
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

static int write_file(const char *path, const void *data, size_t len)
{
	char head[80];
	int n = snprintf(head, sizeof(head),
			 "cosched-state %d %zu %08" PRIx32 "\n",
			 CS_STATE_VERSION, len, crc32(data, len));
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0)
		return -errno;
	rc = write_all(fd, head, (size_t)n);
	if (!rc)
		rc = write_all(fd, data, len);
	if (!rc && fsync(fd))
		rc = -errno;
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

/* A rename is on disk when the folder is. */
static int sync_folder(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return -errno;
	rc = fsync(fd) ? -errno : 0;
	close(fd);
	return rc;
}

static int save(const char *dir, const char *name, bool keep, const void *data,
		size_t len, struct cs_err *err)
{
	char path[PATH_MAX], new[PATH_MAX], before[PATH_MAX];
	int rc;

	if (len > CS_STATE_MAX)
		return cs_err_set(err, -EFBIG,
				  "state has %zu bytes, expected at most %d",
				  len, CS_STATE_MAX);
	rc = path_of(path, dir, name, "", err);
	if (!rc)
		rc = path_of(new, dir, name, ".new", err);
	if (!rc)
		rc = path_of(before, dir, name, CS_STATE_BEFORE, err);
	if (rc)
		return rc;
	rc = write_file(new, data, len);
	if (!rc && keep && rename(path, before) && errno != ENOENT)
		rc = -errno;
	if (!rc && rename(new, path))
		rc = -errno;
	if (rc)
		unlink(new);
	else
		rc = sync_folder(dir);
	if (!rc)
		return 0;
	return cs_err_set(err, rc, "cannot write '%s': %s", path,
			  strerror(-rc));
}

static int removed(const char *dir, const char *name, struct cs_err *err)
{
	char path[PATH_MAX];
	int rc = path_of(path, dir, name, "", err);

	if (!rc && unlink(path) && errno != ENOENT)
		rc = cs_err_set(err, -errno, "cannot remove '%s': %s", path,
				strerror(errno));
	return rc;
}

static void rename_file(const char *dir, const char *name, const char *as,
			const char *suffix)
{
	char path[PATH_MAX], aside[PATH_MAX];

	if (!path_of(path, dir, name, "", NULL) &&
	    !path_of(aside, dir, as, suffix, NULL))
		rename(path, aside);
}

/* The whole file, with a 0 byte appended. */
static int read_file(const char *path, char **ret_data, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *data = NULL;
	size_t len = 0;
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_size > CS_STATE_MAX + 80)
		rc = -EBADMSG;
	else if (!(data = malloc((size_t)st.st_size + 1)))
		rc = -ENOMEM;
	while (!rc && len < (size_t)st.st_size) {
		ssize_t n = read(fd, data + len, (size_t)st.st_size - len);

		if (n < 0 && errno != EINTR)
			rc = -errno;
		if (!n)
			break;
		if (n > 0)
			len += (size_t)n;
	}
	close(fd);
	if (rc) {
		free(data);
		return rc;
	}
	data[len] = '\0';
	*ret_data = data;
	*ret_len = len;
	return 0;
}

/* Cut the head line off; 0, or -EBADMSG with what is wrong. */
static int check_content(char *data, size_t *len, struct cs_err *err)
{
	char *end = memchr(data, '\n', *len < 80 ? *len : 80);
	size_t bytes, body;
	uint32_t sum;
	int version;
	char tail;

	if (!end)
		return cs_err_set(err, -EBADMSG, "it has no head line");
	*end = '\0';
	if (sscanf(data, "cosched-state %d %zu %" SCNx32 "%c", &version, &bytes,
		   &sum, &tail) != 3)
		return cs_err_set(err, -EBADMSG, "its head line is '%s'", data);
	if (version != CS_STATE_VERSION)
		return cs_err_set(err, -EBADMSG,
				  "it is of version %d, expected %d", version,
				  CS_STATE_VERSION);
	body = *len - (size_t)(end + 1 - data);
	if (body != bytes)
		return cs_err_set(err, -EBADMSG,
				  "it holds %zu bytes, expected %zu", body,
				  bytes);
	memmove(data, end + 1, body + 1);
	if (crc32((unsigned char *)data, body) != sum)
		return cs_err_set(err, -EBADMSG, "its checksum is wrong");
	*len = body;
	return 0;
}

int cs_state_file_read(const char *dir, const char *name, char **ret_data,
		       size_t *ret_len, struct cs_err *err)
{
	char path[PATH_MAX];
	struct cs_err why = { "it is no file of a fitting size" };
	char *data = NULL;
	size_t len = 0;
	int rc = path_of(path, dir, name, "", err);

	if (rc)
		return rc;
	rc = read_file(path, &data, &len);
	if (!rc)
		rc = check_content(data, &len, &why);
	if (!rc) {
		*ret_data = data;
		*ret_len = len;
		return 0;
	}
	free(data);
	if (rc == -EBADMSG) {
		rename_file(dir, name, name, CS_STATE_BAD);
		return cs_err_set(err, rc,
				  "bad state '%s': %s; kept as '%s.bad'", path,
				  why.text, path);
	}
	return cs_err_set(err, rc, "cannot read '%s': %s", path, strerror(-rc));
}

/* ---- contents ---------------------------------------------------------------- */

struct slot {
	struct cs_task task; /* first; it is part of the slot */
	struct slot *next;
	char *dir, *name;
	bool known; /* since the first load or put: */
	bool keep;  /* the file that it replaces stays as NAME.before */
	char *data; /* [len] the content; NULL: no such file */
	size_t len;
	bool queued;
	int rc; /* of the last write */
	struct cs_err err;
	int64_t pause_us, again_us; /* rule 4; 0: the last write did not fail */
};

static struct {
	pthread_mutex_t lock;
	struct slot *slots;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Its content, which the caller frees; false: unknown, or no memory. */
static bool copy_of(const struct slot *slot, char **ret_data, size_t *ret_len)
{
	*ret_data = NULL;
	*ret_len = slot->len;
	if (slot->known && slot->data)
		*ret_data = malloc(slot->len + 1);
	if (*ret_data)
		memcpy(*ret_data, slot->data, slot->len + 1);
	return slot->known && (*ret_data || !slot->data);
}

/* Rule 4. */
static int64_t next_pause_us(int64_t us)
{
	if (!us)
		return AGAIN_MIN_US;
	return 2 * us < AGAIN_MAX_US ? 2 * us : AGAIN_MAX_US;
}

/* Rule 2. */
static void run_write(struct cs_task *task)
{
	struct slot *slot = (struct slot *)task;
	struct cs_err err = { "" };
	size_t len;
	char *data;
	bool known, has, keep;
	int rc = 0;

	pthread_mutex_lock(&table.lock);
	slot->queued = false;
	known = slot->known;
	has = copy_of(slot, &data, &len);
	keep = slot->keep;
	pthread_mutex_unlock(&table.lock);
	if (!known)
		return; /* the end has come before its turn */
	if (!has)
		rc = cs_err_set(&err, -ENOMEM, "no memory to write '%s'",
				slot->name);
	else if (!data)
		rc = removed(slot->dir, slot->name, &err);
	else
		rc = save(slot->dir, slot->name, keep, data, len, &err);
	free(data);
	pthread_mutex_lock(&table.lock);
	slot->rc = rc;
	slot->err = err;
	slot->pause_us = rc ? next_pause_us(slot->pause_us) : 0;
	slot->again_us = rc ? cs_gate_now_us() + slot->pause_us : 0;
	pthread_mutex_unlock(&table.lock);
}

static struct slot *find(const char *dir, const char *name)
{
	struct slot *s = table.slots;

	while (s && (strcmp(s->name, name) || strcmp(s->dir, dir)))
		s = s->next;
	return s;
}

static struct slot *find_or_add(const char *dir, const char *name)
{
	struct slot *s = find(dir, name);

	if (s || !(s = calloc(1, sizeof(*s))))
		return s;
	s->task.run = run_write;
	s->dir = strdup(dir);
	s->name = strdup(name);
	if (!s->dir || !s->name) {
		free(s->dir);
		free(s->name);
		free(s);
		return NULL;
	}
	s->next = table.slots;
	table.slots = s;
	return s;
}

/* Is the file so, or will it be? */
static bool is_so(const struct slot *s, const char *data, size_t len)
{
	return s->known && (s->queued || !s->rc) && !s->data == !data &&
	       (!data || (s->len == len && !memcmp(s->data, data, len)));
}

/* Under the lock. */
static void enqueue(struct slot *s)
{
	if (!s->queued)
		cs_queue_put(CS_QUEUE_STATE, &s->task);
	s->queued = true;
}

static void put(const char *dir, const char *name, bool keep, char *data,
		size_t len)
{
	struct slot *s;

	pthread_mutex_lock(&table.lock);
	s = find_or_add(dir, name);
	if (s && !is_so(s, data, len)) {
		char *was = s->data;

		s->data = data;
		s->len = len;
		s->keep = keep;
		s->known = true;
		enqueue(s);
		data = was;
	}
	pthread_mutex_unlock(&table.lock);
	free(data);
}

void cs_state_file_put(const char *dir, const char *name, char *data,
		       size_t len)
{
	put(dir, name, false, data, len);
}

void cs_state_file_replace(const char *dir, const char *name, char *data,
			   size_t len)
{
	put(dir, name, true, data, len);
}

void cs_state_file_remove(const char *dir, const char *name)
{
	put(dir, name, false, NULL, 0);
}

void cs_state_file_again(int64_t now_us)
{
	pthread_mutex_lock(&table.lock);
	for (struct slot *s = table.slots; s; s = s->next)
		if (s->rc && s->known && now_us >= s->again_us)
			enqueue(s);
	pthread_mutex_unlock(&table.lock);
}

int cs_state_file_result(const char *dir, const char *name, struct cs_err *err)
{
	const struct slot *s;
	int rc;

	pthread_mutex_lock(&table.lock);
	s = find(dir, name);
	rc = s ? s->rc : 0;
	if (rc)
		*err = s->err;
	pthread_mutex_unlock(&table.lock);
	return rc;
}

bool cs_state_file_wait(int64_t us)
{
	return cs_queue_wait(CS_QUEUE_STATE, us);
}

bool cs_state_file_end(int64_t us)
{
	bool done = cs_state_file_wait(us);

	pthread_mutex_lock(&table.lock);
	for (struct slot *s = table.slots; s; s = s->next) {
		free(s->data);
		s->data = NULL;
		s->known = false;
		s->rc = 0;
		s->pause_us = 0;
	}
	pthread_mutex_unlock(&table.lock);
	return done;
}

/* The content of the file is @data, as it was loaded. */
static void remember(const char *dir, const char *name, const char *data,
		     size_t len)
{
	struct slot *s;

	pthread_mutex_lock(&table.lock);
	s = find_or_add(dir, name);
	if (s && !s->known) {
		s->data = data ? malloc(len + 1) : NULL;
		if (s->data)
			memcpy(s->data, data, len + 1);
		s->len = len;
		s->known = !data || s->data;
	}
	pthread_mutex_unlock(&table.lock);
}

int cs_state_file_load(const char *dir, const char *name, char **ret_data,
		       size_t *ret_len, struct cs_err *err)
{
	const struct slot *s;
	bool known, has;
	size_t len = 0;
	char *data = NULL;
	int rc;

	pthread_mutex_lock(&table.lock);
	s = find(dir, name);
	known = s && s->known;
	has = known && copy_of(s, &data, &len);
	pthread_mutex_unlock(&table.lock);
	if (!known) {
		rc = cs_state_file_read(dir, name, ret_data, ret_len, err);
		if (!rc)
			remember(dir, name, *ret_data, *ret_len);
		else if (rc == -ENOENT || rc == -EBADMSG)
			remember(dir, name, NULL, 0);
		return rc;
	}
	if (!has)
		return cs_err_set(err, -ENOMEM, "no memory for '%s/%s'", dir,
				  name);
	if (!data)
		return -ENOENT;
	*ret_data = data;
	*ret_len = len;
	return 0;
}

int64_t cs_state_file_hangs_us(void)
{
	int64_t since = cs_queue_busy_since_us(CS_QUEUE_STATE);

	return since ? cs_gate_now_us() - since : 0;
}

struct aside {
	struct cs_task task; /* first */
	char dir[PATH_MAX], name[NAME_MAX], as[NAME_MAX], suffix[NAME_MAX];
};

static void run_aside(struct cs_task *task)
{
	struct aside *a = (struct aside *)task;

	rename_file(a->dir, a->name, a->as, a->suffix);
	free(a);
}

void cs_state_file_set_aside(const char *dir, const char *name, const char *as,
			     const char *suffix)
{
	struct aside *a = calloc(1, sizeof(*a));
	struct slot *s;

	if (!a)
		return;
	pthread_mutex_lock(&table.lock);
	s = find(dir, name);
	if (s && s->known && !s->queued) {
		free(s->data);
		s->data = NULL;
	}
	pthread_mutex_unlock(&table.lock);
	a->task.run = run_aside;
	snprintf(a->dir, sizeof(a->dir), "%s", dir);
	snprintf(a->name, sizeof(a->name), "%s", name);
	snprintf(a->as, sizeof(a->as), "%s", as);
	snprintf(a->suffix, sizeof(a->suffix), "%s", suffix);
	cs_queue_put(CS_QUEUE_STATE, &a->task);
}
