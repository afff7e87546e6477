/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulator's event log: the lines of common/log/write_line.h into a file. */
#ifndef CS_SIMLOG_H
#define CS_SIMLOG_H

#include <stdio.h>

#include "common/log/write_line.h"

struct cs_simlog {
	const struct cs_engine *engine; /* whose sets of nodes the jobs name */
	FILE *file; /* NULL: nothing is written or formatted */
	char *line; /* [size] */
	size_t size;
	int rc; /* the first failure, a negative errno; then nothing more */
};

/* Failures are kept in rc. */
void cs_simlog_header(struct cs_simlog *l, const struct cs_machine *m,
		      const struct cs_params *p,
		      const struct cs_profiles *profiles, const char *version);
void cs_simlog_event(struct cs_simlog *l, const struct cs_event *ev,
		     const struct cs_action *action);
void cs_simlog_decide(struct cs_simlog *l, int64_t now_us, size_t actions);
void cs_simlog_action(struct cs_simlog *l, int64_t now_us,
		      const struct cs_action *action);

void cs_simlog_estimates(struct cs_simlog *l, int64_t now_us);
void cs_simlog_estimate(struct cs_simlog *l, const struct cs_estimate *x);

/* Free the line (the file is the caller's).  Returns rc. */
int cs_simlog_done(struct cs_simlog *l);

#endif
