/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of the table (param_list.h): order=shifted, and how heads are passed.  U is the
 * usual limit (order/usual.c).
 */
#ifndef CS_PARAMS_PARAM_PASSING_H
#define CS_PARAMS_PARAM_PASSING_H

#define CS_PARAM_SHIFTED_TABLE(X)                                               \
	X(shift_most, "shift_most", REAL, "U", "3.6", "3.6", 0, 1000, "",       \
	  "With order=shifted: by how much a job counts as having come later "  \
	  "at most, in usual limits U (see usual_jobs).")                       \
	X(shift_long, "shift_long", REAL, "", "0.6", "0.6", 0, 1, "",           \
	  "With order=shifted: the part of its age that does not count for a "  \
	  "job of a very long limit.")                                          \
	X(shift_long_at, "shift_long_at", REAL, "U", "1.2", "1.2", 0.01, 1000,  \
	  "",                                                                   \
	  "With order=shifted: the limit of a job for which half of that part " \
	  "does not count.")                                                    \
	X(shift_long_most, "shift_long_most", REAL, "U", "10.8", "10.8", 0,     \
	  1000, "",                                                             \
	  "With order=shifted: the most of its age that does not count.")       \
	X(pin_after, "pin_after", REAL, "U", "2.4", "2.4", 0, 1000, "",         \
	  "With order=shifted: the age from which on a job at the head of the " \
	  "queue stays there, and keeps its planned start.")                    \
	X(usual_jobs, "usual_jobs", INT, "jobs", "1000", "1000", 1, 1000000,    \
	  "",                                                                   \
	  "The usual limit U of a group of partitions that share nodes is the " \
	  "mean limit of the jobs submitted there: after so many others a job " \
	  "counts half.")                                                       \
	X(usual_s, "usual_s", INT, "s", "604800", "604800", 60, 31536000, "",   \
	  "A job also counts half in the usual limit after so long, if that "   \
	  "is sooner than by usual_jobs.")                                      \
	X(age_points, "age_points", REAL, "points/s", "-2", "-2", -2, 1000000,  \
	  "",                                                                   \
	  "With order=shifted: points of Slurm's priority that a second of "    \
	  "age is worth; a job's shift takes off so many of them. 0: "          \
	  "priorities alone, equal ones by the rule; -1: the rule alone, "      \
	  "priorities set by hand excepted; -2, in slurmctld: by "              \
	  "PriorityType, PriorityWeightAge and PriorityMaxAge, else as -1.")    \
	X(age_most_s, "age_most_s", INT, "s", "0", "0", 0, 315360000, "",       \
	  "With order=shifted and age_points: from which age on Slurm's "       \
	  "priority no longer grows; 0: never, in slurmctld "                   \
	  "PriorityMaxAge.")                                                    \
	X(unshifted_partitions, "unshifted_partitions", TEXT, "", "", "", 0,    \
	  0, "",                                                                \
	  "With order=shifted: partitions whose jobs are not shifted, joined "  \
	  "by '+'.")                                                            \
	X(unshifted_qos, "unshifted_qos", TEXT, "", "", "", 0, 0, "",           \
	  "With order=shifted: QOS whose jobs are not shifted, joined by '+'.")

#define CS_PARAM_PASSING_TABLE(X)                                                                        \
	X(planned_starts, "planned_starts", INT, "jobs", "1", "1", 1, 64, "",                            \
	  "With backfill=easy: how many waiting jobs of those that share nodes "                         \
	  "have a planned start, the first ones of the queue; jobs that pass "                           \
	  "them delay none of these. Time grows with its square. backfill=none is 0, conservative all.") \
	X(head_slack_max, "head_slack_max", REAL, "s or U", "0", "0", 0,                                 \
	  31536000, "",                                                                                  \
	  "With head_slack: by how much at most, in seconds, with "                                      \
	  "order=shifted in usual limits U; 0: no such bound.")                                          \
	X(passing, "passing", ENUM, "", "queue", "queue", 0, 0,                                          \
	  "queue|shortest|expansion",                                                                    \
	  "With backfill=easy: in which order jobs behind the head are tried: "                          \
	  "as they stand in the queue; those with the shortest limit first; "                            \
	  "those with the largest wait over their limit, times their cores, "                            \
	  "first (see passing_lead).")                                                                   \
	X(passing_tries, "passing_tries", INT, "jobs", "100", "100", 1,                                  \
	  100000000, "",                                                                                 \
	  "With passing=shortest or expansion: how many jobs that fit and "                              \
	  "would delay the head are tried in a pass; the next one goes on "                              \
	  "behind them.")                                                                                \
	X(passing_lead, "passing_lead", REAL, "s or U", "0", "0", 0, 31536000,                           \
	  "",                                                                                            \
	  "With passing=expansion: what is added to each wait, in seconds, "                             \
	  "with order=shifted in usual limits U.")

#endif
