/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched params [KEY]: the parameters, out of the one table that the parser
 * uses too; with --man as the manual page cosched-params(5).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "common/params.h"
#include "table.h"

#define PREFIX "cosched_"
#define VALUE_MAX (CS_PATH_MAX + 1)

static const char *value_of(const struct cs_params *p,
			    const struct cs_param_row *row, char *buf)
{
	cs_params_print(p, row, buf, VALUE_MAX);
	return *buf ? buf : "-";
}

static void range_of(const struct cs_param_row *row, char *buf, size_t size)
{
	const char *unit = row->unit;

	if (row->kind == CS_PARAM_ENUM)
		snprintf(buf, size, "%s", row->names);
	else if (row->kind == CS_PARAM_TEXT)
		snprintf(buf, size, "%s", *unit ? unit : "text");
	else
		snprintf(buf, size, "%.15g to %.15g%s%s", row->min, row->max,
			 *unit ? " " : "", unit);
}

/* ---- for the terminal ---------------------------------------------------- */

static void print_row(const struct cs_params *p, const struct cs_param_row *row,
		      const char *prefix)
{
	char value[VALUE_MAX], range[160];

	range_of(row, range, sizeof(range));
	printf("%s%s=%s  (%s)\n", prefix, row->key, value_of(p, row, value),
	       range);
	cs_print_wrapped(row->text, 8, cs_columns());
}

static int print_rows(const struct cs_params *p, const char *key,
		      const char *prefix)
{
	size_t n, found = 0;
	const struct cs_param_row *rows = cs_params_rows(&n);

	if (key && !strncmp(key, PREFIX, strlen(PREFIX)))
		key += strlen(PREFIX);
	for (size_t i = 0; i < n; i++) {
		if (key && strcmp(key, rows[i].key))
			continue;
		print_row(p, &rows[i], prefix);
		found++;
	}
	if (!found)
		return cs_bad("params: no key '%s', expected one that cosched "
			      "params prints",
			      key);
	return CS_EXIT_OK;
}

/* ---- as a manual page ---------------------------------------------------- */

/* @text as roff has it; it never starts a line, where '.' were a request. */
static void man_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

static void man_value(const char *value)
{
	printf("\\fB");
	man_text(*value ? value : "empty");
	printf("\\fR");
}

static void man_row(const struct cs_param_row *row)
{
	char range[160];

	range_of(row, range, sizeof(range));
	printf(".TP\n\\fB" PREFIX "%s\\fR=\\fI", row->key);
	man_text(range);
	printf("\\fR\n\\&");
	man_text(row->text);
	printf("\nDefault: ");
	man_value(row->live);
	if (strcmp(row->live, row->sim)) {
		printf("; in the simulator: ");
		man_value(row->sim);
	}
	printf(".\n");
}

static const char man_head[] =
	".TH COSCHED\\-PARAMS 5 \"\" \"slurm\\-cosched " COSCHED_VERSION "\"\n"
	".SH NAME\n"
	"cosched\\-params \\- parameters of the cosched scheduler plugin\n"
	".SH DESCRIPTION\n"
	"They stand in \\fBSchedulerParameters\\fR of slurm.conf among Slurm's "
	"own, joined by commas,\nand are read again by "
	"\\fBscontrol reconfigure\\fR.\n"
	"The simulator takes the same keys without \\fBcosched_\\fR.\n"
	"A preset (\\fBcosched_policy\\fR) is a row of values; a key that is "
	"given beside it wins.\n"
	"A key that is unknown, given twice or out of range is refused in one "
	"line and the last\ngood settings stay.\n"
	".SH PARAMETERS\n";

static const char *const preset_keys[] = { "order", "slice", "place",
					   "backfill", "layout" };

static void man_preset(const char *name)
{
	char list[64], value[VALUE_MAX];
	struct cs_params p = { 0 };
	size_t n;
	const struct cs_param_row *rows = cs_params_rows(&n);

	snprintf(list, sizeof(list), "policy=%s", name);
	if (cs_params_parse(&p, CS_HOST_LIVE, list, "", NULL))
		return;
	printf(".TP\n\\fB%s\\fR\n", name);
	for (size_t k = 0; k < sizeof(preset_keys) / sizeof(*preset_keys); k++)
		for (size_t i = 0; i < n; i++)
			if (!strcmp(rows[i].key, preset_keys[k])) {
				printf("%s%s=", k ? ", " : "", rows[i].key);
				man_text(value_of(&p, &rows[i], value));
			}
	printf("\n");
	cs_params_done(&p);
}

static int print_man(void)
{
	size_t n;
	const struct cs_param_row *rows = cs_params_rows(&n);

	printf("%s", man_head);
	for (size_t i = 0; i < n; i++)
		man_row(&rows[i]);
	printf(".SH PRESETS\n");
	for (const char *const *p = cs_params_presets(); *p; p++)
		man_preset(*p);
	return CS_EXIT_OK;
}

/* ---- the command --------------------------------------------------------- */

struct wish {
	const char *preset, *key;
	bool man, sim;
};

static int read_options(int argc, char **argv, struct wish *w)
{
	static const struct option options[] = {
		{ "preset", 1, NULL, 'p' }, { "man", 0, NULL, 'm' },
		{ "sim", 0, NULL, 's' },    { "help", 0, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = cs_getopt(&cs_cmd_params, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'p')
			w->preset = optarg;
		w->man |= c == 'm';
		w->sim |= c == 's';
	}
	if (argc - optind > 1)
		return cs_bad("params: '%s' is too much, expected one key",
			      argv[optind + 1]);
	w->key = argv[optind];
	return CS_EXIT_OK;
}

static int read_params(const struct wish *w, struct cs_params *p)
{
	enum cs_param_host host = w->sim ? CS_HOST_SIM : CS_HOST_LIVE;
	char list[256];
	struct cs_err err;
	int rc;

	if (!w->preset)
		return cs_params_init(p, host) ? cs_bad("params: no memory") :
						 CS_EXIT_OK;
	snprintf(list, sizeof(list), "policy=%s", w->preset);
	rc = strpbrk(w->preset, ",=") || strlen(w->preset) > 200 ?
		     cs_err_set(&err, -EINVAL, "no preset '%s'", w->preset) :
		     cs_params_parse(p, host, list, "", &err);
	return rc ? cs_bad("params: %s", err.text) : CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct wish w = { 0 };
	struct cs_params p = { 0 };
	int rc = read_options(argc, argv, &w);

	if (rc)
		return rc;
	if (w.man)
		return print_man();
	rc = read_params(&w, &p);
	if (!rc)
		rc = print_rows(&p, w.key, w.sim ? "" : PREFIX);
	cs_params_done(&p);
	return rc;
}

const struct cs_cmd cs_cmd_params = {
	"params", "[OPTION]... [KEY]", "Print the parameters, or one of them.",
	run,
	"  --preset NAME  values under that preset\n"
	"  --sim          the simulator's defaults, not those in slurmctld\n"
	"  --man          the manual page cosched-params(5)\n"
};
