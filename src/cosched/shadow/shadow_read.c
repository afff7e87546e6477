/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log of mode shadow, read line by line along with the import (import/event_log.c),
 * which makes the trace.
 *
 * Rules.
 *  1. A job waits from its submit on.  It could have started at its submit or its
 *     eligible time, whichever is later (the import uses the same, if it precedes the
 *     start).
 *  2. For an array, the i-th proposal of one instant is for the i-th task; the first
 *     task to start had the first.  A repeated proposal is not new.
 *  3. A proposed job's neighbours are the jobs running on its nodes, and those proposed
 *     for them at the same instant.  If Slurm is to choose its nodes, they are unknown.
 *  4. After a header the state is repeated: jobs that waited before keep their moments;
 *     for a job listed as running that started before the header and did not wait
 *     before, the start was not seen.
 *  5. From lines after a header of another mode only arrivals and departures are taken;
 *     jobs that waited or ran there are left out.
 *  6. The machine is that of the last header with all nodes that came later, each as it
 *     was last.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/progress_bar.h"
#include "cli/profile_file.h"
#include "common/base/array.h"
#include "common/log/read_field.h"
#include "common/log/write_line.h"
#include "shadow/shadow_reader.h"

/* ---- names ----------------------------------------------------------------- */

static const enum cs_trace_name in_names[CS_SHADOW_KINDS] = {
	[CS_SHADOW_USER] = CS_NAME_USER,
	[CS_SHADOW_ACCOUNT] = CS_NAME_GROUP,
	[CS_SHADOW_PARTITION] = CS_NAME_PARTITION,
	[CS_SHADOW_PROFILE] = CS_NAME_EXE,
};

const char *cs_shadow_name(const struct cs_shadow *s, enum cs_shadow_kind k,
			   int32_t name)
{
	const char *text = k < CS_SHADOW_KINDS
				   ? cs_trace_name(s->names, in_names[k], name)
				   : "all";

	return text ? text : "none";
}

const char *cs_shadow_kind_name(enum cs_shadow_kind k)
{
	static const char *const name[] = { "user", "account", "partition",
					    "profile", "all" };

	return name[k];
}

static int name_all(struct cs_shadow *s, const struct cs_job *j,
		    struct cs_shadow_who *ret)
{
	const char *const text[CS_SHADOW_KINDS] = { j->user, j->account,
						    j->partition, j->profile };
	int rc = 0;

	for (int i = 0; !rc && i < CS_SHADOW_KINDS; i++)
		rc = cs_trace_names_number(s->names, in_names[i],
					   text[i] ? text[i] : "",
					   &ret->name[i]);
	return rc;
}

/* ---- headers --------------------------------------------------------------- */

static const char *param(const struct cs_log_line *l, const char *key)
{
	struct json_object *params, *v;

	if (!json_object_object_get_ex(l->json, "params", &params) ||
	    !json_object_object_get_ex(params, key, &v) ||
	    !json_object_is_type(v, json_type_string))
		return "";
	return json_object_get_string(v);
}

/* Read the profiles named by @l's settings; they stay until the next header. */
static int profiles(struct cs_shadow_reader *r, const struct cs_log_line *l)
{
	const char *path = param(l, "profiles");
	struct json_object *digest;
	struct cs_err why = { "" };
	char now[CS_LOG_DIGEST_SIZE];
	int rc;

	cs_profiles_free(r->s->profiles);
	r->s->profiles = NULL;
	if (r->s->only_profiles)
		path = r->s->only_profiles;
	if (!*path)
		return 0;
	rc = cs_profile_file_read(path, &r->s->profiles, &why);
	if (rc)
		return cs_err_set(&r->why, rc, "%s%s", why.text,
				  r->s->only_profiles
					  ? ""
					  : " (the log names it; --profiles "
					    "FILE names another)");
	cs_log_digest(r->s->profiles, now);
	r->s->other_profiles = !r->s->only_profiles &&
			       json_object_object_get_ex(
				       l->json, "profiles_digest", &digest) &&
			       strcmp(json_object_get_string(digest), now);
	return 0;
}

/* Rule 4. */
static int header(struct cs_shadow_reader *r, const struct cs_log_line *l)
{
	struct cs_shadow *s = r->s;
	struct json_object *boot;

	cs_shadow_instant_ends(r);
	while (r->all.running.next != &r->all.running)
		cs_shadow_forget(&r->all, r->all.running.next);
	r->boot_us = json_object_object_get_ex(l->json, "boot", &boot)
			     ? cs_log_us(json_object_get_double(boot))
			     : INT64_MIN;
	r->shadow = !strcmp(
		l->header->mode ? l->header->mode : param(l, "mode"), "shadow");
	if (!r->shadow) {
		s->other_mode++;
		return 0;
	}
	s->headers++;
	s->live = l->header->boot;
	s->act_slice = l->header->act_slice;
	cs_machine_free(s->machine);
	s->machine = cs_machine_copy(l->header->machine);
	s->options.threads = cs_machine_first(l->header->machine)->threads;
	json_object_put(s->header);
	s->header = json_object_get(l->json);
	return s->machine ? profiles(r, l) : -ENOMEM;
}

/* ---- jobs ------------------------------------------------------------------ */

static int describe(struct cs_shadow_reader *r, struct cs_shadow_known *k,
		    const struct cs_log_line *l, const char *text)
{
	const struct cs_job *j = &l->submitted;

	k->tasks = j->tasks;
	k->submit_us = j->submit_us;
	k->since_us =
		j->eligible_us > j->submit_us ? j->eligible_us : j->submit_us;
	k->estimate_us = j->estimate_us;
	free(k->job);
	k->job = strdup(text);
	return k->job ? name_all(r->s, j, &k->who) : -ENOMEM;
}

static int waits(struct cs_shadow_reader *r, const struct cs_log_line *l,
		 const char *text)
{
	struct cs_shadow_known *k = cs_shadow_find(&r->all, l->job);

	/* rule 4: repeated */
	if (!k || k->runs || k->submit_us != l->submitted.submit_us) {
		k = cs_shadow_add(&r->all, l->job);
		if (!k)
			return -ENOMEM;
		k->header = r->s->headers + r->s->other_mode;
	}
	k->left |= !r->shadow;
	k->told = r->s->headers + r->s->other_mode;
	return describe(r, k, l, text);
}

/* Split task @id off array @a. */
static struct cs_shadow_known *split(struct cs_shadow_reader *r,
				     struct cs_shadow_known *a, uint32_t id)
{
	struct cs_shadow_known *k = cs_shadow_add(&r->all, id);

	if (!k)
		return NULL;
	k->header = a->header;
	k->left = a->left;
	k->who = a->who;
	k->submit_us = a->submit_us;
	k->since_us = a->since_us;
	k->estimate_us = a->estimate_us;
	k->job = strdup(a->job ? a->job : "");
	if (a->tasks > 1)
		a->tasks--;
	return k->job ? k : NULL;
}

static int record(struct cs_shadow_reader *r, const struct cs_shadow_known *k,
		  struct cs_shadow_would w, enum cs_shadow_end end, int64_t us)
{
	struct cs_shadow *s = r->s;

	if (!cs_shadow_counts(s, k))
		return 0;
	if (cs_array_room(&s->wait, &s->cap_wait, s->n_wait + 1))
		return -ENOMEM;
	s->wait[s->n_wait++] = (struct cs_shadow_wait){
		k->id, k->who, end, k->since_us, us, w,
	};
	return 0;
}

/* Rule 4: was its start seen? */
static bool seen(const struct cs_shadow_reader *r,
		 const struct cs_shadow_known *k, int64_t start_us)
{
	return k->header < r->s->headers + r->s->other_mode ||
	       start_us >= r->boot_us;
}

static int starts(struct cs_shadow_reader *r, const struct cs_log_line *l,
		  const char *text)
{
	struct cs_shadow_known *k = cs_shadow_find(&r->all, l->job);
	struct cs_shadow_known *a =
		l->start.array_id && l->start.array_id != l->job
			? cs_shadow_find(&r->all, l->start.array_id)
			: NULL;
	struct cs_shadow_would w = { .at_us = CS_TIME_NONE };
	int64_t us = cs_log_us(l->since);
	int rc = 0;

	if (a && !a->runs && (!k || k->runs)) {
		w = cs_shadow_take_first(r, a);
		k = split(r, a, l->job);
		if (!k)
			return -ENOMEM;
	} else if (k && !k->runs) {
		w = cs_shadow_take_first(r, k);
	}
	if (!k || k->runs)
		return 0;
	if (us < k->since_us)
		us = k->since_us;
	if (seen(r, k, us))
		rc = record(r, k, w, CS_SHADOW_STARTED, us);
	k->left |= !r->shadow;
	free(k->start);
	k->start = strdup(text);
	return !k->start ? -ENOMEM : rc ?: cs_shadow_goes(&r->all, k, l->alloc);
}

static int gone(struct cs_shadow_reader *r, const struct cs_log_line *l)
{
	struct cs_shadow_known *k = cs_shadow_find(&r->all, l->job);
	int rc = 0;

	if (!k)
		return 0;
	if (!k->runs)
		rc = record(r, k, cs_shadow_take_first(r, k),
			    CS_SHADOW_CANCELLED, l->event.t_us);
	cs_shadow_forget(&r->all, k);
	return rc;
}

/* ---- nodes ----------------------------------------------------------------- */

/* A node that goes is still there for those that ran on it: rule 6. */
static int becomes(struct cs_shadow *s, const struct cs_log_line *l)
{
	int rc = 0;

	if (!s->machine || !l->becomes || cs_node_vacant(&l->now))
		return 0;
	for (size_t i = 0; i < l->n_node; i++)
		for (uint32_t n = l->node[i].first;
		     rc != -ENOMEM && n <= l->node[i].last &&
		     n < s->machine->n_node;
		     n++)
			rc = cs_machine_put(s->machine, n, &l->now, NULL);
	return rc == -ENOMEM ? rc : 0;
}

/* ---- lines ----------------------------------------------------------------- */

static int take(struct cs_shadow_reader *r, const struct cs_log_line *l,
		const char *text)
{
	struct cs_shadow_known *k;

	switch (l->ev) {
	case CS_LOG_HEADER:
		return header(r, l);
	case CS_LOG_SUBMIT:
	case CS_LOG_REQUEUE:
		return waits(r, l, text);
	case CS_LOG_CHANGE:
		k = cs_shadow_find(&r->all, l->job);
		return k && !k->runs ? describe(r, k, l, text) : 0;
	case CS_LOG_START:
		return starts(r, l, text);
	case CS_LOG_FINISH:
	case CS_LOG_CANCEL:
		return gone(r, l);
	case CS_LOG_WOULD:
		return r->shadow ? cs_shadow_propose(r, l) : 0;
	case CS_LOG_NODE:
		return r->shadow ? becomes(r->s, l) : 0;
	default:
		return 0;
	}
}

static int line(void *arg, const struct cs_log_line *l, const char *text)
{
	struct cs_shadow_reader *r = arg;
	struct cs_shadow *s = r->s;

	r->behind |= r->bad > 0;
	if (r->size > 0 && ++r->lines % 1024 == 0)
		cs_bar_draw(&r->bar, (size_t)ftello(r->file) / 1024,
			    (size_t)r->size / 1024);
	if (l->ev != CS_LOG_HEADER && r->shadow) {
		if (s->from_us == CS_TIME_NONE)
			s->from_us = l->event.t_us;
		s->to_us = l->event.t_us;
	}
	return take(r, l, text);
}

/* The import has a run of job @id, which is not yet forgotten. */
static int ran(void *arg, uint32_t id, int64_t now_us, size_t index)
{
	struct cs_shadow_reader *r = arg;
	struct cs_shadow *s = r->s;
	struct cs_shadow_known *k = cs_shadow_find(&r->all, id);
	struct cs_shadow_run *run;

	if (cs_array_room(&s->run, &s->cap_run, index + 1))
		return -ENOMEM;
	memset(&s->run[s->n_run], 0, (index + 1 - s->n_run) * sizeof(*s->run));
	s->n_run = index + 1;
	run = &s->run[index];
	run->id = id;
	run->end_us = now_us;
	run->left = !k || !k->runs || k->left;
	if (!k)
		return 0;
	run->who = k->who;
	run->job = strdup(k->job ? k->job : "");
	run->start = k->start ? strdup(k->start) : NULL;
	return run->job && (run->start || !k->start) ? 0 : -ENOMEM;
}

static void bad(void *arg, const char *text)
{
	struct cs_shadow_reader *r = arg;

	if (!r->bad++)
		cs_err_set(&r->why, 0, "%s", text);
}

/* ---- the whole log ------------------------------------------------------- */

int cs_shadow_init(struct cs_shadow *s)
{
	struct cs_shadow_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->s = s;
	r->now_us = CS_TIME_NONE;
	cs_shadow_all_init(&r->all);
	s->reader = r;
	s->from_us = s->to_us = CS_TIME_NONE;
	s->options = (struct cs_import_options){
		.since_us = s->since_us,
		.threads = 1,
		.bad = bad,
		.arg = r,
		.line = line,
		.ran = ran,
	};
	s->names = cs_trace_names_create();
	return s->names ? cs_import_init(&s->im, &s->options) : -ENOMEM;
}

int cs_shadow_read(struct cs_shadow *s, FILE *file, const char *name,
		   struct cs_err *err)
{
	struct cs_shadow_reader *r = s->reader;
	struct stat st;
	int rc;

	r->bad = 0;
	r->behind = false;
	r->why.text[0] = '\0';
	r->file = file;
	r->size = !fstat(fileno(file), &st) && S_ISREG(st.st_mode) ? st.st_size
								   : 0;
	cs_bar_init(&r->bar);
	r->bar.unit = "kB";
	rc = cs_import_log(&s->im, file, name, err);
	cs_bar_done(&r->bar);
	if (rc && *r->why.text && !r->bad)
		return cs_err_set(err, rc, "%s", r->why.text);
	if (rc || !r->bad)
		return rc;
	if (r->bad > 1 || r->behind || !s->headers)
		return cs_err_set(err, -EINVAL, "%s", r->why.text);
	s->cut++;
	return 0;
}

/* Jobs still waiting at the end. */
static int remaining(struct cs_shadow_reader *r)
{
	int rc = 0;

	for (struct cs_shadow_known *k = r->all.waiting.next;
	     !rc && k != &r->all.waiting; k = k->next)
		while (!rc && k->n_would &&
		       k->told == r->s->headers + r->s->other_mode)
			rc = record(r, k, cs_shadow_take_first(r, k),
				    CS_SHADOW_WAITS, r->s->to_us);
	return rc;
}

/* Drop runs that another mode had part in. */
static void leave_out(struct cs_shadow *s)
{
	struct cs_trace *t = &s->im.trace;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (!s->run[t->job[i].line].left)
			t->job[n++] = t->job[i];
	s->left = t->n - n;
	t->n = n;
}

int cs_shadow_end(struct cs_shadow *s, struct cs_err *err)
{
	int rc;

	if (!s->headers)
		return cs_err_set(err, -ENODATA,
				  "none of it was written in mode shadow, "
				  "expected a log of cosched_mode=shadow");
	rc = remaining(s->reader);
	if (rc)
		return cs_err_set(err, rc, "no memory");
	leave_out(s);
	if (!s->im.trace.n)
		return 0;
	return cs_import_finish(&s->im, err);
}

void cs_shadow_done(struct cs_shadow *s)
{
	struct cs_shadow_reader *r = s->reader;

	if (r) {
		cs_shadow_now_clear(r);
		free(r->now);
		cs_shadow_all_done(&r->all);
		free(r);
	}
	for (size_t i = 0; i < s->n_run; i++) {
		free(s->run[i].job);
		free(s->run[i].start);
	}
	for (int i = 0; i < CS_SHADOW_PLANS; i++) {
		cs_params_done(&s->policy[i].params);
		free(s->titles[i]);
		free(s->settings[i]);
		free(s->fate[i]);
		free(s->view[i].core_us);
		free(s->view[i].span);
	}
	free(s->run);
	free(s->wait);
	free(s->pair);
	cs_import_done(&s->im);
	cs_trace_names_free(s->names);
	cs_profiles_free(s->profiles);
	cs_machine_free(s->machine);
	json_object_put(s->header);
}
