/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which job may pass which, and what waiting jobs are promised.
 *
 *	none		no job passes a head			easy.c
 *	easy		a job that delays no head		easy.c
 *	conservative	a job that delays no other		plan.c
 *	stock		as by Slurm itself			stock.c
 */
#include "backfill/backfill.h"

const struct cs_backfill_ops *cs_backfill_choose(const struct cs_params *p)
{
	static const struct cs_backfill_ops *const ops[] = {
		[CS_BACKFILL_NONE] = &cs_backfill_none,
		[CS_BACKFILL_EASY] = &cs_backfill_easy,
		[CS_BACKFILL_CONSERVATIVE] = &cs_backfill_conservative,
		[CS_BACKFILL_STOCK] = &cs_backfill_stock,
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
