/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/replay_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int cs_replay_reader_init(struct cs_replay_reader *r, FILE *file)
{
	memset(r, 0, sizeof(*r));
	cs_lines_init(&r->in, file);
	r->reader = cs_logread_create();
	return r->reader ? 0 : -ENOMEM;
}

void cs_replay_reader_done(struct cs_replay_reader *r)
{
	cs_replay_line_done(&r->ahead);
	cs_logread_free(r->reader);
	cs_lines_done(&r->in);
}

void cs_replay_line_done(struct cs_replay_line *x)
{
	if (!x->text)
		return;
	cs_log_line_done(&x->l);
	free(x->text);
	x->text = NULL;
}

static int read_one(struct cs_replay_reader *r, struct cs_err *err)
{
	struct cs_replay_line *x = &r->ahead;
	struct cs_err why;
	int rc = cs_logread_line(r->reader, r->in.text, r->in.len, &x->l, &why);

	if (rc == -EINVAL || rc == -EPROTO)
		return cs_err_set(err, -EINVAL, "line %" PRIu64 ": %s",
				  r->in.line, why.text);
	if (rc)
		return rc;
	x->number = r->in.line;
	x->text = strdup(r->in.text);
	if (x->text)
		return 0;
	cs_log_line_done(&x->l);
	return -ENOMEM;
}

int cs_replay_peek(struct cs_replay_reader *r,
		   const struct cs_replay_line **ret, struct cs_err *err)
{
	int got, rc;

	*ret = NULL;
	if (!r->ahead.text) {
		got = cs_lines_next(&r->in);
		if (got == -E2BIG)
			return cs_err_set(err, -EINVAL,
					  "line %" PRIu64
					  ": too long, expected "
					  "at most %u bytes",
					  r->in.line, CS_LINE_MAX);
		if (got <= 0)
			return got;
		rc = read_one(r, err);
		if (rc)
			return rc;
	}
	*ret = &r->ahead;
	return 0;
}

struct cs_replay_line cs_replay_take(struct cs_replay_reader *r)
{
	struct cs_replay_line x = r->ahead;

	r->ahead.text = NULL;
	return x;
}
