/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of an event log's header, as they were or with changes. */
#ifndef CS_COSCHED_REPLAY_REPLAY_PARAMS_H
#define CS_COSCHED_REPLAY_REPLAY_PARAMS_H

#include <json-c/json.h>
#include <stdbool.h>

#include "common/base/err.h"
#include "common/params/params.h"

/*
 * The parameters in header @header, those of @settings ("key=value,..."; NULL:
 * none) over them, to @ret.  A policy among the settings brings all keys of its
 * preset, and takes back those of the preset it replaces.  @live: what the
 * header leaves out has slurmctld's default, else the simulator's.  0; -EINVAL
 * with @err, -ENOMEM.
 */
int cs_replay_params(struct json_object *header, const char *settings,
		     bool live, struct cs_params *ret, struct cs_err *err);

#endif
