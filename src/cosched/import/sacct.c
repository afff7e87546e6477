/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of `sacct -P`: a first line with the columns' names, a line a job, separated
 * by '|'.
 *
 * Problem.  sacct does not escape: a job's name may hold '|' and newlines.  If a line
 * has too many columns and only one of them is free text, that one takes the rest.  A
 * piece after a newline is a line without a job number.
 *
 * Problem.  In the hour that comes twice when clocks are set back a time without an offset
 * means two instants.
 *
 * Rule.  Job numbers rise with time: a job's Submit is the first that is not before that of
 * the line before, if that job has a lower number.  Start and End are those that differ most
 * nearly by the elapsed and the suspended time, with Start not before that Submit; of equals
 * the first.  Without both, Start is the first that is not before Submit, End the first not
 * before Start.  Where the line before says nothing, Submit is the last that is not after
 * Start; so is Eligible always.
 * Example: Submit 02:50, Start 02:10, End 02:30, Elapsed 00:20:00, each perhaps an hour
 * later: Start 02:10 before the clock was set back would be before Submit, so it is after,
 * and Submit before it: a wait of 20 minutes.
 *
 * Symbols.  What is read from a line, the first column present of each row: enum field,
 * wanted[].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "check/lines.h"
#include "import/import.h"

#define COLUMNS_MAX 512

enum field {
	F_RAW,
	F_ID,
	F_USER,
	F_ACCOUNT,
	F_NAME,
	F_PARTITION,
	F_SUBMIT,
	F_ELIGIBLE,
	F_START,
	F_END,
	F_ELAPSED_RAW,
	F_ELAPSED,
	F_SUSPENDED,
	F_LIMIT_RAW,
	F_LIMIT,
	F_STATE,
	F_ALLOC_CPUS,
	F_NCPUS,
	F_REQ_CPUS,
	F_NODES,
	F_ALLOC_TRES,
	F_REQ_TRES,
	FIELDS
};

static const char *const wanted[FIELDS] = {
	"JobIDRaw",   "JobID",	   "User",	"Account",	"JobName",
	"Partition",  "Submit",	   "Eligible",	"Start",	"End",
	"ElapsedRaw", "Elapsed",   "Suspended", "TimelimitRaw", "Timelimit",
	"State",      "AllocCPUS", "NCPUS",	"ReqCPUS",	"NodeList",
	"AllocTRES",  "ReqTRES",
};

/* Columns that may hold anything. */
static const char *const free_text[] = {
	"JobName",    "Comment", "AdminComment", "SystemComment",
	"SubmitLine", "WorkDir", "Extra",	 "StdErr",
	"StdIn",      "StdOut",	 NULL,
};

struct reader {
	struct cs_import *im;
	struct cs_err *err;
	const char *name;
	struct cs_lines lines;
	size_t columns;
	int field[COLUMNS_MAX];	  /* of each column, or -1 */
	int column[FIELDS];	  /* of each field, or -1 */
	int loose;		  /* the only free text; -1: none, or several */
	const char *text[FIELDS]; /* of the line; "" if none */
	uint32_t last_id;	  /* of the line before, and its submit */
	int64_t last_submit_us;
};

/* ---- messages ------------------------------------------------------------ */

static const char *tail(const char *name)
{
	size_t n = strlen(name);

	return n > 100 ? name + n - 100 : name;
}

/* Field @f is not what was @expected. */
static int refuse(const struct reader *r, struct cs_err *err, enum field f,
		  const char *expected)
{
	return cs_err_set(err, -EINVAL, "%s:%llu: %s is '%.40s', expected %s",
			  tail(r->name), (unsigned long long)r->lines.line,
			  wanted[f], r->text[f], expected);
}

/* ---- columns ------------------------------------------------------------- */

static bool is_free(const char *name)
{
	for (const char *const *f = free_text; *f; f++)
		if (!strcasecmp(name, *f))
			return true;
	return false;
}

/* Column @what is missing. */
static int missing(const struct reader *r, const char *what)
{
	return cs_err_set(r->err, -EINVAL,
			  "%s:1: no column %s, expected the output of sacct "
			  "-P -o JobID,User,Account,Partition,Submit,Start,"
			  "Elapsed,Timelimit,State,AllocCPUS,JobName",
			  tail(r->name), what);
}

static int columns_check(const struct reader *r)
{
	const int *c = r->column;

	if (c[F_RAW] < 0 && c[F_ID] < 0)
		return missing(r, "JobID");
	if (c[F_SUBMIT] < 0)
		return missing(r, "Submit");
	if (c[F_START] < 0)
		return missing(r, "Start");
	if (c[F_ELAPSED_RAW] < 0 && c[F_ELAPSED] < 0 && c[F_END] < 0)
		return missing(r, "Elapsed or End");
	if (c[F_ALLOC_CPUS] < 0 && c[F_NCPUS] < 0 && c[F_REQ_CPUS] < 0)
		return missing(r, "AllocCPUS");
	if (c[F_ALLOC_TRES] < 0 && c[F_REQ_TRES] < 0 && r->im->options->gpus)
		return missing(r, "AllocTRES");
	if (c[F_NODES] < 0 && r->im->options->job)
		return cs_err_set(r->err, -EINVAL,
				  "%s:1: no column NodeList, so who ran beside "
				  "whom is not known; expected it",
				  tail(r->name));
	return 0;
}

static int read_columns(struct reader *r)
{
	char *rest = r->lines.text, *name;
	int n_free = 0;

	for (int f = 0; f < FIELDS; f++)
		r->column[f] = -1;
	r->loose = -1;
	while ((name = strsep(&rest, "|"))) {
		int i = (int)r->columns;

		if (r->columns == COLUMNS_MAX)
			return cs_err_set(r->err, -EINVAL,
					  "%s:1: more than %d columns",
					  tail(r->name), COLUMNS_MAX);
		r->columns++;
		r->field[i] = -1;
		for (int f = 0; f < FIELDS; f++)
			if (!strcasecmp(name, wanted[f]) && r->column[f] < 0) {
				r->column[f] = i;
				r->field[i] = f;
			}
		if (is_free(name)) {
			r->loose = n_free ? -1 : i;
			n_free++;
		}
	}
	return columns_check(r);
}

/* The line's columns to r->text. */
static int split(struct reader *r, struct cs_err *err)
{
	char *at = r->lines.text;
	size_t n = 1, more;

	for (const char *c = at; *c; c++)
		n += *c == '|';
	if (strlen(at) != r->lines.len)
		return cs_err_set(
			err, -EINVAL, "%s:%llu: a zero byte, expected text",
			tail(r->name), (unsigned long long)r->lines.line);
	if (n < r->columns || (n > r->columns && r->loose < 0))
		return cs_err_set(
			err, -EINVAL, "%s:%llu: %zu columns, expected %zu",
			tail(r->name), (unsigned long long)r->lines.line, n,
			r->columns);
	more = n - r->columns;
	for (size_t i = 0; i < r->columns; i++) {
		char *end = strchr(at, '|');

		for (size_t k = 0; (int)i == r->loose && k < more && end; k++)
			end = strchr(end + 1, '|');
		if (end)
			*end = '\0';
		if (r->field[i] >= 0)
			r->text[r->field[i]] = at;
		at = end ? end + 1 : at + strlen(at);
	}
	return 0;
}

/* ---- a line -------------------------------------------------------------- */

/* The number of "123", "12_3" (none of its own), "12+0"; false: not a job. */
static bool job_id(const char *text, uint32_t *ret)
{
	uint64_t v = 0;
	const char *c = text;

	for (; *c >= '0' && *c <= '9'; c++) {
		v = v * 10 + (uint64_t)(*c - '0');
		if (v > UINT32_MAX)
			return false;
	}
	if (c == text || (*c && *c != '_' && *c != '+'))
		return false;
	*ret = *c ? 0 : (uint32_t)v;
	return true;
}

/* "123.batch", "12_3.0" */
static bool is_step(const char *id)
{
	return id[strspn(id, "0123456789_+")] == '.';
}

static int cpus_of(const struct reader *r, uint64_t *ret, struct cs_err *err)
{
	static const enum field of[] = { F_ALLOC_CPUS, F_NCPUS, F_REQ_CPUS };
	int64_t v;

	*ret = 0;
	for (int i = 0; i < 3 && !*ret; i++) {
		if (!*r->text[of[i]])
			continue;
		if (cs_import_count(r->text[of[i]], 1, &v) || v < 0)
			return refuse(r, err, of[i], "a number of cpus");
		*ret = (uint64_t)v;
	}
	return 0;
}

/* The type of "gres/gpu:a100", @len bytes, into @ret; false: of no GPU. "" for "gres/gpu", and
 * "?" where the name is longer than those of traces. */
static bool gpu_type_of(const char *name, size_t len, char ret[CS_GPU_NAME])
{
	static const char gpu[] = "gres/gpu";
	size_t n = sizeof(gpu) - 1;

	if (len < n || strncmp(name, gpu, n) || (len > n && name[n] != ':'))
		return false;
	memset(ret, 0, CS_GPU_NAME);
	if (len - n > CS_GPU_NAME)
		*ret = '?';
	else if (len > n)
		memcpy(ret, name + n + 1, len - n - 1);
	return true;
}

/*
 * Rule 7 of import.h for one column: "billing=8,cpu=8,gres/gpu:a=2,gres/gpu=2,node=1". The
 * count without a type is of all, if it is there; counts that no trace can hold are refused.
 */
static int tres_of(const struct reader *r, enum field f,
		   struct cs_import_job *j, struct cs_err *err)
{
	uint64_t all = 0, typed = 0;
	uint32_t types = 0;

	for (const char *c = r->text[f], *next; *c; c = next) {
		size_t len = strcspn(c, "=,");
		char type[CS_GPU_NAME], *end;
		uint64_t v;

		next = c + strcspn(c, ",");
		next += *next == ',';
		if (c[len] != '=' ||
		    (!gpu_type_of(c, len, type) && strncmp(c, "node=", 5) != 0))
			continue;
		errno = 0;
		v = strtoull(c + len + 1, &end, 10);
		if (errno || end == c + len + 1 || (*end && *end != ',') ||
		    v > UINT32_MAX)
			return refuse(r, err, f, "counts such as gres/gpu=2");
		if (*c == 'n') {
			j->n_node = (uint32_t)v;
		} else if (!*type) {
			all = v;
		} else if (v) {
			typed += v;
			types++;
			memcpy(j->gpu_type, type, sizeof(type));
		}
	}
	all = all ? all : typed;
	if (all > UINT32_MAX)
		return refuse(r, err, f, "counts such as gres/gpu=2");
	if (types != 1 || typed != all || *j->gpu_type == '?')
		*j->gpu_type = '\0';
	j->gpus = (uint32_t)all;
	return 0;
}

static int gpus_of(const struct reader *r, struct cs_import_job *j,
		   struct cs_err *err)
{
	int rc = tres_of(r, F_ALLOC_TRES, j, err);

	return rc || *r->text[F_ALLOC_TRES] ? rc
					    : tres_of(r, F_REQ_TRES, j, err);
}

static int limit_of(const struct reader *r, int64_t *ret, struct cs_err *err)
{
	if (*r->text[F_LIMIT_RAW]) {
		if (cs_import_count(r->text[F_LIMIT_RAW], 60 * INT64_C(1000000),
				    ret))
			return refuse(r, err, F_LIMIT_RAW,
				      "minutes or UNLIMITED");
	} else if (cs_import_limit(r->text[F_LIMIT], ret)) {
		return refuse(r, err, F_LIMIT,
			      "D-HH:MM:SS, UNLIMITED or Partition_Limit");
	}
	return 0;
}

/* Rule 2 of import.h; sacct's own Elapsed excludes suspended time. */
static int runtime(const struct reader *r, int64_t start_us, int64_t end_us,
		   int64_t *ret, struct cs_err *err)
{
	int64_t suspended = 0;

	if (*r->text[F_ELAPSED_RAW]) {
		if (cs_import_count(r->text[F_ELAPSED_RAW], INT64_C(1000000),
				    ret) ||
		    *ret < 0)
			return refuse(r, err, F_ELAPSED_RAW,
				      "seconds, 0 or more");
		return 0;
	}
	if (*r->text[F_ELAPSED]) {
		if (cs_import_elapsed(r->text[F_ELAPSED], ret))
			return refuse(r, err, F_ELAPSED, "D-HH:MM:SS");
		return 0;
	}
	if (*r->text[F_SUSPENDED] &&
	    cs_import_elapsed(r->text[F_SUSPENDED], &suspended))
		return refuse(r, err, F_SUSPENDED, "D-HH:MM:SS");
	if (end_us < start_us)
		return refuse(r, err, F_END, "not before Start");
	if (suspended > end_us - start_us)
		return refuse(r, err, F_SUSPENDED, "at most End - Start");
	*ret = end_us - start_us - suspended;
	return 0;
}

static bool state_is(const struct reader *r, const char *word)
{
	return !strncasecmp(r->text[F_STATE], word, strlen(word));
}

/* The count for a job that is not over, or never began; JOBS: it has run. */
static enum cs_import_count class_of(const struct reader *r, int64_t start_us,
				     int64_t end_us)
{
	bool ends = r->column[F_END] >= 0;

	if (state_is(r, "PENDING"))
		return CS_IMPORT_WAITING;
	if (start_us == CS_IMPORT_NONE && r->column[F_STATE] >= 0)
		return state_is(r, "REQUEUE") ? CS_IMPORT_WAITING
					      : CS_IMPORT_UNSTARTED;
	if (start_us == CS_IMPORT_NONE)
		return ends && end_us == CS_IMPORT_NONE ? CS_IMPORT_WAITING
							: CS_IMPORT_UNSTARTED;
	if (state_is(r, "RUNNING") || state_is(r, "SUSPENDED") ||
	    state_is(r, "STOPPED") || (ends && end_us == CS_IMPORT_NONE))
		return CS_IMPORT_RUNNING;
	return CS_IMPORT_JOBS;
}

/* ---- an hour that comes twice -------------------------------------------- */

/* The time that the job held its nodes, by its line; CS_IMPORT_NONE: unknown. */
static int64_t held(const struct reader *r)
{
	int64_t us = CS_IMPORT_NONE, suspended = 0;

	if (cs_import_count(r->text[F_ELAPSED_RAW], INT64_C(1000000), &us) ||
	    us == CS_IMPORT_NONE)
		if (cs_import_elapsed(r->text[F_ELAPSED], &us))
			return CS_IMPORT_NONE;
	if (cs_import_elapsed(r->text[F_SUSPENDED], &suspended))
		suspended = 0;
	return us + suspended;
}

/* The first reading of @t not before @after_us, else the first at all. */
static int64_t first_after(const struct cs_import_times *t, int64_t after_us)
{
	for (int i = 0; i < t->n; i++)
		if (t->us[i] >= after_us)
			return t->us[i];
	return t->n ? t->us[0] : CS_IMPORT_NONE;
}

/* The last reading of @t not after @before_us, else the first at all. */
static int64_t last_before(const struct cs_import_times *t, int64_t before_us)
{
	for (int i = t->n - 1; i >= 0; i--)
		if (t->us[i] <= before_us)
			return t->us[i];
	return t->n ? t->us[0] : CS_IMPORT_NONE;
}

/* Start and End that are @held_us apart, as nearly as possible. */
static void settle_run(const struct cs_import_times *start,
		       const struct cs_import_times *end, int64_t submit_us,
		       int64_t held_us, struct cs_import_job *j)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < start->n; i++)
		for (int k = 0; k < end->n; k++) {
			int64_t off = end->us[k] - start->us[i] - held_us;

			off = off < 0 ? -off : off;
			if (start->us[i] < submit_us)
				off += INT64_MAX / 4;
			if (off >= best)
				continue;
			best = off;
			j->start_us = start->us[i];
			j->end_us = end->us[k];
		}
}

/* The first reading of @t, Submit, that the line before allows; *ret_known: it says
 * something. */
static int64_t first_submit(const struct reader *r, uint32_t id,
			    const struct cs_import_times *t, bool *ret_known)
{
	*ret_known = r->last_id && id > r->last_id;
	return first_after(t, *ret_known ? r->last_submit_us : CS_IMPORT_NONE);
}

/* All times of the line, each at one instant. */
static int instants(struct reader *r, struct cs_import_job *j,
		    struct cs_err *err)
{
	static const enum field of[] = { F_SUBMIT, F_ELIGIBLE, F_START, F_END };
	struct cs_import_times t[4];
	int64_t submit_us, held_us;
	bool known;

	for (int i = 0; i < 4; i++)
		if (cs_import_times(r->text[of[i]], &r->im->options->clock,
				    &t[i]))
			return refuse(r, err, of[i],
				      "YYYY-MM-DDTHH:MM:SS or Unknown (for "
				      "others: --time-format)");
	submit_us = first_submit(r, j->id, &t[0], &known);
	j->start_us = first_after(&t[2], submit_us);
	j->end_us = first_after(&t[3], j->start_us);
	held_us = t[2].n > 1 || t[3].n > 1 ? held(r) : CS_IMPORT_NONE;
	if (held_us != CS_IMPORT_NONE)
		settle_run(&t[2], &t[3], submit_us, held_us, j);
	if (known || j->start_us == CS_IMPORT_NONE)
		j->submit_us = submit_us;
	else
		j->submit_us = last_before(&t[0], j->start_us);
	if (j->start_us == CS_IMPORT_NONE)
		j->eligible_us = first_after(&t[1], submit_us);
	else
		j->eligible_us = last_before(&t[1], j->start_us);
	if (j->id && j->submit_us != CS_IMPORT_NONE) {
		r->last_id = j->id;
		r->last_submit_us = j->submit_us;
	}
	return 0;
}

/* The core time so far of a job that still runs, as far as the text says. */
static void note_open(const struct reader *r, int64_t start_us)
{
	struct cs_err none;
	uint64_t cpus;
	int64_t us;

	if (!runtime(r, start_us, start_us, &us, &none) &&
	    !cpus_of(r, &cpus, &none))
		r->im->open_core_us += (double)us * (double)cpus /
				       (double)r->im->options->threads;
}

/* 0: *ret_class is its count; else @err says what is wrong. */
static int parse(struct reader *r, struct cs_import_job *j,
		 enum cs_import_count *ret_class, struct cs_err *err)
{
	enum field id;
	int rc = split(r, err);

	if (rc)
		return rc;
	id = *r->text[F_RAW] ? F_RAW : F_ID;
	*ret_class = CS_IMPORT_STEPS;
	if (is_step(r->text[id]) || is_step(r->text[F_ID]))
		return 0;
	if (!job_id(r->text[id], &j->id))
		return refuse(r, err, id, "a job's number such as 123 or 12_3");
	rc = instants(r, j, err);
	if (rc)
		return rc;
	*ret_class = class_of(r, j->start_us, j->end_us);
	j->running = *ret_class == CS_IMPORT_RUNNING && r->im->options->job;
	if (*ret_class == CS_IMPORT_RUNNING && !j->running)
		note_open(r, j->start_us);
	if (*ret_class != CS_IMPORT_JOBS && !j->running)
		return 0;
	if (j->submit_us == CS_IMPORT_NONE)
		return refuse(r, err, F_SUBMIT, "YYYY-MM-DDTHH:MM:SS");
	if (j->start_us < j->submit_us)
		return refuse(r, err, F_START, "not before Submit");
	if (!j->running)
		rc = runtime(r, j->start_us, j->end_us, &j->run_us, err);
	if (!rc)
		rc = limit_of(r, &j->limit_us, err);
	if (!rc && r->im->options->gpus)
		rc = gpus_of(r, j, err);
	return rc ? rc : cpus_of(r, &j->cpus, err);
}

static int take(struct reader *r)
{
	struct cs_import_job j = { .id = 0 };
	struct cs_err why = { "" };
	enum cs_import_count class = CS_IMPORT_BAD;
	int rc;

	for (int f = 0; f < FIELDS; f++)
		r->text[f] = "";
	rc = parse(r, &j, &class, &why);
	if (rc && cs_import_bad(r->im, &why))
		return cs_err_set(r->err, rc, "%s", why.text);
	if (rc)
		return 0;
	if (class != CS_IMPORT_JOBS && !j.running) {
		r->im->count[class]++;
		return 0;
	}
	j.failed = r->column[F_STATE] >= 0 && !state_is(r, "COMPLETED");
	j.user = r->text[F_USER];
	j.account = r->text[F_ACCOUNT];
	j.name = r->text[F_NAME];
	j.partition = r->text[F_PARTITION];
	j.nodes = r->text[F_NODES];
	rc = cs_import_job(r->im, &j);
	if (rc == -EINVAL || rc == -E2BIG || rc == -ERANGE) {
		if (rc == -ERANGE)
			refuse(r, &why, F_START, "times that a trace can hold");
		else
			refuse(r, &why, F_NODES,
			       "a list of nodes such as n[1-3],x7");
		rc = cs_import_bad(r->im, &why);
		return rc ? cs_err_set(r->err, rc, "%s", why.text) : 0;
	}
	return rc ? cs_err_set(r->err, rc, "%s: %s", tail(r->name),
			       strerror(-rc))
		  : 0;
}

/* ---- the file ------------------------------------------------------------ */

/* 1: a line; 0: the end; else the error is in @r->err.  Skips bad lines. */
static int next(struct reader *r)
{
	struct cs_err why;
	int rc;

	while ((rc = cs_lines_next(&r->lines)) == -E2BIG) {
		cs_err_set(&why, rc, "%s:%llu: longer than %u bytes",
			   tail(r->name), (unsigned long long)r->lines.line,
			   CS_LINE_MAX);
		if (cs_import_bad(r->im, &why))
			return cs_err_set(r->err, -EINVAL, "%s", why.text);
	}
	if (rc < 0)
		return cs_err_set(r->err, rc, "%s: %s", tail(r->name),
				  strerror(-rc));
	while (rc && r->lines.len && r->lines.text[r->lines.len - 1] == '\r')
		r->lines.text[--r->lines.len] = '\0';
	return rc;
}

int cs_import_sacct(struct cs_import *im, FILE *file, const char *name,
		    struct cs_err *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return cs_err_set(err, -ENOMEM, "%s: no memory", tail(name));
	r->im = im;
	r->err = err;
	r->name = name;
	cs_lines_init(&r->lines, file);
	rc = next(r);
	if (!rc)
		rc = cs_err_set(err, -EINVAL,
				"%s: empty, expected the output of sacct -P",
				tail(name));
	else if (rc > 0)
		rc = read_columns(r);
	while (!rc && (rc = next(r)) > 0)
		rc = r->lines.len ? take(r) : 0;
	cs_lines_done(&r->lines);
	free(r);
	return rc;
}
