/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores that a job_test may not use, in the release's form.
 *
 * job_test's caller may exclude cores itself (reservations); ours are added for
 * one call and taken out again.
 */
#ifndef CS_COMPAT_EXCCORES_H
#define CS_COMPAT_EXCCORES_H

#include "select_ops.h"

struct cs_exccores {
	cs_excluded_t *arg; /* to hand to the stock job_test */
#if CS_SLURM_AT_LEAST(23, 11)
	bitstr_t **theirs; /* the old arg->exc_cores */
	bitstr_t **ours;
#else
	bitstr_t *ours;
#endif
};

/* Cores of the system: the length of a map that spans it. */
bitoff_t cs_exccores_system(void);

/*
 * Exclude @cores (a map of the whole system) in addition to what @given
 * excludes; the sets remain their owners'.
 */
void cs_exccores_add(struct cs_exccores *x, cs_excluded_t *given,
		     bitstr_t *cores);
void cs_exccores_remove(struct cs_exccores *x);

#endif
