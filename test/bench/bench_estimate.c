/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates of starts of a crowd that waits: one set of them, in pieces as slurmctld's
 * scheduling thread makes it.
 *
 *	bench_estimate [NODES JOBS]...
 *
 * NODES nodes of 2 x 16 cores, full of jobs of 1 to 256 cores; JOBS more of 1 minute to 1
 * day wait, of 100 users whose earlier jobs took a part of their limits; a week of earlier
 * jobs is known as arrivals.  Policy balanced.  Times are user time: of the whole set, of its
 * begin, of that of a second one, for which the jobs are known to fit on some nodes, of a
 * copy of the engine, which is part of that, and of the longest and the 99th
 * percentile of its pieces of PIECE_STEPS steps.
 * A set takes 2 % of a core at most (start_estimates.c), so that one is made every so often.
 */
#include <string.h>

#include "bench/plant.h"
#include "common/base/rng.h"
#include "common/estimate/arrivals.h"
#include "common/estimate/estimate.h"
#include "common/state/state.h"

#define US INT64_C(1000000)
#define PIECE_STEPS 500 /* as in start_estimates.c */
#define SHARE 50
#define USERS 100
#define DAY_S 86400
#define PIECES (1 << 22)

struct crowd {
	struct plant plant;
	struct cs_estimator *estimates;
	uint32_t next_id;
	int64_t now_us;
	struct cs_rng rng;
};

static uint64_t draw(struct crowd *c, uint64_t n)
{
	return cs_rng_next(&c->rng) % n;
}

static void event(struct crowd *c, struct cs_event ev)
{
	struct cs_err err = { "" };

	ev.t_us = c->now_us;
	must(cs_estimator_tell(c->estimates, c->plant.engine, &ev, &err), &err);
}

static void submit(struct crowd *c)
{
	struct cs_job_partition option = c->plant.option;
	struct cs_job j =
		plant_job(c->next_id++, 1 + (uint32_t)draw(c, 256),
			  60 * (1 + (int64_t)draw(c, DAY_S / 60)) * US);
	char user[16];

	snprintf(user, sizeof(user), "u%d", (int)draw(c, USERS));
	j.user = user;
	j.submit_us = j.eligible_us = c->now_us;
	j.option = &option;
	option.priority = 1 + draw(c, 40320);
	event(c, (struct cs_event){ .type = CS_EV_SUBMIT, .job = &j });
}

/* Decide and confirm, until nothing starts. */
static void decide_all(struct crowd *c)
{
	struct cs_err err = { "" };
	struct cs_actions a;
	struct cs_started *s;
	size_t n;

	do {
		must(cs_engine_decide(c->plant.engine, c->now_us, &a), &err);
		s = must_have(calloc(a.n + 1, sizeof(*s)));
		n = 0;
		for (size_t i = 0; i < a.n; i++)
			if (a.action[i].type == CS_ACT_START)
				s[n++] = (struct cs_started){
					.seq = a.action[i].seq,
					.job_id = a.action[i].job_id,
					.start_us = c->now_us,
					.limit_us = a.action[i].limit_us,
					.alloc = must_have(cs_alloc_copy(
						a.action[i].alloc))
				};
		for (size_t i = 0; i < n; i++) {
			const struct cs_ejob *j =
				cs_engine_job(c->plant.engine, s[i].job_id);

			if (!s[i].limit_us)
				s[i].limit_us = j->job.estimate_us;
			event(c, (struct cs_event){ .type = CS_EV_STARTED,
						    .start = &s[i] });
			cs_alloc_free((struct cs_alloc *)(uintptr_t)s[i].alloc);
		}
		free(s);
	} while (n);
}

/* Jobs of a week come and end, each after a part of its limit. */
static void earlier_jobs(struct crowd *c, uint32_t jobs)
{
	for (uint32_t i = 0; i < jobs; i++) {
		uint32_t id = c->next_id;

		c->now_us += 8 * DAY_S * US / jobs;
		submit(c);
		decide_all(c);
		event(c,
		      (struct cs_event){ .type = CS_EV_FINISH, .job_id = id });
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void row(uint32_t nodes, uint32_t jobs)
{
	double *took = must_have(malloc(PIECES * sizeof(*took))), begin_s,
	       all_s, from;
	struct crowd c = { .next_id = 1 };
	struct cs_err err = { "" };
	uint32_t n = 0, made;
	struct cs_engine *copy;
	double copy_s, again_s;
	bool more;

	cs_rng_init(&c.rng, 1, 0);
	open_plant(&c.plant, "balanced", nodes);
	c.estimates = must_have(cs_estimator_create(1));
	earlier_jobs(&c, 5000);
	for (uint32_t i = 0; i < jobs + nodes / 4; i++) {
		if (i % 1000 == 0)
			c.now_us += US;
		submit(&c);
	}
	decide_all(&c);
	from = user_s();
	copy = must_have(cs_engine_copy(c.plant.engine, &err));
	copy_s = user_s() - from;
	cs_engine_free(copy);
	from = user_s();
	must(cs_estimator_begin(c.estimates, c.plant.engine, CS_ESTIMATE_ALL,
				&more, &err),
	     &err);
	begin_s = user_s() - from;
	cs_estimator_drop(c.estimates);
	from = user_s();
	must(cs_estimator_begin(c.estimates, c.plant.engine, CS_ESTIMATE_ALL,
				&more, &err),
	     &err);
	again_s = user_s() - from;
	all_s = again_s;
	while (more && n < PIECES) {
		from = user_s();
		must(cs_estimator_step(c.estimates, PIECE_STEPS, &more), &err);
		took[n] = user_s() - from;
		all_s += took[n++];
	}
	cs_estimator_made(c.estimates, &made);
	qsort(took, n, sizeof(*took), by_size);
	printf("| %u | %u | %u | %.2f | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
	       nodes, jobs, made, all_s, SHARE * all_s, 1e3 * begin_s,
	       1e3 * again_s, 1e3 * copy_s, 1e3 * took[n - 1 - n / 100],
	       1e3 * took[n - 1]);
	fflush(stdout);
	free(took);
	cs_estimator_free(c.estimates);
	close_plant(&c.plant);
}

int main(int argc, char **argv)
{
	static const uint32_t sizes[][2] = { { 1000, 1000 },
					     { 1000, 10000 },
					     { 10000, 100000 } };

	printf("| nodes | waiting | estimated | a set, s | one every, s | begin, ms | again, ms | a copy, ms | piece, 99 %%, ms | longest, ms |\n"
	       "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	if (argc > 2)
		for (int i = 1; i + 1 < argc; i += 2)
			row((uint32_t)atoi(argv[i]),
			    (uint32_t)atoi(argv[i + 1]));
	else
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			row(sizes[i][0], sizes[i][1]);
	return 0;
}
