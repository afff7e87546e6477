/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order=shifted: by arrival, each job put off by a bounded time; the theory is in
 * shifted.c. */
#ifndef CS_ORDER_SHIFTED_H
#define CS_ORDER_SHIFTED_H

#include "state/stage.h"

extern const struct cs_order_ops cs_order_shifted;

struct cs_textbuf;

/* Is it one of those below?  Another order passes it over. */
bool cs_shifted_is_line(const char *line);
/* The lines of cs_engine_save(): nothing in other orders. */
void cs_shifted_keep(const struct cs_engine *e, struct cs_textbuf *t);

#endif
