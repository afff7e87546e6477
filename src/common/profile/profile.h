/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles: what is known about a kind of job, and how kinds slow each other down.
 *
 * The file is JSON (cosched-profiles(5)):
 *
 *	{"version":1, "default":"unknown",
 *	 "profiles":{"cg":{"self":{"1":1.0,"2":1.15,"4":1.6},
 *			   "resources":{"cpu":0.9,"memory_bandwidth":0.8,
 *					"cache":0.5,"network":0.1,"disk":0.0},
 *			   "across":0.3, "waits":0.5},
 *		     "unknown":{}},
 *	 "pairs":[{"of":"cg","beside":"io","slowdown":1.05}],
 *	 "rules":[{"user":"alice","account":"*","name":"cfd-*","profile":"cg"}]}
 *
 * Every key but "version" is optional, an unknown or duplicate key is an error, and
 * every error names its line.  A profile's name has letters, digits and "._+-", so that
 * it fits in a comment.  A set is immutable once read.
 */
#ifndef CS_PROFILE_PROFILE_H
#define CS_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CS_PROFILE_NONE (-1) /* index: the job has no profile */
#define CS_PROFILE_NAME 64   /* bytes of a profile's name, with its 0 */

enum cs_resource {
	CS_RES_CPU,
	CS_RES_MEMORY_BANDWIDTH,
	CS_RES_CACHE,
	CS_RES_NETWORK,
	CS_RES_DISK,
	CS_RES_COUNT
};

struct cs_self_point {
	uint32_t procs;	 /* processes a node, > 0, increasing */
	double slowdown; /* >= 0.1 */
};

struct cs_profile {
	char name[CS_PROFILE_NAME];
	bool known; /* it has self, resources, across, waits or a pair */
	struct cs_self_point *self; /* [n_self], by procs; NULL: the means */
	size_t n_self;
	bool has_resources;
	double resources[CS_RES_COUNT]; /* share of a node's capacity, 0..1 */
	bool has_across;
	double across; /* p of model/sites.h, 0..100 */
	bool has_waits;
	double waits; /* part of its core time that it waits when alone, 0..1 */
};

/* First match wins; "*", "?" and "[...]" as in fnmatch(3), no path rules. */
struct cs_profile_rule {
	char *user, *account, *name; /* patterns, never NULL */
	int profile;		     /* index */
};

struct cs_profiles {
	struct cs_profile *profile; /* [n_profile], in the file's order */
	int n_profile;
	int fallback; /* index of "default", or NONE */
	double *pair; /* [n_profile][n_profile] of, beside; or 0 */
	struct cs_profile_rule *rule; /* [n_rule] */
	size_t n_rule;
};

/* An empty set: no job has a profile.  NULL: no memory. */
struct cs_profiles *cs_profiles_create(void);
void cs_profiles_free(struct cs_profiles *p);

/*
 * Read the @len bytes at @text; @name is the file's name in messages.
 * *ret_profiles, owned by the caller, is written only on success.
 * Returns 0; -EINVAL, @err "FILE:LINE: what, expected what"; -ENOMEM.
 */
int cs_profiles_read(struct cs_profiles **ret_profiles, const char *text,
		     size_t len, const char *name, struct cs_err *err);

/*
 * All errors of such a file: @tell gets each as cs_profiles_read() words it, in order
 * of reading (text that is not JSON has one).  Returns their number; -ENOMEM.
 */
int cs_profiles_errors(const char *text, size_t len, const char *name,
		       void (*tell)(void *arg, const char *text), void *arg);

/* Index of the profile called @name, or CS_PROFILE_NONE. */
int cs_profiles_find(const struct cs_profiles *p, const char *name);

/* The cost of crossing sites for profile @index (or NONE), @otherwise if it has
 * none. */
static inline double cs_profiles_across(const struct cs_profiles *p, int index,
					double otherwise)
{
	return index != CS_PROFILE_NONE && p->profile[index].has_across
		       ? p->profile[index].across
		       : otherwise;
}

/* The part of its core time that a job of profile @index (or NONE) waits when alone,
 * @otherwise if that is not known. */
static inline double cs_profiles_waits(const struct cs_profiles *p, int index,
				       double otherwise)
{
	return index != CS_PROFILE_NONE && p->profile[index].has_waits
		       ? p->profile[index].waits
		       : otherwise;
}

/* A digest of all that slowdowns depend on: profiles, in order, and pairs; not the
 * rules, nor the file's layout.  O(profiles^2 + points). */
uint64_t cs_profiles_digest(const struct cs_profiles *p);

/*
 * Profile of a job: the one its comment names ("cosched:profile=NAME", items
 * joined by ','), else that of the first matching rule, else the default; NONE if it is
 * unknown or empty ({} is no profile).  Any string may be NULL.  If the comment names
 * an unknown profile, *ret_bad (may be NULL) is set and the rules decide.
 */
int cs_profiles_match(const struct cs_profiles *p, const char *comment,
		      const char *user, const char *account, const char *name,
		      bool *ret_bad);

#endif
