/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that the settings name (profiles, sites), read on threads that may hang in it.
 *
 * They are often on another file system than slurm.conf, which may hang while slurmctld
 * does not.  The scheduling thread waits for a file a bounded time, and goes on with
 * what it has.
 *
 * The threads are detached, and may outlive the plugins that asked (resident/queue.h):
 * this file is in libcosched_plan.so, which is never unmapped.
 */
#ifndef CS_RESIDENT_READER_H
#define CS_RESIDENT_READER_H

#include <stddef.h>
#include <stdint.h>

#define CS_READER_MAX (16 * 1024 * 1024) /* bytes of a file */

/* A caller waits at most so long for a file. */
#define CS_READER_PATIENCE_US INT64_C(2000000)

/*
 * The file at @path, with a 0 appended that is not counted in *@ret_len; the caller
 * frees it.
 *
 * 0, or a negative errno: -EFBIG beyond CS_READER_MAX; -ETIMEDOUT without an answer for
 * CS_READER_PATIENCE_US, and at once while an earlier call for the same path still
 * hangs.  When a file that was given up does answer, there is a wake-up by
 * CS_WAKE_FILE: then the settings, and with them the file, are read again.
 *
 * Thread safe.
 */
int cs_reader_read(const char *path, char **ret, size_t *ret_len);

#endif
