/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters: a list of settings read, item by item, over the defaults of a host and a
 * preset.  Also copies and frees them.
 */
#include "params/host_number.h"
#include "params/params_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PREFIX_EDITS 2 /* of a misspelt prefix, at most */
#define KEY_EDITS 1    /* of a misspelt key after it */

/* What slurmctld only shows is left out of a simulation. */
static const char *default_of(size_t row, enum cs_param_host host)
{
	bool sim = host == CS_HOST_SIM ||
		   (host == CS_HOST_SIM_LIVE &&
		    (row == CS_ROW_mode || row == CS_ROW_learn));

	return sim ? cs_param_rows[row].sim : cs_param_rows[row].live;
}

const char *cs_params_default_policy(enum cs_param_host host)
{
	return default_of(CS_ROW_policy, host);
}

/* The table's defaults, before any preset. */
static int init_table(struct cs_params *p, enum cs_param_host host)
{
	int rc = 0;

	memset(p, 0, sizeof(*p));
	for (size_t i = 0; !rc && i < CS_N_PARAM; i++) {
		const struct cs_param_row *row = &cs_param_rows[i];
		const char *v = default_of(i, host);
		const struct cs_param_item it = { row->key, v, strlen(row->key),
						  strlen(v) };

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
		/* even after a failure: the rest must be ours to free */
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

/* A list that is being read. */
struct reading {
	struct cs_params p;
	enum cs_param_host host;
	const char *prefix;
	bool given[CS_N_PARAM];
	const char *at[CS_N_PARAM]; /* the item that gave it */
	struct cs_param_item policy;
	const char *before; /* the item before, if ours */
	size_t n_before;
};

/* Bytes of the first word of a key. */
static size_t word_len(const char *key, size_t n)
{
	size_t len = 0;

	while (len < n && key[len] != '_' && key[len] != '-')
		len++;
	return len;
}

/* A misspelling of the prefix before what could be one of our keys. */
static bool near_miss(const char *key, size_t n, const char *prefix)
{
	size_t word = cs_param_len(prefix, '_'), cut = word_len(key, n);
	const char *rest;
	char name[32];

	if (!word || word >= sizeof(name) || cut + 1 >= n ||
	    cs_param_slurms(key, n))
		return false;
	memcpy(name, prefix, word);
	name[word] = '\0';
	rest = key + cut + 1;
	n -= cut + 1;
	return cs_param_distance(key, cut, name) <= PREFIX_EDITS &&
	       cs_param_distance(rest, n, cs_param_nearest(rest, n)) <=
		       KEY_EDITS;
}

/* Is the item ours?  It starts with the prefix, or with a misspelling that differs in
 * case or in the '_' after it, or is close. */
static bool ours(const char *key, size_t n, const char *prefix)
{
	size_t len = strlen(prefix);

	if (len && prefix[len - 1] == '_')
		len--;
	return (n >= len && cs_param_same(key, prefix, len)) ||
	       near_miss(key, n, prefix);
}

/* Suggest what the key of @n bytes at @text is meant to be. */
static int refuse_key(const char *text, size_t n, const char *prefix,
		      struct cs_err *err)
{
	size_t from = strlen(prefix);

	if (from && (n < from || !cs_param_same(text, prefix, from - 1)))
		from = word_len(text, n) + 1;
	if (from > n)
		from = n;
	return cs_err_set(err, -EINVAL,
			  "unknown key '%.*s', expected one of "
			  "`cosched params`, perhaps '%s%s'",
			  cs_param_shown(n), text, prefix,
			  cs_param_nearest(text + from, n - from));
}

/* An item that is not ours: none of Slurm's begins with a digit, so "1,2" as a value
 * of ours is one that a comma has split. */
static int pass_item(struct reading *r, const char *text, size_t n,
		     struct cs_err *err)
{
	const char *before = r->before;

	r->before = NULL;
	if (!before || *text < '0' || *text > '9')
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%.*s' behind '%.*s' is no key: a comma ends the "
			  "value; expected '.' in a number, '+' in a list",
			  cs_param_shown(n), text, cs_param_shown(r->n_before),
			  before);
}

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A number with a comma, as some write one: the list has it as two items, of which the
 * second is digits.  Bytes of both as the user typed them; 0: it is none. */
static size_t with_comma(enum cs_param_kind kind, const char *text, size_t n)
{
	size_t from = n, end;

	if (kind != CS_PARAM_INT && kind != CS_PARAM_REAL)
		return 0;
	while (blank(text[from]))
		from++;
	if (text[from] != ',')
		return 0;
	do
		from++;
	while (blank(text[from]));
	for (end = from; text[end] >= '0' && text[end] <= '9'; end++)
		;
	return end > from && (!text[end] || text[end] == ',' ||
			      blank(text[end]))
		       ? end
		       : 0;
}

static int refuse_comma(const struct cs_param_item *it, size_t typed,
			enum cs_param_kind kind, struct cs_err *err)
{
	return cs_err_set(err, -EINVAL,
			  "'%.*s' is '%.*s', expected a %s: a comma ends the "
			  "value",
			  cs_param_shown(it->n_key), it->key,
			  cs_param_shown(typed), it->value,
			  kind == CS_PARAM_REAL ? "number with a point ('.')"
						: "whole number");
}

/* Read the item of @n bytes at @text. */
static int read_item(struct reading *r, const char *text, size_t n,
		     struct cs_err *err)
{
	size_t key = cs_param_len(text, '='), skip = strlen(r->prefix), typed;
	struct cs_param_item it;
	int row, rc;

	if (key > n)
		key = n;
	if (!ours(text, key, r->prefix))
		return pass_item(r, text, n, err);
	r->before = text;
	r->n_before = n;
	row = key >= skip && !memcmp(text, r->prefix, skip)
		      ? cs_param_find(text + skip, key - skip)
		      : -1;
	if (row < 0)
		return refuse_key(text, key, r->prefix, err);
	if (key == n)
		return cs_err_set(err, -EINVAL,
				  "'%.*s' has no value, expected '%.*s=VALUE'",
				  cs_param_shown(key), text,
				  cs_param_shown(key), text);
	if (r->given[row])
		return cs_err_set(err, -EINVAL,
				  "'%.*s' is given twice, expected once",
				  cs_param_shown(key), text);
	it = (struct cs_param_item){ text, text + key + 1, key, n - key - 1 };
	typed = with_comma(cs_param_rows[row].kind, it.value, it.n_value);
	if (typed) {
		r->before = NULL; /* what follows is told with this */
		return refuse_comma(&it, typed, cs_param_rows[row].kind, err);
	}
	rc = cs_param_set(&r->p, &cs_param_rows[row], &it,
			  r->host == CS_HOST_LIVE, err);
	if (rc)
		return rc;
	r->given[row] = true;
	r->at[row] = text;
	if (row == CS_ROW_policy)
		r->policy = it;
	return 0;
}

/* The item of the list at *at, without blanks, into *ret; returns its bytes. */
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

static int reading_init(struct reading *r, enum cs_param_host host,
			const char *prefix)
{
	memset(r, 0, sizeof(*r));
	r->host = host;
	r->prefix = prefix;
	r->policy = (struct cs_param_item){ "policy", "", 6, 0 };
	return init_table(&r->p, host);
}

/* Add to @err, of a rule about several keys, what the default policy is, if it is in force. */
static void hint_default(const struct reading *r,
			 const struct cs_param_check *c, struct cs_err *err)
{
	char text[CS_ERR_TEXT];

	if (!err || !c->across || r->given[CS_ROW_policy])
		return;
	snprintf(text, sizeof(text), "%s", err->text);
	cs_err_set(err, -EINVAL, "%.300s ('%spolicy' is %s unless it is set)",
		   text, r->prefix, cs_params_default_policy(r->host));
}

int cs_params_parse(struct cs_params *ret, enum cs_param_host host,
		    const char *list, const char *prefix, struct cs_err *err)
{
	return cs_params_parse_at(ret, host, NULL, list, prefix, err);
}

int cs_params_parse_at(struct cs_params *ret, enum cs_param_host host,
		       const char *sched, const char *list, const char *prefix,
		       struct cs_err *err)
{
	struct cs_param_check check = { 0 };
	struct reading r;
	int rc = reading_init(&r, host, prefix);

	if (rc)
		return rc;
	while (!rc && *list) {
		const char *text;
		size_t n = next_item(&list, &text);

		if (n)
			rc = read_item(&r, text, n, err);
	}
	if (!rc)
		rc = cs_param_preset(&r.p, r.given, &r.policy, err);
	if (!rc)
		rc = cs_param_check(&r.p, host, prefix, &check, err);
	if (rc == -EINVAL)
		hint_default(&r, &check, err);
	if (rc) {
		cs_params_done(&r.p);
		return rc;
	}
	if (host == CS_HOST_SIM_LIVE)
		cs_host_number_take(&r.p, sched);
	*ret = r.p;
	return 0;
}

int cs_params_item(enum cs_param_host host, const char *item,
		   const char *prefix, struct cs_err *err)
{
	struct cs_param_check check = { .alone = true };
	struct reading r;
	int rc = reading_init(&r, host, prefix);

	if (rc)
		return rc;
	rc = read_item(&r, item, strlen(item), err);
	if (!rc)
		rc = cs_param_preset(&r.p, r.given, &r.policy, err);
	if (!rc)
		rc = cs_param_check(&r.p, host, prefix, &check, err);
	cs_params_done(&r.p);
	return rc;
}

void cs_params_renamed(const char *list, const char *prefix,
		       void (*tell)(void *arg, size_t at, const char *text),
		       void *arg)
{
	const char *from = list, *text;
	size_t skip = strlen(prefix);
	struct cs_err err;

	while (*from) {
		size_t n = next_item(&from, &text),
		       key = cs_param_len(text, '=');
		int row;

		if (key > n || key < skip || memcmp(text, prefix, skip))
			continue;
		row = cs_param_find(text + skip, key - skip);
		if (row < 0 || cs_param_is(text + skip, key - skip,
					   cs_param_rows[row].key))
			continue;
		cs_err_set(
			&err, 0,
			"'%.*s' is the old name of %s%s: the next release refuses it",
			(int)key, text, prefix, cs_param_rows[row].key);
		tell(arg, (size_t)(text - list), err.text);
	}
}

/* Is @row a list whose items are no partitions?  Who knows the partitions judges those. */
static bool is_list(int row)
{
	return row == CS_ROW_learn_accounts || row == CS_ROW_slice_shares;
}

/* The row of the item of @n bytes at @text, with @key bytes of a key of ours behind
 * @prefix; -1: none. */
static int row_of(const char *text, size_t key, const char *prefix)
{
	size_t skip = strlen(prefix);

	return key > skip && !memcmp(text, prefix, skip)
		       ? cs_param_find(text + skip, key - skip)
		       : -1;
}

void cs_params_passed_over(const char *list, const char *prefix,
			   void (*tell)(void *arg, size_t at, const char *text),
			   void *arg)
{
	const char *from = list, *text, *split = NULL;
	size_t n_split = 0;
	struct cs_err err;

	while (*from) {
		size_t n = next_item(&from, &text), key;
		int row;

		key = cs_param_len(text, '=');
		if (key > n)
			key = n;
		if (!n || cs_param_slurms(text, key) ||
		    ours(text, key, prefix) || (*text >= '0' && *text <= '9')) {
			split = n && is_list(row_of(text, key, prefix)) ? text
									: NULL;
			n_split = n;
			continue;
		}
		row = cs_param_meant(text, key);
		if (row >= 0 && !(split && key == n)) {
			cs_err_set(&err, 0,
				   "unknown key '%.*s', expected '%s%s%s'",
				   cs_param_shown(key), text, prefix,
				   cs_param_rows[row].key,
				   key < n ? "" : "=VALUE");
			split = NULL;
		} else if (split) {
			cs_err_set(&err, 0,
				   "'%.*s' behind '%.*s' is no key: a comma "
				   "ends the value; expected '+' in a list",
				   cs_param_shown(n), text,
				   cs_param_shown(n_split), split);
		} else {
			continue;
		}
		tell(arg, (size_t)(text - list), err.text);
	}
}

/* The preset, and what keys require of each other; @n errors were reported. */
static int tell_rest(struct reading *r, const char *list, int n,
		     void (*tell)(void *arg, size_t at, const char *text),
		     void *arg)
{
	const char *at = r->at[CS_ROW_policy];
	struct cs_err err;
	struct cs_param_check check = { 0 };
	int rc = cs_param_preset(&r->p, r->given, &r->policy, &err);

	if (rc == -EINVAL) {
		n++;
		tell(arg, at ? (size_t)(at - list) : 0, err.text);
	}
	check.alone = n;
	while (rc != -ENOMEM) {
		rc = cs_param_check(&r->p, r->host, r->prefix, &check, &err);
		if (!rc)
			return n;
		hint_default(r, &check, &err);
		at = r->at[check.row];
		n++;
		tell(arg, at ? (size_t)(at - list) : 0, err.text);
	}
	return rc;
}

int cs_params_errors(enum cs_param_host host, const char *list,
		     const char *prefix,
		     void (*tell)(void *arg, size_t at, const char *text),
		     void *arg)
{
	const char *from = list, *text;
	struct cs_err err;
	struct reading r;
	int n = 0, rc = reading_init(&r, host, prefix);

	if (rc)
		return rc;
	while (rc != -ENOMEM && *from) {
		size_t len = next_item(&from, &text);

		rc = len ? read_item(&r, text, len, &err) : 0;
		if (rc != -EINVAL)
			continue;
		n++;
		tell(arg, (size_t)(text - list), err.text);
	}
	if (rc != -ENOMEM)
		rc = tell_rest(&r, list, n, tell, arg);
	cs_params_done(&r.p);
	return rc;
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

const char *cs_params_no_slices(struct cs_params *p)
{
	const char *was = cs_params_slice_name((enum cs_slice)p->slice);

	p->slice = CS_SLICE_NONE;
	return was;
}
