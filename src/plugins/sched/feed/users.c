/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/feed/users.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cs_user *place_of(const struct cs_users *u, uint32_t uid)
{
	uint32_t h = uid * 2654435761u & (u->slots - 1);

	while (u->slot[h].name && u->slot[h].uid != uid)
		h = (h + 1) & (u->slots - 1);
	return &u->slot[h];
}

static int grow(struct cs_users *u)
{
	struct cs_users bigger = { .slots = u->slots ? 2 * u->slots : 64,
				   .n = u->n };

	bigger.slot = calloc(bigger.slots, sizeof(*bigger.slot));
	if (!bigger.slot)
		return -1;
	for (uint32_t i = 0; i < u->slots; i++)
		if (u->slot[i].name)
			*place_of(&bigger, u->slot[i].uid) = u->slot[i];
	free(u->slot);
	*u = bigger;
	return 0;
}

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
	struct cs_user *at;

	if (2 * u->n >= u->slots && grow(u))
		return "";
	at = place_of(u, uid);
	if (!at->name) {
		at->name = look_up(uid);
		at->uid = uid;
		u->n += at->name != NULL;
	}
	return at->name ? at->name : "";
}

void cs_users_done(struct cs_users *u)
{
	for (uint32_t i = 0; i < u->slots; i++)
		free(u->slot[i].name);
	free(u->slot);
	memset(u, 0, sizeof(*u));
}
