/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resident/queue.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "gate/cond.h"
#include "gate/gate.h"

struct queue {
	const char *name; /* of its thread */
	pthread_mutex_t lock;
	pthread_cond_t more, less;
	bool started;
	struct cs_task *first, *last;
	int64_t since_us; /* of the task that runs; 0: none */
};

static struct queue queues[CS_QUEUE_N] = {
	[CS_QUEUE_LOG] = { .name = "cosched-log",
			   .lock = PTHREAD_MUTEX_INITIALIZER },
	[CS_QUEUE_STATE] = { .name = "cosched-state",
			     .lock = PTHREAD_MUTEX_INITIALIZER },
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void)
{
	for (int i = 0; i < CS_QUEUE_N; i++) {
		cs_cond_init(&queues[i].more);
		cs_cond_init(&queues[i].less);
	}
}

static void *work(void *arg)
{
	struct queue *q = arg;

	pthread_setname_np(pthread_self(), q->name);
	pthread_mutex_lock(&q->lock);
	for (;;) {
		struct cs_task *task = q->first;

		if (!task) {
			pthread_cond_wait(&q->more, &q->lock);
			continue;
		}
		q->first = task->next;
		if (!q->first)
			q->last = NULL;
		q->since_us = cs_gate_now_us();
		pthread_mutex_unlock(&q->lock);
		task->run(task);
		pthread_mutex_lock(&q->lock);
		q->since_us = 0;
		pthread_cond_broadcast(&q->less);
	}
	return NULL;
}

static int start(struct queue *q)
{
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &attr, work, q);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

void cs_queue_put(enum cs_queue which, struct cs_task *task)
{
	struct queue *q = &queues[which];

	pthread_once(&once, prepare);
	pthread_mutex_lock(&q->lock);
	task->next = NULL;
	if (q->last)
		q->last->next = task;
	else
		q->first = task;
	q->last = task;
	q->started = q->started || !start(q);
	pthread_cond_signal(&q->more);
	pthread_mutex_unlock(&q->lock);
}

bool cs_queue_wait(enum cs_queue which, int64_t us)
{
	struct queue *q = &queues[which];
	int64_t until = cs_gate_now_us() + us;
	const struct timespec ts = {
		.tv_sec = (time_t)(until / 1000000),
		.tv_nsec = (long)(until % 1000000) * 1000,
	};
	int rc = 0;
	bool idle;

	pthread_once(&once, prepare);
	pthread_mutex_lock(&q->lock);
	while (!rc && (q->first || q->since_us))
		rc = pthread_cond_timedwait(&q->less, &q->lock, &ts);
	idle = !q->first && !q->since_us;
	pthread_mutex_unlock(&q->lock);
	return idle;
}

int64_t cs_queue_busy_since_us(enum cs_queue which)
{
	struct queue *q = &queues[which];
	int64_t since;

	pthread_mutex_lock(&q->lock);
	since = q->since_us;
	pthread_mutex_unlock(&q->lock);
	return since;
}
