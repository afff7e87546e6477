/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slowdown: what a job loses to its own processes and to its neighbours.
 *
 * Problem.  Processes on a node share memory paths, caches, network and disk.
 * Before a job is put beside another, or gets more processes a node, we must know how
 * much longer it will run there.  Little is known: a few measurements, or a rough
 * picture of what each kind of job uses, or nothing.
 *
 * Symbols	C name		unit
 *   p		procs		processes of the job on the node
 *   s, M	sockets, cores	of the node
 *   SL(p)	self		1, runtime at p over runtime at 1
 *   SL_cos	beside		1, runtime beside N over runtime alone
 *   N		beside[n]	the neighbours' profiles
 *   u_r, v_r	resources	share of the node's capacity of resource r
 *   d_r	demand		the sum of the shares
 *
 * Rule.
 *  1. Self slowdown, with a table in the profile: SL(p) is linear between the
 *     points of the table and constant beyond the first and the last.
 *  2. Self slowdown, without: the means of Zeng09's table 4.  One process a socket
 *     costs SL_sno = 1.09, all cores cost SL_sno * SL_scr = 1.37:
 *
 *	SL(p)
 *	1.37 |                   *-------
 *	     |             *
 *	1.09 |      *
 *	1    |*
 *	     +------+------------+-- p
 *	      1     s            M
 *
 *     If s = M, no two processes share a socket: SL(M) = 1.09.
 *  3. Beside one neighbour, first that applies:
 *     a. the pair's entry in the profile file, as measured;
 *     b. both have resource vectors: with d_r = u_r + v_r
 *
 *		SL_cos = 1 + max over r of u_r * max(0, d_r - 1)	(1)
 *
 *     c. `unknown_pair`.
 *  4. Beside several: the product of the entries of 3a, times equation (1) with v_r the
 *     sum over those of 3b, times `unknown_pair` for each of 3c.
 *  5. slowdowns=table4: SL_scr and SL_sno of the job replace the means in rule 2,
 *     whatever its profile; SL_cos of each ordered pair (table4.c), beside several
 *     their product.
 *  6. What was learned (struct cs_learned) counts where the profiles have no entry:
 *     on all cores self is as in rule 2, on half of them that over D, and between on
 *     the line: what a job does dense and alone is not learned, but given by its
 *     estimate.  A pair counts its bound before 3c.  To weigh what a pair is worth, and not what
 *     it may cost, its mean is asked (cs_slowdown_expected()).
 *
 *  7. `record`: self is 1 in place of rule 2, a pair 1 in place of 3c: the runtime was
 *     recorded as the site placed the job, so that the means would count twice what it
 *     lost there.
 *
 * Why (1): a job that uses the share u_r of a resource spends about that part
 * of its time on it.  With demand d_r > 1 times its capacity, the resource serves every
 * job d_r times more slowly, so that this part, and no other, becomes d_r times longer:
 * (1 - u_r) + u_r * d_r.  Waits for different resources overlap; the longest counts.
 *
 * Source: Zeng09 (see slowdown.h), section 4.9, tables 3 and 4 for self slowdowns;
 * section 4.6 for one slowdown by ordered pair, SL_{i,A} unlike SL_{A,i}.
 *
 * Differs.
 *  1. Zeng09 draws SL_scr, SL_sno and SL_cos at random, for lack of data (rule 5);
 *     equation (1) is ours, for sites that have some.
 *  2. Zeng09 has one partner a node; rule 4 and the product of rule 5 are ours.
 *  3. Vectors are for one process a socket and are not scaled to other numbers of
 *     processes on the node.
 *  4. On nodes of one socket table 4 would have SL_scr = 1.27 on all cores;
 *     rule 2 says 1.37 there too.
 *
 * Example: cg uses .8 of the memory bandwidth and .1 of the network, io .3 and
 * .9.  Memory bandwidth: d = 1.1; network: d = 1.0.  cg beside io: 1 + .8 * .1
 * = 1.08; io beside cg: 1 + .3 * .1 = 1.03; cg beside cg: 1 + .8 * .6 = 1.48;
 * cg beside two io: d = 1.4 and 1.9, 1 + max(.8 * .4, .1 * .9) = 1.32.
 *
 * Invariants of (1): 1 without neighbours, for a job that uses nothing, and if no
 * resource's demand exceeds its capacity; never below 1, at most 1 + n; grows with
 * every share of the job and of every neighbour, so another neighbour never lowers it;
 * equal vectors give equal slowdowns.  The order of the neighbours never matters, to
 * the last bit: profiles are taken in order of their indexes, in rule 5 jobs in order
 * of their ids.
 *
 * Cost: rules 1 and 2 O(points), rule 4 O(n * different profiles), rule 5 a
 * hash a pair and O(n * n) comparisons.
 *
 * Known weakness: a share differs between types of nodes; colliding bursts, evicted
 * cache lines and the latency of a nearly full resource do not show below d_r = 1; the
 * product of rule 4 treats measured pairs as independent. `cpu` is a share of all cores
 * of the node: two busy processes on four cores are .5, and a profile that says 1 for
 * them will find no partner.
 */
#include "profile/slowdown.h"

#include <string.h>

#include "profile/table4.h"

/* Means of Zeng09's table 4: SL_sno, and SL_sno * SL_scr. */
#define MEAN_SOCKETS 1.09
#define MEAN_CORES 1.37

/* The line through two points; @p between them. */
static double between(uint32_t p, uint32_t p0, double y0, uint32_t p1,
		      double y1)
{
	return y0 + (y1 - y0) * (p - p0) / (p1 - p0);
}

static const struct cs_profile *profile_of(const struct cs_slowdown *m, int i)
{
	if (!m->profiles || i < 0 || i >= m->profiles->n_profile)
		return NULL;
	return &m->profiles->profile[i];
}

/* Rule 1. */
static double self_table(const struct cs_profile *f, uint32_t procs)
{
	const struct cs_self_point *a = f->self;

	if (procs <= a->procs)
		return a->slowdown;
	for (size_t i = 1; i < f->n_self; i++, a++)
		if (procs <= a[1].procs)
			return between(procs, a->procs, a->slowdown, a[1].procs,
				       a[1].slowdown);
	return a->slowdown;
}

/* Rule 2, with @sno at one process a socket and @all on all cores. */
static double self_line(uint32_t procs, uint32_t sockets, uint32_t cores,
			double sno, double all)
{
	if (procs <= 1)
		return 1;
	if (procs <= sockets)
		return between(procs, 1, 1, sockets, sno);
	if (procs < cores)
		return between(procs, sockets, sockets > 1 ? sno : 1, cores,
			       all);
	return cores > sockets ? all : sno;
}

/* Rule 5. */
static double self_drawn(const struct cs_slowdown *m, uint32_t id,
			 uint32_t procs, uint32_t sockets, uint32_t cores)
{
	double sno = procs > 1 ? cs_table4_sno(m->seed, id) : 1;
	double scr = procs > sockets ? cs_table4_scr(m->seed, id) : 1;

	return self_line(procs, sockets, cores, sno, sno * scr);
}

/* Rule 6: the kind's place in what was learned; -1. */
static int kind_of(const struct cs_slowdown *m, struct cs_who who)
{
	return m->learned && who.kind && who.kind <= (uint32_t)m->learned->n
		       ? (int)who.kind - 1
		       : -1;
}

bool cs_slowdown_is_learned(const struct cs_slowdown *m, struct cs_who who)
{
	return !m->table4 && kind_of(m, who) >= 0;
}

static double self_learned(double self, uint32_t procs, uint32_t sockets,
			   uint32_t cores)
{
	double all = self_line(cores, sockets, cores, MEAN_SOCKETS, MEAN_CORES);
	uint32_t half = cores / 2;

	if (procs <= 1)
		return 1;
	if (procs <= half)
		return all / self;
	return procs < cores ? between(procs, half, all / self, cores, all)
			     : all;
}

double cs_slowdown_self(const struct cs_slowdown *m, struct cs_who who,
			uint32_t procs, uint32_t sockets, uint32_t cores)
{
	const struct cs_profile *f = profile_of(m, who.profile);
	int kind = kind_of(m, who);

	if (m->table4)
		return self_drawn(m, who.id, procs, sockets, cores);
	if (f && f->n_self)
		return self_table(f, procs);
	if (kind >= 0)
		return self_learned(m->learned->self[kind], procs, sockets,
				    cores);
	if (m->record)
		return 1;
	return self_line(procs, sockets, cores, MEAN_SOCKETS, MEAN_CORES);
}

/* Rules 3c and 7. */
static double unknown_pair(const struct cs_slowdown *m)
{
	return m->record ? 1 : m->unknown_pair;
}

bool cs_slowdown_has_self(const struct cs_slowdown *m, struct cs_who who)
{
	const struct cs_profile *f = profile_of(m, who.profile);

	return m->table4 || (f && f->n_self);
}

/* The pair's entry; 0: there is none. */
static double measured(const struct cs_slowdown *m, int of, int beside)
{
	const struct cs_profiles *s = m->profiles;

	if (!profile_of(m, of) || !profile_of(m, beside) || !s->pair)
		return 0;
	return s->pair[(size_t)of * (size_t)s->n_profile + (size_t)beside];
}

/* Equation (1). */
static double predicted(const double *u, const double *v)
{
	double most = 0;

	for (int r = 0; r < CS_RES_COUNT; r++) {
		double over = u[r] * (u[r] + v[r] - 1);

		if (over > most)
			most = over;
	}
	return 1 + most;
}

static bool predictable(const struct cs_profile *f, const struct cs_profile *g)
{
	return f && g && f->has_resources && g->has_resources;
}

/* Do the profiles say what @of suffers beside @beside? */
static bool is_written(const struct cs_slowdown *m, struct cs_who of,
		       struct cs_who beside)
{
	return measured(m, of.profile, beside.profile) > 0 ||
	       predictable(profile_of(m, of.profile),
			   profile_of(m, beside.profile));
}

/* Rule 6: the pair's place in the tables of what was learned; -1. */
static int pair_of(const struct cs_slowdown *m, struct cs_who of,
		   struct cs_who beside)
{
	int a = kind_of(m, of), b = kind_of(m, beside);

	return a >= 0 && b >= 0 ? a * m->learned->n + b : -1;
}

/* Its bound; 0: there is none. */
static double bound_of(const struct cs_slowdown *m, struct cs_who of,
		       struct cs_who beside)
{
	int pair = pair_of(m, of, beside);

	return pair >= 0 ? m->learned->bound[pair] : 0;
}

bool cs_slowdown_known(const struct cs_slowdown *m, struct cs_who of,
		       struct cs_who beside)
{
	return m->table4 || is_written(m, of, beside) ||
	       bound_of(m, of, beside) > 0;
}

/* The smallest profile index of @beside above @last, and how many have it; false:
 * none. */
static bool next_profile(const struct cs_who *beside, size_t n, int64_t last,
			 int *ret_profile, size_t *ret_count)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		int profile = beside[i].profile;

		if (profile <= last)
			continue;
		if (!count || profile < *ret_profile) {
			*ret_profile = profile;
			count = 0;
		}
		count += profile == *ret_profile;
	}
	*ret_count = count;
	return count > 0;
}

/* Rule 5: by increasing id, with duplicates. */
static double drawn(const struct cs_slowdown *m, uint32_t of,
		    const struct cs_who *beside, size_t n)
{
	double product = 1;
	int64_t last = -1;

	for (size_t done = 0; done < n;) {
		int64_t id = INT64_MAX;
		double pair;

		for (size_t i = 0; i < n; i++)
			if (beside[i].id > last && beside[i].id < id)
				id = beside[i].id;
		pair = cs_table4_cos(m->seed, of, (uint32_t)id);
		for (size_t i = 0; i < n; i++)
			if (beside[i].id == id) {
				product *= pair;
				done++;
			}
		last = id;
	}
	return product;
}

/* Rules 3 and 4, beside one job. */
static double from_profile(const struct cs_slowdown *m, int of, int beside)
{
	const struct cs_profile *f = profile_of(m, of);
	const struct cs_profile *g = profile_of(m, beside);
	double pair = measured(m, of, beside);

	if (pair > 0)
		return pair;
	return predictable(f, g) ? predicted(f->resources, g->resources)
				 : unknown_pair(m);
}

/* Rules 3 and 4. */
static double from_profiles(const struct cs_slowdown *m, int of,
			    const struct cs_who *beside, size_t n)
{
	const struct cs_profile *f = profile_of(m, of);
	double v[CS_RES_COUNT] = { 0 }, product = 1;
	bool predict = false;
	int64_t last = INT64_MIN;
	size_t count = 0;
	int b = CS_PROFILE_NONE;

	if (n == 1)
		return from_profile(m, of, beside->profile);
	for (; next_profile(beside, n, last, &b, &count); last = b) {
		const struct cs_profile *g = profile_of(m, b);
		double pair = measured(m, of, b);

		if (pair <= 0 && predictable(f, g)) {
			for (int r = 0; r < CS_RES_COUNT; r++)
				v[r] += (double)count * g->resources[r];
			predict = true;
			continue;
		}
		for (size_t i = 0; i < count; i++)
			product *= pair > 0 ? pair : unknown_pair(m);
	}
	return predict ? product * predicted(f->resources, v) : product;
}

/* Rule 6: those that only what was learned can tell of leave @beside; the product of
 * their bounds, in growing order. */
static double from_learned(const struct cs_slowdown *m, struct cs_who of,
			   struct cs_who *beside, size_t *n)
{
	double bound[CS_BESIDE_MAX], product = 1;
	size_t left = 0, bounds = 0;

	for (size_t i = 0; i < *n; i++) {
		double x = is_written(m, of, beside[i])
				   ? 0
				   : bound_of(m, of, beside[i]);
		size_t at = bounds;

		if (x <= 0) {
			beside[left++] = beside[i];
			continue;
		}
		for (; at && bound[at - 1] > x; at--)
			bound[at] = bound[at - 1];
		bound[at] = x;
		bounds++;
	}
	*n = left;
	for (size_t i = 0; i < bounds; i++)
		product *= bound[i];
	return product;
}

double cs_slowdown_beside(const struct cs_slowdown *m, struct cs_who of,
			  const struct cs_who *beside, size_t n)
{
	struct cs_who left[CS_BESIDE_MAX];
	double product;

	if (m->table4)
		return drawn(m, of.id, beside, n);
	if (kind_of(m, of) < 0 || n > CS_BESIDE_MAX)
		return from_profiles(m, of.profile, beside, n);
	memcpy(left, beside, n * sizeof(*left));
	product = from_learned(m, of, left, &n);
	return product * from_profiles(m, of.profile, left, n);
}

double cs_slowdown_expected(const struct cs_slowdown *m, struct cs_who of,
			    struct cs_who beside, double most)
{
	int pair = m->table4 || is_written(m, of, beside)
			   ? -1
			   : pair_of(m, of, beside);
	double bound;

	if (pair < 0)
		return cs_slowdown_beside(m, of, &beside, 1);
	bound = m->learned->bound[pair];
	return bound > 0 && bound <= most ? m->learned->mean[pair]
					  : m->learned->hope[pair];
}
