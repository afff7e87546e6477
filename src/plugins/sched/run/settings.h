/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the site has set: parameters, and from them the mode of the cluster and
 * of its partitions.
 *
 * A partition may have another mode than the cluster (cosched_partition_modes)
 * if it shares no node with one in a third; act and shadow do not go together,
 * since there is one engine.  Where that is not so all follow the cluster.
 */
#ifndef CS_SCHED_RUN_SETTINGS_H
#define CS_SCHED_RUN_SETTINGS_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/params/params.h"

struct cs_settings {
	bool known;		 /* params hold something */
	struct cs_params params; /* the last good ones */
	char *text;		 /* SchedulerParameters as last read */
	struct cs_err error;	 /* what is wrong with it; "" for nothing */
	bool off;		 /* ... and cosched_mode=off stands there */
	bool defaults;		 /* params are those: none were good so far */
	bool used; /* the thread goes by params, or by some before */

	enum cs_mode mode; /* of the engine: the highest of any partition */
	bool stock;	   /* some partition is scheduled by Slurm itself */
	bool gated;	   /* partitions not in `except` are ours in act */
	char except[CS_PATH_MAX];  /* names joined by '+' */
	struct cs_err share_error; /* of share_partitions, or "" */
	struct cs_err mode_error;  /* why partition_modes was not followed */
};

/*
 * Read slurm_conf again, under read locks of conf, node and part.  A bad
 * parameter leaves `params` as they were, but for a cosched_mode=off, which holds
 * whatever else is wrong; at the first reading they are the defaults, which means
 * off.  Returns whether anything differs from before.
 */
bool cs_settings_read(struct cs_settings *s);
void cs_settings_done(struct cs_settings *s);

/* @p, which were good before this process, are what the next reading falls back to.
 * Takes over what they hold; under the same locks, before the first reading. */
void cs_settings_recall(struct cs_settings *s, struct cs_params *p);

/* What came of a line with an error: one refusal, and what is in force. */
const char *cs_settings_verdict(const struct cs_settings *s);

/*
 * For settings that turn out bad when they are used: keep a copy of @s in @kept,
 * and later go back to it, with @err as what is wrong; slurm_conf is then looked
 * at afresh next time.  Each kept one is restored or done, once.  0, -ENOMEM.
 */
int cs_settings_checkpoint(const struct cs_settings *s,
			   struct cs_settings *kept);
void cs_settings_restore(struct cs_settings *s, struct cs_settings *kept,
			 const struct cs_err *err);

const char *cs_settings_mode_name(enum cs_mode mode);

#endif
