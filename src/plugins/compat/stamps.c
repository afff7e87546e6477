/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stamps.h"

#include <string.h>

static bool same(const struct cs_stamps *s, const int64_t now[CS_STAMPS])
{
	return !memcmp(s->last, now, sizeof(s->last));
}

void cs_stamps_look(struct cs_stamps *s, int64_t now_s,
		    const int64_t now[CS_STAMPS])
{
	s->looked_s = now_s;
	s->changed = false;
	cs_stamps_unlock(s, now);
}

void cs_stamps_locked(struct cs_stamps *s, const int64_t now[CS_STAMPS])
{
	s->changed |= !same(s, now);
}

void cs_stamps_unlock(struct cs_stamps *s, const int64_t now[CS_STAMPS])
{
	memcpy(s->last, now, sizeof(s->last));
}

bool cs_stamps_changed(const struct cs_stamps *s, int64_t now_s,
		       const int64_t now[CS_STAMPS])
{
	if (s->changed || !same(s, now) || now_s < s->looked_s)
		return true;
	for (int i = 0; i < CS_STAMPS; i++)
		if (now[i] >= s->looked_s && now[i] < now_s)
			return true;
	return false;
}
