// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The token, seen by a rank.
 *
 * Problem.  Several ranks of a core could run.  The agent of the node chooses one, which
 * has the token then; ranks must never depend on the agent.
 *
 * Rule.
 * 1. A rank reports to the agent by datagrams that it sleeps and that it runs again.  It
 *    never blocks for that: a datagram that cannot be sent at once is dropped.
 * 2. Only where the agent can change no scheduling policy does a rank wait for the token,
 *    and then CS_TOKEN_WAIT_MS at most.  Elsewhere the kernel runs the chosen rank first.
 * 3. An agent has ended if its socket refuses a datagram, or its page was not written for
 *    CS_NODE_STALE_NS.  The rank then continues without it, resets a priority of real time
 *    that the agent left it with, and looks for an agent each second.
 * 4. The agent knows a rank by the credentials that the kernel adds to each datagram; its
 *    answer has the rank's number.  In a PID namespace the board has another number than
 *    the kernel, and the agent does not know the rank: it then gets no answer, and sleeps
 *    as in mode ib.
 *
 * Source.  Yu, Kim, Maeng 2007, section 3.3 (PROC-B reorders at each context switch).
 */
#include "wait/token.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "wait/node_page.h"
#include "wait/own_fd.h"

static void close_own(int *fd, dev_t dev, ino_t ino)
{
	if (cs_own_fd_same(*fd, dev, ino))
		close(*fd);
	*fd = -1;
}

void cs_token_drop(struct cs_token *t)
{
	close_own(&t->fd, t->fd_dev, t->fd_ino);
	close_own(&t->page, t->page_dev, t->page_ino);
	t->self = 0;
	t->asleep = false;
}

/* Rule 3.  The flag tells the agent's policy from one that the user has set; a rank may
 * not clear it. */
static void agent_gone(struct cs_token *t)
{
	const struct sched_param none = { 0 };
	int policy = sched_getscheduler(0);

	if (t->self && (policy == (SCHED_FIFO | SCHED_RESET_ON_FORK) ||
			policy == (SCHED_IDLE | SCHED_RESET_ON_FORK)))
		sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
	cs_token_drop(t);
}

static bool take_own(int fd, int *ret, dev_t *ret_dev, ino_t *ret_ino)
{
	struct stat st;

	*ret = cs_own_fd_high(fd);
	if (*ret < 0 || fstat(*ret, &st))
		return false;
	*ret_dev = st.st_dev;
	*ret_ino = st.st_ino;
	return true;
}

/* The socket that the agent has for this user; it makes it when it sees a board. */
static bool find_door(struct cs_token *t, const char *dir)
{
	struct sockaddr_un own = { .sun_family = AF_UNIX }, door = own;
	int n = snprintf(door.sun_path, sizeof door.sun_path, "%s/%lu", dir,
			 (unsigned long)geteuid());

	/* The kernel chooses a name, to which the agent can answer. */
	if (n > 0 && (size_t)n < sizeof door.sun_path &&
	    take_own(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			    0),
		     &t->fd, &t->fd_dev, &t->fd_ino) &&
	    !bind(t->fd, (const struct sockaddr *)&own,
		  sizeof own.sun_family) &&
	    !connect(t->fd, (const struct sockaddr *)&door, sizeof door))
		return true;
	close_own(&t->fd, t->fd_dev, t->fd_ino);
	return false;
}

static void send_word(struct cs_token *t, enum cs_token_word word)
{
	const struct cs_token_note note = { .magic = CS_TOKEN_MAGIC,
					    .word = word };

	if (t->fd < 0)
		return;
	if (!cs_own_fd_same(t->fd, t->fd_dev, t->fd_ino) ||
	    (send(t->fd, &note, sizeof note, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
	     errno != EAGAIN && errno != ENOBUFS && errno != EINTR))
		agent_gone(t);
}

static void read_answers(struct cs_token *t)
{
	struct cs_token_note note;

	if (!cs_own_fd_same(t->fd, t->fd_dev, t->fd_ino))
		return;
	while (recv(t->fd, &note, sizeof note, MSG_DONTWAIT) >= 0)
		if (note.magic == CS_TOKEN_MAGIC && note.word == CS_TOKEN_YOURS)
			t->self = note.pid;
}

/* Does an agent run that wrote the page lately? */
static bool is_fresh(const struct cs_token *t, int64_t now_ns,
		     struct cs_node_head *ret)
{
	return cs_own_fd_same(t->page, t->page_dev, t->page_ino) &&
	       !cs_node_page_head(t->page, ret) &&
	       now_ns - (int64_t)ret->beat_ns < CS_NODE_STALE_NS;
}

bool cs_token_look(struct cs_token *t, const char *dir, int64_t now_ns)
{
	struct cs_node_head head;

	if (now_ns < t->retry_ns)
		return t->page >= 0;
	t->retry_ns = now_ns + CS_TOKEN_RETRY_NS;
	if (t->page < 0)
		take_own(cs_node_page_open(dir), &t->page, &t->page_dev,
			 &t->page_ino);
	if (!is_fresh(t, now_ns, &head)) {
		agent_gone(t);
		return false;
	}
	if (t->fd >= 0)
		read_answers(t);
	if (t->self)
		return true;
	if (t->fd >= 0 || find_door(t, dir))
		send_word(t, CS_TOKEN_HELLO);
	t->retry_ns = now_ns + CS_TOKEN_HELLO_NS;
	return true;
}

void cs_token_sleep(struct cs_token *t)
{
	if (!t->self || t->asleep)
		return;
	t->asleep = true;
	send_word(t, CS_TOKEN_SLEEP);
}

/* The process that has the token of this processor; 0: none. */
static uint32_t holder(const struct cs_token *t)
{
	return cs_node_page_token(t->page, sched_getcpu());
}

static bool has_token(const struct cs_token *t)
{
	return holder(t) == t->self;
}

/* No other rank has the token. */
static bool may_run(const struct cs_token *t)
{
	const uint32_t pid = holder(t);

	return pid == t->self || !pid;
}

void cs_token_wake(struct cs_token *t, int64_t now_ns)
{
	struct cs_node_head head;
	struct pollfd fd;

	if (!t->self || !t->asleep)
		return;
	t->asleep = false;
	if (!is_fresh(t, now_ns, &head)) {
		agent_gone(t);
		return;
	}
	read_answers(t); /* of an earlier turn */
	if (has_token(t))
		return;
	send_word(t, CS_TOKEN_READY);
	if (head.boost != CS_NODE_TOKEN || t->fd < 0 || may_run(t))
		return;
	fd = (struct pollfd){ t->fd, POLLIN, 0 };
	poll(&fd, 1, CS_TOKEN_WAIT_MS);
	read_answers(t);
}
