/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of event logs for a replay: kept, with one line of lookahead. */
#ifndef CS_COSCHED_REPLAY_REPLAY_READER_H
#define CS_COSCHED_REPLAY_REPLAY_READER_H

#include <stdint.h>
#include <stdio.h>

#include "check/lines.h"
#include "common/log/read_line.h"

struct cs_replay_line {
	uint64_t number; /* in its file, from 1 */
	char *text;	 /* without its '\n' */
	struct cs_log_line l;
};

struct cs_replay_reader {
	struct cs_lines in;
	struct cs_logread *reader;
	struct cs_replay_line ahead; /* text NULL: none */
};

/* 0, -ENOMEM.  @file is borrowed. */
int cs_replay_reader_init(struct cs_replay_reader *r, FILE *file);
void cs_replay_reader_done(struct cs_replay_reader *r);

/*
 * The next line, in *ret until it is taken; NULL at the end.  0; -EINVAL with "line N:
 * what" in @err; -ENOMEM or the file's error.
 */
int cs_replay_peek(struct cs_replay_reader *r,
		   const struct cs_replay_line **ret, struct cs_err *err);

/* Take the line peeked at; the caller frees it with _line_done(). */
struct cs_replay_line cs_replay_take(struct cs_replay_reader *r);
void cs_replay_line_done(struct cs_replay_line *x);

#endif
