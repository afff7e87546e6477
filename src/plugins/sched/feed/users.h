/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of users, each looked up once: slurmctld's job records do not always
 * have them.  A directory service may be slow, so never under a lock.
 */
#ifndef CS_SCHED_FEED_USERS_H
#define CS_SCHED_FEED_USERS_H

#include <stdint.h>

#include "common/base/idmap.h"

struct cs_users {
	struct cs_idmap names; /* by uid */
};

/* Name of @uid, else its number; valid until _done().  Out of memory: "". */
const char *cs_users_name(struct cs_users *u, uint32_t uid);
void cs_users_done(struct cs_users *u);

#endif
