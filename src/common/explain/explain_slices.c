/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explain: time slices, and what a job that stands still waits for. */
#include <inttypes.h>

#include "explain/explain.h"

/* Of a slice that is shorter, on average, the seconds count. */
#define MINUTES_US (600 * CS_SECOND_US)

static bool has_seconds(const struct cs_engine *e)
{
	int64_t slice_us = e->slice->seat ? e->params.slot_s * CS_SECOND_US
					  : e->params.slice_cycle_s *
						    CS_SECOND_US / CS_CLASSES;

	return slice_us < MINUTES_US;
}

/* " at 14:30, in 0:12:00", the time of day if the reader's clock is known; @when: with
 * the time relative to now. */
static void put_at(struct cs_text *t, const struct cs_engine *e, int64_t at_us,
		   bool when)
{
	char clock[16];
	bool knows = t->to && t->to->clock &&
		     t->to->clock(at_us, has_seconds(e), clock, sizeof(clock));

	if (knows)
		cs_put(t, " at %s%s", clock, when ? "," : "");
	if (!when)
		return;
	cs_put(t, " in ");
	cs_explain_put_span(t, at_us - e->now_us);
}

void cs_explain_put_turn(struct cs_text *t, const struct cs_engine *e,
			 int64_t at_us)
{
	if (at_us > e->now_us) {
		cs_put(t, "; its turn comes");
		put_at(t, e, at_us, true);
	} else {
		cs_put(t, "; it has its turn, and starts when those who had it "
			  "before have left its nodes");
	}
}

void cs_explain_put_slice(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j, bool when)
{
	int64_t at_us = e->slice->seat ? CS_TIME_NONE
				       : cs_engine_again_us(e, j->job.id);

	if (at_us == CS_TIME_NONE || at_us <= e->now_us ||
	    (!when && !(t->to && t->to->clock)))
		return;
	cs_put(t, "%s slice", cs_class_name(j->class));
	put_at(t, e, at_us, when);
	cs_put(t, "; ");
}

void cs_explain_put_no_seat(struct cs_text *t, const struct cs_engine *e,
			    const struct cs_ejob *j, uint32_t option)
{
	switch (cs_ask(e->slice, lacks, CS_LACK_BEFORE, e, j, option)) {
	case CS_LACK_NODES:
		cs_explain_put_never(t, e, j, option);
		break;
	case CS_LACK_MEMORY:
		cs_put(t, "no time slot has room for it: jobs that are stopped "
			  "or have a slot leave it too little memory");
		break;
	case CS_LACK_UP:
		cs_put(t, "no time slot has room for it: only nodes that are "
			  "down, drained or not ready have the memory");
		break;
	case CS_LACK_OPEN:
		cs_put(t, "no time slot has room for it: a reservation that is "
			  "not its own keeps nodes that have the memory");
		break;
	case CS_LACK_SLOTS:
		cs_put(t,
		       "no time slot has room for it, and there are as many as "
		       "may be (gang_slots=%" PRId64 ")",
		       e->params.gang_slots);
		break;
	case CS_LACK_BEFORE:
		cs_put(t, "a job before it, which may use the same nodes, has "
			  "no time slot yet");
		break;
	}
}

/* A suspended job that keeps its cores was stopped by a time slice that is over, or by
 * Slurm's gang scheduler; with slices others of its class have some. */
static const char *when_resumed(const struct cs_engine *e,
				const struct cs_ejob *j)
{
	bool sliced = e->params.slice != CS_SLICE_NONE;

	if (j->keeps)
		return sliced ? "in its time slices as soon as its cores are "
				"free: jobs of its class have them"
			      : "as soon as its cores are free";
	return !sliced ? "when it is resumed (scontrol resume)"
		       : "when it is resumed (scontrol resume), or in its next "
			 "time slice once it is given back (scontrol release)";
}

void cs_explain_put_again(struct cs_text *t, const struct cs_engine *e,
			  const struct cs_ejob *j)
{
	int64_t at_us = cs_engine_again_us(e, j->job.id);

	if (j->state == CS_SUSPENDED)
		cs_put(t, "  goes on %s\n", when_resumed(e, j));
	if (j->state != CS_STOPPED)
		return;
	if (at_us == CS_TIME_NONE) {
		cs_put(t, "  goes on when others leave its nodes idle\n");
		return;
	}
	if (at_us <= e->now_us) {
		cs_put(t, "  goes on as soon as its nodes are free: it has "
			  "its turn\n");
		return;
	}
	cs_put(t, "  goes on");
	put_at(t, e, at_us, true);
	if (e->slice->seat)
		cs_put(t, ": the turn of its slot\n");
	else
		cs_put(t, ": the next %s slice\n", cs_class_name(j->class));
}
