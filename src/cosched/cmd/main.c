/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command `cosched`: dispatches to the subcommands. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "query/plugin_build.h"

static const struct cs_cmd *const commands[] = {
	&cs_cmd_import,	 &cs_cmd_whatif,  &cs_cmd_shadow_report,
	&cs_cmd_sim,	 &cs_cmd_compare, &cs_cmd_workload,
	&cs_cmd_check,	 &cs_cmd_replay,  &cs_cmd_conf,
	&cs_cmd_params,	 &cs_cmd_profile, &cs_cmd_learn,
	&cs_cmd_status,	 &cs_cmd_explain, &cs_cmd_groups,
	&cs_cmd_sites,	 &cs_cmd_slices,  &cs_cmd_users,
	&cs_cmd_top,	 &cs_cmd_doctor,  &cs_cmd_exporter,
	&cs_cmd_procsim, &cs_cmd_wait,	  NULL,
};

static int help(void)
{
	printf("Usage: cosched COMMAND [ARGUMENT]...\n"
	       "Administer Slurm's cosched scheduler plugin.\n\n");
	for (const struct cs_cmd *const *c = commands; *c; c++)
		printf("  %-14s %s\n", (*c)->name, (*c)->text);
	printf("\n  --help    this text; cosched COMMAND --help for more\n"
	       "  --version\n"
	       "\nExit status: 0 success; 1 something is wrong or the plugin "
	       "cannot be reached;\n2 bad options, unreadable input, or an "
	       "output that cannot be written.\n");
	return CS_EXIT_OK;
}

/* An answer that could not be written is a failure, unless another has been
 * reported. */
static int finish(int rc)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return rc;
	if (rc != CS_EXIT_USAGE)
		rc = cs_cmd_bad("cannot write the answer: %s",
				strerror(errno ? errno : EIO));
	return rc;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	signal(SIGXFSZ, SIG_IGN); /* too large a file: write(2) fails */
	if (!name)
		return cs_cmd_bad("no command, expected one of those in "
				  "cosched --help");
	if (!strcmp(name, "--help") || !strcmp(name, "-h") ||
	    !strcmp(name, "help"))
		return finish(help());
	if (!strcmp(name, "--version")) {
		printf("cosched %s\n", cs_plugin_build_own());
		return finish(CS_EXIT_OK);
	}
	for (const struct cs_cmd *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return finish((*c)->run(argc - 1, argv + 1));
	return cs_cmd_bad("unknown %s '%s', see cosched --help",
			  *name == '-' ? "option" : "command", name);
}
