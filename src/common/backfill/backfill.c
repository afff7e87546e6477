/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may pass whom, and what is promised to whom waits.
 *
 *	none		nobody passes a head			easy.c
 *	easy		who does not delay a head		easy.c
 *	conservative	who delays nobody at all		plan.c
 */
#include "backfill/backfill.h"

const struct cs_backfill_ops *cs_backfill_choose(const struct cs_params *p)
{
	static const struct cs_backfill_ops *const ops[] = {
		[CS_BACKFILL_NONE] = &cs_backfill_none,
		[CS_BACKFILL_EASY] = &cs_backfill_easy,
		[CS_BACKFILL_CONSERVATIVE] = &cs_backfill_conservative,
	};

	return ops[p->backfill];
}

int64_t cs_backfill_ask_stays_us(struct cs_engine *e, const struct cs_alloc *a,
				 bool packed, int64_t from_us, int64_t until_us)
{
	e->sm = &e->sms[0];
	if (until_us <= from_us)
		return from_us;
	until_us = e->backfill->stays_us(
		e, a, packed ? CS_NODE_PACKED : CS_NODE_COUNTED, from_us,
		until_us);
	return until_us > from_us ? until_us : from_us;
}
