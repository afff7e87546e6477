/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job by itself: its shape, and how long it runs so; the theory is in alone.c. */
#ifndef CS_JOB_ALONE_H
#define CS_JOB_ALONE_H

#include "state/state.h"

/* The shape that the job has when nobody is beside it, and the rule it comes
 * from; false: it cannot run on such nodes. */
bool cs_alone_shape(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, struct cs_shape *s);
/* The least that a job which the host places may take: a core of a node, on such
 * nodes as its flags allow; false: it may use none. */
bool cs_alone_least(const struct cs_engine *e, const struct cs_ejob *j,
		    uint32_t option, struct cs_shape *s);
/* Does it run so slowly with shape @s that its limit could not be raised so far? */
bool cs_alone_too_slow(const struct cs_engine *e, const struct cs_ejob *j,
		       uint32_t option, const struct cs_shape *s);
/* Could it run alone with all nodes up and empty? */
bool cs_alone_ever(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option);
/* What a second of its estimate takes with shape @s and nobody beside it; who
 * will stand beside a packed job nobody can say. */
double cs_alone_factor(const struct cs_engine *e, const struct cs_ejob *j,
		       const struct cs_shape *s);
/* That shape and how long it runs then, into j->plan, where it stays; false also
 * where that is longer than it may run. */
bool cs_alone_layout(const struct cs_engine *e, struct cs_ejob *j,
		     uint32_t option);
/* The same made anew, @by_core or not: alone.c, rule 7. */
bool cs_alone_layout_by(const struct cs_engine *e, struct cs_ejob *j,
			uint32_t option, bool by_core);
/* Case 4 or 5 of Zeng09; 0: packed. */
uint32_t cs_alone_rule(const struct cs_shape *s);
/* What a job that starts alone in that shape holds its nodes as. */
enum cs_node_use cs_alone_hold(const struct cs_shape *s);

#endif
