/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of sbatch: those in the head of a batch script, and those of --sbatch.
 */
#ifndef CS_COSCHED_MEASURE_OPTIONS_H
#define CS_COSCHED_MEASURE_OPTIONS_H

#include <stddef.h>

#include "common/base/err.h"

/* Words that end with a NULL, in one block of memory each. */
struct cs_measure_options {
	char **word; /* [n] */
	size_t n;
	char *text; /* that they are in; NULL: in the same block */
};

/* The words of --sbatch.  0; -EINVAL with @err: one that a measurement sets itself, or
 * that makes other jobs; -ENOMEM. */
int cs_measure_options_given(struct cs_measure_options *ret, const char *text,
			     struct cs_err *err);

/*
 * The options in the #SBATCH lines of @script, before its first command, without those
 * that a measurement sets itself (nodes, processes, memory, time, output ...).  0; -EINVAL
 * with @err in the name of file @name: one that makes other jobs than one (arrays,
 * heterogeneous ones); -ENOMEM.
 */
int cs_measure_options_script(struct cs_measure_options *ret,
			      const char *script, const char *name,
			      struct cs_err *err);
void cs_measure_options_done(struct cs_measure_options *o);

/* The value of the last option called @letter ('p') or @name ("--partition"), NULL: there
 * is none. */
const char *cs_measure_options_value(const struct cs_measure_options *o,
				     char letter, const char *name);

#endif
