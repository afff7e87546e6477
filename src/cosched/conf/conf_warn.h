/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a site should know before it takes the lines of `cosched conf`. */
#ifndef CS_COSCHED_CONF_CONF_WARN_H
#define CS_COSCHED_CONF_CONF_WARN_H

#include "conf/slurm_conf.h"

struct cs_confwarn {
	const struct cs_slurmconf *conf;
	const char *our_dirs;	    /* of PluginDir, ':'-separated */
	const char *stock_dirs;	    /* the rest of PluginDir, ':'-separated */
	const char *profiles, *log; /* absolute, or NULL */
	/* Told of each. */
	void (*warn)(void *arg, const char *text);
	void *arg;
};

void cs_confwarn(const struct cs_confwarn *w);

#endif
