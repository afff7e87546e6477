/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ends.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int cs_ends_init(struct cs_ends *h, size_t jobs)
{
	*h = (struct cs_ends){
		.heap = calloc(jobs + 1, sizeof(*h->heap)),
		.place = calloc(jobs + 1, sizeof(*h->place)),
	};
	if (h->heap && h->place)
		return 0;
	cs_ends_done(h);
	return -ENOMEM;
}

void cs_ends_done(struct cs_ends *h)
{
	free(h->heap);
	free(h->place);
	memset(h, 0, sizeof(*h));
}

static bool before(const struct cs_end *a, const struct cs_end *b)
{
	return a->end_us != b->end_us ? a->end_us < b->end_us : a->id < b->id;
}

static void put(struct cs_ends *h, uint32_t i, struct cs_end x)
{
	h->heap[i] = x;
	h->place[x.job] = i + 1;
}

static uint32_t rise(struct cs_ends *h, uint32_t i, struct cs_end x)
{
	while (i && before(&x, &h->heap[(i - 1) / 4])) {
		put(h, i, h->heap[(i - 1) / 4]);
		i = (i - 1) / 4;
	}
	return i;
}

static uint32_t sink(struct cs_ends *h, uint32_t i, struct cs_end x)
{
	for (;;) {
		uint32_t first = 4 * i + 1, best = first;
		uint32_t last = first + 4 < h->n ? first + 4 : h->n;

		if (first >= h->n)
			return i;
		for (uint32_t c = first + 1; c < last; c++)
			if (before(&h->heap[c], &h->heap[best]))
				best = c;
		if (!before(&h->heap[best], &x))
			return i;
		put(h, i, h->heap[best]);
		i = best;
	}
}

/* @x goes to @i or where the order wants it from there. */
static void settle(struct cs_ends *h, uint32_t i, struct cs_end x)
{
	put(h, sink(h, rise(h, i, x), x), x);
}

void cs_ends_set(struct cs_ends *h, uint32_t job, uint32_t id, int64_t end_us)
{
	uint32_t i = h->place[job] ? h->place[job] - 1 : h->n++;

	settle(h, i, (struct cs_end){ end_us, id, job });
}

void cs_ends_remove(struct cs_ends *h, uint32_t job)
{
	uint32_t i = h->place[job];
	struct cs_end last;

	if (!i)
		return;
	h->place[job] = 0;
	last = h->heap[--h->n];
	if (last.job != job)
		settle(h, i - 1, last);
}
