/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the page comes from: `cosched status --json`, a process of its own, since
 * asking scontrol and the plugin may take seconds in which clients are served.  It runs
 * at most once a second, and is ended after CS_SOURCE_LIMIT_MS.  Where nobody answers
 * for the first time it is asked once more within that time.
 */
#ifndef CS_COSCHED_EXPORTER_SOURCE_H
#define CS_COSCHED_EXPORTER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CS_SOURCE_FRESH_MS 1000 /* from one question to the next */
#define CS_SOURCE_LIMIT_MS 4000 /* for an answer */
#define CS_SOURCE_TEXT_MAX (1024 * 1024)

struct cs_source {
	const char *socket; /* borrowed: --socket of it; NULL: none */
	char *page;	    /* the last one, owned; NULL: none yet */
	int64_t asked_ms;   /* when that question was put */
	bool again;	    /* it is put for the second time */
	pid_t pid;	    /* 0: nobody is being asked */
	int fd;		    /* what it says, for poll(); -1 where pid is 0 */
	char *text;	    /* [CS_SOURCE_TEXT_MAX + 1], owned */
	size_t len;
	char why[256]; /* why nobody answered last; "": somebody did */
};

/* 0 or -ENOMEM. */
int cs_source_init(struct cs_source *s, const char *socket);
void cs_source_done(struct cs_source *s);

/*
 * Put the question if nobody is being asked and the page is not of the last second.
 * Returns whether the page is (then it is there).  Where no process can be started
 * nobody answers.
 */
bool cs_source_fresh(struct cs_source *s, int64_t now_ms);

/*
 * Read on, without waiting; true: the question is answered, or has taken too long, and
 * s->page is new.  A reason that is another than the last is told on standard error.
 */
bool cs_source_read(struct cs_source *s, int64_t now_ms);

#endif
