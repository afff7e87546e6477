/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz the reader of traces; what it accepts must keep its rules and come back
 * from the writer as it was.  How to run it: fuzz_log.c.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/trace.h"
#include "standalone.h"

const char fuzz_name[] = "fuzz_trace";

const char *const fuzz_words[] = {
	"4294967295",
	"4294967296",
	"-1",
	"9000000000000",
	"9999999999999999",
	"10000000000",
	"0.000001",
	".",
	";",
	"\n",
	"\r\n",
	"\t",
	" 1 1 1 1",
	"1 0 -1 9 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n",
	"1 -1 -1 9 1 -1 -1 1 -1 -1 2 1 1 1 1 1 -1 -1\n",
	"1 0 -1 9 1 -1 -1 1 -1 -1 3 1 1 1 1 1 -1 -1\n",
	"1 0 -1 9 1\n",
	"1e+05",
	"nan",
	"#",
	"\r",
	"\xef\xbb\xbf",
	"\x1f\x8b\x08",
	"\xfd"
	"7zXZ",
	"\x28\xb5\x2f\xfd",
	NULL
};

static int read_bytes(struct cs_trace *t, const void *data, size_t size)
{
	static const struct cs_trace_options options = { .max_procs = 64 };
	FILE *file = fmemopen((void *)(uintptr_t)data, size, "r");
	struct cs_err err;
	int rc = -1;

	if (file) {
		rc = cs_trace_read_file(t, file, "fuzz", &options, &err);
		fclose(file);
	}
	return rc;
}

static void check(const struct cs_trace *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct cs_trace_job *j = &t->job[i], *k = j + 1;

		if (!j->id || !j->procs || j->procs > 64 || j->submit_us < 0 ||
		    j->runtime_us <= 0 || j->runtime_us > j->estimate_us)
			abort();
		if (i + 1 < t->n &&
		    (j->submit_us > k->submit_us ||
		     (j->submit_us == k->submit_us && j->id >= k->id)))
			abort();
	}
}

/* Member by member: what lies between the members is anything. */
static bool same(const struct cs_trace_job *a, const struct cs_trace_job *b)
{
	return a->id == b->id && a->procs == b->procs &&
	       a->submit_us == b->submit_us && a->runtime_us == b->runtime_us &&
	       a->estimate_us == b->estimate_us && a->wait_us == b->wait_us &&
	       a->user == b->user && a->group == b->group && a->exe == b->exe &&
	       a->queue == b->queue && a->partition == b->partition &&
	       a->failed == b->failed;
}

static void write_and_read(const struct cs_trace *t)
{
	struct cs_trace again;
	char *text = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&text, &n);

	if (!file)
		return;
	cs_trace_write(t, "header", file);
	fclose(file);
	if (read_bytes(&again, text, n) || again.n != t->n)
		abort();
	for (size_t i = 0; i < t->n; i++) {
		if (!same(&again.job[i], &t->job[i]))
			abort();
	}
	cs_trace_done(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cs_trace t;

	if (!size || read_bytes(&t, data, size))
		return 0;
	check(&t);
	if (t.n)
		write_and_read(&t);
	cs_trace_done(&t);
	return 0;
}
