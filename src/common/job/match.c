/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which jobs may share a node: preselection.
 *
 * Rules.
 *  1. A job shares only where its user, its partition and the site let it:
 *     share=no, --exclusive, share_partitions, packed jobs and those that the host
 *     places take no part.
 *  2. share_min_s: a job with a shorter estimate is not worth a match (Zeng09, 4.3:
 *     short jobs are only space shared).
 *  3. share_scope: only jobs of one account or one user, if a site says so.
 *  4. Preselection: two jobs are candidates for each other when neither slows the
 *     other down by more than MAX_SL, or that is to be tried (lesson.c).  This is the
 *     coscheduling slowdown, not self times coscheduling.
 *  5. A packed job (layout=auto) suits a node where, as far as is known, neither it nor
 *     any neighbour there is slowed down by more than MAX_SL by all the others
 *     together.  Of strangers nothing is known.
 *  6. Jobs packed by core share nodes as rule 3 says, or, with share=no, not at all
 *     (alone.c, rules 5 and 6); rule 1's partitions and rule 2 are about groups.  Names
 *     are compared by 64 bits; a job without one matches only itself.
 *  7. A job that would use less than `pack_part` of the nodes it needs is packed, whatever
 *     is known of it: it starts when stock would start it.
 *  8. A job with GPUs takes no part in groups: where others do, it is packed by core.
 *  9. A job that shares cores (oversub.c) takes no part in groups: it is packed by core.
 *
 * Source: Zeng09 (see slowdown.h), section 4.5 step 1 and section 4.3.
 *
 * Differs: rules 1 and 3 are a live site's.  An unknown job takes part at
 * `unknown_pair`, which by default fails preselection.
 */
#include "state/state.h"

#include <string.h>

#include "job/lesson.h"
#include "job/match.h"
#include "job/oversub.h"
#include "job/resv.h"
#include "base/rng.h"

/* Is it of a kind that was learned (lesson.c, rule 4)?  Then it needs no profile to
 * share, unless it is smaller than a node. */
static bool fills_learned(const struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_node *like;

	if (!cs_slowdown_is_learned(&e->model, cs_who_is(j)))
		return false;
	like = cs_engine_like(e, &j->job.option[0]);
	return like &&
	       cs_job_cores(&j->job, like, j->job.procs) >= cs_node_cores(like);
}

/* Rule 7: does it leave too much of its nodes idle? */
static bool leaves_room(const struct cs_engine *e, const struct cs_ejob *j)
{
	const struct cs_node *like;
	uint64_t cores, nodes;

	if (!e->params.pack_part)
		return false;
	like = cs_engine_like(e, &j->job.option[0]);
	if (!like)
		return false;
	cores = cs_job_cores(&j->job, like, j->job.procs);
	nodes = (cores + cs_node_cores(like) - 1) / cs_node_cores(like);
	return (double)cores <
	       e->params.pack_part * (double)(nodes * cs_node_cores(like));
}

bool cs_match_packed(const struct cs_engine *e, const struct cs_ejob *j)
{
	return e->place->packs || e->params.layout == CS_LAYOUT_AUTO ||
	       (e->params.unprofiled == CS_UNPROFILED_PACK &&
		j->profile == CS_PROFILE_NONE && !fills_learned(e, j)) ||
	       leaves_room(e, j) || cs_oversub_waits(e, j) > 0 ||
	       (cs_job_has_gpus(&j->job) && !e->place->alone);
}

/* With layout=auto a job with known slowdowns is packed only for want of a partner. */
static bool may_leave_pack(const struct cs_engine *e, const struct cs_ejob *j)
{
	return cs_shares_packed(e) && !e->place->alone &&
	       !(cs_oversub_waits(e, j) > 0) &&
	       (j->profile != CS_PROFILE_NONE || fills_learned(e, j));
}

enum cs_match cs_match_willing(const struct cs_engine *e,
			       const struct cs_ejob *j, uint32_t option)
{
	if (cs_job_flags(j, option) &
		    (CS_JOB_NO_SHARE | CS_JOB_EXCLUSIVE | CS_JOB_HOST) ||
	    j->placed_by_host || cs_job_has_gpus(&j->job))
		return CS_MATCH_UNWILLING;
	if (cs_resv_within_cores(e, j, option))
		return CS_MATCH_UNWILLING;
	if (cs_match_packed(e, j) && !may_leave_pack(e, j))
		return j->profile == CS_PROFILE_NONE ? CS_MATCH_UNKNOWN
						     : CS_MATCH_UNWILLING;
	if (j->job.estimate_us / 1000000 < e->params.share_min_s)
		return CS_MATCH_SHORT;
	return CS_MATCH_OK;
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool in_scope(const struct cs_engine *e, const struct cs_job *a,
		     const struct cs_job *b)
{
	if (e->params.share_scope == CS_SCOPE_USER)
		return same(a->user, b->user);
	if (e->params.share_scope == CS_SCOPE_ACCOUNT)
		return same(a->account, b->account);
	return true;
}

/* Rule 6. */
uint64_t cs_match_owner(const struct cs_engine *e, const struct cs_ejob *j,
			uint32_t option)
{
	bool own = cs_job_flags(j, option) & CS_JOB_USER_NODES;
	const char *name = own || e->params.share_scope == CS_SCOPE_USER
				   ? j->job.user
				   : j->job.account;
	uint64_t owner = 1;

	if (!cs_scoped(e) && !own)
		return 0;
	if (!name)
		return cs_rng_hash(0, cs_who_is(j).id);
	for (; *name; name++)
		owner = cs_rng_hash(owner, (unsigned char)*name);
	return owner;
}

static bool slows(const struct cs_engine *e, struct cs_who of,
		  struct cs_who beside)
{
	return cs_slowdown_beside(&e->model, of, &beside, 1) >
	       e->params.max_slowdown;
}

bool cs_match_known(const struct cs_engine *e, struct cs_who a, struct cs_who b)
{
	return (!slows(e, a, b) && !slows(e, b, a)) ||
	       (e->model.learned && cs_lesson_hopes(e, a, b));
}

/* Is anything known of its slowdowns? */
static bool known(const struct cs_engine *e, const struct cs_ejob *j)
{
	return e->model.table4 || j->profile != CS_PROFILE_NONE ||
	       cs_slowdown_is_learned(&e->model, cs_who_is(j));
}

enum cs_match cs_match_pair(const struct cs_engine *e, const struct cs_ejob *a,
			    uint32_t a_option, const struct cs_ejob *b,
			    uint32_t b_option)
{
	struct cs_who x = cs_who_is(a), y = cs_who_is(b);
	enum cs_match m = cs_match_willing(e, a, a_option);

	if (m == CS_MATCH_OK)
		m = cs_match_willing(e, b, b_option);
	if (m != CS_MATCH_OK)
		return m;
	if (!in_scope(e, &a->job, &b->job))
		return CS_MATCH_SCOPE;
	if ((slows(e, x, y) || slows(e, y, x)) &&
	    !(e->model.learned && cs_lesson_may_try(e, a, b)))
		return known(e, a) && known(e, b) ? CS_MATCH_SLOWDOWN
						  : CS_MATCH_UNKNOWN;
	return CS_MATCH_OK;
}

bool cs_match_part(const struct cs_engine *e, const struct cs_ejob *j,
		   uint32_t option, const struct cs_node *node,
		   struct cs_shape *s)
{
	bool ok = cs_shape_shared(s, &j->job, node,
				  (uint32_t)e->params.jobs_per_node);

	if (cs_shares_packed(e)) {
		s->among_packed = true;
		s->owner = cs_match_owner(e, j, option);
	}
	return ok;
}

/* Is @of, on a node, slowed by more than MAX_SL by the others there whose effect is
 * known and @more (NULL: none)? */
static bool suffers(const struct cs_engine *e, const struct cs_slots *on,
		    const struct cs_ejob *of, const struct cs_ejob *more)
{
	struct cs_who beside[CS_BESIDE_MAX], who = cs_who_is(of);
	size_t n = 0;

	for (uint32_t k = 0; k <= on->n && n < CS_BESIDE_MAX; k++) {
		const struct cs_ejob *x =
			k < on->n ? e->slot[on->slot[k]] : more;

		if (x && x != of &&
		    cs_slowdown_known(&e->model, who, cs_who_is(x)))
			beside[n++] = cs_who_is(x);
	}
	return n && cs_slowdown_beside(&e->model, who, beside, n) >
			    e->params.max_slowdown;
}

bool cs_match_suits_node(const struct cs_engine *e, const struct cs_ejob *j,
			 uint32_t node)
{
	const struct cs_slots *on = &e->sm->on[node];

	if (suffers(e, on, j, NULL))
		return false;
	for (uint32_t k = 0; k < on->n; k++)
		if (suffers(e, on, e->slot[on->slot[k]], j))
			return false;
	return true;
}
