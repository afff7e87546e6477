/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The site's settings.
 */
#include "compat/slurm.h"

#include "common/params/host_number.h"
#include "compat/site_keys.h"
#include "sched/run/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- partitions ---------------------------------------------------------- */

/* A walk over all pairs of partitions. */
struct walk {
	struct cs_settings *s;
	const part_record_t *one;
	bool mode_there[3];
};

static enum cs_mode mode_of(const struct walk *w, const part_record_t *part)
{
	return cs_params_mode_of(&w->s->params, part->name);
}

/* list_find_first(): does @x share a node with w->one, in another mode? */
static int clashes(void *x, void *key)
{
	const part_record_t *other = x;
	struct walk *w = key;

	return mode_of(w, other) != mode_of(w, w->one) && other->node_bitmap &&
	       w->one->node_bitmap &&
	       bit_overlap_any(other->node_bitmap, w->one->node_bitmap);
}

/* Record the mode of @part; false: not allowed. */
static bool look_at(struct walk *w, const part_record_t *part)
{
	const part_record_t *other;

	w->one = part;
	w->mode_there[mode_of(w, part)] = true;
	other = list_find_first(part_list, clashes, w);
	if (!other)
		return true;
	cs_err_set(
		&w->s->mode_error, -EINVAL,
		"cosched_partition_modes: partition '%s' is in mode %s and shares nodes with '%s' in mode %s: all partitions follow cosched_mode=%s",
		part->name, cs_params_mode_name(mode_of(w, part)), other->name,
		cs_params_mode_name(mode_of(w, other)),
		cs_params_mode_name(w->s->params.mode));
	return false;
}

/* With an iterator: list_find_first() locks the list, and must not be called
 * from within itself. */
static bool look_at_all(struct walk *w)
{
	list_itr_t *iter = list_iterator_create(part_list);
	const part_record_t *part;
	bool good = true;

	while (good && (part = list_next(iter)))
		good = look_at(w, part);
	list_iterator_destroy(iter);
	return good;
}

/* Every partition in the cluster's mode. */
static void follow_cluster(struct cs_settings *s)
{
	s->mode = s->params.mode;
	s->stock = s->mode != CS_MODE_ACT;
	s->gated = true;
	s->except[0] = '\0';
}

/* Partitions whose mode, unlike the cluster's, has the gate for them, or has not. */
static int list_exception(void *x, void *key)
{
	const part_record_t *part = x;
	struct walk *w = key;
	struct cs_settings *s = w->s;
	size_t len = strlen(s->except);

	if ((mode_of(w, part) == CS_MODE_ACT) == s->gated)
		return 0;
	snprintf(s->except + len, sizeof(s->except) - len, "%s%s",
		 len ? "+" : "", part->name);
	return 0;
}

/* Find an item of the list that names no partition; in @ret.  With @modes each ends in
 * ":MODE"; a partition's own name may hold a ':'. */
static bool names_unknown(const char *list, bool modes, char *ret, size_t size)
{
	while (*list) {
		size_t len = strcspn(list, "+"), n = len;

		while (modes && n && list[n - 1] != ':')
			n--;
		snprintf(ret, size, "%.*s", (int)(modes && n ? n - 1 : len),
			 list);
		if (!find_part_record(ret))
			return true;
		list += len + (list[len] == '+');
	}
	return false;
}

/* It may appear later, so this is only reported. */
static void check_share(struct cs_settings *s)
{
	char name[256];

	s->share_error.text[0] = '\0';
	if (s->params.share_partitions[0] && part_list &&
	    names_unknown(s->params.share_partitions, false, name,
			  sizeof(name)))
		cs_err_set(
			&s->share_error, -EINVAL,
			"cosched_share_partitions: no partition '%s': its name joins nobody; only jobs of listed partitions that exist share",
			name);
}

static void find_modes(struct cs_settings *s)
{
	struct walk w = { .s = s };
	char name[256];

	check_share(s);
	s->mode_error.text[0] = '\0';
	follow_cluster(s);
	if (!s->params.partition_modes[0] || !part_list)
		return;
	if (names_unknown(s->params.partition_modes, true, name,
			  sizeof(name))) {
		cs_err_set(
			&s->mode_error, -EINVAL,
			"cosched_partition_modes: no partition '%s': all partitions follow cosched_mode=%s",
			name, cs_params_mode_name(s->params.mode));
		return;
	}
	if (!look_at_all(&w))
		return;
	if (w.mode_there[CS_MODE_ACT] && w.mode_there[CS_MODE_SHADOW]) {
		cs_err_set(
			&s->mode_error, -EINVAL,
			"cosched_partition_modes: some partitions are in mode act and some in shadow, expected one of them beside off: all follow cosched_mode=%s",
			cs_params_mode_name(s->params.mode));
		return;
	}
	s->mode = w.mode_there[CS_MODE_ACT]	 ? CS_MODE_ACT
		  : w.mode_there[CS_MODE_SHADOW] ? CS_MODE_SHADOW
						 : CS_MODE_OFF;
	s->stock = w.mode_there[CS_MODE_OFF] || s->mode != CS_MODE_ACT;
	s->gated = s->params.mode == CS_MODE_ACT;
	list_find_first(part_list, list_exception, &w);
}

/* ---- parameters ---------------------------------------------------------- */

/* The way out: off for every partition, all else unchanged. */
static void switch_off(struct cs_settings *s)
{
	s->params.mode = CS_MODE_OFF;
	if (s->params.partition_modes)
		s->params.partition_modes[0] = '\0';
}

static void tell_old_name(void *arg, size_t at, const char *text)
{
	(void)arg;
	(void)at;
	info("cosched: SchedulerParameters: %s", text);
}

static bool read_params(struct cs_settings *s)
{
	const char *now =
		slurm_conf.sched_params ? slurm_conf.sched_params : "";
	const struct cs_site_age age = cs_site_keys_age();
	struct cs_params fresh = { 0 };
	int rc;

	if (s->text && !strcmp(s->text, now) && age.points == s->age.points &&
	    age.most_s == s->age.most_s)
		return false;
	free(s->text);
	s->age = age;
	s->text = strdup(now);
	s->pace = cs_site_keys_pace(now);
	s->error.text[0] = '\0';
	rc = cs_params_parse(&fresh, CS_HOST_LIVE, now, "cosched_", &s->error);
	if (rc && !s->error.text[0])
		cs_err_set(&s->error, rc, "parameters: %s", strerror(-rc));
	s->off = rc && cs_params_says_off(now, "cosched_");
	if (s->off)
		switch_off(s);
	s->defaults = rc && (s->defaults || !s->known);
	if (rc && !s->known)
		rc = cs_params_init(&fresh, CS_HOST_LIVE);
	if (rc)
		return true;
	cs_host_number_take(&fresh, now);
	cs_site_keys_take_age(&fresh, &age);
	cs_params_renamed(now, "cosched_", tell_old_name, NULL);
	cs_params_done(&s->params);
	s->params = fresh;
	s->known = true;
	return true;
}

const char *cs_settings_verdict(const struct cs_settings *s)
{
	if (s->off)
		return "no cosched_ key of that line is taken but cosched_mode=off";
	if (s->lost)
		return "the last good setting fails too: stock scheduling goes on";
	if (s->defaults)
		return "no cosched_ key of that line is taken, and none were good since slurmctld started: mode off, stock scheduling goes on";
	return "no cosched_ key of that line is taken, going on with the last good setting";
}

const char *cs_settings_policy(const struct cs_settings *s)
{
	return s->known && !s->defaults && !s->off && !s->lost
		       ? s->params.policy
		       : "";
}

bool cs_settings_read(struct cs_settings *s)
{
	struct cs_settings before = *s;
	bool changed = read_params(s);

	if (s->known)
		find_modes(s);
	return changed || before.mode != s->mode || before.stock != s->stock ||
	       before.gated != s->gated || strcmp(before.except, s->except) ||
	       strcmp(before.share_error.text, s->share_error.text) ||
	       strcmp(before.mode_error.text, s->mode_error.text);
}

void cs_settings_recall(struct cs_settings *s, struct cs_params *p)
{
	s->params = *p;
	cs_host_number_take(&s->params, slurm_conf.sched_params);
	s->age = cs_site_keys_age();
	cs_site_keys_take_age(&s->params, &s->age);
	s->known = true;
	s->used = true;
	find_modes(s);
}

int cs_settings_checkpoint(const struct cs_settings *s,
			   struct cs_settings *kept)
{
	*kept = *s;
	kept->text = NULL;
	memset(&kept->params, 0, sizeof(kept->params));
	return s->known ? cs_params_copy(&kept->params, &s->params) : 0;
}

void cs_settings_restore(struct cs_settings *s, struct cs_settings *kept,
			 const struct cs_err *err)
{
	const struct cs_site_pace pace = s->pace;

	cs_settings_done(s);
	*s = *kept;
	s->pace = pace; /* of Slurm's keys none is bad */
	s->error = *err;
	memset(kept, 0, sizeof(*kept));
}

void cs_settings_done(struct cs_settings *s)
{
	cs_params_done(&s->params);
	free(s->text);
	memset(s, 0, sizeof(*s));
}
