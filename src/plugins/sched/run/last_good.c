/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files (state_file.h): SchedulerParameters, the whole line; the text of the profile
 * file; the sites.
 */
#include "compat/slurm.h"

#include "sched/run/last_good.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/calls.h"
#include "sched/store/state_file.h"

static void forget(const char *dir, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	if (n < 0 || n >= (int)sizeof(path) ||
	    (unlink(path) && errno != ENOENT))
		error("cosched: cannot remove '%s/%s'", dir, name);
}

void cs_last_good_forget(const char *dir)
{
	forget(dir, CS_STATE_PARAMS);
	forget(dir, CS_STATE_PROFILES);
}

/* The file @name holds @text from now on; it is written only if it does not. */
static int keep(const char *dir, const char *name, const char *text, size_t len,
		struct cs_err *err)
{
	char *was = NULL;
	size_t n = 0;
	int rc = cs_state_file_load(dir, name, &was, &n, err);

	if (rc || n != len || memcmp(was, text, len))
		rc = cs_state_file_save(dir, name, text, len, err);
	free(was);
	return rc;
}

void cs_last_good_save(const char *dir, const struct cs_settings *s)
{
	struct cs_err err;

	if (s->error.text[0]) {
		if (s->off || s->defaults)
			cs_last_good_forget(dir);
		return;
	}
	if (s->text &&
	    keep(dir, CS_STATE_PARAMS, s->text, strlen(s->text), &err))
		error("cosched: %s: a reconfigure with a bad parameter would end in mode off",
		      err.text);
}

void cs_last_good_profiles_save(const char *dir, const char *text, size_t len)
{
	struct cs_err err;

	if (!text)
		forget(dir, CS_STATE_PROFILES);
	else if (keep(dir, CS_STATE_PROFILES, text, len, &err))
		error("cosched: %s: a reconfigure with a bad profile file would end in mode off",
		      err.text);
}

char *cs_last_good_profiles_read(const char *dir, size_t *ret_len)
{
	struct cs_err err;
	char *text = NULL;
	int rc;

	if (!cs_slurm_reconfigured())
		return NULL;
	rc = cs_state_file_load(dir, CS_STATE_PROFILES, &text, ret_len, &err);
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
	    cs_state_file_load(dir, CS_STATE_PARAMS, &line, &len, &err))
		return false;
	known = !cs_params_parse(ret, CS_HOST_LIVE, line, "cosched_", &err);
	free(line);
	return known;
}

void cs_last_good_sites_save(const char *dir, const char *text)
{
	struct cs_err err;

	if (!*text)
		forget(dir, CS_STATE_SITES);
	else if (cs_state_file_save(dir, CS_STATE_SITES, text, strlen(text),
				    &err))
		error("cosched: %s: a reconfigure with bad sites would end without any",
		      err.text);
}

char *cs_last_good_sites_read(const char *dir)
{
	struct cs_err err;
	char *text = NULL;
	size_t len;
	int rc;

	if (!cs_slurm_reconfigured()) {
		forget(dir, CS_STATE_SITES);
		return strdup("");
	}
	rc = cs_state_file_load(dir, CS_STATE_SITES, &text, &len, &err);
	if (!rc)
		return text;
	if (rc != -ENOENT)
		error("cosched: %s: going on without the last good sites",
		      err.text);
	return strdup("");
}
