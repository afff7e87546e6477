/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rank's side of the token: its reports to the agent of its node, coschedd-node, and the
 * wait for its turn.  The theory is in token.c.
 */
#ifndef CS_WAIT_TOKEN_H
#define CS_WAIT_TOKEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CS_TOKEN_MAGIC UINT32_C(0x4b4f5443)
#define CS_TOKEN_WAIT_MS 5 /* the longest wait for a turn */
#define CS_TOKEN_RETRY_NS \
	INT64_C(1000000000) /* between two looks for an agent */
#define CS_TOKEN_HELLO_NS INT64_C(100000000)

enum cs_token_word {
	CS_TOKEN_HELLO = 1, /* a new rank; the answer has its number */
	CS_TOKEN_SLEEP,	    /* it waits for messages */
	CS_TOKEN_READY,	    /* it runs again */
	CS_TOKEN_YOURS /* from the agent: its turn, or the answer to HELLO */
};

/* A datagram, either way. */
struct cs_token_note {
	uint32_t magic;
	uint32_t word; /* enum cs_token_word */
	uint32_t pid;  /* YOURS: the rank's number, as the agent sees it */
	uint32_t spare;
};

/* The fields are token.c's.  Zeroed with fd and page -1: no agent known. */
struct cs_token {
	int fd, page; /* -1: none */
	dev_t fd_dev, page_dev;
	ino_t fd_ino, page_ino;
	uint32_t self;	  /* its number; 0: the agent does not know it yet */
	bool asleep;	  /* as last reported */
	int64_t retry_ns; /* when to look for an agent next */
};

/* Looks for an agent in @dir, or sends HELLO again, when that is due.  True: an agent runs,
 * whether or not it knows the rank yet. */
bool cs_token_look(struct cs_token *t, const char *dir, int64_t now_ns);

/* Reports that the rank sleeps, or runs again; the latter returns when its turn has come,
 * after CS_TOKEN_WAIT_MS at the latest. */
void cs_token_sleep(struct cs_token *t);
void cs_token_wake(struct cs_token *t, int64_t now_ns);

void cs_token_drop(struct cs_token *t);

#endif
