/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network, interfaces and interrupts.
 *
 * Rule.
 *  1. A message arrives one latency after the interface took it; the latency is linear in
 *     its size, and the network itself has no queue.
 *  2. A message occupies an interface for interface_us, each way; others queue.
 *  3. A message carries the rescheduling latency of its node as of the last switch there.
 *  4. It is in the process's own buffer when it has arrived: a process that spins reads it
 *     without the kernel.
 *  5. An interrupt takes interrupt_us of the CPU, one after another.  At its end the
 *     process becomes ready, at the highest level if the scheme boosts, else at slpret; or
 *     it is boosted, if it was ready.  The end of I/O is an interrupt, too, without a
 *     boost.
 *
 * Source: Yu07, section 4.1.
 */
#include "procsim/network.h"

#include <errno.h>
#include <inttypes.h>

#include "base/array.h"
#include "procsim/cpu.h"
#include "procsim/process.h"

#define NO_MESSAGE UINT32_MAX

/* A free place for a message; NO_MESSAGE: no memory. */
static uint32_t message_new(struct cs_world *w)
{
	uint32_t old = w->message_cap, id = w->message_free;

	if (id == NO_MESSAGE) {
		int rc = cs_array_room(&w->message, &w->message_cap,
				       (size_t)old + 1);

		if (rc) {
			w->rc = rc;
			return NO_MESSAGE;
		}
		for (uint32_t i = old; i < w->message_cap; i++)
			w->message[i].next =
				i + 1 < w->message_cap ? i + 1 : NO_MESSAGE;
		id = old;
	}
	w->message_free = w->message[id].next;
	return id;
}

bool cs_network_send(struct cs_world *w, const struct cs_process *p,
		     const struct cs_process *to)
{
	struct cs_world_node *n = &w->node[p->node];
	int64_t taken_ns = w->now_ns;
	uint32_t id = message_new(w);

	if (id == NO_MESSAGE)
		return false;
	if (taken_ns < n->send_ns)
		taken_ns = n->send_ns;
	n->send_ns = taken_ns + cs_setting_ns(w->set.interface_us);
	w->message[id] = (struct cs_message){ .process = to->id,
					      .source = p->id,
					      .l = n->own };
	cs_world_note(w, "S %" PRId64 " %u %u\n", w->now_ns, p->id, to->id);
	cs_world_at(
		w,
		taken_ns + cs_world_latency_ns(w, &w->job[p->job].mix, p->loop),
		CS_WORLD_MESSAGE, to->node, id);
	if (w->set.sender_wait == CS_SENDER_RECEIVED)
		return true;
	if (taken_ns <= w->now_ns)
		return false;
	cs_world_at(w, taken_ns, CS_WORLD_SENT, n->id, p->id);
	return true;
}

/* For Algorithm 1. */
static void upload(struct cs_world *w, struct cs_world_node *n,
		   const struct cs_process *p, const struct cs_message *m)
{
	struct cs_proc_pending pending = { .process = p->slot,
					   .source = w->process[m->source].node,
					   .arrived_ns = w->now_ns };

	if (cs_scheme_reorders(w->scheme))
		cs_proc_tables_arrived(&n->tables, &pending, &m->l);
}

/* A message of the peer number @peer is in the buffer of @p. */
static void deliver(struct cs_world *w, struct cs_world_node *n,
		    struct cs_process *p, uint32_t peer)
{
	struct cs_process_mail *mail = &p->mail[peer];
	bool awaited = p->step == CS_STEP_AWAIT && p->peer == peer;

	mail->arrived_ns[mail->n++] = w->now_ns;
	if (!p->n_unread++)
		n->n_unread++;
	if (awaited && p->state == CS_STATE_RUNNING) {
		cs_cpu_settle(w, n);
		cs_process_read(w, p);
		cs_cpu_arm(w, n);
		return;
	}
	if (awaited)
		cs_process_read(w, p);
	awaited &= p->state == CS_STATE_BLOCKED;
	if (awaited)
		w->blocked_ns += w->now_ns - p->since_ns;
	if (awaited || (p->state != CS_STATE_RUNNING &&
			w->scheme->interrupt == CS_INTERRUPT_MISMATCH))
		cs_network_interrupt(w, p, awaited);
}

void cs_network_arrive(struct cs_world *w, struct cs_world_node *n, uint32_t id)
{
	struct cs_message m = w->message[id];
	struct cs_process *p = &w->process[m.process];
	const struct cs_process *from = &w->process[m.source];

	if (w->now_ns < n->receive_ns) {
		cs_world_at(w, n->receive_ns, CS_WORLD_MESSAGE, n->id, id);
		return;
	}
	n->receive_ns = w->now_ns + cs_setting_ns(w->set.interface_us);
	w->message[id].next = w->message_free;
	w->message_free = id;
	cs_world_note(w, "A %" PRId64 " %u %u\n", w->now_ns, p->id, from->id);
	upload(w, n, p, &m);
	if (w->set.sender_wait == CS_SENDER_RECEIVED)
		cs_world_at(w, w->now_ns + cs_setting_ns(w->set.latency_us),
			    CS_WORLD_SENT, from->node, from->id);
	deliver(w, n, p, cs_process_number(w, p, from));
}

void cs_network_sent(struct cs_world *w, struct cs_process *p)
{
	struct cs_world_node *n = &w->node[p->node];

	if (p->state == CS_STATE_RUNNING)
		cs_cpu_settle(w, n);
	p->what = CS_TIME_COMMUNICATE;
	p->left_ns = 0;
	if (p->state == CS_STATE_RUNNING)
		cs_cpu_arm(w, n);
	else if (p->state == CS_STATE_BLOCKED)
		cs_network_interrupt(w, p, true);
}

void cs_network_interrupt(struct cs_world *w, struct cs_process *p, bool wakes)
{
	struct cs_world_node *n = &w->node[p->node];

	p->waking |= wakes;
	cs_cpu_kernel(w, n, cs_setting_ns(w->set.interrupt_us));
	cs_world_at(w, n->kernel_ns, CS_WORLD_INTERRUPT, n->id, p->id);
}

/* The blocked process @p becomes ready. */
static void wake(struct cs_world *w, struct cs_process *p)
{
	bool boost = w->scheme->boost && p->step != CS_STEP_IO;

	p->waking = false;
	cs_proc_node_insert(&w->node[p->node].measure);
	p->link.level = boost ? CS_TS_TOP : cs_ts_row(p->link.level).slpret;
	p->unflagged = cs_ts_row(p->unflagged).slpret;
	if (p->step == CS_STEP_IO)
		cs_process_communicate(w, p);
	cs_cpu_ready(w, p, p->link.level);
}

void cs_network_served(struct cs_world *w, struct cs_process *p)
{
	if (p->state == CS_STATE_BLOCKED && p->waking)
		wake(w, p);
	else if (p->state == CS_STATE_READY && w->scheme->boost)
		cs_cpu_boost(w, p);
}
