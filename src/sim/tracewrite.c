/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/duration.h"

#define PROGRESS_EVERY 4096 /* jobs */

static void put_time(int64_t us, FILE *file)
{
	if (us < 0)
		fputs(" -1", file);
	else if (us % CS_SECOND_US)
		fprintf(file, " %" PRId64 ".%06" PRId64, us / CS_SECOND_US,
			us % CS_SECOND_US);
	else
		fprintf(file, " %" PRId64, us / CS_SECOND_US);
}

static void put_header(const char *header, FILE *file)
{
	while (*header) {
		size_t n = strcspn(header, "\n");

		fprintf(file, "; %.*s\n", (int)n, header);
		header += n + (header[n] == '\n');
	}
}

/* Has a job what MoreFields is for? */
static bool more(const struct cs_trace *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->job[i].gpus || t->job[i].nodes)
			return true;
	return false;
}

static void put_more(const struct cs_trace_job *j, FILE *file)
{
	fprintf(file, " %" PRIu32 " %" PRIu32 " %" PRId32 " %" PRIu32, j->gpus,
		j->gpu_share ? j->gpu_share : 1000, j->gpu_type, j->nodes);
}

int cs_trace_write(const struct cs_trace *t, const char *header, FILE *file)
{
	return cs_trace_write_told(t, header, file, NULL, NULL);
}

int cs_trace_write_told(const struct cs_trace *t, const char *header,
			FILE *file,
			void (*progress)(void *arg, size_t done, size_t all),
			void *arg)
{
	bool gpus = more(t);

	put_header(header, file);
	if (gpus)
		fputs("; MoreFields: gpus gpu_share gpu_type nodes\n", file);
	if (t->packed)
		fputs("; Runtimes: packed\n", file);
	cs_trace_names_write(t->names, file);
	for (size_t i = 0; i < t->n && !ferror(file); i++) {
		const struct cs_trace_job *j = &t->job[i];
		int64_t estimate =
			j->estimate_us == j->runtime_us ? -1 : j->estimate_us;

		fprintf(file, "%" PRIu32, j->id);
		put_time(j->submit_us, file);
		put_time(j->wait_us, file);
		put_time(j->runtime_us, file);
		fprintf(file, " %" PRIu32 " -1 -1 %" PRIu32, j->procs,
			j->procs);
		put_time(estimate, file);
		fprintf(file, " -1 %d %d %d %d %d %d -1 -1", !j->failed,
			j->user, j->group, j->exe, j->queue, j->partition);
		if (gpus)
			put_more(j, file);
		fputc('\n', file);
		if (progress && i % PROGRESS_EVERY == 0)
			progress(arg, i, t->n);
	}
	return fflush(file) || ferror(file) ? -EIO : 0;
}
