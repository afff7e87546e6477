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
 * 4. Numbers of users, of names in a folder, and of ranks are bounded; what is beyond is
 *    not there.
 * 5. A row is taken whole, with a sum that fits (board.c, rule 5).  Its process is a mere
 *    claim: process.c holds it against the owner.
 */
#include "agent/scan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
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

static void read_folder(struct cs_scan *s, int fd, uid_t uid)
{
	char key[CS_PLACE_KEY];
	struct dirent *e;
	DIR *d = fdopendir(fd);
	int names = 0, tries = 0;
	int64_t slot;

	if (!d) {
		close(fd);
		return;
	}
	while (names++ < CS_SCAN_NAMES && s->names++ < CS_SCAN_ALL_NAMES &&
	       tries < CS_SCAN_TRIES && s->tries < CS_SCAN_ALL_TRIES &&
	       s->n < s->room) {
		e = readdir(d);
		if (!e)
			break;
		slot = read_bell(e->d_name, key);
		if (slot < 0)
			continue;
		tries++;
		s->tries++;
		add_claim(s, dirfd(d), uid, key, (uint32_t)slot);
	}
	closedir(d);
}

static void open_folder(struct cs_scan *s, int root, const char *name)
{
	int64_t uid = number(name + strlen(PREFIX), UINT32_MAX);
	int fd = uid < 0 ? -1 : open_below(root, name, O_DIRECTORY);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == (uid_t)uid &&
	    !(st.st_mode & 077)) {
		s->user[s->n_user++] = (uid_t)uid;
		read_folder(s, fd, (uid_t)uid);
		return;
	}
	s->refused++;
	if (fd >= 0)
		close(fd);
}

int cs_scan_boards(struct cs_scan *s, const char *root)
{
	struct dirent *e;
	DIR *d = opendir(root);

	s->n = s->n_user = 0;
	s->names = s->tries = 0;
	s->refused = 0;
	if (!d)
		return -errno;
	while (s->n_user < CS_SCAN_USERS && (e = readdir(d)) != NULL)
		if (!strncmp(e->d_name, PREFIX, strlen(PREFIX)))
			open_folder(s, dirfd(d), e->d_name);
	closedir(d);
	return 0;
}
