/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched shadow-report LOG...: what mode act would have gained, and at whose cost,
 * from a log of mode shadow.
 */
#include <errno.h>
#include <string.h>

#include "cli/cmd.h"
#include "import/history.h"
#include "import/site_policy.h"
#include "shadow/shadow.h"
#include "sim/outfile.h"

struct wish {
	const char *since, *site, *profiles, *html, *learned;
	bool json;
};

static int read_options(int argc, char **argv, struct wish *w)
{
	static const struct option options[] = {
		{ "help", 0, NULL, 'h' },    { "since", 1, NULL, 's' },
		{ "site", 1, NULL, 'p' },    { "profiles", 1, NULL, 'f' },
		{ "learned", 1, NULL, 'l' }, { "html", 1, NULL, 'o' },
		{ "json", 0, NULL, 'j' },    { 0 }
	};
	int c;

	while ((c = cs_cmd_getopt(&cs_cmd_shadow_report, argc, argv,
				  options)) != -1) {
		if (c == 's')
			w->since = optarg;
		else if (c == 'p')
			w->site = optarg;
		else if (c == 'f')
			w->profiles = optarg;
		else if (c == 'l')
			w->learned = optarg;
		else if (c == 'o')
			w->html = optarg;
		else if (c == 'j')
			w->json = true;
		else
			return CS_EXIT_USAGE;
	}
	if (optind == argc)
		return cs_cmd_bad(
			"shadow-report: no log, expected a file or -");
	w->site = cs_site_policy("shadow-report", w->site);
	return w->site ? 0 : CS_EXIT_USAGE;
}

/* ---- reading ------------------------------------------------------------------- */

static int one(struct cs_shadow *s, const char *name)
{
	bool in = !strcmp(name, "-");
	FILE *file = in ? stdin : fopen(name, "re");
	struct cs_err err = { "" };
	int rc;

	if (!file)
		return cs_cmd_bad("shadow-report: '%.200s': %s", name,
				  strerror(errno));
	rc = cs_shadow_read(s, file, in ? "stdin" : name, &err);
	if (!in)
		fclose(file);
	return rc ? cs_cmd_bad("shadow-report: %s", err.text) : 0;
}

static int read_all(struct cs_shadow *s, int n, char *const *name)
{
	struct cs_err err = { "no memory" };
	int rc = cs_shadow_init(s) ? cs_cmd_bad("shadow-report: no memory") : 0;

	for (int i = 0; !rc && i < n; i++)
		rc = one(s, name[i]);
	if (!rc && cs_shadow_end(s, &err))
		rc = cs_cmd_bad("shadow-report: '%.200s': %s", name[0],
				err.text);
	if (!rc && s->cut)
		cs_cmd_bad("shadow-report: '%.200s': the last line is cut off, "
			   "skipped",
			   name[n - 1]);
	if (!rc && s->other_profiles)
		cs_cmd_bad(
			"shadow-report: the profile file has changed since the "
			"log was written: the schedule uses its present "
			"content, see --profiles");
	return rc;
}

/* ---- the answer ------------------------------------------------------------------ */

static int put_page(const struct cs_shadow *s, const char *path)
{
	struct cs_outfile out = { 0 };
	struct cs_err err = { "" };
	int rc = cs_outfile_open(&out, path, &err);

	if (!rc && cs_shadow_page(s, out.file))
		rc = cs_err_set(&err, -EIO, "'%.200s': %s", path,
				strerror(errno ? errno : EIO));
	if (!rc)
		rc = cs_outfile_keep(&out, &err);
	cs_outfile_drop(&out);
	return rc ? cs_cmd_bad("shadow-report: %s", err.text) : 0;
}

static int put(const struct cs_shadow *s, const struct wish *w)
{
	int rc = w->html ? put_page(s, w->html) : 0;

	if (rc)
		return rc;
	rc = w->json ? cs_shadow_json(s, stdout) : cs_shadow_say(s);
	return rc == -ENOMEM ? cs_cmd_bad("shadow-report: no memory") : 0;
}

static int run(int argc, char **argv)
{
	static struct cs_shadow s;
	struct wish w = { .site = CS_SITE_POLICY };
	struct cs_err err = { "" };
	int rc = read_options(argc, argv, &w);

	if (!rc)
		rc = cs_history_since("shadow-report", w.since, &s.since_us);
	if (rc)
		return rc;
	s.site = w.site;
	s.only_profiles = w.profiles;
	rc = read_all(&s, argc - optind, argv + optind);
	if (!rc && cs_shadow_simulate(&s, &err))
		rc = cs_cmd_bad("shadow-report: %s", err.text);
	if (!rc && w.learned && cs_shadow_learned(&s, w.learned, &err))
		rc = cs_cmd_bad("shadow-report: --learned: %s", err.text);
	if (!rc)
		rc = put(&s, &w);
	cs_shadow_done(&s);
	return rc;
}

const struct cs_cmd cs_cmd_shadow_report = {
	"shadow-report", "[OPTION]... LOG...",
	"Say what mode act would have done, from a log of mode shadow.", run,
	"  --since T          jobs from then on: YYYY-MM-DD[THH:MM:SS] or "
	"now-7days\n"
	"  --site POLICY      the site's own, to simulate as well; stock: as\n"
	"                     Slurm's own schedulers (the default), easy: whole\n"
	"                     nodes, which is easy:unprofiled=model\n"
	"  --profiles FILE    use this profile file, not the one in the log\n"
	"  --learned FILE     what learn=propose has learned, cosched_learned in\n"
	"                     StateSaveLocation: say what learn=use would gain\n"
	"  --html FILE        one page with tables and plots\n"
	"  --json             all of it as JSON\n"
	"LOG is a file, or - for standard input.  Rotated files: the oldest "
	"first.\n"
};
