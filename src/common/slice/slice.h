/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose turn it is on the machine: time slices, or none (slice.c). */
#ifndef CS_SLICE_SLICE_H
#define CS_SLICE_SLICE_H

#include "params/params.h"
#include "state/state.h"

extern const struct cs_slice_ops cs_slice_pect, cs_slice_gang;

const struct cs_slice_ops *cs_slice_choose(const struct cs_params *p);

/* The action that stops or resumes @j; NULL: no memory. */
struct cs_action *cs_slice_ask(struct cs_engine *e, struct cs_ejob *j,
			       enum cs_action_type type);
/* From when on may the host be asked to stop or resume @j? */
int64_t cs_slice_rested_us(const struct cs_engine *e, const struct cs_ejob *j);
static inline bool cs_slice_may_ask(const struct cs_engine *e,
				    const struct cs_ejob *j)
{
	return !j->seq && cs_slice_rested_us(e, j) <= e->now_us;
}

/* Class of a job by its estimate. */
uint32_t cs_slice_class(const struct cs_engine *e, int64_t estimate_us);
uint32_t cs_slice_class_by(const struct cs_params *p, int64_t estimate_us);

/* Advance the host's clock to @now_us; those of slice machines not being served stand
 * still. */
void cs_slice_clock(struct cs_engine *e, int64_t now_us);

#endif
