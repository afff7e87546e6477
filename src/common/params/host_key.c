/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters: Slurm's own keys. */
#include "params/host_key.h"

#include <inttypes.h>
#include <stdio.h>

#include "params/host_key_list.h"
#include "params/host_number.h"
#include "params/params_parts.h"

#define TEXT_BYTES 512 /* of a line told */
#define ITEM_BYTES 64  /* of an item in it */

#define CS_HOST_KEY_ROW(l, k, r, c, ts, tx) \
	{ .list = CS_HOST_LIST_##l,         \
	  .release = CS_HOST_##r,           \
	  .care = CS_HOST_##c,              \
	  .key = k,                         \
	  .test = ts,                       \
	  .text = tx },

static const struct cs_host_key rows[] = { CS_HOST_KEY_TABLE(CS_HOST_KEY_ROW) };
#define ROWS (sizeof(rows) / sizeof(rows[0]))

const struct cs_host_key *cs_host_key_rows(size_t *ret_n)
{
	*ret_n = ROWS;
	return rows;
}

const struct cs_host_key *cs_host_key_find(enum cs_host_list list,
					   const char *key, size_t n)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].list == list &&
		    cs_param_len(rows[i].key, '=') == n &&
		    cs_param_same(key, rows[i].key, n))
			return &rows[i];
	return NULL;
}

static bool holds(const char *text, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= n; i++)
		if (cs_param_same(text + i, word, len))
			return true;
	return false;
}

const struct cs_host_key *cs_host_key_inside(const char *text, size_t n)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].list == CS_HOST_LIST_SCHED &&
		    holds(text, n, rows[i].key))
			return &rows[i];
	return NULL;
}

/* Names of the lists, and whether every item of theirs has a row. */
static const struct {
	const char *name;
	bool whole;
} lists[CS_HOST_LISTS] = {
	[CS_HOST_LIST_SCHED] = { "SchedulerParameters", true },
	[CS_HOST_LIST_PREEMPT] = { "PreemptParameters", true },
	[CS_HOST_LIST_CTLD] = { "SlurmctldParameters", false },
	[CS_HOST_LIST_TOPOLOGY] = { "TopologyParam", true },
};

const char *cs_host_key_name(enum cs_host_list list)
{
	return lists[list].name;
}

/* The @n bytes at @text, as they can be shown. */
static void show(const char *text, size_t n, char *buf)
{
	size_t i;

	for (i = 0; i < n && i + 1 < ITEM_BYTES; i++)
		buf[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f
				 ? '?'
				 : text[i];
	buf[i] = '\0';
}

/* The line on the item of @n bytes at @text, whose key has @key bytes, if Slurm cannot read
 * its number; @value is all of the list. */
static bool line_on_number(const char *value, const char *text, size_t n,
			   size_t key, char *ret)
{
	const struct cs_host_number *row = cs_host_number_find(text, key);
	char name[ITEM_BYTES], is[ITEM_BYTES] = "", range[ITEM_BYTES];

	if (!row || (key < n &&
		     !cs_host_number_wrong(row, text + key + 1, n - key - 1)))
		return false;
	show(text, key, name);
	if (key < n)
		show(text + key + 1, n - key - 1, is);
	snprintf(range, sizeof(range),
		 "a whole number from %" PRId64 " to %" PRId64 "%s%s",
		 row->least, row->most, *row->unit ? " " : "", row->unit);
	if (key < n)
		snprintf(ret, TEXT_BYTES,
			 "SchedulerParameters: %s is '%s', expected %s; %s "
			 "takes %" PRId64,
			 name, is, range, row->who,
			 cs_host_number(value, row->key));
	else
		snprintf(ret, TEXT_BYTES,
			 "SchedulerParameters: %s has no value, expected "
			 "'%sN', N %s; %s takes %" PRId64,
			 name, row->key, range, row->who,
			 cs_host_number(value, row->key));
	return true;
}

/* The line on the item of @n bytes at @text, whose key has @key bytes; false: there is
 * nothing to say. */
static bool line_on(enum cs_host_list list, const char *text, size_t n,
		    size_t key, const char *prefix, char *ret)
{
	const struct cs_host_key *row = cs_host_key_find(list, text, key);
	const char *name = lists[list].name;
	int ours = list == CS_HOST_LIST_SCHED ? cs_param_meant(text, key) : -1;
	char item[ITEM_BYTES];

	if (!row && list == CS_HOST_LIST_SCHED)
		row = cs_host_key_inside(text, n); /* as Slurm looks for it */
	show(text, key, item);
	if (row && row->care == CS_HOST_NOT)
		snprintf(ret, TEXT_BYTES,
			 "%s: %s is not honoured in mode act. %s", name, item,
			 row->text);
	else if (row || !lists[list].whole)
		return false;
	else if (ours >= 0)
		snprintf(ret, TEXT_BYTES,
			 "%s: '%s' counts for nothing, expected '%s%s'", name,
			 item, prefix, cs_param_rows[ours].key);
	else
		snprintf(ret, TEXT_BYTES,
			 "%s: '%s' is no key of Slurm's that cosched knows: it "
			 "is not honoured in mode act",
			 name, item);
	return true;
}

void cs_host_key_tell(enum cs_host_list list, const char *value,
		      const char *prefix,
		      void (*tell)(void *arg, size_t at, const char *text),
		      void *arg)
{
	size_t skip = strlen(prefix);
	char text[TEXT_BYTES];

	for (const char *at = value; at && *at;) {
		size_t len = cs_param_len(at, ','), n = len, key;
		const char *item = at;

		for (; n && strchr(" \t\r\n", *item); n--)
			item++;
		for (; n && strchr(" \t\r\n", item[n - 1]); n--)
			;
		key = cs_param_len(item, '=');
		if (key > n)
			key = n;
		if (n && !(n >= skip && cs_param_same(item, prefix, skip)) &&
		    ((list == CS_HOST_LIST_SCHED &&
		      line_on_number(value, item, n, key, text)) ||
		     line_on(list, item, n, key, prefix, text)))
			tell(arg, (size_t)(item - value), text);
		at += len + (at[len] == ',');
	}
}
