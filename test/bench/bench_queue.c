/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event queue of `cosched procsim`, a calendar, beside a heap of four ways.
 *
 * Both get the same events: each one taken is followed by one that is ahead by what the
 * simulator's are: half of them are steps of processes (5 us), a third messages (102 us), others
 * computation and I/O (up to 2 ms), a few quanta (20 to 200 ms).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/heap.h"
#include "base/rng.h"
#include "procsim/event_queue.h"

#define N_EVENT 4000000
#define REPEATS 5

struct heap {
	struct cs_queued_event *event;
	size_t n, cap;
	uint64_t inserted;
};

#define AT(h, i) ((h)->event[i])
#define PUT(h, i, x) ((h)->event[i] = (x))
#define BEFORE(h, a, b) \
	((a).at_ns != (b).at_ns ? (a).at_ns < (b).at_ns : (a).order < (b).order)
CS_HEAP(heap, struct heap, struct cs_queued_event, 4, AT, PUT, BEFORE);

static void must(int rc)
{
	if (rc) {
		fputs("bench_queue: no memory\n", stderr);
		exit(1);
	}
}

static void heap_push(struct heap *h, int64_t at_ns, uint32_t about)
{
	must(cs_array_room(&h->event, &h->cap, h->n + 1));
	h->event[h->n] = (struct cs_queued_event){ .at_ns = at_ns,
						   .order = h->inserted++,
						   .about = about };
	h->n++;
	heap_sift(h, h->n, h->n - 1);
}

static struct cs_queued_event heap_take(struct heap *h)
{
	struct cs_queued_event first = h->event[0];

	h->n = heap_drop(h, h->n, 0);
	return first;
}

static int64_t ahead_ns(struct cs_rng *r)
{
	double x = cs_rng_unit(r);

	if (x < .5)
		return 5000;
	if (x < .83)
		return 102000;
	if (x < .995)
		return (int64_t)(cs_rng_unit(r) * 2e6);
	return (int64_t)(2e7 + cs_rng_unit(r) * 1.8e8);
}

static double clock_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds of N_EVENT events, @queued at a time; *ret_sum depends on their order. */
static double run_heap(uint32_t queued, uint64_t *ret_sum)
{
	struct heap h = { 0 };
	struct cs_rng r;
	double from_s;

	cs_rng_init(&r, 1, 1);
	for (uint32_t i = 0; i < queued; i++)
		heap_push(&h, ahead_ns(&r), i);
	from_s = clock_s();
	for (uint32_t i = 0; i < N_EVENT; i++) {
		struct cs_queued_event e = heap_take(&h);

		*ret_sum = cs_rng_hash(*ret_sum, e.about);
		heap_push(&h, e.at_ns + ahead_ns(&r), i);
	}
	from_s = clock_s() - from_s;
	free(h.event);
	return from_s;
}

static double run_calendar(uint32_t queued, uint64_t *ret_sum)
{
	struct cs_event_queue q = { 0 };
	struct cs_rng r;
	double from_s;

	cs_rng_init(&r, 1, 1);
	for (uint32_t i = 0; i < queued; i++)
		must(cs_event_queue_push(&q, ahead_ns(&r), 0, 0, i));
	from_s = clock_s();
	for (uint32_t i = 0; i < N_EVENT; i++) {
		struct cs_queued_event e = cs_event_queue_take(&q);

		*ret_sum = cs_rng_hash(*ret_sum, e.about);
		must(cs_event_queue_push(&q, e.at_ns + ahead_ns(&r), 0, 0, i));
	}
	from_s = clock_s() - from_s;
	cs_event_queue_done(&q);
	return from_s;
}

int main(void)
{
	static const uint32_t sizes[] = { 30, 150, 600, 2500, 10000 };

	printf("%d events each, best of %d\n", N_EVENT, REPEATS);
	printf("queued  heap ns  calendar ns  ratio\n");
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
		double heap_s = 1e9, calendar_s = 1e9;

		for (int i = 0; i < REPEATS; i++) {
			uint64_t a = 0, b = 0;
			double s = run_heap(sizes[k], &a);

			heap_s = s < heap_s ? s : heap_s;
			s = run_calendar(sizes[k], &b);
			calendar_s = s < calendar_s ? s : calendar_s;
			if (a != b) {
				fputs("bench_queue: another order\n", stderr);
				return 1;
			}
		}
		printf("%6" PRIu32 "  %7.1f  %11.1f  %5.2f\n", sizes[k],
		       1e9 * heap_s / N_EVENT, 1e9 * calendar_s / N_EVENT,
		       heap_s / calendar_s);
	}
	return 0;
}
