/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/outfile.h"

static bool known(struct cs_measure_interval i)
{
	return i.value > 0 && isfinite(i.half);
}

static size_t runs_beside(const struct cs_measure_done *d, size_t of,
			  size_t other)
{
	return d->plan.cell[cs_measure_cell_beside(d->plan.n, of, other)].n;
}

static struct cs_measure_mean full(const struct cs_measure_done *d, size_t i)
{
	return d->plan
		.cell[cs_measure_cell_alone(d->plan.n, CS_MEASURE_FULL, i)];
}

void cs_measure_result_table(FILE *f, const struct cs_measure_done *d)
{
	size_t n = d->plan.n;

	fputs("# CODE BESIDE RATIO RUNS: time at half density beside the "
	      "other, over time\n# alone on full nodes.\n",
	      f);
	for (size_t i = 0; i < n * n; i++) {
		struct cs_measure_interval r = cs_measure_slowdown(
			&d->plan, i / n, i % n, CS_MEASURE_FULL);

		if (known(r))
			fprintf(f, "%s %s %.5g %zu\n",
				d->state.program[i / n].name,
				d->state.program[i % n].name, r.value,
				runs_beside(d, i / n, i % n));
	}
}

static uint32_t processes(const struct cs_measure_done *d,
			  enum cs_measure_kind kind)
{
	return cs_measure_per_socket(&d->state.shape, kind) *
	       d->state.shape.sockets;
}

void cs_measure_result_alone(FILE *f, const struct cs_measure_done *d)
{
	fputs("# CODE SECONDS PROCESSES RUNS: alone on full nodes.\n", f);
	for (size_t i = 0; i < d->plan.n; i++)
		if (full(d, i).n >= CS_MEASURE_LEAST)
			fprintf(f, "%s %.6g %" PRIu64 " %zu\n",
				d->state.program[i].name, full(d, i).mean,
				(uint64_t)processes(d, CS_MEASURE_FULL) *
					d->state.shape.nodes,
				full(d, i).n);
}

/* ---- intervals ----------------------------------------------------------------------- */

static void put_interval(FILE *f, const char *what, const char *of,
			 const char *beside, struct cs_measure_interval i,
			 size_t runs)
{
	if (known(i))
		fprintf(f, "%s,%s,%s,%.6g,%.6g,%zu\n", what, of, beside,
			i.value, i.half, runs);
}

void cs_measure_result_intervals(FILE *f, const struct cs_measure_done *d)
{
	size_t n = d->plan.n;

	fputs("what,of,beside,value,half,runs\n", f);
	for (size_t i = 0; i < n; i++)
		put_interval(f, "dense", d->state.program[i].name, "",
			     cs_measure_dense(&d->plan, i), full(d, i).n);
	for (size_t i = 0; i < 2 * n * n; i++) {
		size_t of = i / 2 / n, other = i / 2 % n;

		put_interval(f, i % 2 ? "ratio" : "slowdown",
			     d->state.program[of].name,
			     d->state.program[other].name,
			     cs_measure_slowdown(&d->plan, of, other,
						 i % 2 ? CS_MEASURE_FULL
						       : CS_MEASURE_SPREAD),
			     runs_beside(d, of, other));
	}
}

/* ---- profiles ------------------------------------------------------------------------ */

static void put_self(FILE *f, const struct cs_measure_done *d, size_t i)
{
	struct cs_measure_interval dense = cs_measure_dense(&d->plan, i);
	uint32_t half = processes(d, CS_MEASURE_SPREAD);

	fprintf(f, "\"%s\":{", d->state.program[i].name);
	if (known(dense)) {
		fputs("\"self\":{\"1\":1,", f);
		if (half > 1)
			fprintf(f, "\"%" PRIu32 "\":1,", half);
		fprintf(f, "\"%" PRIu32 "\":%.5g}",
			processes(d, CS_MEASURE_FULL), dense.value);
	}
	fputs("}", f);
}

void cs_measure_result_profiles(FILE *f, const struct cs_measure_done *d)
{
	size_t n = d->plan.n;
	const char *comma = "";

	fputs("{\"version\":1,\n \"profiles\":{", f);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%s\n  ", i ? "," : "");
		put_self(f, d, i);
	}
	fputs("},\n \"pairs\":[", f);
	for (size_t i = 0; i < n * n; i++) {
		struct cs_measure_interval s = cs_measure_slowdown(
			&d->plan, i / n, i % n, CS_MEASURE_SPREAD);

		if (!known(s))
			continue;
		fprintf(f,
			"%s\n  {\"of\":\"%s\",\"beside\":\"%s\",\"slowdown\":"
			"%.5g}",
			comma, d->state.program[i / n].name,
			d->state.program[i % n].name, s.value);
		comma = ",";
	}
	fputs("],\n \"rules\":[", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f,
			"%s\n  {\"user\":\"" CS_MEASURE_FILL_IN
			"\",\"account\":\"*\",\"name\":\"%s\","
			"\"profile\":\"%s\"}",
			i ? "," : "", d->state.program[i].name,
			d->state.program[i].name);
	fputs("]}\n", f);
}

/* ---- files --------------------------------------------------------------------------- */

int cs_measure_result_write(const char *folder, const struct cs_measure_done *d,
			    struct cs_err *err)
{
	static const struct {
		const char *name;
		void (*put)(FILE *f, const struct cs_measure_done *d);
	} file[] = { { "table", cs_measure_result_table },
		     { "alone", cs_measure_result_alone },
		     { "intervals.csv", cs_measure_result_intervals },
		     { "profiles.json", cs_measure_result_profiles },
		     { "index.html", cs_measure_result_page } };
	char path[4400];
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(file) / sizeof(file[0]); i++) {
		struct cs_outfile out = { .file = NULL };

		snprintf(path, sizeof(path), "%.4300s/%s", folder,
			 file[i].name);
		rc = cs_outfile_open(&out, path, err);
		if (rc)
			break;
		file[i].put(out.file, d);
		rc = cs_outfile_keep(&out, err);
	}
	return rc;
}
