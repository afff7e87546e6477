/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that have come since the last look; the theory is in adapter/news.c. */
#ifndef CS_SCHED_FEED_NEWS_H
#define CS_SCHED_FEED_NEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

struct cs_adapter;

struct cs_news {
	bool on;	  /* they are decided about */
	size_t from;	  /* where they begin in the view's memory, in words */
	uint32_t n_asked; /* of the view's jobs that are asked at a look's end */
	uint64_t tasks;	  /* of new jobs that may start */
	uint64_t *nodes;  /* node set: these jobs may use it */
	bool look;	  /* only another look can tell of all */
};

/* feed.c: feed them; those that are not blocked may use b->news.nodes. */
int cs_feed_news(struct cs_adapter *b, struct cs_err *err);

/* adapter.c: let the view follow the machine of the snapshots.  O(nodes) with @look, or if
 * it was rebuilt, else O(1): nodes may have come and gone since the last lock. */
int cs_adapter_follow(struct cs_adapter *b, bool look, struct cs_err *err);
/* adapter.c: reset what counts anew in each cycle. */
void cs_adapter_begin_cycle(struct cs_adapter *b);

#endif
