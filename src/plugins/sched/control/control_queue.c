/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The desk.
 *
 * `number` counts the questions: an answer that comes after its asker has left
 * finds another number and is discarded.
 */
#include "sched/control/control_queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/cond.h"
#include "gate/gate.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t answered;
	pthread_once_t once;
	struct cs_ask ask;
	unsigned number; /* of the question on the desk */
	unsigned taken;	 /* of the last one taken */
	bool waiting;	 /* the asker waits for the answer to `number` */
	char *answer;
	char *published;
	int64_t published_us;
} desk = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.once = PTHREAD_ONCE_INIT,
};

static void init_cond(void)
{
	cs_cond_init(&desk.answered);
}

static void lock(void)
{
	pthread_once(&desk.once, init_cond);
	pthread_mutex_lock(&desk.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&desk.lock);
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

void cs_control_queue_reset(void)
{
	lock();
	free(desk.answer);
	free(desk.published);
	desk.answer = desk.published = NULL;
	desk.waiting = false;
	unlock();
}

char *cs_control_queue_ask(const struct cs_ask *ask, int64_t deadline_us)
{
	struct timespec ts = {
		.tv_sec = (time_t)(deadline_us / 1000000),
		.tv_nsec = (long)(deadline_us % 1000000) * 1000,
	};
	char *answer;

	lock();
	desk.ask = *ask;
	desk.number++;
	desk.waiting = true;
	cs_gate_wake(CS_WAKE_ASK);
	while (!desk.answer &&
	       !pthread_cond_timedwait(&desk.answered, &desk.lock, &ts))
		;
	answer = desk.answer;
	desk.answer = NULL;
	desk.waiting = false;
	unlock();
	return answer;
}

char *cs_control_queue_published(int64_t *ret_age_us)
{
	char *copy;

	lock();
	copy = desk.published ? strdup(desk.published) : NULL;
	*ret_age_us = cs_gate_now_us() - desk.published_us;
	unlock();
	return copy;
}

bool cs_control_queue_take(struct cs_ask *ret)
{
	bool there;

	lock();
	there = desk.waiting && !desk.answer && desk.taken != desk.number;
	if (there) {
		*ret = desk.ask;
		desk.taken = desk.number;
	}
	unlock();
	return there;
}

/* Under the lock; returns the previous one, to be freed. */
static char *publish(char *answer)
{
	char *old = desk.published;

	desk.published = answer;
	desk.published_us = cs_gate_now_us();
	return old;
}

void cs_control_queue_answer(char *answer)
{
	char *old = NULL, *copy = NULL;

	lock();
	if (desk.ask.cmd == CS_ASK_STATUS && desk.taken == desk.number)
		copy = answer ? strdup(answer) : NULL;
	if (copy)
		old = publish(copy);
	if (desk.waiting && desk.taken == desk.number) {
		desk.answer = answer;
		pthread_cond_signal(&desk.answered);
		answer = NULL;
	}
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
