/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The topology and the sites of a log's machine.
 */
#ifndef CS_LOG_READ_TOPOLOGY_H
#define CS_LOG_READ_TOPOLOGY_H

#include <json.h>

#include "base/err.h"
#include "model/machine.h"

/* Give @m, whose nodes are known, the topology in its header object @o, if any.  0;
 * -EINVAL, -ENOMEM. */
int cs_log_topology_read(struct json_object *o, struct cs_machine *m,
			 struct cs_err *err);
/* The same for its sites: every node is in one. */
int cs_log_sites_read(struct json_object *o, struct cs_machine *m,
		      struct cs_err *err);

#endif
