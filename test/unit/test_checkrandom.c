/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched check: random logs that keep all rules are accepted; the same with one mistake
 * made, which must be found in its line; and with bytes changed at random.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* asprintf */
#endif
#include "checkrig.h"

#define NODES 5
#define CORES 6
#define JOBS 40

static uint64_t draws;

static unsigned below(unsigned n)
{
	return (unsigned)cs_test_draw(&draws, n);
}

enum state { NEW, WAITING, RUNNING, SUSPENDED, ENDED };

struct gen {
	FILE *out;
	double t;
	int limit; /* jobs_per_node */
	int mpl;
	int jobs[NODES][CORES]; /* that hold it */
	bool down[NODES];
	enum state state[JOBS + 1];
	bool packed[JOBS + 1];
	bool holds[JOBS + 1];
	bool core[JOBS + 1][NODES][CORES]; /* what it holds */
	int lines;
	int start_line, finish_line, submit_line; /* the last of each */
	int started;				  /* job of start_line */
};

static void emit(struct gen *g, const char *ev, int job, const char *rest)
{
	if (below(3))
		g->t += below(1000) / 8.0;
	fprintf(g->out, "{\"t\":%.6f,\"ev\":\"%s\",\"job\":%d%s}\n", g->t, ev,
		job, rest);
	g->lines++;
}

static int counted_on(const struct gen *g, int node)
{
	int n = 0;

	for (int j = 1; j <= JOBS; j++) {
		bool there = false;

		for (int c = 0; c < CORES; c++)
			there |= g->holds[j] && g->core[j][node][c];
		n += there && !g->packed[j];
	}
	return n;
}

/* Draw cores with room on some nodes for @job; false: none. */
static bool draw_cores(struct gen *g, int job)
{
	bool any = false;

	memset(g->core[job], 0, sizeof(g->core[job]));
	for (int n = 0; n < NODES; n++) {
		if (g->down[n] || below(2) ||
		    (!g->packed[job] && counted_on(g, n) >= g->limit))
			continue;
		for (int c = 0; c < CORES; c++)
			if (g->jobs[n][c] < g->mpl && !below(3))
				any = g->core[job][n][c] = true;
	}
	return any;
}

static void print_alloc(struct gen *g, int job, char *buf, size_t size)
{
	size_t at = (size_t)snprintf(buf, size, ",\"alloc\":{");
	bool first = true;

	for (int n = 0; n < NODES; n++) {
		bool open = false;

		for (int c = 0; c < CORES; c++) {
			if (!g->core[job][n][c])
				continue;
			at += (size_t)(open ? snprintf(buf + at, size - at,
						       ",%d", c)
					    : snprintf(buf + at, size - at,
						       "%s\"%d\":\"%d",
						       first ? "" : ",", n, c));
			open = true;
		}
		if (open)
			at += (size_t)snprintf(buf + at, size - at, "\"");
		first &= !open;
	}
	snprintf(buf + at, size - at, "}%s",
		 g->packed[job] ? ",\"packed\":true" : "");
}

static void own(struct gen *g, int job, bool holds)
{
	g->holds[job] = holds;
	for (int n = 0; n < NODES; n++)
		for (int c = 0; c < CORES; c++)
			if (g->core[job][n][c])
				g->jobs[n][c] += holds ? 1 : -1;
}

static void start_job(struct gen *g, int job)
{
	char rest[2048];

	g->packed[job] = !below(4);
	if (!draw_cores(g, job))
		return;
	print_alloc(g, job, rest, sizeof(rest));
	emit(g, "start", job, rest);
	g->start_line = g->lines;
	g->started = job;
	own(g, job, true);
	g->state[job] = RUNNING;
}

/* May a suspended job have its cores back? */
static bool can_resume(const struct gen *g, int job)
{
	for (int n = 0; n < NODES; n++)
		for (int c = 0; c < CORES; c++)
			if (g->core[job][n][c] &&
			    (g->jobs[n][c] >= g->mpl ||
			     (!g->packed[job] && counted_on(g, n) >= g->limit)))
				return false;
	return true;
}

static void end_job(struct gen *g, int job)
{
	if (g->state[job] == RUNNING)
		own(g, job, false);
	if (below(5)) {
		emit(g, "finish", job, "");
		g->finish_line = g->lines;
		g->state[job] = ENDED;
	} else {
		emit(g, "requeue", job, ",\"procs\":1");
		g->state[job] = WAITING;
	}
}

static void step_job(struct gen *g, int job)
{
	switch (g->state[job]) {
	case NEW:
		emit(g, "submit", job, ",\"procs\":1");
		g->submit_line = g->lines;
		g->state[job] = WAITING;
		break;
	case WAITING:
		if (below(8)) {
			start_job(g, job);
		} else {
			emit(g, "cancel", job, "");
			g->state[job] = ENDED;
		}
		break;
	case RUNNING:
		if (below(2)) {
			end_job(g, job);
		} else {
			emit(g, "suspend", job, "");
			own(g, job, false);
			g->state[job] = SUSPENDED;
		}
		break;
	case SUSPENDED:
		if (!below(4)) {
			end_job(g, job);
		} else if (can_resume(g, job)) {
			emit(g, "resume", job, "");
			own(g, job, true);
			g->state[job] = RUNNING;
		}
		break;
	case ENDED:
		break;
	}
}

static void step_node(struct gen *g)
{
	unsigned n = below(NODES);

	g->down[n] = !g->down[n];
	fprintf(g->out, "{\"t\":%.6f,\"ev\":\"node\",\"node\":%u,\"up\":%s}\n",
		g->t, n, g->down[n] ? "false" : "true");
	g->lines++;
}

/* A random log that keeps all rules and stops with a start. */
static char *random_log(struct gen *g)
{
	char *text = NULL;
	size_t len;

	memset(g, 0, sizeof(*g));
	g->out = open_memstream(&text, &len);
	assert_non_null(g->out);
	g->limit = 1 + (int)below(3);
	g->mpl = 1 + (int)below(3);
	fprintf(g->out,
		"{\"ev\":\"header\",\"version\":1,\"machine\":{\"nodes\":%d,"
		"\"sockets\":2,\"cores\":%d},\"params\":{\"jobs_per_node\":"
		"%d,\"mpl\":%d}}\n",
		NODES, CORES / 2, g->limit, g->mpl);
	g->lines = 1;
	for (int i = 0; i < 2000 && (i < 200 || g->start_line != g->lines);
	     i++) {
		if (below(12))
			step_job(g, 1 + (int)below(JOBS));
		else
			step_node(g);
	}
	fclose(g->out);
	return text;
}

static void random_logs_are_accepted(void **arg)
{
	struct gen g;

	(void)arg;
	for (int i = 0; i < 300; i++) {
		char *log = random_log(&g);

		assert_ok(log);
		free(log);
	}
}

/* ---- mutations ----------------------------------------------------------- */

/* Start of line number @line (from 1) of @log. */
static char *line_at(char *log, int line)
{
	for (int i = 1; i < line; i++)
		log = strchr(log, '\n') + 1;
	return log;
}

/* @log with @extra behind it. */
static char *with(const char *log, const char *extra)
{
	char *longer = NULL;

	if (asprintf(&longer, "%s%s", log, extra) < 0)
		fail();
	return longer;
}

/* One breach in line @line. */
static void expect(char *log, int line, const char *words)
{
	assert_breach(log, line, words);
	free(log);
}

static void mutate_start(struct gen *g, char *log)
{
	char *copy = with(log, ""), *at = line_at(copy, g->start_line);
	char *digit = strstr(at, "\"alloc\":{\"") + strlen("\"alloc\":{\"");

	*digit = '8'; /* no such node */
	expect(copy, g->start_line, "on node 8");
	copy = with(log, "");
	digit = strstr(line_at(copy, g->start_line), ":\"") + 2;
	digit = strstr(digit, ":\"") + 2; /* behind "ev":" */
	*digit = '9'; /* no such core, or no list any more */
	assert_breach(copy, g->start_line, "core");
	free(copy);
}

/* The same cores for other jobs, until one has a job too many. */
static void mutate_double(struct gen *g, char *log)
{
	char alloc[2048], *longer = with(log, "");
	int most = 0, more;

	for (int n = 0; n < NODES; n++)
		for (int c = 0; c < CORES; c++)
			if (g->core[g->started][n][c] && g->jobs[n][c] > most)
				most = g->jobs[n][c];
	more = g->mpl - most + 1;
	g->packed[g->started] = true; /* so that they do not count */
	print_alloc(g, g->started, alloc, sizeof(alloc));
	for (int i = 0; i < more; i++) {
		char extra[4096], *last = longer;

		snprintf(extra, sizeof(extra),
			 "{\"t\":1e9,\"ev\":\"submit\",\"job\":%d}\n"
			 "{\"t\":1e9,\"ev\":\"start\",\"job\":%d%s}\n",
			 900 + i, 900 + i, alloc);
		longer = with(last, extra);
		free(last);
	}
	expect(longer, g->lines + 2 * more,
	       g->mpl > 1 ? "jobs there (mpl)" : "holds, expected a free core");
}

static void mutate_end(struct gen *g, char *log)
{
	char extra[256];

	snprintf(extra, sizeof(extra),
		 "{\"t\":1e9,\"ev\":\"finish\",\"job\":%d}\n"
		 "{\"t\":1e9,\"ev\":\"finish\",\"job\":%d}\n",
		 g->started, g->started);
	expect(with(log, extra), g->lines + 2, "not there");
	snprintf(extra, sizeof(extra),
		 "{\"t\":1e9,\"ev\":\"resume\",\"job\":%d}\n", g->started);
	expect(with(log, extra), g->lines + 1, "which runs");
	expect(with(log, "{\"t\":-1,\"ev\":\"tick\"}\n"), g->lines + 1,
	       "never to decrease");
}

/* The submit of the first job taken away. */
static void mutate_submit(char *log)
{
	char *copy = with(log, ""), *line = line_at(copy, 2), *next;
	char started[64];
	struct result r;
	int job;

	while (!strstr(line, "\"submit\"") ||
	       strstr(line, "\"submit\"") > strchr(line, '\n'))
		line = strchr(line, '\n') + 1;
	next = strstr(line, "\"job\":");
	assert_int_equal(sscanf(next, "\"job\":%d", &job), 1);
	next = strchr(line, '\n') + 1;
	memmove(line, next, strlen(next) + 1);
	snprintf(started, sizeof(started), "\"start\",\"job\":%d,", job);
	check(copy, &r);
	if (strstr(copy, started))
		assert_true(r.n >= 1);
	free(copy);
}

static void mutate_cut(struct gen *g, char *log)
{
	char *copy = with(log, "");

	/* a half-written last line */
	copy[strlen(copy) - 2 - below(10)] = '\0';
	expect(copy, g->lines, "no JSON");
}

static void mutations_are_found(void **arg)
{
	struct gen g;

	(void)arg;
	for (int i = 0; i < 200; i++) {
		char *log = random_log(&g);

		assert_int_equal(g.start_line, g.lines);
		mutate_start(&g, log);
		mutate_double(&g, log);
		mutate_end(&g, log);
		mutate_submit(log);
		mutate_cut(&g, log);
		free(log);
	}
}

static void garbage_is_survived(void **arg)
{
	struct gen g;
	char *log = random_log(&g);

	(void)arg;
	for (int i = 0; i < 300; i++) {
		struct cs_checkstate *state = cs_checkstate_create();
		struct result r;
		char *copy = with(log, "");
		size_t len = strlen(copy);

		assert_non_null(state);
		for (unsigned k = 0; k <= below(20); k++)
			copy[below((unsigned)len)] = (char)below(256);
		check_bytes(state, copy, len, &r);
		cs_checkstate_free(state);
		free(copy);
	}
	free(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_logs_are_accepted),
		cmocka_unit_test(mutations_are_found),
		cmocka_unit_test(garbage_is_survived),
	};

	draws = cs_test_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
