/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ranks that boards in shared memory claim to be on this node.  Boards are memory of
 * jobs: whatever they hold is checked.  The theory is in scan.c.
 */
#ifndef CS_AGENT_SCAN_H
#define CS_AGENT_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wait/board.h"
#include "wait/place.h"

#define CS_SCAN_USERS 128  /* folders in one scan */
#define CS_SCAN_NAMES 4096 /* looked at in one folder */
#define CS_SCAN_ALL_NAMES 16384
#define CS_SCAN_TRIES 512 /* boards opened for one folder */
#define CS_SCAN_ALL_TRIES 2048

/* A rank, as its board claims. */
struct cs_claim {
	uid_t uid; /* who owns the board: this is no claim */
	char key[CS_PLACE_KEY];
	struct cs_board_row row;
};

struct cs_scan {
	struct cs_claim *claim; /* [room], the caller's */
	size_t n, room;
	uid_t user[CS_SCAN_USERS]; /* who has a folder */
	size_t n_user;
	unsigned names, tries; /* in all folders, against the bounds */
	uint64_t refused;      /* folders, boards and rows that are not valid */
};

/* Reads all boards below @root.  0; -errno: @root cannot be read, and @s is empty. */
int cs_scan_boards(struct cs_scan *s, const char *root);

#endif
