/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of events: each event is checked as a whole (event_check.c)
 * before it changes anything.
 */
#ifndef CS_ENGINE_EVENT_PARTS_H
#define CS_ENGINE_EVENT_PARTS_H

#include "base/err.h"
#include "model/event.h"
#include "state/state.h"

/* event_check.c; -EINVAL, -ENOENT with @err set */
int cs_event_unknown(struct cs_err *err, const char *what, uint32_t id);
/* The job of action @seq, in @state since then; NULL: none. */
struct cs_ejob *cs_event_asked(const struct cs_engine *e, uint32_t seq,
			       enum cs_state state);
/* The running, stopped or suspended job @id. */
int cs_event_started_job(const struct cs_engine *e, uint32_t id,
			 struct cs_ejob **ret, struct cs_err *err);
/* Is @a on the machine? */
int cs_event_check_alloc(const struct cs_engine *e, const struct cs_alloc *a,
			 struct cs_err *err);
/* Does no job but @own (NULL: none at all) hold a core of @a?  A host that gives one
 * core to several jobs is beyond the model. */
int cs_event_check_free(const struct cs_slice_machine *sm,
			const struct cs_alloc *a, const struct cs_alloc *own,
			struct cs_err *err);
/* The same for @j, which in partition @option may share cores with others (oversub.c); @own:
 * what it holds now. */
int cs_event_check_cores(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t option, const struct cs_alloc *a,
			 const struct cs_alloc *own, struct cs_err *err);
/* The host runs @j on @a, in that partition: those that a slice has stopped there make room
 * (lifecycle/keepers.c).  The same if others hold a core of it. */
int cs_event_make_room(struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, const struct cs_alloc *a,
		       struct cs_err *err);

/* event_start.c: 0; what cs_engine_event() returns */
int cs_event_confirmed(struct cs_engine *e, const struct cs_started *s,
		       struct cs_err *err);
int cs_event_found_running(struct cs_engine *e, const struct cs_started *s,
			   struct cs_err *err);
int cs_event_refused(struct cs_engine *e, const struct cs_event *ev,
		     struct cs_err *err);

/* event_node.c: the same */
int cs_event_node(struct cs_engine *e, const struct cs_event *ev,
		  struct cs_err *err);

/* event_run.c: the same */
int cs_event_finish(struct cs_engine *e, uint32_t id, bool failed,
		    struct cs_err *err);
int cs_event_requeue(struct cs_engine *e, const struct cs_job *job,
		     struct cs_err *err);
int cs_event_suspend(struct cs_engine *e, uint32_t id, bool keeps,
		     struct cs_err *err);
int cs_event_resume(struct cs_engine *e, uint32_t id, struct cs_err *err);
int cs_event_begin(struct cs_engine *e, uint32_t id, int64_t start_us,
		   int64_t from_us, struct cs_err *err);
int cs_event_resize(struct cs_engine *e, uint32_t id, const struct cs_alloc *a,
		    struct cs_err *err);

#endif
