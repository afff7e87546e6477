/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source: the generator is xoshiro256** 1.0 (Blackman and Vigna, Scrambled
 * Linear Pseudorandom Number Generators, ACM TOMS 47(4), 2021); the hash is the
 * output function of splitmix64 (Steele, Lea and Flood, Fast Splittable
 * Pseudorandom Number Generators, OOPSLA 2014), once over the seed and once
 * over the result with the key, each stepped by the golden ratio as there.
 *
 * Cost: a few multiplications.
 */
#include "base/rng.h"

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd */

static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t rotate(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

uint64_t cs_rng_hash(uint64_t seed, uint64_t key)
{
	return mix(mix(seed + GOLDEN) + (key + 1) * GOLDEN);
}

/* The state comes from splitmix64, as xoshiro's authors advise; four outputs of
 * it are never all zero. */
void cs_rng_init(struct cs_rng *r, uint64_t seed, uint64_t stream)
{
	uint64_t z = stream ? cs_rng_hash(seed, stream) : seed;

	for (int i = 0; i < 4; i++)
		r->s[i] = mix(z += GOLDEN);
}

uint64_t cs_rng_next(struct cs_rng *r)
{
	uint64_t *s = r->s;
	uint64_t bits = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return bits;
}
