/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SchedulerParameters of a site and ours in one list.
 */
#ifndef CS_COSCHED_CONF_MERGE_LIST_H
#define CS_COSCHED_CONF_MERGE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* The value of @key in @list, to @buf; false: not there, or too long. */
bool cs_merge_list_get(const char *list, const char *key, char *buf,
		       size_t size);

/*
 * @site ("key=value,key,...") without the keys that @ours sets, then @ours.
 * Either may be "".  The caller frees the result; NULL: no memory.
 */
char *cs_merge_list(const char *site, const char *ours);

/* @site without the items whose key begins with @prefix; as above. */
char *cs_merge_list_without(const char *site, const char *prefix);

#endif
