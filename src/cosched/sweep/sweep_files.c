/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep/sweep_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 4400 /* a folder's path and a name of ours */
#define PIECE 65536
#define MAGIC "cosched1"

/* Before a result's bytes. */
struct head {
	char magic[8];
	uint64_t sweep, run, size, sum;
};

uint64_t cs_sweep_sum(uint64_t sum, const void *data, size_t size)
{
	const unsigned char *c = data;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ c[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static int failed(int error, const char *path, struct cs_err *err)
{
	int rc = error ? -error : -EIO;

	return cs_err_set(err, rc, "'%.250s': %s", path, strerror(-rc));
}

int cs_sweep_sum_file(uint64_t *sum, const char *path, struct cs_err *err)
{
	char piece[PIECE];
	FILE *file = fopen(path, "re");
	size_t n;
	int rc = 0;

	if (!file)
		return failed(errno, path, err);
	while ((n = fread(piece, 1, sizeof(piece), file)))
		*sum = cs_sweep_sum(*sum, piece, n);
	if (ferror(file))
		rc = failed(errno, path, err);
	fclose(file);
	return rc;
}

/* A name beside @path that no other process uses. */
static void fresh_name(const char *path, char fresh[PATH_ROOM])
{
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);
	snprintf(fresh, PATH_ROOM, "%.4200s.%s.%ld.new", path, host,
		 (long)getpid());
}

/* Close @file, written as @fresh, and put it in place. */
static int put_in_place(FILE *file, const char *fresh, const char *path,
			struct cs_err *err)
{
	int error = 0;

	errno = 0;
	if (fflush(file) || ferror(file))
		error = errno ? errno : EIO;
	if (fclose(file) && !error)
		error = errno ? errno : EIO;
	if (!error && rename(fresh, path))
		error = errno;
	if (!error)
		return 0;
	unlink(fresh);
	return failed(error, path, err);
}

int cs_sweep_write(const char *path, const void *data, size_t size,
		   struct cs_err *err)
{
	char fresh[PATH_ROOM];
	FILE *file;

	fresh_name(path, fresh);
	file = fopen(fresh, "we");
	if (!file)
		return failed(errno, fresh, err);
	fwrite(data, 1, size, file);
	return put_in_place(file, fresh, path, err);
}

int cs_sweep_copy(const char *from, const char *to, struct cs_err *err)
{
	char fresh[PATH_ROOM], piece[PIECE];
	FILE *in, *out;
	size_t n;

	if (!access(to, F_OK))
		return 0;
	in = fopen(from, "re");
	if (!in)
		return failed(errno, from, err);
	fresh_name(to, fresh);
	out = fopen(fresh, "we");
	if (!out) {
		int rc = failed(errno, fresh, err);

		fclose(in);
		return rc;
	}
	while ((n = fread(piece, 1, sizeof(piece), in)))
		fwrite(piece, 1, n, out);
	if (ferror(in)) {
		int rc = failed(errno, from, err);

		fclose(in);
		fclose(out);
		unlink(fresh);
		return rc;
	}
	fclose(in);
	return put_in_place(out, fresh, to, err);
}

int cs_sweep_read(const char *path, char **ret, size_t *ret_size)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	char *data;
	size_t n;

	if (!file)
		return -errno;
	if (fstat(fileno(file), &st) || !S_ISREG(st.st_mode)) {
		fclose(file);
		return -EIO;
	}
	data = malloc((size_t)st.st_size + 1);
	if (!data) {
		fclose(file);
		return -ENOMEM;
	}
	n = fread(data, 1, (size_t)st.st_size, file);
	data[n] = '\0';
	fclose(file);
	*ret = data;
	*ret_size = n;
	return 0;
}

/* ---- results ------------------------------------------------------------- */

static void result_path(const char *folder, size_t n, char path[PATH_ROOM])
{
	snprintf(path, PATH_ROOM, "%.4096s/run/%zu", folder, n);
}

int cs_sweep_put(const char *folder, uint64_t sum, size_t n, const void *data,
		 size_t size, struct cs_err *err)
{
	struct head head = { .sweep = sum,
			     .run = n,
			     .size = size,
			     .sum = cs_sweep_sum(CS_SWEEP_SUM, data, size) };
	char path[PATH_ROOM], fresh[PATH_ROOM];
	FILE *file;

	memcpy(head.magic, MAGIC, sizeof(head.magic));
	result_path(folder, n, path);
	fresh_name(path, fresh);
	file = fopen(fresh, "we");
	if (!file)
		return failed(errno, fresh, err);
	fwrite(&head, sizeof(head), 1, file);
	fwrite(data, 1, size, file);
	return put_in_place(file, fresh, path, err);
}

int cs_sweep_get(const char *folder, uint64_t sum, size_t n, void **ret,
		 size_t *ret_size)
{
	char path[PATH_ROOM], *data;
	struct head head;
	size_t size;
	int rc;

	result_path(folder, n, path);
	rc = cs_sweep_read(path, &data, &size);
	if (rc)
		return rc == -ENOMEM ? rc : -ENOENT;
	if (size >= sizeof(head)) {
		memcpy(&head, data, sizeof(head));
		size -= sizeof(head);
		if (!memcmp(head.magic, MAGIC, sizeof(head.magic)) &&
		    head.sweep == sum && head.run == n && head.size == size &&
		    head.sum == cs_sweep_sum(CS_SWEEP_SUM, data + sizeof(head),
					     size)) {
			memmove(data, data + sizeof(head), size);
			*ret = data;
			*ret_size = size;
			return 0;
		}
	}
	free(data);
	unlink(path);
	return -ENOENT;
}

/* ---- the folder ---------------------------------------------------------- */

void cs_sweep_renew(const char *folder)
{
	char path[PATH_ROOM];
	int fd;

	snprintf(path, sizeof(path), "%.4096s/look", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	close(fd);
	unlink(path);
}

void cs_sweep_found(const char *folder, bool *found, size_t n)
{
	char path[PATH_ROOM];
	const struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "%.4096s/run", folder);
	cs_sweep_renew(path);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		char *end;
		unsigned long i = strtoul(d->d_name, &end, 10);

		if (*d->d_name >= '0' && *d->d_name <= '9' && !*end && i < n)
			found[i] = true;
	}
	if (dir)
		closedir(dir);
}

/* Remove the files of @folder, then the folder. */
static void remove_one(const char *folder)
{
	char path[PATH_ROOM];
	DIR *dir = opendir(folder);
	const struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		snprintf(path, sizeof(path), "%.4096s/%.255s", folder,
			 d->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

void cs_sweep_remove(const char *folder)
{
	char path[PATH_ROOM];

	snprintf(path, sizeof(path), "%.4096s/run", folder);
	remove_one(path);
	remove_one(folder);
}
