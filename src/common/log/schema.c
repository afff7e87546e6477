/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log/schema.h"

#include "estimate/estimate.h"
#include "model/action.h"

/* ---- kinds of lines ------------------------------------------------------ */

/* clang-format off */
const struct cs_log_kind cs_log_kinds[CS_LOG_EVS] = {
	/*			 name		event		   job	  alloc */
	[CS_LOG_HEADER]	     = { "header",	-1,		   false, false },
	[CS_LOG_SUBMIT]	     = { "submit",	CS_EV_SUBMIT,	   true,  false },
	[CS_LOG_CHANGE]	     = { "change",	CS_EV_CHANGE,	   true,  false },
	[CS_LOG_REQUEUE]     = { "requeue",	CS_EV_REQUEUE,	   true,  false },
	[CS_LOG_CANCEL]	     = { "cancel",	CS_EV_CANCEL,	   true,  false },
	[CS_LOG_START]	     = { "start",	CS_EV_STARTED,	   true,  true },
	[CS_LOG_REFUSE]	     = { "refuse",	CS_EV_REFUSED,	   false, false },
	[CS_LOG_FINISH]	     = { "finish",	CS_EV_FINISH,	   true,  false },
	[CS_LOG_SUSPEND]     = { "suspend",	CS_EV_SUSPEND,	   true,  false },
	[CS_LOG_RESUME]	     = { "resume",	CS_EV_RESUME,	   true,  false },
	[CS_LOG_BEGIN]	     = { "begin",	CS_EV_BEGIN,	   true,  false },
	[CS_LOG_RESIZE]	     = { "resize",	CS_EV_RESIZE,	   true,  true },
	[CS_LOG_LIMIT]	     = { "limit",	CS_EV_LIMIT,	   true,  false },
	[CS_LOG_NODE]	     = { "node",	CS_EV_NODE,	   false, false },
	[CS_LOG_NODESETS]    = { "nodeset",	CS_EV_NODESET,	   false, false },
	[CS_LOG_RESERVATION] = { "reservation", CS_EV_RESERVATION, false, false },
	[CS_LOG_KEPT]	     = { "kept",	CS_EV_KEPT,	   false, false },
	[CS_LOG_TICK]	     = { "tick",	CS_EV_TICK,	   false, false },
	[CS_LOG_DECIDE]	     = { "decide",	-1,		   false, false },
	[CS_LOG_JOINED]	     = { "joined",	-1,		   false, false },
	[CS_LOG_DISBAND]     = { "disband",	-1,		   false, false },
	[CS_LOG_SLICE]	     = { "slice",	-1,		   false, false },
	[CS_LOG_BOUND]	     = { "bound",	-1,		   false, false },
	[CS_LOG_ESTIMATES]   = { "estimates",	-1,		   false, false },
	[CS_LOG_ESTIMATE]    = { "estimate",	-1,		   true,  false },
	[CS_LOG_WOULD]	     = { "would",	-1,		   false, false },
};
/* clang-format on */

const char *cs_log_ev_name(enum cs_log_ev ev)
{
	return cs_log_kinds[ev].name;
}

enum cs_log_ev cs_log_ev_of(int event)
{
	for (uint32_t i = 0; i < CS_LOG_EVS; i++)
		if (cs_log_kinds[i].event == event)
			return (enum cs_log_ev)i;
	return CS_LOG_TICK;
}

/* ---- names --------------------------------------------------------------- */

#define NAMES(function, ...)                                                 \
	static const char *function(uint32_t i)                              \
	{                                                                    \
		static const char *const names[] = { __VA_ARGS__ };          \
                                                                             \
		return i < sizeof(names) / sizeof(*names) ? names[i] : NULL; \
	}

NAMES(role_name, [CS_ROLE_NONE] = "", [CS_ROLE_PRIMARY] = "primary",
      [CS_ROLE_MATCHED] = "matched")
NAMES(refusal_name, [CS_REFUSED_CHANGED] = "changed",
      [CS_REFUSED_TIMED] = "timed", [CS_REFUSED_PLACE] = "place",
      [CS_REFUSED_LIMIT] = "limit", [CS_REFUSED_GROUP] = "group")
NAMES(action_name, [CS_ACT_START] = "start", [CS_ACT_HOST_START] = "host_start",
      [CS_ACT_LIMIT] = "limit", [CS_ACT_JOINED] = "joined",
      [CS_ACT_DISBAND] = "disband", [CS_ACT_SUSPEND] = "suspend",
      [CS_ACT_RESUME] = "resume", [CS_ACT_SLICE] = "slice")
/* Bit 0 first, as in enum cs_job_flag and enum cs_reservation_flag. */
NAMES(job_flag_name, "exclusive", "no_share", "host", "blocked", "requeued",
      "priority_set", "user_nodes", "shares_cores", "borrows", "across",
      "keeps_nothing", "least_loaded", "last_node", "unshifted", "waits",
      "spins")
NAMES(reservation_flag_name, "maint", "overlap", "flex", "float", "all",
      "taken", "lends")

const char *cs_log_action_name(uint32_t type)
{
	const char *name = action_name(type);

	return name ? name : "unknown";
}

/* ---- fields -------------------------------------------------------------- */

/* clang-format off */
/* A row: member @m of struct @s under the key @text. */
#define ROW(s, text, how, m) .at = offsetof(struct s, m), .key = (text), \
	.form = CS_LOG_##how
#define NEVER .left = CS_LOG_NEVER
#define IF(v) .left = CS_LOG_IF, .usual = (v)
#define IF_T .left = CS_LOG_IF_T
#define IF_LIKE(s, m) .left = CS_LOG_IF_LIKE, .usual = offsetof(struct s, m)
#define UNLESS(f) .left = CS_LOG_UNLESS, .said = (f)
#define NAMED(f) .name = (f)
#define PART(fields) { sizeof(fields) / sizeof(*(fields)), fields }
/* clang-format on */

static bool says_across(const void *of)
{
	const struct cs_job *j = of;

	return j->flags & CS_JOB_ACROSS;
}

#define JOB(text, how, m) ROW(cs_job, text, how, m)
static const struct cs_log_field job_fields[] = {
	{ JOB("job", U32, id), NEVER },
	{ JOB("array", U32, array_id), IF(0) },
	{ JOB("tasks", U32, tasks), IF(1) },
	{ JOB("user", TEXT, user) },
	{ JOB("account", TEXT, account) },
	{ JOB("name", TEXT, name) },
	{ JOB("partition", TEXT, partition) },
	{ JOB("procs", U32, procs), NEVER },
	{ JOB("cpus", U32, cpus_per_proc), IF(1) },
	{ JOB("nodes_min", U32, min_nodes), IF(1) },
	{ JOB("nodes_max", U32, max_nodes), IF(0) },
	{ JOB("ppn", U32, procs_per_node), IF(0) },
	{ JOB("base_procs", U32, base_procs), IF(0) },
	{ JOB("mem_node_mb", MEMORY, mem_node_mb), IF(0) },
	{ JOB("mem_cpu_mb", U64, mem_cpu_mb), IF(0) },
	{ JOB("cpus_least", U32, least_cpus), IF(0) },
	{ JOB("threads", U32, threads), IF(0) },
	{ JOB("mem_threads", U32, mem_threads), IF(0) },
	{ JOB("gpus_node", U32, gpus_node), IF(0) },
	{ JOB("gpus", U32, gpus), IF(0) },
	{ JOB("gpu_share", U32, gpu_share), IF(0) },
	{ JOB("gpu_type", TEXT, gpu_type) },
	{ JOB("reservation", U32, reservation), IF(0) },
	{ JOB("warn", U32, warn_s), IF(0) },
	{ JOB("wishes", U32, wishes), IF(0) },
	{ JOB("dist", U32, dist), IF(0) },
	{ JOB("across", EXACT, across), UNLESS(says_across) },
	{ JOB("submit", US, submit_us), IF_T },
	{ JOB("eligible", US, eligible_us), IF_LIKE(cs_job, submit_us) },
	{ JOB("after", US, after_us), IF(0) },
	{ JOB("estimate", US, estimate_us), NEVER },
	{ JOB("profile", TEXT, profile) },
	{ JOB("campaign", TEXT, campaign) },
	{ JOB("share", U32, share), IF(0) },
	{ JOB("nice", I32, nice), IF(0) },
	{ JOB("flags", FLAGS, flags), NAMED(job_flag_name) },
};
const struct cs_log_fields cs_log_job = PART(job_fields);

#define OPTION(text, how, m) ROW(cs_job_partition, text, how, m)
static const struct cs_log_field option_fields[] = {
	{ OPTION("partition", U32, partition), IF(0) },
	{ OPTION("tier", U32, tier), IF(0) },
	{ OPTION("precedence", U32, precedence), IF(0) },
	{ OPTION("priority", U64, priority), IF(0) },
	{ OPTION("nodes", NODESET, nodeset), NEVER },
	{ OPTION("limit_max", US, limit_max_us), IF(CS_TIME_NONE) },
	{ OPTION("flags", FLAGS, flags), NAMED(job_flag_name) },
	{ OPTION("reservation", U32, reservation), IF(0) },
	{ OPTION("over", U32, over_s), IF(0) },
};
const struct cs_log_fields cs_log_option = PART(option_fields);

/* ---- starts */

static bool start_has_role(const void *of)
{
	const struct cs_started *s = of;

	return s->group && s->role != CS_ROLE_NONE;
}

static bool knows_past(const void *of)
{
	const struct cs_started *s = of;

	return s->done_us || s->at_us;
}

static bool stood_still(const void *of)
{
	const struct cs_started *s = of;

	return knows_past(s) && s->ran_us > 0 &&
	       s->ran_us != s->at_us - (s->from_us ? s->from_us : s->start_us);
}

static bool is_slowed(const void *of)
{
	const struct cs_started *s = of;

	return knows_past(s) && s->slowdown > 1 && s->slowdown < 9e12;
}

#define START(text, how, m) ROW(cs_started, text, how, m)
static const struct cs_log_field start_fields[] = {
	{ START("job", U32, job_id), NEVER },
	{ START("array", U32, array_id), IF(0) },
	{ START("seq", U32, seq), IF(0) },
	{ .key = "by", .form = CS_LOG_BY },
};
const struct cs_log_fields cs_log_start = PART(start_fields);

static const struct cs_log_field start_option_fields[] = {
	{ START("option", U32, option), IF(0) },
};
const struct cs_log_fields cs_log_start_option = PART(start_option_fields);

static const struct cs_log_field start_group_fields[] = {
	{ START("group", U32, group), IF(0) },
	{ START("role", NAME, role), UNLESS(start_has_role), NAMED(role_name) },
	{ START("packed", TRUE, packed) },
};
const struct cs_log_fields cs_log_start_group = PART(start_group_fields);

static const struct cs_log_field start_times_fields[] = {
	{ START("start", US, start_us), IF_T },
	{ START("from", US, from_us), IF(0) },
	{ START("limit", US, limit_us), IF(CS_TIME_NONE) },
	{ START("done", US, done_us), UNLESS(knows_past) },
	{ START("at", US, at_us), UNLESS(knows_past) },
	{ START("ran", US, ran_us), UNLESS(stood_still) },
	{ START("factor", EXACT, slowdown), UNLESS(is_slowed) },
	{ START("floor", US, floor_us), IF(0) },
};
const struct cs_log_fields cs_log_start_times = PART(start_times_fields);

/* ---- actions */

static bool has_role(const void *of)
{
	const struct cs_action *a = of;

	return a->group && a->role != CS_ROLE_NONE;
}

static bool has_campaign(const void *of)
{
	const struct cs_action *a = of;

	return a->campaign;
}

static bool ends_virtually(const void *of)
{
	const struct cs_action *a = of;

	return a->campaign && a->virtual_us != CS_TIME_NONE;
}

static bool is_start(const void *of)
{
	const struct cs_action *a = of;

	return a->type == CS_ACT_START;
}

static bool sets_limit(const void *of)
{
	const struct cs_action *a = of;

	if (a->type == CS_ACT_LIMIT)
		return a->limit_us != CS_TIME_NONE;
	return (a->type == CS_ACT_START || a->type == CS_ACT_HOST_START) &&
	       a->limit_us;
}

static bool is_disband(const void *of)
{
	const struct cs_action *a = of;

	return a->type == CS_ACT_DISBAND;
}

static bool is_slice(const void *of)
{
	const struct cs_action *a = of;

	return a->type == CS_ACT_SLICE;
}

static bool is_slot(const void *of)
{
	const struct cs_action *a = of;

	return is_slice(a) && a->slots;
}

static bool is_class(const void *of)
{
	return is_slice(of) && !is_slot(of);
}

static bool slice_ends(const void *of)
{
	const struct cs_action *a = of;

	return is_slice(a) && a->until_us != CS_TIME_NONE;
}

#define ACTION(text, how, m) ROW(cs_action, text, how, m)
static const struct cs_log_field proposal_fields[] = {
	{ ACTION("job", U32, job_id), IF(0) },
	{ ACTION("seq", U32, seq), IF(0) },
	{ ACTION("needs", U32, needs), IF(0) },
	{ ACTION("option", U32, option), IF(0) },
};
const struct cs_log_fields cs_log_proposal = PART(proposal_fields);

static const struct cs_log_field reasons_fields[] = {
	{ ACTION("group", U32, group), IF(0) },
	{ ACTION("role", NAME, role), UNLESS(has_role), NAMED(role_name) },
	{ ACTION("with", U32, partner_id), IF(0) },
	{ ACTION("case", U32, rule), IF(0) },
	{ ACTION("campaign_number", U64, campaign), UNLESS(has_campaign) },
	{ ACTION("virtual_end", US, virtual_us), UNLESS(ends_virtually) },
	{ ACTION("service", EXACT, service), UNLESS(has_campaign) },
	{ ACTION("finish", EXACT, finish), UNLESS(has_campaign) },
	{ ACTION("packed", TRUE, packed) },
	{ ACTION("slowdown", ROUNDED, slowdown), UNLESS(is_start) },
	{ ACTION("gain", ROUNDED, gain), UNLESS(is_start) },
};
const struct cs_log_fields cs_log_reasons = PART(reasons_fields);

static const struct cs_log_field outcome_fields[] = {
	{ ACTION("limit", US, limit_us), UNLESS(sets_limit) },
	{ ACTION("credit_s", US, credit_us), UNLESS(is_disband) },
	{ ACTION("slice", NAME, slice), UNLESS(is_class),
	  NAMED(cs_class_name) },
	{ ACTION("slot", U32, slot), UNLESS(is_slot) },
	{ ACTION("slots", U32, slots), UNLESS(is_slot) },
	{ ACTION("until", US, until_us), UNLESS(slice_ends) },
};
const struct cs_log_fields cs_log_outcome = PART(outcome_fields);

/* ---- other events */

#define EVENT(text, how, m) ROW(cs_event, text, how, m)
static const struct cs_log_field job_id_fields[] = {
	{ EVENT("job", U32, job_id), NEVER },
};
const struct cs_log_fields cs_log_job_id = PART(job_id_fields);

static const struct cs_log_field finish_fields[] = {
	{ EVENT("job", U32, job_id), NEVER },
	{ EVENT("failed", TRUE, failed) },
};
const struct cs_log_fields cs_log_finish = PART(finish_fields);

static const struct cs_log_field stop_fields[] = {
	{ EVENT("job", U32, job_id), NEVER },
	{ .key = "by", .form = CS_LOG_BY },
	{ EVENT("keeps", TRUE, keeps) },
};
const struct cs_log_fields cs_log_stop = PART(stop_fields);

static const struct cs_log_field begin_fields[] = {
	{ EVENT("job", U32, begin.job_id), NEVER },
	{ EVENT("start", US, begin.start_us), NEVER },
	{ EVENT("from", US, begin.from_us), IF_LIKE(cs_event, begin.start_us) },
};
const struct cs_log_fields cs_log_begin = PART(begin_fields);

static const struct cs_log_field resize_fields[] = {
	{ EVENT("job", U32, resize.job_id), NEVER },
};
const struct cs_log_fields cs_log_resize = PART(resize_fields);

static const struct cs_log_field limit_fields[] = {
	{ EVENT("job", U32, limit.job_id), NEVER },
	{ .key = "by", .form = CS_LOG_BY },
	{ EVENT("limit", US, limit.limit_us), IF(CS_TIME_NONE) },
};
const struct cs_log_fields cs_log_limit = PART(limit_fields);

static const struct cs_log_field refused_fields[] = {
	{ EVENT("seq", U32, refused.seq), NEVER },
	{ EVENT("class", NAME, refused.class), NEVER, NAMED(refusal_name) },
	{ EVENT("why", TEXT, refused.why) },
};
const struct cs_log_fields cs_log_refused = PART(refused_fields);

#define ESTIMATE(text, how, m) ROW(cs_estimate, text, how, m)
static const struct cs_log_field estimate_fields[] = {
	{ ESTIMATE("job", U32, job_id), NEVER },
	{ ESTIMATE("began", US, at_us), IF_T },
	{ ESTIMATE("start", US, start_us), IF(CS_TIME_NONE) },
	{ ESTIMATE("low", US, low_us), IF(CS_TIME_NONE) },
	{ ESTIMATE("high", US, high_us), IF(CS_TIME_NONE) },
	{ ESTIMATE("limits", US, limits_us), IF(CS_TIME_NONE) },
};
const struct cs_log_fields cs_log_estimates = PART(estimate_fields);

static const struct cs_log_field forecast_fields[] = {
	{ ROW(cs_forecast, "start", US, start_us), NEVER },
};
const struct cs_log_fields cs_log_forecast = PART(forecast_fields);

static const struct cs_log_field node_fields[] = {
	{ EVENT("up", BOOL, node.up), NEVER },
	{ EVENT("why", TEXT, node.why) },
};
const struct cs_log_fields cs_log_node = PART(node_fields);

static const struct cs_log_field nodeset_fields[] = {
	{ EVENT("from", NODESET, nodeset.from), NEVER },
	{ EVENT("to", NODESET, nodeset.to), NEVER },
};
const struct cs_log_fields cs_log_nodeset = PART(nodeset_fields);

static const struct cs_log_field kept_fields[] = {
	{ EVENT("line", WHOLE, kept), NEVER },
};
const struct cs_log_fields cs_log_kept = PART(kept_fields);

static const struct cs_log_field tick_fields[] = {
	{ EVENT("freed", TRUE, freed) },
};
const struct cs_log_fields cs_log_tick = PART(tick_fields);

#define RESV(text, how, m) ROW(cs_reservation, text, how, m)
static const struct cs_log_field reservation_fields[] = {
	{ RESV("reservation", U32, id), NEVER },
};
const struct cs_log_fields cs_log_reservation = PART(reservation_fields);

static const struct cs_log_field reservation_times_fields[] = {
	{ RESV("start", US, start_us), NEVER },
	{ RESV("end", US, end_us), IF(CS_TIME_NONE) },
	{ RESV("delay", U32, delay_s), IF(0) },
};
const struct cs_log_fields cs_log_reservation_times =
	PART(reservation_times_fields);

static const struct cs_log_field reservation_flags_fields[] = {
	{ RESV("flags", FLAGS, flags), NAMED(reservation_flag_name) },
};
const struct cs_log_fields cs_log_reservation_flags =
	PART(reservation_flags_fields);

const struct cs_log_fields *const *cs_log_parts(size_t *ret_n)
{
	static const struct cs_log_fields *const all[] = {
		&cs_log_job,
		&cs_log_option,
		&cs_log_start,
		&cs_log_start_option,
		&cs_log_start_group,
		&cs_log_start_times,
		&cs_log_proposal,
		&cs_log_reasons,
		&cs_log_outcome,
		&cs_log_job_id,
		&cs_log_finish,
		&cs_log_stop,
		&cs_log_begin,
		&cs_log_resize,
		&cs_log_limit,
		&cs_log_refused,
		&cs_log_estimates,
		&cs_log_forecast,
		&cs_log_node,
		&cs_log_nodeset,
		&cs_log_kept,
		&cs_log_tick,
		&cs_log_reservation,
		&cs_log_reservation_times,
		&cs_log_reservation_flags,
	};

	*ret_n = sizeof(all) / sizeof(*all);
	return all;
}
