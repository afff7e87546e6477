/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cosched wait: what the agent of this node, coschedd-node, has counted about MPI ranks
 * that share cores.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/table.h"
#include "common/proc/reorder.h"
#include "wait/mode.h"
#include "wait/node_page.h"

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static struct cs_proc_counts counts_of(const struct cs_node_core *c)
{
	return (struct cs_proc_counts){ c->switches, c->conflicts, c->falses };
}

static const char *mode_of(const struct cs_node_job *j)
{
	return j->mode < CS_WAIT_N_MODE
		       ? cs_wait_mode_name((enum cs_wait_mode)j->mode)
		       : "?";
}

/* Seconds since the agent last wrote. */
static double age_s(const struct cs_node_report *r)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec -
	       1e-9 * (double)r->head.beat_ns;
}

static bool is_running(const struct cs_node_report *r)
{
	return age_s(r) < 1e-9 * (double)CS_NODE_STALE_NS;
}

/* ---- text ------------------------------------------------------------------- */

static void print_cores(const struct cs_node_report *r)
{
	static const char *const head[] = { ">CPU", ">RANKS",  ">SWITCHES",
					    ">BCR", ">FDR",    ">ED",
					    ">ENP", ">FORCED", ">BOOSTS",
					    NULL };
	struct cs_table t;

	cs_table_init(&t, head);
	for (uint32_t i = 0; i < r->n_core; i++) {
		const struct cs_node_core *c = &r->core[i];
		struct cs_proc_counts n = counts_of(c);

		cs_table_cell(&t, "%" PRIu32, c->cpu);
		cs_table_cell(&t, "%" PRIu32, c->ranks);
		cs_table_cell(&t, "%" PRIu64, c->switches);
		cs_table_cell(&t, "%.1f %%", 100 * cs_proc_counts_bcr(&n));
		cs_table_cell(&t, "%.1f %%", 100 * cs_proc_counts_fdr(&n));
		cs_table_cell(&t, "%.0f us", 1e-3 * c->ed_ns);
		cs_table_cell(&t, "%.2f", c->enp);
		cs_table_cell(&t, "%" PRIu64, c->forced);
		cs_table_cell(&t, "%" PRIu64, c->boosts);
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

static void print_jobs(const struct cs_node_report *r)
{
	static const char *const head[] = { ">JOB",    ">USER",	   "MODE",
					    ">RANKS",  ">BLOCKED", ">SPIN",
					    ">SLEEPS", ">TURNS",   NULL };
	struct cs_table t;

	cs_table_init(&t, head);
	for (uint32_t i = 0; i < r->n_job; i++) {
		const struct cs_node_job *j = &r->job[i];

		if (j->job)
			cs_table_cell(&t, "%" PRIu32 ".%" PRIu32, j->job,
				      j->step);
		else
			cs_table_cell(&t, "%s", j->key);
		cs_table_cell(&t, "%" PRIu32, j->uid);
		cs_table_cell(&t, "%s", mode_of(j));
		cs_table_cell(&t, "%" PRIu32, j->ranks);
		cs_table_cell(&t, "%.1f %%",
			      100 * ratio(j->slept_ns, j->life_ns));
		cs_table_cell(&t, "%.1f %%",
			      100 * ratio(j->spun_ns, j->life_ns));
		cs_table_cell(&t, "%" PRIu64, j->sleeps);
		cs_table_cell(&t, "%" PRIu64, j->tokens);
	}
	cs_table_print(&t, cs_cmd_columns());
	cs_table_done(&t);
}

static void print_text(const struct cs_node_report *r)
{
	if (is_running(r))
		printf("coschedd-node %" PRIu32
		       ": boost %s, unread messages %s, "
		       "%" PRIu32 " ranks, %" PRIu64 " refused\n",
		       r->head.pid, cs_node_boost_name(r->head.boost),
		       r->head.sees ? "seen" : "not seen", r->head.n_rank,
		       r->head.refused);
	else
		printf("coschedd-node %" PRIu32 " last wrote %.0f s ago\n",
		       r->head.pid, age_s(r));
	if (r->n_core)
		print_cores(r);
	if (r->n_job)
		print_jobs(r);
}

/* ---- JSON ------------------------------------------------------------------- */

static void print_core_json(const struct cs_node_core *c)
{
	struct cs_proc_counts n = counts_of(c);

	printf("{\"cpu\":%" PRIu32 ",\"ranks\":%" PRIu32
	       ",\"switches\":%" PRIu64 ",\"conflicts\":%" PRIu64
	       ",\"false_decisions\":%" PRIu64
	       ",\"bcr\":%.6g,\"fdr\":%.6g,\"ed_us\":%.6g,\"enp\":%.6g"
	       ",\"forced\":%" PRIu64 ",\"boosts\":%" PRIu64 "}",
	       c->cpu, c->ranks, c->switches, c->conflicts, c->falses,
	       cs_proc_counts_bcr(&n), cs_proc_counts_fdr(&n), 1e-3 * c->ed_ns,
	       c->enp, c->forced, c->boosts);
}

static void print_job_json(const struct cs_node_job *j)
{
	printf("{\"job\":%" PRIu32 ",\"step\":%" PRIu32
	       ",\"key\":\"%.16s\",\"uid\":%" PRIu32
	       ",\"mode\":\"%s\",\"ranks\":%" PRIu32
	       ",\"life_s\":%.6g,\"blocked_s\":%.6g,\"spin_s\":%.6g"
	       ",\"sleeps\":%" PRIu64 ",\"turns\":%" PRIu64 "}",
	       j->job, j->step, j->key, j->uid, mode_of(j), j->ranks,
	       1e-9 * (double)j->life_ns, 1e-9 * (double)j->slept_ns,
	       1e-9 * (double)j->spun_ns, j->sleeps, j->tokens);
}

static void print_json(const struct cs_node_report *r)
{
	printf("{\"pid\":%" PRIu32
	       ",\"running\":%s,\"boost\":\"%s\",\"sees\":%s"
	       ",\"ranks\":%" PRIu32 ",\"refused\":%" PRIu64 ",\"cores\":[",
	       r->head.pid, is_running(r) ? "true" : "false",
	       cs_node_boost_name(r->head.boost),
	       r->head.sees ? "true" : "false", r->head.n_rank,
	       r->head.refused);
	for (uint32_t i = 0; i < r->n_core; i++) {
		printf("%s", i ? "," : "");
		print_core_json(&r->core[i]);
	}
	printf("],\"jobs\":[");
	for (uint32_t i = 0; i < r->n_job; i++) {
		printf("%s", i ? "," : "");
		print_job_json(&r->job[i]);
	}
	printf("]}\n");
}

static int run_wait(int argc, char **argv)
{
	static const struct option options[] = { { "dir", 1, NULL, 'd' },
						 { "json", 0, NULL, 'j' },
						 { "help", 0, NULL, 'h' },
						 { 0 } };
	static struct cs_node_report report;
	const char *dir = CS_NODE_DIR;
	bool json = false;
	int c, fd, rc;

	while ((c = cs_cmd_getopt(&cs_cmd_wait, argc, argv, options)) != -1) {
		if (c == '?')
			return CS_EXIT_USAGE;
		dir = c == 'd' ? optarg : dir;
		json |= c == 'j';
	}
	if (optind < argc)
		return cs_cmd_bad(
			"wait: unexpected '%s', expected options only",
			argv[optind]);
	fd = cs_node_page_open(dir);
	if (fd == -ENOENT)
		return cs_cmd_failed(
			"wait: no coschedd-node has run on this node: no page "
			"in '%s'",
			dir);
	if (fd < 0)
		return cs_cmd_failed("wait: the page in '%s': %s", dir,
				     strerror(-fd));
	rc = cs_node_page_read(fd, &report);
	close(fd);
	if (rc)
		return cs_cmd_failed("wait: the page in '%s' is %s", dir,
				     rc == -EAGAIN ? "half written"
						   : "no page of this release");
	if (json)
		print_json(&report);
	else
		print_text(&report);
	return is_running(&report) ? CS_EXIT_OK : CS_EXIT_NO;
}

const struct cs_cmd cs_cmd_wait = {
	"wait", "[OPTION]...",
	"Show how MPI ranks share the cores of this node.", run_wait,
	"  --dir DIR  where coschedd-node's page is [" CS_NODE_DIR "]\n"
	"  --json     as JSON\n"
};
