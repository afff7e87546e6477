/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose turn it is on the machine.
 *
 *	none	every job's: one slice machine, the real one
 *	pect	a runtime class's: pect.c
 *	gang	a matrix row's: gang_slice.c
 */
#include "slice/slice.h"

#include "job/progress.h"

const struct cs_slice_ops *cs_slice_choose(const struct cs_params *p)
{
	static const struct cs_slice_ops none = { .n_sm = 1 };
	static const struct cs_slice_ops *const ops[] = {
		[CS_SLICE_NONE] = &none,
		[CS_SLICE_PECT] = &cs_slice_pect,
		[CS_SLICE_GANG] = &cs_slice_gang,
	};

	return ops[p->slice];
}

struct cs_action *cs_slice_ask(struct cs_engine *e, struct cs_ejob *j,
			       enum cs_action_type type)
{
	struct cs_action *a = cs_engine_action(e, type);

	if (!a)
		return NULL;
	cs_progress_bring(j, e->now_us);
	j->retry_us = e->now_us + e->params.slice_rest_s * CS_SECOND_US;
	j->seq = e->next_seq++;
	e->open++;
	a->seq = j->seq;
	a->job_id = j->job.id;
	a->option = j->option;
	a->group = j->group;
	a->role = j->role;
	return a;
}

int64_t cs_slice_rested_us(const struct cs_engine *e, const struct cs_ejob *j)
{
	int64_t us = j->start_us + e->params.slice_rest_s * CS_SECOND_US;

	return us > j->retry_us && e->params.slice_rest_s ? us : j->retry_us;
}

uint32_t cs_slice_class(const struct cs_engine *e, int64_t estimate_us)
{
	return cs_slice_class_by(&e->params, estimate_us);
}

uint32_t cs_slice_class_by(const struct cs_params *p, int64_t estimate_us)
{
	if (estimate_us <= p->class_short_s * CS_SECOND_US)
		return CS_CLASS_SHORT;
	return estimate_us <= p->class_medium_s * CS_SECOND_US ? CS_CLASS_MEDIUM
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
