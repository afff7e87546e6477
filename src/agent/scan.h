/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ranks that boards in shared memory claim to be on this node.  Boards are memory of
 * jobs: whatever they hold is checked.  The theory is in scan.c.
 */
#ifndef CS_AGENT_SCAN_H
#define CS_AGENT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wait/board.h"
#include "wait/place.h"

#define CS_SCAN_USERS 128	/* folders */
#define CS_SCAN_ROOT_NAMES 1024 /* names of the root that one scan reads */
#define CS_SCAN_NAMES 4096	/* names read in one folder */
#define CS_SCAN_ALL_NAMES 16384
#define CS_SCAN_TRIES 512 /* boards opened for one folder */
#define CS_SCAN_ALL_TRIES 2048
#define CS_SCAN_OF_USER 256 /* claims of one folder */

/* A rank, as its board claims. */
struct cs_claim {
	uid_t uid; /* the owner of the board, by the kernel: this is no claim */
	char key[CS_PLACE_KEY];
	struct cs_board_row row;
};

struct cs_folder {
	uid_t uid;
	bool listed; /* in the current pass over the root */
	bool read;   /* in the last scan, up to the bounds of one folder */
};

/* Zeroed before the first scan. */
struct cs_scan {
	struct cs_claim claim[CS_SCAN_ALL_TRIES]; /* of the last scan */
	size_t n;
	struct cs_folder folder[CS_SCAN_USERS];
	size_t n_folder;
	size_t next;	       /* the folder that the next scan reads first */
	size_t n_read;	       /* folders read in the last scan */
	void *root;	       /* DIR of a pass that has not ended; NULL */
	uint64_t passes;       /* over the root, ended */
	unsigned names, tries; /* of the last scan, against the bounds */
	uint64_t refused;      /* folders, boards and rows that are not valid */
};

/*
 * Reads the boards below @root, within the bounds: a long root is listed over several
 * scans, and folders that one scan cannot read come first in the next.  0; -errno: @root
 * cannot be read, and the scan has no claims.
 */
int cs_scan_boards(struct cs_scan *s, const char *root);

/* Do the ranks of @uid that the last scan has not found have no row on a board?  False
 * where the folder of @uid was not read. */
bool cs_scan_covers(const struct cs_scan *s, uid_t uid);

/* Closes the root. */
void cs_scan_done(struct cs_scan *s);

#endif
