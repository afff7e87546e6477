/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched whatif FILE|--sacct: import, and compare with the site's own policy.
 *
 * The history and its replicas are written as traces to a folder of their own under
 * TMPDIR, which is removed at the end; `cosched compare` does the rest.  In a replica
 * each submit is moved by up to --jitter seconds, uniformly, to separate effects of one
 * particular order of arrivals from the others.  All keys that are not given are
 * slurmctld's defaults: the question is what a site would get.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/profile_file.h"
#include "cli/trace_file.h"
#include "common/base/rng.h"
#include "compare/compare.h"
#include "import/history.h"
#include "import/site_error.h"
#include "import/site_policy.h"
#include "sim/outfile.h"

#define REPLICAS_MAX 1000
#define STATE_LEARNED "cosched_learned" /* in StateSaveLocation */

enum {
	O_MACHINE,
	O_SITE,
	O_POLICIES,
	O_PROFILES,
	O_HTML,
	O_SUMMARY,
	O_CONF,
	O_SHARED,
	O_LEARNED,
	O_GPUS,
	OPTIONS
};

/* What the site's policy is compared with beside slurmctld's default, without --policies. */
static const char others[] = "easy,cover,cover+,adaptive";

static const char *const names[OPTIONS] = {
	"machine", "site",	 "policies",	  "profiles", "html",
	"summary", "slurm-conf", "sbatch-folder", "learned",  "gpus",
};

struct wish {
	const char *of[OPTIONS];
	struct cs_history history;
	int64_t replicas, jitter_s, seed;
	bool json;
	bool papers;	    /* --simulator-defaults */
	bool array;	    /* --sbatch ... */
	const char *sbatch; /* ... with a value */
};

struct work {
	struct cs_import im;
	char folder[4096];
	char *file[REPLICAS_MAX + 1]; /* [n] traces */
	size_t n;
	struct cs_site_slurm slurm;
	struct cs_compare_site site; /* the site's own policy */
};

/* ---- options ------------------------------------------------------------- */

static int take(struct wish *w, int c, const char *value)
{
	switch (c) {
	case 's':
		w->history.since = value;
		return 0;
	case 'o':
		w->json = true;
		return 0;
	case 'p':
		w->papers = true;
		return 0;
	case 'b':
		w->array = true;
		w->sbatch = value;
		return 0;
	case 'x':
		w->history.strict = true;
		return 0;
	case 'f':
		w->history.time_format = value;
		return 0;
	case 't':
		return cs_cmd_whole("whatif", "--threads", value, 1, 1024,
				    &w->history.threads);
	case 'r':
		return cs_cmd_whole("whatif", "--replicas", value, 0,
				    REPLICAS_MAX, &w->replicas);
	case 'j':
		return cs_cmd_whole("whatif", "--jitter", value, 1, 864000,
				    &w->jitter_s);
	case 'e':
		return cs_cmd_whole("whatif", "--seed", value, 0, INT32_MAX,
				    &w->seed);
	default:
		w->of[c - 256] = value;
		return 0;
	}
}

static int read_options(int argc, char **argv, struct wish *w)
{
	static struct option options[OPTIONS + 13] = {
		{ "help", 0, NULL, 'h' },
		{ "sacct", 0, NULL, 'a' },
		{ "since", 1, NULL, 's' },
		{ "threads", 1, NULL, 't' },
		{ "strict", 0, NULL, 'x' },
		{ "replicas", 1, NULL, 'r' },
		{ "jitter", 1, NULL, 'j' },
		{ "seed", 1, NULL, 'e' },
		{ "json", 0, NULL, 'o' },
		{ "time-format", 1, NULL, 'f' },
		{ "simulator-defaults", 0, NULL, 'p' },
		{ "sbatch", 2, NULL, 'b' },
	};
	bool sacct = false;
	int c, rc = 0;

	for (int i = 0; i < OPTIONS; i++)
		options[i + 12] = (struct option){ names[i], 1, NULL, 256 + i };
	while (!rc &&
	       (c = cs_cmd_getopt(&cs_cmd_whatif, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'a')
			sacct = true;
		else
			rc = take(w, c, optarg);
	}
	if (rc)
		return rc;
	if (!w->of[O_MACHINE])
		return cs_cmd_bad("whatif: no --machine, expected "
				  "NODESxSOCKETSxCORES such as 128x2x2");
	if (argc - optind != !sacct)
		return cs_cmd_bad("whatif: %s, expected one FILE or --sacct",
				  sacct		  ? "both a file and --sacct"
				  : argc > optind ? "several files"
						  : "no file");
	if (w->of[O_SHARED] && !w->array)
		return cs_cmd_bad("whatif: --sbatch-folder without --sbatch, "
				  "expected both");
	if (w->of[O_LEARNED] && access(w->of[O_LEARNED], R_OK))
		return cs_cmd_bad("whatif: --learned: '%.200s': %s",
				  w->of[O_LEARNED], strerror(errno));
	if (w->papers && w->of[O_CONF])
		return cs_cmd_bad("whatif: --slurm-conf and "
				  "--simulator-defaults, expected one of them");
	w->history.file = sacct ? NULL : argv[optind];
	w->history.gpus = w->of[O_GPUS] != NULL;
	w->of[O_SITE] = cs_site_policy("whatif", w->of[O_SITE]);
	return w->of[O_SITE] ? 0 : CS_EXIT_USAGE;
}

/* ---- traces -------------------------------------------------------------- */

/* Write the history to file @name in the folder. */
static int write_trace(const struct wish *w, struct work *k, const char *name)
{
	char *path = NULL;
	FILE *file;
	int rc;

	if (asprintf(&path, "%s/%s", k->folder, name) < 0)
		return cs_cmd_bad("whatif: no memory");
	k->file[k->n++] = path;
	file = fopen(path, "wxe");
	if (!file)
		return cs_cmd_bad("whatif: '%.200s': %s", path,
				  strerror(errno));
	rc = cs_history_write(&w->history, &k->im, file);
	if (fclose(file) || rc)
		return cs_cmd_bad("whatif: '%.200s': %s", path,
				  strerror(errno ? errno : EIO));
	return 0;
}

/* Move the submits, starting from those in @from. */
static void jitter(const struct wish *w, struct work *k, const int64_t *from,
		   struct cs_rng *rng)
{
	struct cs_trace *t = &k->im.trace;

	for (size_t i = 0; i < t->n; i++) {
		double u = cs_rng_unit(rng) * 2 - 1;
		int64_t us =
			from[i] + (int64_t)(u * (double)w->jitter_s) * 1000000;

		t->job[i].submit_us = us > 0 ? us : 0;
	}
}

static int write_replicas(const struct wish *w, struct work *k)
{
	size_t n = k->im.trace.n;
	int64_t *from = malloc(n * sizeof(*from));
	struct cs_rng rng;
	char name[64];
	int rc = 0;

	if (!from)
		return cs_cmd_bad("whatif: no memory");
	for (size_t i = 0; i < n; i++)
		from[i] = k->im.trace.job[i].submit_us;
	cs_rng_init(&rng, (uint64_t)w->seed, 0);
	for (int64_t i = 1; !rc && i <= w->replicas; i++) {
		snprintf(name, sizeof(name), "replica-%d", (int)i);
		jitter(w, k, from, &rng);
		rc = write_trace(w, k, name);
	}
	free(from);
	return rc;
}

static int make_traces(const struct wish *w, struct work *k)
{
	const char *tmp = getenv("TMPDIR");
	int rc;

	snprintf(k->folder, sizeof(k->folder), "%s/cosched-XXXXXX",
		 tmp && *tmp && strlen(tmp) < sizeof(k->folder) - 32 ? tmp
								     : "/tmp");
	if (!mkdtemp(k->folder)) {
		rc = cs_cmd_bad("whatif: '%.200s': %s", k->folder,
				strerror(errno));
		*k->folder = '\0';
		return rc;
	}
	cs_outfile_scratch(k->folder, k->file, &k->n);
	rc = write_trace(w, k, "history");
	return rc ? rc : write_replicas(w, k);
}

/* ---- the site's own policy ----------------------------------------------- */

/* The settings of the site's policy, with the profiles that compare would give it. */
static int site_params(const struct wish *w, const struct work *k,
		       struct cs_params *ret, struct cs_profiles **ret_profiles)
{
	char settings[CS_SETTINGS_MAX] = "";
	struct cs_err err = { "" };
	int rc =
		cs_cmd_add_setting("whatif", settings, "policy", w->of[O_SITE]);

	for (char *c = settings; *c; c++)
		*c = *c == ':' ? ',' : *c;
	if (!rc && w->of[O_PROFILES] && !strstr(settings, ",profiles="))
		rc = cs_cmd_add_setting("whatif", settings, "profiles",
					w->of[O_PROFILES]);
	if (rc)
		return rc;
	if (k->slurm.settings && *k->slurm.settings) {
		strcat(settings, ",");
		strcat(settings, k->slurm.settings);
	}
	if (cs_params_parse_at(ret, w->papers ? CS_HOST_SIM : CS_HOST_SIM_LIVE,
			       k->slurm.sched, settings, "", &err))
		return cs_cmd_bad("whatif: %s", err.text);
	return *ret->profiles
		       ? cs_profile_file("whatif", ret->profiles, ret_profiles)
		       : 0;
}

/* The trace as compare will read it. */
static int read_back(const struct wish *w, const struct work *k,
		     const struct cs_machine *m, struct cs_trace *ret)
{
	struct cs_trace_options o = { .max_procs = cs_machine_cores(m),
				      .machine = m };
	int rc = cs_trace_file("whatif", k->file[0], NULL, &o, ret);

	if (rc)
		return rc;
	if (ret->n)
		return 0;
	return cs_cmd_bad("whatif: machine '%.100s' holds none of the jobs, "
			  "expected a larger one",
			  w->of[O_MACHINE]);
}

/* What learn=use would gain, if something was learned: in the file of --learned, or by
 * slurmctld, whose jobs sacct prints. */
static int use_gain(const struct wish *w, struct work *k,
		    const struct cs_machine *m, const struct cs_trace *t)
{
	const char *path = w->of[O_LEARNED];
	char own[4096 + 32], settings[64];
	struct cs_params params = { 0 };
	struct cs_bar bar;
	struct cs_sim_options o = { .machine = m,
				    .params = &params,
				    .progress = cs_bar_draw,
				    .arg = &bar };
	struct cs_err err = { "" };
	int rc;

	if (!path && !w->history.file && k->slurm.state) {
		snprintf(own, sizeof(own), "%s/" STATE_LEARNED, k->slurm.state);
		path = access(own, R_OK) ? NULL : own;
	}
	if (!path)
		return 0;
	snprintf(settings, sizeof(settings), "policy=%s",
		 cs_params_default_policy(CS_HOST_LIVE));
	if (cs_params_parse_at(&params, CS_HOST_SIM_LIVE, k->slurm.sched,
			       settings, "", &err))
		return cs_cmd_bad("whatif: %s", err.text);
	cs_sim_clock(&params, t);
	cs_bar_init(&bar);
	rc = cs_use_gain(
		path, &o, t,
		cs_site_error(&k->site.simulated, &k->site.recorded).response_s,
		k->site.left_part, &k->site.use, &err);
	cs_bar_done(&bar);
	cs_params_done(&params);
	if (rc && path == own) { /* which the user has not named */
		k->site.use = (struct cs_use_gain){ 0 };
		return 0;
	}
	return rc ? cs_cmd_bad("whatif: --learned: %s", err.text) : 0;
}

static int site(const struct wish *w, struct work *k)
{
	struct cs_profiles *profiles = NULL;
	struct cs_machine *machine = NULL;
	struct cs_params params = { 0 };
	struct cs_trace t = { 0 };
	struct cs_bar bar;
	struct cs_sim_options o = { .params = &params,
				    .progress = cs_bar_draw,
				    .arg = &bar };
	struct cs_err err = { "" };
	int rc = site_params(w, k, &params, &profiles);

	if (!rc && cs_sim_machine_gpus(w->of[O_MACHINE], w->of[O_GPUS],
				       &machine, &err))
		rc = cs_cmd_bad("whatif: %s", err.text);
	if (!rc)
		rc = read_back(w, k, machine, &t);
	if (rc)
		goto out;
	o.machine = machine;
	o.profiles = profiles;
	cs_sim_clock(&params, &t);
	cs_bar_init(&bar);
	rc = cs_site_error_simulated(&o, &t, &k->site.simulated, &err);
	cs_bar_done(&bar);
	if (rc) {
		rc = cs_cmd_bad("whatif: %s", err.text);
		goto out;
	}
	k->site.recorded = cs_site_error_recorded(&t);
	k->site.left_part = cs_site_error_left_part(
		&k->im.trace, cs_machine_cores(machine), k->im.open_core_us);
	rc = use_gain(w, k, machine, &t);
	if (rc)
		goto out;
	k->site.policy = w->of[O_SITE];
	k->site.sched = k->slurm.sched;
	k->site.settings = k->slurm.settings;
	if (!w->of[O_POLICIES])
		k->site.always = cs_params_default_policy(CS_HOST_LIVE);
	k->site.large = t.skipped[CS_TRACE_LARGE];
out:
	cs_trace_done(&t);
	cs_params_done(&params);
	cs_profiles_free(profiles);
	cs_machine_free(machine);
	return rc;
}

/* ---- compare ------------------------------------------------------------- */

/* Is the item of @n letters at @item in the list from @list to @end? */
static bool listed(const char *list, const char *end, const char *item,
		   size_t n)
{
	while (list < end) {
		size_t len = strcspn(list, ",");

		if (list + len > end)
			len = (size_t)(end - list);
		if (len == n && !strncmp(list, item, n))
			return true;
		list += len + 1;
	}
	return false;
}

/* Those of @from that @list, which ends at @at, lacks; returns its end. */
static char *append(char *list, char *at, const char *from)
{
	while (*from) {
		size_t n = strcspn(from, ",");

		if (n && !listed(list, at, from, n)) {
			*at++ = ',';
			memcpy(at, from, n);
			at += n;
			*at = '\0';
		}
		from += n + (from[n] == ',');
	}
	return at;
}

/* The site's policy and the others, each once, as one list; NULL: no memory. */
static char *policies_of(const struct wish *w)
{
	const char *live = cs_params_default_policy(CS_HOST_LIVE);
	const char *given = w->of[O_POLICIES];
	size_t size = strlen(w->of[O_SITE]) +
		      (given ? strlen(given) : strlen(live) + sizeof(others)) +
		      3;
	char *list = malloc(size), *at;

	if (!list)
		return NULL;
	at = stpcpy(list, w->of[O_SITE]);
	if (given) {
		append(list, at, given);
		return list;
	}
	at = append(list, at, live);
	append(list, at, others);
	return list;
}

static int compare(const struct wish *w, const struct work *k)
{
	/* compare, --policies and its list, three flags, "--", NULL; options with values */
	enum { WORDS = 8 + 2 * OPTIONS };
	char **argv = calloc(k->n + WORDS, sizeof(*argv));
	char *policies = policies_of(w), *sbatch = NULL;
	int argc = 0, rc;

	if (w->array && asprintf(&sbatch, "--sbatch%s%s", w->sbatch ? "=" : "",
				 w->sbatch ? w->sbatch : "") < 0)
		sbatch = NULL;
	if (!argv || !policies || (w->array && !sbatch)) {
		free(argv);
		free(policies);
		free(sbatch);
		return cs_cmd_bad("whatif: no memory");
	}
	argv[argc++] = "compare";
	argv[argc++] = "--policies";
	argv[argc++] = policies;
	for (int i = 0; i < OPTIONS; i++) {
		static const char *const to[OPTIONS] = {
			"--machine", NULL,	  NULL, "--profiles",
			"--html",    "--summary", NULL, "--sbatch-folder",
			NULL,	     "--gpus",
		};

		if (!to[i] || !w->of[i])
			continue;
		argv[argc++] = (char *)(uintptr_t)to[i];
		argv[argc++] = (char *)(uintptr_t)w->of[i];
	}
	if (sbatch)
		argv[argc++] = sbatch;
	if (w->json)
		argv[argc++] = "--json";
	if (!w->papers)
		argv[argc++] = "--live-defaults";
	argv[argc++] = "--";
	for (size_t i = 0; i < k->n; i++)
		argv[argc++] = k->file[i];
	optind = 0;	/* the options are now another command's */
	fflush(stdout); /* it forks */
	rc = cs_cmd_compare_history(argc, argv, &k->site);
	free(policies);
	free(sbatch);
	free(argv);
	return rc;
}

static void work_done(struct work *k)
{
	cs_outfile_scratch(NULL, NULL, NULL);
	for (size_t i = 0; i < k->n; i++) {
		unlink(k->file[i]);
		free(k->file[i]);
	}
	if (*k->folder)
		rmdir(k->folder);
	cs_import_done(&k->im);
	cs_site_slurm_done(&k->slurm);
}

static int run(int argc, char **argv)
{
	static struct work k;
	struct wish w = {
		.of = { [O_SITE] = CS_SITE_POLICY },
		.history = { .cmd = "whatif", .threads = 1, .swf = true },
		.replicas = 4,
		.jitter_s = 600,
		.seed = 1,
	};
	int rc = read_options(argc, argv, &w);

	/* sacct's jobs ran under the Slurm of this host, those of a file anywhere */
	if (!rc && (w.of[O_CONF] || (!w.history.file && !w.papers)))
		rc = cs_site_slurm_read(&k.slurm, "whatif", w.of[O_CONF],
					w.of[O_SITE]);
	if (!rc)
		rc = cs_history_read(&w.history, &k.im);
	if (!rc)
		rc = make_traces(&w, &k);
	if (!rc)
		rc = site(&w, &k);
	if (!rc)
		rc = compare(&w, &k);
	work_done(&k);
	return rc;
}

const struct cs_cmd cs_cmd_whatif = {
	"whatif", "OPTION... FILE|--sacct",
	"Simulate our policies on the site's job history.", run,
	"  --machine NxSxC    nodes, sockets a node, cores a socket\n"
	"  --gpus [TYPE:]N    GPUs of each node, or of each kind, joined by +; jobs take "
	"those\n"
	"                     of AllocTRES or ReqTRES\n"
	"  --site POLICY      the site's own, optionally with settings; stock: as\n"
	"                     Slurm's own schedulers (the default); easy: whole\n"
	"                     nodes, which is easy:unprofiled=model\n"
	"  --slurm-conf FILE  what Slurm's schedulers are set to (bf_interval, bf_window\n"
	"                     and so on); with --sacct, slurmctld's own\n"
	"  --policies A,B     policies to compare with it "
	"(balanced,easy,cover,cover+,\n"
	"                     adaptive; the answer tells of balanced, the live "
	"default, and\n"
	"                     the best two others)\n"
	"  --profiles FILE    how jobs slow each other down\n"
	"  --learned FILE     what learn=propose has learned (with --sacct, slurmctld's "
	"own): say\n"
	"                     what learn=use would gain\n"
	"  --simulator-defaults  the papers' for other keys, not slurmctld's\n"
	"  --replicas N       of the history, with different arrivals (4)\n"
	"  --jitter S         by how many seconds a submit may move (600)\n"
	"  --seed N           of the jitter (1)\n"
	"  --sbatch[=OPTIONS] simulate as tasks of a job array on this site's Slurm\n"
	"  --sbatch-folder F  a folder that all nodes share, for its files (the "
	"current\n"
	"                     one)\n"
	"  --html FILE        one page with tables and plots\n"
	"  --summary FILE     means, changes and all runs as JSON\n"
	"  --json             print the same instead of text\n"
	"  --sacct            run sacct for all jobs that it knows\n"
	"  --since T          jobs from then on: YYYY-MM-DD[THH:MM:SS] or "
	"now-30days\n"
	"  --threads N        hardware threads per core, where Slurm counts "
	"them (1)\n"
	"  --time-format F    how the text has its times: SLURM_TIME_FORMAT's "
	"value (its own)\n"
	"  --strict           stop at the first unreadable line\n"
	"FILE is as in cosched import, or a workload log (SWF).\n"
};
