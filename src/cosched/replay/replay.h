/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event log through the engine once more.
 *
 * Problem.  Show that what was decided then follows from what is in the log; or
 * what a changed parameter would have decided instead.
 *
 * Rules.
 *  1. At a header a new engine is made of its machine and parameters and of the
 *     profile file.  A log that goes on ("after") is followed through a rotation,
 *     the state that is told again left out; where it was begun by another file,
 *     or lost lines, it is skipped until an engine starts afresh.
 *  2. Every line that tells what happened is given to the engine at its time;
 *     at every "decide" the engine is asked.
 *  3. Compared (no settings): each action is formatted as the log's writer does
 *     and has to be the log's next line, byte for byte; what only the host can
 *     know (refusals, what it gave instead, times) is taken from the line.  The
 *     first difference ends it.
 *  4. Changed (settings): the log's starts are facts, whatever the engine says.
 *     What it proposes is written down; a proposal that is what was really done
 *     is confirmed, any other is taken back.  So each answer is for one decision
 *     ahead: the past is the log's, and a job that would have started earlier
 *     holds nothing from then on.  Between the log's decides the engine is asked
 *     too, where something happened or it wished to be.
 *
 * Known weakness: under 4, limits that were set and running jobs that joined a
 * group are not told; with time slices it is refused.
 */
#ifndef CS_COSCHED_REPLAY_REPLAY_H
#define CS_COSCHED_REPLAY_REPLAY_H

#include "replay/replay_actions.h"
#include "replay/replay_reader.h"
#include "replay/replay_line.h"
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
	bool headed;	  /* there was a header */
	bool live;	  /* its times are since 1970 */
	bool state;	  /* lines are a state that is known: until a tick */
	bool news;	  /* something happened since the last decide */
	int64_t last_us;  /* of the last event */
	int64_t decided_us; /* of the last decide */
	struct cs_replay_acts acts;
};

/*
 * Read @file, which may go on from the one before.  0: read to its end, or to the
 * first difference; -EINVAL with @err: no log, or one that no engine could have
 * written; -ECANCELED; -ENOMEM; the file's error.
 */
int cs_replay_file(struct cs_replay *r, FILE *file, struct cs_err *err);

/* Behind the last file: reports what would have started and never did. */
void cs_replay_end(struct cs_replay *r);
void cs_replay_done(struct cs_replay *r);

/* ---- inside: replay_compare.c (rule 3), replay_what_if.c (rule 4) -------------------- */

/* Is @x a line that follows from a decide, and not what happened? */
bool cs_replay_is_action(const struct cs_replay *r,
			 const struct cs_replay_line *x);
/* Give @ev of line @number to the engine. */
int cs_replay_tell(struct cs_replay *r, const struct cs_event *ev,
		   uint64_t number, struct cs_err *err);
/* Ask the engine at @t_us: r->acts. */
int cs_replay_ask(struct cs_replay *r, int64_t t_us, struct cs_err *err);

/* A decide at @t_us; its actions are the lines that come. */
int cs_replay_same(struct cs_replay *r, int64_t t_us, struct cs_err *err);
/* Line @x has what the engine does not say (@a NULL), or otherwise; @x NULL: the
 * log has nothing. */
int cs_replay_differ(struct cs_replay *r, const struct cs_replay_line *x,
		     const struct cs_replay_event *fact, int64_t t_us,
		     const struct cs_action *a);

int cs_replay_if_decide(struct cs_replay *r, int64_t t_us, struct cs_err *err);
/* Line @x is next: ask where the log's engine was asked and had no answer. */
int cs_replay_if_before(struct cs_replay *r, const struct cs_replay_line *x,
			struct cs_err *err);
/* An event that is no answer. */
int cs_replay_if_event(struct cs_replay *r, const struct cs_replay_line *x,
		       const struct cs_replay_event *e, struct cs_err *err);

#endif
