/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin's status as a page of metrics. */
#ifndef CS_COSCHED_EXPORTER_PAGE_H
#define CS_COSCHED_EXPORTER_PAGE_H

#include <json-c/json.h>

#define CS_PAGE_TYPE \
	"application/openmetrics-text; version=1.0.0; charset=utf-8"

/*
 * The page in OpenMetrics 1.0 after the plugin's answer @status to "status" (NULL:
 * nobody answers, cosched_up is 0 and stands alone).  A number that the answer lacks,
 * or has as something else, is left out with its name.  The caller frees the text;
 * NULL: no memory.
 */
char *cs_page(struct json_object *status);

#endif
