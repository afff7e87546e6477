/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the nodes of a log's machine are joined, and its sites.
 */
#ifndef CS_LOG_READ_TOPOLOGY_H
#define CS_LOG_READ_TOPOLOGY_H

#include <json.h>

#include "base/err.h"
#include "model/machine.h"

/* Give @m, whose nodes are known, the topology that its object @o in the header
 * has, if any.  0; -EINVAL, -ENOMEM. */
int cs_log_topology_read(struct json_object *o, struct cs_machine *m,
			 struct cs_err *err);
/* The same of its sites: every node is in one. */
int cs_log_sites_read(struct json_object *o, struct cs_machine *m,
		      struct cs_err *err);

#endif
