/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a site should know before it takes the lines of `cosched conf`: each as
 * a comment that begins with "WARNING:".
 */
#ifndef CS_COSCHED_CONF_CONF_WARN_H
#define CS_COSCHED_CONF_CONF_WARN_H

#include <stdarg.h>

#include "conf/slurm_conf.h"

struct cs_confwarn {
	const struct cs_slurmconf *conf;
	const char *plugin_dir;	    /* ours */
	const char *stock_dirs;	    /* the others of PluginDir, ':' between */
	const char *profiles, *log; /* absolute, or NULL */
};

void cs_confwarn(const struct cs_confwarn *w);

/* @fmt as a comment of as many lines as it needs, behind "#@title". */
void cs_conf_comment(const char *title, const char *fmt, va_list ap);

#endif
