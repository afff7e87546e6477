/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job by itself: its shape and run time in it; the theory is in alone.c. */
#ifndef CS_JOB_ALONE_H
#define CS_JOB_ALONE_H

#include "state/state.h"

/* The job's shape without neighbours, and the rule it comes from; false: it cannot run
 * on such nodes. */
bool cs_alone_shape(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, struct cs_shape *s);
/* From shape @s to the next of rule 11, for larger nodes; false: there is none.
 * O(nodes) for each size of nodes. */
bool cs_alone_other(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, struct cs_shape *s);
/* Might one of them fit now?  O(1). */
bool cs_alone_other_might(const struct cs_engine *e, const struct cs_shape *s);
/* The least that a job placed by the host may take: a core of a node that its flags
 * allow; false: it may use none. */
bool cs_alone_least(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, struct cs_shape *s);
/* Is it too slow in shape @s for its limit to be raised that far? */
bool cs_alone_too_slow(const struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, const struct cs_shape *s);
/* Could it run alone with all nodes up and empty? */
bool cs_alone_ever(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option);
/* What a second of its estimate takes with shape @s and no neighbours; a packed job's
 * neighbours are unknown. */
double cs_alone_factor(const struct cs_engine *e, const struct cs_ejob *j,
		       const struct cs_shape *s);
/* That shape and its run time, kept in j->plan; false also if it may not run that
 * long. */
bool cs_alone_layout(const struct cs_engine *e, struct cs_ejob *j,
		     uint32_t option);
/* The same, recomputed, @by_core or not: alone.c, rule 7. */
bool cs_alone_layout_by(const struct cs_engine *e, struct cs_ejob *j,
			uint32_t option, bool by_core);
/* From there to the next of rule 11 that is not too slow; false: there is none. */
bool cs_alone_layout_other(const struct cs_engine *e, struct cs_ejob *j,
			   uint32_t option);
/* Case 4 or 5 of Zeng09; 0: packed. */
uint32_t cs_alone_rule(const struct cs_shape *s);
/* How a job that starts alone in that shape holds its nodes. */
enum cs_node_use cs_alone_hold(const struct cs_shape *s);

#endif
