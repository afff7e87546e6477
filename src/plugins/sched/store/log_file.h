/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log as a file: append, cut, rotate.
 *
 * Every opening (start, restart, rotation) first cuts a partial last line and then asks
 * the owner for what a reader needs to start afresh: the header and the current state.
 * Rotation moves FILE to FILE.1, FILE.1 to FILE.2 and so on.  A file that somebody else
 * has renamed or removed, as logrotate does, is noticed within a second or two of
 * scheduling, and FILE is opened anew; until then lines go to the renamed one.  One that
 * another program has truncated in place (logrotate's copytruncate) is noticed by the
 * next lines: they are lost, the file begins anew, and the owner is told how to rotate.
 *
 * A failing or hanging disk never stops scheduling: another thread (resident/queue.h)
 * does all that touches the file.  The caller's lines are collected and passed on by
 * cs_logfile_flush(), which waits for them to be written while that takes milliseconds:
 * a killed slurmctld's log is in the file up to its last flush.
 *
 *	error	the first is reported to the owner once, lines are dropped (the file
 *		still holds only whole lines), and the file is opened again after a
 *		minute, with a header
 *	hang	lines wait in memory, CS_LOGFILE_WAITING_MAX bytes at most; then they are
 *		dropped, which is reported once, and when the others are written the file
 *		is opened again, with a header
 *
 * All calls are the owner's thread's.  No Slurm here.
 */
#ifndef CS_SCHED_STORE_LOG_FILE_H
#define CS_SCHED_STORE_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

#define CS_LOGFILE_WAITING_MAX (64 * 1024 * 1024)

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
/* What was written is passed on, and not waited for. */
void cs_logfile_free(struct cs_logfile *log);

/*
 * Call before the lines of an event or a cycle: opens the file, rotates, or
 * tries again after an error, whichever is due at @now_s (any monotonic clock).
 * owner->opened() is only called from here; if the file takes longer than half a second
 * to open, by a later call.
 */
void cs_logfile_ready(struct cs_logfile *log, int64_t now_s);

/* For owner->opened(): NULL, nothing was written before; "rotation", everything was;
 * "loss", lines were dropped, or another program removed the file they were in. */
const char *cs_logfile_after(const struct cs_logfile *log);

/* Append whole lines, the last with its '\n'.  Dropped while there is an error. */
void cs_logfile_write(struct cs_logfile *log, const char *lines, size_t len);

/* Pass what was written on to the file.  Waits for it, CS_LOGFILE_WAIT_US at most, and
 * not at all while an earlier such wait was in vain.  Call it without locks; @log may be
 * NULL. */
#define CS_LOGFILE_WAIT_US INT64_C(50000)
void cs_logfile_flush(struct cs_logfile *log);

/* "" while all is well, else the last error and when the file is tried again, as of
 * @now_s (cs_logfile_ready()'s clock), or since when it hangs. */
const char *cs_logfile_trouble(struct cs_logfile *log, int64_t now_s);

/* Wait until all logs are written, at most @us.  False: some lines are not. */
bool cs_logfile_finish(int64_t us);

#endif
