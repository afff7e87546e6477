/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a trace that were left out, in words. */
#include "trace.h"

#include <inttypes.h>

#include "trace_line.h"

static const char *const words[CS_TRACE_SKIPS] = {
	[CS_TRACE_WIDTH] = "with another number of fields",
	[CS_TRACE_UNREADABLE] = "unreadable",
	[CS_TRACE_NO_NUMBER] = "without a job number",
	[CS_TRACE_NO_SUBMIT] = "without a submit time",
	[CS_TRACE_NO_RUNTIME] = "without a run time",
	[CS_TRACE_NO_PROCS] = "without processors",
	[CS_TRACE_LARGE] = "larger than the machine",
	[CS_TRACE_PARTIAL] = "of partial executions",
	[CS_TRACE_TWICE] = "with a job number given before",
};

const char *cs_trace_skipped_text(const struct cs_trace *t,
				  char buf[CS_TRACE_SKIPPED_TEXT])
{
	const size_t size = CS_TRACE_SKIPPED_TEXT;
	uint64_t skipped = cs_trace_skipped(t);
	const char *lead = ": ";
	size_t at = 0;

	buf[0] = '\0';
	if (t->fields && t->fields != CS_TRACE_FIELDS + t->n_more)
		at += (size_t)snprintf(buf, size,
				       "lines have %u fields, not %u, %s%s",
				       t->fields, CS_TRACE_FIELDS + t->n_more,
				       t->fields < CS_TRACE_FIELDS + t->n_more
					       ? "the others count as unknown"
				       : t->n_more ? "the first ones are read"
						   : "the first 18 are read",
				       skipped ? "; " : "");
	if (!skipped)
		return buf;
	at += (size_t)snprintf(buf + at, size - at,
			       "skipped %" PRIu64 " of %" PRIu64 " lines",
			       skipped, t->lines);
	/* nine numbers of 20 digits would still leave room */
	for (int i = 0; i < CS_TRACE_SKIPS && at < size; i++) {
		if (!t->skipped[i])
			continue;
		at += (size_t)snprintf(buf + at, size - at, "%s%" PRIu64 " %s",
				       lead, t->skipped[i], words[i]);
		lead = ", ";
	}
	return buf;
}
