/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Five programs of the NAS Parallel Benchmarks, class B.
 *
 * Rule.
 *  1. A process of a program sends as many messages as table 2 says, times 300 time_scale
 *     (at most once as many), in loops as those of mix.c, without I/O.
 *  2. All messages of a loop have one size.  Loops of the sizes follow one another in a
 *     cycle of up to 16, in table 2's shares, each as evenly as those allow.
 *  3. Computation of a loop is what makes communication so many percent of the program
 *     alone as the keys bt_communicate to cg_communicate say.
 *
 * Source: Yu07, table 2 (messages, sizes, patterns).
 *
 * Differs.
 *  1. The lengths of sequential parts were measured and are not printed; rule 3 is ours, in
 *     the paper's order BT < MG < FT < IS < CG.
 *  2. The programs' own order of sizes, and who sends to whom, are not printed: neighbours
 *     are those of a ring.  MG's all-to-all messages are left out; its small ones are among
 *     neighbours.
 *  3. Of a range of sizes all have the mean: 91,000 bytes of BT, 400, 5,648 and 51,232 of MG.
 *
 * Example.  FT on 64 nodes sends to 63 others: 160 loops, by turns of 24 and of 49,152
 * bytes.
 */
#include "procsim/npb.h"

#include <string.h>

#include "procsim/mix.h"

static const struct {
	const char *name;
	uint32_t messages; /* of a process */
	bool all_to_all;
	double bytes[CS_NPB_SIZES];
	uint8_t parts[CS_NPB_SIZES]; /* of the cycle */
} programs[CS_NPB_COUNT] = {
	{ "bt", 19200, false, { 6760, 40560, 91000 }, { 7, 7, 2 } },
	{ "mg", 5702, false, { 400, 5648, 51232 }, { 5, 2, 9 } },
	{ "ft", 10080, true, { 24, 49152, 0 }, { 1, 1, 0 } },
	{ "is", 7560, true, { 4, 4116, 32768 }, { 1, 1, 1 } },
	{ "cg", 37950, false, { 8, 75000, 0 }, { 3, 2, 0 } },
};

int cs_npb_named(const char *name)
{
	for (int i = 0; i < CS_NPB_COUNT; i++)
		if (!strcmp(programs[i].name, name))
			return i;
	return -1;
}

static double communicate_of(const struct cs_setting *s, unsigned i)
{
	const double percent[CS_NPB_COUNT] = {
		s->bt_communicate, s->mg_communicate, s->ft_communicate,
		s->is_communicate, s->cg_communicate
	};

	return percent[i];
}

/* Rule 2: at each place the size that is most behind its share. */
static void set_cycle(struct cs_mix_job *j, const uint8_t *parts)
{
	int behind[CS_NPB_SIZES] = { 0 }, all = 0;

	for (int k = 0; k < CS_NPB_SIZES; k++)
		all += parts[k];
	j->n_cycle = (uint8_t)all;
	for (int at = 0; at < all; at++) {
		int most = 0;

		for (int k = 0; k < CS_NPB_SIZES; k++) {
			behind[k] += parts[k];
			if (behind[k] > behind[most])
				most = k;
		}
		behind[most] -= all;
		j->cycle[at] = (uint8_t)most;
	}
}

void cs_npb_set(struct cs_mix_job *j, const struct cs_setting *s, unsigned i)
{
	double part = 300 * s->time_scale, latency_ns = 0, messages_ns, loops;
	double share = communicate_of(s, i) / 100;
	uint32_t k;

	j->all_to_all = programs[i].all_to_all;
	k = cs_mix_peers(j);
	set_cycle(j, programs[i].parts);
	for (int size = 0; size < CS_NPB_SIZES; size++) {
		j->latency_ns[size] =
			cs_mix_latency_ns(s, programs[i].bytes[size]);
		latency_ns += (double)j->latency_ns[size] *
			      programs[i].parts[size] / j->n_cycle;
	}
	messages_ns =
		latency_ns + (double)k * (double)(cs_setting_ns(s->send_us) +
						  cs_setting_ns(s->receive_us));
	loops = programs[i].messages * (part < 1 ? part : 1) / k;
	j->loops = loops < 1 ? 1 : (uint32_t)loops;
	j->compute_ns = messages_ns * (1 - share) / share;
	j->io_ns = 0;
	j->alone_ns = (int64_t)(j->loops * messages_ns / share);
}
