/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cosched_sites as slurmctld would take it, with the nodes of a slurm.conf. */
#ifndef CS_COSCHED_CONF_CONF_SITES_H
#define CS_COSCHED_CONF_CONF_SITES_H

#include "common/base/err.h"
#include "conf/conf_parts.h"

/*
 * Would slurmctld refuse the sites in the file @path, which can be read, or @parts of the
 * slurm.conf, joined by '+', each of them there?  All nodes are known.  0; -ENOMEM;
 * -EINVAL with @err, as slurmctld says it.
 */
int cs_conf_sites_file(const struct cs_confparts *c, const char *path,
		       struct cs_err *err);
int cs_conf_sites_parts(const struct cs_confparts *c, const char *parts,
			struct cs_err *err);

#endif
