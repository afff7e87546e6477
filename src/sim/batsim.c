/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batsim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool cs_batsim_wanted(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".csv");
}

int cs_batsim_init(struct cs_batsim *b, const struct cs_trace *t,
		   const struct cs_machine *m)
{
	uint64_t cores = 0;
	int rc;

	*b = (struct cs_batsim){ .machine = m, .n_job = t->n };
	b->first = calloc(m->n_node + 1, sizeof(*b->first));
	b->cores = calloc(t->n + 1, sizeof(*b->cores));
	rc = b->first && b->cores ? cs_jobids_init(&b->ids, t, NULL) : -ENOMEM;
	for (uint32_t i = 0; !rc && i < m->n_node; i++) {
		b->first[i] = cores;
		cores += cs_node_cores(&m->node[i]);
	}
	if (rc)
		cs_batsim_done(b);
	return rc;
}

/* The cores of @a as ranges, in increasing order: an allocation's nodes are. */
static char *ranges(const struct cs_batsim *b, const struct cs_alloc *a)
{
	uint64_t from = 0, next = 0; /* the range so far; empty: equal */
	const char *blank = "";
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i <= a->n_node; i++) {
		bool end = i == a->n_node;
		uint32_t n =
			end ? 1
			    : cs_node_cores(&b->machine->node[a->node[i].node]);

		for (uint32_t c = 0; c < n; c++) {
			uint64_t core = end ? 0 : b->first[a->node[i].node] + c;

			if (!end && !cs_bit(cs_alloc_cores(a, i), c))
				continue;
			if (!end && from != next && core == next) {
				next++;
				continue;
			}
			if (from != next && next - from > 1)
				fprintf(out, "%s%" PRIu64 "-%" PRIu64, blank,
					from, next - 1);
			else if (from != next)
				fprintf(out, "%s%" PRIu64, blank, from);
			if (from != next)
				blank = " ";
			from = core;
			next = core + 1;
		}
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

void cs_batsim_hear(void *batsim, const struct cs_event *ev)
{
	struct cs_batsim *b = batsim;
	uint32_t job;

	if (ev->type != CS_EV_STARTED)
		return;
	job = cs_jobids_find(&b->ids, ev->start->job_id);
	if (job == UINT32_MAX)
		return;
	free(b->cores[job]);
	b->cores[job] = ranges(b, ev->start->alloc);
	if (!b->cores[job])
		b->rc = -ENOMEM;
}

static void put_seconds(FILE *file, int64_t us)
{
	fprintf(file, ",%" PRId64 ".%06" PRId64, us / 1000000, us % 1000000);
}

int cs_batsim_write(const struct cs_batsim *b, FILE *file, const char *name,
		    const struct cs_trace *t, const struct cs_sim_result *r)
{
	const char *folder = strrchr(name, '/');

	if (b->rc)
		return b->rc;
	name = folder ? folder + 1 : name;
	errno = 0;
	fputs("job_id,workload_name,submission_time,"
	      "requested_number_of_resources,requested_time,success,"
	      "starting_time,execution_time,finish_time,waiting_time,"
	      "turnaround_time,stretch,allocated_resources\n",
	      file);
	for (size_t i = 0; i < b->ids.n; i++) {
		uint32_t at = b->ids.sorted[i].job;
		const struct cs_trace_job *j = &t->job[at];
		const struct cs_sim_job *x = &r->job[at];
		int64_t took = x->end_us - x->start_us;
		int64_t turnaround = x->end_us - j->submit_us;

		fprintf(file, "%" PRIu32 ",", j->id);
		for (const char *c = name; *c; c++)
			fputc(strchr(",\"\n\r", *c) ? '_' : *c, file);
		put_seconds(file, j->submit_us);
		fprintf(file, ",%" PRIu32, j->procs);
		put_seconds(file, j->estimate_us);
		fputs(",1", file);
		put_seconds(file, x->start_us);
		put_seconds(file, took);
		put_seconds(file, x->end_us);
		put_seconds(file, x->start_us - j->submit_us);
		put_seconds(file, turnaround);
		fprintf(file, ",%.6f,%s\n",
			took > 0 ? (double)turnaround / (double)took : 1,
			b->cores[at] ? b->cores[at] : "");
	}
	if (!ferror(file))
		return 0;
	return errno ? -errno : -EIO;
}

void cs_batsim_done(struct cs_batsim *b)
{
	for (size_t i = 0; b->cores && i < b->n_job; i++)
		free(b->cores[i]);
	free(b->cores);
	free(b->first);
	cs_jobids_done(&b->ids);
	*b = (struct cs_batsim){ .rc = 0 };
}
