/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose turn it is on the machine.
 *
 *	none	everybody's: one slice machine, which is the real one
 *	pect	a class of runtime's: pect.c
 *	gang	a row of the matrix's: in gang/, for the simulator alone
 */
#include "slice/slice.h"

#include "state/state.h"

const struct cs_slice_ops *cs_slice_choose(const struct cs_params *p)
{
	static const struct cs_slice_ops none = { .n_sm = 1 };
	static const struct cs_slice_ops *const ops[] = {
		[CS_SLICE_NONE] = &none,
		[CS_SLICE_PECT] = &cs_slice_pect,
		[CS_SLICE_GANG] = NULL,
	};

	return ops[p->slice];
}

uint32_t cs_slice_class(const struct cs_engine *e, int64_t estimate_us)
{
	if (estimate_us <= e->params.class_short_s * CS_SECOND_US)
		return CS_CLASS_SHORT;
	return estimate_us <= e->params.class_medium_s * CS_SECOND_US
		       ? CS_CLASS_MEDIUM
		       : CS_CLASS_LONG;
}

void cs_slice_clock(struct cs_engine *e, int64_t now_us)
{
	int64_t from = e->now_us;

	if (now_us <= from)
		return;
	e->now_us = now_us;
	cs_tell(e->slice, clock, e, from);
}
