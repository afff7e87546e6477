// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The node page.
 *
 * Rule.
 * 1. The file is read and written, never mapped, as boards are (board.c, rule 1).
 * 2. The agent makes head.round odd, writes cores and jobs, and makes it even again; a
 *    reader takes what it read between two equal even rounds.
 * 3. Counts of the head are held against the room of the arrays before they are used,
 *    although only the agent can have written them.
 */
#include "wait/node_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x3130304544434f53) /* "SOCDE001" */
#define TOKENS 4096
#define CORES 8192
#define JOBS (CORES + 65536)
#define TRIES 8

_Static_assert(sizeof(struct cs_node_head) <= TOKENS, "the head's room");
_Static_assert(sizeof(struct cs_node_core) * CS_NODE_CPUS <= JOBS - CORES,
	       "the room of cores");

static const char *const NAMES[CS_NODE_N_BOOST] = {
	[CS_NODE_TOKEN] = "token",
	[CS_NODE_IDLE] = "idle",
	[CS_NODE_FIFO] = "fifo",
};

const char *cs_node_boost_name(uint32_t boost)
{
	return boost < CS_NODE_N_BOOST ? NAMES[boost] : "?";
}

static bool name_page(char *path, size_t size, const char *dir,
		      const char *suffix)
{
	int n = snprintf(path, size, "%s/" CS_NODE_PAGE "%s", dir, suffix);

	return n > 0 && (size_t)n < size;
}

int cs_node_page_open(const char *dir)
{
	char path[256];
	struct stat st;
	int fd;

	if (!name_page(path, sizeof path, dir, ""))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !(st.st_mode & 022) &&
	    (st.st_uid == 0 || st.st_uid == geteuid()))
		return fd;
	close(fd);
	return -EPERM;
}

static bool read_at(int fd, void *to, size_t size, off_t at)
{
	return pread(fd, to, size, at) == (ssize_t)size;
}

static int write_at(int fd, const void *from, size_t size, off_t at)
{
	return pwrite(fd, from, size, at) == (ssize_t)size ? 0 : -EIO;
}

int cs_node_page_head(int fd, struct cs_node_head *ret)
{
	struct cs_node_head h;

	if (!read_at(fd, &h, sizeof h, 0) || h.magic != MAGIC ||
	    h.n_core > CS_NODE_CPUS || h.n_job > CS_NODE_JOBS ||
	    h.boost >= CS_NODE_N_BOOST)
		return -EBADMSG;
	*ret = h;
	return 0;
}

int cs_node_page_read(int fd, struct cs_node_report *ret)
{
	struct cs_node_head after;

	for (int tries = 0; tries < TRIES; tries++) {
		if (cs_node_page_head(fd, &ret->head))
			return -EBADMSG;
		ret->n_core = ret->head.n_core;
		ret->n_job = ret->head.n_job;
		if (!read_at(fd, ret->core, ret->n_core * sizeof *ret->core,
			     CORES) ||
		    !read_at(fd, ret->job, ret->n_job * sizeof *ret->job,
			     JOBS) ||
		    cs_node_page_head(fd, &after))
			return -EBADMSG;
		if (ret->head.round == after.round && !(after.round & 1)) {
			for (uint32_t i = 0; i < ret->n_job; i++)
				ret->job[i].key[sizeof ret->job[i].key - 1] = 0;
			return 0;
		}
		usleep(1000);
	}
	return -EAGAIN;
}

uint32_t cs_node_page_token(int fd, int cpu)
{
	uint32_t pid;

	if (cpu < 0 || cpu >= CS_NODE_CPUS ||
	    !read_at(fd, &pid, sizeof pid,
		     TOKENS + (off_t)cpu * (off_t)sizeof pid))
		return 0;
	return pid;
}

int cs_node_page_create(const char *dir)
{
	char path[256], fresh[260];
	int fd;

	if (!name_page(path, sizeof path, dir, "") ||
	    !name_page(fresh, sizeof fresh, dir, ".new"))
		return -ENAMETOOLONG;
	unlink(fresh);
	fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	if (!fchmod(fd, 0644) &&
	    !ftruncate(fd, JOBS + (off_t)sizeof(struct cs_node_job) *
					   CS_NODE_JOBS) &&
	    !rename(fresh, path))
		return fd;
	close(fd);
	return -EIO;
}

static int write_head(int fd, const struct cs_node_report *r)
{
	const struct cs_node_head h = r->head;

	return write_at(fd, &h, sizeof h, 0);
}

int cs_node_page_write(int fd, struct cs_node_report *r)
{
	int rc;

	r->head.magic = MAGIC;
	r->head.n_core = r->n_core;
	r->head.n_job = r->n_job;
	r->head.round |= 1;
	rc = write_head(fd, r);
	if (!rc)
		rc = write_at(fd, r->core, r->n_core * sizeof *r->core, CORES);
	if (!rc)
		rc = write_at(fd, r->job, r->n_job * sizeof *r->job, JOBS);
	r->head.round++;
	return rc ? rc : write_head(fd, r);
}

int cs_node_page_set_token(int fd, uint32_t cpu, uint32_t pid)
{
	if (cpu >= CS_NODE_CPUS)
		return -EINVAL;
	return write_at(fd, &pid, sizeof pid,
			TOKENS + (off_t)cpu * (off_t)sizeof pid);
}
