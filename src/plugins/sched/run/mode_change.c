/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From one mode to another.
 *
 *	off	stock runs, gate off, no adapter
 *	shadow	stock runs, gate off, an adapter that only records
 *	act	gate on, an adapter that starts jobs; stock only beside us, for
 *		partitions in mode off
 *
 * A new adapter is made before the old one goes: if that fails (a bad profile file)
 * nothing changes.  On the way to act the gate closes before stock is unloaded, on the
 * way back it opens after stock runs: exactly one scheduler is active at any time.
 */
#include "compat/slurm.h"

#include "sched/run/sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/order/order.h"
#include "common/slice/slice.h"
#include "sched/apply/leave.h"
#include "compat/abi_check.h"
#include "sched/run/early.h"
#include "sched/run/last_good.h"
#include "sched/run/saved.h"
#include "gate/gate.h"
#include "sched/run/site_check.h"
#include "sched/control/socket.h"
#include "sched/run/stock.h"
#include "sched/store/state_file.h"
#include "compat/stop.h"
#include "sched/view/view_table.h"

#define REBUILDS 3 /* most in a row that engine and Slurm differ */
#define MACHINE_REST_US \
	INT64_C(2000000) /* from a build for a changed machine to the next */
#define LONG_SERVED_US \
	INT64_C(60000000) /* in service, and no start of an earlier one is lost */
#define LET_GO_US \
	INT64_C(30000000) /* until stopped jobs are tried again, unasked */

/* ---- permission ---------------------------------------------------------- */

/* Compare layouts until every kind of record was seen.  Under read locks. */
static void check_layout(struct cs_sched *s)
{
	char why[256];
	int rc;

	if (s->layout_sure || s->layout.text[0])
		return;
	rc = cs_abi_check(why, sizeof(why));
	s->layout_sure = !rc;
	if (rc >= 0)
		return;
	cs_gate_select_live(0); /* it has the same build */
	cs_err_set(&s->layout, -EPROTO,
		   "built for another Slurm than the one that runs (%s)", why);
	error("cosched: %s: stock scheduling goes on; rebuild with the headers of exactly this slurmctld",
	      s->layout.text);
}

/* Why time slices, if there are any, are unavailable. */
static void refuse_slices(const struct cs_sched *s, struct cs_err *ret)
{
	const struct cs_params *p = &s->settings.params;

	if (!cs_slice_choose(p)->stops)
		return;
	if (s->gang)
		cs_err_set(
			ret, -EINVAL,
			"PreemptMode has GANG, which resumes what time slices stop: expected PreemptMode without it, or cosched_slice=none");
	else if (s->grace_s >= p->slice_guard_s)
		cs_err_set(
			ret, -EINVAL,
			"PreemptParameters has suspend_grace_time=%u, in which a stopped job may still run: expected less than cosched_slice_guard_s (%" PRId64
			" s)",
			s->grace_s, p->slice_guard_s);
}

/* Why @mode is unavailable, in @ret; "" if it is available. */
static void refuse_mode(const struct cs_sched *s, enum cs_mode mode,
			struct cs_err *ret)
{
	uint32_t release = cs_gate_select_release();

	ret->text[0] = '\0';
	if (mode == CS_MODE_OFF)
		return;
	if (s->layout.text[0]) {
		*ret = s->layout;
	} else if (s->fallback.until) {
		cs_fallback_say(&s->fallback, cs_params_mode_name(mode), ret);
	} else if (mode == CS_MODE_ACT && !release) {
		cs_err_set(
			ret, -ENOENT,
			"our select_cons_tres.so is not loaded, or built for another Slurm: expected that of the same build first in PluginDir and SelectType=select/cons_tres");
	} else if (mode == CS_MODE_ACT && release != SLURM_VERSION_NUMBER) {
		cs_err_set(
			ret, -EPROTO,
			"our select_cons_tres.so is of release %#x, expected %#x",
			release, SLURM_VERSION_NUMBER);
	} else if (mode == CS_MODE_ACT &&
		   strcmp(s->select_type, "select/cons_tres")) {
		/* up to 24.11 ours is loaded, but never called */
		cs_err_set(
			ret, -EINVAL,
			"SelectType is %s, which leaves our select_cons_tres.so out: expected SelectType=select/cons_tres",
			s->select_type);
	} else if (mode == CS_MODE_ACT) {
		refuse_slices(s, ret);
	}
}

void cs_sched_check_layout(struct cs_sched *s)
{
	slurmctld_lock_t locks = cs_slurm_read_locks();

	if (s->layout_sure || s->layout.text[0])
		return;
	lock_slurmctld(locks);
	check_layout(s);
	unlock_slurmctld(locks);
	if (s->layout.text[0])
		cs_sched_configure(s, CS_CONFIGURE_CHECK);
}

/* ---- parts --------------------------------------------------------------- */

static void log_said(void *arg, const char *text)
{
	(void)arg;
	error("cosched: %s", text);
}

static void log_opened(void *arg, struct cs_logfile *log)
{
	const struct cs_sched *s = arg;

	if (s->adapter)
		cs_adapter_log_opened(s->adapter, cs_logfile_after(log));
}

static struct cs_logfile *make_log(struct cs_sched *s, struct cs_err *err)
{
	const struct cs_params *p = &s->settings.params;
	struct cs_logfile_owner owner = { s, log_opened, log_said };

	return cs_logfile_create(p->log, p->log_mb, p->log_keep, &owner, err);
}

/* The files that the settings name. */
enum files {
	FILES_READ,
	FILES_SAME, /* as the previous adapter read them */
	FILES_LAST, /* profiles: the last good ones of an earlier process */
};

/* cs_adapter_setup.served_us */
static int64_t served_us(const struct cs_sched *s)
{
	bool long_ago = cs_gate_now_us() - s->began_us > LONG_SERVED_US;

	return long_ago ? 0 : (int64_t)s->made_s * 1000000;
}

/* An adapter and a log for @mode by the present settings; 0, or -1 with @err. */
static int make_adapter(struct cs_sched *s, enum cs_mode mode, enum files files,
			struct cs_adapter **ret, struct cs_logfile **ret_log,
			struct cs_err *err)
{
	struct cs_adapter_setup setup = {
		.params = &s->settings.params,
		.mode = mode,
		.all_partitions = s->settings.mode_error.text[0],
		.halted = cs_sched_halted,
		.served_us = served_us(s),
		.before = s->adapter,
		.same_files = files == FILES_SAME && s->adapter,
		.sites = s->sites,
	};
	char *state, *learned, *estimates, *profiles = NULL;

	*ret_log = NULL;
	if (s->settings.params.log[0]) {
		*ret_log = make_log(s, err);
		if (!*ret_log)
			return -1;
	}
	setup.log = *ret_log;
	state = cs_saved_state(s, &setup.state_len);
	setup.state = state;
	learned = s->settings.params.learn == CS_LEARN_OFF
			  ? NULL
			  : cs_saved_learned(s);
	setup.learned = learned;
	estimates = mode == CS_MODE_ACT &&
				    s->settings.params.start_estimates == CS_YES
			    ? cs_saved_estimates(s)
			    : NULL;
	setup.estimates = estimates;
	if (files == FILES_LAST)
		profiles = cs_last_good_profiles_read(s->state_dir,
						      &setup.profiles_len);
	setup.profiles = profiles;
	*ret = cs_adapter_create(&setup, err);
	free(profiles);
	free(state);
	free(learned);
	free(estimates);
	if (*ret)
		return 0;
	cs_logfile_free(*ret_log);
	return -1;
}

static void drop_adapter(struct cs_sched *s)
{
	cs_adapter_free(s->adapter);
	cs_logfile_free(s->log);
	s->adapter = NULL;
	s->log = NULL;
}

/* @step, which returns 1 while more is left, to its end: also while slurmctld ends. */
static void in_steps(const struct cs_sched *s,
		     int (*step)(void *arg, int64_t until_us), void *arg)
{
	slurmctld_lock_t locks = cs_slurm_write_locks();
	int more;

	do {
		lock_slurmctld(locks);
		more = step(arg, cs_gate_now_us() +
					 s->settings.params.lock_ms * 1000);
		unlock_slurmctld(locks);
	} while (more);
}

static int leave_step(void *arg, int64_t until_us)
{
	int more = cs_leave_step(arg, until_us);

	if (!more)
		cs_leave_done(arg);
	return more;
}

static int after_step(void *arg, int64_t until_us)
{
	return cs_after_step(arg, until_us);
}

static int limits_step(void *arg, int64_t until_us)
{
	return cs_adapter_limits_due(arg, until_us);
}

/* Act ends, and the jobs that it has started stay.  At the end of slurmctld, which has
 * saved its jobs by now, the next one decides it. */
static void limits_due(struct cs_sched *s)
{
	if (s->mode == CS_MODE_ACT && s->adapter && !cs_sched_ends() &&
	    !cs_fallback_faulty(&s->fallback))
		in_steps(s, limits_step, s->adapter);
}

/* Remove our plan from Slurm's records.  Slurm saves it with its jobs, so even the first
 * start may find some; and at its end it may have saved it just before us.  Not where
 * another slurmctld takes control: saved once more its state would be ours, or, as Slurm
 * looks at the time in the file, a backup ends by "two slurmctld daemons are running". */
static void leave(struct cs_sched *s)
{
	bool act = s->mode == CS_MODE_ACT;
	/* else it was amended just now (cs_saved_last()) */
	bool sound = !cs_fallback_faulty(&s->fallback);
	size_t len = 0;
	char *state;

	if (s->left || s->layout.text[0] || cs_slurm_hands_over())
		return;
	state = act && sound ? cs_checkpoint_save(s->adapter, &len)
			     : cs_saved_state(s, &len);
	act = act || cs_early_remembered(s->state_dir);
	cs_after_read(&s->after, state, len);
	free(state);
	in_steps(s, leave_step,
		 &(struct cs_leave){ .ends = true, .predicted = act });
	in_steps(s, after_step, &s->after);
	cs_slurm_save();
	s->left = true;
}

static void start_stock(void)
{
	char why[PATH_MAX + 256];

	if (cs_stock_start(why, sizeof(why)))
		error("cosched: cannot load Slurm's own sched/backfill: %s; Slurm's main loop alone starts jobs",
		      why);
}

static void enter(struct cs_sched *s)
{
	in_steps(s, leave_step, &(struct cs_leave){ .ends = false });
}

/* ---- switching ----------------------------------------------------------- */

/* No mode act, now and at the next start. */
static void open_gate(struct cs_sched *s)
{
	start_stock();
	cs_gate_off();
	if (s->state_dir[0])
		cs_early_forget(s->state_dir);
}

/* Gate and stock for @mode. */
static int set_gate(struct cs_sched *s, enum cs_mode mode)
{
	int rc;

	if (mode != CS_MODE_ACT) {
		open_gate(s);
		return 0;
	}
	rc = cs_gate_on((unsigned)s->settings.params.hang_s, s->settings.gated,
			s->settings.except);
	if (rc)
		return rc;
	cs_early_remember(s->state_dir, &s->settings);
	cs_gate_ranks(cs_order_choose(&s->settings.params)->campaigns);
	if (s->settings.stock)
		start_stock();
	else
		cs_stock_end();
	return 0;
}

/* Go to @mode with the present settings; 0, or -1 with @err and nothing changed. */
static int go_to(struct cs_sched *s, enum cs_mode mode, enum files files,
		 struct cs_err *err)
{
	struct cs_adapter *adapter = NULL;
	struct cs_logfile *log = NULL;

	if (mode != s->mode) {
		limits_due(s);
		cs_saved_last(s);
	} else {
		cs_sched_save(s);
	}
	if (mode != CS_MODE_OFF &&
	    make_adapter(s, mode, files, &adapter, &log, err))
		return -1;
	if (mode != CS_MODE_ACT)
		leave(s);
	else if (s->mode != CS_MODE_ACT)
		enter(s);
	if (set_gate(s, mode)) {
		cs_adapter_free(adapter);
		cs_logfile_free(log);
		cs_err_set(err, -E2BIG, "too many partitions in another mode");
		return -1;
	}
	drop_adapter(s);
	s->adapter = adapter;
	s->log = log;
	if (s->mode != mode)
		s->fallback.began_us =
			mode == CS_MODE_OFF ? 0 : cs_gate_now_us();
	s->mode = mode;
	s->left &= mode != CS_MODE_ACT;
	if (mode == CS_MODE_ACT)
		cs_after_end(&s->after);
	s->stamps = (struct cs_stamps){ 0 };
	s->rebuild_us = 0;
	s->stale = 0;
	if (!s->fallback.until) /* what its last cycle took stays to be seen */
		cs_watchdog_set(&s->dog, s->settings.params.budget_ms,
				s->settings.params.hang_s);
	return 0;
}

/* Slurm's keys that mode act does not honour, nor what shadow decides beside it. */
static void tell_keys(struct cs_sched *s)
{
	slurmctld_lock_t locks = cs_slurm_read_locks();

	lock_slurmctld(locks);
	cs_site_tell_keys(&s->keys_told);
	unlock_slurmctld(locks);
}

static void say_mode(struct cs_sched *s)
{
	if (s->mode == CS_MODE_ACT && !s->warned) {
		s->warned = true;
		cs_site_warn(s->site);
	}
	if (s->mode != CS_MODE_OFF && !s->layout.text[0])
		tell_keys(s);
	if (s->layout.text[0])
		return; /* already reported */
	if (s->why.text[0])
		error("cosched: cosched_mode=%s is not possible: %s: mode %s, stock scheduling goes on",
		      cs_params_mode_name(s->settings.mode), s->why.text,
		      cs_params_mode_name(s->mode));
	else if (s->mode == CS_MODE_OFF)
		info("cosched: mode off, Slurm's own scheduler decides");
	else
		info("cosched: mode %s, policy %s%s",
		     cs_params_mode_name(s->mode),
		     cs_settings_policy(&s->settings),
		     xstrcasestr(s->settings.text, "cosched_policy=")
			     ? ""
			     : ", as none is set (before, that was cosched_policy=adaptive)");
}

/* One that serves as it should is left alone: its folder, or a name service, may hang. */
static void open_socket(struct cs_sched *s)
{
	const char *where = s->settings.params.socket ?: "";
	slurmctld_lock_t locks = cs_slurm_read_locks();
	struct cs_err err;
	bool serves;
	int rc;

	lock_slurmctld(locks);
	serves = cs_socket_serves(where);
	unlock_slurmctld(locks);
	if (serves)
		return;
	cs_socket_stop();
	lock_slurmctld(locks);
	cs_socket_read_conf();
	unlock_slurmctld(locks);
	rc = cs_socket_start(where, &err);
	if (rc && *where) {
		error("cosched: %s: cosched status and explain ask at the default place",
		      err.text);
		rc = cs_socket_start("", &err);
	}
	if (rc)
		error("cosched: %s: cosched status and explain will not work",
		      err.text);
}

/* Settings, layout, paths; returns whether anything is new. */
static bool read_all(struct cs_sched *s)
{
	slurmctld_lock_t locks = cs_slurm_read_locks();
	bool changed;

	lock_slurmctld(locks);
	check_layout(s);
	if (s->layout.text[0]) {
		unlock_slurmctld(locks);
		return false;
	}
	changed = cs_settings_read(&s->settings);
	s->site = cs_site_look(s->settings.known &&
			       cs_order_ignores_priority(&s->settings.params));
	s->factor = cs_site_factor();
	s->gang = cs_stop_gang();
	s->grace_s = cs_stop_grace_s();
	snprintf(s->select_type, sizeof(s->select_type), "%s",
		 slurm_conf.select_type);
	snprintf(s->state_dir, sizeof(s->state_dir), "%s",
		 slurm_conf.state_save_location);
	unlock_slurmctld(locks);
	if (!s->sites)
		s->sites = cs_last_good_sites_read(s->state_dir);
	if (!changed)
		return false;
	if (s->settings.error.text[0])
		error("cosched: SchedulerParameters: %s; %s",
		      s->settings.error.text,
		      cs_settings_verdict(&s->settings));
	if (s->settings.share_error.text[0])
		error("cosched: %s", s->settings.share_error.text);
	if (s->settings.mode_error.text[0])
		error("cosched: %s", s->settings.mode_error.text);
	return true;
}

/* Recall the last good settings of an earlier process: none is in use here yet. */
static void recall(struct cs_sched *s)
{
	slurmctld_lock_t locks = cs_slurm_read_locks();
	struct cs_params p;

	if (s->settings.known || !cs_slurm_reconfigured())
		return;
	lock_slurmctld(locks);
	check_layout(s);
	if (!s->layout.text[0])
		snprintf(s->state_dir, sizeof(s->state_dir), "%s",
			 slurm_conf.state_save_location);
	unlock_slurmctld(locks);
	if (s->layout.text[0] || !cs_last_good_read(s->state_dir, &p))
		return;
	lock_slurmctld(locks);
	cs_settings_recall(&s->settings, &p);
	unlock_slurmctld(locks);
	s->recalled = true;
}

/* New settings are unusable: go on with those @before, which a new process must first
 * switch to. */
static void take_back(struct cs_sched *s, struct cs_settings *before,
		      const struct cs_err *err)
{
	struct cs_err other;

	cs_settings_restore(&s->settings, before, err);
	if (s->recalled) {
		refuse_mode(s, s->settings.mode, &s->why);
		if (!s->why.text[0] &&
		    go_to(s, s->settings.mode, FILES_LAST, &other)) {
			s->why = other;
			s->settings.lost = true;
			cs_last_good_forget(s->state_dir);
		}
	}
	if (s->settings.lost)
		error("cosched: %s; mode %s, %s", err->text,
		      cs_params_mode_name(s->mode),
		      cs_settings_verdict(&s->settings));
	else
		error("cosched: %s; going on in mode %s with the last good setting",
		      err->text, cs_params_mode_name(s->mode));
}

/* ---- fall-backs ---------------------------------------------------------- */

static struct cs_fallback_now both_clocks(void)
{
	return (struct cs_fallback_now){ cs_gate_now_us(), time(NULL) };
}

static void save_fallback(const struct cs_sched *s)
{
	char *text = malloc(CS_FALLBACK_TEXT);

	if (!text)
		return; /* the one before stays */
	cs_fallback_print(&s->fallback, text);
	cs_state_file_put(s->state_dir, CS_STATE_FALLBACK, text, strlen(text));
}

/* The record of an earlier process. */
static void load_fallback(struct cs_sched *s)
{
	struct cs_err err = { "'" CS_STATE_FALLBACK "' is garbage" };
	char *text = NULL;
	size_t len;
	int rc = cs_state_file_load(s->state_dir, CS_STATE_FALLBACK, &text,
				    &len, &err);

	s->fallback_known = true;
	if (!rc)
		rc = cs_fallback_read(&s->fallback, text, both_clocks());
	if (rc && rc != -ENOENT)
		error("cosched: %s: the watchdog's fall-backs are forgotten",
		      err.text);
	free(text);
}

/* Of SchedulerParameters; 0: others are in force. */
static uint64_t settings_hash(const struct cs_sched *s)
{
	if (!s->settings.text || s->settings.error.text[0])
		return 0;
	return cs_view_hash_text(13, s->settings.text);
}

/* The first time read the record; a reconfigure and other settings may end the pause. */
static void follow_fallback(struct cs_sched *s, bool again)
{
	if (s->layout.text[0])
		return;
	if (!s->fallback_known)
		load_fallback(s);
	if (!s->fallback.until ||
	    !(cs_fallback_anew(&s->fallback, settings_hash(s), again) ||
	      cs_fallback_due(&s->fallback, cs_gate_now_us())))
		return;
	cs_fallback_end(&s->fallback);
	save_fallback(s);
}

/* ---- the configured mode ------------------------------------------------- */

/* The profiles in force are the last good ones; in mode off there are none. */
static void save_profiles(const struct cs_sched *s)
{
	const char *text = NULL;
	size_t len = 0;

	if (s->adapter)
		text = cs_adapter_profiles(s->adapter, &len);
	cs_last_good_profiles_save(s->state_dir, text, len);
}

/* The settings are in force. */
static void in_force(struct cs_sched *s)
{
	s->settings.used = true;
	cs_last_good_save(s->state_dir, &s->settings);
	save_profiles(s);
	cs_saved_wait(s);
	say_mode(s);
}

/*
 * Go to the configured mode, or as near as is safe.  Unusable settings (a bad profile
 * file) are taken back; at the first start that leaves none, and mode off.
 */
static void use_settings(struct cs_sched *s, struct cs_settings *before)
{
	struct cs_err err;
	enum cs_mode mode = s->why.text[0] ? CS_MODE_OFF : s->settings.mode;

	if (!go_to(s, mode, FILES_READ, &err)) {
		in_force(s);
		return;
	}
	if (before->used && !before->defaults) {
		take_back(s, before, &err);
		if (s->mode != s->settings.mode && !s->why.text[0])
			cs_sched_fall_back(s, CS_FALLBACK_PASSING, err.text);
	} else {
		cs_last_good_forget(s->state_dir);
		s->why = err;
		say_mode(s);
	}
	if (s->mode != CS_MODE_ACT)
		open_gate(s); /* it may have been closed since the start */
}

void cs_sched_configure(struct cs_sched *s, enum cs_configure how)
{
	bool files = how != CS_CONFIGURE_CHECK;
	struct cs_settings before = { 0 };
	struct cs_err why;
	bool kept, use;

	recall(s);
	kept = !cs_settings_checkpoint(&s->settings, &before);
	use = read_all(s);
	follow_fallback(s, how == CS_CONFIGURE_AGAIN);
	if (use)
		open_socket(s);
	if (!kept)
		cs_settings_done(&before);
	refuse_mode(s, s->settings.mode, &why);
	use = use || (files && s->adapter) || strcmp(why.text, s->why.text) ||
	      (!s->adapter && !cs_stock_runs());
	s->why = why;
	if (use)
		use_settings(s, &before);
	s->recalled = false;
	cs_settings_done(&before);
	cs_stock_reconfigure();
	cs_sched_publish(s);
}

void cs_sched_tell_stopped(struct cs_sched *s)
{
	slurmctld_lock_t locks = cs_slurm_write_locks();

	lock_slurmctld(locks);
	check_layout(s);
	if (!s->layout.text[0] && !cs_sched_ends())
		cs_let_go_tell(false);
	unlock_slurmctld(locks);
}

/* let_go.c, rule 3; true: the nodes know. */
static bool tell(struct cs_sched *s)
{
	int64_t now = cs_gate_now_us();

	if (s->told == CS_LET_GO_RUNNING)
		return true;
	if (s->told == CS_LET_GO_STOPS && now < s->told_us + CS_LET_GO_SOON_US)
		return false;
	if (!cs_let_go_tell(s->told == CS_LET_GO_STOPS))
		s->told = CS_LET_GO_RUNNING; /* no job is stopped */
	else
		s->told++;
	s->told_us = now;
	return s->told == CS_LET_GO_RUNNING;
}

void cs_sched_let_go(struct cs_sched *s, bool freed)
{
	slurmctld_lock_t locks = cs_slurm_write_locks();
	int64_t pause_us = CS_LET_GO_SOON_US;
	bool any = false;

	if (s->mode == CS_MODE_ACT &&
	    cs_slice_choose(&s->settings.params)->stops) {
		s->all_go = false;
		s->left_stopped = 0;
		s->let_go_us = 0;
		s->told = CS_LET_GO_RUNNING;
		return;
	}
	if (s->all_go || s->layout.text[0] || cs_sched_ends() ||
	    (!freed && cs_gate_now_us() < s->let_go_us) ||
	    !cs_sched_nodes_there(s))
		return;
	lock_slurmctld(locks);
	if (!cs_sched_ends() && tell(s) && !cs_let_go_waits()) {
		any = cs_let_go_resume(cs_sched_ends);
		pause_us = LET_GO_US;
		s->all_go = true;
	}
	s->left_stopped = cs_let_go_left();
	s->all_go &= !s->left_stopped;
	unlock_slurmctld(locks);
	s->let_go_us = cs_gate_now_us() + pause_us;
	if (any)
		cs_slurm_save();
}

void cs_sched_after_act(struct cs_sched *s)
{
	slurmctld_lock_t locks = cs_slurm_write_locks();
	bool changed;

	if (!s->after.n || !cs_slurm_changed(&s->after.stamps))
		return;
	lock_slurmctld(locks);
	changed = !cs_sched_ends() && cs_after_look(&s->after);
	unlock_slurmctld(locks);
	if (changed)
		cs_slurm_save();
}

void cs_sched_fall_back(struct cs_sched *s, enum cs_fallback_cause cause,
			const char *why)
{
	const char *mode = cs_params_mode_name(s->settings.mode);
	struct cs_err next, err;

	cs_fallback_add(&s->fallback, cause, why, s->settings.params.return_s,
			settings_hash(s), both_clocks());
	cs_fallback_say(&s->fallback, mode, &s->why);
	cs_fallback_next(&s->fallback, mode, &next);
	error("cosched: watchdog: %s: mode %s %s, stock scheduling goes on; %s",
	      s->fallback.why.text, mode,
	      s->mode == CS_MODE_OFF ? "does not begin" : "ends", next.text);
	save_fallback(
		s); /* before the mode ends: a restart must not begin it */
	go_to(s, CS_MODE_OFF, FILES_READ, &err);
	cs_sched_publish(s);
}

/* The pause is over. */
static void try_again(struct cs_sched *s)
{
	enum cs_mode mode = s->settings.mode;
	struct cs_err err;

	info("cosched: watchdog: the pause of %" PRId64
	     " s is over, mode %s is tried again",
	     s->fallback.pause_s, cs_params_mode_name(mode));
	cs_fallback_end(&s->fallback);
	refuse_mode(s, mode, &s->why);
	if (s->why.text[0])
		mode = CS_MODE_OFF;
	if (go_to(s, mode, FILES_READ, &err)) {
		cs_sched_fall_back(s, CS_FALLBACK_PASSING, err.text);
		return;
	}
	save_fallback(s);
	in_force(s);
	cs_sched_publish(s);
}

void cs_sched_return(struct cs_sched *s)
{
	int64_t now = cs_gate_now_us();

	if (cs_sched_ends())
		return;
	if (cs_fallback_due(&s->fallback, now)) {
		try_again(s);
	} else if (cs_fallback_well(&s->fallback, now)) {
		info("cosched: watchdog: an hour in mode %s without a fall-back: the next pause would be cosched_return_s again",
		     cs_params_mode_name(s->mode));
		save_fallback(s);
	}
}

static int build_anew(struct cs_sched *s)
{
	struct cs_err err;

	if (!go_to(s, s->mode, FILES_SAME, &err))
		return 0;
	cs_sched_fall_back(s, CS_FALLBACK_PASSING, err.text);
	return -1;
}

void cs_sched_rebuild(struct cs_sched *s, const char *why)
{
	unsigned stale = s->stale + 1;

	if (stale > REBUILDS) {
		cs_sched_fall_back(s, CS_FALLBACK_PASSING,
				   "engine and Slurm differ again and again");
		return;
	}
	error("cosched: engine and Slurm differ (%s): the engine is built anew",
	      why);
	if (!build_anew(s))
		s->stale = stale;
}

void cs_sched_machine_changed(struct cs_sched *s, const char *why)
{
	int64_t now = cs_gate_now_us();
	unsigned stale = s->stale;

	s->rebuild_us = s->rebuilt_us ? s->rebuilt_us + MACHINE_REST_US : now;
	if (now < s->rebuild_us)
		return;
	info("cosched: %s: the engine is built anew", why);
	if (build_anew(s))
		return;
	s->stale = stale;
	s->rebuilt_us = cs_gate_now_us();
}

void cs_sched_renew(struct cs_sched *s)
{
	struct cs_err err;

	info("cosched: most node sets are of jobs that are gone: the engine is built anew");
	if (go_to(s, s->mode, FILES_SAME, &err))
		cs_sched_fall_back(s, CS_FALLBACK_PASSING, err.text);
}

void cs_sched_shut(struct cs_sched *s)
{
	cs_socket_stop();
	cs_saved_last(s);
	leave(s);
	cs_after_end(&s->after);
	if (s->mode != CS_MODE_ACT)
		cs_gate_off();
	drop_adapter(s);
	cs_saved_end(s);
	cs_stock_stop();
	cs_settings_done(&s->settings);
	free(s->sites);
	s->sites = NULL;
}
