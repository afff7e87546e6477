/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose turn it is on the machine: time slices, or none (slice.c). */
#ifndef CS_SLICE_SLICE_H
#define CS_SLICE_SLICE_H

#include "params/params.h"
#include "state/stage.h"

extern const struct cs_slice_ops cs_slice_pect;

/* NULL: the engine has none of that kind. */
const struct cs_slice_ops *cs_slice_choose(const struct cs_params *p);

/* Class of a job by its estimate. */
uint32_t cs_slice_class(const struct cs_engine *e, int64_t estimate_us);

/* The host's clock goes on to @now_us: those of waiting machines do not. */
void cs_slice_clock(struct cs_engine *e, int64_t now_us);

#endif
