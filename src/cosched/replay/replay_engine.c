/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine of a replay: created from a log's header, fed with events, made to decide;
 * and which lines result from deciding.
 */
#include "replay/replay_engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/learn/past.h"
#include "common/slice/slice.h"
#include "replay/replay_params.h"

void cs_replay_drop_engine(struct cs_replay *r)
{
	cs_replay_would_end(&r->would);
	cs_estimator_free(r->estimates);
	r->estimates = NULL;
	cs_engine_free(r->on.engine);
	r->on.engine = NULL;
	r->on.machine = NULL;
	cs_profiles_free(r->table);
	r->table = NULL;
	cs_params_done(&r->params);
	cs_machine_free(r->machine);
	r->machine = NULL;
	json_object_put(r->names);
	r->names = NULL;
}

static int no_slices(const struct cs_replay *r, struct json_object *header,
		     struct cs_err *err)
{
	struct cs_params was;
	bool sliced = cs_slice_choose(&r->params)->stops;

	if (!r->settings)
		return 0;
	if (cs_replay_params(header, NULL, false, &was, err))
		return -EINVAL;
	sliced |= cs_slice_choose(&was)->stops;
	cs_params_done(&was);
	if (!sliced)
		return 0;
	return cs_err_set(
		err, -EINVAL, "time slices: %s",
		r->learns ? "nothing is learned from jobs that they stop and "
			    "resume, expected a log with slice=none"
			  : "what they would do is more than a decision ahead, "
			    "expected a log and settings with slice=none");
}

static int profiles(struct cs_replay *r, struct json_object *header)
{
	struct json_object *digest = NULL;

	json_object_object_get_ex(header, "profiles_digest", &digest);
	return r->profiles(r->arg, r->params.profiles ? r->params.profiles : "",
			   digest ? json_object_get_string(digest) : NULL,
			   &r->table);
}

static void keep_names(struct cs_replay *r, struct json_object *header)
{
	struct json_object *machine, *names;

	if (json_object_object_get_ex(header, "machine", &machine) &&
	    json_object_object_get_ex(machine, "names", &names) &&
	    json_object_is_type(names, json_type_array))
		r->names = json_object_get(names);
}

int cs_replay_make_engine(struct cs_replay *r, const struct cs_log_line *l,
			  struct cs_err *err)
{
	int rc = cs_replay_params(l->json, r->settings, l->header->boot,
				  &r->params, err);

	if (!rc)
		rc = no_slices(r, l->json, err);
	if (!rc)
		rc = profiles(r, l->json);
	if (rc)
		return rc;
	r->machine = cs_machine_copy(l->header->machine);
	if (!r->machine)
		return -ENOMEM;
	r->on.machine = r->machine;
	r->live = l->header->boot;
	r->began_us = CS_TIME_NONE;
	keep_names(r, l->json);
	r->on.engine = cs_engine_create(&r->params, r->machine, r->table, err);
	if (!r->on.engine)
		return -EINVAL;
	r->estimated = 0;
	if (r->params.start_estimates == CS_YES && !r->settings)
		r->estimates = cs_estimator_create((uint64_t)r->params.seed);
	return r->params.start_estimates == CS_YES && !r->settings &&
			       !r->estimates
		       ? -ENOMEM
		       : 0;
}

/* ---- what was learned ---------------------------------------------------- */

/* Leave only the lines of @text that are about what was learned: an order keeps others. */
static void keep_learned_lines(char *text)
{
	char *to = text;

	for (char *line = text, *next; *line; line = next) {
		size_t n = strcspn(line, "\n");

		n += line[n] == '\n';
		next = line + n;
		if (!cs_past_is_line(line))
			continue;
		memmove(to, line, n);
		to += n;
	}
	*to = '\0';
}

void cs_replay_keep_learned(struct cs_replay *r)
{
	size_t len;

	if (!r->learns || !r->on.engine)
		return;
	len = cs_engine_save(r->on.engine, NULL, 0);
	free(r->learned);
	r->learned = malloc(len + 1);
	if (!r->learned)
		return;
	cs_engine_save(r->on.engine, r->learned, len + 1);
	keep_learned_lines(r->learned);
}

int cs_replay_go_on(struct cs_replay *r)
{
	struct cs_event ev = { .type = CS_EV_KEPT };
	char *copy = r->learned ? strdup(r->learned) : NULL, *save = NULL;
	int rc = r->learned && !copy ? -ENOMEM : 0;

	for (char *l = copy ? strtok_r(copy, "\n", &save) : NULL; l;
	     l = strtok_r(NULL, "\n", &save)) {
		ev.kept = l;
		if (strncmp(l, "learn ", 6) || !strncmp(l, "learn job ", 10))
			continue; /* the log has the other lines */
		/* learned on other nodes: learning begins afresh */
		rc = cs_engine_event(r->on.engine, &ev, NULL);
		if (rc)
			break;
	}
	free(copy);
	return rc == -ENOMEM ? rc : 0;
}

/* Count the wait of job @id, which has started.  A start from before the engine's first event
 * stands in an earlier log, or in none. */
static void count_wait(struct cs_replay *r, uint32_t id)
{
	struct cs_running j;

	if (cs_engine_running(r->on.engine, id, &j) || j.start_us < r->began_us)
		return;
	r->starts++;
	r->wait_s += (double)(j.start_us - j.eligible_us) / 1e6;
}

int cs_replay_tell(struct cs_replay *r, const struct cs_event *ev,
		   uint64_t number, struct cs_err *err)
{
	struct cs_err why = { "no reason given" };
	int rc = cs_estimator_tell(r->estimates, r->on.engine, ev, &why);

	if (!rc && ev->type == CS_EV_NODE && ev->node.now)
		rc = cs_machine_put(r->machine, ev->node.index, ev->node.now,
				    &why);
	if (ev->t_us < r->began_us)
		r->began_us = ev->t_us;
	if (!rc && ev->type == CS_EV_STARTED)
		count_wait(r, ev->start->job_id);
	r->news = true;
	if (ev->t_us > r->last_us)
		r->last_us = ev->t_us;
	if (rc && rc != -ENOMEM)
		return cs_err_set(err, -EINVAL,
				  "line %" PRIu64 ": no engine can have had "
				  "this: %s",
				  number, why.text);
	return rc;
}

static void clear(struct cs_replay_acts *k)
{
	for (size_t i = 0; i < k->n; i++)
		cs_alloc_free((struct cs_alloc *)k->a[i].alloc);
	k->n = 0;
}

void cs_replay_copy_done(struct cs_replay_acts *k)
{
	clear(k);
	free(k->a);
	k->a = NULL;
	k->cap = 0;
}

static int copy(struct cs_replay_acts *k, const struct cs_actions *from)
{
	clear(k);
	if (cs_array_room(&k->a, &k->cap, from->n))
		return -ENOMEM;
	for (size_t i = 0; i < from->n; i++) {
		struct cs_action *a = &k->a[i];

		*a = from->action[i];
		if (a->alloc)
			a->alloc = cs_alloc_copy(a->alloc);
		k->n = i + 1;
		if (from->action[i].alloc && !a->alloc)
			return -ENOMEM;
	}
	return 0;
}

int cs_replay_ask(struct cs_replay *r, int64_t t_us,
		  const struct cs_decide_part *part, struct cs_err *err)
{
	struct cs_actions a;
	int rc = cs_engine_decide_part(r->on.engine, t_us, part, &a);

	r->news = false;
	r->decided_us = t_us;
	if (rc == -EBUSY)
		return cs_err_set(err, -EINVAL,
				  "a decide before all starts of the last one "
				  "are answered");
	return rc ? rc : copy(&r->acts, &a);
}

/* ---- lines --------------------------------------------------------------- */

bool cs_replay_is_action(const struct cs_replay *r,
			 const struct cs_replay_line *x)
{
	switch (x->l.ev) {
	case CS_LOG_START:
	case CS_LOG_LIMIT:
		return !x->l.host;
	case CS_LOG_SUSPEND:
	case CS_LOG_RESUME:
		return cs_slice_choose(&r->params)->stops && !x->l.host;
	case CS_LOG_REFUSE:
	case CS_LOG_JOINED:
	case CS_LOG_DISBAND:
	case CS_LOG_SLICE:
	case CS_LOG_WOULD:
		return true;
	default:
		return false;
	}
}
