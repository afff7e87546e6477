/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine of a replay. */
#ifndef CS_COSCHED_REPLAY_REPLAY_ENGINE_H
#define CS_COSCHED_REPLAY_REPLAY_ENGINE_H

#include "replay/replay_state.h"

/* Create an engine from header @l; -ECANCELED: a message has been printed. */
int cs_replay_make_engine(struct cs_replay *r, const struct cs_log_line *l,
			  struct cs_err *err);
/* Free the engine; report jobs that would have started and never did. */
void cs_replay_drop_engine(struct cs_replay *r);

/* With r->learns: keep what the engine has learned for its successor. */
void cs_replay_keep_learned(struct cs_replay *r);
/* Pass that to the new engine.  0, -ENOMEM. */
int cs_replay_go_on(struct cs_replay *r);

/* Does line @x result from a decide, rather than from an event? */
bool cs_replay_is_action(const struct cs_replay *r,
			 const struct cs_replay_line *x);
/* Give @ev of line @number to the engine. */
int cs_replay_tell(struct cs_replay *r, const struct cs_event *ev,
		   uint64_t number, struct cs_err *err);
/* Decide at @t_us, into r->acts; @part: as far, and about as much, as the log says. */
int cs_replay_ask(struct cs_replay *r, int64_t t_us,
		  const struct cs_decide_part *part, struct cs_err *err);

void cs_replay_copy_done(struct cs_replay_acts *k);

#endif
