/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files (state_file.h): SchedulerParameters, the whole line; the text of the profile
 * file; the sites.
 */
#include "compat/slurm.h"

#include "sched/run/last_good.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat/calls.h"
#include "sched/store/state_file.h"

void cs_last_good_forget(const char *dir)
{
	cs_state_file_remove(dir, CS_STATE_PARAMS);
	cs_state_file_remove(dir, CS_STATE_PROFILES);
}

/* The file @name holds @text from now on. */
static void keep(const char *dir, const char *name, const char *text,
		 size_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		return; /* the one before stays */
	memcpy(copy, text, len);
	copy[len] = '\0';
	cs_state_file_put(dir, name, copy, len);
}

void cs_last_good_save(const char *dir, const struct cs_settings *s)
{
	if (!s->error.text[0]) {
		if (s->text)
			keep(dir, CS_STATE_PARAMS, s->text, strlen(s->text));
	} else if (s->off || s->defaults) {
		cs_last_good_forget(dir);
	}
}

void cs_last_good_profiles_save(const char *dir, const char *text, size_t len)
{
	if (text)
		keep(dir, CS_STATE_PROFILES, text, len);
	else
		cs_state_file_remove(dir, CS_STATE_PROFILES);
}

char *cs_last_good_profiles_read(const char *dir, size_t *ret_len)
{
	struct cs_err err;
	char *text = NULL;
	int rc;

	if (!cs_slurm_reconfigured())
		return NULL;
	rc = cs_state_file_read(dir, CS_STATE_PROFILES, &text, ret_len, &err);
	if (rc && rc != -ENOENT)
		error("cosched: %s: there are no last good profiles", err.text);
	return rc ? NULL : text;
}

bool cs_last_good_read(const char *dir, struct cs_params *ret)
{
	struct cs_err err;
	char *line = NULL;
	size_t len;
	bool known;

	if (!cs_slurm_reconfigured() ||
	    cs_state_file_read(dir, CS_STATE_PARAMS, &line, &len, &err))
		return false;
	known = !cs_params_parse(ret, CS_HOST_LIVE, line, "cosched_", &err);
	free(line);
	return known;
}

void cs_last_good_sites_save(const char *dir, const char *text)
{
	if (*text)
		keep(dir, CS_STATE_SITES, text, strlen(text));
	else
		cs_state_file_remove(dir, CS_STATE_SITES);
}

char *cs_last_good_sites_read(const char *dir)
{
	struct cs_err err;
	char *text = NULL;
	size_t len;
	int rc;

	if (!cs_slurm_reconfigured()) {
		cs_state_file_remove(dir, CS_STATE_SITES);
		return strdup("");
	}
	rc = cs_state_file_read(dir, CS_STATE_SITES, &text, &len, &err);
	if (!rc)
		return text;
	if (rc != -ENOENT)
		error("cosched: %s: going on without the last good sites",
		      err.text);
	return strdup("");
}
