/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workloads.
 *
 * Rule.
 *  1. A process repeats a loop: it computes, does I/O, and communicates.
 *  2. Communication of a loop takes k (s + r) + L: s and r to send and to read each of
 *     its k messages, L the one-way latency.  k is 2 in a ring (nearest neighbours; 1 with
 *     two processes), and size - 1 all to all.
 *  3. Computation and I/O follow from that and from the proportions of the job's type.
 *     A job has as many loops as its execution time holds, at least one.
 *  4. Types: wl1 80 % J1, the others alike; wl2 all J2; wl3 80 % J3, the others alike; wl4
 *     25 % each; wl5 a third each of J1, J3 and J4.
 *  5. bt, mg, ft, is and cg are jobs of one program of npb.c, on all nodes, all at time 0.
 *     mix has all five at random, of sizes as those of wl1 to wl5; they arrive with
 *     exponential times between, whose mean is that of the load times their mean length by
 *     length_s, so that a load offers the same work as with wl1 to wl5.
 *
 * Source: Yu07, sections 4.2 and 5.6; rule 4 and the proportions are ours, since figure 6a is lost.
 *
 * Only J4 does I/O by default: with a third of it in J2 few processes are ready at a time,
 * and boost conflicts are rarer than the paper's by half (doc/results/proc.md).
 *
 * Example.  s = r = 5 us, L = 92 us: in a ring communication takes 112 us; with 85, 10 and
 * 5 % J1 computes for 952 us and does I/O for 56 us, a loop takes 1,120 us.
 */
#include "procsim/mix.h"

#include <stdlib.h>
#include <string.h>

#include "sim/draw.h"

#define N_TYPE 4

static const struct {
	const char *name;
	double share[N_TYPE]; /* % */
} workloads[] = {
	{ "wl1", { 80, 20 / 3., 20 / 3., 20 / 3. } },
	{ "wl2", { 0, 100, 0, 0 } },
	{ "wl3", { 20 / 3., 20 / 3., 80, 20 / 3. } },
	{ "wl4", { 25, 25, 25, 25 } },
	{ "wl5", { 100 / 3., 0, 100 / 3., 100 / 3. } },
};
#define N_WORKLOAD (sizeof(workloads) / sizeof(*workloads))

static const struct {
	const char *name;
	double interarrival_s;
} loads[] = { { "light", 2480 }, { "medium", 1963 }, { "heavy", 1554.42 } };
#define N_LOAD (sizeof(loads) / sizeof(*loads))

static const double *shares_of(const char *workload)
{
	for (size_t i = 0; i < N_WORKLOAD; i++)
		if (!strcmp(workloads[i].name, workload))
			return workloads[i].share;
	return NULL;
}

static double interarrival_of(const char *load)
{
	for (size_t i = 0; i < N_LOAD; i++)
		if (!strcmp(loads[i].name, load))
			return loads[i].interarrival_s;
	return 0;
}

bool cs_mix_is_workload(const char *name)
{
	return shares_of(name) || cs_npb_named(name) >= 0 ||
	       !strcmp(name, "mix");
}

bool cs_mix_is_load(const char *name)
{
	return interarrival_of(name) > 0;
}

uint32_t cs_mix_peers(const struct cs_mix_job *j)
{
	return j->all_to_all || j->size == 2 ? j->size - 1 : 2;
}

int64_t cs_mix_latency_ns(const struct cs_setting *s, double bytes)
{
	return cs_setting_ns(s->latency_us + bytes / s->bandwidth_mb_s);
}

static unsigned draw_type(struct cs_rng *r, const double *share)
{
	double x = 100 * cs_rng_unit(r);
	unsigned type = 0, last = 0;

	for (; type < N_TYPE; type++) {
		if (!(share[type] > 0))
			continue;
		last = type;
		if (x < share[type])
			break;
		x -= share[type];
	}
	return type < N_TYPE ? type : last;
}

static uint32_t draw_size(struct cs_rng *r, const struct cs_setting *s)
{
	uint32_t low = (uint32_t)s->size_min, high = (uint32_t)s->size_max;
	uint32_t n = 0;
	double x = cs_rng_unit(r);

	if (s->sizes == CS_SIZES_POW2) {
		for (uint32_t size = 1; size <= high; size *= 2)
			n += size >= low;
		for (uint32_t size = 1; n && size <= high; size *= 2)
			if (size >= low && x * n < 1)
				return size;
			else if (size >= low)
				x -= 1. / n;
		return n ? high : low;
	}
	return low + (uint32_t)(x * (high - low + 1));
}

static double draw_length_s(struct cs_rng *r, const struct cs_setting *s)
{
	double mean = s->length_s * s->time_scale;

	switch (s->lengths) {
	case CS_LENGTHS_EXPONENTIAL:
		return cs_draw_exponential(r, mean);
	case CS_LENGTHS_UNIFORM:
		return cs_draw_uniform(r, .1 * mean, 1.9 * mean);
	default:
		return mean;
	}
}

/* Rules 2 and 3 for a job of @length_s seconds. */
static void set_loop(struct cs_mix_job *j, const struct cs_setting *s,
		     double length_s)
{
	const double compute[N_TYPE] = { s->j1_compute, s->j2_compute,
					 s->j3_compute, s->j4_compute };
	const double communicate[N_TYPE] = { s->j1_communicate,
					     s->j2_communicate,
					     s->j3_communicate,
					     s->j4_communicate };
	double fc = compute[j->type], fm = communicate[j->type];
	uint32_t k = cs_mix_peers(j);
	double messages_ns = (double)(k * (cs_setting_ns(s->send_us) +
					   cs_setting_ns(s->receive_us)) +
				      cs_mix_latency_ns(s, s->message_bytes));
	double loop_ns = messages_ns * 100 / fm;
	double loops = length_s * 1e9 / loop_ns;

	j->compute_ns = messages_ns * fc / fm;
	j->io_ns = loop_ns - messages_ns - j->compute_ns;
	if (j->io_ns < 1)
		j->io_ns = 0;
	j->loops = loops < 1 ? 1 : loops > 4e9 ? 4000000000U : (uint32_t)loops;
	j->alone_ns =
		(int64_t)(j->loops * (messages_ns + j->compute_ns + j->io_ns));
}

/* A synthetic job. */
static void draw_job(struct cs_mix_job *j, struct cs_rng *r,
		     const struct cs_setting *s, const double *share)
{
	bool half = cs_rng_unit(r) < .5;

	j->type = draw_type(r, share);
	j->size = draw_size(r, s);
	j->all_to_all = s->pattern == CS_PATTERN_MIXED
				? half
				: s->pattern == CS_PATTERN_AA;
	set_loop(j, s, draw_length_s(r, s));
}

/* Rule 5; @program is -1: any. */
static void draw_program(struct cs_mix_job *j, struct cs_rng *r,
			 const struct cs_setting *s, int program)
{
	unsigned i = (unsigned)program;

	j->size = (uint32_t)s->nodes;
	if (program < 0) {
		i = (unsigned)(cs_rng_next(r) % CS_NPB_COUNT);
		j->size = draw_size(r, s);
	}
	j->type = N_TYPE + i;
	cs_npb_set(j, s, i);
}

static double mean_alone_s(const struct cs_mix_job *jobs, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += (double)jobs[i].alone_ns / 1e9;
	return sum / (double)n;
}

struct cs_mix_job *cs_mix_draw(const struct cs_setting *s, const char *workload,
			       const char *load, uint64_t seed)
{
	double gap_s = s->interarrival_s > 0 ? s->interarrival_s
					     : interarrival_of(load);
	struct cs_mix_job *jobs = calloc((size_t)s->jobs, sizeof(*jobs));
	const double *share = shares_of(workload);
	int program = cs_npb_named(workload);
	struct cs_rng r, arrival;
	double at_s = 0;

	if (!jobs)
		return NULL;
	cs_rng_init(&r, seed, 1);
	cs_rng_init(&arrival, seed, 3);
	for (int64_t i = 0; i < s->jobs; i++)
		if (share)
			draw_job(&jobs[i], &r, s, share);
		else
			draw_program(&jobs[i], &r, s, program);
	gap_s *= share ? s->time_scale
		       : mean_alone_s(jobs, s->jobs) / s->length_s;
	for (int64_t i = 0; i < s->jobs; i++) {
		if (i && s->arrivals == CS_ARRIVALS_POISSON && program < 0)
			at_s += cs_draw_exponential(&arrival, gap_s);
		jobs[i].arrive_ns = (int64_t)(at_s < 4e9 ? at_s * 1e9 : 4e18);
	}
	return jobs;
}
