/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched import FILE|--sacct: the site's own history as a trace.
 */
#include <errno.h>
#include <string.h>

#include "cli/cmd.h"
#include "import/history.h"

static int read_options(int argc, char **argv, struct cs_history *h)
{
	static const struct option options[] = {
		{ "help", 0, NULL, 'h' },	 { "sacct", 0, NULL, 'a' },
		{ "since", 1, NULL, 's' },	 { "threads", 1, NULL, 't' },
		{ "strict", 0, NULL, 'x' },	 { "gpus", 0, NULL, 'g' },
		{ "time-format", 1, NULL, 'f' }, { 0 },
	};
	bool sacct = false;
	int c, rc = 0;

	while (!rc &&
	       (c = cs_cmd_getopt(&cs_cmd_import, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		if (c == 'a')
			sacct = true;
		else if (c == 's')
			h->since = optarg;
		else if (c == 'x')
			h->strict = true;
		else if (c == 'g')
			h->gpus = true;
		else if (c == 'f')
			h->time_format = optarg;
		else
			rc = cs_cmd_whole("import", "--threads", optarg, 1,
					  1024, &h->threads);
	}
	if (rc)
		return rc;
	if (argc - optind != !sacct)
		return cs_cmd_bad("import: %s, expected one FILE or --sacct",
				  sacct		  ? "both a file and --sacct"
				  : argc > optind ? "several files"
						  : "no file");
	h->file = sacct ? NULL : argv[optind];
	return 0;
}

static int run(int argc, char **argv)
{
	struct cs_history h = { .cmd = "import", .threads = 1 };
	struct cs_import im = { 0 };
	int rc = read_options(argc, argv, &h);

	if (!rc)
		rc = cs_history_read(&h, &im);
	if (!rc && cs_history_write(&h, &im, stdout))
		rc = cs_cmd_bad("import: cannot write the trace: %s",
				strerror(errno ? errno : EIO));
	cs_import_done(&im);
	return rc;
}

const struct cs_cmd cs_cmd_import = {
	"import", "[OPTION]... FILE|--sacct",
	"Print the site's job history as a trace.", run,
	"  --sacct            run sacct for all jobs that it knows\n"
	"  --since T          jobs from then on: YYYY-MM-DD[THH:MM:SS] or "
	"now-30days\n"
	"  --threads N        hardware threads per core, where Slurm counts "
	"them (1)\n"
	"  --gpus             with the GPUs of jobs and their nodes, for "
	"cosched sim --gpus\n"
	"  --time-format F    how the text has its times: SLURM_TIME_FORMAT's "
	"value (its own)\n"
	"  --strict           stop at the first unreadable line\n"
	"FILE is output of sacct -P, with column names in its first line, or "
	"one of our event\nlogs; - is standard input. The trace goes to "
	"standard output, counts and bad lines\nto standard error.\n"
};
