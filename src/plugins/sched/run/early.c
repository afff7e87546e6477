/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file (state_file.h) holds
 *
 *	gate GATED EXCEPT\n		0 or 1; names joined by '+', may be empty
 *	SchedulerParameters		the whole line that act was started with
 */
#include "compat/slurm.h"

#include "sched/run/early.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/abi_check.h"
#include "sched/run/last_good.h"
#include "sched/store/state_file.h"

#define HEAD "gate "

void cs_early_remember(const char *dir, const struct cs_settings *s)
{
	const char *text = s->text ? s->text : "";
	size_t size = strlen(text) + strlen(s->except) + sizeof(HEAD) + 8;
	char *now = malloc(size);

	if (!now)
		return; /* the next change of mode tries again */
	snprintf(now, size, HEAD "%d %s\n%s", s->gated, s->except, text);
	cs_state_file_put(dir, CS_STATE_GATE, now, strlen(now));
}

bool cs_early_remembered(const char *dir)
{
	struct cs_err err;
	size_t len;
	char *text = NULL;
	int rc = cs_state_file_load(dir, CS_STATE_GATE, &text, &len, &err);

	free(text);
	return !rc;
}

void cs_early_forget(const char *dir)
{
	cs_state_file_remove(dir, CS_STATE_GATE);
}

/* The state that act ran with; false: a different line from @now (NULL: any), or a
 * garbage file. */
static bool as_it_was(char *file, const char *now, struct cs_early *ret)
{
	char *line = strchr(file, '\n'), *except;

	if (!line || (now && strcmp(line + 1, now)) ||
	    strncmp(file, HEAD, strlen(HEAD)))
		return false;
	*line = '\0';
	except = file + strlen(HEAD);
	if ((*except != '0' && *except != '1') || except[1] != ' ' ||
	    strlen(except + 2) >= sizeof(ret->except))
		return false;
	ret->gated = *except == '1';
	strcpy(ret->except, except + 2);
	return true;
}

/* From @p: of `name:mode+...` those in another mode than the cluster's. */
static void as_it_says(const struct cs_params *p, struct cs_early *ret)
{
	const char *at = p->partition_modes ? p->partition_modes : "";
	size_t len = 0;

	ret->gated = p->mode == CS_MODE_ACT;
	ret->except[0] = '\0';
	while (*at) {
		size_t n = strcspn(at, "+");
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, ":+"),
			 at);
		if ((cs_params_mode_of(p, name) == CS_MODE_ACT) != ret->gated &&
		    len + strlen(name) + 2 < sizeof(ret->except))
			len += (size_t)snprintf(ret->except + len,
						sizeof(ret->except) - len,
						"%s%s", len ? "+" : "", name);
		at += n + (at[n] == '+');
	}
}

/* The settings of @now, or if it is refused the last good ones, with *ret_line NULL. */
static bool read_line(const char *now, struct cs_params *ret,
		      const char **ret_line)
{
	struct cs_err err;

	*ret_line = now;
	if (!cs_params_parse(ret, CS_HOST_LIVE, now, "cosched_", &err))
		return true;
	*ret_line = NULL;
	return !cs_params_says_off(now, "cosched_") &&
	       cs_last_good_read(slurm_conf.state_save_location, ret);
}

bool cs_early_wanted(struct cs_early *ret)
{
	struct cs_params p = { 0 };
	const char *now;
	struct cs_err err;
	char *file = NULL, why[256];
	size_t len;
	bool wanted = false;

	if (cs_abi_check_globals(why, sizeof(why)) ||
	    !slurm_conf.state_save_location)
		return false;
	now = slurm_conf.sched_params ? slurm_conf.sched_params : "";
	if (!cs_state_file_read(slurm_conf.state_save_location, CS_STATE_GATE,
				&file, &len, &err) &&
	    read_line(now, &p, &now)) {
		if (!as_it_was(file, now, ret))
			as_it_says(&p, ret);
		ret->hang_s = (unsigned)p.hang_s;
		wanted = ret->gated || ret->except[0];
	}
	cs_params_done(&p);
	free(file);
	return wanted;
}
