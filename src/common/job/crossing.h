/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of running over several sites (model/sites.h): p is the job's own, else its
 * profile's, else the parameter `across`.  And what it turned out to be, which no
 * decision knows: learn/crossed.h.
 */
#ifndef CS_JOB_CROSSING_H
#define CS_JOB_CROSSING_H

#include "base/textbuf.h"
#include "state/state.h"

/* r* / r of @j over @fragments (>= 1) sites. */
double cs_crossing_factor(const struct cs_engine *e, const struct cs_ejob *j,
			  uint32_t fragments);
/* The same of started job @j, as it is. */
double cs_crossing_of(const struct cs_engine *e, const struct cs_ejob *j);

/* The table of what crossing cost, with a rule of sites.  0, -ENOMEM. */
int cs_crossing_init(struct cs_engine *e);
/* @j, off its nodes, has ended.  Ignored: it @failed, was ended by its limit, or ran
 * less than learn_least_s. */
void cs_crossing_ended(struct cs_engine *e, const struct cs_ejob *j,
		       bool failed);
/* Its lines (cs_engine_save()), and one of them read; without a table none.  0,
 * -EINVAL. */
void cs_crossing_write(const struct cs_engine *e, struct cs_textbuf *t);
int cs_crossing_read(struct cs_engine *e, const char *line, struct cs_err *err);

/* The learned p of the table's @i-th group, by across_grows.  False: it has not run
 * both ways. */
bool cs_crossing_learned(const struct cs_engine *e, uint32_t i, double *ret);

#endif
