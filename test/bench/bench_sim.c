/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast the simulator and the engine are; on standard output as Markdown, which
 * doc/results/bench.md keeps.
 *
 *	bench_sim REPEATS COSCHED BARE_EASY [TRACE NODES]...
 *
 * TRACE is a log of whole nodes (SWF), such as those of KTH-SP2 (100) and SDSC-SP2
 * (128); W1 (Zeng09, section 5.1) is always there.
 *
 *  1. Whole processes: their time and memory, beside those of a program that does
 *     nothing but read and schedule (bare_easy.c).  First, since a process is said
 *     to have had at least the memory of the one that forked it.
 *  2. Jobs a second of the loop, without reading, by load and policy, and how often
 *     one could have parsed the load instead (as plain SWF).
 *  3. The same for 1, 2, 4 and 8 times as many jobs: a log end to end, or W1's
 *     model with more jobs.
 *  4. A live engine: one pass in which all are promised a start, and the decide
 *     after one more submit.  10,000 nodes of one core and 10,000 waiting jobs, or
 *     1,000 nodes of 2 x 8 and 5,000 jobs, with reservations too.
 *
 * Times are user time, the median of the repeats with the least and the most.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/engine/engine.h"
#include "common/base/rng.h"
#include "common/model/sites.h"
#include "sim/lublin.h"
#include "sim/resize.h"
#include "sim/sim.h"

#define US INT64_C(1000000)
#define REPEATS_MAX 99
#define W1_JOBS 10000

static int repeats;

static const char *const policies[] = {
	"fcfs",		  "easy", "conservative",    "ssp",
	"ssp,slice=pect", "glts", "glts,slice=pect",
};
#define N_POLICY (sizeof(policies) / sizeof(policies[0]))

/* A workload and the machine it is for. */
struct load {
	char name[32], machine[32];
	const char *extra;   /* settings beside the policy */
	struct cs_trace log; /* none: W1 */
};

struct figure { /* of all repeats */
	double s[REPEATS_MAX];
	double least, median, most;
};

static double seconds(const struct rusage *u)
{
	return (double)u->ru_utime.tv_sec + 1e-6 * (double)u->ru_utime.tv_usec;
}

static double user_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return seconds(&u);
}

static void must(int rc, const struct cs_err *err)
{
	if (!rc)
		return;
	fprintf(stderr, "bench_sim: %s\n", err->text);
	exit(1);
}

static void must_do(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

static void sum_up(struct figure *f)
{
	qsort(f->s, (size_t)repeats, sizeof(f->s[0]), by_value);
	f->least = f->s[0];
	f->median = f->s[repeats / 2];
	f->most = f->s[repeats - 1];
}

/* ---- loads --------------------------------------------------------------- */

static void w1(struct cs_trace *t, uint32_t jobs)
{
	struct cs_lublin m = {
		.nodes = 128, .jobs = jobs, .seed = 1, .alpha = 10.33
	};
	struct cs_resize_limits limits = { 1.25, 1.12 };
	struct cs_err err = { "" };

	must(cs_lublin_generate(t, &m, &err), &err);
	cs_resize_trace(t, 1, m.nodes, CS_RESIZE_POW2, &limits);
}

/* @log @times times, a second between. */
static void end_to_end(struct cs_trace *t, const struct cs_trace *log,
		       uint32_t times)
{
	int64_t shift = log->job[log->n - 1].submit_us + US;
	uint32_t last = 0;

	*t = (struct cs_trace){ .n = log->n * times };
	t->job = calloc(t->n, sizeof(*t->job));
	must_do(t->job != NULL, "bench_sim");
	for (size_t i = 0; i < log->n; i++)
		last = log->job[i].id > last ? log->job[i].id : last;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t k = (uint32_t)(i / log->n);

		t->job[i] = log->job[i % log->n];
		t->job[i].id += k * last;
		t->job[i].submit_us += k * shift;
	}
}

static void make(struct cs_trace *t, const struct load *l, uint32_t times)
{
	if (l->log.n)
		end_to_end(t, &l->log, times);
	else
		w1(t, W1_JOBS * times);
}

/* KTH-SP2-1996-2.1-cln.swf.xz is KTH-SP2. */
static void logged(struct load *l, const char *path, const char *nodes)
{
	struct cs_trace_options o = { .max_procs = strtoull(nodes, NULL, 10) };
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct cs_err err = { "" };
	size_t len = 0;

	while (name[len] && strncmp(&name[len], "-19", 3) &&
	       strncmp(&name[len], "-20", 3))
		len++;
	snprintf(l->name, sizeof(l->name), "%.*s", (int)len, name);
	snprintf(l->machine, sizeof(l->machine), "%.20sx1x1", nodes);
	l->extra = "";
	must(cs_trace_read(&l->log, path, &o, &err), &err);
}

/* ---- the loop ------------------------------------------------------------ */

/* The loop, once. */
static double loop_s(const struct cs_trace *t, const char *machine,
		     const char *settings)
{
	struct cs_err err = { "" };
	struct cs_machine *m;
	struct cs_params p;
	struct cs_sim_result r;
	double from;

	must(cs_sim_machine(machine, &m, &err), &err);
	must(cs_params_parse(&p, CS_HOST_SIM, settings, "", &err), &err);
	from = user_s();
	must(cs_sim_run(&(struct cs_sim_options){ .machine = m, .params = &p },
			t, &r, &err),
	     &err);
	from = user_s() - from;
	cs_sim_result_done(&r);
	cs_params_done(&p);
	cs_machine_free(m);
	return from > 1e-6 ? from : 1e-6;
}

/* Parsing it as plain SWF, once. */
static double parse_s(const struct cs_trace *t)
{
	struct cs_trace_options o = { 0 };
	struct cs_err err = { "" };
	FILE *f = tmpfile();
	struct cs_trace back;
	double from;

	must_do(f && !cs_trace_write(t, "", f) && !fflush(f), "bench_sim");
	rewind(f);
	from = user_s();
	must(cs_trace_read_file(&back, f, "bench", &o, &err), &err);
	from = user_s() - from;
	cs_trace_done(&back);
	fclose(f);
	return from > 1e-6 ? from : 1e-6;
}

static void settings_of(char *s, size_t size, const struct load *l,
			size_t policy)
{
	snprintf(s, size, "policy=%s%s", policies[policy], l->extra);
}

static void speed_of(const struct load *l)
{
	struct figure parse;
	struct cs_trace t;

	make(&t, l, 1);
	for (int i = 0; i < repeats; i++)
		parse.s[i] = parse_s(&t);
	sum_up(&parse);
	for (size_t p = 0; p < N_POLICY; p++) {
		double n = (double)t.n;
		struct figure f;
		char s[128];

		settings_of(s, sizeof(s), l, p);
		for (int i = 0; i < repeats; i++)
			f.s[i] = loop_s(&t, l->machine, s);
		sum_up(&f);
		printf("| %s | %s | %zu | %.0f | %.0f to %.0f | %.1f |\n",
		       l->name, policies[p], t.n, n / f.median, n / f.most,
		       n / f.least, f.median / parse.median);
		fflush(stdout);
	}
	cs_trace_done(&t);
}

static void growth_of(const struct load *l)
{
	for (size_t p = 0; p < N_POLICY; p++) {
		double per_job[4];
		char s[128];

		settings_of(s, sizeof(s), l, p);
		printf("| %s | %s |", l->name, policies[p]);
		for (uint32_t k = 0; k < 4; k++) {
			struct cs_trace t;

			make(&t, l, 1U << k);
			per_job[k] = loop_s(&t, l->machine, s) / (double)t.n;
			printf(" %.0f |", 1 / per_job[k]);
			fflush(stdout);
			cs_trace_done(&t);
		}
		printf(" %.2f |\n", 1 + log(per_job[3] / per_job[0]) / log(8));
	}
}

/* ---- a live engine ------------------------------------------------------- */

/* 1 to 2^@bits, its logarithm uniform by powers of two. */
static uint32_t log_draw(struct cs_rng *r, uint32_t bits)
{
	uint32_t least = UINT32_C(1) << cs_rng_next(r) % bits;

	return least + (uint32_t)(cs_rng_next(r) % least);
}

static void submit(struct cs_engine *e, uint32_t id, uint32_t procs,
		   int64_t run_us, const struct cs_job_partition *o)
{
	struct cs_err err = { "" };
	struct cs_job j = { .id = id,
			    .tasks = 1,
			    .procs = procs,
			    .cpus_per_proc = 1,
			    .min_nodes = 1,
			    .estimate_us = run_us,
			    .option = o,
			    .n_option = 1 };

	must(cs_engine_event(e, &(struct cs_event){ .job = &j }, &err), &err);
}

/* Start who is told to; how long the decides took. */
static double decide(struct cs_engine *e, int64_t now_us)
{
	struct cs_actions a;
	struct cs_err err = { "" };
	double s = 0;

	do {
		struct cs_action *copy;
		size_t n;

		s -= user_s();
		must(cs_engine_decide(e, now_us, &a), &err);
		s += user_s();
		n = a.n;
		copy = malloc((n + 1) * sizeof(*copy));
		for (size_t i = 0; i < n; i++) {
			copy[i] = a.action[i];
			if (copy[i].alloc)
				copy[i].alloc = cs_alloc_copy(copy[i].alloc);
		}
		for (size_t i = 0; i < n; i++) {
			struct cs_started st = { .seq = copy[i].seq,
						 .job_id = copy[i].job_id,
						 .start_us = now_us,
						 .limit_us = 86400 * US,
						 .alloc = copy[i].alloc };

			if (copy[i].type != CS_ACT_START)
				continue;
			must(cs_engine_event(
				     e,
				     &(struct cs_event){ .type = CS_EV_STARTED,
							 .t_us = now_us,
							 .start = &st },
				     &err),
			     &err);
			cs_alloc_free((struct cs_alloc *)(uintptr_t)st.alloc);
		}
		free(copy);
		a.n = n;
	} while (a.n);
	return s;
}

/* A live engine: what it decides by, and about. */
struct live {
	const char *settings;
	enum cs_param_host host;
	uint32_t nodes, sockets, cores;
	uint32_t jobs;	/* that wait */
	uint32_t resv;	/* reservations to come, every other one of cores */
	uint32_t sites; /* alike; 0: none */
	uint32_t size;	/* processes of those that wait; 0: 1 to 256 */
};

/* A reservation of up to 16 nodes in a row in the next week, for up to a day; @half of
 * their cores, or whole. */
static void reserve(struct cs_engine *e, const struct cs_machine *m,
		    struct cs_rng *r, uint32_t id, bool half)
{
	uint32_t n = log_draw(r, 4), node[32];
	uint32_t first = (uint32_t)(cs_rng_next(r) % (m->n_node - n));
	int64_t start = (int64_t)(cs_rng_next(r) % (7 * 86400)) * US;
	struct cs_alloc *a = half ? cs_alloc_create(n, m->words) : NULL;
	struct cs_reservation v = {
		.id = id,
		.n = n,
		.node = node,
		.cores = a,
		.start_us = start,
		.end_us = start + 3600 * US +
			  (int64_t)(cs_rng_next(r) % 82800) * US
	};
	struct cs_err err = { "" };

	must_do(!half || a, "bench_sim");
	for (uint32_t i = 0; i < n; i++) {
		node[i] = first + i;
		if (!half)
			continue;
		a->node[i].node = node[i];
		for (uint32_t c = 0; c < cs_node_cores(&m->node[node[i]]) / 2;
		     c++)
			cs_bit_set(cs_alloc_cores(a, i), c);
	}
	must(cs_engine_event(e,
			     &(struct cs_event){ .type = CS_EV_RESERVATION,
						 .reservation = &v },
			     &err),
	     &err);
	cs_alloc_free(a);
}

/* Alike sites of the nodes in a row. */
static struct cs_sites *sites_of(const struct live *l)
{
	uint32_t *of = calloc(l->nodes, sizeof(*of));
	struct cs_sites *s = NULL;

	for (uint32_t i = 0; of && i < l->nodes; i++)
		of[i] = i / (l->nodes / l->sites);
	if (of)
		s = cs_sites_create(l->nodes, of, l->sites, NULL);
	free(of);
	return s;
}

/* The full pass, and the decide after one more submit. */
static void live_once(const struct live *l, double *ret_full, double *ret_more)
{
	struct cs_node like = { .sockets = (uint16_t)l->sockets,
				.cores_per_socket = (uint16_t)l->cores,
				.threads = 1 };
	uint32_t cores = l->sockets * l->cores;
	struct cs_machine *m = cs_machine_create(l->nodes, &like);
	uint64_t *all = calloc((l->nodes + 63) / 64, sizeof(*all));
	struct cs_job_partition o = { .limit_max_us = CS_TIME_NONE };
	struct cs_err err = { "" };
	struct cs_engine *e;
	struct cs_params p;
	struct cs_rng r;
	uint32_t id = 0, held = 0;

	cs_rng_init(&r, 1, 0);
	must(cs_params_parse(&p, l->host, l->settings, "", &err), &err);
	if (l->sites)
		m->sites = sites_of(l);
	e = cs_engine_create(&p, m, NULL, &err);
	must(!e || !all, &err);
	for (uint32_t n = 0; n < l->nodes; n++)
		cs_bit_set(all, n);
	o.nodeset = (uint32_t)cs_engine_nodeset(e, all);
	for (uint32_t i = 0; i < l->resv; i++)
		reserve(e, m, &r, i + 1, i % 2);
	while (held < l->nodes * cores / 2) {
		uint32_t n = log_draw(&r, 6);

		submit(e, ++id, n,
		       (60 + (int64_t)(cs_rng_next(&r) % 86340)) * US, &o);
		held += n;
	}
	decide(e, 0);
	for (uint32_t i = 0; i < l->jobs; i++)
		submit(e, ++id, l->size ? l->size : log_draw(&r, 8),
		       (60 + (int64_t)(cs_rng_next(&r) % 86340)) * US, &o);
	*ret_full = decide(e, US);
	submit(e, ++id, l->size ? l->size : 64, 3600 * US, &o);
	*ret_more = decide(e, 2 * US);
	cs_engine_free(e);
	cs_params_done(&p);
	cs_machine_free(m);
	free(all);
}

static void live(const struct live *l)
{
	struct figure full, more;

	for (int i = 0; i < repeats; i++)
		live_once(l, &full.s[i], &more.s[i]);
	sum_up(&full);
	sum_up(&more);
	printf("| %s | %u | %u | %u | %u | %.1f | %.1f to %.1f | %.2f |\n",
	       l->settings, l->nodes, l->sites, l->jobs, l->resv,
	       1e3 * full.median, 1e3 * full.least, 1e3 * full.most,
	       1e3 * more.median);
	fflush(stdout);
}

/* ---- whole processes ----------------------------------------------------- */

/* Run @argv without its output; user time, memory into *ret_kb. */
static double process_s(char *const *argv, long *ret_kb)
{
	struct rusage u;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	must_do(pid >= 0, "bench_sim: fork");
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	must_do(wait4(pid, &status, 0, &u) == pid, "bench_sim: wait4");
	if (status) {
		fprintf(stderr, "bench_sim: '%s' failed\n", argv[0]);
		exit(1);
	}
	*ret_kb = u.ru_maxrss;
	return seconds(&u);
}

static void whole(char *cosched, char *bare, const struct load *l,
		  uint32_t times)
{
	char path[] = "bench-XXXXXX", nodes[16];
	char *const ours[] = { cosched,
			       (char[]){ "sim" },
			       (char[]){ "--machine" },
			       (char *)(uintptr_t)l->machine,
			       (char[]){ "--policy" },
			       (char[]){ "easy" },
			       path,
			       NULL };
	char *const theirs[] = { bare, path, nodes, NULL };
	struct figure a, b;
	struct cs_trace t;
	long kb = 0, bare_kb = 0;
	int fd = mkstemp(path);
	size_t n;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	snprintf(nodes, sizeof(nodes), "%d", atoi(l->machine));
	make(&t, l, times);
	must_do(f && !cs_trace_write(&t, "", f) && !fclose(f), "bench_sim");
	n = t.n;
	cs_trace_done(&t);
	for (int i = 0; i < repeats; i++) {
		a.s[i] = process_s(ours, &kb);
		b.s[i] = process_s(theirs, &bare_kb);
	}
	unlink(path);
	sum_up(&a);
	sum_up(&b);
	printf("| %s x %u | %zu | %.3f (%.3f to %.3f) | %.3f (%.3f to %.3f) | "
	       "%.1f | %.2f | %.1f | %.1f |\n",
	       l->name, times, n, a.median, a.least, a.most, b.median, b.least,
	       b.most, a.median / b.median, 1e6 * a.median / (double)n,
	       (double)kb / 1024, (double)bare_kb / 1024);
}

/* ---- all ----------------------------------------------------------------- */

/* Where: the processor, and who else uses it. */
static void surroundings(void)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[256] = "", *name = NULL;
	double load = 0;

	while (f && !name && fgets(line, sizeof(line), f))
		name = strncmp(line, "model name", 10) ? NULL
						       : strchr(line, ':');
	if (f)
		fclose(f);
	if (name)
		name[strcspn(name, "\n")] = '\0';
	getloadavg(&load, 1);
	printf("Processor:%s, %ld of them; %.1f processes wanted one when this "
	       "began.\nTimes are user time on one of them, the median of %d runs "
	       "and the least and most;\n3 has one run a figure.\n",
	       name ? name + 1 : " ?", sysconf(_SC_NPROCESSORS_ONLN), load,
	       repeats);
}

static void loops(const struct load *l, int n)
{
	printf("\n## 2. Jobs a second\n\n"
	       "The loop without reading; W1 has `slowdowns=table4`.  Wanted: "
	       "1,000,000 for easy on\nKTH-SP2, 100,000 and 50,000 for ssp and "
	       "glts with slices on W1.\n\n"
	       "| load | policy | jobs | jobs a second | least to most | times "
	       "parsing |\n|---|---|---:|---:|---:|---:|\n");
	for (int i = 0; i < n; i++)
		speed_of(&l[i]);
	printf("\n## 3. Growth\n\n"
	       "Jobs a second with 1 to 8 times the jobs: a log end to end, W1's "
	       "model with more\njobs.  The last column is b in time = "
	       "jobs^b, from 1 to 8 times.\n\n"
	       "| load | policy | x 1 | x 2 | x 4 | x 8 | b |\n"
	       "|---|---|---:|---:|---:|---:|---:|\n");
	for (int i = 0; i < n; i++)
		growth_of(&l[i]);
}

static void passes(void)
{
	static const struct live all[] = {
		{ "policy=fcfs", CS_HOST_SIM, 10000, 1, 1, 10000, 0, 0, 0 },
		{ "policy=easy", CS_HOST_SIM, 10000, 1, 1, 10000, 0, 0, 0 },
		{ "policy=conservative", CS_HOST_SIM, 10000, 1, 1, 10000, 0, 0,
		  0 },
		{ "policy=balanced", CS_HOST_SIM_LIVE, 10000, 1, 1, 10000, 0, 0,
		  0 },
		{ "policy=balanced", CS_HOST_SIM_LIVE, 1000, 2, 8, 5000, 100, 0,
		  0 },
		{ "policy=adaptive", CS_HOST_SIM_LIVE, 10000, 1, 1, 10000, 0, 0,
		  0 },
		{ "policy=adaptive", CS_HOST_SIM_LIVE, 1000, 2, 8, 5000, 0, 0,
		  0 },
		{ "policy=adaptive", CS_HOST_SIM_LIVE, 1000, 2, 8, 5000, 10, 0,
		  0 },
		{ "policy=adaptive", CS_HOST_SIM_LIVE, 1000, 2, 8, 5000, 100, 0,
		  0 },
		{ "policy=multisite-adaptive,across=20", CS_HOST_SIM, 10000, 1,
		  1, 10000, 0, 500, 18 },
		{ "policy=multisite+,across=20,across_grows=log", CS_HOST_SIM,
		  10000, 1, 1, 10000, 0, 500, 18 },
		{ "policy=multisite+,backfill=conservative,across=20,across_grows=log",
		  CS_HOST_SIM, 10000, 1, 1, 1000, 0, 500, 18 },
	};

	printf("\n## 4. A full pass\n\n"
	       "A live engine, half of its cores taken by jobs of 1 to 64 "
	       "processes; others wait for\n1 to 256, for a minute to a day "
	       "(processes: powers of two with equal chance, then\nuniform up to "
	       "the next; time: uniform; seed 1); 10,000 nodes have 1 core, 1,000 "
	       "have\n2 x 8.  Reservations begin within a week, of up to 16 nodes, "
	       "every other one of half\ntheir cores.  Those of 500 sites wait for 18 "
	       "of a site's 20 nodes, and would\nrun 21 times as long "
	       "over several: the rule is asked of the first ones, until a "
	       "pass\nhas looked at 4,000,000 jobs and sites; those behind wait "
	       "unasked.  Wanted: 50 ms\nfor conservative.\n\n"
	       "| policy | nodes | sites | jobs | reservations | full pass, ms | "
	       "least to most | one more submit, ms |\n"
	       "|---|---:|---:|---:|---:|---:|---:|---:|\n");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		live(&all[i]);
}

static void processes(char *cosched, char *bare, const struct load *l, int n)
{
	printf("\n## 1. Whole processes\n\n"
	       "`cosched sim --policy easy` and a bare program that does nothing "
	       "but read the same\nplain file and schedule it "
	       "(test/bench/bare_easy.c), run in turn.  Wanted: at\nmost 4.1 us a "
	       "job, 4 times what a bare reference in C++ took for 243,000 jobs\n"
	       "(0.25 s); the ratio is to ours.\n\n"
	       "| load | jobs | cosched, s | bare, s | ratio | us a job | "
	       "cosched, MB | bare, MB |\n"
	       "|---|---:|---:|---:|---:|---:|---:|---:|\n");
	for (int i = 0; i < n; i++)
		for (uint32_t times = 1; l[i].log.n && times <= 8; times *= 8)
			whole(cosched, bare, &l[i], times);
}

int main(int argc, char **argv)
{
	struct load *l;
	int n = 0;

	if (argc < 4) {
		fprintf(stderr, "usage: bench_sim REPEATS COSCHED BARE_EASY "
				"[TRACE NODES]...\n");
		return 2;
	}
	repeats = atoi(argv[1]);
	if (repeats < 1 || repeats > REPEATS_MAX)
		repeats = 1;
	l = calloc((size_t)argc, sizeof(*l));
	must_do(l != NULL, "bench_sim");
	for (int i = 4; i + 1 < argc; i += 2)
		logged(&l[n++], argv[i], argv[i + 1]);
	l[n++] = (struct load){ .name = "W1",
				.machine = "128x2x2",
				.extra = ",slowdowns=table4" };
	printf("# How fast\n\n"
	       "Written by `make bench-results`; test/bench/bench_sim.c says what "
	       "is measured.\n\n");
	surroundings();
	processes(argv[2], argv[3], l, n);
	loops(l, n);
	passes();
	for (int i = 0; i < n; i++)
		cs_trace_done(&l[i].log);
	free(l);
	return 0;
}
