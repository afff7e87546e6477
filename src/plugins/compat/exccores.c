/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores that a job_test may not use.
 *
 * Until 23.02 one map of the whole system; from 23.11 an array of maps by node,
 * an absent one excluding nothing, inside the caller's resv_exc_t.
 */
#include "exccores.h"

#include <string.h>

bitoff_t cs_exccores_system(void)
{
	bitoff_t n = 0;
	node_record_t *node_ptr;

	for (int i = 0; (node_ptr = next_node(&i)); i++)
		n += node_ptr->tot_cores;
	return n;
}

#if CS_SLURM_AT_LEAST(23, 11)

void cs_exccores_add(struct cs_exccores *x, cs_excluded_t *given,
		     bitstr_t *cores)
{
	x->arg = given;
	x->theirs = given->exc_cores;
	x->ours = bit_ffs(cores) >= 0 ? core_bitmap_to_array(cores) : NULL;
	if (!x->ours)
		return;
	if (x->theirs)
		core_array_or(x->ours, x->theirs);
	given->exc_cores = x->ours;
}

void cs_exccores_remove(struct cs_exccores *x)
{
	x->arg->exc_cores = x->theirs;
	if (x->ours)
		free_core_array(&x->ours);
}

#else

void cs_exccores_add(struct cs_exccores *x, cs_excluded_t *given,
		     bitstr_t *cores)
{
	x->ours = bit_copy(cores);
	if (given)
		bit_or(x->ours, given);
	x->arg = x->ours;
}

void cs_exccores_remove(struct cs_exccores *x)
{
	FREE_NULL_BITMAP(x->ours);
}

#endif
