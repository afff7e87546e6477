/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of the table (param_list.h): jobs that share cores because their ranks wait.
 */
#ifndef CS_PARAMS_PARAM_MPL_H
#define CS_PARAMS_PARAM_MPL_H

#define CS_PARAM_MPL_TABLE(X)                                                 \
	X(mpl, "mpl", INT, "jobs", "1", "1", 1, 16, "",                       \
	  "Most jobs on a core (the multiprogramming level): so many jobs "   \
	  "whose ranks sleep while they wait share the same cores, where "    \
	  "one would wait otherwise; 1: none do. Jobs say that they wait by " \
	  "their profile (waits) or their comment (wait=MODE). With "         \
	  "place=cover and slice=none, in simulations. Larger values start "  \
	  "jobs sooner that wait for much of their time; max_slowdown "       \
	  "bounds what that costs each.")                                     \
	X(mpl_loss, "mpl_loss", REAL, "", "0.05", "0.05", 0, 10, "",          \
	  "What sharing a core costs beyond the time that its jobs compute "  \
	  "(mpl): 0.05 is 5 %, for switches and cold caches.")                \
	X(mpl_waits, "mpl_waits", REAL, "", "0.5", "0.5", 0.01, 1, "",        \
	  "The part of its core time that a job waits when alone, where it "  \
	  "says that it waits and its profile does not say how much (mpl).")

#endif
