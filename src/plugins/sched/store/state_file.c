/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own state file.
 *
 * CRC-32 as in IEEE 802.3 (reflected, polynomial 0xedb88320): it detects damage
 * by a crash or a full disk; it does not guard against an attacker, who would
 * need the rights of SlurmUser.
 */
#include "sched/store/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint32_t crc32(const unsigned char *p, size_t n)
{
	uint32_t crc = UINT32_MAX;

	while (n--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
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
	if (!rc)
		return sync_folder(dir);
	unlink(new);
	return cs_err_set(err, rc, "cannot write '%s': %s", path,
			  strerror(-rc));
}

int cs_state_file_save(const char *dir, const char *name, const void *data,
		       size_t len, struct cs_err *err)
{
	return save(dir, name, false, data, len, err);
}

int cs_state_file_replace(const char *dir, const char *name, const void *data,
			  size_t len, struct cs_err *err)
{
	return save(dir, name, true, data, len, err);
}

void cs_state_file_set_aside(const char *dir, const char *name, const char *as,
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

int cs_state_file_load(const char *dir, const char *name, char **ret_data,
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
		cs_state_file_set_aside(dir, name, name, CS_STATE_BAD);
		return cs_err_set(err, rc,
				  "bad state '%s': %s; kept as '%s.bad'", path,
				  why.text, path);
	}
	return cs_err_set(err, rc, "cannot read '%s': %s", path, strerror(-rc));
}
