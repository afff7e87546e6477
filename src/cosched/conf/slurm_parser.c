/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scontrol reads its slurm.conf before anything else, and with `show hostlist` asks no
 * daemon.
 */
#include "conf/slurm_parser.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/slurm_conf.h"

#define ASK_S 10
#define TEXT_MAX (64u << 10)
#define REFUSES "Unable to process configuration file"

/* The reason in a @line of scontrol's; NULL: it has none. */
static const char *reason_in(const char *line)
{
	static const char error[] = "error: ";
	static const char caller[] = "_parse_next_key: ";
	const char *at = strstr(line, error);

	if (!at || strstr(at, "specified more than once"))
		return NULL;
	at += strlen(error);
	return strncmp(at, caller, strlen(caller)) ? at : at + strlen(caller);
}

int cs_slurm_parser_errors(const char *path,
			   void (*tell)(void *arg, const char *text), void *arg)
{
	char conf[PATH_MAX + 16] = "SLURM_CONF=";
	const char *argv[] = { "env",	   conf, "scontrol", "show",
			       "hostlist", "n",	 NULL };
	char *text, *at, *line;
	int rc;

	if (!realpath(path, conf + strlen(conf)))
		return 0;
	rc = cs_run_program((char *const *)argv, ASK_S, TEXT_MAX, &text);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	if (rc && strstr(text, REFUSES))
		for (at = text; (line = strsep(&at, "\n")) != NULL;)
			if (reason_in(line))
				tell(arg, reason_in(line));
	free(text);
	return 0;
}
