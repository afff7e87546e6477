/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process's program.
 *
 * Rule.
 *  1. A loop computes, does I/O (blocked; the disk does not queue), sends a message to
 *     each peer, and reads one from each.
 *  2. Peers are the neighbours in a ring, left and right, or all other ranks in order.
 *  3. Messages are sent to all peers, then read in the peers' order, whatever arrived
 *     first.
 *  4. How a process waits is the scheme's affair; an expected message that is already
 *     there is read at once.
 *  5. A peer is at most one loop ahead, since it has read a message of the loop before:
 *     no more than two messages of it are unread.
 *  6. HYBRID flags a process in a collective communication, and gives it the highest level.
 *     The level without the flag is subject to the rules of ts.c meanwhile: a sleep, a
 *     whole quantum and a long wait change both levels.  A process that loses the flag has
 *     the level without it, and a ready process of a higher level preempts it.
 *
 * Source: Yu07, sections 4.1 (the flag) and 4.2, and figure 6b; the orders and rule 6's
 * levels are ours.
 */
#include "procsim/process.h"

#include <inttypes.h>
#include <stdlib.h>

#include "procsim/allocator.h"
#include "procsim/cpu.h"
#include "procsim/network.h"

static bool is_ring(const struct cs_world_job *j)
{
	return !j->mix.all_to_all && j->mix.size > 2;
}

struct cs_process *cs_process_peer(const struct cs_world *w,
				   const struct cs_process *p, uint32_t i)
{
	const struct cs_world_job *j = &w->job[p->job];
	uint32_t n = j->mix.size, rank;

	if (is_ring(j))
		rank = (p->rank + (i ? 1 : n - 1)) % n;
	else
		rank = i < p->rank ? i : i + 1;
	return &w->process[j->first + rank];
}

bool cs_process_are_peers(const struct cs_world *w, const struct cs_process *a,
			  const struct cs_process *b)
{
	const struct cs_world_job *j = &w->job[a->job];
	uint32_t n = j->mix.size;

	return a->rank != b->rank &&
	       (!is_ring(j) || (a->rank + 1) % n == b->rank ||
		(b->rank + 1) % n == a->rank);
}

uint32_t cs_process_number(const struct cs_world *w,
			   const struct cs_process *to,
			   const struct cs_process *from)
{
	uint32_t n = w->job[to->job].mix.size;

	if (is_ring(&w->job[to->job]))
		return (from->rank + 1) % n != to->rank;
	return from->rank - (from->rank > to->rank);
}

static void set_step(struct cs_process *p, enum cs_process_step step,
		     enum cs_world_time what, int64_t left_ns)
{
	p->step = step;
	p->what = what;
	p->left_ns = left_ns;
}

/* @ns, skewed for this loop. */
static int64_t skewed(const struct cs_world *w, struct cs_process *p, double ns)
{
	double v = w->set.skew / 100;

	return (int64_t)(ns * (1 + v * (2 * cs_rng_unit(&p->rng) - 1)) + .5);
}

void cs_process_begin(struct cs_world *w, struct cs_process *p)
{
	double ns = w->job[p->job].mix.compute_ns;

	p->peer = 0;
	set_step(p, CS_STEP_COMPUTE, CS_TIME_COMPUTE, skewed(w, p, ns));
}

static void begin_send(const struct cs_world *w, struct cs_process *p,
		       uint32_t peer)
{
	p->peer = peer;
	set_step(p, CS_STEP_SEND, CS_TIME_COMMUNICATE,
		 cs_setting_ns(w->set.send_us));
}

void cs_process_read(const struct cs_world *w, struct cs_process *p)
{
	double us = w->set.receive_us;

	if (cs_scheme_reorders(w->scheme))
		us += w->set.upload_us;
	set_step(p, CS_STEP_READ, CS_TIME_COMMUNICATE, cs_setting_ns(us));
}

/* Is the communication of @p one of all processes, and the scheme HYBRID? */
static bool has_flag(const struct cs_world *w, const struct cs_process *p)
{
	return w->scheme->choice == CS_CHOICE_COLLECTIVE &&
	       w->job[p->job].mix.all_to_all;
}

void cs_process_communicate(struct cs_world *w, struct cs_process *p)
{
	if (has_flag(w, p)) {
		p->collective = true;
		p->unflagged = p->link.level;
		cs_cpu_set_level(w, p, CS_TS_TOP);
	}
	begin_send(w, p, 0);
}

/* The current process blocks. */
static bool block(struct cs_world *w, struct cs_world_node *n,
		  struct cs_process *p)
{
	cs_cpu_unboost(w, p);
	cs_cpu_leave(w, n, CS_CPU_BLOCKS);
	p->state = CS_STATE_BLOCKED;
	p->since_ns = w->now_ns;
	cs_cpu_kernel(w, n, cs_setting_ns(w->set.block_us));
	cs_cpu_next(w, n);
	return false;
}

/* Spin time of SB.  One more than the latency, so that a message of the last instant is
 * still read. */
static int64_t spin_ns(const struct cs_world *w, const struct cs_process *p)
{
	return 1 + (w->spin_ns ? w->spin_ns
			       : cs_world_latency_ns(w, &w->job[p->job].mix,
						     p->loop));
}

/* Wait in step @step as @how says.  Does the process still run? */
static bool wait(struct cs_world *w, struct cs_world_node *n,
		 struct cs_process *p, enum cs_process_step step,
		 enum cs_scheme_wait how)
{
	set_step(p, step, CS_TIME_SPIN,
		 how == CS_WAIT_SPIN ? CS_WORLD_FOREVER : spin_ns(w, p));
	if (how == CS_WAIT_BLOCK)
		return block(w, n, p);
	return !cs_cpu_unboost(w, p) || !cs_cpu_yield(w, n);
}

/* Read a message of the peer number @peer, or wait for it. */
static bool begin_read(struct cs_world *w, struct cs_world_node *n,
		       struct cs_process *p, uint32_t peer)
{
	p->peer = peer;
	if (!p->mail[peer].n)
		return wait(w, n, p, CS_STEP_AWAIT, w->scheme->receiver);
	cs_process_read(w, p);
	return true;
}

static bool next_message(struct cs_world *w, struct cs_world_node *n,
			 struct cs_process *p)
{
	if (p->peer + 1 == p->n_peer)
		return begin_read(w, n, p, 0);
	begin_send(w, p, p->peer + 1);
	return true;
}

static bool send(struct cs_world *w, struct cs_world_node *n,
		 struct cs_process *p)
{
	if (!cs_network_send(w, p, cs_process_peer(w, p, p->peer)))
		return next_message(w, n, p);
	return wait(w, n, p, CS_STEP_SENT, w->scheme->sender);
}

static bool end(struct cs_world *w, struct cs_world_node *n,
		struct cs_process *p)
{
	cs_cpu_leave(w, n, CS_CPU_ENDS);
	cs_world_note(w, "E %" PRId64 " %u\n", w->now_ns, p->id);
	p->state = CS_STATE_ENDED;
	cs_allocator_remove(w, p);
	cs_cpu_next(w, n);
	cs_allocator_end(w, p->job);
	return false;
}

/* Unset HYBRID's flag (rule 6); was it set? */
static bool end_collective(struct cs_world *w, struct cs_process *p)
{
	if (!p->collective)
		return false;
	p->collective = false;
	cs_cpu_set_level(w, p, p->unflagged);
	return true;
}

/* The message of the peer p->peer has been read. */
static bool consume(struct cs_world *w, struct cs_world_node *n,
		    struct cs_process *p)
{
	struct cs_process_mail *m = &p->mail[p->peer];

	cs_world_note(w, "G %" PRId64 " %u %u\n", w->now_ns, p->id,
		      cs_process_peer(w, p, p->peer)->id);
	m->arrived_ns[0] = m->arrived_ns[1];
	m->n--;
	if (!--p->n_unread)
		n->n_unread--;
	if (p->peer + 1 < p->n_peer)
		return begin_read(w, n, p, p->peer + 1);
	if (++p->loop == w->job[p->job].mix.loops)
		return end(w, n, p);
	cs_process_begin(w, p);
	return !end_collective(w, p) || !cs_cpu_yield(w, n);
}

static bool begin_io(struct cs_world *w, struct cs_world_node *n,
		     struct cs_process *p)
{
	double io_ns = w->job[p->job].mix.io_ns;

	if (!(io_ns > 0)) {
		cs_process_communicate(w, p);
		return true;
	}
	p->step = CS_STEP_IO;
	cs_world_at(w, w->now_ns + skewed(w, p, io_ns), CS_WORLD_IO, n->id,
		    p->id);
	return block(w, n, p);
}

bool cs_process_step(struct cs_world *w, struct cs_world_node *n,
		     struct cs_process *p)
{
	switch (p->step) {
	case CS_STEP_COMPUTE:
		return begin_io(w, n, p);
	case CS_STEP_SEND:
		return send(w, n, p);
	case CS_STEP_SENT:
		return next_message(w, n, p);
	case CS_STEP_READ:
		return consume(w, n, p);
	default: /* CS_STEP_AWAIT: it has spun for long enough */
		return block(w, n, p);
	}
}
