/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched profile check FILE: is a profile file well formed, and which pairs may share
 * by it?  from-corun TABLE ALONE: make one from measured co-runs.  learned, export:
 * what was learned of jobs.  run: measure (cmd_profile_run.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/as_user.h"
#include "cli/cmd.h"
#include "cmd/cmd_profile_run.h"
#include "common/params/params.h"
#include "common/profile/profile.h"
#include "common/profile/slowdown.h"
#include "cli/profile_file.h"
#include "conf/slurm_conf.h"
#include "learned/learned.h"
#include "sim/corun.h"
#include "sim/json_build.h"
#include "cli/table.h"

#define CONFIG_S 5
#define LEARNED_MAX (64u << 20)
#define PRINTED_MAX 10 /* profiles in the table of pairs */

enum known { MEASURED, PREDICTED, UNKNOWN };

struct answer {
	bool json;
	struct cs_build o, notes; /* if JSON */
};

/* ---- pairs --------------------------------------------------------------- */

static int count_pairs(const struct cs_profiles *p)
{
	int pairs = 0;

	for (int i = 0; i < p->n_profile * p->n_profile; i++)
		pairs += p->pair[i] > 0;
	return pairs;
}

/* How well the slowdown of @of beside @beside is known. */
static enum known source(const struct cs_profiles *p, int of, int beside)
{
	if (p->pair[of * p->n_profile + beside] > 0)
		return MEASURED;
	if (p->profile[of].has_resources && p->profile[beside].has_resources)
		return PREDICTED;
	return UNKNOWN;
}

static double beside(const struct cs_profiles *p, int of, int other,
		     double unknown_pair)
{
	struct cs_slowdown model = { .profiles = p,
				     .unknown_pair = unknown_pair };
	struct cs_who a = { .profile = of }, b = { .profile = other };

	return cs_slowdown_beside(&model, a, &b, 1);
}

static void print_pairs(const struct cs_profiles *p, double unknown_pair)
{
	const char *head[PRINTED_MAX + 2] = { "of \\ beside" };
	int n = p->n_profile < PRINTED_MAX ? p->n_profile : PRINTED_MAX;
	char title[PRINTED_MAX][CS_PROFILE_NAME + 1];
	struct cs_table t;

	for (int i = 0; i < n; i++) {
		snprintf(title[i], sizeof(title[i]), ">%.12s",
			 p->profile[i].name);
		head[i + 1] = title[i];
	}
	cs_table_init(&t, head);
	for (int of = 0; of < n; of++) {
		cs_table_cell(&t, "%.24s", p->profile[of].name);
		for (int b = 0; b < n; b++)
			cs_table_cell(&t, "%.2f%c",
				      beside(p, of, b, unknown_pair),
				      " ~?"[source(p, of, b)]);
	}
	cs_table_print(&t, 1000);
	cs_table_done(&t);
	printf("~ predicted from the resources, ? unknown (unknown_pair)\n");
	if (n < p->n_profile)
		printf("the first %d of %d profiles\n", n, p->n_profile);
}

/* ---- notes ----------------------------------------------------------------- */

static void note(struct answer *to, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct answer *to, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (to->json)
		cs_build_text(&to->notes, NULL, text);
	else
		printf("note: %s\n", text);
}

/* Valid, but probably not intended. */
static void remark(struct answer *to, const struct cs_profiles *p)
{
	for (int i = 0; i < p->n_profile; i++)
		for (int j = 0; j < p->n_profile; j++)
			if (i != j && source(p, i, j) == MEASURED &&
			    source(p, j, i) == UNKNOWN)
				note(to,
				     "'%s' beside '%s' is known, the reverse "
				     "is not: the two will not share",
				     p->profile[i].name, p->profile[j].name);
	for (size_t r = 0; r + 1 < p->n_rule; r++)
		if (!strcmp(p->rule[r].user, "*") &&
		    !strcmp(p->rule[r].account, "*") &&
		    !strcmp(p->rule[r].name, "*")) {
			note(to,
			     "rule %zu matches every job, later rules "
			     "never apply",
			     r + 1);
			break;
		}
}

/* Root can read files that slurmctld, running as SlurmUser, may not. */
static void remark_access(struct answer *to, const char *name)
{
	struct cs_slurmconf c;
	struct cs_asuser u;
	char text[512];
	int rc;

	if (geteuid() || !strcmp(name, "-") || cs_slurmconf_read(&c, CONFIG_S))
		return;
	cs_asuser_init(&u, &c);
	rc = cs_asuser_access(&u, name, R_OK);
	snprintf(text, sizeof(text), "SlurmUser (%s) cannot read it: %s",
		 u.name, strerror(-rc));
	if (rc && to->json)
		cs_build_text(&to->o, "warning", text);
	else if (rc)
		printf("WARNING: %s\n", text);
	cs_slurmconf_done(&c);
}

/* ---- check ----------------------------------------------------------------- */

static void add_profiles(struct cs_build *to, const struct cs_profiles *p,
			 double unknown_pair)
{
	static const char *const known[] = { [MEASURED] = "file",
					     [PREDICTED] = "resources",
					     [UNKNOWN] = "unknown_pair" };
	struct cs_build names = cs_build_list(), pairs = cs_build_list();

	for (int of = 0; of < p->n_profile; of++) {
		cs_build_text(&names, NULL, p->profile[of].name);
		for (int b = 0; b < p->n_profile; b++) {
			struct cs_build o = cs_build_object();

			cs_build_text(&o, "of", p->profile[of].name);
			cs_build_text(&o, "beside", p->profile[b].name);
			cs_build_real(&o, "slowdown",
				      beside(p, of, b, unknown_pair));
			cs_build_text(&o, "from", known[source(p, of, b)]);
			cs_build_part(&pairs, NULL, &o);
		}
	}
	cs_build_part(to, "profiles", &names);
	cs_build_part(to, "slowdowns", &pairs);
}

/* A file without profiles has no pairs. */
static void say(const char *name, const struct cs_profiles *p,
		double unknown_pair)
{
	printf("%s: ok, %d profiles, %d pairs, %zu rules, default %s\n", name,
	       p->n_profile, count_pairs(p), p->n_rule,
	       p->fallback == CS_PROFILE_NONE ? "none"
					      : p->profile[p->fallback].name);
	if (p->n_profile)
		print_pairs(p, unknown_pair);
}

static void add_file(struct cs_build *o, const char *name,
		     const struct cs_profiles *p, double unknown_pair)
{
	cs_build_text(o, "file", name);
	cs_build_flag(o, "ok", true);
	cs_build_count(o, "pairs", (uint64_t)count_pairs(p));
	cs_build_count(o, "rules", p->n_rule);
	if (p->fallback != CS_PROFILE_NONE)
		cs_build_text(o, "default", p->profile[p->fallback].name);
	add_profiles(o, p, unknown_pair);
}

static int put_answer(struct answer *to, const char *name,
		      const struct cs_profiles *p, double unknown_pair)
{
	if (to->json) {
		to->o = cs_build_object();
		to->notes = cs_build_list();
		add_file(&to->o, name, p, unknown_pair);
	} else {
		say(name, p, unknown_pair);
	}
	remark(to, p);
	remark_access(to, name);
	if (!to->json)
		return CS_EXIT_OK;
	cs_build_part(&to->o, "notes", &to->notes);
	if (cs_build_print(&to->o, stdout) == -ENOMEM)
		return cs_cmd_bad("profile: no memory");
	return CS_EXIT_OK;
}

static int check(const char *name, bool json)
{
	struct answer to = { .json = json };
	struct cs_profiles *p;
	struct cs_params params;
	int rc = cs_profile_file("profile", name, &p);

	if (rc)
		return rc;
	if (cs_params_init(&params, CS_HOST_LIVE)) {
		cs_profiles_free(p);
		return cs_cmd_bad("profile: no memory");
	}
	rc = put_answer(&to, name, p, params.unknown_pair);
	cs_params_done(&params);
	cs_profiles_free(p);
	return rc;
}

/* ---- measured co-runs ---------------------------------------------------- */

static int from_corun(const char *table, const char *alone, uint32_t cores,
		      bool measured)
{
	struct cs_err err = { "" };
	struct cs_corun c;
	int rc;

	if (cs_corun_read(&c, table, alone, &err))
		return cs_cmd_bad("profile: %s", err.text);
	rc = measured ? 0 : cs_corun_fill(&c);
	if (!rc)
		rc = cs_corun_write(&c, cores, stdout);
	cs_corun_done(&c);
	return rc ? cs_cmd_bad("profile: %s", strerror(-rc)) : CS_EXIT_OK;
}

/* ---- what was learned ---------------------------------------------------- */

/* All of file @name, - for standard input; NULL: a message has been printed. */
static char *text_of(const char *name)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	char *text = NULL;
	size_t n = 0, cap = 0;

	while (file && !ferror(file) && !feof(file) && n < LEARNED_MAX) {
		if (cap - n < 4096) {
			char *more = realloc(text, cap = 2 * cap + 65536);

			if (!more)
				break;
			text = more;
		}
		n += fread(text + n, 1, cap - n - 1, file);
	}
	if (!file || ferror(file) || !feof(file) || !text) {
		cs_cmd_bad("profile: '%s': %s", name,
			   n >= LEARNED_MAX
				   ? "more than 64 MB, expected what was "
				     "learned"
				   : strerror(errno));
		free(text);
		text = NULL;
	} else {
		text[n] = '\0';
	}
	if (file && file != stdin)
		fclose(file);
	return text;
}

struct ask {
	const char *of; /* that kind's partners */
	uint32_t cores; /* a profile file for nodes of so many; 0: none */
	bool json;
};

/* 0, or -ENOENT: there is no kind of that name; another error is the output's. */
static int put_learned(const struct cs_learned_file *f, const struct ask *a,
		       double max_slowdown)
{
	if (a->cores)
		return cs_learned_export(f, a->cores, stdout);
	if (a->json)
		return a->of ? cs_learned_partners_json(f, a->of, max_slowdown,
							stdout)
			     : cs_learned_json(f, max_slowdown, stdout);
	if (a->of)
		return cs_learned_partners(f, a->of, max_slowdown) ? 0
								   : -ENOENT;
	cs_learned_print(f, max_slowdown);
	return 0;
}

static int learned(const char *name, const struct ask *a)
{
	struct cs_learned_file f;
	struct cs_params params;
	struct cs_err err = { "" };
	char *text = text_of(name);
	int rc;

	if (!text)
		return CS_EXIT_USAGE;
	rc = cs_learned_read(&f, text, &err);
	free(text);
	if (rc)
		return cs_cmd_bad("profile: '%s': %s", name, err.text);
	if (cs_params_init(&params, CS_HOST_LIVE)) {
		cs_learned_done(&f);
		return cs_cmd_bad("profile: no memory");
	}
	rc = put_learned(&f, a, params.max_slowdown);
	cs_params_done(&params);
	cs_learned_done(&f);
	if (rc == -ENOENT)
		return cs_cmd_bad("profile: no kind '%.100s' in '%s', expected "
				  "one as 'cosched profile learned' has it, "
				  "USER/NAME",
				  a->of, name);
	/* what of standard output fails is told of all commands in one place */
	return rc && (rc == -ENOMEM || a->cores)
		       ? cs_cmd_bad("profile: %s", strerror(-rc))
		       : CS_EXIT_OK;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "node", 1, NULL, 'n' },
		{ "measured", 0, NULL, 'm' },
		{ "json", 0, NULL, 'j' },
		{ "of", 1, NULL, 'o' },
		{ "sbatch", 1, NULL, CS_PROFILE_RUN_SBATCH },
		{ "folder", 1, NULL, CS_PROFILE_RUN_FOLDER },
		{ "budget", 1, NULL, CS_PROFILE_RUN_BUDGET },
		{ "half-width", 1, NULL, CS_PROFILE_RUN_HALF_WIDTH },
		{ "limit", 1, NULL, CS_PROFILE_RUN_LIMIT },
		{ "at-once", 1, NULL, CS_PROFILE_RUN_AT_ONCE },
		{ "nodes", 1, NULL, CS_PROFILE_RUN_NODES },
		{ "cpus-per-task", 1, NULL, CS_PROFILE_RUN_PER_TASK },
		{ "unconstrained", 0, NULL, CS_PROFILE_RUN_UNCONSTRAINED },
		{ "help", 0, NULL, 'h' },
		{ 0 }
	};
	struct cs_measure_ask ask;
	const char *node = NULL, *of = NULL;
	bool measured = false, json = false, measures = false;
	uint32_t cores = 4;
	int c;

	cs_cmd_profile_run_defaults(&ask);
	while ((c = cs_cmd_getopt(&cs_cmd_profile, argc, argv, options)) !=
	       -1) {
		if (c == '?' ||
		    (c == 'n' && cs_cmd_node("profile", optarg, &cores)))
			return CS_EXIT_USAGE;
		if (c >= CS_PROFILE_RUN_SBATCH &&
		    cs_cmd_profile_run_option(&ask, c, optarg))
			return CS_EXIT_USAGE;
		measures |= c >= CS_PROFILE_RUN_SBATCH;
		node = c == 'n' ? optarg : node;
		of = c == 'o' ? optarg : of;
		measured |= c == 'm';
		json |= c == 'j';
	}
	argc -= optind;
	argv += optind;
	if (argc > 1 && !strcmp(argv[0], "run") && !measured && !json && !of) {
		if (node)
			cs_cmd_profile_run_option(&ask, CS_PROFILE_RUN_NODE,
						  node);
		ask.script = argv + 1;
		ask.n = (size_t)argc - 1;
		return cs_cmd_profile_run(&ask);
	}
	if (measures)
		return cs_cmd_bad("profile: --budget and other options of run "
				  "without it, expected 'run SCRIPT...'");
	if (argc == 3 && !strcmp(argv[0], "from-corun"))
		return from_corun(argv[1], argv[2], cores, measured);
	if (argc == 2 && !strcmp(argv[0], "export") && !of && !measured)
		return learned(argv[1], &(struct ask){ .cores = cores });
	if (argc == 2 && !strcmp(argv[0], "learned") && !node && !measured)
		return learned(argv[1],
			       &(struct ask){ .of = of, .json = json });
	if (argc != 2 || strcmp(argv[0], "check"))
		return cs_cmd_bad(
			"profile: expected 'run SCRIPT...', 'check FILE', "
			"'learned FILE', 'export FILE' or 'from-corun TABLE "
			"ALONE'");
	if (node || measured || of)
		return cs_cmd_bad(
			"profile: --node and --measured are for "
			"from-corun, --node of export and run, --of of "
			"learned; expected none");
	return check(argv[1], json);
}

const struct cs_cmd cs_cmd_profile = {
	"profile",
	"run [OPTION]... SCRIPT... | check [--json] FILE | learned [OPTION] FILE | export [OPTION] FILE | "
	"from-corun [OPTION]... TABLE ALONE",
	"Measure, check or make a profile file, or show what was learned.", run,
	"run: measure how the programs in these batch scripts slow each other, "
	"as jobs of this\nSlurm: each alone on full nodes and on spread ones "
	"(half the cores of each socket, on\ntwice the nodes), and beside each "
	"other and itself.  Writes a profile file, the tables\nof from-corun, "
	"and a page.  The same command continues what was interrupted.\n"
	"  --budget H         node-hours (allocated nodes times elapsed time) "
	"that it may take\n"
	"  --sbatch OPTIONS   for sbatch, such as '-p short -A account'\n"
	"  --folder DIR       results and records, on a file system that the "
	"nodes share\n"
	"                     (cosched-profile)\n"
	"  --nodes N          of a program on full nodes (1)\n"
	"  --cpus-per-task N  cores of a process (1)\n"
	"  --half-width P     measure until half the 95 % interval of each "
	"slowdown is at most\n"
	"                     P % of it (5)\n"
	"  --limit MIN        time limit of a job at most, more than a run "
	"takes (60)\n"
	"  --at-once N        experiments at the same time (1)\n"
	"  --node SxC         sockets and cores a socket, if nodes differ\n"
	"  --unconstrained    although jobs are not bound to their cores\n"
	"\n"
	"check: FILE is a file, or - for standard input.  Prints what each "
	"profile suffers\nbeside each other one, and as root whether "
	"SlurmUser may read the file.\n"
	"  --json             the answer as JSON\n"
	"\n"
	"learned: what was learned of each kind of job, by cosched_learned of "
	"slurmctld's plugin\nor a file of 'cosched learn --out'.\n"
	"  --of USER/NAME     the partners of that kind, and whether it may "
	"share\n"
	"  --json             the answer as JSON\n"
	"export: the same as a profile file, always JSON; pairs have their "
	"bounds.\n"
	"  --node SxC         sockets and cores a socket of the nodes (2x2)\n"
	"\n"
	"from-corun: print a profile file, always JSON, from measured "
	"co-runs.\n"
	"  --node SxC         sockets, and cores per socket, of the nodes (2x2)\n"
	"  --measured         leave out unmeasured pairs\n"
	"TABLE has lines CODE BESIDE RATIO RUNS: time at half density beside "
	"the other over\ntime alone on full nodes; ALONE has CODE SECONDS "
	"PROCESSES RUNS for each code.\n"
};
