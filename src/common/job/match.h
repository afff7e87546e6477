/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs may share (match.c). */
#ifndef CS_JOB_MATCH_H
#define CS_JOB_MATCH_H

#include "state/state.h"

/* Does share_scope restrict neighbours? */
static inline bool cs_scoped(const struct cs_engine *e)
{
	return e->params.share_scope != CS_SCOPE_ANY;
}

enum cs_match {
	CS_MATCH_OK,
	CS_MATCH_UNWILLING, /* share=no, exclusive, packed, placed by the host */
	CS_MATCH_SCOPE,	    /* another user or account */
	CS_MATCH_SHORT,	    /* below share_min_s */
	CS_MATCH_UNKNOWN,   /* no profile */
	CS_MATCH_SLOWDOWN,  /* more than max_slowdown, either way */
	CS_MATCH_LIMIT,	    /* its limit cannot be raised so far */
	CS_MATCH_GROUP,	    /* it is in a group already */
	CS_MATCH_LAYOUT,    /* its layout leaves a partner no cores */
	CS_MATCH_SIZE,	    /* too large for its partner's nodes */
	CS_MATCH_ROOM,	    /* no room beside it: cores, memory, jobs a node */
	CS_MATCH_GAIN,	    /* below min_util_gain */
};
/* May @j share at all, in that partition? */
enum cs_match cs_match_willing(const struct cs_engine *e,
			       const struct cs_ejob *j, uint32_t option);
/* Is it packed by core: place=pack, layout=auto, unprofiled=pack without a profile,
 * pack_part, for its GPUs, or as it shares cores? */
bool cs_match_packed(const struct cs_engine *e, const struct cs_ejob *j);
/* Does it share by core, as packed jobs do, also in a group? */
static inline bool cs_shares_packed(const struct cs_engine *e)
{
	return e->params.layout == CS_LAYOUT_AUTO;
}
/* How a job in a group holds its nodes. */
static inline enum cs_node_use cs_group_hold(const struct cs_engine *e)
{
	return cs_shares_packed(e) ? CS_NODE_PACKED : CS_NODE_COUNTED;
}
/* Packed job @j may, by share_scope or as the owner of its nodes, share with jobs of
 * the same number; 0: with any without one. */
uint64_t cs_match_owner(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t option);
/* A job's part of a node in a group, of nodes like @node (cs_shape_shared()). */
bool cs_match_part(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option, const struct cs_node *node,
		   struct cs_shape *s);
/* Would waiting job @j, packed, and the jobs on @node suit each other (match.c, rule
 * 5)? O(jobs on it, squared). */
bool cs_match_suits_node(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t node);
/* Could two such jobs pass cs_match_pair(), by what is known of their slowdowns?  The
 * answer is that of all jobs of their profiles and kinds; with slowdowns=table4 theirs
 * alone. */
bool cs_match_known(const struct cs_engine *e, struct cs_who a,
		    struct cs_who b);
/* May the two share, and do they slow each other little enough?  (step 1) */
enum cs_match cs_match_pair(const struct cs_engine *e, const struct cs_ejob *a,
			    uint32_t a_option, const struct cs_ejob *b,
			    uint32_t b_option);

#endif
