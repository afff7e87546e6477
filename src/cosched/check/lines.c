/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

void cs_lines_init(struct cs_lines *l, FILE *file)
{
	memset(l, 0, sizeof(*l));
	l->file = file;
}

void cs_lines_done(struct cs_lines *l)
{
	free(l->text);
	l->text = NULL;
}

/* Room for one byte more and the 0. */
static int grow(struct cs_lines *l)
{
	return cs_array_room(&l->text, &l->size, l->len + 2);
}

int cs_lines_next(struct cs_lines *l)
{
	size_t seen = 0;
	int c, rc;

	l->len = 0;
	rc = grow(l);
	if (rc)
		return rc;
	errno = 0;
	while ((c = getc_unlocked(l->file)) != EOF && c != '\n') {
		if (++seen > CS_LINE_MAX)
			continue;
		rc = grow(l);
		if (rc)
			return rc;
		l->text[l->len++] = (char)c;
	}
	l->text[l->len] = '\0';
	if (c == EOF && ferror(l->file))
		return errno ? -errno : -EIO;
	if (c == EOF && !seen)
		return 0;
	if (!l->line++ && l->len >= 3 && !memcmp(l->text, "\xef\xbb\xbf", 3)) {
		l->len -= 3; /* a byte order mark */
		memmove(l->text, l->text + 3, l->len + 1);
	}
	return seen > CS_LINE_MAX ? -E2BIG : 1;
}
