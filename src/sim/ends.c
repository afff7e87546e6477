/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ends.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/heap.h"

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

static bool before(const struct cs_ends *h, struct cs_end a, struct cs_end b)
{
	(void)h;
	return a.end_us != b.end_us ? a.end_us < b.end_us : a.id < b.id;
}

static struct cs_end at(const struct cs_ends *h, size_t i)
{
	return h->heap[i];
}

static void put(struct cs_ends *h, size_t i, struct cs_end x)
{
	h->heap[i] = x;
	h->place[x.job] = (uint32_t)i + 1;
}

CS_HEAP(ends, struct cs_ends, struct cs_end, 4, at, put, before);

void cs_ends_set(struct cs_ends *h, uint32_t job, uint32_t id, int64_t end_us)
{
	uint32_t i = h->place[job] ? h->place[job] - 1 : h->n++;

	put(h, i, (struct cs_end){ end_us, id, job });
	ends_sift(h, h->n, i);
}

void cs_ends_remove(struct cs_ends *h, uint32_t job)
{
	uint32_t i = h->place[job];

	if (!i)
		return;
	h->place[job] = 0;
	h->n = (uint32_t)ends_drop(h, h->n, i - 1);
}
