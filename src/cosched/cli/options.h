/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the subcommands share: options, settings, and what is said of bad ones.
 *
 * Exit status: 0 all is well; 1 the answer is no (a log breaks a rule, the
 * plugin cannot be reached); 2 the question was wrong (unknown option,
 * unreadable or malformed file).  Bad input gets one line on stderr.
 */
#ifndef CS_COSCHED_CLI_OPTIONS_H
#define CS_COSCHED_CLI_OPTIONS_H

#include <getopt.h>
#include <stdint.h>

struct cs_cmd; /* cmd.h */

enum { CS_EXIT_OK, CS_EXIT_NO, CS_EXIT_USAGE };

/* "cosched: ..." on stderr; returns CS_EXIT_USAGE. */
int cs_cmd_bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same; returns CS_EXIT_NO. */
int cs_cmd_failed(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * getopt_long() over @options, with our messages; one whose name is a single
 * letter, its val, is a short one too.  Returns what getopt_long() returns; on
 * '?' the message was printed.  --help prints the command's help and exits.
 */
int cs_cmd_getopt(const struct cs_cmd *cmd, int argc, char **argv,
		  const struct option *options);

/*
 * The whole number @value of @option in *ret.  0; else it was said, in @cmd's name,
 * that it is none of @low to @high (>= 0), and CS_EXIT_USAGE.
 */
int cs_cmd_whole(const char *cmd, const char *option, const char *value,
		 int64_t low, int64_t high, int64_t *ret);

#define CS_SETTINGS_MAX 65536 /* bytes of all --set together */

/* Is the setting @text ("key=value") one that only slurmctld can obey?  Then it
 * was said, and CS_EXIT_USAGE; else 0. */
int cs_cmd_setting_here(const char *cmd, const char *text);

/* @key=@value, or where there is no key the setting @value, to @list for
 * cs_params_parse().  0; CS_EXIT_USAGE: it was said why not. */
int cs_cmd_add_setting(const char *cmd, char list[CS_SETTINGS_MAX],
		       const char *key, const char *value);

/* Seconds of a clock that goes on. */
double cs_cmd_clock_s(void);

/* Columns of the terminal, 80 where there is none; 40 to 200. */
int cs_cmd_columns(void);

#endif
