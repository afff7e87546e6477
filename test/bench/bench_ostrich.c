/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an event costs the virtual schedule: 1,000,000 events of 100, 10,000 and
 * 100,000 users, each of whom is active nearly all the time.
 *
 * An event is a submit, a job that joins a campaign, a correction, or a job that
 * leaves, each with the advance to its instant and the virtual ends until then.
 * Every 16th event campaigns that have changed are asked for, as a decide does.
 * Times are the processor's, whatever else it does meanwhile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/order/ostrich.h"
#include "common/base/rng.h"

#define EVENTS 1000000
#define JOBS 4 /* a user, at one time */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t draw(struct cs_rng *r, uint64_t n)
{
	return cs_rng_next(r) % n;
}

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_ostrich: %s\n", what);
	exit(1);
}

struct load {
	struct cs_rng rng;
	uint32_t users;
	char (*name)[16];	  /* [users] */
	struct cs_campaign **job; /* [users * JOBS], NULL: none */
};

/* A job of at most an hour, or something that happens to one. */
static void event(struct cs_ostrich *o, struct load *l)
{
	uint32_t u = (uint32_t)draw(&l->rng, l->users);
	struct cs_campaign **job = &l->job[u * JOBS + draw(&l->rng, JOBS)];
	cs_u128 work = 1 + draw(&l->rng, UINT64_C(3600000000));
	struct cs_campaign *last;

	if (*job && draw(&l->rng, 2)) {
		cs_ostrich_correct(o, *job, 0, work / 2);
		cs_ostrich_leave(o, *job);
		*job = NULL;
	} else if (*job) {
		cs_ostrich_correct(o, *job, work / 8, 0);
	} else {
		struct cs_ostrich_user *user = cs_ostrich_user(o, l->name[u]);

		must(user, "no memory");
		last = user->last;
		if (last && last->state == CS_CAMPAIGN_WAITS)
			cs_ostrich_join(o, last, work);
		else
			last = cs_ostrich_submit(o, user, work);
		must(last, "no memory");
		*job = last;
	}
}

static void run(uint32_t users)
{
	struct load l = { .users = users };
	struct cs_ostrich *o = cs_ostrich_create(users);
	int64_t t = 0;
	double from, to;

	cs_rng_init(&l.rng, 1, 0);
	l.name = calloc(users, sizeof(*l.name));
	l.job = calloc((size_t)users * JOBS, sizeof(struct cs_campaign *));
	must(o && l.name && l.job, "no memory");
	for (uint32_t u = 0; u < users; u++)
		snprintf(l.name[u], sizeof(l.name[u]), "user%u", u);
	for (uint32_t i = 0; i < 4 * users; i++)
		event(o, &l);
	from = now_s();
	for (uint32_t i = 0; i < EVENTS; i++) {
		/* so that about as much work is served as comes */
		t += (int64_t)draw(&l.rng, 2 * UINT64_C(450000000) / users);
		cs_ostrich_advance(o, t);
		event(o, &l);
		while (i % 16 == 0 && cs_ostrich_changed(o))
			;
	}
	to = now_s();
	must(!cs_ostrich_check(o, NULL), "an invariant does not hold");
	printf("%7u users (%u active at the end): %.0f ns an event, at most "
	       "2000 wanted\n",
	       users, o->active, (to - from) * 1e9 / EVENTS);
	cs_ostrich_free(o);
	free(l.name);
	free(l.job);
}

int main(void)
{
	run(100);
	run(10000);
	run(100000);
	return 0;
}
