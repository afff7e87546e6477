/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/history.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/options.h"

#define TOLD_MAX 5 /* most bad lines shown */

/* First bytes of a workload log: of its header, of a job's line where there is none, or of one
 * packed by gzip, zstd or xz.  No text of sacct, which has the columns' names first, and no
 * event log begins with one. */
#define SWF_BEGINS ";# \t0123456789\x1f\x28\xfd"

extern char **environ;

/* ---- options ------------------------------------------------------------- */

/* "-2minutes" behind "now", in seconds, as Slurm has it; false: none. */
static bool read_ago(const char *s, int64_t *ret_s)
{
	static const struct {
		const char *name;
		int64_t s;
	} units[] = {
		{ "seconds", 1 },  { "minutes", 60 },	{ "hours", 3600 },
		{ "days", 86400 }, { "weeks", 604800 },
	};
	char *end;
	long n;

	*ret_s = 0;
	if (!*s)
		return true;
	if (*s != '-' || s[1] < '0' || s[1] > '9')
		return false;
	n = strtol(s + 1, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t len = strlen(units[i].name);

		if (n > 36500 * 86400L / units[i].s ||
		    (*end && strcmp(end, units[i].name) &&
		     (strlen(end) != len - 1 ||
		      strncmp(end, units[i].name, len - 1))))
			continue;
		*ret_s = n * units[i].s;
		return true;
	}
	return false;
}

/* The last midnight here. */
static int64_t today_s(void)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return mktime(&tm);
}

int cs_history_since(const char *cmd, const char *s, int64_t *ret_us)
{
	int64_t ago_s;

	*ret_us = CS_IMPORT_NONE;
	if (!s)
		return 0;
	if (!strcmp(s, "today") || !strcmp(s, "midnight")) {
		*ret_us = today_s() * 1000000;
		return 0;
	}
	if (!strncmp(s, "now", 3) && read_ago(s + 3, &ago_s)) {
		*ret_us = ((int64_t)time(NULL) - ago_s) * 1000000;
		return 0;
	} else if (!cs_import_instant(s, ret_us) && *ret_us != CS_IMPORT_NONE) {
		return 0;
	}
	return cs_cmd_bad(
		"%s: --since is '%.100s', expected YYYY-MM-DD, "
		"YYYY-MM-DDTHH:MM:SS, now-30days, now-2hours or today",
		cmd, s);
}

static void bad(void *arg, const char *text)
{
	struct cs_history *h = arg;

	cs_bar_done(&h->bar);
	if (!h->told)
		cs_err_set(&h->first, 0, "%s", text);
	if (h->told++ < TOLD_MAX && !h->job)
		cs_cmd_bad("%s: %s, left out", h->cmd, text);
}

/* ---- sacct --------------------------------------------------------------- */

static const char sacct_columns[] =
	"JobIDRaw,JobID,User,Account,Partition,Submit,Eligible,Start,End,"
	"ElapsedRaw,TimelimitRaw,State,AllocCPUS,ReqCPUS";

/* sacct with its output to @out; its complaints stay on stderr. */
static int spawn(char *const *argv, int out, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return -rc;
	rc = posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (!rc)
		rc = posix_spawnp(ret, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

/* Wait for sacct and give its status, as a shell does; -1: a message has been printed. */
static int await(const struct cs_history *h, pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR) {
			cs_cmd_bad("%s: sacct: %s", h->cmd, strerror(errno));
			return -1;
		}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Read what sacct writes.  Where that ends early the cause is sacct's; where the reading
 * ends before, it is the text's. */
static int read_sacct(struct cs_history *h, struct cs_import *im, FILE *file,
		      pid_t pid)
{
	struct cs_err err = { "" };
	int rc = cs_import_sacct(im, file, "sacct", &err), status;
	bool whole = feof(file);

	fclose(file); /* sacct gets SIGPIPE if it still writes */
	status = await(h, pid);
	if (status < 0)
		return CS_EXIT_USAGE;
	if (rc && !(whole && status))
		return cs_cmd_bad("%s: %s", h->cmd, err.text);
	if (status)
		return cs_cmd_bad("%s: sacct ended with status %d, expected 0; "
				  "see what it said above",
				  h->cmd, status);
	return CS_EXIT_OK;
}

/* Times as seconds since 1970: no ambiguous hour when clocks change. */
static int run_sacct(struct cs_history *h, struct cs_import *im)
{
	char since[64] = "--starttime=1970-01-02";
	char format[sizeof(sacct_columns) + 64];
	char *argv[] = { "sacct",	  "--allusers",
			 "--allocations", "--duplicates",
			 "--parsable2",	  "--noconvert",
			 since,		  "--endtime=now",
			 format,	  NULL };
	int fd[2], rc;
	FILE *file;
	pid_t pid;

	/* what may hold a separator is last */
	snprintf(format, sizeof(format), "--format=%s%s%s,JobName",
		 sacct_columns, h->job ? ",NodeList" : "",
		 h->gpus ? ",AllocTRES,ReqTRES" : "");
	if (h->since) {
		time_t t = (time_t)(h->options.since_us / 1000000);
		struct tm tm;

		if (localtime_r(&t, &tm))
			strftime(since, sizeof(since),
				 "--starttime=%Y-%m-%dT%H:%M:%S", &tm);
	}
	h->options.clock = (struct cs_import_clock){ .written_s = time(NULL) };
	if (setenv("SLURM_TIME_FORMAT", "%s", 1) || pipe2(fd, O_CLOEXEC))
		return cs_cmd_bad("%s: sacct: %s", h->cmd, strerror(errno));
	rc = spawn(argv, fd[1], &pid);
	close(fd[1]);
	file = rc ? NULL : fdopen(fd[0], "r");
	if (!file)
		close(fd[0]);
	if (rc)
		return cs_cmd_bad(
			"%s: cannot run sacct: %s; expected it in PATH, "
			"or a FILE with the output of sacct -P",
			h->cmd, strerror(-rc));
	if (file)
		return read_sacct(h, im, file, pid);
	await(h, pid);
	return cs_cmd_bad("%s: sacct: no memory", h->cmd);
}

/* ---- how times are written ----------------------------------------------- */

/* A format that is not one of the forms that are known by themselves. */
static const char *own_format(const char *format)
{
	return format && strchr(format, '%') && strcmp(format, "%s") ? format
								     : NULL;
}

static int check_format(const struct cs_history *h)
{
	const char *f = h->time_format;

	if (!f || !strcmp(f, "standard") || !strcmp(f, "relative") ||
	    (strchr(f, '%') && strlen(f) < CS_IMPORT_FORMAT_MAX))
		return 0;
	return cs_cmd_bad(
		"%s: --time-format is '%.100s', expected standard, "
		"relative or a format of strftime such as %%F %%T%%z, "
		"as SLURM_TIME_FORMAT",
		h->cmd, f);
}

/* A text was written when its file was changed last; a stream is being written. */
static struct cs_import_clock clock_of(const struct cs_history *h)
{
	struct cs_import_clock clock = {
		.format = own_format(h->time_format
					     ? h->time_format
					     : getenv("SLURM_TIME_FORMAT")),
		.written_s = time(NULL),
	};
	struct stat st;

	if (!stat(h->file, &st) && S_ISREG(st.st_mode))
		clock.written_s = st.st_mtime;
	return clock;
}

/* ---- a file -------------------------------------------------------------- */

/* A workload log: as cosched sim would read it. */
static int read_swf(const struct cs_history *h, struct cs_import *im,
		    FILE *file, struct cs_err *err)
{
	const struct cs_trace_options o = { .strict = h->strict };
	char skipped[CS_TRACE_SKIPPED_TEXT];
	struct cs_trace t;
	int rc;

	if (h->since || h->threads != 1)
		return cs_err_set(
			err, -EINVAL,
			"'%.200s' is a workload log, which takes no %s",
			h->file, h->since ? "--since" : "--threads");
	rc = cs_trace_read_file(&t, file, h->file, &o, err);
	if (rc)
		return rc;
	cs_trace_done(&im->trace);
	im->trace = t;
	im->count[CS_IMPORT_JOBS] = im->trace.n;
	cs_trace_skipped_text(&im->trace, skipped);
	if (*skipped)
		fprintf(stderr, "%s: '%.200s': %s\n", h->cmd, h->file, skipped);
	return 0;
}

static int read_file(struct cs_history *h, struct cs_import *im)
{
	bool in = !strcmp(h->file, "-");
	FILE *file = h->stream ? h->stream : cs_bar_open(&h->bar, h->file);
	struct cs_err err = { "" };
	int c, rc;

	if (!file)
		return cs_cmd_bad("%s: '%.200s': %s", h->cmd, h->file,
				  strerror(errno));
	h->options.clock = clock_of(h);
	c = getc(file);
	if (c != EOF)
		ungetc(c, file);
	if (h->swf && c > 0 && strchr(SWF_BEGINS, c))
		rc = read_swf(h, im, file, &err);
	else if (c == '{')
		rc = cs_import_log(im, file, in ? "stdin" : h->file, &err);
	else
		rc = cs_import_sacct(im, file, in ? "stdin" : h->file, &err);
	if (!h->stream)
		fclose(file);
	cs_bar_done(&h->bar);
	return rc ? cs_cmd_bad("%s: %s", h->cmd, err.text) : 0;
}

/* ---- all ----------------------------------------------------------------- */

/* "95 jobs; left out: 3 steps, 2 waiting" */
static void summary(const struct cs_import *im, char *buf, size_t size)
{
	size_t at = 0;
	const char *lead = "; left out: ";

	at += (size_t)snprintf(buf, size, "%" PRIu64 " jobs",
			       im->count[CS_IMPORT_JOBS]);
	for (int i = 1; i < CS_IMPORT_COUNTS && at < size; i++) {
		if (!im->count[i])
			continue;
		at += (size_t)snprintf(
			buf + at, size - at, "%s%" PRIu64 " %s", lead,
			im->count[i],
			cs_import_count_name((enum cs_import_count)i));
		lead = ", ";
	}
	if (im->unlimited && at < size)
		at += (size_t)snprintf(buf + at, size - at,
				       "; %" PRIu64 " without a limit",
				       im->unlimited);
	if (im->over && at < size)
		snprintf(buf + at, size - at,
			 "; %" PRIu64 " ran beyond their limit", im->over);
}

static int told(void *arg, const struct cs_import_job *j)
{
	struct cs_history *h = arg;

	return h->job(h->job_arg, j);
}

/* Read it all, without the end. */
static int read_all(struct cs_history *h, struct cs_import *im)
{
	int rc = cs_history_since(h->cmd, h->since, &h->options.since_us);

	h->options.threads = (uint32_t)h->threads;
	h->options.strict = h->strict;
	h->options.gpus = h->gpus;
	h->options.bad = bad;
	h->options.job = h->job ? told : NULL;
	h->options.arg = h;
	snprintf(h->title, sizeof(h->title), "%s",
		 h->file ? (strrchr(h->file, '/') ? strrchr(h->file, '/') + 1
						  : h->file)
			 : "sacct");
	for (char *c = h->title; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	*im = (struct cs_import){ 0 };
	if (!rc)
		rc = check_format(h);
	if (rc)
		return rc;
	if (cs_import_init(im, &h->options))
		return cs_cmd_bad("%s: no memory", h->cmd);
	return h->file ? read_file(h, im) : run_sacct(h, im);
}

int cs_history_each(struct cs_history *h,
		    int (*job)(void *arg, const struct cs_import_job *j),
		    void *arg)
{
	struct cs_import im;
	char text[512];
	int rc;

	h->job = job;
	h->job_arg = arg;
	rc = read_all(h, &im);
	summary(&im, text, sizeof(text));
	if (!rc)
		fprintf(stderr, "%s%s%s\n", text,
			h->told ? "; the first bad one: " : "", h->first.text);
	cs_import_done(&im);
	return rc;
}

int cs_history_read(struct cs_history *h, struct cs_import *im)
{
	struct cs_err err = { "" };
	char text[512];
	int rc = read_all(h, im);

	if (rc)
		return rc;
	rc = cs_import_finish(im, &err);
	summary(im, text, sizeof(text));
	if (rc)
		return cs_cmd_bad("%s: '%s': %s (%s)", h->cmd, h->title,
				  err.text, text);
	if (h->told > TOLD_MAX)
		cs_cmd_bad("%s: and %" PRIu64 " lines more, left out", h->cmd,
			   h->told - TOLD_MAX);
	fprintf(stderr, "%s\n", text);
	return CS_EXIT_OK;
}

int cs_history_write(const struct cs_history *h, const struct cs_import *im,
		     FILE *file)
{
	char text[512], header[1024];

	summary(im, text, sizeof(text));
	snprintf(header, sizeof(header),
		 "Version: 2.2\nUnixStartTime: %" PRId64
		 "\nNote: cosched import of %s: %s",
		 im->trace.unix_start_s, h->title, text);
	return cs_trace_write(&im->trace, header, file);
}
