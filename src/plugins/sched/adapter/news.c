/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that have come since the last look, by themselves.
 *
 * Problem.  Where 100,000 jobs wait, a look at all of them holds Slurm's locks for .2 s and a
 * decide about all works .5 s: it cannot be made whenever a job arrives.  And Slurm's own
 * main loop does not come to that job for many seconds.
 *
 * Rules.
 *  1. Slurm gives ids in a row, so that new jobs are found by their ids, in O(new jobs).
 *     They are described and asked like those of a look (view_jobs.c), and appended to it.
 *  2. They alone are fed, and the decide is about the nodes that they may use and what
 *     depends on these (common/engine/region.c).  All else is as the last look has it: a
 *     start is tested again by Slurm in any case.
 *  3. Left to another look, at once, are: many new jobs, or tasks (a decide about nodes does
 *     not pause), those that run already, heterogeneous ones, arrays that Slurm splits, jobs
 *     that are asked at the end of a look (licences, burst buffers); all new jobs where one
 *     might preempt others.
 *  4. So are all new jobs while fewer than AMONG wait: a look is short then, unless the host
 *     is slow, and a decide about all finds partners among jobs that come together.
 *  5. So are all looks under time slices, which stop jobs by what a look says, with
 *     CompleteWait, and if what an earlier decide proposed is not done.
 */
#include "sched/feed/adapter_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/slice/slice.h"
#include "gate/gate.h"
#include "sched/feed/feed_event.h"

#define TASKS_MOST 64
#define AMONG 1000 /* waiting jobs: of fewer a look is short */

static uint32_t asked_later(const struct cs_view *v)
{
	return v->n_later + v->n_buffered;
}

bool cs_adapter_news_can(const struct cs_adapter *b)
{
	return b->engine && b->mode == CS_MODE_ACT && !b->looking &&
	       !b->view->preempts && b->view->n_waiting >= AMONG &&
	       !b->view->hold && !b->view->waits_complete && !b->batch.parts &&
	       !b->batch.guards && b->batch.next >= b->batch.n_action &&
	       !cs_slice_choose(&b->params)->stops;
}

bool cs_adapter_news_there(const struct cs_adapter *b)
{
	return cs_view_any_new(b->view);
}

static int begin(struct cs_adapter *b, struct cs_err *err)
{
	struct cs_view *v = b->view;
	uint32_t words = cs_node_words(v->machine);
	uint64_t *nodes = b->news.nodes;
	int rc = cs_adapter_follow(b, false, err);

	if (rc)
		return rc;
	if (!nodes)
		nodes = malloc(words * sizeof(*nodes));
	if (!nodes)
		return cs_err_set(err, -ENOMEM, "no memory for new jobs");
	memset(nodes, 0, words * sizeof(*nodes));
	b->news = (struct cs_news){ .on = true,
				    .from = v->used,
				    .n_asked = asked_later(v),
				    .nodes = nodes };
	cs_feed_now_of(b, &v->now_us);
	b->news.look = cs_view_any_moved(v) || !cs_view_list_new(v);
	return 0;
}

/* It waited when it was listed: the next look sees what it does now. */
static void has_left(void *arg, uint32_t id)
{
	struct cs_adapter *b = arg;

	(void)id;
	b->news.look = true;
}

int cs_adapter_news_look(struct cs_adapter *b, int64_t until_us,
			 struct cs_err *err)
{
	bool more;
	int rc = b->news.on ? 0 : begin(b, err);

	if (rc)
		return rc;
	more = cs_view_waiting(b->view, until_us, has_left, b);
	if (b->view->nomem)
		return cs_err_set(err, -ENOMEM, "no memory for new jobs");
	cs_gate_room_void();
	return more;
}

int cs_adapter_news_feed(struct cs_adapter *b, struct cs_err *err)
{
	struct cs_news *news = &b->news;
	int rc;

	cs_adapter_begin_cycle(b);
	news->look |= asked_later(b->view) > news->n_asked || b->view->preempts;
	if (news->look)
		return 0;
	rc = cs_feed_news(b, err);
	if (rc)
		return rc;
	news->look |= news->tasks > TASKS_MOST;
	return 0;
}

bool cs_adapter_news_any(const struct cs_adapter *b)
{
	return b->news.tasks && !b->news.look;
}

bool cs_adapter_news_end(struct cs_adapter *b)
{
	b->news.on = false;
	return b->news.look;
}
