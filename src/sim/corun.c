/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measured co-runs as profiles.
 *
 * Problem.  A table of co-runs says what a scheduler must know: what a job gains or
 * loses when spread beside another, compared to having full nodes to itself.  The model
 * of slowdown.h has two factors for that, one of the job's own processes and one of its
 * neighbour, and pairs are missing.
 *
 * Symbols	C name		unit
 *   r_ab	ratio		1, time of a spread beside b over dense alone
 *   D_a	dense		1, time dense alone over spread alone
 *   S_ab	slowdown	1, time spread beside b over spread alone
 *
 * Rules.
 *  1. r_ab = S_ab / D_a.						(1)
 *  2. An unmeasured pair is a sum of effects in the log, by least squares over the
 *     measured ones:
 *
 *	log r_ab = m + v_a + w_b					(2)
 *
 *     but not below the least measured for a.
 *  3. The table has only the quotient of (1).  It is split by the kindest partner,
 *     whose cost is taken as none:
 *
 *	D_a = max(1, 1 / min over measured b of r_ab)			(3)
 *	S_ab = r_ab * D_a
 *
 *  4. In the profile the self slowdown is 1 up to half the cores of a node and D_a on
 *     all of them, linear between.
 *
 * Why (3) is harmless where both count: dense alone against spread beside b is r_ab
 * whatever D_a is.  A simulation of a job spread and alone does depend on it: with (3)
 * it is at least as fast as beside any partner.  A D_a that is too small makes spread
 * nodes without a partner look worse than they are.
 *
 * Source of (2): the fit explains 79 to 88 per cent of the variance of pairs it has not
 * seen (measured on three tables of NAS codes).
 *
 * Example: a beside b .9, beside c 1.2.  D_a = 1 / .9 = 1.111, S_ab = 1, S_ac = 1.333.
 */
#include "corun.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 1024
#define RATIO_MIN .1
#define RATIO_MAX 100.
#define SWEEPS 200 /* of the fit; a few halve the residual */

/* ---- reading ------------------------------------------------------------- */

struct reader {
	const char *name;
	FILE *file;
	size_t line;
	struct cs_err *err;
};

__attribute__((format(printf, 2, 3))) static int fail(const struct reader *r,
						      const char *fmt, ...)
{
	char text[CS_ERR_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return cs_err_set(r->err, -EINVAL, "%.100s:%zu: %s", r->name, r->line,
			  text);
}

/* The next four fields.  1; 0: no more; else an errno. */
static int next(struct reader *r, char *text, char *field[4])
{
	while (fgets(text, LINE_MAX_BYTES, r->file)) {
		char *rest = text;
		int n = 0;

		r->line++;
		if (!strchr(text, '\n') && !feof(r->file))
			return fail(r,
				    "a line of more than %d bytes, expected "
				    "four fields",
				    LINE_MAX_BYTES - 2);
		text[strcspn(text, "\r\n")] = '\0';
		rest += strspn(rest, " \t");
		if (!*rest || *rest == '#')
			continue;
		while (n < 4 && *rest) {
			field[n++] = rest;
			rest += strcspn(rest, " \t");
			if (*rest)
				*rest++ = '\0';
			rest += strspn(rest, " \t");
		}
		if (n < 4 || *rest)
			return fail(r, "%s fields, expected four",
				    n < 4 ? "too few" : "too many");
		return 1;
	}
	return ferror(r->file) ? cs_err_set(r->err, -EIO, "%s: %s", r->name,
					    strerror(errno))
			       : 0;
}

static int number(const struct reader *r, const char *what, const char *text,
		  double low, double high, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	if (end != text && !*end && *ret >= low && *ret <= high)
		return 0;
	return fail(r, "%s is '%.40s', expected a number from %g to %g", what,
		    text, low, high);
}

static int name_ok(const struct reader *r, const char *name)
{
	size_t n = strlen(name);

	if (n < CS_PROFILE_NAME &&
	    n == strspn(name, "abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "0123456789._+-"))
		return 0;
	return fail(r,
		    "code '%.40s', expected up to %d letters, digits, '.', "
		    "'_', '+' and '-'",
		    name, CS_PROFILE_NAME - 1);
}

int cs_corun_find(const struct cs_corun *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->code[i].name, name))
			return (int)i;
	return -1;
}

static int read_alone(struct reader *r, struct cs_corun *c)
{
	char text[LINE_MAX_BYTES], *field[4];
	double procs, runs;
	int rc;

	c->code = calloc(CS_CORUN_CODES, sizeof(*c->code));
	if (!c->code)
		return -ENOMEM;
	while ((rc = next(r, text, field)) > 0) {
		struct cs_corun_code *x = &c->code[c->n];

		if (c->n == CS_CORUN_CODES)
			return fail(r, "more than %d codes", CS_CORUN_CODES);
		rc = name_ok(r, field[0]) ?:
		     number(r, "the time", field[1], 1e-6, 1e9, &x->alone_s) ?:
		     number(r, "the processes", field[2], 1, 1e9, &procs) ?:
		     number(r, "the runs", field[3], 0, 1e15, &runs);
		if (rc)
			return rc;
		if (cs_corun_find(c, field[0]) >= 0)
			return fail(r, "code '%s' stands twice", field[0]);
		strcpy(x->name, field[0]);
		x->procs = (uint32_t)procs;
		c->n++;
	}
	return rc ?: c->n ? rc : fail(r, "no code, expected some");
}

static int read_pairs(struct reader *r, struct cs_corun *c)
{
	char text[LINE_MAX_BYTES], *field[4];
	double ratio, runs;
	int rc;

	c->ratio = calloc(c->n * c->n, sizeof(*c->ratio));
	if (!c->ratio)
		return -ENOMEM;
	while ((rc = next(r, text, field)) > 0) {
		int of = cs_corun_find(c, field[0]);
		int beside = cs_corun_find(c, field[1]);
		double *at;

		if (of < 0 || beside < 0)
			return fail(r,
				    "code '%.60s', expected one of the "
				    "other table",
				    field[of < 0 ? 0 : 1]);
		rc = number(r, "the ratio", field[2], RATIO_MIN, RATIO_MAX,
			    &ratio)
			     ?: number(r, "the runs", field[3], 0, 1e15, &runs);
		if (rc)
			return rc;
		at = &c->ratio[(size_t)of * c->n + (size_t)beside];
		if (*at > 0)
			return fail(r, "'%s' beside '%s' stands twice",
				    field[0], field[1]);
		*at = ratio;
		c->pairs++;
	}
	return rc ?: c->pairs ? rc : fail(r, "no pair, expected some");
}

static int read_file(const char *name, struct cs_corun *c,
		     int (*read)(struct reader *, struct cs_corun *),
		     struct cs_err *err)
{
	struct reader r = { .name = name,
			    .file = fopen(name, "re"),
			    .err = err };
	int rc;

	if (!r.file)
		return cs_err_set(err, -errno, "'%.200s': %s", name,
				  strerror(errno));
	rc = read(&r, c);
	fclose(r.file);
	return rc == -ENOMEM ? cs_err_set(err, rc, "no memory") : rc;
}

/* Equation (3). */
static int part(struct cs_corun *c)
{
	c->dense = calloc(c->n, sizeof(*c->dense));
	for (size_t i = 0; c->dense && i < c->n; i++) {
		double least = 1;

		for (size_t k = 0; k < c->n; k++) {
			double r = c->ratio[i * c->n + k];

			if (r > 0 && r < least)
				least = r;
		}
		c->dense[i] = 1 / least;
	}
	return c->dense ? 0 : -ENOMEM;
}

int cs_corun_read(struct cs_corun *ret, const char *table, const char *alone,
		  struct cs_err *err)
{
	struct cs_corun c = { .n = 0 };
	int rc = read_file(alone, &c, read_alone, err)
			 ?: read_file(table, &c, read_pairs, err);

	if (!rc && part(&c))
		rc = cs_err_set(err, -ENOMEM, "no memory");
	if (rc)
		cs_corun_done(&c);
	else
		*ret = c;
	return rc;
}

void cs_corun_done(struct cs_corun *c)
{
	free(c->code);
	free(c->ratio);
	free(c->dense);
	memset(c, 0, sizeof(*c));
}

/* ---- unmeasured pairs ---------------------------------------------------- */

/* One step of equation (2): each @effect [n] becomes the mean residual of its pairs
 * without it; @step and @other are its stride and the other effect's. */
static void fit(const struct cs_corun *c, double mean, double *effect,
		const double *rest, size_t step, size_t other)
{
	for (size_t i = 0; i < c->n; i++) {
		double sum = 0, n = 0;

		for (size_t k = 0; k < c->n; k++) {
			double r = c->ratio[i * step + k * other];

			if (r <= 0)
				continue;
			sum += log(r) - mean - rest[k];
			n++;
		}
		effect[i] = n > 0 ? sum / n : 0;
	}
}

int cs_corun_fill(struct cs_corun *c)
{
	double *v = calloc(c->n, sizeof(*v)), *w = calloc(c->n, sizeof(*w));
	double mean = 0;

	for (size_t i = 0; i < c->n * c->n; i++)
		mean += c->ratio[i] > 0 ? log(c->ratio[i]) : 0;
	mean /= (double)c->pairs;
	for (int sweep = 0; v && w && sweep < SWEEPS; sweep++) {
		fit(c, mean, v, w, c->n, 1);
		fit(c, mean, w, v, 1, c->n);
	}
	for (size_t i = 0; v && w && i < c->n * c->n; i++) {
		double r = exp(mean + v[i / c->n] + w[i % c->n]);

		if (c->ratio[i] <= 0)
			c->ratio[i] = fmin(fmax(r, 1 / c->dense[i / c->n]),
					   RATIO_MAX);
	}
	free(v);
	free(w);
	return v && w ? 0 : -ENOMEM;
}

/* ---- profiles ------------------------------------------------------------ */

static void write_pairs(const struct cs_corun *c, FILE *file)
{
	const char *comma = "";

	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->n; k++) {
			double r = c->ratio[i * c->n + k];

			if (r <= 0)
				continue;
			fprintf(file,
				"%s\n  {\"of\":\"%s\",\"beside\":\"%s\","
				"\"slowdown\":%.6g}",
				comma, c->code[i].name, c->code[k].name,
				r * c->dense[i]);
			comma = ",";
		}
}

int cs_corun_write(const struct cs_corun *c, uint32_t cores, FILE *file)
{
	const char *comma = "";

	errno = 0;
	fputs("{\"version\":1,\n \"profiles\":{", file);
	for (size_t i = 0; i < c->n; i++) {
		fprintf(file, "%s\n  \"%s\":{\"self\":{\"1\":1,", comma,
			c->code[i].name);
		if (cores / 2 > 1)
			fprintf(file, "\"%" PRIu32 "\":1,", cores / 2);
		fprintf(file, "\"%" PRIu32 "\":%.6g}}", cores, c->dense[i]);
		comma = ",";
	}
	fputs("},\n \"pairs\":[", file);
	write_pairs(c, file);
	fputs("],\n \"rules\":[", file);
	comma = "";
	for (size_t i = 0; i < c->n; i++) {
		fprintf(file,
			"%s\n  {\"name\":\"e%zu\",\"profile\":\"%s\"},"
			"{\"name\":\"%s\",\"profile\":\"%s\"}",
			comma, i + 1, c->code[i].name, c->code[i].name,
			c->code[i].name);
		comma = ",";
	}
	fputs("]}\n", file);
	return fflush(file) || ferror(file) ? errno ? -errno : -EIO : 0;
}
