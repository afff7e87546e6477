/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers to `cosched status` and the like, as JSON.
 *
 *	{"ok":true,"cmd":"status","answer":{...}}
 *	{"ok":false,"error":"..."}
 */
#include "compat/slurm.h"

#include "sched/run/sched.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cosched_build.h" /* by make */
#include "common/order/order.h"
#include "sched/control/control_queue.h"
#include "compat/calls.h"
#include "gate/gate.h"
#include "sched/adapter/job_facts.h"
#include "sched/control/control_conn.h"
#include "sched/run/site_check.h"
#include "sched/control/socket.h"
#include "sched/run/stock.h"

#define PUBLISH_US 1000000
#define ANSWER_US 50000 /* of a turn, for answers */
static const char starting[] =
	"the first look at Slurm's jobs is still to come (after a restart it waits for the nodes): try again in some seconds";

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

static void add_number(struct json_object *o, const char *key, int64_t n)
{
	json_object_object_add(o, key, json_object_new_int64(n));
}

static void add_flag(struct json_object *o, const char *key, bool flag)
{
	json_object_object_add(o, key, json_object_new_boolean(flag));
}

static struct json_object *site(const struct cs_sched *s)
{
	struct json_object *list = json_object_new_array();

	for (int i = 0; i < CS_SITE_N; i++)
		if (s->site & 1 << i)
			json_object_array_add(
				list, json_object_new_string(cs_site_text[i]));
	return list;
}

/* Takes ownership of @answer. */
static char *good(const char *cmd, struct json_object *answer)
{
	struct json_object *o = json_object_new_object();

	add_flag(o, "ok", true);
	add_text(o, "cmd", cmd);
	json_object_object_add(o, "answer", answer);
	return cs_control_reply_text(o);
}

static struct json_object *counts(void)
{
	static const char *const names[CS_COUNT_N] = {
		[CS_COUNT_REFUSED] = "starts_refused",
		[CS_COUNT_IMPOSED] = "starts_imposed",
		[CS_COUNT_UNFIT] = "starts_unfit",
		[CS_COUNT_LAPSED] = "gate_lapses",
		[CS_COUNT_RESUME_BUSY] = "resumes_refused",
		[CS_COUNT_HEALED] = "pointers_healed",
		[CS_COUNT_PASSED] = "starts_passed",
	};
	struct json_object *o = json_object_new_object();

	for (int i = 0; i < CS_COUNT_N; i++)
		add_number(o, names[i],
			   (int64_t)cs_gate_counted((enum cs_count)i));
	return o;
}

static const char *params_error(const struct cs_sched *s, char *buf,
				size_t size)
{
	buf[0] = '\0';
	if (s->settings.error.text[0])
		snprintf(buf, size, "SchedulerParameters: %s; %s",
			 s->settings.error.text,
			 cs_settings_verdict(&s->settings));
	return buf;
}

/* What orders jobs if site_factor/ostrich is loaded. */
static const char *factor_text(const struct cs_sched *s)
{
	if (s->mode != CS_MODE_ACT)
		return "site_factor/ostrich (PrioritySiteFactorPlugin) orders jobs for Slurm's own schedulers: sprio's SITE column";
	if (cs_order_choose(&s->settings.params)->campaigns)
		return "site_factor/ostrich is loaded and stands back: cosched_order=ostrich in mode act";
	return "site_factor/ostrich (PrioritySiteFactorPlugin) gives jobs priorities, which count with cosched_order=slurm: sprio's SITE column";
}

/* Of the watchdog's pause; 0: there is none. */
static int64_t pause_left_s(const struct cs_sched *s)
{
	int64_t left_us = s->fallback.return_us - cs_gate_now_us();

	return s->fallback.until == CS_FALLBACK_PAUSE && left_us > 0
		       ? (left_us + 999999) / 1000000
		       : 0;
}

/* The watchdog's fall-backs.  In JSON a time is seconds since 1970. */
static struct json_object *fallbacks(const struct cs_sched *s)
{
	static const char *const until[] = {
		[CS_FALLBACK_NONE] = "none",
		[CS_FALLBACK_PAUSE] = "pause",
		[CS_FALLBACK_RECONFIGURE] = "reconfigure",
	};
	const struct cs_fallback *f = &s->fallback;
	struct json_object *o = json_object_new_object();
	bool waits = f->until == CS_FALLBACK_PAUSE;

	add_number(o, "total", f->total);
	add_number(o, "in_a_row", f->row);
	add_text(o, "why", f->why.text);
	add_text(o, "until", until[f->until]);
	add_number(o, "pause_s", waits ? f->pause_s : 0);
	add_number(o, "return_at", waits ? f->return_s : 0);
	add_number(o, "return_in_s", pause_left_s(s));
	return o;
}

/* In one word: does the thread do what is set?  @looked: it has seen Slurm's jobs. */
static const char *state(const struct cs_sched *s, bool looked)
{
	static const char *const fallen[] = {
		[CS_FALLBACK_NONE] = "refused",
		[CS_FALLBACK_PAUSE] = "paused",
		[CS_FALLBACK_RECONFIGURE] = "stopped",
	};

	if (s->why.text[0])
		return fallen[s->fallback.until];
	if (s->mode == CS_MODE_OFF)
		return "off";
	return looked ? "ready" : "starting";
}

/* Why the mode that is set is not in force, and how long a pause still lasts. */
static const char *why(const struct cs_sched *s, char *buf, size_t size)
{
	int64_t left_s = pause_left_s(s);

	if (!s->why.text[0] || !left_s)
		return s->why.text;
	snprintf(buf, size, "%s: %" PRId64 " s are left", s->why.text, left_s);
	return buf;
}

/* Of max_rpc_cnt. */
static struct json_object *rpcs(const struct cs_sched *s)
{
	struct json_object *o = json_object_new_object();
	int64_t now_us = s->rpcs.over ? cs_gate_now_us() - s->rpcs.since_us : 0;

	add_number(o, "most", s->settings.pace.most_rpcs);
	add_number(o, "now", cs_slurm_rpcs());
	add_flag(o, "over", s->rpcs.over);
	add_number(o, "times", (int64_t)s->rpcs.times);
	add_number(o, "held_back_us", s->rpcs.total_us + now_us);
	return o;
}

static char *status(const struct cs_sched *s)
{
	static const char *const gates[] = {
		[CS_GATE_OFF] = "off",
		[CS_GATE_ON] = "on",
		[CS_GATE_LAPSED] = "lapsed",
	};
	struct json_object *o = json_object_new_object();
	char text[CS_ERR_TEXT + 256];
	bool looked;

	add_text(o, "version", PACKAGE_VERSION);
	add_text(o, "build", COSCHED_BUILD);
	add_text(o, "slurm", SLURM_VERSION_STRING);
	add_text(o, "mode", cs_params_mode_name(s->mode));
	add_text(o, "mode_set", cs_params_mode_name(s->settings.mode));
	add_text(o, "why", why(s, text, sizeof(text)));
	json_object_object_add(o, "fallbacks", fallbacks(s));
	add_text(o, "params_error", params_error(s, text, sizeof(text)));
	if (s->factor)
		add_text(o, "site_factor", factor_text(s));
	add_text(o, "partition_modes_error", s->settings.mode_error.text);
	add_text(o, "share_partitions_error", s->settings.share_error.text);
	add_text(o, "state_error", s->state_error.text);
	add_text(o, "log_error",
		 s->log ? cs_logfile_trouble(s->log, cs_gate_now_us() / 1000000)
			: "");
	add_text(o, "policy", cs_settings_policy(&s->settings));
	add_flag(o, "select_live",
		 cs_gate_select_release() == SLURM_VERSION_NUMBER);
	add_text(o, "gate", gates[cs_gate_state()]);
	add_flag(o, "stock_backfill", cs_stock_runs());
	add_text(o, "socket", cs_socket_where());
	if (s->site && s->mode != CS_MODE_OFF)
		json_object_object_add(o, "site_warnings", site(s));
	add_number(o, "cycles", (int64_t)s->cycles);
	add_number(o, "cycle_last_us", s->dog.last.took_us);
	add_number(o, "cycle_max_us", s->dog.max.took_us);
	add_number(o, "cycle_work_last_us", s->dog.last.worked_us);
	add_number(o, "cycle_work_max_us", s->dog.max.worked_us);
	add_number(o, "locked_us", s->locked_us);
	add_number(o, "batch_starts", (int64_t)s->batch.starts);
	add_number(o, "batch_took_us", s->batch.took_us);
	add_number(o, "batch_locked_us", s->batch.locked_us);
	json_object_object_add(o, "rpcs", rpcs(s));
	json_object_object_add(o, "counts", counts());
	if (s->left_stopped)
		add_number(o, "left_stopped", s->left_stopped);
	looked = s->adapter && !cs_adapter_status(s->adapter, o);
	if (s->adapter && !looked)
		add_text(o, "starting", starting);
	add_text(o, "state", state(s, looked));
	return good("status", o);
}

static char *params(const struct cs_sched *s)
{
	struct json_object *o = json_object_new_object();
	const struct cs_param_row *row;
	char text[CS_PATH_MAX];
	size_t n;

	row = cs_params_rows(&n);
	for (size_t i = 0; s->settings.known && i < n; i++) {
		cs_params_print(&s->settings.params, &row[i], text,
				sizeof(text));
		add_text(o, row[i].key, text);
	}
	return good("params", o);
}

/* A task's job, which is its array's while it waits there; false: Slurm has no such
 * task. */
static bool find_task(struct cs_ask *ask)
{
	slurmctld_lock_t locks = cs_slurm_read_locks();
	const job_record_t *job_ptr;

	if (ask->task == UINT32_MAX)
		return true;
	lock_slurmctld(locks);
	job_ptr = find_job_array_rec(ask->job, ask->task);
	if (job_ptr)
		ask->job = job_ptr->job_id;
	unlock_slurmctld(locks);
	return job_ptr != NULL;
}

/* Nobody plans. */
static char *nobody_plans(const struct cs_sched *s)
{
	char text[CS_ERR_TEXT + 128];

	if (!s->why.text[0])
		return cs_control_reply_refusal(
			"mode off: Slurm's own scheduler decides, ask squeue");
	snprintf(
		text, sizeof(text),
		"mode off: Slurm's own scheduler decides, ask squeue; mode %s is set: %s",
		cs_params_mode_name(s->settings.mode), s->why.text);
	return cs_control_reply_refusal(text);
}

static char *explain(const struct cs_sched *s, struct cs_ask *ask)
{
	struct json_object *answer;
	struct cs_job_facts facts;
	char wrong[192];
	int rc;

	if (!s->adapter)
		return nobody_plans(s);
	if (!find_task(ask)) {
		snprintf(
			wrong, sizeof(wrong),
			"no such job waits or runs: job %u has no waiting task %u",
			ask->job, ask->task);
		return cs_control_reply_refusal(wrong);
	}
	cs_job_facts(ask->job, &facts);
	rc = cs_adapter_explain(s->adapter, ask, &facts, &answer);
	if (rc == -EAGAIN)
		return cs_control_reply_refusal(starting);
	if (rc == -ENOENT)
		return cs_control_reply_refusal(
			cs_adapter_array(s->adapter, ask, wrong, sizeof(wrong))
				? wrong
				: "no such job waits or runs: sacct has those that have ended");
	if (rc == -EACCES)
		return cs_control_reply_refusal("the job is not yours");
	return rc ? cs_control_reply_refusal("no memory")
		  : good("explain", answer);
}

typedef int fill_fn(const struct cs_adapter *b, struct json_object *into);

/* A question for the adapter; in mode off, and on -ENOENT, answer in these words. */
static char *listing(const struct cs_sched *s, const char *key, fill_fn *fill,
		     const char *off, const char *none)
{
	struct json_object *o;
	int rc;

	if (!s->adapter)
		return cs_control_reply_refusal(off);
	o = json_object_new_object();
	rc = fill(s->adapter, o);
	if (!rc)
		return good(key, o);
	json_object_put(o);
	return cs_control_reply_refusal(rc == -EAGAIN	? starting
					: rc == -ENOENT ? none
							: "no memory");
}

static char *groups(const struct cs_sched *s)
{
	return listing(s, "groups", cs_adapter_groups,
		       "mode off: there are no groups", starting);
}

static char *sites(const struct cs_sched *s)
{
	return listing(
		s, "sites", cs_adapter_sites,
		"mode off: sites are not looked at",
		"there are no sites, expected cosched_site_rule and cosched_sites (cosched status names what is wrong with them)");
}

static char *slices(const struct cs_sched *s)
{
	return listing(
		s, "slices", cs_adapter_slices,
		"mode off: there are no time slices",
		"there are no time slices, expected cosched_slice=pect or gang, mode act and a job");
}

static char *top(const struct cs_sched *s)
{
	struct json_object *o;
	int rc;

	if (!s->adapter)
		return nobody_plans(s);
	o = json_object_new_object();
	add_text(o, "mode", cs_params_mode_name(s->mode));
	add_text(o, "policy", cs_settings_policy(&s->settings));
	rc = cs_adapter_top(s->adapter, o);
	if (!rc)
		return good("top", o);
	json_object_put(o);
	return cs_control_reply_refusal(rc == -EAGAIN ? starting : "no memory");
}

static char *users(const struct cs_sched *s, const struct cs_ask *ask)
{
	struct json_object *o;
	int rc;
	bool ostrich = cs_order_choose(&s->settings.params)->campaigns;

	if (s->factor && s->mode != CS_MODE_ACT && !(s->adapter && ostrich))
		return cs_control_reply_refusal(
			"site_factor/ostrich orders jobs here, and cannot be asked: its order is sprio's SITE column");
	if (!s->adapter)
		return cs_control_reply_refusal(
			"mode off: there are no campaigns");
	if (!ostrich)
		return cs_control_reply_refusal(
			"there are no campaigns without cosched_order=ostrich (cosched_policy=ostrich)");
	o = json_object_new_object();
	rc = cs_adapter_users(s->adapter, ask, o);
	if (!rc)
		return good("users", o);
	json_object_put(o);
	return cs_control_reply_refusal(rc == -EAGAIN ? starting : "no memory");
}

static char *answer_to(struct cs_sched *s, struct cs_ask *ask)
{
	switch (ask->cmd) {
	case CS_ASK_STATUS:
		return status(s);
	case CS_ASK_EXPLAIN:
		return explain(s, ask);
	case CS_ASK_GROUPS:
		return groups(s);
	case CS_ASK_SITES:
		return sites(s);
	case CS_ASK_SLICES:
		return slices(s);
	case CS_ASK_TOP:
		return top(s);
	case CS_ASK_USERS:
		return users(s, ask);
	case CS_ASK_PARAMS:
		return params(s);
	}
	return NULL;
}

void cs_sched_answer(struct cs_sched *s)
{
	int64_t until_us = cs_gate_now_us() + ANSWER_US;
	struct cs_ask ask;
	uint64_t number;

	while (cs_control_queue_take(&ask, &number)) {
		cs_control_queue_answer(number, answer_to(s, &ask));
		if (cs_gate_now_us() < until_us)
			continue;
		cs_gate_wake(CS_WAKE_ASK); /* the rest at the next turn */
		return;
	}
}

void cs_sched_publish(struct cs_sched *s)
{
	int64_t now = cs_gate_now_us();

	if (s->published_us && now - s->published_us < PUBLISH_US)
		return;
	s->published_us = now;
	cs_control_queue_publish(status(s));
}
