/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exporter/serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "exporter/http.h"
#include "exporter/page.h"

#define DEAF_MS \
	100 /* pause after an accept(2) that failed for want of something */

static const char welcome[] =
	"<!DOCTYPE html><title>cosched exporter</title><a href=\"/metrics\">/metrics</a>\n";

enum stage {
	FREE,
	READING, /* the head of the request */
	WAITING, /* for the page */
	WRITING, /* the answer */
	DRAINING /* until the client ends: closing earlier would lose the answer */
};

struct connection {
	enum stage stage;
	int fd;
	int64_t since_ms;
	struct cs_http_request request;
	char head[CS_HTTP_HEAD_MAX];
	size_t have;
	char *out; /* owned; the answer */
	size_t len, done;
};

struct server {
	int fd;
	int64_t deaf_until_ms, now_ms;
	struct cs_source *source;
	struct connection c[CS_SERVE_MAX];
	/* the connections, then who listens, then the source */
	struct pollfd p[CS_SERVE_MAX + 2];
};

static volatile sig_atomic_t ended;

static void on_end(int signal)
{
	(void)signal;
	ended = 1;
}

int64_t cs_serve_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- a connection -------------------------------------------------------- */

static void hang_up(struct connection *c)
{
	if (c->stage == FREE)
		return;
	close(c->fd);
	free(c->out);
	c->out = NULL;
	c->stage = FREE;
}

static bool would_wait(void)
{
	return errno == EAGAIN || errno == EINTR;
}

static void write_on(struct connection *c)
{
	ssize_t n =
		send(c->fd, c->out + c->done, c->len - c->done, MSG_NOSIGNAL);

	if (n < 0) {
		if (!would_wait())
			hang_up(c);
		return;
	}
	c->done += (size_t)n;
	if (c->done < c->len)
		return;
	shutdown(c->fd, SHUT_WR);
	c->stage = DRAINING;
}

static void answer(struct connection *c, int status, const char *type,
		   const char *body)
{
	c->out = cs_http_answer(status, type, body, c->request.head, &c->len);
	c->done = 0;
	c->stage = WRITING;
	if (c->out)
		write_on(c);
	else
		hang_up(c);
}

/* Answer with the page, once it is of this second. */
static void wait_on(struct server *s, struct connection *c)
{
	c->stage = WAITING;
	if (cs_source_fresh(s->source, s->now_ms))
		answer(c, 200, CS_PAGE_TYPE, s->source->page);
}

static void take(struct server *s, struct connection *c)
{
	int status = cs_http_read(c->head, c->have, &c->request);
	char text[64];

	if (!status)
		return;
	if (status != 200) {
		snprintf(text, sizeof(text), "%d %s\n", status,
			 cs_http_reason(status));
		answer(c, status, "text/plain; charset=utf-8", text);
	} else if (c->request.path == CS_HTTP_ROOT) {
		answer(c, 200, "text/html; charset=utf-8", welcome);
	} else {
		wait_on(s, c);
	}
}

static void read_on(struct server *s, struct connection *c)
{
	ssize_t n =
		recv(c->fd, c->head + c->have, sizeof(c->head) - c->have, 0);

	if (n < 0 && would_wait())
		return;
	if (n <= 0) {
		hang_up(c);
		return;
	}
	c->have += (size_t)n;
	take(s, c);
}

static void drain(struct connection *c)
{
	char rest[4096];
	ssize_t n = recv(c->fd, rest, sizeof(rest), 0);

	if (!n || (n < 0 && !would_wait()))
		hang_up(c);
}

static void step(struct server *s, struct connection *c, short what)
{
	if (c->stage == WAITING && what & (POLLERR | POLLHUP))
		hang_up(c);
	else if (c->stage == READING && what)
		read_on(s, c);
	else if (c->stage == WRITING && what)
		write_on(c);
	else if (c->stage == DRAINING && what)
		drain(c);
	if (s->now_ms - c->since_ms >= CS_SERVE_LIMIT_MS)
		hang_up(c);
}

/* ---- all of them --------------------------------------------------------- */

/* A free place, or that of the oldest who may go; NULL: all wait for the page. */
static struct connection *find_place(struct server *s)
{
	struct connection *oldest = NULL;

	for (int i = 0; i < CS_SERVE_MAX; i++) {
		struct connection *c = &s->c[i];

		if (c->stage == FREE)
			return c;
		if ((c->stage == READING || c->stage == DRAINING) &&
		    (!oldest || c->since_ms < oldest->since_ms))
			oldest = c;
	}
	return oldest;
}

/* One a turn: whoever came before has been read by then. */
static void greet(struct server *s)
{
	struct connection *c = find_place(s);
	int fd;

	if (!c)
		return;
	fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) {
		if (!would_wait() && errno != ECONNABORTED)
			s->deaf_until_ms = s->now_ms + DEAF_MS;
		return;
	}
	hang_up(c);
	c->stage = READING;
	c->fd = fd;
	c->since_ms = s->now_ms;
	c->have = 0;
	c->request = (struct cs_http_request){ 0 };
	read_on(s, c);
}

static short events(enum stage stage)
{
	switch (stage) {
	case READING:
	case DRAINING:
		return POLLIN;
	case WRITING:
		return POLLOUT;
	default:
		return 0;
	}
}

/* Fill s->p; milliseconds until somebody's time is over, -1: nobody is there. */
static int prepare(struct server *s)
{
	struct pollfd *front = &s->p[CS_SERVE_MAX];
	int64_t until = INT64_MAX;

	for (int i = 0; i < CS_SERVE_MAX; i++) {
		const struct connection *c = &s->c[i];

		s->p[i] = (struct pollfd){
			.fd = c->stage == FREE ? -1 : c->fd,
			.events = events(c->stage),
		};
		if (c->stage != FREE && c->since_ms + CS_SERVE_LIMIT_MS < until)
			until = c->since_ms + CS_SERVE_LIMIT_MS;
	}
	front[0] = (struct pollfd){ .fd = -1, .events = POLLIN };
	if (s->deaf_until_ms > s->now_ms)
		until = s->deaf_until_ms < until ? s->deaf_until_ms : until;
	else if (find_place(s))
		front[0].fd = s->fd;
	front[1] = (struct pollfd){ .fd = s->source->fd, .events = POLLIN };
	if (s->source->pid && s->source->asked_ms + CS_SOURCE_LIMIT_MS < until)
		until = s->source->asked_ms + CS_SOURCE_LIMIT_MS;
	if (until == INT64_MAX)
		return -1;
	return until > s->now_ms ? (int)(until - s->now_ms) : 0;
}

static void turn(struct server *s)
{
	s->now_ms = cs_serve_now_ms();
	for (int i = 0; i < CS_SERVE_MAX; i++)
		if (s->c[i].stage != FREE)
			step(s, &s->c[i], s->p[i].revents);
	if (cs_source_read(s->source, s->now_ms))
		for (int i = 0; i < CS_SERVE_MAX; i++)
			if (s->c[i].stage == WAITING && s->source->page)
				answer(&s->c[i], 200, CS_PAGE_TYPE,
				       s->source->page);
	if (s->p[CS_SERVE_MAX].revents)
		greet(s);
}

/* @ret_mask: that of before, for ppoll(2): signals come there only. */
static void catch_signals(sigset_t *ret_mask)
{
	struct sigaction on = { .sa_handler = on_end };
	sigset_t held;

	sigemptyset(&on.sa_mask);
	sigemptyset(&held);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGINT);
	sigprocmask(SIG_BLOCK, &held, ret_mask);
	sigdelset(ret_mask, SIGTERM);
	sigdelset(ret_mask, SIGINT);
	sigaction(SIGTERM, &on, NULL);
	sigaction(SIGINT, &on, NULL);
}

int cs_serve(int fd, struct cs_source *source)
{
	struct server *s = calloc(1, sizeof(*s));
	sigset_t mask;
	int rc = 0;

	if (!s) {
		close(fd);
		return -ENOMEM;
	}
	s->fd = fd;
	s->source = source;
	catch_signals(&mask);
	while (!ended && !rc) {
		struct timespec ts = { 0 };
		int ms;

		s->now_ms = cs_serve_now_ms();
		ms = prepare(s);
		ts.tv_sec = ms / 1000;
		ts.tv_nsec = ms % 1000 * 1000000L;
		if (ppoll(s->p, CS_SERVE_MAX + 2, ms < 0 ? NULL : &ts, &mask) >=
		    0)
			turn(s);
		else if (errno != EINTR)
			rc = -errno;
	}
	for (int i = 0; i < CS_SERVE_MAX; i++)
		hang_up(&s->c[i]);
	close(fd);
	free(s);
	return rc;
}
