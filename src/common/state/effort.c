/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/effort.h"

#include <errno.h>

int cs_effort_add(struct cs_effort *f, int64_t n)
{
	f->steps += n;
	if (f->steps >= f->ask_at && !f->given_up) {
		f->ask_at = f->steps + CS_ASK_STEPS;
		f->given_up = !f->part.goes_on(f->part.arg);
	}
	return f->given_up ? -ECANCELED : 0;
}
