/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys of the table (param_list.h): which jobs are packed by core, and GPUs.
 */
#ifndef CS_PARAMS_PARAM_PACK_H
#define CS_PARAMS_PARAM_PACK_H

#define CS_PARAM_PACK_TABLE(X)                                                  \
	X(pack_part, "pack_part", REAL, "", "0", "0", 0, 1, "",                 \
	  "A job that would use less than this part of the nodes that it "      \
	  "needs is packed by core, with a profile as without one: 1, all but " \
	  "those that fill their nodes; 0, none.")                              \
	X(unprofiled, "unprofiled", ENUM, "", "pack", "model", 0, 0,            \
	  "model|pack",                                                         \
	  "How jobs without a profile are placed: pack, densely, and "          \
	  "those that need less than a node by core beside others of "          \
	  "their kind; model, like any other job.")                             \
	X(gpu_fit, "gpu_fit", ENUM, "", "best", "best", 0, 0,                   \
	  "fragments|best|first",                                               \
	  "Which nodes jobs with GPUs get, of those of the lowest weight: "     \
	  "fragments, those where their start leaves the fewest GPUs that the " \
	  "usual requests of this site cannot use (Weng et al., ATC 2023), "    \
	  "which allocates most GPUs of a machine that fills up; best, those "  \
	  "with the fewest free GPUs, by which jobs wait less; first, the "     \
	  "first ones.")                                                        \
	X(gpu_cores, "gpu_cores", INT, "cores", "0", "0", 0, 65536, "",         \
	  "How many cores jobs without GPUs leave on a node for each of its "   \
	  "GPUs that no job uses, if they are packed by core. Larger values "   \
	  "strand fewer GPUs; such jobs wait while cores are free.")

#endif
