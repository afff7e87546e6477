/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What may SlurmUser do?  Root, the caller, may do anything, and slurmctld runs as
 * another user.
 */
#ifndef CS_COSCHED_CONF_AS_USER_H
#define CS_COSCHED_CONF_AS_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "conf/slurm_conf.h"

struct cs_asuser {
	bool other; /* not the caller, and we can find out */
	uid_t uid;
	gid_t gid;
	char name[64]; /* for messages too: "slurm", or its number */
	bool in_passwd;
};

/* SlurmUser by @c; if unset there, or if the caller is not root, @u->other is false and
 * checks run as the caller. */
void cs_asuser_init(struct cs_asuser *u, const struct cs_slurmconf *c);

/* access(@path, @mode) as user @u.  0, or a negative errno. */
int cs_asuser_access(const struct cs_asuser *u, const char *path, int mode);

#endif
