/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A replay: its options, its results, and its position. */
#ifndef CS_COSCHED_REPLAY_REPLAY_STATE_H
#define CS_COSCHED_REPLAY_REPLAY_STATE_H

#include "common/engine/engine.h"
#include "common/estimate/estimate.h"
#include "replay/replay_line.h"
#include "replay/replay_reader.h"
#include "replay/replay_would.h"

/* The actions of one decide, kept while the events that answer them are read. */
#include "common/engine/engine.h"

struct cs_replay_acts {
	struct cs_action *a; /* [n], each owns its alloc */
	size_t n, cap;
};

struct cs_replay {
	/* Set by the caller. */
	const char *settings; /* "key=value,..."; NULL: compare */
	/* Load the profiles of the log's file @path ("": none), which had @digest then
	 * (NULL: the log does not say).  0: *ret becomes the replay's; -ECANCELED: a
	 * message has been printed. */
	int (*profiles)(void *arg, const char *path, const char *digest,
			struct cs_profiles **ret);
	void *arg;
	bool learns; /* what was learned passes to a new engine */

	/* Results. */
	uint64_t decides, actions, skipped;
	uint64_t starts;    /* while the log was written */
	double wait_s;	    /* of their jobs, in all */
	uint64_t line;	    /* of the first difference; 0: none */
	char *log, *engine; /* what both have there; NULL: nothing */
	struct cs_replay_would would;

	/* Private. */
	struct cs_replay_reader in;
	struct cs_replay_on on; /* engine NULL: lines are skipped */
	struct cs_machine *machine;
	struct json_object *names; /* of its nodes, in order; NULL: none */
	struct cs_params params;
	struct cs_profiles *table;
	bool headed;	  /* a header has been read */
	bool live;	  /* times are since 1970 */
	int64_t began_us; /* the engine's first event; CS_TIME_NONE: none yet */
	bool state;	  /* lines repeat a known state, until a tick */
	bool news;	  /* an event came since the last decide */
	int64_t last_us;  /* the last event's */
	int64_t decided_us; /* the last decide's */
	struct cs_replay_acts acts;
	struct cs_estimator *estimates; /* start_estimates=no: NULL */
	uint32_t estimated; /* of its last set: so many are in the log */
	char *learned;	    /* lines of the previous engine; NULL */
};

#endif
