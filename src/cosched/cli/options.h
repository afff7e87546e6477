/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the subcommands: options, settings, and messages about bad ones.
 *
 * Exit status: 0 success; 1 the answer is no (a log breaks a rule, the plugin cannot be
 * reached); 2 the question was wrong (unknown option, unreadable or malformed file).
 * Bad input gets one line on stderr.
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
 * getopt_long() over @options, with our messages.  An option whose name is a single
 * letter is also a short option, with its val.  Returns what getopt_long() returns; on
 * '?' the message has been printed.  --help prints the command's help and exits.
 */
int cs_cmd_getopt(const struct cs_cmd *cmd, int argc, char **argv,
		  const struct option *options);

/*
 * Parse the whole number @value of @option into *ret.  0; CS_EXIT_USAGE: it is not one
 * from @low to @high (@low >= 0), and a message in @cmd's name has been printed.
 */
int cs_cmd_whole(const char *cmd, const char *option, const char *value,
		 int64_t low, int64_t high, int64_t *ret);

/* The cores of a node that is @value, "SOCKETSxCORES", at least two in all.  0;
 * CS_EXIT_USAGE: it is not, and a message in @cmd's name has been printed. */
int cs_cmd_node(const char *cmd, const char *value, uint32_t *ret);

#define CS_SETTINGS_MAX 65536 /* bytes of all --set together */

/* Can only slurmctld obey the setting @text ("key=value")?  Then CS_EXIT_USAGE, and a
 * message has been printed; else 0. */
int cs_cmd_setting_here(const char *cmd, const char *text);

/* Append @key=@value, or without a key the setting @value, to @list for
 * cs_params_parse().  0; CS_EXIT_USAGE: a message has been printed. */
int cs_cmd_add_setting(const char *cmd, char list[CS_SETTINGS_MAX],
		       const char *key, const char *value);

/* Seconds of a monotonic clock. */
double cs_cmd_clock_s(void);

/* Columns of the terminal, 40 to 200; 80 if there is none. */
int cs_cmd_columns(void);

#endif
