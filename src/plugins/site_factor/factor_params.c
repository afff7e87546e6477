/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parameters of site_factor/ostrich, and the last good ones.
 */
#include "compat/slurm.h"

#include "factor_params.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does the key mean something when Slurm's own schedulers decide? */
static bool means(const char *key, size_t len)
{
	static const char *const keys[] = {
		"campaign",	 "think_s", "campaign_order", "shares",
		"campaign_hold", "lock_ms", "inside",	      "hold",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strlen(keys[i]) == len && !memcmp(keys[i], key, len))
			return true;
	return false;
}

static int check_keys(const char *text, struct cs_err *err)
{
	while (*text) {
		size_t len = strcspn(text, ",");

		if (len && !means(text, strcspn(text, "=,")))
			return cs_err_set(
				err, -EINVAL,
				"'%.*s': expected one of campaign, think_s, campaign_order, shares, campaign_hold=rank, lock_ms",
				(int)(len < 64 ? len : 64), text);
		text += len + (text[len] == ',');
	}
	return 0;
}

static int read_text(struct cs_params *p, const char *text, struct cs_err *err)
{
	size_t size = strlen(text) + sizeof("policy=ostrich-paper,");
	char *all = malloc(size);
	int rc = check_keys(text, err);

	if (rc || !all) {
		free(all);
		return rc ? rc : cs_err_set(err, -ENOMEM, "no memory");
	}
	snprintf(all, size, "policy=ostrich-paper%s%s", *text ? "," : "", text);
	rc = cs_params_parse(p, CS_HOST_LIVE, all, "", err);
	free(all);
	if (rc)
		return rc;
	if (p->campaign_hold != CS_CAMPAIGN_HOLD_STRICT)
		return 0;
	cs_params_done(p);
	return cs_err_set(
		err, -EINVAL,
		"campaign_hold=strict: a factor holds no job back, expected campaign_hold=rank");
}

static void tell_old_name(void *arg, size_t at, const char *text)
{
	(void)arg;
	(void)at;
	info("cosched: PrioritySiteFactorParameters: %s", text);
}

bool cs_factor_params_read(struct cs_factor_params *p)
{
	const char *now = slurm_conf.site_factor_params ?: "";
	struct cs_params fresh = { 0 };
	struct cs_err err = { "no memory" };

	if (p->text && !strcmp(p->text, now))
		return false;
	free(p->text);
	p->text = strdup(now);
	if (read_text(&fresh, now, &err)) {
		error("cosched: PrioritySiteFactorParameters: %s: %s", err.text,
		      p->known ? "the last good ones stay in force"
			       : "the defaults are used");
		if (p->known || read_text(&fresh, "", &err))
			return false;
	}
	cs_params_renamed(now, "", tell_old_name, NULL);
	cs_params_done(&p->now);
	p->now = fresh;
	return p->known = true;
}

void cs_factor_params_done(struct cs_factor_params *p)
{
	cs_params_done(&p->now);
	free(p->text);
}
