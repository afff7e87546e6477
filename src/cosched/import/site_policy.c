/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/site_policy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "common/params/host_number.h"
#include "conf/slurm_conf.h"

#define ASK_S 10
#define SCHED_MAX 8192
#define STATE_MAX 4096

const char *cs_site_policy(const char *cmd, const char *name)
{
	if (strchr(name, ',') || !*name) {
		cs_cmd_bad("%s: --site is '%.100s', expected one policy such "
			   "as stock or easy",
			   cmd, name);
		return NULL;
	}
	return strcmp(name, "easy") ? name : "easy:unprofiled=model";
}

/* Does @policy ("NAME:key=value:...") set the key of the item of @n bytes at @item? */
static bool sets(const char *policy, const char *item, size_t n)
{
	size_t key = strcspn(item, "=");

	for (const char *at = strchr(policy, ':'); at; at = strchr(at, ':'))
		if (!strncmp(++at, item, key + 1 < n ? key + 1 : n))
			return true;
	return false;
}

/* Drop from the list @settings what @policy sets; all, if it is not stock. */
static void drop_set(char *settings, const char *policy)
{
	size_t name = strcspn(policy, ":");
	char *to = settings;

	if (name != strlen(CS_SITE_POLICY) ||
	    strncmp(policy, CS_SITE_POLICY, name))
		*settings = '\0';
	for (const char *at = settings; *at;) {
		size_t n = strcspn(at, ",");

		if (!sets(policy, at, n)) {
			if (to > settings)
				*to++ = ',';
			memmove(to, at, n);
			to += n;
		}
		at += n + (at[n] == ',');
	}
	*to = '\0';
}

/* What Slurm's backfill is set to, where it is not as without settings. */
static void say(const char *source, const char *sched, const char *settings,
		const char *policy)
{
	static const struct {
		const char *key, *unit, *ours;
	} shown[] = { { "bf_interval=", "s", "stock_every_s=" },
		      { "bf_window=", "min", "horizon_s=" } };
	bool any = false;

	fprintf(stderr, "Slurm's backfill as in %s:", source);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		int64_t value = cs_host_number(sched, shown[i].key);

		if (value == cs_host_number(NULL, shown[i].key) ||
		    sets(policy, shown[i].ours, strlen(shown[i].ours)))
			continue;
		fprintf(stderr, "%s %s%" PRId64 " %s", any ? "," : "",
			shown[i].key, value, shown[i].unit);
		any = true;
	}
	if (*settings)
		fprintf(stderr, "%s %s", any ? "," : "", settings);
	else if (!any)
		fputs(" all defaults", stderr);
	fputc('\n', stderr);
}

static int take_conf(struct cs_site_slurm *s, const char *cmd,
		     const char *policy, const struct cs_slurmconf *c)
{
	s->sched = calloc(1, SCHED_MAX);
	s->settings = calloc(1, CS_HOST_NUMBER_STOCK);
	if (!s->sched || !s->settings)
		return cs_cmd_bad("%s: no memory", cmd);
	if (!cs_slurmconf_get(c, "SchedulerParameters", s->sched, SCHED_MAX))
		*s->sched = '\0';
	cs_host_number_stock(s->sched, s->settings, CS_HOST_NUMBER_STOCK);
	drop_set(s->settings, policy);
	s->state = calloc(1, STATE_MAX);
	if (s->state &&
	    !cs_slurmconf_get(c, "StateSaveLocation", s->state, STATE_MAX)) {
		free(s->state);
		s->state = NULL;
	}
	say(c->source, s->sched, s->settings, policy);
	return 0;
}

int cs_site_slurm_read(struct cs_site_slurm *s, const char *cmd,
		       const char *path, const char *policy)
{
	struct cs_slurmconf c;
	int rc = path ? cs_slurmconf_file(&c, path)
		      : cs_slurmconf_read(&c, ASK_S);

	*s = (struct cs_site_slurm){ NULL };
	if (rc == -ENOMEM)
		return cs_cmd_bad("%s: no memory", cmd);
	if (rc)
		return cs_cmd_bad("%s: '%.200s': %s, expected a slurm.conf",
				  cmd, path, strerror(-rc));
	if (c.source)
		rc = take_conf(s, cmd, policy, &c);
	cs_slurmconf_done(&c);
	return rc;
}

void cs_site_slurm_done(struct cs_site_slurm *s)
{
	free(s->sched);
	free(s->settings);
	free(s->state);
}
