/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A replay: what it was asked, what came of it, and where it is. */
#ifndef CS_COSCHED_REPLAY_REPLAY_STATE_H
#define CS_COSCHED_REPLAY_REPLAY_STATE_H

#include "replay/replay_actions.h"
#include "replay/replay_line.h"
#include "replay/replay_reader.h"
#include "replay/replay_would.h"

struct cs_replay {
	/* Set by the caller. */
	const char *settings; /* "key=value,..."; NULL: compare */
	/* The profiles of the log's file @path ("": none), which had @digest
	 * then (NULL: the log does not say).  0 and *ret is the replay's, or
	 * -ECANCELED: it has been said. */
	int (*profiles)(void *arg, const char *path, const char *digest,
			struct cs_profiles **ret);
	void *arg;
	bool learns; /* what was learned goes on where an engine starts afresh */

	/* Results. */
	uint64_t decides, actions, skipped;
	uint64_t line;	    /* of the first difference; 0: none */
	char *log, *engine; /* what both have there; NULL: nothing */
	struct cs_replay_would would;

	/* Inside. */
	struct cs_replay_reader in;
	struct cs_replay_on on; /* engine NULL: lines are skipped */
	struct cs_machine *machine;
	struct json_object *names; /* of its nodes, in order; NULL: none */
	struct cs_params params;
	struct cs_profiles *table;
	bool headed;	    /* there was a header */
	bool live;	    /* its times are since 1970 */
	bool state;	    /* lines are a state that is known: until a tick */
	bool news;	    /* something happened since the last decide */
	int64_t last_us;    /* of the last event */
	int64_t decided_us; /* of the last decide */
	struct cs_replay_acts acts;
	char *learned; /* lines of the last engine; NULL */
};

#endif
