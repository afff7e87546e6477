/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cosched_sites as slurmctld would take it, with the nodes of a slurm.conf. */
#ifndef CS_COSCHED_CONF_CONF_SITES_H
#define CS_COSCHED_CONF_CONF_SITES_H

#include <stdbool.h>

#include "common/base/err.h"
#include "conf/conf_parts.h"

/* What is wrong with the sites in the file @path, which can be read?  All nodes are known.
 * As cs_site_list_errors(); -EINVAL: the nodes cannot be read. */
int cs_conf_sites_file(const struct cs_confparts *c, const char *path,
		       bool (*tell)(void *arg, unsigned line, const char *text),
		       void *arg);

/* Would slurmctld refuse @parts of the slurm.conf as sites, joined by '+', each of them
 * there?  All nodes are known.  0; -ENOMEM; -EINVAL with @err, as slurmctld says it. */
int cs_conf_sites_parts(const struct cs_confparts *c, const char *parts,
			struct cs_err *err);

#endif
