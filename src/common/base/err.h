/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of text about what went wrong, for a person.
 *
 * Functions that can fail because of input from a user, a file or Slurm return
 * 0 or a negative errno and take an optional last argument of this type.  The
 * text is lower case, without a full stop, names its subject in quotes and says
 * what was expected.
 */
#ifndef CS_BASE_ERR_H
#define CS_BASE_ERR_H

#define CS_ERR_TEXT 384

struct cs_err {
	char text[CS_ERR_TEXT]; /* always terminated; control bytes as '?' */
};

/*
 * Write a message to @err (may be NULL) and return @rc, so that a caller can
 * write: return cs_err_set(err, -EINVAL, "...").  Bytes outside printable ASCII
 * are replaced by '?': user strings are safe in a message.
 */
int cs_err_set(struct cs_err *err, int rc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));

#endif
