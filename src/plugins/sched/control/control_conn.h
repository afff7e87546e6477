/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One question of the control socket: identity, permission, sealed answer.
 *
 * None of these waits for the scheduling thread.  What calls munge takes munge's time: a
 * millisecond or so, or some seconds if munged does not answer.
 */
#ifndef CS_SCHED_CONTROL_CONTROL_CONN_H
#define CS_SCHED_CONTROL_CONTROL_CONN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "sched/control/control_queue.h"
#include "wire/wire.h"

struct json_object;

/* Copied from slurm_conf, so that answering needs no lock. */
struct cs_reply_setup {
	char munge_socket[PATH_MAX]; /* "" : munge's default */
	unsigned slurm_uid;
};

struct cs_question {
	struct cs_ask ask;
	char nonce[CS_WIRE_NONCE + 1];
};

/* Under the read lock of conf. */
void cs_reply_setup(struct cs_reply_setup *setup);

/* {"ok":false,"error":@text}, malloc'ed; NULL: no memory. */
char *cs_control_reply_refusal(const char *text);

/* @o as the answer's text, malloc'ed; takes ownership of @o. */
char *cs_control_reply_text(struct json_object *o);

/* Open the question in @credential (a string), and look up whether its user is
 * privileged, under a lock of Slurm's.  NULL, or what is wrong, for
 * cs_control_error(). */
const char *cs_control_open(const struct cs_reply_setup *setup,
			    const char *credential, struct cs_question *ret);

/* May its user ask that? NULL, or the answer that says no, malloc'ed. */
char *cs_control_denied(const struct cs_ask *ask);

/* The answer if the scheduling thread gave none in time, malloc'ed; NULL: no memory. */
char *cs_control_late(const struct cs_ask *ask);

/*
 * Slice @index of @answer (a string) as a frame that only the user of @q can open,
 * malloc'ed, with its length; NULL: no memory, or munge failed.  *ret_last: no slice
 * follows.
 */
char *cs_control_seal(const struct cs_reply_setup *setup,
		      const struct cs_question *q, const char *answer,
		      unsigned index, size_t *ret_len, bool *ret_last);

/* A frame with an error that anyone can read, malloc'ed; NULL: no memory. */
char *cs_control_error(const char *text, size_t *ret_len);

#endif
