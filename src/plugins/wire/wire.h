/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket's wire format, and the client's side of it.
 *
 * A frame is 12 bytes of head and a body:
 *
 *	bytes 0-3	"CsW1"
 *	byte  4		kind: 'Q' question, 'A' part of an answer, 'E' error
 *	bytes 5-7	0
 *	bytes 8-11	length of the body, most significant byte first
 *
 * 'Q': a munge credential whose payload is one JSON object,
 *	{"cmd":"status"|"explain"|"groups"|"top"|"params","job":N,"task":M,
 *	"nonce":"HEX"} with "job" for explain, and "task" for one of an array.
 *	"fields":true asks explain for an object, with "verbose":true for all
 *	partners in its text; a daemon that does not know them answers with a
 *	string, as it does one who does not ask.  Members that are not known are
 *	passed over.  The credential says who asks, and the daemon refuses one
 *	that was seen before.
 * 'A': a munge credential that only the asker can open, whose payload is
 *	"cosched 1 NONCE INDEX LAST\n" and a slice of the answer: INDEX counts
 *	from 0, LAST is 1 in the last.  The slices together are one JSON object,
 *	{"ok":true,"cmd":"...","answer":...} or {"ok":false,"error":"..."},
 *	with "denied":true where the asker lacks the right.
 *	NONCE ties them to the question.
 * 'E': one line of text, not authenticated, if no 'A' can be made (munged does
 *	not answer, bad frame): show it, do not trust it.
 *
 * One question per connection.
 */
#ifndef CS_WIRE_H
#define CS_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"

#define CS_WIRE_HEAD 12
#define CS_WIRE_QUESTION_MAX 8192	     /* bytes of a question's body */
#define CS_WIRE_SLICE 262144		     /* bytes of answer a credential */
#define CS_WIRE_BODY_MAX (2 * CS_WIRE_SLICE) /* of any other body */
#define CS_WIRE_ANSWER_MAX (64 * 1024 * 1024)
#define CS_WIRE_NONCE 32     /* characters 0-9a-f */
#define CS_WIRE_LABEL_MAX 80 /* bytes of "cosched 1 ... LAST\n" */

enum cs_wire_kind {
	CS_WIRE_QUESTION = 'Q',
	CS_WIRE_ANSWER = 'A',
	CS_WIRE_ERROR = 'E',
};

void cs_wire_put_head(unsigned char head[CS_WIRE_HEAD], enum cs_wire_kind kind,
		      uint32_t len);

/* Kind and length from a head; 0, or -EBADMSG if invalid. */
int cs_wire_get_head(const unsigned char head[CS_WIRE_HEAD],
		     enum cs_wire_kind *ret_kind, uint32_t *ret_len);

/* Is @nonce well formed? */
int cs_wire_nonce_good(const char *nonce);

/* ---- client -------------------------------------------------------------- */

struct cs_wire_peer {
	const char *where; /* absolute path of a unix socket, or HOST:PORT */
	const char *munge_socket; /* NULL: munge's default */
	uid_t uid;	/* the daemon's: SlurmUser's; root is always accepted.
			      (uid_t)-1: any, for tests */
	int timeout_ms; /* for the whole exchange, > 0 */
};

struct cs_wire_question {
	const char *cmd;      /* "status", ... */
	uint32_t job;	      /* 0: none */
	uint32_t task;	      /* of array `job`; UINT32_MAX: none */
	bool fields, verbose; /* explain */
};

/*
 * Ask; the caller frees *ret_answer, the JSON text.  0 or a negative errno with @err: no
 * connection, no munge, timeout, an answer not from the daemon.
 */
int cs_wire_ask(const struct cs_wire_peer *peer,
		const struct cs_wire_question *q, char **ret_answer,
		struct cs_err *err);

#endif
