// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop of coschedd-node: one process, one thread, one epoll set.
 *
 * The work of a tick is bounded, since the agent may run before everything else of its
 * core: datagrams of a user, arrivals of a rank, switches of a core, and calls that look
 * at sockets and descriptors (agent.h), names and boards of a scan (scan.h).
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"

int64_t cs_agent_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void cs_agent_say(const char *format, ...)
{
	va_list args;

	fputs("coschedd-node: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static int watch(struct cs_agent *a, int fd, enum cs_tag kind)
{
	struct epoll_event e = { .events = EPOLLIN,
				 .data.u64 = cs_tag(kind, 0) };

	return fd < 0 || epoll_ctl(a->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno
								    : 0;
}

/* A tick is CS_AGENT_TICK_MS long while ranks are there, and CS_AGENT_SCAN_NS otherwise. */
static void set_timer(int timer, bool busy)
{
	long ns = busy ? CS_AGENT_TICK_MS * 1000000L : (long)CS_AGENT_SCAN_NS;
	struct itimerspec every = { { 0, ns }, { 0, ns } };

	timerfd_settime(timer, 0, &every, NULL);
}

static void begin_tick(struct cs_agent *a)
{
	a->reads = 0;
	memset(a->switches, 0, sizeof a->switches);
	for (uint32_t i = 0; i < CS_SCAN_USERS; i++) {
		struct cs_user *u = &a->user[i];
		struct epoll_event e = { .events = EPOLLIN,
					 .data.u64 = cs_tag(CS_TAG_USER, i) };

		if (u->used && u->muted &&
		    !epoll_ctl(a->epoll, EPOLL_CTL_MOD, u->fd, &e))
			u->muted = false;
		u->notes = u->reads = 0;
	}
	for (uint32_t i = 0; i < a->rows; i++) {
		struct cs_rank *r = &a->rank[i];

		if (r->used && r->muted)
			cs_process_unmute(&r->p, a->epoll,
					  cs_tag(CS_TAG_SOCKET, i));
		r->muted = false;
		r->events = 0;
	}
}

static int tick(struct cs_agent *a, int timer)
{
	int64_t now_ns = cs_agent_now_ns();
	uint64_t ticks;
	ssize_t n = read(timer, &ticks, sizeof ticks);
	bool was = a->report.head.n_rank > 0;
	int rc = 0;

	(void)n;
	begin_tick(a);
	if (now_ns - a->scanned_ns >=
	    (a->rescan ? CS_AGENT_SCAN_NS / 4 : CS_AGENT_SCAN_NS)) {
		cs_agent_scan(a, now_ns);
		rc = cs_agent_report(a, now_ns);
	}
	if (was != (a->report.head.n_rank > 0))
		set_timer(timer, !was);
	cs_agent_look_for_sockets(a, now_ns);
	cs_agent_quantum(a, now_ns);
	return rc;
}

static void serve(struct cs_agent *a, const struct epoll_event *e)
{
	uint32_t row = (uint32_t)(e->data.u64 >> 8) & 0xffff;
	uint32_t i = (uint32_t)e->data.u64 & 0xff;

	switch ((enum cs_tag)(e->data.u64 >> 56)) {
	case CS_TAG_USER:
		if (a->user[row].used)
			cs_agent_note(a, &a->user[row]);
		break;
	case CS_TAG_END:
		if (a->rank[row].used)
			cs_agent_remove(a, row);
		break;
	case CS_TAG_SOCKET:
		if (a->rank[row].used)
			cs_agent_arrived(a, row, i);
		/* The peer will send no more: a copy would keep the connection. */
		if (a->rank[row].used &&
		    (e->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
			cs_process_drop(&a->rank[row].p, i, a->epoll);
		break;
	default:
		break;
	}
}

static int loop(struct cs_agent *a, int timer)
{
	struct epoll_event event[64];
	int rc = 0;

	while (!rc) {
		int n = epoll_wait(a->epoll, event, 64, -1);

		for (int k = 0; k < n && !rc; k++) {
			if (event[k].data.u64 == cs_tag(CS_TAG_SIGNAL, 0))
				return 0;
			if (event[k].data.u64 == cs_tag(CS_TAG_TICK, 0))
				rc = tick(a, timer);
			else
				serve(a, &event[k]);
		}
		if (n < 0 && errno != EINTR)
			rc = -errno;
	}
	return rc;
}

static void end(struct cs_agent *a)
{
	for (uint32_t i = a->rows; i-- > 0;)
		if (a->rank[i].used)
			cs_agent_remove(a, i);
	for (int i = 0; i < CS_SCAN_USERS; i++)
		if (a->user[i].used)
			cs_agent_close_user(a, &a->user[i]);
}

int cs_agent_run(struct cs_agent *a)
{
	sigset_t set;
	int timer, signals, rc;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	a->epoll = epoll_create1(EPOLL_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	for (int cpu = 0; cpu < CS_NODE_CPUS; cpu++)
		cs_core_init(&a->core[cpu], cs_agent_now_ns());
	rc = cs_proc_tables_init(&a->tables, CS_CORE_SOURCES, CS_AGENT_RANKS);
	if (!rc)
		rc = watch(a, timer, CS_TAG_TICK);
	if (!rc)
		rc = watch(a, signals, CS_TAG_SIGNAL);
	if (!rc) {
		set_timer(timer, false);
		cs_agent_scan(a, cs_agent_now_ns());
		rc = cs_agent_report(a, cs_agent_now_ns());
	}
	if (!rc)
		rc = loop(a, timer);
	end(a);
	cs_proc_tables_done(&a->tables);
	cs_scan_done(&a->scan);
	if (rc)
		cs_agent_say("ends: %s", strerror(-rc));
	return rc;
}
