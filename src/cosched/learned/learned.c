/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "learned/learned.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table.h"
#include "common/profile/profile.h"

#define COLUMNS 1000
#define VIRTUAL "virtual " /* before a line in the plugin's state file */

/* ---- reading ------------------------------------------------------------- */

/* The number of the machine in a first line, so that it is no other one. */
static int begin(struct cs_learned_file *f, const char *line)
{
	unsigned version;
	uint64_t machine;

	if (sscanf(line, "learn first %u %" SCNx64, &version, &machine) != 2)
		return 0;
	cs_past_free(f->past);
	f->past = cs_past_create(machine, INT64_C(90) * 86400 * 1000000);
	return f->past ? 0 : -ENOMEM;
}

static void make(struct cs_learned_file *f)
{
	for (size_t i = 0; i < f->past->n_kind; i++)
		if (f->past->kind[i].last_us > f->now_us)
			f->now_us = f->past->kind[i].last_us;
	cs_admission_make(f->admission, f->past, f->now_us);
}

int cs_learned_read(struct cs_learned_file *f, char *text, struct cs_err *err)
{
	char *save = NULL;
	int rc = 0;

	*f = (struct cs_learned_file){ .admission = cs_admission_create(
					       CS_ADMISSION_LEVEL) };
	if (!f->admission)
		rc = -ENOMEM;
	for (char *l = rc ? NULL : strtok_r(text, "\n", &save); l && !rc;
	     l = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(l, VIRTUAL, strlen(VIRTUAL)))
			l += strlen(VIRTUAL);
		if (!cs_past_is_line(l) || !strncmp(l, "learn job ", 10))
			continue; /* nor what running jobs have to tell yet */
		rc = begin(f, l);
		if (!rc && f->past)
			rc = cs_past_read(f->past, l, err);
	}
	if (!rc && (!f->past || f->past->reading))
		rc = cs_err_set(err, -ENOENT,
				"nothing learned in it, expected lines 'learn "
				"...' as learn=propose or use keeps them");
	else if (!rc && !f->past->n_kind)
		rc = cs_err_set(err, -ENOENT,
				"nothing learned yet: no job has ended that "
				"ran for learn_least_s or longer");
	if (rc == -ENOMEM)
		cs_err_set(err, rc, "no memory");
	if (!rc)
		make(f);
	else
		cs_learned_done(f);
	return rc;
}

void cs_learned_done(struct cs_learned_file *f)
{
	cs_past_free(f->past);
	cs_admission_free(f->admission);
	f->past = NULL;
	f->admission = NULL;
}

/* ---- what is asked of it ------------------------------------------------- */

int cs_learned_kinds(const struct cs_learned_file *f)
{
	return cs_admission_table(f->admission)->n;
}

static const struct cs_kind *kind_at(const struct cs_learned_file *f, int k)
{
	return cs_past_kind(f->past, cs_admission_kind(f->admission, k).key);
}

const char *cs_learned_name(const struct cs_learned_file *f, int kind)
{
	return kind_at(f, kind)->name;
}

static double bound_of(const struct cs_learned_file *f, int of, int beside)
{
	const struct cs_learned *t = cs_admission_table(f->admission);

	return t->bound[of * t->n + beside];
}

static bool may_share(const struct cs_learned_file *f, int a, int b,
		      double most)
{
	double ab = bound_of(f, a, b), ba = bound_of(f, b, a);

	return ab > 0 && ab <= most && ba > 0 && ba <= most;
}

struct cs_learned_row cs_learned_row(const struct cs_learned_file *f, int kind,
				     double max_slowdown)
{
	struct cs_admission_kind x = cs_admission_kind(f->admission, kind);
	struct cs_learned_row r = { .name = cs_learned_name(f, kind),
				    .ended = kind_at(f, kind)->ended,
				    .runs = x.runs,
				    .spread = 1 / x.self,
				    .partners = x.partners };

	for (int b = 0; b < cs_learned_kinds(f); b++) {
		double bound = bound_of(f, kind, b);

		r.admitted += may_share(f, kind, b, max_slowdown);
		if (bound > 0 && (r.bound <= 0 || bound < r.bound))
			r.bound = bound;
	}
	return r;
}

struct cs_learned_pair cs_learned_pair(const struct cs_learned_file *f, int of,
				       int beside, double max_slowdown)
{
	return (struct cs_learned_pair){
		.name = cs_learned_name(f, beside),
		.bound = bound_of(f, of, beside),
		.runs = cs_admission_pair(f->admission, of, beside).runs,
		.may_share = may_share(f, of, beside, max_slowdown),
	};
}

/* ---- as text ------------------------------------------------------------- */

static void print_row(struct cs_table *t, const struct cs_learned_row *r)
{
	cs_table_cell(t, "%s", r->name);
	cs_table_cell(t, "%" PRIu64, r->ended);
	cs_table_cell(t, "%" PRIu32, r->runs);
	cs_table_cell(t, "%.2f", r->spread);
	cs_table_cell(t, "%" PRIu32, r->partners);
	cs_table_cell(t, r->bound > 0 ? "%.2f" : "-", r->bound);
	cs_table_cell(t, "%" PRIu32, r->admitted);
}

void cs_learned_print(const struct cs_learned_file *f, double max_slowdown)
{
	static const char *const head[] = { "KIND",	 ">ENDED",    ">RUNS",
					    ">SPREAD",	 ">PARTNERS", ">BOUND",
					    ">ADMITTED", NULL };
	struct cs_table t;
	size_t seen = cs_admission_seen(f->admission);

	cs_table_init(&t, head);
	for (int k = 0; k < cs_learned_kinds(f); k++) {
		struct cs_learned_row r = cs_learned_row(f, k, max_slowdown);

		print_row(&t, &r);
	}
	cs_table_print(&t, COLUMNS);
	cs_table_done(&t);
	printf("%d kinds of %zu, %zu runs, %zu pairs met%s\n",
	       cs_learned_kinds(f), f->past->n_kind, f->past->n_run, seen,
	       seen < CS_FIT_PAIRS_MIN ? ": too few for a bound" : "");
}

static void print_pair(const struct cs_learned_pair *p)
{
	printf("beside %s: ", p->name);
	if (p->bound > 0)
		printf("at most %.2f with %.0f %%", p->bound,
		       100 * CS_ADMISSION_LEVEL);
	else
		printf("not known");
	printf(" (%" PRIu32 " runs)%s\n", p->runs,
	       p->may_share ? ", may share" : "");
}

bool cs_learned_partners(const struct cs_learned_file *f, const char *name,
			 double max_slowdown)
{
	bool found = false;

	for (int k = 0; k < cs_learned_kinds(f); k++) {
		if (strcmp(cs_learned_name(f, k), name))
			continue;
		found = true;
		for (int b = 0; b < cs_learned_kinds(f); b++) {
			struct cs_learned_pair p =
				cs_learned_pair(f, k, b, max_slowdown);

			print_pair(&p);
		}
	}
	return found;
}

/* ---- a profile file ------------------------------------------------------ */

/* What a pattern has to say for @text to be itself; a name that was cut goes on. */
static void put_pattern(FILE *file, const char *text, size_t len, bool cut)
{
	fputc('"', file);
	for (size_t i = 0; i < len; i++) {
		if (strchr("*[]\\", text[i]))
			fputs("\\\\", file);
		else if (text[i] == '"')
			fputc('\\', file);
		fputc(text[i], file);
		if (text[i] == '\\')
			fputc('\\', file);
	}
	fputs(cut ? "*\"" : "\"", file);
}

static void put_rule(FILE *file, const char *name, int k)
{
	const char *at = strchr(name, '/');
	size_t user = at ? (size_t)(at - name) : strlen(name);
	const char *job = at ? at + 1 : "";

	fprintf(file, "%s\n  {\"user\":", k ? "," : "");
	put_pattern(file, name, user, user + 1 >= CS_PAST_NAME / 2);
	fprintf(file, ",\"name\":");
	put_pattern(file, job, strlen(job), strlen(name) + 1 >= CS_PAST_NAME);
	fprintf(file, ",\"profile\":\"k%d\"}", k + 1);
}

static void put_profile(const struct cs_learned_file *f, FILE *file, int k,
			uint32_t cores)
{
	double self = cs_admission_kind(f->admission, k).self;

	fprintf(file, "%s\n  \"k%d\":{\"self\":{\"1\":1,", k ? "," : "", k + 1);
	if (cores / 2 > 1)
		fprintf(file, "\"%" PRIu32 "\":1,", cores / 2);
	fprintf(file, "\"%" PRIu32 "\":%.6g}}", cores, self);
}

int cs_learned_export(const struct cs_learned_file *f, uint32_t cores,
		      FILE *file)
{
	const char *comma = "";

	errno = 0;
	fputs("{\"version\":1,\n \"profiles\":{", file);
	for (int k = 0; k < cs_learned_kinds(f); k++)
		put_profile(f, file, k, cores);
	fputs("},\n \"pairs\":[", file);
	for (int a = 0; a < cs_learned_kinds(f); a++)
		for (int b = 0; b < cs_learned_kinds(f); b++) {
			if (bound_of(f, a, b) <= 0)
				continue;
			fprintf(file,
				"%s\n  {\"of\":\"k%d\",\"beside\":\"k%d\","
				"\"slowdown\":%.6g}",
				comma, a + 1, b + 1, bound_of(f, a, b));
			comma = ",";
		}
	fputs("],\n \"rules\":[", file);
	for (int k = 0; k < cs_learned_kinds(f); k++)
		put_rule(file, cs_learned_name(f, k), k);
	fputs("]}\n", file);
	return fflush(file) || ferror(file) ? errno ? -errno : -EIO : 0;
}
