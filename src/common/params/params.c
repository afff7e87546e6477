/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters: a list of settings read, item by item, over the defaults of a
 * host and a preset.  Their copies and their end.
 */
#include "params/params_parts.h"

#include <errno.h>
#include <stdlib.h>

static const char *default_of(size_t row, enum cs_param_host host)
{
	bool sim = host == CS_HOST_SIM ||
		   (host == CS_HOST_SIM_LIVE && row == CS_ROW_mode);

	return sim ? cs_param_rows[row].sim : cs_param_rows[row].live;
}

/* The table's defaults, before any preset. */
static int init_table(struct cs_params *p, enum cs_param_host host)
{
	int rc = 0;

	memset(p, 0, sizeof(*p));
	for (size_t i = 0; !rc && i < CS_N_PARAM; i++) {
		const struct cs_param_row *row = &cs_param_rows[i];
		const char *v = default_of(i, host);
		const struct cs_param_item it = { row->key, v,
						  strlen(row->key), strlen(v) };

		rc = cs_param_set(p, row, &it, true, NULL);
	}
	if (rc)
		cs_params_done(p);
	return rc;
}

int cs_params_init(struct cs_params *p, enum cs_param_host host)
{
	const bool given[CS_N_PARAM] = { false };
	const struct cs_param_item it = { "policy", "", 6, 0 };
	int rc = init_table(p, host);

	if (!rc) {
		rc = cs_param_preset(p, given, &it, NULL);
		if (rc)
			cs_params_done(p);
	}
	return rc;
}

void cs_params_done(struct cs_params *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < CS_N_PARAM; i++) {
		char **field;

		if (cs_param_rows[i].kind != CS_PARAM_TEXT)
			continue;
		field = (char **)(void *)((char *)p + cs_param_rows[i].offset);
		free(*field);
		*field = NULL;
	}
}

int cs_params_copy(struct cs_params *to, const struct cs_params *from)
{
	struct cs_params p = *from;
	bool nomem = false;

	for (size_t i = 0; i < CS_N_PARAM; i++) {
		char **field;

		if (cs_param_rows[i].kind != CS_PARAM_TEXT)
			continue;
		field = (char **)(void *)((char *)&p + cs_param_rows[i].offset);
		if (!*field)
			continue;
		/* also after a failure: what is left must be ours to free */
		*field = nomem ? NULL : strdup(*field);
		nomem |= !*field;
	}
	if (nomem) {
		cs_params_done(&p);
		return -ENOMEM;
	}
	*to = p;
	return 0;
}

/* ---- lists --------------------------------------------------------------- */

/* Whether the item is ours: it starts with the prefix, or with a misspelling
 * of it that differs in case or in the '_' behind it. */
static bool ours(const char *key, size_t n, const char *prefix)
{
	size_t len = strlen(prefix);

	if (len && prefix[len - 1] == '_')
		len--;
	return n >= len && cs_param_same(key, prefix, len);
}

/* Read the item of @n bytes at @text into @p. */
static int read_item(struct cs_params *p, bool *given,
		     struct cs_param_item *policy, const char *text, size_t n,
		     const char *prefix, bool live, struct cs_err *err)
{
	size_t key = cs_param_len(text, '='), skip = strlen(prefix);
	struct cs_param_item it;
	int row, rc;

	if (key > n)
		key = n;
	if (!ours(text, key, prefix))
		return 0;
	row = key >= skip && !memcmp(text, prefix, skip)
		      ? cs_param_find(text + skip, key - skip)
		      : -1;
	if (row < 0) {
		size_t from = key < skip ? key : skip;

		return cs_err_set(err, -EINVAL,
				  "unknown key '%.*s', expected one of "
				  "`cosched params`, perhaps '%s%s'",
				  cs_param_shown(key), text, prefix,
				  cs_param_nearest(text + from, key - from));
	}
	if (key == n)
		return cs_err_set(err, -EINVAL,
				  "'%.*s' has no value, expected '%.*s=VALUE'",
				  cs_param_shown(key), text,
				  cs_param_shown(key), text);
	if (given[row])
		return cs_err_set(err, -EINVAL,
				  "'%.*s' is given twice, expected once",
				  cs_param_shown(key), text);
	it = (struct cs_param_item){ text, text + key + 1, key, n - key - 1 };
	rc = cs_param_set(p, &cs_param_rows[row], &it, live, err);
	if (rc)
		return rc;
	given[row] = true;
	if (row == CS_ROW_policy)
		*policy = it;
	return 0;
}

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The item of @list behind @at without blanks, in @ret; how many bytes. */
static size_t next_item(const char **at, const char **ret)
{
	size_t len = cs_param_len(*at, ','), n = len;

	*ret = *at;
	*at += len + ((*at)[len] == ',');
	for (; n && blank((*ret)[n - 1]); n--)
		;
	for (; n && blank(**ret); n--)
		(*ret)++;
	return n;
}

int cs_params_parse(struct cs_params *ret, enum cs_param_host host,
		    const char *list, const char *prefix, struct cs_err *err)
{
	struct cs_param_item policy = { "policy", "", 6, 0 };
	bool given[CS_N_PARAM] = { false };
	struct cs_params p;
	int rc = init_table(&p, host);

	if (rc)
		return rc;
	while (!rc && *list) {
		const char *text;
		size_t n = next_item(&list, &text);

		if (n)
			rc = read_item(&p, given, &policy, text, n, prefix,
				       host == CS_HOST_LIVE, err);
	}
	if (!rc)
		rc = cs_param_preset(&p, given, &policy, err);
	if (!rc)
		rc = cs_param_check(&p, host, prefix, err);
	if (rc) {
		cs_params_done(&p);
		return rc;
	}
	*ret = p;
	return 0;
}

bool cs_params_says_off(const char *list, const char *prefix)
{
	size_t skip = strlen(prefix), n;
	const char *text;
	bool off = false;

	while (*list) {
		n = next_item(&list, &text);
		if (n > skip + 5 && !memcmp(text, prefix, skip) &&
		    !memcmp(text + skip, "mode=", 5))
			off = cs_param_is(text + skip + 5, n - skip - 5, "off");
	}
	return off;
}
