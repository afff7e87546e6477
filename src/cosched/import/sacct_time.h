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
 * An instant in microseconds since 1970: YYYY-MM-DD[THH:MM[:SS[.S]]] (or a blank for the
 * T) of the local time zone, or with a zone behind it: Z, UTC, GMT, +HH[[:]MM], or the
 * local zone's own abbreviation; or the seconds themselves.  "Unknown", "None", "N/A" and
 * "": CS_IMPORT_NONE.  Of an hour that comes twice, when the clock is set back, it is the
 * first.  0, -EINVAL.
 */
int cs_import_instant(const char *text, int64_t *ret);

#define CS_IMPORT_FORMAT_MAX 64 /* bytes; Slurm takes 31 at most */

/* How the times of a text were written. */
struct cs_import_clock {
	const char *
		format; /* strftime(3)'s, of SLURM_TIME_FORMAT; NULL: none of its own */
	int64_t written_s; /* when, in seconds since 1970 */
};

/* What a time may mean: two instants, in order, if it is in an hour that comes twice. */
struct cs_import_times {
	int n; /* 0: CS_IMPORT_NONE */
	int64_t us[2];
};

/*
 * The same of a text with @clock: also in its format, where a missing year or day is that
 * of @written_s, or the year before if it would be later; and in the forms of
 * SLURM_TIME_FORMAT=relative, which count from that day: "HH:MM:SS", "Ystday HH:MM",
 * "Tomorr HH:MM", "Fri HH:MM" (of the coming days), "14 Nov HH:MM" (of the same year),
 * "14 Nov 2022".  Names of days and months are English, as Slurm sets no locale.
 */
int cs_import_times(const char *text, const struct cs_import_clock *clock,
		    struct cs_import_times *ret);

#endif
