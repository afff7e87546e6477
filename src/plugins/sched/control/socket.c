/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket: listening, connections, deadlines.
 *
 * One poll(2) loop serves all connections; none waits for another.  A connection sends
 * one question; that is opened by munge and put into the mailbox (control_queue.h); its
 * answer is written slice by slice, and the connection is closed after the last byte or
 * at its deadline.  Only munge is waited for: a munged that does not answer holds all
 * up, and without it no user can be identified.
 *
 * Rules.
 *  1. If all places are taken, a new connection takes that of one whose question has
 *     not come: of the user who holds most places, the oldest.  So silent and slow
 *     clients keep no other out.  (The user is the peer's of a unix socket; callers from
 *     other hosts count as one user until munge has told theirs.)  Without such a
 *     connection new ones wait outside.
 *  2. A user has at most OF_A_USER questions under way, and users who are no operators
 *     leave SPARE places free, in which questions are read and operators answered.
 *     More are refused at once.
 *  3. If the scheduling thread has not answered within ANSWER_US, the answer is that it
 *     is busy, or of `status` the last one published.
 *  4. If slurmctld is out of descriptors, callers wait outside and are retried every
 *     second.
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

#define PLACES CS_CONTROL_QUESTIONS /* connections at once */
#define SPARE 4			    /* rule 2 */
#define OF_A_USER 32
#define CONNECTION_US INT64_C(10000000)
#define ANSWER_US INT64_C(2000000)
#define UNKNOWN ((uid_t)-1)
#define HOSTS 16 /* most SlurmctldHosts tried */
#define DEAF_US INT64_C(1000000)

enum phase { READING, ASKED, WRITING };

struct connection {
	int fd; /* -1: free */
	enum phase phase;
	uid_t uid; /* by munge; READING: the peer's, or UNKNOWN */
	int64_t deadline_us;
	unsigned char *in; /* [HEAD + QUESTION_MAX + 1] */
	size_t got;
	struct cs_question question; /* not READING */
	uint64_t number;	     /* ASKED: in the mailbox, ... */
	int64_t answer_us;	     /* ... answered by then */
	char *answer;		     /* WRITING; NULL: `out` is an error */
	unsigned slice;		     /* of it, in `out` */
	bool last;		     /* slice */
	char *out;
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
	int listener, stop, answered; /* eventfds, the last two */
	char asked[PATH_MAX];	      /* where it was to listen */
	char where[PATH_MAX];
	dev_t dev; /* of a unix socket's file */
	ino_t ino;
	int64_t deaf_us; /* accept no one until then; 0: the last one got in */
	struct cs_reply_setup reply;
	struct connection conn[PLACES];
} sock = { .listener = -1, .stop = -1, .answered = -1 };

/* ---- a connection -------------------------------------------------------- */

static void hang_up(struct connection *c)
{
	if (c->phase == ASKED)
		cs_control_queue_drop(c->number);
	close(c->fd);
	free(c->in);
	free(c->answer);
	free(c->out);
	*c = (struct connection){ .fd = -1 };
}

/* How many places has @uid? */
static int places_of(uid_t uid)
{
	int n = 0;

	for (int i = 0; i < PLACES; i++)
		n += sock.conn[i].fd >= 0 && sock.conn[i].uid == uid;
	return n;
}

/* Whose place may a new connection take (rule 1)? NULL: none's. */
static struct connection *unread(void)
{
	struct connection *found = NULL;
	int most = 0;

	for (int i = 0; i < PLACES; i++) {
		struct connection *c = &sock.conn[i];
		int n = places_of(c->uid);

		if (c->fd < 0 || c->phase != READING)
			continue;
		if (!found || n > most ||
		    (n == most && c->deadline_us < found->deadline_us)) {
			found = c;
			most = n;
		}
	}
	return found;
}

/* A free place; NULL: there is none. */
static struct connection *place(void)
{
	for (int i = 0; i < PLACES; i++)
		if (sock.conn[i].fd < 0)
			return &sock.conn[i];
	return NULL;
}

/* The caller stays in the queue, so poll(2) would return at once forever. */
static void turn_deaf(int why)
{
	if (!sock.deaf_us)
		error("cosched: control socket: accept: %s: trying again every second",
		      strerror(why));
	sock.deaf_us = cs_gate_now_us() + DEAF_US;
}

static uid_t peer_of(int fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return UNKNOWN;
	return cred.uid;
}

static void greet(void)
{
	int fd = accept4(sock.listener, NULL, NULL,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct connection *c = place();

	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			turn_deaf(errno);
		return;
	}
	sock.deaf_us = 0;
	if (!c) {
		c = unread();
		if (c)
			hang_up(c);
	}
	if (!c) {
		close(fd);
		return;
	}
	c->fd = fd;
	c->uid = peer_of(fd);
	c->deadline_us = cs_gate_now_us() + CONNECTION_US;
	c->in = malloc(CS_WIRE_HEAD + CS_WIRE_QUESTION_MAX + 1);
	if (!c->in)
		hang_up(c);
}

/* ---- the answer ---------------------------------------------------------- */

static void write_error(struct connection *c, const char *text)
{
	free(c->out);
	c->phase = WRITING;
	c->sent = 0;
	c->last = true;
	c->out = cs_control_error(text, &c->out_len);
	if (!c->out)
		hang_up(c);
}

static void write_slice(struct connection *c)
{
	free(c->out);
	c->sent = 0;
	c->out = cs_control_seal(&sock.reply, &c->question, c->answer, c->slice,
				 &c->out_len, &c->last);
	if (!c->out)
		write_error(c, "munge cannot seal the answer");
}

/* Takes ownership of @answer; NULL: no memory. */
static void write_answer(struct connection *c, char *answer)
{
	if (answer && strlen(answer) > CS_WIRE_ANSWER_MAX) {
		free(answer);
		answer = cs_control_reply_refusal("the answer is too long");
	}
	if (!answer) {
		hang_up(c);
		return;
	}
	c->phase = WRITING;
	c->answer = answer;
	c->slice = 0;
	write_slice(c);
}

static void write_some(struct connection *c)
{
	ssize_t n = send(c->fd, c->out + c->sent, c->out_len - c->sent,
			 MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		c->sent += (size_t)n;
	if (n <= 0 || (c->sent == c->out_len && c->last)) {
		hang_up(c);
	} else if (c->sent == c->out_len) {
		c->slice++;
		write_slice(c);
	}
}

/* What is answered, or should be by now (rule 3). */
static void collect(void)
{
	int64_t now = cs_gate_now_us();

	for (int i = 0; i < PLACES; i++) {
		struct connection *c = &sock.conn[i];
		char *answer;

		if (c->fd < 0 || c->phase != ASKED)
			continue;
		answer = cs_control_queue_collect(c->number);
		if (!answer && now < c->answer_us)
			continue;
		if (!answer) {
			cs_control_queue_drop(c->number);
			answer = cs_control_late(&c->question.ask);
		}
		write_answer(c, answer);
	}
}

/* ---- the question -------------------------------------------------------- */

/* Why the question of @c cannot be under way beside the others (rule 2); NULL: it can. */
static const char *too_many(const struct connection *c)
{
	int own = 0, ordinary = 0;

	for (int i = 0; i < PLACES; i++) {
		const struct connection *x = &sock.conn[i];

		if (x->fd < 0 || x->phase == READING)
			continue;
		own += x->uid == c->uid;
		ordinary += !x->question.ask.privileged;
	}
	if (own >= OF_A_USER)
		return "too many questions of this user are under way, try again";
	if (ordinary >= PLACES - SPARE && !c->question.ask.privileged)
		return "too many questions are under way, try again";
	return NULL;
}

/* The question is complete. */
static void ask(struct connection *c)
{
	const char *wrong = cs_control_open(
		&sock.reply, (char *)c->in + CS_WIRE_HEAD, &c->question);
	char *no;

	free(c->in);
	c->in = NULL;
	if (wrong) {
		write_error(c, wrong);
		return;
	}
	c->uid = c->question.ask.uid;
	no = cs_control_denied(&c->question.ask);
	wrong = too_many(c);
	if (!no && !wrong) {
		c->number = cs_control_queue_put(&c->question.ask);
		if (!c->number)
			wrong = "too many questions are under way, try again";
	}
	if (no || wrong) {
		write_answer(c, no ? no : cs_control_reply_refusal(wrong));
		return;
	}
	c->phase = ASKED;
	c->answer_us = cs_gate_now_us() + ANSWER_US;
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
	ssize_t n = recv(c->fd, c->in + c->got,
			 CS_WIRE_HEAD + CS_WIRE_QUESTION_MAX - c->got, 0);
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
	ask(c);
}

/* ---- the loop ------------------------------------------------------------ */

static void handle(struct connection *c, short events)
{
	if (c->phase == READING)
		read_some(c);
	else if (c->phase == WRITING)
		write_some(c);
	else if (events & (POLLHUP | POLLERR))
		hang_up(c);
}

static short events_of(const struct connection *c)
{
	static const short events[] = {
		[READING] = POLLIN, [ASKED] = 0, [WRITING] = POLLOUT
	};

	return events[c->phase];
}

enum { STOP, ANSWERED, LISTENER, FIRST };

/* Fill @p; returns how many, and the milliseconds until the next deadline. */
static nfds_t gather(struct pollfd *p, struct connection **who, int *ret_ms)
{
	int64_t now = cs_gate_now_us(), until = now + 60 * INT64_C(1000000);
	bool deaf = now < sock.deaf_us || (!place() && !unread());
	nfds_t n = FIRST;

	p[STOP] = (struct pollfd){ .fd = sock.stop, .events = POLLIN };
	p[ANSWERED] = (struct pollfd){ .fd = sock.answered, .events = POLLIN };
	p[LISTENER] = (struct pollfd){ .fd = deaf ? -1 : sock.listener,
				       .events = POLLIN };
	if (now < sock.deaf_us)
		until = sock.deaf_us;
	for (int i = 0; i < PLACES; i++) {
		struct connection *c = &sock.conn[i];

		if (c->fd >= 0 && now >= c->deadline_us)
			hang_up(c);
		if (c->fd < 0)
			continue;
		if (c->deadline_us < until)
			until = c->deadline_us;
		if (c->phase == ASKED && c->answer_us < until)
			until = c->answer_us;
		who[n] = c;
		p[n++] = (struct pollfd){ .fd = c->fd, .events = events_of(c) };
	}
	*ret_ms = until > now ? (int)((until - now) / 1000) + 1 : 0;
	return n;
}

static void *serve(void *arg)
{
	struct pollfd p[FIRST + PLACES];
	struct connection *who[FIRST + PLACES];
	uint64_t answers;
	int ms;

	(void)arg;
	pthread_setname_np(pthread_self(), "cosched_sock");
	for (;;) {
		nfds_t n = gather(p, who, &ms);

		if (poll(p, n, ms) < 0 && errno != EINTR)
			break;
		if (p[STOP].revents)
			break;
		if (p[ANSWERED].revents &&
		    read(sock.answered, &answers, sizeof(answers)) < 0 &&
		    errno != EAGAIN)
			break;
		for (nfds_t i = FIRST; i < n; i++)
			if (p[i].revents)
				handle(who[i], p[i].revents);
		collect();
		if (p[LISTENER].revents)
			greet();
	}
	for (int i = 0; i < PLACES; i++)
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
	    chmod(sa.sun_path, 0666) || listen(fd, SOMAXCONN) ||
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
				     listen(fd, SOMAXCONN)
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

static void read_conf(struct conf *c, struct cs_reply_setup *reply)
{
	memset(c, 0, sizeof(*c));
	memset(reply, 0, sizeof(*reply));
	snprintf(c->dir, sizeof(c->dir), "%s", slurm_conf.state_save_location);
	for (uint32_t i = 0; i < slurm_conf.control_cnt && i < HOSTS; i++)
		snprintf(c->host[c->n_host++], sizeof(c->host[0]), "%s",
			 slurm_conf.control_addr[i]);
	cs_reply_setup(reply);
}

void cs_socket_read_conf(void)
{
	read_conf(&sock.conf, &sock.reply);
}

bool cs_socket_serves(const char *where)
{
	struct cs_reply_setup reply;
	struct conf conf;

	read_conf(&conf, &reply);
	return sock.running && !strcmp(sock.asked, where) &&
	       !memcmp(&conf, &sock.conf, sizeof(conf)) &&
	       !memcmp(&reply, &sock.reply, sizeof(reply));
}

int cs_socket_start(const char *where, struct cs_err *err)
{
	sigset_t all, before;
	int rc;

	cs_socket_stop();
	for (int i = 0; i < PLACES; i++)
		sock.conn[i].fd = -1;
	sock.deaf_us = 0;
	rc = listen_where(where, err);
	if (rc)
		return rc;
	sock.stop = eventfd(0, EFD_CLOEXEC);
	sock.answered = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = sock.stop < 0 || sock.answered < 0 ? errno : 0;
	cs_control_queue_notify(sock.answered);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!rc)
		rc = pthread_create(&sock.thread, NULL, serve, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sock.running = !rc;
	snprintf(sock.asked, sizeof(sock.asked), "%s", where);
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
	cs_control_queue_notify(-1);
	if (sock.listener >= 0)
		close(sock.listener);
	if (sock.stop >= 0)
		close(sock.stop);
	if (sock.answered >= 0)
		close(sock.answered);
	sock.listener = sock.stop = sock.answered = -1;
	if (sock.where[0] == '/' && !stat(sock.where, &st) &&
	    st.st_dev == sock.dev && st.st_ino == sock.ino)
		unlink(sock.where);
	sock.where[0] = '\0';
}

const char *cs_socket_where(void)
{
	return sock.where;
}
