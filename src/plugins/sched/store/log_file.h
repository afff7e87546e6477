/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log as a file: append, cut, rotate.
 *
 * Every opening (start, restart, rotation) first cuts a partial last line and then asks
 * the owner for what a reader needs to start afresh: the header and the current state.
 * Rotation moves FILE to FILE.1, FILE.1 to FILE.2 and so on.
 *
 * A failing disk never stops scheduling: the first error is reported to the owner once,
 * lines are dropped (the file still holds only whole lines), and the file is opened
 * again after a minute, with a header.
 *
 * A disk may be slow, so lines that come while slurmctld's locks are held are collected
 * and written when they are released: between cs_logfile_hold() and
 * cs_logfile_release() nothing touches the file.  No Slurm here.
 */
#ifndef CS_SCHED_STORE_LOG_FILE_H
#define CS_SCHED_STORE_LOG_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

#define CS_LOGFILE_HELD_MAX (8 * 1024 * 1024) /* bytes collected, at most */

struct cs_logfile;

struct cs_logfile_owner {
	void *arg;
	/* The file was opened: write header and state by cs_logfile_write(). */
	void (*opened)(void *arg, struct cs_logfile *log);
	/* One line for the administrator: something failed, or works again. */
	void (*said)(void *arg, const char *text);
};

/*
 * Log to @path, rotating at @max_mb (0: never) and keeping @keep old files.
 * NULL with @err: not an absolute path, or no memory.  The first cs_logfile_ready()
 * opens the file; failure is reported, not returned.
 */
struct cs_logfile *cs_logfile_create(const char *path, int64_t max_mb,
				     int64_t keep,
				     const struct cs_logfile_owner *owner,
				     struct cs_err *err);
void cs_logfile_free(struct cs_logfile *log);

/*
 * Call before the lines of an event or a cycle: opens the file, rotates, or
 * tries again after an error, whichever is due at @now_s (any monotonic clock).
 * owner->opened() is only called from here.
 */
void cs_logfile_ready(struct cs_logfile *log, int64_t now_s);

/* For owner->opened(): NULL, nothing was written before; "rotation", everything was;
 * "loss", lines were dropped. */
const char *cs_logfile_after(const struct cs_logfile *log);

/* The next cs_logfile_ready() opens it again, with a header. */
void cs_logfile_close(struct cs_logfile *log);

/* Append whole lines, the last with its '\n'.  Dropped while there is an error. */
void cs_logfile_write(struct cs_logfile *log, const char *lines, size_t len);

/*
 * Collect lines from now on; write the collected lines, in order, and stop collecting.
 * @log may be NULL.  Lines that do not fit, or for which there is no memory, are lost:
 * this is reported, and the next cs_logfile_ready() opens the file again, so that a
 * reader starts afresh.
 */
void cs_logfile_hold(struct cs_logfile *log);
void cs_logfile_release(struct cs_logfile *log);

/* "" while all is well, else the last error. */
const char *cs_logfile_trouble(const struct cs_logfile *log);

#endif
