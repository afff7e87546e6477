/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The picture that `cosched top` shows, as text. */
#ifndef CS_COSCHED_TOP_TOP_PAGE_H
#define CS_COSCHED_TOP_TOP_PAGE_H

#include <json-c/json.h>

#define CS_TOP_COLUMNS_MIN 40
#define CS_TOP_ROWS_MIN 10

/*
 * The plugin's answer @o to "top" as at most @rows lines (rows 0: as many as there are)
 * of at most @columns bytes, each with '\n' behind it, printable ASCII alone.  The
 * caller frees it; NULL: no memory.
 */
char *cs_top_page(struct json_object *o, int columns, int rows);

#endif
