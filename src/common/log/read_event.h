/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a line of an event log to the engine's event. */
#ifndef CS_LOG_READ_EVENT_H
#define CS_LOG_READ_EVENT_H

#include "engine/engine.h"
#include "log/read_line.h"

/* An event and all that it points to. */
struct cs_replay_event {
	struct cs_event ev; /* START: `start` has its seq */
	struct cs_job job;
	struct cs_started start;
	struct cs_reservation reservation;
	struct cs_forecast forecast;
	struct cs_node now;		 /* NODE */
	struct cs_gpus gpus;		 /* now.gpus points here */
	struct cs_job_partition *option; /* [job.n_option] */
	struct cs_alloc *alloc; /* START, RESIZE, RESERVATION: its cores */
	uint32_t *node;		/* [n] REFUSED, RESERVATION */
};

/* The machine, and the engine that numbers node sets. */
struct cs_replay_on {
	const struct cs_machine *machine;
	struct cs_engine *engine;
};

/* The fields of an allocation: its cores, and what differs between its nodes. */
struct cs_log_alloc_keys {
	const char *cores, *procs, *memory, *gpus;
};

extern const struct cs_log_alloc_keys cs_log_alloc_keys;   /* "alloc" */
extern const struct cs_log_alloc_keys cs_log_planned_keys; /* "planned" */

/* Read the allocation under those keys.  0 with *ret the caller's (NULL if there is no
 * field of its cores), -EINVAL, -ENOMEM. */
int cs_log_read_alloc(const struct cs_machine *m, struct json_object *line,
		      const struct cs_log_alloc_keys *key,
		      struct cs_alloc **ret, struct cs_err *err);

/* The nodes that the decide of line @l was about, into *ret, which the caller frees; NULL:
 * all.  0, -EINVAL, -ENOMEM. */
int cs_log_read_decide_nodes(const struct cs_machine *m,
			     const struct cs_log_line *l, uint64_t **ret,
			     struct cs_err *err);

/*
 * Make the event of line @l, which stays the caller's and must outlive @ret; free @ret
 * with cs_replay_event_done().  0; -ENOENT: the line is no event; -EINVAL with @err;
 * -ENOMEM.
 */
int cs_replay_event_read(const struct cs_replay_on *on,
			 const struct cs_log_line *l,
			 struct cs_replay_event *ret, struct cs_err *err);
void cs_replay_event_done(struct cs_replay_event *e);

#endif
