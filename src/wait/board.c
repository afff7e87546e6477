// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The board.
 *
 * Problem.  Ranks of one job on one node exchange messages through memory, where no
 * descriptor tells of an arrival.  A rank that sleeps must be woken by the one that has
 * sent, whatever became of the file in between: a rank may be killed at any instruction,
 * and the file removed, cut, or filled with noise.
 *
 * Rule.
 * 1. The file is read and written, never mapped: a cut file is a short read and no
 *    signal.  There is no lock in it, so that a killed rank holds none.
 * 2. A rank posts that it sleeps, gives its library one more pass, then sleeps on its
 *    doorbell.  One that may have sent reads all bytes after that, and rings the
 *    sleepers.  Either the sleeper's last pass sees the message, or the sender sees the
 *    byte.
 * 3. A rank that rings a doorbell without a reader clears its byte.
 *    A rank lives, and holds its slot, as long as its doorbell answers.
 * 4. Whatever is not as it was written (a short read, a byte neither 0 nor 1, another
 *    file behind the descriptor) ends the board for this rank.  It then sleeps by the
 *    clock (idle.h), at most a millisecond.
 * 5. A row has a sum over its bytes: a reader takes what was posted whole, or nothing.
 *
 * Known weakness.  A user's own processes may write their user's boards: noise costs
 * that user the doorbells, and nothing else.
 */
#include "wait/board.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "wait/own_fd.h"

#define MAGIC UINT64_C(0x31445241424f4353) /* "SCOBARD1" */
#define ROW_MAGIC UINT64_C(0x32574f5242534353)
#define BELLS 2048 /* where the bytes begin in page 0 */

_Static_assert(BELLS + CS_BOARD_SLOTS <= CS_BOARD_PAGE, "bytes in page 0");
_Static_assert(sizeof(struct cs_board_row) <= CS_BOARD_PAGE, "a row a page");

struct header {
	uint64_t magic;
	uint32_t page, slots;
};

static const struct header HEADER = { MAGIC, CS_BOARD_PAGE, CS_BOARD_SLOTS };

static uint64_t row_sum(const struct cs_board_row *row)
{
	const unsigned char *byte = (const unsigned char *)row;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < offsetof(struct cs_board_row, sum); i++)
		sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static off_t row_at(uint32_t slot)
{
	return (off_t)(slot + 1) * CS_BOARD_PAGE;
}

bool cs_board_is(int fd)
{
	struct header h;

	return pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h &&
	       !memcmp(&h, &HEADER, sizeof h);
}

static void give_up(struct cs_board *b)
{
	if (cs_own_fd_same(b->fd, b->dev, b->ino))
		close(b->fd);
	b->fd = -1;
}

/* Has @b a doorbell?  One whose descriptor the program closed or reused is given up. */
static bool has_bell(struct cs_board *b)
{
	if (!cs_own_fd_same(b->bell, b->bell_dev, b->bell_ino))
		b->bell = -1;
	return b->bell >= 0;
}

static int open_folder(char *folder, size_t size, const char *root, bool make)
{
	struct stat st;
	int n = snprintf(folder, size, "%s/cosched-wait.%lu", root,
			 (unsigned long)geteuid());

	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	if (make && mkdir(folder, 0700) && errno != EEXIST)
		return -errno;
	if (lstat(folder, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 077))
		return -EPERM;
	return 0;
}

/* Opens the file of @b.  A new one appears under its name whole: it is written under
 * another before. */
static int open_board(struct cs_board *b)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
	char fresh[sizeof b->path + 32];
	int fd = -1, rc = 0;

	for (int tries = 0; tries < 3; tries++) {
		fd = open(b->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0 && cs_board_is(fd))
			return fd;
		if (fd >= 0) {
			close(fd);
			unlink(b->path);
		}
		snprintf(fresh, sizeof fresh, "%s.new%ld", b->path,
			 (long)getpid());
		fd = open(fresh, flags, 0600);
		/* left by a killed rank whose number this process has now */
		if (fd < 0 && errno == EEXIST && !unlink(fresh))
			fd = open(fresh, flags, 0600);
		if (fd < 0)
			return -errno;
		if (pwrite(fd, &HEADER, sizeof HEADER, 0) !=
			    (ssize_t)sizeof HEADER ||
		    ftruncate(fd, row_at(CS_BOARD_SLOTS)))
			rc = -EIO;
		if (!rc && link(fresh, b->path) && errno != EEXIST)
			rc = -errno;
		close(fd);
		unlink(fresh);
		if (rc)
			return rc;
	}
	return -EBADMSG;
}

/* Has a process the doorbell @name open?  Its number would not tell: another process may
 * have it by now, and one that has ended keeps it until its parent looks. */
static bool answers(const char *folder, const char *name)
{
	struct sockaddr_un door = { .sun_family = AF_UNIX };
	int fd, n = snprintf(door.sun_path, sizeof door.sun_path, "%s/%s",
			     folder, name);
	bool yes;

	if (n < 0 || (size_t)n >= sizeof door.sun_path)
		return false;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	yes = fd < 0 ||
	      !connect(fd, (const struct sockaddr *)&door, sizeof door);
	if (fd >= 0)
		close(fd);
	return yes;
}

static int open_bell(struct cs_board *b, const char *key)
{
	struct stat st;
	int n;

	b->door.sun_family = AF_UNIX;
	n = snprintf(b->door.sun_path, sizeof b->door.sun_path, "%s/%s.%u",
		     b->folder, key, b->slot);
	if (n < 0 || (size_t)n >= sizeof b->door.sun_path)
		return -ENAMETOOLONG;
	b->bell = cs_own_fd_high(
		socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	if (b->bell < 0)
		return -errno;
	if (fstat(b->bell, &st))
		return -errno;
	b->bell_dev = st.st_dev;
	b->bell_ino = st.st_ino;
	/* another program of the same environment, such as one that a rank has started */
	if (answers(b->folder, strrchr(b->door.sun_path, '/') + 1))
		return -EADDRINUSE;
	unlink(b->door.sun_path);
	if (bind(b->bell, (const struct sockaddr *)&b->door, sizeof b->door))
		return -errno;
	return 0;
}

static int join(struct cs_board *b, const char *root, const char *key)
{
	struct stat st;
	int rc = open_folder(b->folder, sizeof b->folder, root, true);
	int n = snprintf(b->path, sizeof b->path, "%s/%s", b->folder, key);

	if (rc)
		return rc;
	if (n < 0 || (size_t)n >= sizeof b->path)
		return -ENAMETOOLONG;
	b->fd = cs_own_fd_high(open_board(b));
	if (b->fd < 0)
		return b->fd;
	if (fstat(b->fd, &st))
		return -errno;
	b->dev = st.st_dev;
	b->ino = st.st_ino;
	return open_bell(b, key);
}

int cs_board_join(struct cs_board *b, const char *root, const char *key,
		  uint32_t slot)
{
	int rc = -ENOENT;

	cs_board_sweep(root, CS_BOARD_STALE_S);
	/* The last rank of another board may remove the folder in between, and that of this
	 * board its file (-EBADMSG). */
	for (int tries = 0; (rc == -ENOENT || rc == -EBADMSG) && tries < 8;
	     tries++) {
		memset(b, 0, sizeof *b);
		b->fd = b->bell = -1;
		b->slot = slot;
		if (slot >= CS_BOARD_SLOTS)
			return -EINVAL;
		rc = join(b, root, key);
		if (rc)
			cs_board_drop(b);
	}
	if (rc)
		return rc;
	b->asleep = true; /* what a rank before may have left in the slot */
	cs_board_sleep(b, false);
	return 0;
}

/* Does a rank live on the board @key? */
static bool lives(const char *folder, const char *key)
{
	size_t len = strlen(key);
	DIR *d = opendir(folder);
	struct dirent *e;
	bool yes = false;

	while (d && !yes && (e = readdir(d)) != NULL)
		yes = !strncmp(e->d_name, key, len) && e->d_name[len] == '.' &&
		      answers(folder, e->d_name);
	if (d)
		closedir(d);
	return yes;
}

void cs_board_leave(struct cs_board *b)
{
	struct cs_board_row none = { 0 };
	ssize_t n;

	cs_board_sleep(b, false);
	if (cs_own_fd_same(b->fd, b->dev, b->ino)) {
		n = pwrite(b->fd, &none, sizeof none, row_at(b->slot));
		(void)n;
	}
	if (b->door.sun_path[0]) {
		unlink(b->door.sun_path);
		if (!lives(b->folder, strrchr(b->path, '/') + 1))
			unlink(b->path);
		rmdir(b->folder); /* the last one */
	}
	cs_board_drop(b);
}

void cs_board_drop(struct cs_board *b)
{
	give_up(b);
	if (has_bell(b))
		close(b->bell);
	b->bell = -1;
	b->door.sun_path[0] = '\0';
}

void cs_board_sleep(struct cs_board *b, bool asleep)
{
	const char byte = asleep;

	if (b->fd < 0 || b->asleep == asleep)
		return;
	b->asleep = asleep;
	if (!cs_own_fd_same(b->fd, b->dev, b->ino) ||
	    pwrite(b->fd, &byte, 1, BELLS + (off_t)b->slot) != 1)
		give_up(b);
}

unsigned cs_board_ring(struct cs_board *b)
{
	char bytes[CS_BOARD_SLOTS];
	struct sockaddr_un door = b->door;
	unsigned rung = 0;
	char *number;

	if (b->fd < 0 || !has_bell(b))
		return 0;
	if (pread(b->fd, bytes, sizeof bytes, BELLS) != (ssize_t)sizeof bytes) {
		give_up(b);
		return 0;
	}
	number = strrchr(door.sun_path, '.') + 1;
	for (uint32_t i = 0; i < CS_BOARD_SLOTS; i++) {
		if (!bytes[i] || i == b->slot)
			continue;
		if (bytes[i] != 1) {
			give_up(b);
			return rung;
		}
		snprintf(number,
			 sizeof door.sun_path -
				 (size_t)(number - door.sun_path),
			 "%u", i);
		if (sendto(b->bell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL,
			   (const struct sockaddr *)&door, sizeof door) == 1)
			rung++;
		else if ((errno == ENOENT || errno == ECONNREFUSED) &&
			 cs_own_fd_same(b->fd, b->dev, b->ino) &&
			 pwrite(b->fd, "", 1, BELLS + (off_t)i) != 1)
			give_up(b);
	}
	return rung;
}

unsigned cs_board_heard(struct cs_board *b)
{
	unsigned n = 0;
	char byte;

	if (!has_bell(b))
		return 0;
	while (n < CS_BOARD_SLOTS && recv(b->bell, &byte, 1, MSG_DONTWAIT) >= 0)
		n++;
	return n;
}

void cs_board_post(struct cs_board *b, const struct cs_board_row *row)
{
	struct cs_board_row r = *row;

	r.magic = ROW_MAGIC;
	r.pid = (uint32_t)getpid();
	r.slot = b->slot;
	r.sum = row_sum(&r);
	if (b->fd >= 0 &&
	    (!cs_own_fd_same(b->fd, b->dev, b->ino) || !cs_board_is(b->fd) ||
	     pwrite(b->fd, &r, sizeof r, row_at(b->slot)) != (ssize_t)sizeof r))
		give_up(b);
}

int cs_board_read(int fd, uint32_t slot, struct cs_board_row *ret)
{
	struct cs_board_row row;

	if (slot >= CS_BOARD_SLOTS ||
	    pread(fd, &row, sizeof row, row_at(slot)) != (ssize_t)sizeof row)
		return -EBADMSG;
	if (!row.magic && !row.pid)
		return -ENOENT;
	if (row.magic != ROW_MAGIC || row.sum != row_sum(&row) ||
	    row.slot != slot || !row.pid || row.pid > INT32_MAX)
		return -EBADMSG;
	*ret = row;
	return 0;
}

unsigned cs_board_sweep(const char *root, int64_t older_s)
{
	char path[80];
	struct dirent *e;
	struct stat st;
	unsigned gone = 0;
	int64_t now = time(NULL);
	DIR *d;

	if (open_folder(path, sizeof path, root, false))
		return 0;
	d = opendir(path);
	/* Doorbells that no process has open, then boards without any. */
	for (int pass = 0; d && pass < 2; pass++) {
		rewinddir(d);
		while ((e = readdir(d)) != NULL) {
			if (e->d_name[0] == '.' ||
			    fstatat(dirfd(d), e->d_name, &st,
				    AT_SYMLINK_NOFOLLOW) ||
			    S_ISSOCK(st.st_mode) == pass ||
			    now - (int64_t)st.st_mtime < older_s)
				continue;
			if (pass ? !lives(path, e->d_name)
				 : !answers(path, e->d_name))
				gone += !unlinkat(dirfd(d), e->d_name, 0) &&
					pass;
		}
	}
	if (d)
		closedir(d);
	return gone;
}
