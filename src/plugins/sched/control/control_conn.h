/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One question of the control socket: who asks, may he, the answer sealed.
 */
#ifndef CS_SCHED_CONTROL_CONTROL_CONN_H
#define CS_SCHED_CONTROL_CONTROL_CONN_H

#include <limits.h>
#include <stddef.h>

struct json_object;

/* Copied from slurm_conf, so that answering needs no lock. */
struct cs_reply_setup {
	char munge_socket[PATH_MAX]; /* "" : munge's default */
	unsigned slurm_uid;
};

/* Under the read lock of conf. */
void cs_reply_setup(struct cs_reply_setup *setup);

/* {"ok":false,"error":@text}, malloc'ed; NULL: no memory. */
char *cs_control_reply_refusal(const char *text);

/* @o as the answer's text, malloc'ed; takes @o over. */
char *cs_control_reply_text(struct json_object *o);

/*
 * Answer the question in @credential (a string).  All frames to be sent,
 * malloc'ed, their length in *ret_len; NULL: hang up.  Takes two seconds at most
 * beside what munge takes.
 */
char *cs_control_reply(const struct cs_reply_setup *setup,
		       const char *credential, size_t *ret_len);

#endif
