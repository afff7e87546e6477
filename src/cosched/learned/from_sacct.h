/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Learn from a history that sacct printed (together.h). */
#ifndef CS_COSCHED_LEARNED_FROM_SACCT_H
#define CS_COSCHED_LEARNED_FROM_SACCT_H

#include "import/history.h"
#include "learned/together.h"

struct cs_from_sacct {
	struct cs_history history;    /* its cmd, since, threads */
	uint32_t cores;		      /* of each node; 0: unknown */
	struct cs_together *together; /* NULL: nothing was read */
};

/* Read text @stream of sacct, called @name; without a stream run sacct.  0; else the
 * exit status, after a message. */
int cs_from_sacct_read(struct cs_from_sacct *s, const char *name, FILE *stream);

/* All that was read, as the lines of cs_past_write(), which the caller frees; and a line
 * on stderr.  0; else the exit status, after a message. */
int cs_from_sacct_learn(struct cs_from_sacct *s, char **ret);

void cs_from_sacct_done(struct cs_from_sacct *s);

#endif
