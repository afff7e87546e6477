/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cosched params --json. */
#ifndef CS_CMD_PARAMS_JSON_H
#define CS_CMD_PARAMS_JSON_H

#include "common/params/params.h"

/*
 * Print the parameters, or only @key (NULL: all), with their values in @live and @sim;
 * and the presets.  O(parameters).
 *
 * 0; -ENOENT: no such key, nothing is printed; -ENOMEM.
 */
int cs_params_json(const struct cs_params *live, const struct cs_params *sim,
		   const char *key);

#endif
