/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of an event log's header, with or without changes. */
#ifndef CS_COSCHED_REPLAY_REPLAY_PARAMS_H
#define CS_COSCHED_REPLAY_REPLAY_PARAMS_H

#include <json-c/json.h>
#include <stdbool.h>

#include "common/base/err.h"
#include "common/params/params.h"

/*
 * Read the parameters of header @header, overridden by @settings ("key=value,...";
 * NULL: none), into @ret.  A policy among the settings sets all keys of its preset, and
 * resets those of the preset it replaces.  @live: keys missing in the header have
 * slurmctld's defaults, else the simulator's.  0; -EINVAL with @err, -ENOMEM.
 */
int cs_replay_params(struct json_object *header, const char *settings,
		     bool live, struct cs_params *ret, struct cs_err *err);

#endif
