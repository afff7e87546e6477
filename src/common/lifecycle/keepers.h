/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Suspended jobs that keep cores.  The rule is in keepers.c.
 */
#ifndef CS_LIFECYCLE_KEEPERS_H
#define CS_LIFECYCLE_KEEPERS_H

#include <stdbool.h>

struct cs_ejob;
struct cs_engine;

/* All of them let go, before the host moves a job; O(started). */
void cs_keepers_let_go(struct cs_engine *e);
/* ... and keep then what nobody has.  0, -ENOMEM. */
int cs_keepers_keep(struct cs_engine *e);
/* Is @j one of them from now on? */
void cs_keepers_set(struct cs_engine *e, struct cs_ejob *j, bool keeps);

#endif
