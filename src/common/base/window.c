/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int cs_window_init(struct cs_window *w, uint32_t cap)
{
	*w = (struct cs_window){ .cap = cap };
	w->value = calloc(cap, sizeof(*w->value));
	w->sorted = calloc(cap, sizeof(*w->sorted));
	if (w->value && w->sorted)
		return 0;
	cs_window_done(w);
	return -ENOMEM;
}

void cs_window_done(struct cs_window *w)
{
	free(w->value);
	free(w->sorted);
	*w = (struct cs_window){ 0 };
}

/* The first place whose value is not below @x. */
static uint32_t place_of(const struct cs_window *w, double x)
{
	uint32_t from = 0, to = w->n;

	while (from < to) {
		uint32_t half = from + (to - from) / 2;

		if (w->sorted[half] < x)
			from = half + 1;
		else
			to = half;
	}
	return from;
}

void cs_window_add(struct cs_window *w, double x)
{
	uint32_t at;

	if (!w->cap)
		return;
	if (w->n == w->cap) {
		at = place_of(w, w->value[w->next]);
		w->n--;
		memmove(w->sorted + at, w->sorted + at + 1,
			(w->n - at) * sizeof(*w->sorted));
	}
	at = place_of(w, x);
	memmove(w->sorted + at + 1, w->sorted + at,
		(w->n - at) * sizeof(*w->sorted));
	w->sorted[at] = x;
	w->value[w->next] = x;
	w->next = (w->next + 1) % w->cap;
	w->n++;
}
