/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The board: a file in shared memory on which the ranks of a job on one node post their
 * state, and doorbells by which they wake each other.  The theory is in board.c.
 *
 *	page 0		a header, and a byte a rank: it sleeps
 *	page 1 + slot	the rank's row, which only that rank writes
 *
 * The board lies in ROOT/cosched-wait.UID, a folder that only the user (and root) may
 * enter; other users can neither read nor write it, nor ring.  Ranks never depend on it:
 * each call returns at once, and after the first failure the rank goes on without.
 */
#ifndef CS_WAIT_BOARD_H
#define CS_WAIT_BOARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/un.h>

#define CS_BOARD_PAGE 4096
#define CS_BOARD_SLOTS 1024
#define CS_BOARD_STALE_S 60 /* a younger board is never swept */

/* What a rank posts; times in nanoseconds. */
struct cs_board_row {
	uint64_t magic;
	uint32_t pid, slot;
	uint32_t mode;	 /* enum cs_wait_mode */
	uint32_t off;	 /* 1: the shim has turned itself off */
	uint64_t sleeps; /* how often it slept */
	uint64_t slept_ns;
	uint64_t woken;	    /* sleeps that an arrival or a doorbell ended */
	uint64_t rings;	    /* doorbells that it rang */
	uint64_t spun_ns;   /* between idle passes of a wait, awake */
	uint32_t job, step; /* of Slurm, as the environment says; 0: none */
	uint64_t begun_ns;  /* CLOCK_MONOTONIC: its first idle pass */
	uint64_t posted_ns; /* CLOCK_MONOTONIC */
	uint64_t sum;	    /* of all before */
};

/* A rank's hold on its board; the fields are board.c's. */
struct cs_board {
	int fd;	  /* the file; -1: none, or given up */
	int bell; /* its doorbell, a socket, to poll for POLLIN; -1: none */
	uint32_t slot;
	bool asleep; /* what its byte says */
	dev_t dev;   /* of fd, when it was opened */
	ino_t ino;
	dev_t bell_dev; /* of bell */
	ino_t bell_ino;
	char folder[80], path[112]; /* the board's */
	struct sockaddr_un door;    /* its doorbell's; an empty path: none */
};

/*
 * Joins the board @key (a name of letters and digits) of this user below @root, and
 * makes it if there is none; one that is broken is replaced.  Boards without a live
 * rank are removed.
 *
 * 0; -EINVAL: @slot is not below CS_BOARD_SLOTS; -EADDRINUSE: a live rank has the slot;
 * -EPERM: the folder is another user's, or others may write there; else what the system
 * said.  @b is empty after an error.
 */
int cs_board_join(struct cs_board *b, const char *root, const char *key,
		  uint32_t slot);

/* Takes the rank off; removes the board if no live rank is on it. */
void cs_board_leave(struct cs_board *b);

/* Gives up the descriptors, and removes nothing: for the child of a fork. */
void cs_board_drop(struct cs_board *b);

/* Posts that the rank @asleep, or is awake; nothing if that is posted already. */
void cs_board_sleep(struct cs_board *b, bool asleep);

/* Rings all other ranks that sleep; how many.  0, too, if the program closed the
 * doorbell's descriptor, or opened a file of its own by that number. */
unsigned cs_board_ring(struct cs_board *b);

/* How many rings came since the last call; 0 if the descriptor is no longer its own. */
unsigned cs_board_heard(struct cs_board *b);

/* Posts @row; fills its magic, process, slot and sum. */
void cs_board_post(struct cs_board *b, const struct cs_board_row *row);

/* Has the file open as @fd the header of a board? */
bool cs_board_is(int fd);

/* The row of @slot in the board open as @fd.  0; -ENOENT: no rank there; -EBADMSG: no
 * board, or no row. */
int cs_board_read(int fd, uint32_t slot, struct cs_board_row *ret);

/* Removes boards of this user below @root on which no rank lives, and which have not
 * changed for @older_s; how many. */
unsigned cs_board_sweep(const char *root, int64_t older_s);

#endif
