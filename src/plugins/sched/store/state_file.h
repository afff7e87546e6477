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
 * No Slurm here; the caller logs.
 */
#ifndef CS_SCHED_STORE_STATE_FILE_H
#define CS_SCHED_STORE_STATE_FILE_H

#include <stddef.h>

#include "common/base/err.h"

#define CS_STATE_FILE "cosched_state"	   /* of the sched plugin */
#define CS_STATE_LEARNED "cosched_learned" /* of the sched plugin */
#define CS_STATE_BEFORE ".before"
#define CS_STATE_BAD ".bad"
#define CS_STATE_GATE "cosched_gate"	 /* of the sched plugin: early.h */
#define CS_STATE_PARAMS "cosched_params" /* of the sched plugin: last_good.h */
#define CS_STATE_PROFILES "cosched_profiles" /* the same */
#define CS_STATE_SITES "cosched_sites" /* of the sched plugin: last_good.h */
#define CS_STATE_FACTOR "cosched_site_factor" /* of site_factor/ostrich */
#define CS_STATE_VERSION 1
#define CS_STATE_MAX (64 * 1024 * 1024) /* bytes of content */

/*
 * Write @len bytes at @data as the state @name in folder @dir: to a new file, fsync,
 * rename, fsync of the folder.  0 or a negative errno with @err.
 */
int cs_state_file_save(const char *dir, const char *name, const void *data,
		       size_t len, struct cs_err *err);

/* The same, and the file that it replaces is NAME.before then.  A crash may leave that
 * one alone. */
int cs_state_file_replace(const char *dir, const char *name, const void *data,
			  size_t len, struct cs_err *err);

/* The file @name is of no use now: let it be @as with @suffix. */
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

#endif
