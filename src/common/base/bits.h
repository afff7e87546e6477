/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of small numbers: of a machine's nodes, of a node's cores.  A set is an
 * array of words of 64 bits; number i is bit i % 64 of word i / 64.  Bits past the last
 * number are 0.
 */
#ifndef CS_BASE_BITS_H
#define CS_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* @a / @b (> 0), rounded up; any @a. */
static inline uint32_t cs_div_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

/* Words of a set of the numbers below @n. */
static inline uint32_t cs_bit_words(uint32_t n)
{
	return cs_div_up(n, 64);
}

static inline bool cs_bit(const uint64_t *set, uint32_t i)
{
	return set[i / 64] >> (i % 64) & 1;
}

static inline void cs_bit_clear(uint64_t *set, uint32_t i)
{
	set[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static inline void cs_bit_set(uint64_t *set, uint32_t i)
{
	set[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void cs_bit_put(uint64_t *set, uint32_t i, bool on)
{
	if (on)
		cs_bit_set(set, i);
	else
		cs_bit_clear(set, i);
}

/* Word @w of the set of all numbers below @n. */
static inline uint64_t cs_bit_all(uint32_t n, uint32_t w)
{
	if (n <= 64 * w)
		return 0;
	return n - 64 * w < 64 ? (UINT64_C(1) << (n - 64 * w)) - 1 : UINT64_MAX;
}

/* Take the lowest bit out of @word, which is not 0. */
static inline uint32_t cs_bit_pop(uint64_t *word)
{
	uint32_t i = (uint32_t)__builtin_ctzll(*word);

	*word &= *word - 1;
	return i;
}

/* Bits of @word; inline, as the compiler's is only on some processors. */
static inline uint32_t cs_popcount(uint64_t word)
{
	word -= word >> 1 & UINT64_C(0x5555555555555555);
	word = (word & UINT64_C(0x3333333333333333)) +
	       (word >> 2 & UINT64_C(0x3333333333333333));
	word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

/* Numbers in @set. */
static inline uint32_t cs_bits_count(const uint64_t *set, uint32_t words)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < words; w++)
		n += cs_popcount(set[w]);
	return n;
}

/* Numbers in both. */
static inline uint32_t cs_bits_common(const uint64_t *a, const uint64_t *b,
				      uint32_t words)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < words; w++)
		n += cs_popcount(a[w] & b[w]);
	return n;
}

/* Is all of @set in @of? */
static inline bool cs_bits_within(const uint64_t *set, const uint64_t *of,
				  uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (set[w] & ~of[w])
			return false;
	return true;
}

/* Put @set into @to. */
static inline void cs_bits_or(uint64_t *to, const uint64_t *set, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		to[w] |= set[w];
}

/* Leave in @to only what is also in @set. */
static inline void cs_bits_and(uint64_t *to, const uint64_t *set,
			       uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		to[w] &= set[w];
}

/* Take @set out of @to. */
static inline void cs_bits_andnot(uint64_t *to, const uint64_t *set,
				  uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		to[w] &= ~set[w];
}

#endif
