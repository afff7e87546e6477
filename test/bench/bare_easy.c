/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EASY backfilling with nothing around it: what a process that only reads a
 *plain SWF file and schedules it costs.  The bench measures `cosched sim`
 *against it.
 *
 *	bare_easy FILE PROCESSORS	jobs, mean wait, mean bounded slowdown
 *
 * Processors are a count, time is whole seconds, one queue in the order of
 *submits, one scan behind a head; the trace's rules are those of sim/trace.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
	int64_t submit, run, estimate, end; /* s; end: predicted */
	uint32_t id, procs;
	struct job *next; /* in the queue */
};

static struct job *job; /* [n], in the order of submits */
static size_t n, cap;
static int64_t free_procs;

static struct job *head, **tail = &head; /* who waits */

/* Who runs: by predicted end, and a heap by real end. */
static struct job **ending;
static size_t running;
struct end {
	int64_t at;
	struct job *job;
};
static struct end *heap;

static double wait_sum, slow_sum;

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "bare_easy: no memory\n");
		exit(2);
	}
	return p;
}

/* ---- reading ------------------------------------------------------------- */

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
		fprintf(stderr, "bare_easy: cannot read '%s'\n", path);
		exit(2);
	}
	rewind(f);
	text = must(malloc((size_t)size + 1));
	text[fread(text, 1, (size_t)size, f)] = '\0';
	fclose(f);
	return text;
}

static int64_t number(char **at)
{
	int64_t v = 0;
	int minus;

	while (**at == ' ' || **at == '\t')
		++*at;
	minus = **at == '-';
	*at += minus;
	for (; **at >= '0' && **at <= '9'; ++*at)
		v = 10 * v + (**at - '0');
	while (**at > ' ') /* a fraction */
		++*at;
	return minus ? -v : v;
}

static void read_line(char *at, int64_t processors)
{
	int64_t f[9], procs, estimate;

	for (int i = 0; i < 9; i++)
		f[i] = number(&at);
	procs = f[7] > 0 ? f[7] : f[4];
	estimate = f[8] > 0 ? f[8] : f[3];
	if (f[3] <= 0 || procs <= 0 || procs > processors)
		return;
	if (n == cap) {
		cap = cap ? 2 * cap : 1024;
		job = must(realloc(job, cap * sizeof(*job)));
	}
	job[n++] = (struct job){ .id = (uint32_t)f[0],
				 .submit = f[1],
				 .run = f[3] < estimate ? f[3] : estimate,
				 .estimate = estimate,
				 .procs = (uint32_t)procs };
}

static int by_submit(const void *x, const void *y)
{
	const struct job *a = x, *b = y;

	if (a->submit != b->submit)
		return a->submit < b->submit ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void read_trace(const char *path, int64_t processors)
{
	char *text = read_file(path), *line = text, *end;

	for (; *line; line = end + (*end != '\0')) {
		end = line + strcspn(line, "\n");
		if (end > line && *line != ';')
			read_line(line, processors);
	}
	free(text);
	for (size_t i = 1; i < n; i++)
		if (by_submit(&job[i - 1], &job[i]) > 0) {
			qsort(job, n, sizeof(*job), by_submit);
			break;
		}
}

/* ---- scheduling ---------------------------------------------------------- */

static void push(struct end x)
{
	size_t i = running;

	for (; i && heap[(i - 1) / 2].at > x.at; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = x;
}

static void pop(void)
{
	struct end last = heap[running];
	size_t i = 0, c;

	while ((c = 2 * i + 1) < running) {
		c += c + 1 < running && heap[c + 1].at < heap[c].at;
		if (heap[c].at >= last.at)
			break;
		heap[i] = heap[c];
		i = c;
	}
	heap[i] = last;
}

static void start(struct job *j, int64_t now)
{
	int64_t bound = j->run > 10 ? j->run : 10;
	double slow = (double)(now - j->submit + j->run) / (double)bound;
	size_t i = running;

	free_procs -= j->procs;
	wait_sum += (double)(now - j->submit);
	slow_sum += slow > 1 ? slow : 1;
	j->end = now + j->estimate;
	for (; i && ending[i - 1]->end > j->end; i--)
		ending[i] = ending[i - 1];
	ending[i] = j;
	push((struct end){ now + j->run, j });
	running++;
}

static void finish(void)
{
	struct job *j = heap[0].job;
	size_t i = 0;

	free_procs += j->procs;
	while (ending[i] != j)
		i++;
	running--;
	memmove(&ending[i], &ending[i + 1],
		(running - i) * sizeof(struct job *));
	pop();
}

/* Behind the head, which waits until @shadow and leaves @extra then. */
static void backfill(int64_t now, int64_t shadow, int64_t extra)
{
	struct job **at = &head->next;

	while (*at) {
		struct job *j = *at;
		int in_time = now + j->estimate <= shadow;

		if (j->procs > free_procs || (!in_time && j->procs > extra)) {
			at = &j->next;
			continue;
		}
		extra -= in_time ? 0 : j->procs;
		*at = j->next;
		start(j, now);
	}
	tail = at;
}

static void pass(int64_t now)
{
	int64_t room, shadow = now;
	size_t i = 0;

	for (; head && head->procs <= free_procs; head = head->next)
		start(head, now);
	if (!head) {
		tail = &head;
		return;
	}
	for (room = free_procs; room < head->procs; room += ending[i++]->procs)
		shadow = ending[i]->end;
	for (; i < running && ending[i]->end == shadow; i++)
		room += ending[i]->procs;
	backfill(now, shadow, room - head->procs);
}

static void simulate(void)
{
	for (size_t next = 0; next < n || running;) {
		int64_t now = next < n ? job[next].submit : heap[0].at;

		if (running && heap[0].at < now)
			now = heap[0].at;
		while (running && heap[0].at == now)
			finish();
		for (; next < n && job[next].submit == now; next++) {
			*tail = &job[next];
			tail = &job[next].next;
		}
		pass(now);
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: bare_easy FILE PROCESSORS\n");
		return 2;
	}
	free_procs = strtoll(argv[2], NULL, 10);
	read_trace(argv[1], free_procs);
	ending = must(calloc((size_t)free_procs + 1, sizeof(struct job *)));
	heap = must(calloc((size_t)free_procs + 1, sizeof(*heap)));
	simulate();
	printf("%zu jobs, mean wait %.3f s, bounded slowdown %.4f\n", n,
	       wait_sum / (double)n, slow_sum / (double)n);
	free(ending);
	free(heap);
	free(job);
	return 0;
}
