/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of an event log: the machine and the settings that its lines refer to.
 *
 *	{"ev":"header","version":1,
 *	 "machine":{"nodes":128,"sockets":2,"cores":2},
 *	 "params":{"jobs_per_node":2,...},"seed":1}
 *
 * `cores` is per socket.  If nodes differ, machine.types says how:
 * [{"nodes":"0-63","sockets":2,"cores":16},...]; what a type leaves out is as in the
 * machine.  A node of no cores is vacant.
 */
#ifndef CS_LOG_READ_HEADER_H
#define CS_LOG_READ_HEADER_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/machine.h"

#define CS_LOG_NODES_MAX (1u << 20)
#define CS_LOG_CORES_MAX (1u << 26) /* of all nodes */

struct cs_log_header {
	struct cs_machine *machine;
	uint32_t jobs_per_node; /* >= 1; 2 if absent */
	uint32_t mpl;		/* >= 1; 1 if absent */
	bool strict; /* an order by campaigns, campaign_hold=strict, and jobs start one
			by one in queue order */
	const char *mode; /* in force; NULL: as the parameters say; static */
	const char *
		act_slice; /* "pect", "gang": mode act would have it, and shadow has
				  none; NULL: as the parameters say; static */
	bool boot;	   /* written by slurmctld: the present state follows */
};

/* What a node is, from the members of @o; what they leave out stays in @n.  Its GPUs are
 * put into @gpus, where n->gpus then points.  0, -EINVAL. */
int cs_log_read_shape(struct json_object *o, struct cs_node *n,
		      struct cs_gpus *gpus, struct cs_err *err);

/*
 * Read the header line @o.  *ret_header becomes the caller's.  0; -EINVAL: not version
 * 1, or its machine is missing, malformed or beyond the limits above; -ENOMEM.
 */
int cs_log_header_read(struct json_object *o, struct cs_log_header **ret_header,
		       struct cs_err *err);
void cs_log_header_free(struct cs_log_header *h);

#endif
