/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Node sets that change for many waiting jobs at once (the theory is in nodesets.c).
 */
#ifndef CS_SCHED_FEED_NODESETS_H
#define CS_SCHED_FEED_NODESETS_H

#include "sched/feed/adapter_state.h"

/* Tell the engine which sets have become others since the last snapshot.  What is known of
 * waiting jobs follows; those that differ from it now have changed by themselves.  0,
 * -ENOMEM, or what cs_feed_event() returns. */
int cs_feed_nodesets(struct cs_adapter *b, struct cs_err *err);

/* The engine's number of set @set of the view; -1 with no memory. */
int64_t cs_feed_nodeset(struct cs_adapter *b, uint32_t set);

#endif
