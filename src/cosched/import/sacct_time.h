/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times as sacct prints them. */
#ifndef CS_COSCHED_IMPORT_SACCT_TIME_H
#define CS_COSCHED_IMPORT_SACCT_TIME_H

#include <stdint.h>

#define CS_IMPORT_NONE INT64_MIN /* explicitly no such time */

/*
 * A length of time in microseconds: [D-]HH:MM:SS, MM:SS (each perhaps with a
 * fraction), D-HH[:MM].  0; -EINVAL: none of these, negative, or longer than a
 * trace's times.  *ret is written only on success.
 */
int cs_import_elapsed(const char *text, int64_t *ret);

/* The same, or "UNLIMITED", "Partition_Limit", "INVALID" and "": CS_IMPORT_NONE. */
int cs_import_limit(const char *text, int64_t *ret);

/* The same in whole numbers of @unit_us microseconds; text as above. */
int cs_import_count(const char *text, int64_t unit_us, int64_t *ret);

/*
 * An instant in microseconds since 1970: YYYY-MM-DD[THH:MM[:SS]] of the local
 * time zone, or the seconds themselves; "Unknown", "None", "N/A" and "":
 * CS_IMPORT_NONE.  0, -EINVAL.
 */
int cs_import_instant(const char *text, int64_t *ret);

#endif
