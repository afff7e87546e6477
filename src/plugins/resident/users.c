/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules.
 *  1. At most THREADS look-ups at a time, each on a thread that ends when the queue is
 *     empty: one that hangs does not delay the others, and a thousand users of 10 ms
 *     each are known within CS_USERS_PATIENCE_US.
 *  2. The mutex is never held across a look-up.
 *  3. A name is dropped KEEP_US after the last caller has dropped it: the campaigns of its
 *     jobs are over by then.  So is a user without such a name, to be looked up anew when a
 *     job comes.  That is looked for once an hour, when a user comes.
 *  4. A name that two users have had belongs to the one for whom a look-up has found it
 *     last: an account that was created anew, under another number.  Until one has, and for
 *     a name that is the other one's number, to neither.
 */
#include "resident/users.h"

#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/idmap.h"
#include "gate/gate.h"

#define THREADS 8
#define STACK (1024 * 1024)
#define BUFFER_MAX (1024 * 1024) /* bytes of a record of passwd */
#define AGAIN_US INT64_C(60000000)
#define REFRESH_US INT64_C(3600000000)
#define KEEP_US (7 * 24 * INT64_C(3600000000))

struct name {
	struct name *next;
	uint64_t found; /* the number of the last look-up that found it, or 0 */
	unsigned held;	/* by so many callers */
	int64_t left_us; /* not held since */
	char text[];
};

struct user {
	uint32_t uid;
	struct name *names; /* those that were returned, the last one first */
	const char *now;    /* of these the name; NULL: unknown */
	bool asked;	    /* a look-up waits or is under way */
	int64_t asked_us;   /* since when */
	int64_t again_us;   /* not looked up before */
	struct user *next;  /* in the queue */
};

static struct {
	pthread_mutex_t lock;
	struct cs_idmap by_uid;
	struct user **list; /* [n] in order of arrival */
	size_t n, cap;
	struct user *first, *last; /* the queue */
	unsigned threads;
	uint64_t answers, version;
	int64_t swept_us; /* when old names were last looked for */
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void lock(void)
{
	pthread_mutex_lock(&table.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&table.lock);
}

/* The number @n of the table, as of now. */
static uint64_t read_number(const uint64_t *n)
{
	uint64_t now;

	lock();
	now = *n;
	unlock();
	return now;
}

/* ---- the table (locked) ------------------------------------------------------ */

/* Rule 3. */
static void sweep_names(struct user *u, int64_t now)
{
	struct name **at = &u->names;

	while (*at) {
		struct name *n = *at;

		if (n->held || now - n->left_us < KEEP_US) {
			at = &n->next;
			continue;
		}
		if (u->now == n->text)
			u->now = NULL;
		*at = n->next;
		free(n);
	}
}

static void sweep(int64_t now)
{
	size_t left = 0;

	table.swept_us = now;
	for (size_t i = 0; i < table.n; i++) {
		struct user *u = table.list[i];

		sweep_names(u, now);
		if (u->names || u->asked) {
			table.list[left++] = u;
			continue;
		}
		cs_idmap_remove(&table.by_uid, u->uid);
		free(u);
	}
	table.n = left;
}

/* Added if it is new; NULL: no memory. */
static struct user *find(uint32_t uid, int64_t now)
{
	struct user *u = cs_idmap_find(&table.by_uid, uid);

	if (u)
		return u;
	if (now - table.swept_us >= REFRESH_US)
		sweep(now);
	if (cs_idmap_reserve(&table.by_uid, table.n + 1) ||
	    cs_array_room(&table.list, &table.cap, table.n + 1) ||
	    !(u = calloc(1, sizeof(*u))))
		return NULL;
	u->uid = uid;
	cs_idmap_add(&table.by_uid, uid, u);
	table.list[table.n++] = u;
	return u;
}

static struct name *name_of(const struct user *u, const char *text)
{
	struct name *n = u->names;

	while (n && strcmp(n->text, text))
		n = n->next;
	return n;
}

/* The one string @text of @u, the first of its names from now on; NULL: no memory. */
static struct name *keep(struct user *u, const char *text, int64_t now)
{
	struct name **at = &u->names, *n;

	while (*at && strcmp((*at)->text, text))
		at = &(*at)->next;
	n = *at;
	if (n) {
		*at = n->next;
	} else {
		n = calloc(1, sizeof(*n) + strlen(text) + 1);
		if (!n)
			return NULL;
		strcpy(n->text, text);
		table.version++;
	}
	n->left_us = now;
	n->next = u->names;
	u->names = n;
	return n;
}

static struct name *of_text(const char *text)
{
	return (struct name *)(void *)((char *)(uintptr_t)text -
				       offsetof(struct name, text));
}

/* For a caller; NULL: no memory. */
static const char *hold(struct name *n)
{
	if (!n)
		return "";
	n->held++;
	return n->text;
}

static void print_number(uint32_t uid, char buf[16])
{
	snprintf(buf, 16, "%u", uid);
}

static struct name *number_of(struct user *u, int64_t now)
{
	char number[16];

	print_number(u->uid, number);
	return keep(u, number, now);
}

static bool is_number_of(const struct user *u, const char *text)
{
	char number[16];

	print_number(u->uid, number);
	return !strcmp(number, text);
}

/* ---- look-ups ---------------------------------------------------------------- */

/* The name of @uid, to be freed by the caller; NULL: none, or no answer. */
static char *look_up(uint32_t uid)
{
	char *buf = NULL, *name = NULL;
	int rc = ERANGE;

	for (size_t size = 4096; rc == ERANGE && size <= BUFFER_MAX;
	     size *= 4) {
		struct passwd pw, *found = NULL;
		char *more = realloc(buf, size);

		if (!more)
			break;
		buf = more;
		do
			rc = getpwuid_r((uid_t)uid, &pw, buf, size, &found);
		while (rc == EINTR);
		if (!rc && found && *pw.pw_name)
			name = strdup(pw.pw_name);
	}
	free(buf);
	return name;
}

static struct user *take_first(void)
{
	struct user *u = table.first;

	if (u)
		table.first = u->next;
	if (!table.first)
		table.last = NULL;
	return u;
}

static void *answer(void *arg)
{
	struct user *u;

	(void)arg;
	pthread_setname_np(pthread_self(), "cosched-names");
	lock();
	while ((u = take_first())) {
		struct name *kept;
		int64_t now;
		char *name;

		unlock();
		name = look_up(u->uid);
		lock();
		now = cs_gate_now_us();
		kept = name ? keep(u, name, now) : NULL;
		free(name);
		table.answers++;
		if (kept) {
			kept->found = table.answers;
			u->now = kept->text;
		}
		u->again_us = now + (kept ? REFRESH_US : AGAIN_US);
		u->asked = false;
		unlock();
		cs_gate_wake(CS_WAKE_NAMES);
		lock();
	}
	table.threads--;
	unlock();
	return NULL;
}

static int start_thread(void)
{
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &attr, answer, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

/* Locked.  Without a thread look-ups wait until one can be started: each question tries. */
static void work(void)
{
	if (table.first && table.threads < THREADS && !start_thread())
		table.threads++;
}

static void ask(struct user *u, int64_t now)
{
	u->asked = true;
	u->asked_us = now;
	u->next = NULL;
	if (table.last)
		table.last->next = u;
	else
		table.first = u;
	table.last = u;
	work();
}

/* ---- questions --------------------------------------------------------------- */

const char *cs_users_name(uint32_t uid, int64_t *ret_due_us)
{
	int64_t now = cs_gate_now_us();
	const char *name = NULL;
	struct user *u;

	lock();
	u = find(uid, now);
	if (u && !u->asked && now >= u->again_us)
		ask(u, now);
	else if (!table.threads)
		work();
	if (!u)
		name = "";
	else if (u->now)
		name = hold(of_text(u->now));
	else if (u->asked && now < u->asked_us + CS_USERS_PATIENCE_US)
		*ret_due_us = u->asked_us + CS_USERS_PATIENCE_US;
	else
		name = hold(number_of(u, now));
	unlock();
	return name;
}

uint64_t cs_users_answers(void)
{
	return read_number(&table.answers);
}

const char *cs_users_note(uint32_t uid, const char *name)
{
	int64_t now = cs_gate_now_us();
	struct name *kept = NULL;
	const char *held;
	struct user *u;

	lock();
	u = find(uid, now);
	if (u)
		kept = keep(u, name, now);
	if (kept && !u->now && !is_number_of(u, name))
		u->now = kept->text;
	held = hold(kept);
	unlock();
	return held;
}

const char *cs_users_hold(const char *name)
{
	lock();
	if (*name)
		hold(of_text(name));
	unlock();
	return name;
}

void cs_users_drop(const char *name)
{
	struct name *n;

	if (!name || !*name)
		return;
	n = of_text(name);
	lock();
	if (!--n->held)
		n->left_us = cs_gate_now_us();
	unlock();
}

const char *cs_users_known(uint32_t uid)
{
	const struct user *u;
	const char *name;

	lock();
	u = cs_idmap_find(&table.by_uid, uid);
	name = u ? u->now : NULL;
	unlock();
	return name;
}

/* Rule 4: has @other a better right to @mine? */
static bool claims(const struct user *other, const struct name *mine)
{
	const struct name *its = name_of(other, mine->text);

	return its &&
	       (its->found >= mine->found || is_number_of(other, mine->text));
}

bool cs_users_owns(uint32_t uid, const char *name)
{
	int64_t now = cs_gate_now_us();
	const struct name *mine;
	struct user *u;
	bool owns;

	lock();
	u = cs_idmap_find(&table.by_uid, uid);
	mine = u ? name_of(u, name) : NULL;
	owns = mine;
	for (size_t i = 0; owns && i < table.n; i++)
		owns = table.list[i] == u || !claims(table.list[i], mine);
	if (mine && !owns && !u->asked && now >= u->again_us)
		ask(u, now);
	unlock();
	return owns;
}

/* ---- saving ------------------------------------------------------------------ */

/* Append a line to @buf, of which @len bytes are used; returns its length. */
static size_t print(char *buf, size_t size, size_t len, uint32_t uid,
		    const char *name)
{
	size_t room = len < size ? size - len : 0;
	int n;

	if (strchr(name, '\n'))
		return 0;
	n = snprintf(room ? buf + len : NULL, room, "user %u %s\n", uid, name);
	return n > 0 ? (size_t)n : 0;
}

size_t cs_users_print(char *buf, size_t size)
{
	size_t len = 0;

	lock();
	for (size_t i = 0; i < table.n; i++) {
		const struct user *u = table.list[i];

		if (u->now)
			len += print(buf, size, len, u->uid, u->now);
		for (const struct name *n = u->names; n; n = n->next)
			if (n->text != u->now)
				len += print(buf, size, len, u->uid, n->text);
	}
	unlock();
	return len;
}

uint64_t cs_users_version(void)
{
	return read_number(&table.version);
}
