/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of a sweep, which its command and the tasks of its job array share:
 *
 *	lock		held by the command that waits for the tasks
 *	work		what the tasks do: strings, each ended by a 0
 *	input.N		the input files, as they were
 *	task.sh		the array's script
 *	log.K		what task K printed; that it is there shows that the folder is shared
 *	run/N		the result of run N
 *
 * A result appears whole (rename(2)), with the sweep's name and a sum of its bytes, so
 * that a task that was killed, or that runs twice since its node was only thought lost,
 * leaves no wrong one.
 */
#ifndef CS_COSCHED_SWEEP_SWEEP_FILES_H
#define CS_COSCHED_SWEEP_SWEEP_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

/* FNV-1a of 64 bits, from CS_SWEEP_SUM on. */
#define CS_SWEEP_SUM UINT64_C(0xcbf29ce484222325)
uint64_t cs_sweep_sum(uint64_t sum, const void *data, size_t size);
/* The same of the bytes of file @path.  0; a negative errno with @err. */
int cs_sweep_sum_file(uint64_t *sum, const char *path, struct cs_err *err);

/* Copy @from to @to, whole or not at all; an existing @to stays.  0; a negative errno
 * with @err. */
int cs_sweep_copy(const char *from, const char *to, struct cs_err *err);
/* Write @data to @path, whole or not at all.  0; a negative errno with @err. */
int cs_sweep_write(const char *path, const void *data, size_t size,
		   struct cs_err *err);
/* All bytes of @path and a 0 behind them, which the caller frees.  0; a negative
 * errno. */
int cs_sweep_read(const char *path, char **ret, size_t *ret_size);

/* Write, and read, the result of run @n of the sweep @sum.  0; cs_sweep_put: a negative
 * errno with @err; cs_sweep_get: -ENOENT: there is none, or it is damaged and has been
 * removed. */
int cs_sweep_put(const char *folder, uint64_t sum, size_t n, const void *data,
		 size_t size, struct cs_err *err);
int cs_sweep_get(const char *folder, uint64_t sum, size_t n, void **ret,
		 size_t *ret_size);

/* Mark in @found [@n] the runs that have a file in the folder. */
void cs_sweep_found(const char *folder, bool *found, size_t n);

/* Make a shared file system show what is new in @folder: its copy of a directory is
 * renewed when it is changed here. */
void cs_sweep_renew(const char *folder);

/* Remove the folder and its files. */
void cs_sweep_remove(const char *folder);

#endif
