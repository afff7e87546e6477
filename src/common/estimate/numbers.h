/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of numbers, which keep the history of estimates over a restart: a word, then
 * numbers, each after a blank.  Reals are in millionths, rounded, so that no locale counts
 * and a reader has what the writer has after its own restart.
 */
#ifndef CS_ESTIMATE_NUMBERS_H
#define CS_ESTIMATE_NUMBERS_H

#include <stdint.h>

#include "base/duration.h"
#include "base/textbuf.h"
#include "base/window.h"

/* What stands behind the word @name at the start of @text; NULL: it is another word. */
const char *cs_numbers_behind(const char *text, const char *name);

/* No time or wait of these lines is longer, or far from it: sums of some fit. */
#define CS_NUMBERS_MOST (CS_TIME_NONE / 4)

/* Bytes of a number at most, with its blank. */
#define CS_NUMBERS_U32 11
#define CS_NUMBERS_I64 21

void cs_numbers_put(struct cs_textbuf *t, int64_t v);
void cs_numbers_put_real(struct cs_textbuf *t, double x); /* finite */
double cs_numbers_real(int64_t v);

/* Read all numbers of @text, at most @most; how many, or -EINVAL: more, or no
 * numbers. */
int cs_numbers_read(const char *text, int64_t *ret, int most);

/* Add lines that begin with @head and have the values of @w, the oldest first; none if
 * there are none. */
void cs_numbers_put_window(struct cs_textbuf *t, const char *head,
			   const struct cs_window *w);
/* Add the values of such a line behind its head.  0, -EINVAL. */
int cs_numbers_read_window(const char *text, struct cs_window *w);

#endif
