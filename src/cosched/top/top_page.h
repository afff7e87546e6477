/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen of `cosched top`, as text. */
#ifndef CS_COSCHED_TOP_TOP_PAGE_H
#define CS_COSCHED_TOP_TOP_PAGE_H

#include <json-c/json.h>

#define CS_TOP_COLUMNS_MIN 40
#define CS_TOP_ROWS_MIN 10

/*
 * Format the plugin's answer @o to "top" as at most @rows lines (0: any number) of at
 * most @columns bytes (0: any number), each ending with '\n', in printable ASCII.  The caller frees it;
 * NULL: no memory.
 */
char *cs_top_page(struct json_object *o, int columns, int rows);

#endif
