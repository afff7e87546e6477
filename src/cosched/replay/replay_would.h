/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What would have started when, compared with what did. */
#ifndef CS_COSCHED_REPLAY_REPLAY_WOULD_H
#define CS_COSCHED_REPLAY_REPLAY_WOULD_H

#include "common/engine/engine.h"
#include "check/id_table.h"
#include "common/log/read_event.h"

/* A start then and now. */
struct cs_replay_start {
	uint32_t job;
	int64_t then_us, now_us; /* CS_TIME_NONE: not before the end of the log,
				    or unknown */
	const struct cs_alloc *then, *now; /* NULL: no start */
};

struct cs_replay_would {
	/* Called for each job that differs; set by the caller. */
	void (*differs)(void *arg, const struct cs_replay_start *s);
	void *arg;

	uint64_t starts; /* in the log */
	uint64_t same, earlier, later, elsewhere, more;
	uint64_t known; /* of the later ones, those with a known time */
	double earlier_s, later_s; /* sums of the differences */

	struct cs_idtab jobs;
};

/* Forget the jobs of an engine that is gone; report those that would have started and
 * never did. */
void cs_replay_would_end(struct cs_replay_would *w);

/* A job waits from @t_us on; line @text describes it.  0, -ENOMEM. */
int cs_replay_would_waits(struct cs_replay_would *w, const struct cs_job *job,
			  int64_t t_us, const char *text);
void cs_replay_would_gone(struct cs_replay_would *w, uint32_t id);

/* Did job @id wait before @t_us? */
bool cs_replay_would_waited(const struct cs_replay_would *w, uint32_t id,
			    int64_t t_us);

/* The line that describes array @id, and how many of its tasks wait; NULL: none. */
const char *cs_replay_would_array(const struct cs_replay_would *w, uint32_t id,
				  uint32_t *ret_tasks);

/* The engine would start job @id, or one more task of array @id, now.  0, -ENOMEM. */
int cs_replay_would_start(struct cs_replay_would *w, uint32_t id,
			  int64_t now_us, const struct cs_alloc *alloc);

/* It did start (@s; array_id 0: not an array's task), decided at @decided_us; the
 * engine now predicts @predicted_us (CS_TIME_NONE: nothing). */
void cs_replay_did_start(struct cs_replay_would *w, const struct cs_started *s,
			 int64_t decided_us, int64_t predicted_us);

#endif
