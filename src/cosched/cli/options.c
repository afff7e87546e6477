/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the subcommands: options and settings, messages about bad ones, the
 * terminal's width, a clock.
 */
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/cmd.h"

static void complain(const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	fprintf(stderr, "cosched: %s\n", text);
}

int cs_cmd_bad(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
	return CS_EXIT_USAGE;
}

int cs_cmd_failed(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
	return CS_EXIT_NO;
}

int cs_cmd_whole(const char *cmd, const char *option, const char *value,
		 int64_t low, int64_t high, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && !errno && *ret >= low &&
	    *ret <= high)
		return CS_EXIT_OK;
	return cs_cmd_bad("%s: %s is '%.100s', expected a whole number from "
			  "%" PRId64 " to %" PRId64,
			  cmd, option, value, low, high);
}

int cs_cmd_node(const char *cmd, const char *value, uint32_t *ret)
{
	uint32_t sockets, cores;
	int n = 0;

	if (sscanf(value, "%5" SCNu32 "x%5" SCNu32 "%n", &sockets, &cores,
		   &n) != 2 ||
	    value[n] || sockets * cores < 2 || sockets * cores > 65536)
		return cs_cmd_bad(
			"%s: --node is '%.100s', expected sockets and cores a "
			"socket such as 2x2, two cores or more",
			cmd, value);
	*ret = sockets * cores;
	return CS_EXIT_OK;
}

int cs_cmd_setting_here(const char *cmd, const char *text)
{
	if (strncmp(text, "mode=", 5) && strncmp(text, "partition_modes=", 16))
		return CS_EXIT_OK;
	return cs_cmd_bad("%s: '%.100s' says whether slurmctld asks this "
			  "scheduler; here it always decides, expected another "
			  "key",
			  cmd, text);
}

int cs_cmd_add_setting(const char *cmd, char list[CS_SETTINGS_MAX],
		       const char *key, const char *value)
{
	size_t have = strlen(list);
	size_t need = (key ? strlen(key) + 1 : 0) + strlen(value) + 1;

	if (strchr(value, ',') || (!key && !strchr(value, '=')))
		return cs_cmd_bad("%s: '%s', expected %s", cmd, value,
				  key ? "a value without ','"
				      : "key=value without ','");
	if (!key && cs_cmd_setting_here(cmd, value))
		return CS_EXIT_USAGE;
	if (have + need >= CS_SETTINGS_MAX)
		return cs_cmd_bad("%s: '%.40s...': too many settings", cmd,
				  value);
	snprintf(list + have, CS_SETTINGS_MAX - have, "%s%s%s%s",
		 have ? "," : "", key ? key : "", key ? "=" : "", value);
	return CS_EXIT_OK;
}

double cs_cmd_clock_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int cs_cmd_columns(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_col)
		return 80;
	return w.ws_col < 40 ? 40 : w.ws_col > 200 ? 200 : w.ws_col;
}

static void help_command(const struct cs_cmd *cmd)
{
	printf("Usage: cosched %s %s\n%s\n%s%s", cmd->name, cmd->args,
	       cmd->text, *cmd->help ? "\n" : "", cmd->help);
}

/* The word that the user typed; for an option that getopt cannot name. */
static const char *typed(int argc, char **argv)
{
	return optind > 0 && optind <= argc ? argv[optind - 1] : "";
}

int cs_cmd_getopt(const struct cs_cmd *cmd, int argc, char **argv,
		  const struct option *options)
{
	char shorts[64] = ":h";
	size_t n = 2;
	int c;

	for (const struct option *o = options; o->name; o++) {
		if (o->name[1] || n + 3 > sizeof(shorts))
			continue;
		shorts[n++] = o->name[0];
		if (o->has_arg)
			shorts[n++] = ':';
	}
	shorts[n] = '\0';
	opterr = 0;
	c = getopt_long(argc, argv, shorts, options, NULL);
	if (c == 'h') {
		help_command(cmd);
		exit(CS_EXIT_OK);
	}
	if (c == ':')
		cs_cmd_bad("%s: option '%s' needs a value", cmd->name,
			   typed(argc, argv));
	else if (c == '?')
		cs_cmd_bad("%s: unknown option '%s', see cosched %s --help",
			   cmd->name, typed(argc, argv), cmd->name);
	return c == ':' ? '?' : c;
}
