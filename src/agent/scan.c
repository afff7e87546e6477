// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boards, read by a process with more rights than their owners.
 *
 * Rule.
 * 1. A folder is taken if its name ends in its owner's number and if others may not enter
 *    it; a board, if it is a plain file of the same owner, of the size that boards have,
 *    with one name.
 * 2. No link is followed, and no mount point is crossed below the root: a user may mount
 *    a file system of its own there, in which each call would wait for ever.  The kernel
 *    holds both (openat2).
 * 3. Nothing is written, and nothing is opened for writing.
 * 4. Numbers of users, and of names, opened boards and claims in a folder are bounded; a
 *    scan leaves out what is beyond.
 * 5. The work of a scan is bounded as well.  Folders that it did not reach are read first
 *    in the next scan, so that no user can hide the folders of others; a root with many
 *    names is listed over several scans, and a folder is forgotten when a whole pass over
 *    the root has not found it.
 * 6. A row is taken whole, with a sum that fits (board.c, rule 5).  Its process is a mere
 *    claim: process.c holds it against the owner.
 */
#include "agent/scan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PREFIX "cosched-wait."
#define BOARD_SIZE ((off_t)(CS_BOARD_SLOTS + 1) * CS_BOARD_PAGE)

/* Rule 2.  O_NONBLOCK: a pipe in place of a board does not wait for a writer. */
static int open_below(int at, const char *name, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		.resolve =
			RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_BENEATH,
	};

	return (int)syscall(SYS_openat2, at, name, &how, sizeof how);
}

/* @text whole as a number below @end, without leading zeros; -1: it is none. */
static int64_t number(const char *text, int64_t end)
{
	int64_t n = 0;

	if (!isdigit((unsigned char)*text) || (*text == '0' && text[1]))
		return -1;
	for (; isdigit((unsigned char)*text); text++) {
		n = 10 * n + (*text - '0');
		if (n >= end)
			return -1;
	}
	return *text ? -1 : n;
}

/* "KEY.SLOT", the name of a doorbell. */
static int64_t read_bell(const char *name, char key[CS_PLACE_KEY])
{
	size_t n = strspn(name, "0123456789abcdef");

	if (n != CS_PLACE_KEY - 1 || name[n] != '.')
		return -1;
	memcpy(key, name, n);
	key[n] = '\0';
	return number(name + n + 1, CS_BOARD_SLOTS);
}

static bool is_board(int fd, uid_t uid)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == uid &&
	       st.st_nlink == 1 && st.st_size == BOARD_SIZE && cs_board_is(fd);
}

static void add_claim(struct cs_scan *s, int folder, uid_t uid, const char *key,
		      uint32_t slot)
{
	struct cs_claim *c = &s->claim[s->n];
	int fd = open_below(folder, key, 0), rc = -EBADMSG;

	if (fd < 0) {
		s->refused += errno != ENOENT;
		return;
	}
	if (is_board(fd, uid))
		rc = cs_board_read(fd, slot, &c->row);
	close(fd);
	if (rc) {
		s->refused += rc != -ENOENT;
		return;
	}
	c->uid = uid;
	memcpy(c->key, key, sizeof c->key);
	s->n++;
}

/* Reads the folder open as @fd; false: the bounds of the whole scan ended it. */
static bool read_folder(struct cs_scan *s, int fd, uid_t uid)
{
	const size_t first = s->n;
	char key[CS_PLACE_KEY];
	struct dirent *e;
	DIR *d = fdopendir(fd);
	int names = 0, tries = 0;
	bool room = true;
	int64_t slot;

	if (!d) {
		close(fd);
		return true;
	}
	while (names++ < CS_SCAN_NAMES && tries < CS_SCAN_TRIES &&
	       s->n - first < CS_SCAN_OF_USER) {
		room = s->names < CS_SCAN_ALL_NAMES &&
		       s->tries < CS_SCAN_ALL_TRIES;
		if (!room)
			break;
		e = readdir(d);
		if (!e)
			break;
		s->names++;
		slot = read_bell(e->d_name, key);
		if (slot < 0)
			continue;
		tries++;
		s->tries++;
		add_claim(s, dirfd(d), uid, key, (uint32_t)slot);
	}
	closedir(d);
	return room;
}

/* A descriptor of folder @name if rule 1 holds; -1. */
static int open_folder(int root, const char *name, int64_t uid)
{
	int fd = uid < 0 ? -1 : open_below(root, name, O_DIRECTORY);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == (uid_t)uid &&
	    !(st.st_mode & 077))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static struct cs_folder *find_folder(struct cs_scan *s, uid_t uid)
{
	for (size_t i = 0; i < s->n_folder; i++)
		if (s->folder[i].uid == uid)
			return &s->folder[i];
	return NULL;
}

static void list_folder(struct cs_scan *s, int root, const char *name)
{
	int64_t uid = number(name + strlen(PREFIX), UINT32_MAX);
	struct cs_folder *f = uid < 0 ? NULL : find_folder(s, (uid_t)uid);
	int fd;

	if (!f) {
		fd = open_folder(root, name, uid);
		if (fd < 0) {
			s->refused++;
			return;
		}
		close(fd);
		if (s->n_folder == CS_SCAN_USERS)
			return;
		f = &s->folder[s->n_folder++];
		*f = (struct cs_folder){ .uid = (uid_t)uid };
	}
	f->listed = true;
}

/* A pass over the root has ended: forgets the folders that it has not found. */
static void end_pass(struct cs_scan *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_folder; i++)
		if (s->folder[i].listed) {
			s->folder[n] = s->folder[i];
			s->folder[n++].listed = false;
		}
	s->n_folder = n;
	s->passes++;
	cs_scan_done(s);
}

static int list_root(struct cs_scan *s, const char *root)
{
	struct dirent *e;

	if (!s->root)
		s->root = opendir(root);
	if (!s->root)
		return -errno;
	for (int names = 0; names < CS_SCAN_ROOT_NAMES; names++) {
		e = readdir(s->root);
		if (!e) {
			end_pass(s);
			return 0;
		}
		if (!strncmp(e->d_name, PREFIX, strlen(PREFIX)))
			list_folder(s, dirfd(s->root), e->d_name);
	}
	return 0;
}

/* Reads folder @f; false: the bounds of the whole scan ended it. */
static bool take_folder(struct cs_scan *s, int root, struct cs_folder *f)
{
	char name[32];
	int fd;

	snprintf(name, sizeof name, PREFIX "%lu", (unsigned long)f->uid);
	fd = open_folder(root, name, f->uid);
	if (fd < 0) /* removed, or not valid any more: it has no ranks */
		f->read = true;
	else
		f->read = read_folder(s, fd, f->uid);
	s->n_read += f->read;
	return f->read;
}

int cs_scan_boards(struct cs_scan *s, const char *root)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	size_t first;
	int fd, rc;

	s->n = s->n_read = 0;
	s->names = s->tries = 0;
	s->refused = 0;
	for (size_t i = 0; i < s->n_folder; i++)
		s->folder[i].read = false;
	rc = list_root(s, root);
	if (rc)
		return rc;
	fd = open(root, flags);
	if (fd < 0)
		return -errno;
	first = s->n_folder ? s->next % s->n_folder : 0;
	for (size_t k = 0; k < s->n_folder; k++) {
		s->next = (first + k) % s->n_folder;
		if (!take_folder(s, fd, &s->folder[s->next]))
			break;
	}
	close(fd);
	return 0;
}

bool cs_scan_covers(const struct cs_scan *s, uid_t uid)
{
	for (size_t i = 0; i < s->n_folder; i++)
		if (s->folder[i].uid == uid)
			return s->folder[i].read;
	return true;
}

void cs_scan_done(struct cs_scan *s)
{
	if (s->root)
		closedir(s->root);
	s->root = NULL;
}
