/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Problem.  Zeng09 has no measured slowdowns of its jobs and draws them.  The draw
 * of a job or pair must not depend on when it is asked for.
 *
 * Rule.  A hash of the seed, of which of the three it is and of the job's id
 * (or of the two ids, in their order) gives u, uniform in [0, 1); the slowdown
 * is the point where the distribution of table 4, uniform within each range,
 * reaches u.  The table, in percent:
 *
 *	from	 .9  1.0  1.1  1.2  1.3  1.4  1.5  1.6  1.7
 *	SL_scr	  0   25   17   17   13   17    8    3    0
 *	SL_sno	 25   45   12    5   13    0    0    0    0
 *	SL_cos	  0   68   17    7    3    2    1    1    1
 *
 * Source: Zeng09 (see slowdown.h), section 4.9, table 4.
 *
 * Differs.
 *  1. The paper does not say how a value within a range is drawn, nor whether
 *     the slowdowns of a job go together: uniformly, and independently.
 *  2. SL_cos of a pair is drawn for each of its two orders, independently.
 *
 * Means: SL_scr 1.266, SL_sno 1.086, SL_cos 1.110.
 */
#include "profile/table4.h"

#include "base/rng.h"

#define N_RANGE 9

/* Where each range begins, in parts of all jobs; its length is .1. */
struct distribution {
	uint64_t key;
	double below[N_RANGE + 1];
};

static const struct distribution scr = {
	1, { 0, 0, .25, .42, .59, .72, .89, .97, 1, 1 }
};
static const struct distribution sno = {
	2, { 0, .25, .70, .82, .87, 1, 1, 1, 1, 1 }
};
static const struct distribution cos_ = {
	3, { 0, 0, .68, .85, .92, .95, .97, .98, .99, 1 }
};

static double at(const struct distribution *d, double u)
{
	int i = 0;

	while (u >= d->below[i + 1])
		i++;
	return (9 + i + (u - d->below[i]) / (d->below[i + 1] - d->below[i])) /
	       10;
}

double cs_table4_scr(uint64_t seed, uint32_t id)
{
	return at(&scr, cs_unit(cs_rng_hash(cs_rng_hash(seed, scr.key), id)));
}

double cs_table4_sno(uint64_t seed, uint32_t id)
{
	return at(&sno, cs_unit(cs_rng_hash(cs_rng_hash(seed, sno.key), id)));
}

double cs_table4_cos(uint64_t seed, uint32_t of, uint32_t beside)
{
	uint64_t pair = (uint64_t)of << 32 | beside;

	return at(&cos_,
		  cs_unit(cs_rng_hash(cs_rng_hash(seed, cos_.key), pair)));
}
