/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What learn=use would gain with what learn=propose has learned.
 *
 * Rules.
 *  1. The history is simulated twice under one policy. Both times jobs slow each other as
 *     was learned: by the bound of each pair that has one, by unknown_pair beside others.
 *     The first time the policy believes nothing of it, the second time all.
 *  2. The gain is the change of the mean response. It is withheld, and only its reason is
 *     told, where no two kinds may share yet, or where cs_compare_doubt() would withhold a
 *     policy's gain: the site's own policy is simulated further off from what happened, or
 *     too much core time is left out.
 *  3. Beside a gain that is told stands who loses by it: users whose mean response is longer
 *     the second time (compare_users.h).
 *
 * Known weakness: a bound is above the expected slowdown, so that the gain is rather too
 * small; and only what was learned so far counts, not what use would go on to learn.
 */
#ifndef CS_COSCHED_LEARNED_USE_GAIN_H
#define CS_COSCHED_LEARNED_USE_GAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "import/site_error.h"
#include "sim/sim.h"

#define CS_USE_GAIN_TEXT 512

struct json_object;

struct cs_use_gain {
	bool there;	       /* something was learned, or should have been */
	bool withheld;	       /* the changes are not to be told */
	int kinds, pairs;      /* learned; pairs of them that may share */
	double response, wait; /* changes of the means, per cent */
	char text[CS_USE_GAIN_TEXT]; /* one sentence */
	/* Of a gain that is told: users, those with a shorter mean response and with a longer
	 * one, of these those by more than CS_LOSES_MUCH; by how many per cent: in the median
	 * and at most (NAN: none); and that as a sentence. */
	size_t users, shorter, longer, much;
	double median, most;
	char losers[CS_USE_GAIN_TEXT];
};

/*
 * Read what was learned from the file @path (of slurmctld's state, or of `cosched learn
 * --out`), and simulate @t on @o->machine with @o->params.  @off_by: the error of the site's
 * policy, per cent (NAN: not known); @left_part: of the core time, 0 to 1.  0: *ret has the
 * answer, perhaps that it is withheld; a negative errno with @err.
 */
int cs_use_gain(const char *path, const struct cs_sim_options *o,
		const struct cs_trace *t, double off_by, double left_part,
		struct cs_use_gain *ret, struct cs_err *err);

/* The same of @text, which is changed and freed. */
int cs_use_gain_text(char *text, const struct cs_sim_options *o,
		     const struct cs_trace *t, double off_by, double left_part,
		     struct cs_use_gain *ret, struct cs_err *err);

/* Its sentences on standard output. */
void cs_use_gain_say(const struct cs_use_gain *g);
/* All of it as JSON, as whatif and shadow-report print it.  NULL: no memory. */
struct json_object *cs_use_gain_json(const struct cs_use_gain *g);

#endif
