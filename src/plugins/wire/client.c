/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket's client: one question, one answer, one deadline.
 */
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <munge.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define AGAIN_MS 10

struct exchange {
	const struct cs_wire_peer *peer;
	munge_ctx_t munge;
	int fd;
	int64_t deadline_ms;
	char nonce[CS_WIRE_NONCE + 1];
	char *answer;
	size_t len;
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Wait until the socket is ready for @events; 0, -ETIMEDOUT, -errno. */
static int wait_ready(const struct exchange *x, short events)
{
	struct pollfd p = { .fd = x->fd, .events = events };

	for (;;) {
		int64_t left = x->deadline_ms - now_ms();
		int n = poll(&p, 1, left > 0 ? (int)left : 0);

		if (n > 0)
			return 0;
		if (!n)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int connect_fd(struct exchange *x, int family, const struct sockaddr *sa,
		      socklen_t len)
{
	int error = 0, rc;
	socklen_t size = sizeof(error);

	x->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (x->fd < 0)
		return -errno;
	do {
		if (!connect(x->fd, sa, len))
			return 0;
		rc = -errno;
		/* a unix socket whose queue of callers is full */
	} while (rc == -EAGAIN && now_ms() < x->deadline_ms &&
		 !poll(NULL, 0, AGAIN_MS));
	if (rc == -EINPROGRESS) {
		rc = wait_ready(x, POLLOUT);
		if (!rc &&
		    !getsockopt(x->fd, SOL_SOCKET, SO_ERROR, &error, &size))
			rc = -error;
	}
	if (rc) {
		close(x->fd);
		x->fd = -1;
	}
	return rc;
}

static int connect_unix(struct exchange *x, struct cs_err *err)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	const char *path = x->peer->where;
	int rc;

	if (strlen(path) >= sizeof(sa.sun_path))
		return cs_err_set(err, -ENAMETOOLONG,
				  "socket '%s': path is longer than %zu bytes",
				  path, sizeof(sa.sun_path) - 1);
	strcpy(sa.sun_path, path);
	rc = connect_fd(x, AF_UNIX, (struct sockaddr *)&sa, sizeof(sa));
	if (rc)
		return cs_err_set(err, rc, "socket '%s': %s", path,
				  strerror(-rc));
	return 0;
}

static int connect_tcp(struct exchange *x, struct cs_err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list, *ai;
	const char *where = x->peer->where, *colon = strrchr(where, ':');
	char host[256];
	int rc = -EINVAL;

	if (!colon || colon == where || (size_t)(colon - where) >= sizeof(host))
		return cs_err_set(
			err, -EINVAL,
			"'%s': expected an absolute path or HOST:PORT", where);
	memcpy(host, where, (size_t)(colon - where));
	host[colon - where] = '\0';
	rc = getaddrinfo(host, colon + 1, &hints, &list);
	if (rc)
		return cs_err_set(err, -EHOSTUNREACH, "'%s': %s", where,
				  gai_strerror(rc));
	rc = -EHOSTUNREACH;
	for (ai = list; ai && rc; ai = ai->ai_next)
		rc = connect_fd(x, ai->ai_family, ai->ai_addr, ai->ai_addrlen);
	freeaddrinfo(list);
	if (rc)
		return cs_err_set(err, rc, "'%s': %s", where, strerror(-rc));
	return 0;
}

/* All @n bytes, to the peer (POLLOUT) or from it (POLLIN). */
static int move_all(const struct exchange *x, char *p, size_t n, short way)
{
	while (n) {
		ssize_t done = way == POLLOUT ? send(x->fd, p, n, MSG_NOSIGNAL)
					      : recv(x->fd, p, n, 0);
		int rc = 0;

		if (done > 0) {
			p += done;
			n -= (size_t)done;
		} else if (!done) {
			rc = way == POLLIN ? -ECONNRESET : 0;
		} else if (errno == EAGAIN) {
			rc = wait_ready(x, way);
		} else if (errno != EINTR) {
			rc = -errno;
		}
		if (rc)
			return rc;
	}
	return 0;
}

static int make_nonce(struct exchange *x)
{
	unsigned char raw[CS_WIRE_NONCE / 2];

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return -errno;
	for (size_t i = 0; i < sizeof(raw); i++)
		snprintf(x->nonce + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

static int send_question(struct exchange *x, const struct cs_wire_question *q,
			 struct cs_err *err)
{
	unsigned char head[CS_WIRE_HEAD];
	char question[256], of_array[32] = "";
	char *cred = NULL;
	munge_err_t e;
	int rc;

	if (q->task != UINT32_MAX)
		snprintf(of_array, sizeof(of_array), ",\"task\":%" PRIu32,
			 q->task);
	snprintf(question, sizeof(question),
		 "{\"cmd\":\"%s\",\"job\":%" PRIu32 "%s%s%s,\"nonce\":\"%s\"}",
		 q->cmd, q->job, of_array, q->fields ? ",\"fields\":true" : "",
		 q->verbose ? ",\"verbose\":true" : "", x->nonce);
	e = munge_encode(&cred, x->munge, question, (int)strlen(question));
	if (e != EMUNGE_SUCCESS)
		return cs_err_set(err, -EACCES, "munge: %s",
				  munge_ctx_strerror(x->munge));
	cs_wire_put_head(head, CS_WIRE_QUESTION, (uint32_t)strlen(cred));
	rc = move_all(x, (char *)head, sizeof(head), POLLOUT);
	if (!rc)
		rc = move_all(x, cred, strlen(cred), POLLOUT);
	free(cred);
	if (rc)
		return cs_err_set(err, rc, "'%s': sending: %s", x->peer->where,
				  strerror(-rc));
	return 0;
}

/* Append the slice in @payload, @n bytes; *ret_last: was it the last? */
static int add_slice(struct exchange *x, const char *payload, size_t n,
		     unsigned index, int *ret_last)
{
	char label[CS_WIRE_LABEL_MAX];
	char *grown;
	size_t at;

	for (*ret_last = 0; *ret_last < 2; ++*ret_last) {
		at = (size_t)snprintf(label, sizeof(label),
				      "cosched 1 %s %u %d\n", x->nonce, index,
				      *ret_last);
		if (n >= at && !memcmp(payload, label, at))
			break;
	}
	if (*ret_last == 2 || x->len + n - at > CS_WIRE_ANSWER_MAX)
		return -EBADMSG;
	grown = realloc(x->answer, x->len + n - at + 1);
	if (!grown)
		return -ENOMEM;
	memcpy(grown + x->len, payload + at, n - at);
	x->answer = grown;
	x->len += n - at;
	x->answer[x->len] = '\0';
	return 0;
}

/* Open the credential @body, check its creator, append its contents. */
static int open_slice(struct exchange *x, const char *body, unsigned index,
		      int *ret_last, struct cs_err *err)
{
	void *payload = NULL;
	int len = 0, rc;
	uid_t uid = (uid_t)-1;
	munge_err_t e =
		munge_decode(body, x->munge, &payload, &len, &uid, NULL);

	if (e != EMUNGE_SUCCESS)
		rc = cs_err_set(err, -EACCES, "munge: %s",
				munge_ctx_strerror(x->munge));
	else if (uid && x->peer->uid != (uid_t)-1 && uid != x->peer->uid)
		rc = cs_err_set(err, -EACCES,
				"the answer is from user id %u, expected %u",
				uid, x->peer->uid);
	else
		rc = add_slice(x, payload, (size_t)len, index, ret_last);
	if (rc == -EBADMSG)
		cs_err_set(err, rc, "'%s': this is no answer to our question",
			   x->peer->where);
	free(payload);
	return rc;
}

static int recv_slice(struct exchange *x, unsigned index, int *ret_last,
		      struct cs_err *err)
{
	unsigned char head[CS_WIRE_HEAD];
	enum cs_wire_kind kind;
	uint32_t len;
	char *body;
	int rc = move_all(x, (char *)head, sizeof(head), POLLIN);

	if (!rc)
		rc = cs_wire_get_head(head, &kind, &len);
	if (rc)
		return cs_err_set(err, rc, "'%s': no answer: %s",
				  x->peer->where, strerror(-rc));
	body = malloc(len + 1);
	if (!body)
		return -ENOMEM;
	rc = move_all(x, body, len, POLLIN);
	body[len] = '\0';
	if (rc)
		cs_err_set(err, rc, "'%s': no answer: %s", x->peer->where,
			   strerror(-rc));
	else if (kind == CS_WIRE_ANSWER)
		rc = open_slice(x, body, index, ret_last, err);
	else
		rc = cs_err_set(err, -EPROTO, "'%s': %s", x->peer->where, body);
	free(body);
	return rc;
}

static int open_munge(struct exchange *x, struct cs_err *err)
{
	x->munge = munge_ctx_create();
	if (!x->munge)
		return cs_err_set(err, -ENOMEM, "munge: no memory");
	if (x->peer->munge_socket &&
	    munge_ctx_set(x->munge, MUNGE_OPT_SOCKET, x->peer->munge_socket) !=
		    EMUNGE_SUCCESS)
		return cs_err_set(err, -EINVAL, "munge socket '%s': %s",
				  x->peer->munge_socket,
				  munge_ctx_strerror(x->munge));
	return 0;
}

int cs_wire_ask(const struct cs_wire_peer *peer,
		const struct cs_wire_question *q, char **ret_answer,
		struct cs_err *err)
{
	struct exchange x = { .peer = peer, .fd = -1 };
	int last = 0, rc;

	x.deadline_ms = now_ms() + peer->timeout_ms;
	rc = make_nonce(&x);
	if (!rc)
		rc = open_munge(&x, err);
	if (!rc)
		rc = peer->where[0] == '/' ? connect_unix(&x, err)
					   : connect_tcp(&x, err);
	if (!rc)
		rc = send_question(&x, q, err);
	for (unsigned i = 0; !rc && !last; i++)
		rc = recv_slice(&x, i, &last, err);
	if (x.fd >= 0)
		close(x.fd);
	if (x.munge)
		munge_ctx_destroy(x.munge);
	if (rc)
		free(x.answer);
	else
		*ret_answer = x.answer;
	return rc;
}
