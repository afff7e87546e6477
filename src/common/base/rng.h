/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers that are the same everywhere: a generator for those who draw
 * in a fixed order, and a hash for those who are asked in any order.
 *
 * Integer arithmetic and one exact division: no libm, the same bits on every
 * machine.
 */
#ifndef CS_BASE_RNG_H
#define CS_BASE_RNG_H

#include <stdint.h>

/* xoshiro256** 1.0 */
struct cs_rng {
	uint64_t s[4];
};

/* Equal seeds and streams give equal numbers, others unrelated ones. */
void cs_rng_init(struct cs_rng *r, uint64_t seed, uint64_t stream);

/* 64 random bits. */
uint64_t cs_rng_next(struct cs_rng *r);

/*
 * 64 bits that depend on both arguments alone.  For more than one key: hash the
 * hash, cs_rng_hash(cs_rng_hash(seed, a), b); the order of the keys counts.
 */
uint64_t cs_rng_hash(uint64_t seed, uint64_t key);

/* 64 random bits as a uniform number, 0 <= x < 1, in steps of 2^-53. */
static inline double cs_unit(uint64_t bits)
{
	return (double)(bits >> 11) / 9007199254740992.;
}

static inline double cs_rng_unit(struct cs_rng *r)
{
	return cs_unit(cs_rng_next(r));
}

#endif
