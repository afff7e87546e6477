/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command `cosched`: one subcommand a file, and what they share.
 *
 * Exit status: 0 all is well; 1 the answer is no (a log breaks a rule, the
 * plugin cannot be reached); 2 the question was wrong (unknown option,
 * unreadable or malformed file).  Bad input gets one line on stderr.
 */
#ifndef CS_CMD_H
#define CS_CMD_H

#include <getopt.h>

enum { CS_EXIT_OK, CS_EXIT_NO, CS_EXIT_USAGE };

struct cs_cmd {
	const char *name;
	const char *args; /* as in the usage line */
	const char *text; /* one line */
	int (*run)(int argc, char **argv); /* argv[0] is the name */
	const char *help;		   /* options, a line each; "" */
};

extern const struct cs_cmd cs_cmd_check, cs_cmd_params, cs_cmd_conf,
	cs_cmd_profile, cs_cmd_status, cs_cmd_explain, cs_cmd_groups;

/* "cosched: ..." on stderr; returns CS_EXIT_USAGE. */
int cs_bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same; returns CS_EXIT_NO. */
int cs_failed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * getopt_long() over @options, with our messages.  Returns what it returns; on
 * '?' the message was printed.  --help prints the command's help and exits.
 */
int cs_getopt(const struct cs_cmd *cmd, int argc, char **argv,
	      const struct option *options);

/* Columns of the terminal, 80 where there is none; 40 to 200. */
int cs_columns(void);

#endif
