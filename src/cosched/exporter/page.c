/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page: a table of metrics, each with the member of the answer that it shows.
 * Microseconds are shown as seconds, thousandths as ones, printed from whole numbers, so
 * that the same answer is the same text.
 */
#include "exporter/page.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_view.h"
#include "common/base/textbuf.h"
#include "query/plugin_trouble.h"

enum kind { GAUGE, COUNTER, INFO, SIGNED_GAUGE };
enum unit { ONE, THOUSANDTH, MICROSECOND };

/* A metric of one number.  @in: the object of the answer that has @key; NULL: the
 * answer itself. */
struct metric {
	const char *name, *in, *key;
	enum kind kind;
	enum unit unit; /* of the number */
	const char *help;
};

/* clang-format off */
static const struct metric metrics[] = {
	{ "cosched_cycles", NULL, "cycles", COUNTER, ONE,
	  "Looks at the queue." },
	{ "cosched_cycle_last_seconds", NULL, "cycle_last_us", GAUGE, MICROSECOND,
	  "Time of the last cycle, without waiting for Slurm's locks." },
	{ "cosched_cycle_max_seconds", NULL, "cycle_max_us", GAUGE, MICROSECOND,
	  "Time of the longest cycle." },
	{ "cosched_cycle_work_last_seconds", NULL, "cycle_work_last_us", GAUGE, MICROSECOND,
	  "Processor time of the last cycle." },
	{ "cosched_cycle_work_max_seconds", NULL, "cycle_work_max_us", GAUGE, MICROSECOND,
	  "Most processor time of a cycle; cosched_budget_ms limits it." },
	{ "cosched_fallbacks", "fallbacks", "total", COUNTER, ONE,
	  "Times that the watchdog ended mode act or shadow; goes on over restarts." },
	{ "cosched_fallbacks_in_a_row", "fallbacks", "in_a_row", GAUGE, ONE,
	  "Those since the mode was last in force for an hour." },
	{ "cosched_return_seconds", "fallbacks", "return_in_s", GAUGE, ONE,
	  "Seconds until the mode is tried again by itself; 0: that is not due." },
	{ "cosched_locked_seconds", NULL, "locked_us", COUNTER, MICROSECOND,
	  "Time in which the plugin held Slurm's write locks." },
	{ "cosched_starts_refused", "counts", "starts_refused", COUNTER, ONE,
	  "Starts of Slurm's own schedulers that the gate refused, as it should." },
	{ "cosched_starts_passed", "counts", "starts_passed", COUNTER, ONE,
	  "Starts at once or never that the gate let pass." },
	{ "cosched_starts_imposed", "counts", "starts_imposed", COUNTER, ONE,
	  "Starts that Slurm made as planned." },
	{ "cosched_starts_unfit", "counts", "starts_unfit", COUNTER, ONE,
	  "Planned starts that Slurm could not make." },
	{ "cosched_gate_lapses", "counts", "gate_lapses", COUNTER, ONE,
	  "Times that the gate opened by itself." },
	{ "cosched_resumes_refused", "counts", "resumes_refused", COUNTER, ONE,
	  "Resumes of suspended jobs that were refused." },
	{ "cosched_pointers_healed", "counts", "pointers_healed", COUNTER, ONE,
	  "Times that a fault of Slurm's with suspended jobs was avoided." },
	{ "cosched_jobs_waiting", "engine", "waiting", GAUGE, ONE,
	  "Jobs that wait, as squeue -r lists them: tasks, components." },
	{ "cosched_jobs_blocked", "engine", "blocked", GAUGE, ONE,
	  "Those of the waiting jobs that Slurm would not let start." },
	{ "cosched_jobs_running", "engine", "running", GAUGE, ONE,
	  "Jobs that run." },
	{ "cosched_jobs_suspended", "engine", "suspended", GAUGE, ONE,
	  "Jobs that are suspended." },
	{ "cosched_groups", "engine", "groups", GAUGE, ONE,
	  "Pairs and larger groups of jobs that share nodes now." },
	{ "cosched_promised_jobs", "engine", "reservations", GAUGE, ONE,
	  "Jobs to which a start time is kept." },
	{ "cosched_cores", "engine", "cores", GAUGE, ONE,
	  "Cores of nodes that are up and powered." },
	{ "cosched_cores_powered_down", "engine", "cores_powered_down", GAUGE, ONE,
	  "Cores of nodes that a start would power up." },
	{ "cosched_cores_used", "engine", "cores_used", GAUGE, ONE,
	  "Cores that running jobs hold." },
	{ "cosched_gpus_held", "engine", "gpus_held", GAUGE, ONE,
	  "GPUs that jobs hold, stopped and suspended ones too." },
	{ "cosched_gpus_free", "engine", "gpus_free", GAUGE, ONE,
	  "GPUs of nodes that may be used, powered-down ones too, that no job holds." },
	{ "cosched_gpus_stranded", "engine", "gpus_stranded", GAUGE, ONE,
	  "Free GPUs whose nodes have fewer free cores or less free memory than each planned job asks for that waits for GPUs." },
	{ "cosched_gpus_fragment", "engine", "gpus_fragment_thousandths", GAUGE, THOUSANDTH,
	  "Free GPUs that a usual request cannot use, as an expectation over what jobs asked for." },
	{ "cosched_gpu_jobs_waiting", "engine", "gpu_jobs_waiting", GAUGE, ONE,
	  "Jobs that wait for GPUs and may start, but for those that Slurm's own test places; an array counts as one." },
	{ "cosched_job_starts", "engine", "starts", COUNTER, ONE,
	  "Jobs that the plugin started." },
	{ "cosched_pairs", "engine", "pairs", COUNTER, ONE,
	  "Pairs of jobs put together." },
	{ "cosched_refusals", "engine", "refusals", COUNTER, ONE,
	  "Proposals that were refused." },
	{ "cosched_would_starts", "engine", "would", COUNTER, ONE,
	  "Starts that mode shadow would have made." },
	{ "cosched_events", "engine", "events", COUNTER, ONE,
	  "Events of jobs and nodes that the policy was told." },
	{ "cosched_node_sets", "engine", "node_sets", GAUGE, ONE,
	  "Different sets of nodes that waiting jobs may use." },
	{ "cosched_unknown_profiles", "engine", "unknown_profiles", GAUGE, ONE,
	  "Job comments that name a profile which is not there, since slurm.conf was last read." },
	{ "cosched_malformed_comments", "engine", "malformed_comments", GAUGE, ONE,
	  "Job comments that cannot be read, since slurm.conf was last read." },
	{ "cosched_promises_kept", "engine", "promises_kept", COUNTER, ONE,
	  "Jobs that started by the time first promised, or within a minute of it." },
	{ "cosched_estimated_jobs", "engine", "estimated", GAUGE, ONE,
	  "Waiting jobs with an estimated start." },
	{ "cosched_estimates_judged", "engine", "estimates_judged", COUNTER, ONE,
	  "Jobs with an estimated start that have started, and waited for a minute or were to; goes on over restarts." },
	{ "cosched_estimates_outside", "engine", "estimates_outside", COUNTER, ONE,
	  "Those of them that started outside the interval of their first estimate; goes on over restarts." },
	{ "cosched_estimate_error_median_seconds", "engine", "estimate_error_p50_us", GAUGE, MICROSECOND,
	  "By how much half of the last day's first estimates were off at most." },
	{ "cosched_estimate_error_p90_seconds", "engine", "estimate_error_p90_us", GAUGE, MICROSECOND,
	  "By how much nine in ten of them were off at most." },
	{ "cosched_estimate_late_median_seconds", "engine", "estimate_late_p50_us", SIGNED_GAUGE, MICROSECOND,
	  "Median of the starts after those estimates; below 0: before them." },
};
/* clang-format on */

static const char *const parts[] = { "look", "feed", "decide", "apply",
				     "texts" };

/* ---- text ---------------------------------------------------------------- */

static void head(struct cs_textbuf *t, const char *name, enum kind kind,
		 enum unit unit, const char *help)
{
	static const char *const kinds[] = { "gauge", "counter", "info",
					     "gauge" };

	cs_textbuf_print(t, "# TYPE %s %s\n", name, kinds[kind]);
	if (unit == MICROSECOND)
		cs_textbuf_print(t, "# UNIT %s seconds\n", name);
	cs_textbuf_print(t, "# HELP %s %s\n", name, help);
}

/* A label's value; what is not printable ASCII is '?'. */
static void quoted(struct cs_textbuf *t, const char *text)
{
	cs_textbuf_byte(t, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '\\' || c == '"')
			cs_textbuf_byte(t, '\\');
		if (c == '\n')
			cs_textbuf_add(t, "\\n");
		else
			cs_textbuf_byte(t, c < ' ' || c > '~' ? '?' : *text);
	}
	cs_textbuf_byte(t, '"');
}

static void value(struct cs_textbuf *t, int64_t n, enum unit unit)
{
	const char *minus = n < 0 ? "-" : "";
	uint64_t size = n < 0 ? -(uint64_t)n : (uint64_t)n;

	if (unit == MICROSECOND)
		cs_textbuf_print(t, " %s%" PRIu64 ".%06" PRIu64 "\n", minus,
				 size / 1000000, size % 1000000);
	else if (unit == THOUSANDTH)
		cs_textbuf_print(t, " %s%" PRIu64 ".%03" PRIu64 "\n", minus,
				 size / 1000, size % 1000);
	else
		cs_textbuf_print(t, " %" PRId64 "\n", n);
}

static void gauge(struct cs_textbuf *t, const char *name, const char *help,
		  int64_t n)
{
	head(t, name, GAUGE, ONE, help);
	cs_textbuf_add(t, name);
	value(t, n, ONE);
}

/* ---- the answer ---------------------------------------------------------- */

static bool any_number(struct json_object *o, const char *key, int64_t *ret)
{
	struct json_object *v = cs_json_view_member(o, key);

	if (!json_object_is_type(v, json_type_int))
		return false;
	*ret = json_object_get_int64(v);
	return true;
}

/* A whole number that is not negative: all that the plugin counts. */
static bool number(struct json_object *o, const char *key, int64_t *ret)
{
	return any_number(o, key, ret) && *ret >= 0;
}

static void plain(struct cs_textbuf *t, struct json_object *status)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		const struct metric *m = &metrics[i];
		int64_t n;

		if (!any_number(m->in ? cs_json_view_member(status, m->in)
				      : status,
				m->key, &n) ||
		    (n < 0 && m->kind != SIGNED_GAUGE))
			continue;
		head(t, m->name, m->kind, m->unit, m->help);
		cs_textbuf_print(t, "%s%s", m->name,
				 m->kind == COUNTER ? "_total" : "");
		value(t, n, m->unit);
	}
}

/* Which of @states the member @key is: 1, of the others 0. */
static void state(struct cs_textbuf *t, struct json_object *status,
		  const char *key, const char *const *states, const char *name,
		  const char *help)
{
	const char *now = cs_json_view_text(status, key);

	if (!*now)
		return;
	head(t, name, GAUGE, ONE, help);
	for (; *states; states++)
		cs_textbuf_print(t, "%s{state=\"%s\"} %d\n", name, *states,
				 !strcmp(now, *states));
}

static void states(struct cs_textbuf *t, struct json_object *status)
{
	static const char *const modes[] = { "off", "shadow", "act", NULL };
	static const char *const gates[] = { "off", "on", "lapsed", NULL };
	static const char *const works[] = { "off",    "starting", "ready",
					     "paused", "stopped",  "refused",
					     NULL };

	state(t, status, "mode", modes, "cosched_mode", "The mode in force.");
	state(t, status, "mode_set", modes, "cosched_mode_set",
	      "The mode that the site has set.");
	state(t, status, "state", works, "cosched_state",
	      "Whether the plugin does what is set: paused, it will by itself; stopped, after scontrol reconfigure.");
	state(t, status, "gate", gates, "cosched_gate",
	      "Whether jobs start only where the plugin planned them.");
}

/* The parts of a cycle in the engine's object @key. */
static void times(struct cs_textbuf *t, struct json_object *status,
		  const char *key, const char *name, const char *help)
{
	struct json_object *o =
		cs_json_view_member(cs_json_view_member(status, "engine"), key);
	bool begun = false;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char us[16];
		int64_t n;

		snprintf(us, sizeof(us), "%s_us", parts[i]);
		if (!number(o, us, &n))
			continue;
		if (!begun)
			head(t, name, GAUGE, MICROSECOND, help);
		begun = true;
		cs_textbuf_print(t, "%s{part=\"%s\"}", name, parts[i]);
		value(t, n, MICROSECOND);
	}
}

/* Promised starts that came late; with learn, what partners may cost, too. */
static void broken(struct cs_textbuf *t, struct json_object *status)
{
	static const struct {
		const char *key, *promise;
	} all[] = {
		{ "promises_late", "start" },
		{ "promises_broken", "slowdown" },
	};
	static const char name[] = "cosched_promises_broken";
	struct json_object *o = cs_json_view_member(status, "engine");
	bool begun = false;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int64_t n;

		if (!number(o, all[i].key, &n))
			continue;
		if (!begun)
			head(t, name, COUNTER, ONE,
			     "Jobs that started more than a minute after the time first promised (start), or that a partner slowed more than was learned (slowdown).");
		begun = true;
		cs_textbuf_print(t, "%s_total{promise=\"%s\"}", name,
				 all[i].promise);
		value(t, n, ONE);
	}
}

/* The waiting jobs by partition, user and reason.  A row that lacks one is left out. */
static void queue(struct cs_textbuf *t, struct json_object *status)
{
	static const char *const labels[] = { "partition", "user", "reason" };
	static const char name[] = "cosched_queue_jobs";
	struct json_object *list = cs_json_view_member(
		cs_json_view_member(status, "engine"), "queue");

	if (!json_object_is_type(list, json_type_array))
		return;
	head(t, name, GAUGE, ONE,
	     "Waiting jobs by partition, user and Slurm's reason.");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);
		int64_t n;

		if (!number(row, "jobs", &n))
			continue;
		cs_textbuf_add(t, name);
		for (size_t k = 0; k < 3; k++) {
			cs_textbuf_print(t, "%s%s=", k ? "," : "{", labels[k]);
			quoted(t, cs_json_view_text(row, labels[k]));
		}
		cs_textbuf_byte(t, '}');
		value(t, n, ONE);
	}
}

static void build(struct cs_textbuf *t, struct json_object *status)
{
	static const char *const keys[] = { "version", "build", "slurm",
					    "policy" };

	head(t, "cosched_build", INFO, ONE,
	     "The plugin, the Slurm it is built for, its policy.");
	cs_textbuf_add(t, "cosched_build_info{");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		cs_textbuf_print(t, "%s%s=", i ? "," : "", keys[i]);
		quoted(t, cs_json_view_text(status, keys[i]));
	}
	cs_textbuf_add(t, "} 1\n");
}

static void pass(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

static void health(struct cs_textbuf *t, struct json_object *status)
{
	struct json_object *site = cs_json_view_member(status, "site_warnings");
	struct json_object *stock =
		cs_json_view_member(status, "stock_backfill");
	int troubles = cs_plugin_trouble(status, pass, NULL);

	gauge(t, "cosched_degraded",
	      "1 while the plugin does not do what is set.", troubles > 0);
	gauge(t, "cosched_troubles",
	      "What keeps it from that: how many things.", troubles);
	gauge(t, "cosched_site_warnings",
	      "What the site has set against itself: how many things.",
	      json_object_is_type(site, json_type_array)
		      ? (int64_t)json_object_array_length(site)
		      : 0);
	if (json_object_is_type(stock, json_type_boolean))
		gauge(t, "cosched_stock_backfill",
		      "1 while Slurm's own backfill scheduler runs.",
		      json_object_get_boolean(stock));
	gauge(t, "cosched_engine_ready", "1 when the policy knows the jobs.",
	      json_object_is_type(cs_json_view_member(status, "engine"),
				  json_type_object));
}

static void write_page(struct cs_textbuf *t, struct json_object *status)
{
	gauge(t, "cosched_up", "1 when the plugin in slurmctld answers.",
	      status != NULL);
	if (status) {
		build(t, status);
		health(t, status);
		states(t, status);
		plain(t, status);
		queue(t, status);
		broken(t, status);
		times(t, status, "last", "cosched_cycle_part_seconds",
		      "Time of the parts of the last cycle.");
		times(t, status, "most", "cosched_cycle_part_max_seconds",
		      "Longest time of the parts of a cycle.");
	}
	cs_textbuf_add(t, "# EOF\n");
}

char *cs_page(struct json_object *status)
{
	struct cs_textbuf t = { 0 };

	write_page(&t, status);
	t = (struct cs_textbuf){ .buf = malloc(t.len + 1), .size = t.len + 1 };
	if (!t.buf)
		return NULL;
	write_page(&t, status);
	cs_textbuf_end(&t);
	return t.buf;
}
