/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slowdown model: how much longer a job runs because of its neighbours.
 *
 * A job's runtime with one process a node and no neighbours is T.  On nodes with p
 * processes of it and neighbours N it progresses at the rate
 *
 *	1 / (self(p) * max over its nodes of cos(N on that node))
 *
 * self(p) is the profile's table, linear between its points and constant beyond them;
 * without one, the means of Zeng09's table 4: 1 at one process, 1.09 at one a socket,
 * 1.37 on all cores.  cos of one neighbour is the measured pair, else predicted from
 * the two resource vectors, else `unknown_pair`; of several, the product of measured
 * pairs times the prediction for the sum of the predicted ones' vectors, times
 * `unknown_pair` for each of the others.
 *
 * With slowdowns=table4 all are drawn instead, by job id (table4.h).  Where a runtime is
 * known from a record (`record`), what the profiles say nothing of costs nothing.
 *
 * Source: Zeng and Sodan, Job Scheduling with Lookahead Group Matchmaking for
 * Time/Space Sharing on Multi-core Parallel Machines, JSSPP 2009 ("Zeng09"),
 * sections 4.9 (self and coscheduling slowdown) and 4.6 (the largest over the
 * nodes).  Differs: see slowdown.c.
 */
#ifndef CS_PROFILE_SLOWDOWN_H
#define CS_PROFILE_SLOWDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/*
 * What was learned of kinds of jobs (learn/admission.h): it counts where the profiles
 * say nothing.  self: time on all cores of its nodes over time on half of them, alone.
 */
struct cs_learned {
	int n;
	double *self; /* [n] */
	/* [n] time on half of the cores and alone over that on all, at most, and with
	 * luck */
	double *spread, *spread_hope;
	double *bound; /* [n][n] of beside: no more than that; 0: nobody can say */
	double *mean; /* [n][n] ... as expected */
	double *hope; /* [n][n] ... as it may be with luck */
};

struct cs_slowdown {
	const struct cs_profiles *profiles; /* borrowed */
	const struct cs_learned *learned;   /* borrowed; NULL: nothing */
	double unknown_pair;		    /* >= 1 */
	bool record;   /* what the profiles say nothing of costs nothing */
	bool table4;   /* draw, from */
	uint64_t seed; /* this seed */
};

/* A job, for its slowdowns. */
struct cs_who {
	int profile;   /* index or CS_PROFILE_NONE */
	uint32_t id;   /* of the job */
	uint32_t kind; /* its place in what was learned, from 1; 0: none */
};

/*
 * Self slowdown of @who with @procs processes on a node of @sockets sockets and @cores
 * cores in total.  > 0.  O(points).
 */
double cs_slowdown_self(const struct cs_slowdown *m, struct cs_who who,
			uint32_t procs, uint32_t sockets, uint32_t cores);

/* Is more than the means known about @who's self slowdown?  O(1). */
bool cs_slowdown_has_self(const struct cs_slowdown *m, struct cs_who who);

/* Is anything known about the slowdown of @of beside @beside?  O(1). */
bool cs_slowdown_known(const struct cs_slowdown *m, struct cs_who of,
		       struct cs_who beside);

#define CS_BESIDE_MAX 64 /* most neighbours on a node that count */

/*
 * Coscheduling slowdown of @of on a node beside the @n jobs @beside, in any order. 1 if
 * n is 0, never below 1 for a prediction or a draw; a measured pair may be below 1.
 * O(n * different profiles), drawn: O(n * n).
 */
double cs_slowdown_beside(const struct cs_slowdown *m, struct cs_who of,
			  const struct cs_who *beside, size_t n);

/*
 * The same beside one job, as it is expected where it was learned and not at most; of
 * a pair that may not share by what was learned, as it may be with luck: so it is
 * weighed whether a trial is worth it.  O(1).
 */
double cs_slowdown_expected(const struct cs_slowdown *m, struct cs_who of,
			    struct cs_who beside, double most);

/*
 * How much longer a job runs because of others on the same core: @load is the sum of what
 * all @jobs there, itself too, compute of a core when alone (1 less what they wait), @loss
 * what sharing costs beside that.
 *
 *	max(1, load) * (1 + loss), for jobs > 1
 */
static inline double cs_slowdown_core(double load, uint32_t jobs, double loss)
{
	return jobs < 2 ? 1 : (load > 1 ? load : 1) * (1 + loss);
}

/* Is anything learned of @who that its profile does not say?  O(1). */
bool cs_slowdown_is_learned(const struct cs_slowdown *m, struct cs_who who);

#endif
