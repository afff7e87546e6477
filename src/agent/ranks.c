// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which ranks are on the node.
 *
 * Rule.
 * 1. A rank is known while a board names it and its process, which the board's owner owns,
 *    lives.  A process is in one row at most.  A rank whose folder the last scan has not
 *    read stays.
 * 2. A user has CS_AGENT_OF_USER rows at most: one cannot fill the table alone.
 * 3. Each user with a board has a socket, which no other user but root can send to: a
 *    user's flood costs turns of that user's jobs alone.
 * 4. A datagram of an unknown rank brings the next scan forward.  Where such a scan finds
 *    no new rank, the next early one comes after CS_AGENT_EARLY_NS: a rank in a PID
 *    namespace, whose board has another number than the kernel's, is never found.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"

uint32_t cs_agent_find(const struct cs_agent *a, uint32_t pid)
{
	for (uint32_t i = 0; i < a->rows; i++)
		if (a->rank[i].used && a->rank[i].row.pid == pid)
			return i;
	return CS_PROC_NONE;
}

void cs_agent_remove(struct cs_agent *a, uint32_t row)
{
	struct cs_rank *r = &a->rank[row];

	cs_agent_withdraw(a, row);
	cs_process_close(&r->p, a->epoll);
	cs_proc_tables_forget(&a->tables, row);
	memset(r, 0, sizeof *r);
	while (a->rows && !a->rank[a->rows - 1].used)
		a->rows--;
}

/* Connections begin and end: each rank's are looked for now and then, those of a few
 * ranks in a tick. */
void cs_agent_look_for_sockets(struct cs_agent *a, int64_t now_ns)
{
	unsigned looks = 0, links = 0;

	for (uint32_t k = 0;
	     k < a->rows && looks < CS_AGENT_LOOKS && links < CS_AGENT_LINKS;
	     k++) {
		uint32_t row = a->next_row++ % a->rows;
		struct cs_rank *r = &a->rank[row];

		if (!r->used || r->row.mode != CS_WAIT_PROC_B ||
		    now_ns - r->looked_ns < CS_AGENT_LOOK_NS)
			continue;
		looks++;
		r->looked_ns = now_ns;
		if (!cs_process_sockets(&r->p, &a->sources, a->epoll,
					cs_tag(CS_TAG_SOCKET, row), &links))
			a->sees = true;
	}
}

static void add_rank(struct cs_agent *a, const struct cs_claim *c)
{
	struct epoll_event e = { .events = EPOLLIN };
	uint32_t row = CS_PROC_NONE, of_user = 0;
	struct cs_rank *r;

	for (uint32_t i = CS_AGENT_RANKS; i-- > 0;) {
		if (!a->rank[i].used)
			row = i;
		else
			of_user += a->rank[i].uid == c->uid;
	}
	if (row == CS_PROC_NONE || of_user >= CS_AGENT_OF_USER)
		return;
	r = &a->rank[row];
	if (cs_process_open(&r->p, (pid_t)c->row.pid, c->uid)) {
		a->refused++;
		return;
	}
	e.data.u64 = cs_tag(CS_TAG_END, row);
	if (epoll_ctl(a->epoll, EPOLL_CTL_ADD, r->p.fd, &e)) {
		cs_process_close(&r->p, a->epoll);
		return;
	}
	r->used = true;
	r->uid = c->uid;
	memcpy(r->key, c->key, sizeof r->key);
	r->row = c->row;
	a->early_ns = 0;
	if (row >= a->rows)
		a->rows = row + 1;
}

static void take_claim(struct cs_agent *a, const struct cs_claim *c)
{
	uint32_t row = cs_agent_find(a, c->row.pid);
	struct cs_rank *r;
	int cpu;

	if (row == CS_PROC_NONE) {
		add_rank(a, c);
		row = cs_agent_find(a, c->row.pid);
	}
	if (row == CS_PROC_NONE)
		return;
	r = &a->rank[row];
	if (r->uid != c->uid || strcmp(r->key, c->key) ||
	    r->row.slot != c->row.slot) {
		a->refused++;
		return;
	}
	if (!cs_process_is_owned(&r->p))
		return;
	cpu = cs_process_cpu(&r->p);
	if (cpu != r->p.cpu || c->row.mode != r->row.mode)
		cs_agent_withdraw(a, row);
	r->p.cpu = cpu;
	r->row = c->row;
	r->seen = true;
}

/* --- users -------------------------------------------------------------------------- */

void cs_agent_close_user(struct cs_agent *a, struct cs_user *u)
{
	char path[128];

	epoll_ctl(a->epoll, EPOLL_CTL_DEL, u->fd, NULL);
	close(u->fd);
	snprintf(path, sizeof path, "%s/%u", a->dir, u->uid);
	unlink(path);
	memset(u, 0, sizeof *u);
}

static int open_user(struct cs_agent *a, struct cs_user *u, uint32_t uid)
{
	struct sockaddr_un door = { .sun_family = AF_UNIX };
	struct epoll_event e = {
		.events = EPOLLIN,
		.data.u64 = cs_tag(CS_TAG_USER, (uint32_t)(u - a->user)),
	};
	int one = 1, rc = 0;
	int n = snprintf(door.sun_path, sizeof door.sun_path, "%s/%u", a->dir,
			 uid);

	if (n < 0 || (size_t)n >= sizeof door.sun_path)
		return -ENAMETOOLONG;
	u->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (u->fd < 0)
		return -errno;
	u->used = true;
	u->uid = uid;
	unlink(door.sun_path);
	/* Only root may write the folder: the name cannot be another file's. */
	if (setsockopt(u->fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof one) ||
	    bind(u->fd, (const struct sockaddr *)&door, sizeof door) ||
	    chmod(door.sun_path, 0600) ||
	    (uid != geteuid() && lchown(door.sun_path, uid, (gid_t)-1)) ||
	    epoll_ctl(a->epoll, EPOLL_CTL_ADD, u->fd, &e))
		rc = -errno;
	if (rc)
		cs_agent_close_user(a, u);
	return rc;
}

static void see_user(struct cs_agent *a, uint32_t uid)
{
	struct cs_user *room = NULL;

	for (int i = 0; i < CS_SCAN_USERS; i++) {
		struct cs_user *u = &a->user[i];

		if (u->used && u->uid == uid) {
			u->seen = true;
			return;
		}
		if (!u->used && !room)
			room = u;
	}
	if (room && !open_user(a, room, uid))
		room->seen = true;
}

void cs_agent_scan(struct cs_agent *a, int64_t now_ns)
{
	struct cs_scan *s = &a->scan;

	a->scanned_ns = now_ns;
	if (a->rescan)
		a->early_ns = now_ns + CS_AGENT_EARLY_NS;
	a->rescan = false;
	if (cs_scan_boards(s, a->root))
		return;
	a->bad = s->refused;
	for (uint32_t i = 0; i < a->rows; i++)
		a->rank[i].seen = false;
	for (int i = 0; i < CS_SCAN_USERS; i++)
		a->user[i].seen = false;
	for (size_t i = 0; i < s->n_folder; i++)
		see_user(a, s->folder[i].uid);
	for (size_t i = 0; i < s->n; i++)
		take_claim(a, &s->claim[i]);
	for (uint32_t i = a->rows; i-- > 0;)
		if (a->rank[i].used && !a->rank[i].seen &&
		    cs_scan_covers(s, a->rank[i].uid))
			cs_agent_remove(a, i);
	for (int i = 0; i < CS_SCAN_USERS; i++)
		if (a->user[i].used && !a->user[i].seen)
			cs_agent_close_user(a, &a->user[i]);
}
