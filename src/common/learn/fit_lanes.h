/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of CS_FIT_LANES rows at a time, two in a register of any processor. */
#ifndef CS_LEARN_FIT_LANES_H
#define CS_LEARN_FIT_LANES_H

#include "learn/fit_parts.h"

typedef double cs_fit_two
	__attribute__((vector_size(16), aligned(8), may_alias));

_Static_assert(CS_FIT_LANES == 8, "four of two");
struct cs_fit_lanes {
	cs_fit_two a, b, c, d;
};

static inline cs_fit_two cs_fit_two_at(const double *x)
{
	return *(const cs_fit_two *)x;
}

static inline struct cs_fit_lanes cs_fit_lanes_at(const double *x)
{
	return (struct cs_fit_lanes){ cs_fit_two_at(x), cs_fit_two_at(x + 2),
				      cs_fit_two_at(x + 4),
				      cs_fit_two_at(x + 6) };
}

/* @x in each lane. */
static inline struct cs_fit_lanes cs_fit_lanes_all(double x)
{
	cs_fit_two two = { x, x };

	return (struct cs_fit_lanes){ two, two, two, two };
}

/* @x of the codes @at. */
static inline struct cs_fit_lanes cs_fit_lanes_of(const double *x,
						  const uint32_t *at)
{
	return (struct cs_fit_lanes){ { x[at[0]], x[at[1]] },
				      { x[at[2]], x[at[3]] },
				      { x[at[4]], x[at[5]] },
				      { x[at[6]], x[at[7]] } };
}

static inline void cs_fit_lanes_put(double *x, struct cs_fit_lanes v)
{
	*(cs_fit_two *)x = v.a;
	*(cs_fit_two *)(x + 2) = v.b;
	*(cs_fit_two *)(x + 4) = v.c;
	*(cs_fit_two *)(x + 6) = v.d;
}

static inline struct cs_fit_lanes cs_fit_lanes_plus(struct cs_fit_lanes x,
						    struct cs_fit_lanes y)
{
	return (struct cs_fit_lanes){ x.a + y.a, x.b + y.b, x.c + y.c,
				      x.d + y.d };
}

static inline struct cs_fit_lanes cs_fit_lanes_less(struct cs_fit_lanes x,
						    struct cs_fit_lanes y)
{
	return (struct cs_fit_lanes){ x.a - y.a, x.b - y.b, x.c - y.c,
				      x.d - y.d };
}

static inline struct cs_fit_lanes cs_fit_lanes_times(struct cs_fit_lanes x,
						     struct cs_fit_lanes y)
{
	return (struct cs_fit_lanes){ x.a * y.a, x.b * y.b, x.c * y.c,
				      x.d * y.d };
}

/* Lane 0 to @to[at[0]], and so on. */
static inline void cs_fit_lanes_deal(double *to, const uint32_t *at,
				     struct cs_fit_lanes x)
{
	to[at[0]] = x.a[0];
	to[at[1]] = x.a[1];
	to[at[2]] = x.b[0];
	to[at[3]] = x.b[1];
	to[at[4]] = x.c[0];
	to[at[5]] = x.c[1];
	to[at[6]] = x.d[0];
	to[at[7]] = x.d[1];
}

/* What a row says of an effect: of lane 0 to *@to[at[0]], and so on. */
static inline void cs_fit_lanes_tell(struct cs_fit_said *to, const uint32_t *at,
				     struct cs_fit_lanes info,
				     struct cs_fit_lanes push)
{
	to[at[0]] = (struct cs_fit_said){ info.a[0], push.a[0] };
	to[at[1]] = (struct cs_fit_said){ info.a[1], push.a[1] };
	to[at[2]] = (struct cs_fit_said){ info.b[0], push.b[0] };
	to[at[3]] = (struct cs_fit_said){ info.b[1], push.b[1] };
	to[at[4]] = (struct cs_fit_said){ info.c[0], push.c[0] };
	to[at[5]] = (struct cs_fit_said){ info.c[1], push.c[1] };
	to[at[6]] = (struct cs_fit_said){ info.d[0], push.d[0] };
	to[at[7]] = (struct cs_fit_said){ info.d[1], push.d[1] };
}

#endif
