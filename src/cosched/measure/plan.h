/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a measurement consists of, and what is to do next.
 *
 * An experiment is a program alone on full nodes, alone on spread ones (half the cores of
 * each socket, on twice the nodes), or a pair: two programs, or one beside itself, each on
 * half the cores of the same nodes.  n programs have 2 n + n (n + 1) / 2 experiments, in
 * this order:
 *
 *	0 .. n - 1	full
 *	n .. 2 n - 1	spread
 *	2 n ..		pairs (0, 0), (0, 1), ... (1, 1), ...
 *
 * An attempt is one job of an experiment, or two of a pair; each runs its program again
 * and again.  The times of all attempts are kept in cells: one a program and kind alone,
 * and one a directed pair.
 */
#ifndef CS_COSCHED_MEASURE_PLAN_H
#define CS_COSCHED_MEASURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/record.h"
#include "measure/statistics.h"

#define CS_MEASURE_PROGRAMS 16 /* at most */
#define CS_MEASURE_EXPERIMENTS     \
	(2 * CS_MEASURE_PROGRAMS + \
	 CS_MEASURE_PROGRAMS * (CS_MEASURE_PROGRAMS + 1) / 2)
#define CS_MEASURE_CELLS (CS_MEASURE_PROGRAMS * (2 + CS_MEASURE_PROGRAMS))
#define CS_MEASURE_NONE SIZE_MAX

enum cs_measure_kind { CS_MEASURE_FULL, CS_MEASURE_SPREAD, CS_MEASURE_PAIR };

struct cs_measure_experiment {
	enum cs_measure_kind kind;
	size_t a, b; /* programs; alone: b is a */
};

/* What has been measured so far. */
struct cs_measure_plan {
	size_t n;    /* programs, 1 to CS_MEASURE_PROGRAMS */
	double part; /* of a slowdown: the widest half of an interval wanted */
	struct cs_measure_mean cell[CS_MEASURE_CELLS];
	/* of each experiment */
	bool busy[CS_MEASURE_EXPERIMENTS];     /* an attempt is under way */
	bool given_up[CS_MEASURE_EXPERIMENTS]; /* its attempts fail */
};

size_t cs_measure_experiments(size_t programs);
struct cs_measure_experiment cs_measure_experiment(size_t programs, size_t i);

/* Where the times of a program alone are, and those of @of beside @other. */
size_t cs_measure_cell_alone(size_t programs, enum cs_measure_kind kind,
			     size_t program);
size_t cs_measure_cell_beside(size_t programs, size_t of, size_t other);

/* @of beside @other over @of alone on nodes of @kind; over full nodes, it includes the
 * gain of spreading. */
struct cs_measure_interval cs_measure_slowdown(const struct cs_measure_plan *p,
					       size_t of, size_t other,
					       enum cs_measure_kind kind);
/* A program on full nodes over itself on spread ones. */
struct cs_measure_interval cs_measure_dense(const struct cs_measure_plan *p,
					    size_t program);

/* Are the intervals of experiment @i small enough? */
bool cs_measure_enough(const struct cs_measure_plan *p, size_t i);

/* The least number of times in a cell of experiment @i. */
size_t cs_measure_least(const struct cs_measure_plan *p, size_t i);

/*
 * The experiment that should be tried next, CS_MEASURE_NONE: none.  One with fewer times
 * than CS_MEASURE_LEAST comes before all that have them, then that of the least times,
 * then the first; a pair only after its programs' own.  One that is busy, given up,
 * measured well enough, or has a program whose time alone is given up is left out.
 */
size_t cs_measure_next(const struct cs_measure_plan *p);

/* How many times in each of its cells an attempt of experiment @i should reach, if it is
 * not measured well enough before. */
size_t cs_measure_goal(const struct cs_measure_plan *p, size_t i);

/*
 * The time limit, s, of an attempt of experiment @i, a multiple of 60: enough for its
 * goal if its programs' times are known, at most @limit_s, and at most what @left_node_s
 * node seconds pay for on @nodes nodes.  0: not enough for one run.
 */
uint32_t cs_measure_limit(const struct cs_measure_plan *p, size_t i,
			  uint32_t limit_s, double left_node_s, uint32_t nodes);

/* The nodes of a job of @kind. */
uint32_t cs_measure_nodes(const struct cs_measure_shape *shape,
			  enum cs_measure_kind kind);
/* Processes of a job of @kind on each socket. */
uint32_t cs_measure_per_socket(const struct cs_measure_shape *shape,
			       enum cs_measure_kind kind);

#endif
