/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that may be packed, read unpacked.
 *
 * gzip, xz and zstd are recognised by their first bytes, whatever the file's
 * name; anything else is read as it is.  Several packed parts in a row are read
 * as one.
 */
#ifndef CS_UNPACK_H
#define CS_UNPACK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/err.h"

struct cs_unpack;

/*
 * Begin to read @file, which is borrowed until cs_unpack_close().
 * 0; -ENOTSUP: packed in a way that this build has no library for; -ENOMEM;
 * another negative errno: it cannot be read.  @err then has a line without the
 * file's name.
 */
int cs_unpack_open(struct cs_unpack **ret, FILE *file, struct cs_err *err);

/*
 * Up to @size (> 0) bytes to @buf.  Returns how many, 0 at the end; -EINVAL:
 * the packed data is broken or cut off; -ENOMEM; another negative errno.
 */
int64_t cs_unpack_read(struct cs_unpack *u, void *buf, size_t size,
		       struct cs_err *err);

void cs_unpack_close(struct cs_unpack *u); /* NULL too */

#endif
