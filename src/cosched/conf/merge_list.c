/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/merge_list.h"

#include <stdlib.h>
#include <string.h>

/* Append the @n bytes at @item, with a ',' where needed. */
static void append(char *list, const char *item, size_t n)
{
	size_t at = strlen(list);

	if (at)
		list[at++] = ',';
	memcpy(list + at, item, n);
	list[at + n] = '\0';
}

/* Is there an item in @list with the key of the @n bytes at @item? */
static bool has_key(const char *list, const char *item, size_t n)
{
	size_t key = strcspn(item, "=,");

	if (key > n)
		key = n;
	while (*list) {
		size_t len = strcspn(list, ",");

		if (strcspn(list, "=,") == key && !memcmp(list, item, key))
			return true;
		list += len + (list[len] == ',');
	}
	return false;
}

char *cs_merge_list(const char *site, const char *ours)
{
	char *list = calloc(1, strlen(site) + strlen(ours) + 2);

	if (!list)
		return NULL;
	while (*site) {
		size_t n = strcspn(site, ",");

		if (n && !has_key(ours, site, n))
			append(list, site, n);
		site += n + (site[n] == ',');
	}
	if (*ours)
		append(list, ours, strlen(ours));
	return list;
}

char *cs_merge_list_without(const char *site, const char *prefix)
{
	char *list = calloc(1, strlen(site) + 1);

	while (list && *site) {
		size_t n = strcspn(site, ",");

		if (n && strncmp(site, prefix, strlen(prefix)))
			append(list, site, n);
		site += n + (site[n] == ',');
	}
	return list;
}

bool cs_merge_list_get(const char *list, const char *key, char *buf,
		       size_t size)
{
	size_t k = strlen(key);

	for (; *list; list += *list == ',') {
		size_t n = strcspn(list, ",");

		if (n > k && list[k] == '=' && !memcmp(list, key, k)) {
			if (n - k > size)
				return false;
			memcpy(buf, list + k + 1, n - k - 1);
			buf[n - k - 1] = '\0';
			return true;
		}
		list += n;
	}
	return false;
}
