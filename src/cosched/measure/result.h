/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a measurement gives, as files in its folder:
 *
 *	table alone	what `cosched profile from-corun` reads
 *	intervals.csv	"dense": full nodes over spread ones; "slowdown": beside another over
 *			alone, both spread; "ratio": the same over alone on full nodes;
 *			half: of the 95 % interval; runs: of the dividend
 *	profiles.json	a profile file (cosched-profiles(5)), from the times alone on spread
 *			nodes, which from-corun must guess; its rules match nobody until a
 *			user is filled in
 *	index.html	the matrix of slowdowns with their intervals
 */
#ifndef CS_COSCHED_MEASURE_RESULT_H
#define CS_COSCHED_MEASURE_RESULT_H

#include <stdio.h>

#include "common/base/err.h"
#include "measure/run.h"

/* The user in the rules, who must be replaced. */
#define CS_MEASURE_FILL_IN "FILL-IN-A-USER"

/* Each to @f: what is not known from CS_MEASURE_LEAST runs or more is left out. */
void cs_measure_result_table(FILE *f, const struct cs_measure_done *d);
void cs_measure_result_alone(FILE *f, const struct cs_measure_done *d);
void cs_measure_result_intervals(FILE *f, const struct cs_measure_done *d);
void cs_measure_result_profiles(FILE *f, const struct cs_measure_done *d);
void cs_measure_result_page(FILE *f, const struct cs_measure_done *d);

/* Write all into @folder.  0; a negative errno with @err. */
int cs_measure_result_write(const char *folder, const struct cs_measure_done *d,
			    struct cs_err *err);

#endif
