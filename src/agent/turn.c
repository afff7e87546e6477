// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The turns of the ranks of a core.
 *
 * Problem.  Ranks of several jobs have one core.  At each switch one of those that could
 * run, because messages arrived for them, gets the token; it must run before the others,
 * and the others must not starve, whatever a rank reports or does not report.
 *
 * Rule.
 * 1. A rank could run unless it has reported that it sleeps, or if it sleeps and has an
 *    unread message.  A message that stays unread although the rank sleeps belongs to
 *    another of its threads, and counts no more until it was read.
 * 2. The token passes to another rank when its holder sleeps, ends, or has had it for a
 *    quantum while others could run; a free token, to the first rank that could run.
 * 3. With SCHED_FIFO the holder runs before all others of the core.  A rank that reports
 *    that it runs without the token proves that the holder does not run: the holder's
 *    report was lost, or it never woke.
 * 4. With SCHED_IDLE the ranks that could run and do not have the token run after all other
 *    programs; a rank that sleeps, or takes part no more, has SCHED_OTHER again.
 * 5. A rank of a policy of its own, or that may run on several cores, has no token.
 * 6. A policy that the system refuses once is not tried again: the next weaker way is
 *    taken, with a line.
 * 7. Only a process in a job step of Slurm gets another policy, unless an option allows
 *    any (--any-process).  Other ranks have turns without a priority.
 * 8. Where the bound of a tick is reached, the last known state of a socket counts, and a
 *    token that its holder gives up stays free until the tick ends.
 */
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "agent/agent.h"

#define FLIGHT_NS \
	INT64_C(200000) /* younger reports may have crossed a switch */
#define STALE_NS \
	INT64_C(1000000) /* unread for longer while it sleeps: for a thread */

static bool takes_part(const struct cs_rank *r)
{
	return r->used && r->row.mode == CS_WAIT_PROC_B && r->p.cpu >= 0 &&
	       r->p.cpu < CS_NODE_CPUS && !r->p.fixed && r->address_len;
}

/* --- unread messages ----------------------------------------------------------------- */

static void note_arrival(struct cs_agent *a, uint32_t row, uint32_t source,
			 int64_t now_ns)
{
	static const struct cs_proc_latency UNKNOWN;
	struct cs_proc_pending m = { row, source, now_ns };

	cs_proc_tables_arrived(&a->tables, &m,
			       source == CS_CORE_HERE ? &a->here : &UNKNOWN);
	cs_proc_node_insert(&a->core[a->rank[row].p.cpu].node);
}

/* Rule 8: may a socket of @r be asked for unread bytes?  Counts it. */
static bool may_read(struct cs_agent *a, const struct cs_rank *r)
{
	struct cs_user *u = &a->user[r->user];

	if (a->reads >= CS_AGENT_READS || u->reads >= CS_AGENT_READS_OF_USER)
		return false;
	a->reads++;
	u->reads++;
	return true;
}

/* Is socket @i of @row a reason to run? */
static bool look(struct cs_agent *a, uint32_t row, uint32_t i, int64_t now_ns)
{
	struct cs_socket *s = &a->rank[row].p.socket[i];

	if (s->fd < 0)
		return false;
	if (!may_read(a, &a->rank[row]))
		return s->arrived_ns && !s->ignored;
	if (!cs_process_unread(&a->rank[row].p, i)) {
		s->arrived_ns = 0;
		s->ignored = false;
		return false;
	}
	if (!s->arrived_ns) {
		s->arrived_ns = now_ns;
		note_arrival(a, row, s->source, now_ns);
	}
	return !s->ignored;
}

static size_t add_messages(struct cs_agent *a, size_t n, uint32_t row,
			   int64_t now_ns)
{
	struct cs_rank *r = &a->rank[row];
	size_t had = n;

	for (uint32_t i = 0; i < CS_PROCESS_SOCKETS; i++)
		if (look(a, row, i, now_ns))
			a->pending[n++] = (struct cs_proc_pending){
				row, r->p.socket[i].source,
				r->p.socket[i].arrived_ns
			};
	if (n == had && !r->asleep)
		a->pending[n++] = (struct cs_proc_pending){ row, CS_CORE_HERE,
							    r->ready_ns };
	return n;
}

/* The messages of all ranks of @cpu that could run, without @skip. */
static size_t collect(struct cs_agent *a, int cpu, uint32_t skip,
		      int64_t now_ns)
{
	size_t n = 0;

	for (uint32_t i = 0; i < a->rows; i++) {
		const struct cs_rank *r = &a->rank[i];

		if (i != skip && takes_part(r) && r->p.cpu == cpu)
			n = add_messages(a, n, i, now_ns);
	}
	return n;
}

/* --- policies ------------------------------------------------------------------------ */

static void end_boost(struct cs_agent *a, struct cs_rank *r, int64_t now_ns)
{
	if (!r->boosted_ns)
		return;
	cs_core_boosted(&a->core[r->p.cpu], now_ns - r->boosted_ns, now_ns);
	r->boosted_ns = 0;
	cs_process_set_policy(&r->p, SCHED_OTHER);
}

/* Rule 6. */
static void weaken(struct cs_agent *a, int rc)
{
	for (uint32_t i = 0; i < a->rows; i++)
		if (a->rank[i].used) {
			a->rank[i].boosted_ns = 0;
			cs_process_set_policy(&a->rank[i].p, SCHED_OTHER);
		}
	a->boost = a->boost == CS_NODE_FIFO ? CS_NODE_IDLE : CS_NODE_TOKEN;
	cs_agent_say(
		"the policy of a rank cannot be set: %s; boost %s from now on",
		strerror(-rc), cs_node_boost_name(a->boost));
}

/* Rule 7. */
static bool may_boost(struct cs_agent *a, const struct cs_rank *r)
{
	if (a->any_process || r->p.in_step)
		return true;
	if (!a->warned)
		cs_agent_say("process %u is in no cgroup of a Slurm job step: "
			     "no boost for it and its like (--any-process)",
			     r->row.pid);
	a->warned = true;
	return false;
}

static void set_policy(struct cs_agent *a, struct cs_rank *r, int policy)
{
	int rc;

	if (r->p.policy == policy ||
	    (policy != SCHED_OTHER && !may_boost(a, r)))
		return;
	rc = cs_process_set_policy(&r->p, policy);
	if (!rc)
		a->boosts[r->p.cpu]++;
	else if (rc != -ESRCH)
		weaken(a, rc);
}

static void boost(struct cs_agent *a, struct cs_rank *r, int64_t now_ns)
{
	if (r->boosted_ns ||
	    cs_core_boost_left(&a->core[r->p.cpu], a->share_ns, now_ns) <= 0)
		return;
	set_policy(a, r, SCHED_FIFO);
	if (r->p.policy == SCHED_FIFO)
		r->boosted_ns = now_ns;
}

/* Rule 4, for the ranks of the @n messages. */
static void hold_back(struct cs_agent *a, size_t n, uint32_t next)
{
	for (size_t k = 0; k < n && a->boost == CS_NODE_IDLE; k++)
		set_policy(a, &a->rank[a->pending[k].process],
			   a->pending[k].process == next ? SCHED_OTHER
							 : SCHED_IDLE);
}

/* --- the token ----------------------------------------------------------------------- */

static void answer(struct cs_agent *a, const struct cs_rank *r)
{
	const struct cs_token_note note = { .magic = CS_TOKEN_MAGIC,
					    .word = CS_TOKEN_YOURS,
					    .pid = r->row.pid };

	for (int i = 0; i < CS_SCAN_USERS; i++)
		if (a->user[i].used && a->user[i].uid == r->uid)
			sendto(a->user[i].fd, &note, sizeof note,
			       MSG_DONTWAIT | MSG_NOSIGNAL,
			       (const struct sockaddr *)&r->address,
			       r->address_len);
}

/* Passes the token of @cpu to the next rank, which is not @skip. */
static void switch_token(struct cs_agent *a, int cpu, uint32_t skip,
			 int64_t now_ns)
{
	struct cs_core *c = &a->core[cpu];
	const bool may_switch = a->switches[cpu]++ < CS_AGENT_SWITCHES;
	uint32_t had = c->holder, next;
	struct cs_rank *r;
	size_t n;

	if (!may_switch && had == CS_PROC_NONE)
		return;
	n = may_switch ? collect(a, cpu, skip, now_ns) : 0;
	next = cs_core_switch(c, &a->tables, a->pending, n, now_ns);
	if (had != CS_PROC_NONE && had != next)
		end_boost(a, &a->rank[had], now_ns);
	if (next == CS_PROC_NONE) {
		if (had != CS_PROC_NONE)
			cs_node_page_set_token(a->page, (uint32_t)cpu, 0);
		return;
	}
	r = &a->rank[next];
	r->asleep = false;
	r->ready_ns = now_ns;
	r->tokens++;
	if (had != next)
		cs_node_page_set_token(a->page, (uint32_t)cpu, r->row.pid);
	hold_back(a, n, next);
	if (a->boost == CS_NODE_FIFO)
		boost(a, r, now_ns);
	if (a->boost == CS_NODE_TOKEN)
		answer(a, r);
}

void cs_agent_withdraw(struct cs_agent *a, uint32_t row)
{
	int64_t now_ns = cs_agent_now_ns();
	int cpu = a->rank[row].p.cpu;

	end_boost(a, &a->rank[row], now_ns);
	cs_process_set_policy(&a->rank[row].p, SCHED_OTHER);
	if (cpu >= 0 && cpu < CS_NODE_CPUS && a->core[cpu].holder == row)
		switch_token(a, cpu, row, now_ns);
}

/* Takes the token of @cpu from its holder, if another rank could run. */
static void take_away(struct cs_agent *a, int cpu, int64_t now_ns)
{
	struct cs_core *c = &a->core[cpu];
	uint32_t had = c->holder;
	struct cs_rank *r = &a->rank[had];

	if (a->switches[cpu]++ >= CS_AGENT_SWITCHES)
		return;
	end_boost(a, r, now_ns);
	if (cs_process_runs(&r->p)) {
		if (!collect(a, cpu, had, now_ns))
			return;
		r->ready_ns = now_ns;
	} else {
		r->asleep = true;
	}
	c->forced++;
	switch_token(a, cpu, had, now_ns);
}

/* --- reports of ranks ---------------------------------------------------------------- */

/* Rule 1: a message that was unread for long while the rank ran is not the rank's. */
static void take_sleep(struct cs_agent *a, uint32_t row, int64_t now_ns)
{
	struct cs_rank *r = &a->rank[row];

	r->asleep = true;
	if (a->boost == CS_NODE_IDLE)
		set_policy(a, r, SCHED_OTHER);
	for (uint32_t i = 0; i < CS_PROCESS_SOCKETS; i++) {
		struct cs_socket *s = &r->p.socket[i];

		if (look(a, row, i, now_ns) &&
		    now_ns - s->arrived_ns > STALE_NS)
			s->ignored = true;
	}
	if (a->core[r->p.cpu].holder == row)
		switch_token(a, r->p.cpu, CS_PROC_NONE, now_ns);
}

static void take_ready(struct cs_agent *a, uint32_t row, int64_t now_ns)
{
	struct cs_rank *r = &a->rank[row];
	const struct cs_core *c = &a->core[r->p.cpu];

	r->asleep = false;
	if (c->holder == row)
		return;
	r->ready_ns = now_ns;
	note_arrival(a, row, CS_CORE_HERE, now_ns);
	if (c->holder == CS_PROC_NONE)
		switch_token(a, r->p.cpu, CS_PROC_NONE, now_ns);
	else if (a->rank[c->holder].boosted_ns &&
		 now_ns - c->since_ns > FLIGHT_NS)
		take_away(a, r->p.cpu, now_ns);
}

static void take_hello(struct cs_agent *a, uint32_t row, uint32_t user,
		       const struct sockaddr_un *from, socklen_t len)
{
	struct cs_rank *r = &a->rank[row];

	/* A name in the file system could be another file's by the time of an answer. */
	if (len <= offsetof(struct sockaddr_un, sun_path) + 1 ||
	    len > sizeof *from || from->sun_path[0]) {
		a->refused++;
		return;
	}
	if (!r->address_len && r->p.cpu >= 0 && r->p.cpu < CS_NODE_CPUS) {
		r->ready_ns = cs_agent_now_ns(); /* it runs */
		note_arrival(a, row, CS_CORE_HERE, r->ready_ns);
	}
	r->address = *from;
	r->address_len = len;
	r->user = user;
	answer(a, r);
}

static void take_note(struct cs_agent *a, const struct cs_user *u,
		      uint32_t word, uint32_t pid,
		      const struct sockaddr_un *from, socklen_t len)
{
	uint32_t row = cs_agent_find(a, pid);
	int64_t now_ns = cs_agent_now_ns();

	if (row == CS_PROC_NONE) {
		a->rescan = now_ns >= a->early_ns;
		return;
	}
	if (a->rank[row].uid != u->uid) {
		a->refused++;
		return;
	}
	if (word == CS_TOKEN_HELLO)
		take_hello(a, row, (uint32_t)(u - a->user), from, len);
	else if (!takes_part(&a->rank[row]))
		return;
	else if (word == CS_TOKEN_SLEEP)
		take_sleep(a, row, now_ns);
	else
		take_ready(a, row, now_ns);
}

/* The process that sent @m, as the kernel says; 0: it does not. */
static uint32_t sender(struct msghdr *m, uint32_t uid)
{
	struct ucred who;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET ||
		    c->cmsg_type != SCM_CREDENTIALS ||
		    c->cmsg_len != CMSG_LEN(sizeof who))
			continue;
		memcpy(&who, CMSG_DATA(c), sizeof who);
		if (who.uid == uid && who.pid > 0)
			return (uint32_t)who.pid;
	}
	return 0;
}

void cs_agent_note(struct cs_agent *a, struct cs_user *u)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	struct epoll_event e = {
		.data.u64 = cs_tag(CS_TAG_USER, (uint32_t)(u - a->user)),
	};

	for (int k = 0; k < 64; k++) {
		struct sockaddr_un from = { 0 };
		struct cs_token_note note = { 0 };
		struct iovec to = { &note, sizeof note };
		struct msghdr m = { .msg_name = &from,
				    .msg_namelen = sizeof from,
				    .msg_iov = &to,
				    .msg_iovlen = 1,
				    .msg_control = &control,
				    .msg_controllen = sizeof control };
		ssize_t n = recvmsg(u->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		uint32_t pid;

		if (n < 0)
			return;
		u->notes++;
		pid = sender(&m, u->uid);
		if (n != (ssize_t)sizeof note ||
		    (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) || !pid ||
		    note.magic != CS_TOKEN_MAGIC ||
		    note.word < CS_TOKEN_HELLO || note.word > CS_TOKEN_READY)
			a->refused++;
		else
			take_note(a, u, note.word, pid, &from, m.msg_namelen);
	}
	if (u->notes > CS_AGENT_NOTES && !u->muted &&
	    !epoll_ctl(a->epoll, EPOLL_CTL_MOD, u->fd, &e))
		u->muted = true; /* until the tick ends */
}

void cs_agent_arrived(struct cs_agent *a, uint32_t row, uint32_t i)
{
	struct cs_rank *r = &a->rank[row];
	int64_t now_ns = cs_agent_now_ns();

	if (!takes_part(r))
		return;
	if (++r->events > CS_AGENT_EVENTS && !r->muted) {
		cs_process_mute(&r->p, a->epoll, cs_tag(CS_TAG_SOCKET, row));
		r->muted = true; /* until the tick ends */
	}
	if (look(a, row, i, now_ns) && r->asleep &&
	    a->core[r->p.cpu].holder == CS_PROC_NONE)
		switch_token(a, r->p.cpu, CS_PROC_NONE, now_ns);
}

/* --- the quantum --------------------------------------------------------------------- */

void cs_agent_quantum(struct cs_agent *a, int64_t now_ns)
{
	bool ready[CS_NODE_CPUS] = { false };

	for (uint32_t i = 0; i < a->rows; i++)
		if (takes_part(&a->rank[i]) && !a->rank[i].asleep)
			ready[a->rank[i].p.cpu] = true;
	for (int cpu = 0; cpu < CS_NODE_CPUS; cpu++) {
		struct cs_core *c = &a->core[cpu];
		struct cs_rank *r;

		if (c->holder == CS_PROC_NONE) {
			if (ready[cpu])
				switch_token(a, cpu, CS_PROC_NONE, now_ns);
			continue;
		}
		r = &a->rank[c->holder];
		if (now_ns - c->since_ns > a->quantum_ns)
			take_away(a, cpu, now_ns);
		else if (r->boosted_ns &&
			 cs_core_boost_left(c, a->share_ns, now_ns) <
				 now_ns - r->boosted_ns)
			end_boost(a, r, now_ns);
	}
}
