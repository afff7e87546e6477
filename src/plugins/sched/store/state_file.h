/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own state, kept in StateSaveLocation across restart, kill -9, reconfigure
 * and failover.
 *
 * The content is the caller's and is not examined here.  The file is
 *
 *	cosched-state VERSION BYTES CRC32\n	one line, then BYTES bytes
 *
 * and is replaced as a whole: a reader finds the old one or the new one.  All of it can
 * be rebuilt, so a bad file costs the past, never the start.
 *
 * Nobody waits for a write: the folder may hang.  What is put is written by another
 * thread (resident/queue.h), in the order of the first puts; a file that is put again
 * meanwhile is written once, with its last content.  From the first load or put to
 * cs_state_file_end() the content is known, and not read from the disk.
 *
 * No Slurm here; the caller logs.  Thread safe.
 */
#ifndef CS_SCHED_STORE_STATE_FILE_H
#define CS_SCHED_STORE_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

#define CS_STATE_FILE "cosched_state"	       /* of the sched plugin */
#define CS_STATE_LEARNED "cosched_learned"     /* of the sched plugin */
#define CS_STATE_ESTIMATES "cosched_estimates" /* of the sched plugin */
#define CS_STATE_BEFORE ".before"
#define CS_STATE_BAD ".bad"
#define CS_STATE_GATE "cosched_gate"	 /* of the sched plugin: early.h */
#define CS_STATE_PARAMS "cosched_params" /* of the sched plugin: last_good.h */
#define CS_STATE_PROFILES "cosched_profiles" /* the same */
#define CS_STATE_SITES "cosched_sites" /* of the sched plugin: last_good.h */
#define CS_STATE_FALLBACK \
	"cosched_fallback" /* of the sched plugin: fallback.h */
#define CS_STATE_FACTOR "cosched_site_factor" /* of site_factor/ostrich */
#define CS_STATE_VERSION 1
#define CS_STATE_MAX (64 * 1024 * 1024) /* bytes of content */

/*
 * The state @name of folder @dir is to be the @len bytes at @data, which the call takes
 * over (malloc): a new file, fsync, rename, fsync of the folder.  If it is so already,
 * nothing is written.
 */
void cs_state_file_put(const char *dir, const char *name, char *data,
		       size_t len);

/* The same, and the file that it replaces is NAME.before then.  A crash may leave that
 * one alone. */
void cs_state_file_replace(const char *dir, const char *name, char *data,
			   size_t len);

/* There is to be no such state. */
void cs_state_file_remove(const char *dir, const char *name);

/*
 * What could not be written, or removed, is tried again if that is due at @now_us
 * (cs_gate_now_us()): 5 s after the first failure of a file, then after pauses that
 * double up to a minute.
 */
void cs_state_file_again(int64_t now_us);

/* How the last write (or removal) of the state @name ended: 0, also if there was none,
 * or a negative errno with @err. */
int cs_state_file_result(const char *dir, const char *name, struct cs_err *err);

/* Wait until all that was put is written, at most @us.  False: some is not. */
bool cs_state_file_wait(int64_t us);

/* How long the write that is under way has taken; 0: none is. */
int64_t cs_state_file_hangs_us(void);

/*
 * The end of a plugin: wait as above, then forget all contents.  False: what is not
 * begun will not be written: a slurmctld that takes over may write by then.
 */
bool cs_state_file_end(int64_t us);

/* The file @name is of no use now: let it be @as with @suffix, before anything else is
 * written. */
void cs_state_file_set_aside(const char *dir, const char *name, const char *as,
			     const char *suffix);

/*
 * Read the state @name of folder @dir; the caller frees *ret_data, which ends in a 0
 * byte not counted in *ret_len.  0; -ENOENT: none; -EBADMSG: a bad one (truncated,
 * garbage, other version), now called NAME.bad, with @err; another negative errno with
 * @err.
 */
int cs_state_file_load(const char *dir, const char *name, char **ret_data,
		       size_t *ret_len, struct cs_err *err);

/* The same from the disk, whatever is known, and without knowing it afterwards: for a
 * slurmctld that is not in service, and stands beside one that writes. */
int cs_state_file_read(const char *dir, const char *name, char **ret_data,
		       size_t *ret_len, struct cs_err *err);

#endif
