/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far down the queue a pass looks; the rules are in depth.c. */
#ifndef CS_ORDER_DEPTH_H
#define CS_ORDER_DEPTH_H

#include "state/pass.h"

/*
 * Find the entries of p->queue that the depth leaves out: p->beyond is their set, by
 * index, valid for this pass, or NULL if the queue is no longer than the depth.
 * O(queue), or O(1) in the latter case.  0, -ENOMEM.
 */
int cs_depth_find(struct cs_pass *p);

/* Free what @d owns. */
void cs_depth_done(struct cs_depth *d);

#endif
