/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtual schedule as Emeras12 writes it down, without V: at each event every
 * campaign that runs has its work reduced by its share, and the next end is
 * looked for among all of them.  Long doubles.
 */
#ifndef NAIVE_OSTRICH_H
#define NAIVE_OSTRICH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct naive_campaign {
	uint32_t user;
	int next;	      /* of the user, -1: none */
	long double work;     /* left, processor us */
	long double start_us; /* virtual start, once it runs */
	long double end_us;   /* virtual end; < 0: to come */
};

struct naive_user {
	long double weight;
	int head, last; /* first that has not ended, last; -1: none */
};

struct naive_ostrich {
	long double m, now_us;
	uint32_t n, cap, users;
	struct naive_campaign *c; /* [n] in the order they came */
	struct naive_user *user;  /* [users] */
};

static inline void naive_init(struct naive_ostrich *o, uint32_t m,
			      uint32_t users)
{
	memset(o, 0, sizeof(*o));
	o->m = m;
	o->users = users;
	o->user = calloc(users, sizeof(*o->user));
	for (uint32_t u = 0; u < users; u++)
		o->user[u] = (struct naive_user){ 1, -1, -1 };
}

static inline void naive_done(struct naive_ostrich *o)
{
	free(o->c);
	free(o->user);
}

static inline uint32_t naive_active(const struct naive_ostrich *o)
{
	uint32_t k = 0;

	for (uint32_t u = 0; u < o->users; u++)
		k += o->user[u].head >= 0;
	return k;
}

/* W. */
static inline long double naive_weights(const struct naive_ostrich *o)
{
	long double w = 0;

	for (uint32_t u = 0; u < o->users; u++)
		w += o->user[u].head >= 0 ? o->user[u].weight : 0;
	return w;
}

/* Service to a unit of weight until the head of @u ends. */
static inline long double naive_left(const struct naive_ostrich *o, uint32_t u)
{
	return o->c[o->user[u].head].work / o->user[u].weight;
}

static inline void naive_advance(struct naive_ostrich *o, int64_t now_us)
{
	while (o->now_us < now_us) {
		long double rate = o->m / naive_weights(o);
		long double v = rate * (now_us - o->now_us);
		uint32_t first = o->users;

		for (uint32_t u = 0; u < o->users; u++)
			if (o->user[u].head >= 0 && naive_left(o, u) <= v) {
				v = naive_left(o, u);
				first = u;
			}
		for (uint32_t u = 0; u < o->users; u++)
			if (o->user[u].head >= 0)
				o->c[o->user[u].head].work -=
					v * o->user[u].weight;
		if (first == o->users) {
			o->now_us = now_us;
			break;
		}
		o->now_us += v / rate;
		o->c[o->user[first].head].work = 0;
		o->c[o->user[first].head].end_us = o->now_us;
		o->user[first].head = o->c[o->user[first].head].next;
		if (o->user[first].head >= 0)
			o->c[o->user[first].head].start_us = o->now_us;
	}
}

static inline uint32_t naive_submit(struct naive_ostrich *o, uint32_t user,
				    long double work)
{
	struct naive_user *u = &o->user[user];
	int i = (int)o->n++;

	if (o->n > o->cap) {
		o->cap = o->cap ? 2 * o->cap : 64;
		o->c = realloc(o->c, o->cap * sizeof(*o->c));
	}
	o->c[i] = (struct naive_campaign){ user, -1, work, o->now_us, -1 };
	if (u->head < 0)
		u->head = i;
	else
		o->c[u->last].next = i;
	u->last = i;
	return (uint32_t)i;
}

/* Virtual end of campaign @i, with the active users of this moment (3). */
static inline long double naive_projected_us(const struct naive_ostrich *o,
					     uint32_t i)
{
	const struct naive_user *u = &o->user[o->c[i].user];
	long double work = 0;
	int k = u->head;

	if (o->c[i].end_us >= 0)
		return o->c[i].end_us;
	for (; k != (int)i; k = o->c[k].next)
		work += o->c[k].work;
	work += o->c[i].work;
	return o->now_us + work * naive_weights(o) / (u->weight * o->m);
}

#endif
