/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules.
 *  1. A job that has not ended is a neighbour up to its limit: accounting may have lost
 *     its end.
 *  2. Where the end is before the start, or there is none, it is the start and the time
 *     run; in the first case the clock jumped, and the run teaches nothing.
 */
#include "learned/from_sacct.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "common/params/params.h"

static int64_t end_of(const struct cs_import_job *j)
{
	if (j->running)
		return j->limit_us > 0 ? j->start_us + j->limit_us
				       : INT64_MAX / 2;
	return j->end_us > j->start_us ? j->end_us : j->start_us + j->run_us;
}

static int take(void *arg, const struct cs_import_job *j)
{
	struct cs_from_sacct *s = arg;
	bool jumped = !j->running && j->end_us != CS_IMPORT_NONE &&
		      j->end_us <= j->start_us;
	struct cs_together_job t = {
		.user = j->user,
		.name = j->name,
		.partition = j->partition,
		.nodes = j->nodes,
		.cpus = j->cpus,
		.start_us = j->start_us,
		.end_us = end_of(j),
		.run_us = j->run_us,
		.limit_us = j->limit_us,
		.teaches = !j->failed && !j->running && !jumped,
	};

	return cs_together_add(s->together, &t, NULL);
}

int cs_from_sacct_read(struct cs_from_sacct *s, const char *name, FILE *stream)
{
	int64_t since_us;
	int rc = cs_history_since(s->history.cmd, s->history.since, &since_us);

	if (rc)
		return rc;
	if (!s->together)
		s->together = cs_together_create(
			since_us, (uint32_t)s->history.threads, s->cores);
	if (!s->together)
		return cs_cmd_bad("%s: no memory", s->history.cmd);
	s->history.file = stream ? name : NULL;
	s->history.stream = stream;
	return cs_history_each(&s->history, take, s);
}

static void say(const struct cs_together_counts *n)
{
	fprintf(stderr, "%" PRIu64 " runs taught", n->taught);
	if (n->no_nodes)
		fprintf(stderr, "; %" PRIu64 " jobs have no node list",
			n->no_nodes);
	if (n->dropped)
		fprintf(stderr, "; the first %" PRIu64 " jobs were left out",
			n->dropped);
	fputc('\n', stderr);
}

static int write_past(const struct cs_past *past, char **ret)
{
	struct cs_textbuf t = { NULL, 0, 0 };

	cs_past_write(past, &t);
	t.size = t.len + 1;
	t.len = 0;
	t.buf = malloc(t.size);
	if (!t.buf)
		return -ENOMEM;
	cs_past_write(past, &t);
	cs_textbuf_end(&t);
	*ret = t.buf;
	return 0;
}

static int learn(struct cs_from_sacct *s, struct cs_past *past, char **ret)
{
	const char *cmd = s->history.cmd;
	const struct cs_together_counts *n = cs_together_counts(s->together);
	struct cs_err err = { "" };

	if (n->jobs && n->no_nodes == n->jobs)
		return cs_cmd_failed("%s: no job has a node list, so who ran "
				     "beside whom is not known",
				     cmd);
	if (cs_together_teach(s->together, past, &err))
		return cs_cmd_bad("%s: %s", cmd, err.text);
	if (!n->taught)
		return cs_cmd_failed(
			"%s: none of %" PRIu64 " jobs teaches anything, "
			"expected some that completed after a minute or more",
			cmd, n->jobs);
	say(n);
	return write_past(past, ret) ? cs_cmd_bad("%s: no memory", cmd)
				     : CS_EXIT_OK;
}

int cs_from_sacct_learn(struct cs_from_sacct *s, char **ret)
{
	struct cs_params params;
	struct cs_past *past;
	int rc;

	if (cs_params_init(&params, CS_HOST_LIVE))
		return cs_cmd_bad("%s: no memory", s->history.cmd);
	past = cs_past_create(0, params.learn_half_life_d * 86400 *
					 INT64_C(1000000));
	if (past) {
		past->least_us = params.learn_least_s * INT64_C(1000000);
		rc = learn(s, past, ret);
	} else {
		rc = cs_cmd_bad("%s: no memory", s->history.cmd);
	}
	cs_past_free(past);
	cs_params_done(&params);
	return rc;
}

void cs_from_sacct_done(struct cs_from_sacct *s)
{
	cs_together_free(s->together);
	s->together = NULL;
}
