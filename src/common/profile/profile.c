/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles: a set of them, and the choice for a job.
 */
#include "profile/profile.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "profile/job_comment.h"

struct cs_profiles *cs_profiles_create(void)
{
	struct cs_profiles *p = calloc(1, sizeof(*p));

	if (p)
		p->fallback = CS_PROFILE_NONE;
	return p;
}

void cs_profiles_free(struct cs_profiles *p)
{
	if (!p)
		return;
	for (int i = 0; i < p->n_profile; i++)
		free(p->profile[i].self);
	for (size_t i = 0; i < p->n_rule; i++) {
		free(p->rule[i].user);
		free(p->rule[i].account);
		free(p->rule[i].name);
	}
	free(p->profile);
	free(p->pair);
	free(p->rule);
	free(p);
}

int cs_profiles_find(const struct cs_profiles *p, const char *name)
{
	for (int i = 0; i < p->n_profile; i++)
		if (!strcmp(p->profile[i].name, name))
			return i;
	return CS_PROFILE_NONE;
}

static uint64_t hash_text(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = cs_rng_hash(h, (unsigned char)*text);
	return cs_rng_hash(h, 0);
}

static uint64_t hash_real(uint64_t h, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return cs_rng_hash(h, bits);
}

static uint64_t hash_profile(uint64_t h, const struct cs_profile *p)
{
	h = cs_rng_hash(hash_text(h, p->name), p->n_self);
	for (size_t i = 0; i < p->n_self; i++)
		h = hash_real(cs_rng_hash(h, p->self[i].procs),
			      p->self[i].slowdown);
	h = cs_rng_hash(h, p->has_resources);
	for (int i = 0; p->has_resources && i < CS_RES_COUNT; i++)
		h = hash_real(h, p->resources[i]);
	if (p->has_across)
		h = hash_real(h, p->across);
	return p->has_waits ? hash_real(cs_rng_hash(h, 1), p->waits) : h;
}

uint64_t cs_profiles_digest(const struct cs_profiles *p)
{
	size_t n = (size_t)p->n_profile;
	uint64_t h = cs_rng_hash(0, n);

	for (size_t i = 0; i < n; i++)
		h = hash_profile(h, &p->profile[i]);
	for (size_t i = 0; p->pair && i < n * n; i++)
		h = hash_real(h, p->pair[i]);
	return h;
}

/* An empty profile is none. */
static int known(const struct cs_profiles *p, int i)
{
	return i >= 0 && p->profile[i].known ? i : CS_PROFILE_NONE;
}

static bool matches(const char *pattern, const char *text)
{
	return !fnmatch(pattern, text ? text : "", 0);
}

int cs_profiles_match(const struct cs_profiles *p, const char *comment,
		      const char *user, const char *account, const char *name,
		      bool *ret_bad)
{
	/* one byte more than a name: a cut value matches none */
	char wanted[CS_PROFILE_NAME + 1] = "";
	enum cs_comment_found item =
		cs_job_comment_find(comment, "profile", wanted, sizeof(wanted));
	int i = CS_PROFILE_NONE;

	if (item == CS_COMMENT_GOOD)
		i = cs_profiles_find(p, wanted);
	if (ret_bad)
		*ret_bad = item != CS_COMMENT_ABSENT && i == CS_PROFILE_NONE;
	if (i != CS_PROFILE_NONE)
		return known(p, i);
	for (size_t k = 0; k < p->n_rule; k++)
		if (matches(p->rule[k].user, user) &&
		    matches(p->rule[k].account, account) &&
		    matches(p->rule[k].name, name))
			return known(p, p->rule[k].profile);
	return known(p, p->fallback);
}
