/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched params [KEY]: the parameters, from the same table that the parser uses; with
 * --man, as the manual page cosched-params(5).  With --slurm what becomes of Slurm's own
 * keys.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "common/params/params.h"
#include "cli/table.h"
#include "cmd/params_json.h"
#include "cmd/params_slurm.h"

#define PREFIX "cosched_"
#define VALUE_MAX (CS_PATH_MAX + 1)

/* Sources cited in the texts. */
#define ZENG09                                                                 \
	"Zeng09 is Zeng and Sodan, Job Scheduling with Lookahead Group "       \
	"Matchmaking for Time/Space Sharing on Multi-core Parallel Machines, " \
	"JSSPP 2009; names in capitals are its own."
#define EMERAS12                                                              \
	"Emeras12 is Emeras, Pinheiro, Rzadca and Trystram, Fair Scheduling " \
	"for Multiple Submissions, RR-LIG-033, 2012."
#define ERNEMANN02                                                          \
	"Ernemann02 is Ernemann, Hamscher, Streit and Yahyapour, Enhanced " \
	"Algorithms for Multi-Site Scheduling, GRID 2002."
#define ZHOU00                                                              \
	"Zhou00 is Zhou, Walsh and Brent, Resource Allocation Schemes for " \
	"Gang Scheduling, JSSPP 2000."

static const struct {
	const char *name, *text;
} sources[] = { { "Zeng09", ZENG09 },
		{ "Emeras12", EMERAS12 },
		{ "Ernemann02", ERNEMANN02 },
		{ "Zhou00", ZHOU00 } };

#define SOURCES (sizeof(sources) / sizeof(sources[0]))

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
		snprintf(buf, size, "%.16g to %.16g%s%s", row->min, row->max,
			 *unit ? " " : "", unit);
}

/* ---- presets ------------------------------------------------------------- */

/* The keys that preset @name sets, with a blank after each comma. */
static void preset_line(const char *name, char *buf, size_t size)
{
	size_t n = 0;

	for (const char *c = cs_params_preset_keys(name); *c && n + 2 < size;
	     c++) {
		buf[n++] = *c;
		if (*c == ',')
			buf[n++] = ' ';
	}
	buf[n] = '\0';
}

/* ---- for the terminal ---------------------------------------------------- */

/* The same parameters in slurmctld and in the simulator. */
struct both {
	struct cs_params of[2]; /* by enum cs_param_host */
};

static void both_done(struct both *b)
{
	cs_params_done(&b->of[CS_HOST_LIVE]);
	cs_params_done(&b->of[CS_HOST_SIM]);
}

static bool differs(const struct both *b, const struct cs_param_row *row)
{
	char live[VALUE_MAX], sim[VALUE_MAX];

	return strcmp(value_of(&b->of[CS_HOST_LIVE], row, live),
		      value_of(&b->of[CS_HOST_SIM], row, sim)) != 0;
}

static void print_row(const struct both *b, enum cs_param_host host,
		      const struct cs_param_row *row)
{
	bool live = host == CS_HOST_LIVE;
	char value[VALUE_MAX], range[160];

	range_of(row, range, sizeof(range));
	printf("%s%s=%s  (%s)", live ? PREFIX : "", row->key,
	       value_of(&b->of[host], row, value), range);
	if (differs(b, row))
		printf("  %s: %s", live ? "simulator" : "slurmctld",
		       value_of(&b->of[!host], row, value));
	printf("\n");
	cs_table_print_wrapped(row->text, 8, cs_cmd_columns());
}

static int print_presets(void)
{
	char line[VALUE_MAX];

	printf("%8sPresets:\n", "");
	for (const char *const *p = cs_params_presets(); *p; p++) {
		preset_line(*p, line, sizeof(line));
		printf("%8s%-12s %s\n", "", *p, line);
	}
	return CS_EXIT_OK;
}

static void print_sources(const bool cited[SOURCES])
{
	for (size_t i = 0; i < SOURCES; i++)
		if (cited[i]) {
			printf("\n");
			cs_table_print_wrapped(sources[i].text, 0,
					       cs_cmd_columns());
		}
}

static int no_key(const char *key)
{
	return cs_cmd_bad(
		"params: no key '%s', expected one listed by cosched params",
		key);
}

static int print_rows(const struct both *b, enum cs_param_host host,
		      const char *key)
{
	bool cited[SOURCES] = { false };
	size_t n, found = 0;
	const struct cs_param_row *rows = cs_params_rows(&n);

	if (key && !strncmp(key, PREFIX, strlen(PREFIX)))
		key += strlen(PREFIX);
	for (size_t i = 0; i < n; i++) {
		if (key && strcmp(key, rows[i].key))
			continue;
		print_row(b, host, &rows[i]);
		if (!strcmp(rows[i].key, "policy") && print_presets())
			return CS_EXIT_USAGE;
		for (size_t k = 0; k < SOURCES; k++)
			cited[k] |=
				strstr(rows[i].text, sources[k].name) != NULL;
		found++;
	}
	if (!found)
		return no_key(key);
	print_sources(cited);
	return CS_EXIT_OK;
}

static int print_differences(const struct both *b)
{
	static const char *const head[] = { "KEY", "SLURMCTLD", "SIMULATOR",
					    NULL };
	size_t n;
	const struct cs_param_row *rows = cs_params_rows(&n);
	char value[VALUE_MAX];
	struct cs_table t;

	cs_table_init(&t, head);
	for (size_t i = 0; i < n; i++) {
		if (!differs(b, &rows[i]))
			continue;
		cs_table_cell(&t, "%s", rows[i].key);
		for (int h = 0; h < 2; h++)
			cs_table_cell(&t, "%s",
				      value_of(&b->of[h], &rows[i], value));
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
	return CS_EXIT_OK;
}

/* ---- the manual page ----------------------------------------------------- */

/* @text in roff; never called at the start of a line, where '.' would be a request. */
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

/* Defaults in force: those of the default preset, if it sets the key. */
static void man_row(const struct cs_param_row *row,
		    const struct cs_params *live, const struct cs_params *sim)
{
	char range[160], value[VALUE_MAX], simulated[VALUE_MAX];

	range_of(row, range, sizeof(range));
	printf(".TP\n\\fB" PREFIX "%s\\fR=\\fI", row->key);
	man_text(range);
	printf("\\fR\n\\&");
	man_text(row->text);
	printf("\nDefault: ");
	cs_params_print(live, row, value, sizeof(value));
	cs_params_print(sim, row, simulated, sizeof(simulated));
	man_value(value);
	if (strcmp(value, simulated)) {
		printf("; in the simulator: ");
		man_value(simulated);
	}
	printf(".\n");
}

static const char man_head[] =
	".TH COSCHED\\-PARAMS 5 \"\" \"slurm\\-cosched " COSCHED_VERSION "\"\n"
	".SH NAME\n"
	"cosched\\-params \\- parameters of the cosched scheduler plugin\n"
	".SH DESCRIPTION\n"
	"Parameters go into \\fBSchedulerParameters\\fR of slurm.conf beside "
	"Slurm's own, joined by commas;\n\\fBscontrol reconfigure\\fR reads them "
	"again.\n"
	"The simulator, which runs the same policies on a recorded workload, "
	"takes the same keys\nwithout \\fBcosched_\\fR.\n"
	"A preset (\\fBcosched_policy\\fR) sets several; a key set explicitly "
	"takes precedence.\n"
	"A key that is unknown, given twice or out of range is refused with one "
	"line, and the last\ngood settings stay in force.\n"
	".PP\nDefaults are those of the default preset; "
	"\\fBcosched params \\-\\-differences\\fR lists those\nthat differ "
	"in the simulator under one preset; the simulator's \\fB\\-\\-live\\-defaults"
	"\\fR takes slurmctld's, but learn=off.\n"
	"A \\fIslowdown\\fR is a factor on a job's runtime, 1 if undisturbed; "
	"the job's own processes\non a node cause its \\fIself "
	"slowdown\\fR.\n"
	".PP\n" ZENG09 "\n.PP\n" EMERAS12 "\n.PP\n" ERNEMANN02 "\n.PP\n" ZHOU00
	"\n"
	".SH PARAMETERS\n";

static const char man_foot[] =
	".SH SEE ALSO\n.BR cosched (1),\n.BR cosched\\-profiles (5),\n"
	".BR cosched\\-log (5),\n.BR slurm.conf (5)\n";

static int man_presets(void)
{
	char line[VALUE_MAX];

	printf(".SH PRESETS\n");
	for (const char *const *p = cs_params_presets(); *p; p++) {
		preset_line(*p, line, sizeof(line));
		printf(".TP\n\\fB%s\\fR\n", *p);
		man_text(line);
		printf("\n");
	}
	return CS_EXIT_OK;
}

static int print_man(void)
{
	struct cs_params live = { 0 }, sim = { 0 };
	int rc = -1;
	size_t n;
	const struct cs_param_row *rows = cs_params_rows(&n);

	if (!cs_params_init(&live, CS_HOST_LIVE) &&
	    !cs_params_init(&sim, CS_HOST_SIM)) {
		printf("%s", man_head);
		for (size_t i = 0; i < n; i++)
			man_row(&rows[i], &live, &sim);
		rc = man_presets();
		printf("%s", man_foot);
	}
	cs_params_done(&live);
	cs_params_done(&sim);
	return rc < 0 ? cs_cmd_bad("params: no memory") : rc;
}

/* ---- the command --------------------------------------------------------- */

struct wish {
	const char *preset, *key;
	bool man, sim, differences, json, slurm;
};

static int read_options(int argc, char **argv, struct wish *w)
{
	static const struct option options[] = {
		{ "preset", 1, NULL, 'p' }, { "man", 0, NULL, 'm' },
		{ "sim", 0, NULL, 's' },    { "differences", 0, NULL, 'd' },
		{ "slurm", 0, NULL, 'S' },  { "json", 0, NULL, 'j' },
		{ "help", 0, NULL, 'h' },   { 0 },
	};
	int c;

	while ((c = cs_cmd_getopt(&cs_cmd_params, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'p')
			w->preset = optarg;
		w->man |= c == 'm';
		w->sim |= c == 's';
		w->differences |= c == 'd';
		w->json |= c == 'j';
		w->slurm |= c == 'S';
	}
	if (argc - optind > 1)
		return cs_cmd_bad(
			"params: unexpected argument '%s', expected one key",
			argv[optind + 1]);
	w->key = argv[optind];
	if (w->slurm && (w->preset || w->man || w->sim || w->differences ||
			 w->json || w->key))
		return cs_cmd_bad("params: --slurm is a table of its own, "
				  "expected no other option and no key");
	if (w->differences && (w->man || w->key))
		return cs_cmd_bad(
			"params: --differences is a table of its own, "
			"expected no %s",
			w->man ? "--man" : "key");
	if (w->json && (w->man || w->differences || w->sim))
		return cs_cmd_bad(
			"params: --json has the values of both, expected "
			"no %s",
			w->man	 ? "--man"
			: w->sim ? "--sim"
				 : "--differences");
	return CS_EXIT_OK;
}

/* The defaults of @host under @preset (NULL: its default preset).  0; -EINVAL with
 * @err, -ENOMEM. */
static int read_params(const char *preset, enum cs_param_host host,
		       struct cs_params *ret, struct cs_err *err)
{
	char list[256];

	if (!preset)
		return cs_params_init(ret, host);
	if (strpbrk(preset, ",=") || strlen(preset) > 200)
		return cs_err_set(err, -EINVAL, "no preset '%s'", preset);
	snprintf(list, sizeof(list), "policy=%s", preset);
	return cs_params_parse(ret, host, list, "", err);
}

/* If the other host lacks the preset, its defaults are taken as equal. */
static int read_both(const struct wish *w, struct both *b)
{
	enum cs_param_host host = w->sim ? CS_HOST_SIM : CS_HOST_LIVE;
	struct cs_err err = { "no memory" }, none;
	int rc = read_params(w->preset, host, &b->of[host], &err);

	if (rc)
		return cs_cmd_bad("params: %s", err.text);
	rc = read_params(w->preset, !host, &b->of[!host], &none);
	if (rc == -EINVAL)
		rc = cs_params_copy(&b->of[!host], &b->of[host]);
	return rc ? cs_cmd_bad("params: no memory") : CS_EXIT_OK;
}

/* Under a single preset; else all keys that the two default presets set would differ
 * too. */
static int differences(const struct wish *w)
{
	struct wish one = { .preset = w->preset };
	struct both own = { 0 }, b = { 0 };
	int rc = read_both(&(struct wish){ 0 }, &own);

	if (!rc && !one.preset) {
		one.preset = own.of[CS_HOST_LIVE].policy;
		printf("Policy %s, slurmctld's default; the simulator's is "
		       "%s.\n\n",
		       one.preset, own.of[CS_HOST_SIM].policy);
	}
	if (!rc)
		rc = read_both(&one, &b);
	if (!rc)
		rc = print_differences(&b);
	both_done(&own);
	both_done(&b);
	return rc;
}

static int print_json(const struct both *b, const char *key)
{
	int rc;

	if (key && !strncmp(key, PREFIX, strlen(PREFIX)))
		key += strlen(PREFIX);
	rc = cs_params_json(&b->of[CS_HOST_LIVE], &b->of[CS_HOST_SIM], key);
	if (rc == -ENOENT)
		return no_key(key);
	return rc == -ENOMEM ? cs_cmd_bad("params: no memory") : CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct wish w = { 0 };
	struct both b = { 0 };
	int rc = read_options(argc, argv, &w);

	if (rc)
		return rc;
	if (w.man)
		return print_man();
	if (w.slurm) {
		cs_params_slurm_print();
		return CS_EXIT_OK;
	}
	if (w.differences)
		return differences(&w);
	rc = read_both(&w, &b);
	if (!rc && w.json)
		rc = print_json(&b, w.key);
	else if (!rc)
		rc = print_rows(&b, w.sim ? CS_HOST_SIM : CS_HOST_LIVE, w.key);
	both_done(&b);
	return rc;
}

const struct cs_cmd cs_cmd_params = {
	"params", "[OPTION]... [KEY]", "Print the parameters, or one of them.",
	run,
	"  --preset NAME  values under that preset\n"
	"  --sim          the simulator's values, not slurmctld's\n"
	"  --differences  keys whose defaults differ between the two\n"
	"  --json         as JSON, with both values, types, ranges and presets\n"
	"  --man          the manual page cosched-params(5)\n"
	"  --slurm        what becomes of Slurm's own keys, as Markdown\n"
};
