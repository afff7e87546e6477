/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check/check_log.h"

#include <errno.h>

#include "check/lines.h"
#include "common/log/read_line.h"

static void report(struct cs_checklog *k, uint64_t line, const char *text)
{
	k->breaches++;
	if (k->breach)
		k->breach(k->arg, line, text);
}

/* One line; 0 or -EINVAL with @err, -ENOMEM. */
static int check_line(struct cs_checkstate *state, struct cs_logread *reader,
		      const struct cs_lines *in, struct cs_err *err)
{
	struct cs_log_line l;
	int rc = cs_logread_line(reader, in->text, in->len, &l, err);

	if (rc == -EPROTO)
		cs_checkstate_lost(state);
	if (rc)
		return rc == -ENOMEM ? rc : -EINVAL;
	rc = cs_checkstate_line(state, in->line, &l, err);
	cs_log_line_done(&l);
	return rc;
}

static int check_lines(struct cs_checklog *k, struct cs_checkstate *state,
		       struct cs_logread *reader, struct cs_lines *in)
{
	struct cs_err err;
	int got, rc;

	while ((got = cs_lines_next(in))) {
		if (got == -E2BIG)
			rc = cs_err_set(&err, -EINVAL,
					"the line is too long, expected at "
					"most %u bytes",
					CS_LINE_MAX);
		else if (got < 0)
			return got;
		else
			rc = check_line(state, reader, in, &err);
		if (rc == -EINVAL)
			report(k, in->line, err.text);
		else if (rc)
			return rc;
	}
	return 0;
}

int cs_checklog(struct cs_checklog *k, struct cs_checkstate *state, FILE *file)
{
	struct cs_logread *reader = cs_logread_create();
	struct cs_lines in;
	int rc = -ENOMEM;

	cs_lines_init(&in, file);
	cs_checkstate_begin(state);
	k->lines = k->breaches = 0;
	if (reader)
		rc = check_lines(k, state, reader, &in);
	if (!rc && !in.line)
		report(k, 1, "the log is empty, expected a header");
	k->lines = in.line;
	cs_checkstate_counts(state, &k->counts);
	cs_lines_done(&in);
	cs_logread_free(reader);
	return rc;
}
