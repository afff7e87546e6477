/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/feed/users.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *look_up(uint32_t uid)
{
	char buf[4096], number[16];
	struct passwd pw, *found = NULL;

	if (!getpwuid_r((uid_t)uid, &pw, buf, sizeof(buf), &found) && found)
		return strdup(pw.pw_name);
	snprintf(number, sizeof(number), "%u", uid);
	return strdup(number);
}

const char *cs_users_name(struct cs_users *u, uint32_t uid)
{
	char *name = cs_idmap_find(&u->names, uid);

	if (!name && !cs_idmap_reserve(&u->names, u->names.n + 1)) {
		name = look_up(uid);
		if (name)
			cs_idmap_add(&u->names, uid, name);
	}
	return name ? name : "";
}

void cs_users_done(struct cs_users *u)
{
	for (size_t i = 0; i < u->names.cap; i++)
		free(u->names.at[i].thing);
	cs_idmap_done(&u->names);
}
