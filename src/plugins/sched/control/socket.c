/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket: listening, connections, deadlines.
 *
 * One poll(2) loop.  A connection reads one question, which control_conn.c answers,
 * then writes the answer and is closed after the last byte or at its deadline.  While
 * control_conn.c waits for munge or for the scheduling thread the loop blocks, for a
 * second or two at most: others wait, none is lost.  If slurmctld is out of
 * descriptors, callers wait outside and are retried every second.
 */
#include "compat/slurm.h"

#include "sched/control/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "gate/gate.h"
#include "sched/control/control_conn.h"
#include "wire/wire.h"

#define CONNECTIONS 16
#define CONNECTION_S 10
#define HOSTS 16 /* most SlurmctldHosts tried */
#define DEAF_US INT64_C(1000000)

struct connection {
	int fd; /* -1: free */
	int64_t deadline_us;
	size_t got;
	unsigned char in[CS_WIRE_HEAD + CS_WIRE_QUESTION_MAX + 1];
	char *out; /* NULL while reading */
	size_t out_len, sent;
};

struct conf {		    /* of slurm.conf */
	char dir[PATH_MAX]; /* StateSaveLocation */
	char host[HOSTS][256];
	uint32_t n_host;
};

static struct {
	bool running;
	struct conf conf;
	pthread_t thread;
	int listener, stop; /* stop: an eventfd */
	char where[PATH_MAX];
	dev_t dev; /* of a unix socket's file */
	ino_t ino;
	int64_t deaf_us; /* accept no one until then; 0: the last one got in */
	struct cs_reply_setup reply;
	struct connection conn[CONNECTIONS];
} sock = { .listener = -1, .stop = -1 };

/* ---- a connection -------------------------------------------------------- */

static void hang_up(struct connection *c)
{
	close(c->fd);
	free(c->out);
	c->out = NULL;
	c->fd = -1;
}

/* A free place, or that of the oldest connection: silent ones must not keep others
 * out. */
static struct connection *place(void)
{
	struct connection *oldest = sock.conn;

	for (int i = 0; i < CONNECTIONS; i++) {
		struct connection *c = &sock.conn[i];

		if (c->fd < 0)
			return c;
		if (c->deadline_us < oldest->deadline_us)
			oldest = c;
	}
	hang_up(oldest);
	return oldest;
}

/* The caller stays in the queue, so poll(2) would return at once forever. */
static void turn_deaf(int why)
{
	if (!sock.deaf_us)
		error("cosched: control socket: accept: %s: trying again every second",
		      strerror(why));
	sock.deaf_us = cs_gate_now_us() + DEAF_US;
}

static void greet(void)
{
	int fd = accept4(sock.listener, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct connection *c;

	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			turn_deaf(errno);
		return;
	}
	sock.deaf_us = 0;
	c = place();
	c->fd = fd;
	c->got = c->out_len = c->sent = 0;
	c->deadline_us = cs_gate_now_us() + CONNECTION_S * 1000000LL;
}

/* Bytes of the question, as far as known; 0: it is none. */
static size_t question_len(const struct connection *c)
{
	enum cs_wire_kind kind;
	uint32_t len;

	if (c->got < CS_WIRE_HEAD)
		return CS_WIRE_HEAD + 1;
	if (cs_wire_get_head(c->in, &kind, &len) || kind != CS_WIRE_QUESTION)
		return 0;
	return CS_WIRE_HEAD + len;
}

static void read_some(struct connection *c)
{
	ssize_t n = recv(c->fd, c->in + c->got, sizeof(c->in) - 1 - c->got, 0);
	size_t want;

	if (n <= 0) {
		if (!n || (errno != EAGAIN && errno != EINTR))
			hang_up(c);
		return;
	}
	c->got += (size_t)n;
	want = question_len(c);
	if (!want) {
		hang_up(c);
		return;
	}
	if (c->got < want)
		return;
	c->in[want] = '\0';
	c->out = cs_control_reply(&sock.reply, (char *)c->in + CS_WIRE_HEAD,
				  &c->out_len);
	if (!c->out)
		hang_up(c);
}

static void write_some(struct connection *c)
{
	ssize_t n = send(c->fd, c->out + c->sent, c->out_len - c->sent,
			 MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		c->sent += (size_t)n;
	if (n <= 0 || c->sent == c->out_len)
		hang_up(c);
}

/* ---- the loop ------------------------------------------------------------ */

/* Fill @p; returns how many, and the milliseconds until the next deadline. */
static nfds_t gather(struct pollfd *p, struct connection **who, int *ret_ms)
{
	int64_t now = cs_gate_now_us(), left = 60 * 1000000LL;
	nfds_t n = 2;

	p[0] = (struct pollfd){ .fd = sock.stop, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = now < sock.deaf_us ? -1 : sock.listener,
				.events = POLLIN };
	if (now < sock.deaf_us)
		left = sock.deaf_us - now;
	for (int i = 0; i < CONNECTIONS; i++) {
		struct connection *c = &sock.conn[i];

		if (c->fd >= 0 && now >= c->deadline_us)
			hang_up(c);
		if (c->fd < 0)
			continue;
		if (c->deadline_us - now < left)
			left = c->deadline_us - now;
		who[n] = c;
		p[n++] = (struct pollfd){ .fd = c->fd,
					  .events = c->out ? POLLOUT : POLLIN };
	}
	*ret_ms = (int)(left / 1000) + 1;
	return n;
}

static void *serve(void *arg)
{
	struct pollfd p[CONNECTIONS + 2];
	struct connection *who[CONNECTIONS + 2];
	int ms;

	(void)arg;
	pthread_setname_np(pthread_self(), "cosched_sock");
	for (;;) {
		nfds_t n = gather(p, who, &ms);

		if (poll(p, n, ms) < 0 && errno != EINTR)
			break;
		if (p[0].revents)
			break;
		for (nfds_t i = 2; i < n; i++)
			if (p[i].revents && who[i]->out)
				write_some(who[i]);
			else if (p[i].revents)
				read_some(who[i]);
		if (p[1].revents)
			greet();
	}
	for (int i = 0; i < CONNECTIONS; i++)
		if (sock.conn[i].fd >= 0)
			hang_up(&sock.conn[i]);
	return NULL;
}

/* ---- listening ----------------------------------------------------------- */

/* Is there anything but a socket?  Then it is another's file. */
static int check_free(const char *path, struct cs_err *err)
{
	struct stat st;

	if (lstat(path, &st) || S_ISSOCK(st.st_mode))
		return 0;
	return cs_err_set(
		err, -EEXIST,
		"control socket '%s': it exists and is no socket, expected a path that is free",
		path);
}

/*
 * Bound under another name and moved into place: an old socket there, say of a killed
 * slurmctld, is replaced at once.  Anyone may connect; munge identifies the user.
 */
static int listen_unix(const char *path, struct cs_err *err)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	struct stat st;
	int fd, rc;

	if (strlen(path) + 4 >= sizeof(sa.sun_path))
		return cs_err_set(
			err, -ENAMETOOLONG,
			"control socket '%s': path is longer than %zu bytes, set cosched_socket",
			path, sizeof(sa.sun_path) - 5);
	snprintf(sa.sun_path, sizeof(sa.sun_path), "%.100s.new", path);
	rc = check_free(path, err);
	if (!rc)
		rc = check_free(sa.sun_path, err);
	if (rc)
		return rc;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return cs_err_set(err, -errno, "control socket: %s",
				  strerror(errno));
	unlink(sa.sun_path);
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) ||
	    chmod(sa.sun_path, 0666) || listen(fd, CONNECTIONS) ||
	    stat(sa.sun_path, &st) || rename(sa.sun_path, path)) {
		rc = -errno;
		close(fd);
		unlink(sa.sun_path);
		return cs_err_set(err, rc, "control socket '%s': %s", path,
				  strerror(-rc));
	}
	sock.dev = st.st_dev;
	sock.ino = st.st_ino;
	snprintf(sock.where, sizeof(sock.where), "%s", path);
	sock.listener = fd;
	return 0;
}

/* Bind @port at @host; 0, or -errno. */
static int listen_at(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list, *ai;
	int on = 1, fd = -1, rc = -EADDRNOTAVAIL;

	if (getaddrinfo(host, port, &hints, &list))
		return -EHOSTUNREACH;
	for (ai = list; ai && rc; ai = ai->ai_next) {
		fd = socket(ai->ai_family,
			    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd < 0)
			continue;
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		rc = bind(fd, ai->ai_addr, ai->ai_addrlen) ||
				     listen(fd, CONNECTIONS)
			     ? -errno
			     : 0;
		if (rc)
			close(fd);
	}
	freeaddrinfo(list);
	if (!rc)
		sock.listener = fd;
	return rc;
}

/* The first SlurmctldHost whose address is this host's. */
static int listen_tcp(const char *port, struct cs_err *err)
{
	int rc = -EADDRNOTAVAIL;

	for (uint32_t i = 0; i < sock.conf.n_host && rc; i++) {
		const char *host = sock.conf.host[i];

		rc = listen_at(host, port);
		if (rc == -EADDRINUSE)
			return cs_err_set(
				err, rc,
				"control socket: port %s of %s is taken, expected a free one in cosched_socket",
				port, host);
		if (!rc)
			snprintf(sock.where, sizeof(sock.where), "%s:%s", host,
				 port);
	}
	if (rc)
		return cs_err_set(
			err, rc,
			"control socket: cannot listen on port '%s' of any SlurmctldHost: %s",
			port, strerror(-rc));
	return 0;
}

static bool is_port(const char *s)
{
	return *s && strlen(s) <= 5 && strspn(s, "0123456789") == strlen(s) &&
	       atoi(s) > 0 && atoi(s) < 65536;
}

static int listen_where(const char *where, struct cs_err *err)
{
	char path[PATH_MAX];

	if (is_port(where))
		return listen_tcp(where, err);
	if (*where && *where != '/')
		return cs_err_set(
			err, -EINVAL,
			"cosched_socket '%s': expected an absolute path or a port number",
			where);
	if (*where)
		return listen_unix(where, err);
	if (snprintf(path, sizeof(path), "%s/cosched.sock", sock.conf.dir) >=
	    (int)sizeof(path))
		return cs_err_set(
			err, -ENAMETOOLONG,
			"StateSaveLocation is too long for a socket in it, set cosched_socket");
	return listen_unix(path, err);
}

void cs_socket_read_conf(void)
{
	struct conf *c = &sock.conf;

	snprintf(c->dir, sizeof(c->dir), "%s", slurm_conf.state_save_location);
	c->n_host = 0;
	for (uint32_t i = 0; i < slurm_conf.control_cnt && i < HOSTS; i++)
		snprintf(c->host[c->n_host++], sizeof(c->host[0]), "%s",
			 slurm_conf.control_addr[i]);
	cs_reply_setup(&sock.reply);
}

int cs_socket_start(const char *where, struct cs_err *err)
{
	sigset_t all, before;
	int rc;

	cs_socket_stop();
	for (int i = 0; i < CONNECTIONS; i++)
		sock.conn[i].fd = -1;
	sock.deaf_us = 0;
	rc = listen_where(where, err);
	if (rc)
		return rc;
	sock.stop = eventfd(0, EFD_CLOEXEC);
	rc = sock.stop < 0 ? errno : 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!rc)
		rc = pthread_create(&sock.thread, NULL, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sock.running = !rc;
	if (!rc)
		return 0;
	cs_socket_stop();
	return cs_err_set(err, -rc, "control socket: no thread: %s",
			  strerror(rc));
}

void cs_socket_stop(void)
{
	struct stat st;
	uint64_t one = 1;

	if (sock.running && write(sock.stop, &one, sizeof(one)) > 0)
		pthread_join(sock.thread, NULL);
	sock.running = false;
	if (sock.listener >= 0)
		close(sock.listener);
	if (sock.stop >= 0)
		close(sock.stop);
	sock.listener = sock.stop = -1;
	if (sock.where[0] == '/' && !stat(sock.where, &st) &&
	    st.st_dev == sock.dev && st.st_ino == sock.ino)
		unlink(sock.where);
	sock.where[0] = '\0';
}

const char *cs_socket_where(void)
{
	return sock.where;
}
