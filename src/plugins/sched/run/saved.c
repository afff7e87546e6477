/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/slurm.h"

#include "sched/run/saved.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/estimate/estimate.h"
#include "common/learn/past.h"
#include "gate/gate.h"
#include "sched/store/state_file.h"

#define WAIT_US INT64_C(1000000)
#define END_US INT64_C(5000000)
#define HANG_US INT64_C(5000000)

/* ---- reading ----------------------------------------------------------------- */

char *cs_saved_state(const struct cs_sched *s, size_t *ret_len)
{
	struct cs_err err;
	char *state = NULL;
	int rc = cs_state_file_load(s->state_dir, CS_STATE_FILE, &state,
				    ret_len, &err);

	if (rc && rc != -ENOENT)
		error("cosched: %s, starting without it", err.text);
	return rc ? NULL : state;
}

/* The last save, and the one before. */
static const char *const learned_names[] = { CS_STATE_LEARNED,
					     CS_STATE_LEARNED CS_STATE_BEFORE };

/* Can *@text, of the file @name, be read?  Else, unless memory is short, the file is set
 * aside.  On failure *@text is freed. */
static int try_learned(const struct cs_sched *s, const char *name, char **text,
		       struct cs_err *err)
{
	int rc = cs_past_try(*text, err);

	if (!rc)
		return 0;
	if (rc != -ENOMEM)
		cs_state_file_set_aside(s->state_dir, name, name, CS_STATE_BAD);
	free(*text);
	*text = NULL;
	return rc == -ENOENT ? -EBADMSG : rc;
}

char *cs_saved_learned(struct cs_sched *s)
{
	struct cs_err err, first = { "" };
	char *text = NULL;
	size_t len;
	int rc = -ENOENT;

	s->learned_on = 0;
	for (int i = 0; rc && i < 2; i++) {
		rc = cs_state_file_load(s->state_dir, learned_names[i], &text,
					&len, &err);
		if (!rc)
			rc = try_learned(s, learned_names[i], &text, &err);
		if (!rc && cs_past_machine(text, &s->learned_on))
			s->learned_from = learned_names[i];
		if (rc && rc != -ENOENT && !first.text[0])
			first = err;
	}
	if (first.text[0])
		error("cosched: what was learned cannot be read: %s; %s",
		      first.text,
		      rc ? "learning begins anew"
			 : "going on with what was saved before it");
	return rc ? NULL : text;
}

/* ---- writing ----------------------------------------------------------------- */

static int put_state(struct cs_sched *s)
{
	size_t len;
	char *state = cs_checkpoint_save(s->adapter, &len);

	if (!state)
		return -ENOMEM;
	cs_state_file_put(s->state_dir, CS_STATE_FILE, state, len);
	return 0;
}

/* What was learned of other types of nodes stays under their number, for an administrator
 * to bring back. */
static void keep_learned(struct cs_sched *s)
{
	char suffix[32];

	if (!s->learned_on)
		return;
	snprintf(suffix, sizeof(suffix), ".%016" PRIx64, s->learned_on);
	cs_state_file_set_aside(s->state_dir, s->learned_from, CS_STATE_LEARNED,
				suffix);
	s->learned_on = 0;
	info("cosched: what was learned on other types of nodes is kept in %s/" CS_STATE_LEARNED
	     "%s",
	     s->state_dir, suffix);
}

static int put_learned(struct cs_sched *s)
{
	char *text;
	int rc = cs_checkpoint_learned(s->adapter, &text);

	if (rc || !text)
		return rc;
	if (cs_checkpoint_odd_nodes(s->adapter))
		keep_learned(s);
	cs_state_file_replace(s->state_dir, CS_STATE_LEARNED, text,
			      strlen(text));
	return 0;
}

/* ---- the history of estimates -------------------------------------------------- */

#define ESTIMATES_HEAD "cosched-estimates 1 "
#define ESTIMATES_US INT64_C(60000000) /* between two saves ... */
#define ESTIMATES_SHARE 200	       /* ... or so often what one takes */

/* A line that names the cluster, then the adapter's. */
static char *with_head(char *text)
{
	const char *cluster =
		slurm_conf.cluster_name ? slurm_conf.cluster_name : "";
	size_t n = strlen(ESTIMATES_HEAD) + strlen(cluster) + 1;
	char *all = malloc(n + strlen(text) + 1);

	if (all)
		sprintf(all, "%s%s\n%s", ESTIMATES_HEAD, cluster, text);
	free(text);
	return all;
}

/* @ends: of this adapter for the last time.  Without memory the next call tries again. */
static void put_estimates(struct cs_sched *s, bool ends)
{
	int64_t from_us = cs_gate_now_us(), pause_us;
	char *text = NULL;

	if (!s->adapter || cs_adapter_estimates_save(s->adapter, ends, &text))
		return;
	text = with_head(text);
	if (!text)
		return;
	cs_state_file_put(s->state_dir, CS_STATE_ESTIMATES, text, strlen(text));
	cs_adapter_estimates_saved(s->adapter);
	pause_us = ESTIMATES_SHARE * (cs_gate_now_us() - from_us);
	s->estimates_us =
		from_us + (pause_us > ESTIMATES_US ? pause_us : ESTIMATES_US);
}

/* Does @text begin with our head, for this cluster? */
static bool is_ours(const char *text, size_t len)
{
	const char *cluster =
		slurm_conf.cluster_name ? slurm_conf.cluster_name : "";
	size_t n = strlen(ESTIMATES_HEAD), m = strlen(cluster);

	return len <= CS_ESTIMATES_BYTES && !strncmp(text, ESTIMATES_HEAD, n) &&
	       !strncmp(text + n, cluster, m) && text[n + m] == '\n';
}

char *cs_saved_estimates(struct cs_sched *s)
{
	struct cs_err err;
	char *text = NULL;
	size_t len;
	int rc;

	put_estimates(s, true);
	rc = cs_state_file_load(s->state_dir, CS_STATE_ESTIMATES, &text, &len,
				&err);
	if (!rc && !is_ours(text, len)) {
		rc = cs_err_set(
			&err, -EBADMSG,
			"'%s/%s' is of another version or cluster, or too large",
			s->state_dir, CS_STATE_ESTIMATES);
		cs_state_file_set_aside(s->state_dir, CS_STATE_ESTIMATES,
					CS_STATE_ESTIMATES, CS_STATE_BAD);
	}
	if (!rc)
		return text;
	if (rc != -ENOENT)
		error("cosched: %s: estimates of starts begin without a history",
		      err.text);
	free(text);
	return NULL;
}

/* ---- reporting --------------------------------------------------------------- */

static const struct {
	const char *name, *costs;
} files[] = {
	{ CS_STATE_FILE, "groups would be forgotten at a restart" },
	{ CS_STATE_LEARNED,
	  "what was learned would be forgotten at a restart" },
	{ CS_STATE_ESTIMATES,
	  "the history of estimates of starts would be forgotten at a restart" },
	{ CS_STATE_GATE,
	  "at the next start Slurm's main loop may start jobs before the plan is there" },
	{ CS_STATE_PARAMS,
	  "a reconfigure with a bad parameter would end in mode off" },
	{ CS_STATE_PROFILES,
	  "a reconfigure with a bad profile file would end in mode off" },
	{ CS_STATE_SITES,
	  "a reconfigure with bad sites would end without any" },
	{ CS_STATE_FALLBACK,
	  "a restart would forget the watchdog's fall-backs, and try the mode again at once" },
};

#define FILES (sizeof(files) / sizeof(*files))
#define HANGS (1u << FILES) /* the bit after theirs, in cs_sched.unsaved */

static void report(struct cs_sched *s, unsigned bit, const struct cs_err *err,
		   const char *costs)
{
	s->state_error = *err;
	if (!(s->unsaved & bit))
		error("cosched: %s: %s (tried again within a minute)",
		      err->text, costs);
	s->unsaved |= bit;
}

/* How the other thread fares, each trouble once. */
static void report_all(struct cs_sched *s)
{
	int64_t hangs_us = cs_state_file_hangs_us();
	unsigned before = s->unsaved;
	struct cs_err err;

	s->state_error.text[0] = '\0';
	for (unsigned i = 0; i < FILES; i++) {
		if (cs_state_file_result(s->state_dir, files[i].name, &err))
			report(s, 1u << i, &err, files[i].costs);
		else
			s->unsaved &= ~(1u << i);
	}
	if (hangs_us > HANG_US) {
		cs_err_set(&err, 0, "'%s' has hung for %" PRId64 " s",
			   s->state_dir, hangs_us / 1000000);
		report(s, HANGS, &err, "nothing is saved; scheduling goes on");
	} else {
		s->unsaved &= ~HANGS;
	}
	if (before && !s->unsaved)
		info("cosched: state is saved again");
}

void cs_sched_save(struct cs_sched *s)
{
	int rc = 0;

	if (s->adapter && cs_checkpoint_dirty(s->adapter)) {
		if (s->mode == CS_MODE_ACT)
			rc = put_state(s);
		if (put_learned(s) || rc)
			cs_adapter_mark_dirty(s->adapter); /* no memory */
	}
	if (cs_gate_now_us() >= s->estimates_us)
		put_estimates(s, false);
	cs_logfile_flush(s->log);
}

void cs_saved_look(struct cs_sched *s)
{
	cs_state_file_again(cs_gate_now_us());
	report_all(s);
}

/* The engine may be inconsistent: what was saved of it stays. */
static void amend(struct cs_sched *s)
{
	size_t len = 0, now_len;
	char *saved, *now;

	if (!s->adapter || s->mode != CS_MODE_ACT)
		return;
	saved = cs_saved_state(s, &len);
	now = cs_checkpoint_amend(s->adapter, saved, len, &now_len);
	free(saved);
	if (now)
		cs_state_file_put(s->state_dir, CS_STATE_FILE, now, now_len);
}

void cs_saved_last(struct cs_sched *s)
{
	if (cs_fallback_faulty(&s->fallback)) {
		amend(s);
		return;
	}
	if (s->adapter && !s->fallback.until) {
		cs_adapter_give_up(s->adapter, NULL);
		cs_adapter_mark_dirty(s->adapter);
	}
	put_estimates(s, true);
	cs_sched_save(s);
}

void cs_saved_wait(struct cs_sched *s)
{
	cs_state_file_wait(WAIT_US);
	report_all(s);
}

void cs_saved_end(struct cs_sched *s)
{
	int64_t until = cs_gate_now_us() + END_US, rest;
	bool logged = cs_logfile_finish(END_US);

	rest = until - cs_gate_now_us();
	if (!cs_state_file_end(rest > 0 ? rest : 0))
		error("cosched: '%s' hangs: the last state is not saved, the next start has an older one",
		      s->state_dir);
	if (!logged)
		error("cosched: event log '%s' hangs: its last lines are lost",
		      s->settings.params.log);
}
