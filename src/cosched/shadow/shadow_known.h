/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs present while a log of mode shadow is read. */
#ifndef CS_COSCHED_SHADOW_SHADOW_KNOWN_H
#define CS_COSCHED_SHADOW_SHADOW_KNOWN_H

#include "common/base/idmap.h"
#include "common/log/read_line.h"
#include "shadow/shadow.h"

struct cs_shadow_known {
	struct cs_shadow_known *next, *prev; /* waiting, or running */
	uint32_t id, tasks;
	/* the first and the last header after which it was logged as waiting */
	uint64_t header, told;
	bool runs;
	bool left; /* it waited, or ran, in another mode, too */
	struct cs_shadow_who who;
	int64_t submit_us, since_us, estimate_us;
	char *job, *start; /* lines, owned; NULL */
	/* The first moments at which it would have started; for an array one for each
	 * task that would have, earliest first. */
	struct cs_shadow_would *would;
	size_t n_would, cap_would;
	int64_t asked_us;      /* when it was last proposed, ... */
	size_t asked;	       /* ... and how many so far */
	struct cs_range *node; /* [n_node] while it runs */
	size_t n_node;
};

struct cs_shadow_all {
	struct cs_idmap by_id;
	struct cs_shadow_known waiting, running; /* rings */
};

void cs_shadow_all_init(struct cs_shadow_all *a);
void cs_shadow_all_done(struct cs_shadow_all *a);

struct cs_shadow_known *cs_shadow_find(const struct cs_shadow_all *a,
				       uint32_t id);
/* A new job, which waits; an old one of that number is forgotten.  NULL: no memory. */
struct cs_shadow_known *cs_shadow_add(struct cs_shadow_all *a, uint32_t id);
void cs_shadow_forget(struct cs_shadow_all *a, struct cs_shadow_known *k);
/* It runs on @alloc (NULL: unknown nodes).  0, -ENOMEM. */
int cs_shadow_goes(struct cs_shadow_all *a, struct cs_shadow_known *k,
		   const struct cs_log_alloc *alloc);

/* The ranges of @alloc's nodes.  0, -ENOMEM. */
int cs_shadow_nodes(const struct cs_log_alloc *alloc, struct cs_range **ret,
		    size_t *ret_n);
bool cs_shadow_meet(const struct cs_range *a, size_t n,
		    const struct cs_range *b, size_t m);

#endif
