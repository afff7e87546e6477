/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The site's settings: parameters, and from them the mode of the cluster and of its
 * partitions.
 *
 * A partition may have another mode than the cluster (cosched_partition_modes) if it
 * shares no node with one in a third; act and shadow exclude each other, since there is
 * one engine.  Otherwise all follow the cluster.
 */
#ifndef CS_SCHED_RUN_SETTINGS_H
#define CS_SCHED_RUN_SETTINGS_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/params/params.h"
#include "compat/site_keys.h"

struct cs_settings {
	bool known;		  /* params are set */
	struct cs_params params;  /* the last good ones */
	char *text;		  /* SchedulerParameters as last read */
	struct cs_site_age age;	  /* the site's weight of age, likewise */
	struct cs_site_pace pace; /* of them, whatever our keys are */
	struct cs_err error;	  /* its error; "": none */
	bool off;		  /* ... but it has cosched_mode=off */
	bool defaults;		  /* params are those: none were good so far */
	bool used;		  /* the thread uses params, or earlier ones */

	enum cs_mode mode; /* of the engine: the highest of any partition */
	bool stock;	   /* Slurm itself schedules some partition */
	bool gated;	   /* partitions not in `except` are ours in act */
	char except[CS_PATH_MAX]; /* names joined by '+' */
	bool lost; /* `error` is there, and the last good setting failed too */
	struct cs_err share_error; /* of share_partitions, or "" */
	struct cs_err mode_error;  /* why partition_modes was not followed */
};

/*
 * Read slurm_conf again, under read locks of conf, node and part.  A bad parameter
 * leaves `params` unchanged, except for a cosched_mode=off, which applies whatever else
 * is wrong; at the first reading they are the defaults, which means off.  Returns
 * whether anything changed.
 */
bool cs_settings_read(struct cs_settings *s);
void cs_settings_done(struct cs_settings *s);

/* The next reading falls back to @p, which were good before this process.  Takes over
 * their contents; under the same locks, before the first reading. */
void cs_settings_recall(struct cs_settings *s, struct cs_params *p);

/* The result of a line with an error: one refusal, and what is in force. */
const char *cs_settings_verdict(const struct cs_settings *s);

/* The policy of a line that was taken; "": none was, or only its cosched_mode=off. */
const char *cs_settings_policy(const struct cs_settings *s);

/*
 * For settings that turn out bad in use: keep a copy of @s in @kept, and later return
 * to it, with @err as the error; slurm_conf is then read afresh next time.  Restore, or
 * free, each kept one once.  0, -ENOMEM.
 */
int cs_settings_checkpoint(const struct cs_settings *s,
			   struct cs_settings *kept);
void cs_settings_restore(struct cs_settings *s, struct cs_settings *kept,
			 const struct cs_err *err);

#endif
