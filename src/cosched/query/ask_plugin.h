/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ask the plugin in slurmctld: find its socket, send the question, read the
 * answer.
 */
#ifndef CS_COSCHED_QUERY_ASK_PLUGIN_H
#define CS_COSCHED_QUERY_ASK_PLUGIN_H

#include <json-c/json.h>
#include <stdint.h>

#include "common/base/err.h"
#include "plugins/wire/wire.h"

/*
 * Put @q (wire.h) at @socket, or where Slurm's configuration says (NULL).  *ret_answer is the "answer" of wire.h's object,
 * to be put by the caller.  0; a negative errno with one line in @err:
 * slurmctld or the plugin cannot be reached, no permission, no answer in time,
 * or it said no.
 */
int cs_ask_plugin(const char *socket, const struct cs_wire_question *q,
		  struct json_object **ret_answer, struct cs_err *err);

#endif
