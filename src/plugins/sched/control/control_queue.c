/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/control/control_queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/gate.h"

enum state {
	FREE,
	WAITING,
	TAKEN,	  /* by the scheduling thread */
	ANSWERED, /* NULL answer: no memory */
	LEFT	  /* taken, and its asker has left */
};

struct question {
	enum state state;
	uint64_t number; /* in order of arrival, from 1 */
	uint64_t turn;	 /* of its user's questions (turn_of()) */
	struct cs_ask ask;
	char *answer;
};

static struct {
	pthread_mutex_t lock;
	struct question question[CS_CONTROL_QUESTIONS];
	uint64_t last; /* number given */
	uint64_t turn; /* of the last one taken that was no operator's */
	int notify;
	char *published;
	int64_t published_us;
} box = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.notify = -1,
};

static void lock(void)
{
	pthread_mutex_lock(&box.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&box.lock);
}

bool cs_ask_cmd_of(const char *name, enum cs_ask_cmd *ret)
{
	static const char *const names[] = {
		[CS_ASK_STATUS] = "status", [CS_ASK_EXPLAIN] = "explain",
		[CS_ASK_GROUPS] = "groups", [CS_ASK_USERS] = "users",
		[CS_ASK_SITES] = "sites",   [CS_ASK_SLICES] = "slices",
		[CS_ASK_TOP] = "top",	    [CS_ASK_PARAMS] = "params",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i])) {
			*ret = (enum cs_ask_cmd)i;
			return true;
		}
	return false;
}

static void clear(struct question *q)
{
	free(q->answer);
	*q = (struct question){ .state = FREE };
}

/* A user's questions have different turns; the first has the present one. */
static uint64_t turn_of(uid_t uid)
{
	uint64_t turn = box.turn;

	for (int i = 0; i < CS_CONTROL_QUESTIONS; i++) {
		const struct question *q = &box.question[i];

		if (q->state != FREE && q->ask.uid == uid && q->turn >= turn)
			turn = q->turn + 1;
	}
	return turn;
}

void cs_control_queue_reset(void)
{
	lock();
	for (int i = 0; i < CS_CONTROL_QUESTIONS; i++)
		clear(&box.question[i]);
	free(box.published);
	box.published = NULL;
	unlock();
}

/* Under the lock; NULL: none. */
static struct question *numbered(uint64_t number)
{
	for (int i = 0; i < CS_CONTROL_QUESTIONS; i++)
		if (box.question[i].state != FREE &&
		    box.question[i].number == number)
			return &box.question[i];
	return NULL;
}

/* ---- the socket's side --------------------------------------------------- */

void cs_control_queue_notify(int fd)
{
	lock();
	box.notify = fd;
	unlock();
}

uint64_t cs_control_queue_put(const struct cs_ask *ask)
{
	uint64_t number = 0;

	lock();
	for (int i = 0; i < CS_CONTROL_QUESTIONS && !number; i++)
		if (box.question[i].state == FREE) {
			number = ++box.last;
			box.question[i] = (struct question){
				.state = WAITING,
				.number = number,
				.turn = turn_of(ask->uid),
				.ask = *ask,
			};
		}
	unlock();
	if (number)
		cs_gate_wake(CS_WAKE_ASK);
	return number;
}

char *cs_control_queue_collect(uint64_t number)
{
	struct question *q;
	char *answer = NULL;

	lock();
	q = numbered(number);
	if (q && q->state == ANSWERED) {
		answer = q->answer;
		q->answer = NULL;
		clear(q);
	}
	unlock();
	return answer;
}

void cs_control_queue_drop(uint64_t number)
{
	struct question *q;

	lock();
	q = numbered(number);
	if (q && q->state == TAKEN)
		q->state = LEFT;
	else if (q)
		clear(q);
	unlock();
}

char *cs_control_queue_published(int64_t *ret_age_us)
{
	char *copy;

	lock();
	copy = box.published ? strdup(box.published) : NULL;
	*ret_age_us = cs_gate_now_us() - box.published_us;
	unlock();
	return copy;
}

/* ---- the scheduling thread's side ---------------------------------------- */

/* Is @a before @b in the order at the head of control_queue.h? */
static bool precedes(const struct question *a, const struct question *b)
{
	if (a->ask.privileged != b->ask.privileged)
		return a->ask.privileged;
	if (a->turn != b->turn)
		return a->turn < b->turn;
	return a->number < b->number;
}

bool cs_control_queue_take(struct cs_ask *ret, uint64_t *ret_number)
{
	struct question *next = NULL;

	lock();
	for (int i = 0; i < CS_CONTROL_QUESTIONS; i++) {
		struct question *q = &box.question[i];

		if (q->state == WAITING && (!next || precedes(q, next)))
			next = q;
	}
	if (next) {
		next->state = TAKEN;
		if (!next->ask.privileged && next->turn > box.turn)
			box.turn = next->turn;
		*ret = next->ask;
		*ret_number = next->number;
	}
	unlock();
	return next;
}

/* Under the lock; returns the previous one, to be freed. */
static char *publish(char *answer)
{
	char *old = box.published;

	box.published = answer;
	box.published_us = cs_gate_now_us();
	return old;
}

/* Is the answer the same for all who ask that? */
static bool same_for_all(enum cs_ask_cmd cmd)
{
	return cmd != CS_ASK_EXPLAIN && cmd != CS_ASK_USERS;
}

/* Answer also those that wait for the same. */
static void share(enum cs_ask_cmd cmd, const char *answer)
{
	for (int i = 0; i < CS_CONTROL_QUESTIONS; i++) {
		struct question *q = &box.question[i];

		if (q->state != WAITING || q->ask.cmd != cmd)
			continue;
		q->answer = strdup(answer);
		if (q->answer)
			q->state = ANSWERED;
	}
}

void cs_control_queue_answer(uint64_t number, char *answer)
{
	struct question *q;
	char *old = NULL, *copy = NULL;
	uint64_t one = 1;

	lock();
	q = numbered(number);
	if (q && answer && q->ask.cmd == CS_ASK_STATUS)
		copy = strdup(answer);
	if (copy)
		old = publish(copy);
	if (q && answer && same_for_all(q->ask.cmd))
		share(q->ask.cmd, answer);
	if (q && q->state == TAKEN) {
		q->state = ANSWERED;
		q->answer = answer;
		answer = NULL;
	} else if (q) {
		clear(q);
	}
	/* a full eventfd is readable, too */
	if (box.notify >= 0 && write(box.notify, &one, sizeof(one)) < 0)
		one = 0;
	unlock();
	free(answer);
	free(old);
}

void cs_control_queue_publish(char *answer)
{
	char *old;

	lock();
	old = publish(answer);
	unlock();
	free(old);
}
