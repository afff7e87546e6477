// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a rank may sleep.
 *
 * Problem.  An MPI library waits by spinning in its progress loop.  Jobs on the same
 * cores take the core from each other that way.  The loop calls the shim at each pass
 * that found nothing; the shim must put the rank to sleep when it waits, and must never
 * when it does not.
 *
 * Rule.
 * 1. A pass that follows the last one after more than CS_IDLE_GAP_NS begins a new wait:
 *    the rank computed in between.
 * 2. A message that was received since the last pass begins a new wait, too.  The
 *    library may call the hook in the very pass that received, because it does not count
 *    all events: a sleep there would last its full time for each message.
 * 3. The first CS_IDLE_PASSES passes of a wait return at once.  A program that computes
 *    between two calls of MPI_Test() is never put to sleep, by rules 1 and 3.
 * 4. Then mode yield yields, sb returns until its spin time has passed since the wait
 *    began, the others sleep.
 * 5. A sleep that every arrival ends lasts CS_IDLE_FD_NS at most, any other
 *    CS_IDLE_BLIND_NS.  A lost wake-up costs that much, and is no hang.
 *
 * Source.  Yu, Kim, Maeng 2007, table 1 (local, spin block, immediate blocking).
 *
 * Differs.  The paper's receiver blocks in the call that waits.  Here the progress loop
 * is the place: it covers collectives and all calls alike, without a wrapper for each.
 *
 * Known weakness.  A program that calls MPI_Test() in a loop with less than
 * CS_IDLE_GAP_NS of its own work counts as waiting.
 */
#include "wait/idle.h"

void cs_idle_received(struct cs_idle *w)
{
	w->received = true;
}

struct cs_idle_step cs_idle_pass(struct cs_idle *w,
				 const struct cs_wait_setting *s,
				 int64_t now_ns, bool seen)
{
	struct cs_idle_step step = { .what = CS_IDLE_RETURN };
	int64_t gap_ns = now_ns - w->last_ns;

	step.stir = w->received || gap_ns > CS_IDLE_STIR_NS;
	if (w->received || gap_ns > CS_IDLE_GAP_NS || !w->passes) {
		w->since_ns = now_ns;
		w->passes = 0;
		w->received = false;
	}
	if (w->passes < CS_IDLE_PASSES) {
		w->passes++;
		return step;
	}
	switch (s->mode) {
	case CS_WAIT_LOCAL:
		return step;
	case CS_WAIT_YIELD:
		step.what = CS_IDLE_YIELD;
		return step;
	case CS_WAIT_SB:
		if (now_ns - w->since_ns < s->spin_ns)
			return step;
		break;
	default:
		break;
	}
	step.what = CS_IDLE_SLEEP;
	step.max_ns = seen ? CS_IDLE_FD_NS : CS_IDLE_BLIND_NS;
	return step;
}

void cs_idle_done(struct cs_idle *w, int64_t now_ns)
{
	w->last_ns = now_ns;
}
