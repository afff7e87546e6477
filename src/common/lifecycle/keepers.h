/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Suspended jobs that keep cores.  The rule is in keepers.c.
 */
#ifndef CS_LIFECYCLE_KEEPERS_H
#define CS_LIFECYCLE_KEEPERS_H

#include <stdbool.h>

struct cs_alloc;
struct cs_ejob;
struct cs_engine;
struct cs_slice_machine;

/* All of them release their cores, before the host moves a job; O(started). */
void cs_keepers_let_go(struct cs_engine *e);
/* ... and then keep the unused ones, or have all and are stopped.  0, -ENOMEM. */
int cs_keepers_keep(struct cs_engine *e);
/* Whether @j is one of them from now on. */
void cs_keepers_set(struct cs_engine *e, struct cs_ejob *j, bool keeps);

/* Does @j, which a slice has stopped, make room for one that the host runs? */
bool cs_keepers_yields(const struct cs_engine *e, const struct cs_ejob *j);
/* All on cores of @a on @sm do, and are keepers from now on; O(started). */
void cs_keepers_yield(struct cs_engine *e, const struct cs_slice_machine *sm,
		      const struct cs_alloc *a);

#endif
