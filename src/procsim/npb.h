/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs like those of the NAS Parallel Benchmarks; npb.c has the rules. */
#ifndef CS_PROCSIM_NPB_H
#define CS_PROCSIM_NPB_H

#include <stdbool.h>

#include "procsim/setting.h"

#define CS_NPB_COUNT 5
#define CS_NPB_SIZES 3
#define CS_NPB_CYCLE_MAX 16

struct cs_mix_job;

/* The program named @name, from 0; -1: none. */
int cs_npb_named(const char *name);

/* Make @j, which has a size, a run of program @i: loops, times and message latencies. */
void cs_npb_set(struct cs_mix_job *j, const struct cs_setting *s, unsigned i);

#endif
