/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The room that the plan leaves: one object at a time, reference counted.
 *
 * Invariants
 *  1. An object never changes once visible.
 *  2. Its last holder frees it: the variable below, or a gate that took it from there.
 *  3. The mutex is held for a few loads and stores.
 */
#include "gate/gate.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct held {
	struct cs_gate_room room; /* first */
	unsigned users;
	int64_t *wanted_us;
	uint32_t *joinable;
};

static struct {
	pthread_mutex_t lock;
	struct held *now; /* NULL: there is none */
} place = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void destroy(struct held *h)
{
	if (!h)
		return;
	free(h->wanted_us);
	free(h->joinable);
	free(h);
}

static void *copy(const void *from, size_t size)
{
	void *to = malloc(size ? size : 1);

	if (to && size)
		memcpy(to, from, size);
	return to;
}

static struct held *create(const struct cs_gate_room *room)
{
	struct held *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->users = 1;
	h->wanted_us =
		copy(room->wanted_us, room->n_node * sizeof(*h->wanted_us));
	h->joinable =
		copy(room->joinable, room->n_joinable * sizeof(*h->joinable));
	if (!h->wanted_us || !h->joinable) {
		destroy(h);
		return NULL;
	}
	h->room = *room;
	h->room.wanted_us = h->wanted_us;
	h->room.joinable = h->joinable;
	return h;
}

/* Free @h unless it has another holder. */
static void let_go(struct held *h)
{
	bool last;

	if (!h)
		return;
	pthread_mutex_lock(&place.lock);
	last = --h->users == 0;
	pthread_mutex_unlock(&place.lock);
	if (last)
		destroy(h);
}

static void put(struct held *h)
{
	struct held *old;

	pthread_mutex_lock(&place.lock);
	old = place.now;
	place.now = h;
	pthread_mutex_unlock(&place.lock);
	let_go(old);
}

int cs_gate_room_set(const struct cs_gate_room *room)
{
	struct held *h = create(room);

	put(h);
	return h ? 0 : -ENOMEM;
}

void cs_gate_room_void(void)
{
	put(NULL);
}

const struct cs_gate_room *cs_gate_room_hold(void)
{
	struct held *h;

	pthread_mutex_lock(&place.lock);
	h = place.now;
	if (h)
		h->users++;
	pthread_mutex_unlock(&place.lock);
	return h ? &h->room : NULL;
}

void cs_gate_room_release(const struct cs_gate_room *room)
{
	let_go((struct held *)room);
}

bool cs_gate_room_joinable(const struct cs_gate_room *room, uint32_t job_id)
{
	size_t low = 0, high = room->n_joinable;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (room->joinable[mid] == job_id)
			return true;
		if (room->joinable[mid] < job_id)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}
