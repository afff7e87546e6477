/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/state.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "sim/json_build.h"

#define VERSION 1

/* ---- writing ------------------------------------------------------------------ */

static void add_shape(struct cs_build *to, const struct cs_measure_shape *s)
{
	struct cs_build o = cs_build_object();

	cs_build_count(&o, "sockets", s->sockets);
	cs_build_count(&o, "cores", s->cores);
	cs_build_count(&o, "threads", s->threads);
	cs_build_count(&o, "per_task", s->per_task);
	cs_build_count(&o, "nodes", s->nodes);
	cs_build_count(&o, "memory_mb", s->memory_mb);
	cs_build_flag(&o, "unconstrained", s->unconstrained);
	cs_build_part(to, "shape", &o);
}

static void add_program(struct cs_build *to, const struct cs_measure_program *p)
{
	struct cs_build o = cs_build_object();
	char sum[32];

	snprintf(sum, sizeof(sum), "%016" PRIx64, p->sum);
	cs_build_text(&o, "name", p->name);
	cs_build_text(&o, "sum", sum);
	cs_build_part(to, NULL, &o);
}

/* A double needs more digits than cs_build_real() gives to be a time of day. */
static void add_s(struct cs_build *to, const char *key, double s)
{
	cs_build_time(to, key, llround(s * 1e6));
}

static void add_job(struct cs_build *to, const struct cs_measure_job *j)
{
	struct cs_build o = cs_build_object();

	cs_build_count(&o, "job", j->job);
	cs_build_count(&o, "experiment", j->experiment);
	cs_build_text(&o, "role", j->role == 'a' ? "a" : "b");
	cs_build_count(&o, "with", j->with);
	cs_build_count(&o, "nodes", j->nodes);
	cs_build_count(&o, "limit_s", j->limit_s);
	add_s(&o, "elapsed_s", j->elapsed_s);
	add_s(&o, "alive_s", j->alive_s);
	cs_build_flag(&o, "ended", j->ended);
	cs_build_part(to, NULL, &o);
}

char *cs_measure_state_text(const struct cs_measure_state *s)
{
	struct cs_build o = cs_build_object();
	struct cs_build programs = cs_build_list(), jobs = cs_build_list();
	struct json_object *whole;
	char *text = NULL;

	cs_build_count(&o, "version", VERSION);
	cs_build_text(&o, "options", s->options);
	add_shape(&o, &s->shape);
	for (size_t i = 0; i < s->n; i++)
		add_program(&programs, &s->program[i]);
	for (size_t i = 0; i < s->n_job; i++)
		add_job(&jobs, &s->job[i]);
	cs_build_part(&o, "programs", &programs);
	cs_build_part(&o, "jobs", &jobs);
	whole = cs_build_take(&o);
	if (whole) {
		const char *line = json_object_to_json_string_ext(
			whole, JSON_C_TO_STRING_PRETTY);

		text = line ? strdup(line) : NULL;
	}
	json_object_put(whole);
	return text;
}

/* ---- reading ------------------------------------------------------------------ */

/* The first member that was wrong. */
struct reading {
	const char *bad;
};

static struct json_object *member(struct reading *r, struct json_object *o,
				  const char *key, enum json_type type)
{
	struct json_object *v = NULL;

	if (json_object_is_type(o, json_type_object) &&
	    json_object_object_get_ex(o, key, &v) &&
	    (json_object_is_type(v, type) ||
	     (type == json_type_double &&
	      json_object_is_type(v, json_type_int))))
		return v;
	if (!r->bad)
		r->bad = key;
	return NULL;
}

static uint64_t count(struct reading *r, struct json_object *o, const char *key,
		      uint64_t least, uint64_t most)
{
	struct json_object *v = member(r, o, key, json_type_int);
	int64_t n = json_object_get_int64(v);

	if (v && n >= (int64_t)least && n <= (int64_t)most)
		return (uint64_t)n;
	if (!r->bad)
		r->bad = key;
	return least;
}

static double seconds(struct reading *r, struct json_object *o, const char *key)
{
	double s = json_object_get_double(member(r, o, key, json_type_double));

	if (s >= 0 && s < 1e12)
		return s;
	if (!r->bad)
		r->bad = key;
	return 0;
}

static const char *string(struct reading *r, struct json_object *o,
			  const char *key)
{
	struct json_object *v = member(r, o, key, json_type_string);

	return v ? json_object_get_string(v) : "";
}

static bool flag(struct reading *r, struct json_object *o, const char *key)
{
	return json_object_get_boolean(member(r, o, key, json_type_boolean));
}

static void read_shape(struct reading *r, struct json_object *o,
		       struct cs_measure_shape *s)
{
	s->sockets = (uint32_t)count(r, o, "sockets", 1, 64);
	s->cores = (uint32_t)count(r, o, "cores", 1, 65536);
	s->threads = (uint32_t)count(r, o, "threads", 1, 64);
	s->per_task = (uint32_t)count(r, o, "per_task", 1, 65536);
	s->nodes = (uint32_t)count(r, o, "nodes", 1, 65536);
	s->memory_mb = count(r, o, "memory_mb", 0, INT64_MAX);
	s->unconstrained = flag(r, o, "unconstrained");
}

static void read_program(struct reading *r, struct json_object *o,
			 struct cs_measure_program *p)
{
	const char *name = string(r, o, "name"), *sum = string(r, o, "sum");
	char *end;

	p->sum = strtoull(sum, &end, 16);
	if (*end || !*sum || !*name || strlen(name) >= sizeof(p->name))
		r->bad = "programs";
	else
		strcpy(p->name, name);
}

static void read_job(struct reading *r, struct json_object *o,
		     struct cs_measure_job *j)
{
	const char *role = string(r, o, "role");

	*j = (struct cs_measure_job){
		.job = (uint32_t)count(r, o, "job", 1, UINT32_MAX),
		.experiment = (uint32_t)count(r, o, "experiment", 0,
					      CS_MEASURE_EXPERIMENTS - 1),
		.with = (uint32_t)count(r, o, "with", 0, UINT32_MAX),
		.nodes = (uint32_t)count(r, o, "nodes", 1, UINT32_MAX),
		.limit_s = (uint32_t)count(r, o, "limit_s", 0, UINT32_MAX),
		.role = *role,
		.elapsed_s = seconds(r, o, "elapsed_s"),
		.alive_s = seconds(r, o, "alive_s"),
		.ended = flag(r, o, "ended"),
	};
	if (strcmp(role, "a") && strcmp(role, "b"))
		r->bad = "role";
}

static int read_all(struct reading *r, struct json_object *o,
		    struct cs_measure_state *s)
{
	struct json_object *programs, *jobs;

	if (count(r, o, "version", 0, INT32_MAX) != VERSION && !r->bad)
		r->bad = "version";
	s->options = strdup(string(r, o, "options"));
	read_shape(r, member(r, o, "shape", json_type_object), &s->shape);
	programs = member(r, o, "programs", json_type_array);
	jobs = member(r, o, "jobs", json_type_array);
	if (r->bad)
		return s->options ? 0 : -ENOMEM;
	s->n = json_object_array_length(programs);
	if (!s->n || s->n > CS_MEASURE_PROGRAMS) {
		r->bad = "programs";
		s->n = 0;
	}
	for (size_t i = 0; i < s->n; i++)
		read_program(r, json_object_array_get_idx(programs, i),
			     &s->program[i]);
	for (size_t i = 0; !r->bad && i < json_object_array_length(jobs); i++) {
		struct cs_measure_job j;

		read_job(r, json_object_array_get_idx(jobs, i), &j);
		if (j.experiment >= cs_measure_experiments(s->n) && !r->bad)
			r->bad = "experiment";
		if (cs_measure_state_find(s, j.job) && !r->bad)
			r->bad = "job"; /* its runs would count twice */
		if (cs_measure_state_add(s, &j))
			return -ENOMEM;
	}
	return s->options ? 0 : -ENOMEM;
}

int cs_measure_state_read(struct cs_measure_state *ret, const char *text,
			  const char *name, struct cs_err *err)
{
	struct cs_measure_state s = { .n = 0 };
	struct reading r = { NULL };
	struct json_object *o = json_tokener_parse(text);
	int rc;

	if (!o)
		return cs_err_set(err, -EINVAL,
				  "'%.200s' is no JSON, expected the state of "
				  "a measurement",
				  name);
	rc = read_all(&r, o, &s);
	json_object_put(o);
	if (rc)
		cs_err_set(err, rc, "no memory");
	else if (r.bad)
		rc = cs_err_set(err, -EINVAL,
				"'%.200s': bad or no \"%s\", expected the "
				"state of a measurement",
				name, r.bad);
	if (rc)
		cs_measure_state_done(&s);
	else
		*ret = s;
	return rc;
}

void cs_measure_state_done(struct cs_measure_state *s)
{
	free(s->options);
	free(s->job);
	*s = (struct cs_measure_state){ .n = 0 };
}

/* ---- jobs --------------------------------------------------------------------- */

int cs_measure_state_add(struct cs_measure_state *s,
			 const struct cs_measure_job *job)
{
	if (s->n_job == s->room) {
		size_t room = 2 * s->room + 64;
		struct cs_measure_job *more =
			realloc(s->job, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->job = more;
		s->room = room;
	}
	s->job[s->n_job++] = *job;
	return 0;
}

struct cs_measure_job *cs_measure_state_find(struct cs_measure_state *s,
					     uint32_t job)
{
	for (size_t i = 0; i < s->n_job; i++)
		if (s->job[i].job == job)
			return &s->job[i];
	return NULL;
}

double cs_measure_state_spent(const struct cs_measure_state *s)
{
	double spent = 0;

	for (size_t i = 0; i < s->n_job; i++)
		if (s->job[i].role == 'a')
			spent += s->job[i].elapsed_s * s->job[i].nodes;
	return spent;
}

const char *cs_measure_state_title(const struct cs_measure_state *s, size_t i,
				   char *buf, size_t size)
{
	struct cs_measure_experiment e = cs_measure_experiment(s->n, i);

	if (e.kind == CS_MEASURE_PAIR)
		snprintf(buf, size, "%s beside %s", s->program[e.a].name,
			 s->program[e.b].name);
	else
		snprintf(buf, size, "%s alone on %s nodes",
			 s->program[e.a].name,
			 e.kind == CS_MEASURE_FULL ? "full" : "spread");
	return buf;
}

/* ---- the same measurement ------------------------------------------------------- */

int cs_measure_state_same(const struct cs_measure_state *old,
			  const struct cs_measure_state *now, const char *name,
			  struct cs_err *err)
{
	const struct cs_measure_shape *a = &old->shape, *b = &now->shape;
	const char *what = NULL;

	if (old->n != now->n)
		what = "other programs";
	for (size_t i = 0; !what && i < now->n; i++)
		if (strcmp(old->program[i].name, now->program[i].name))
			what = "other programs";
		else if (old->program[i].sum != now->program[i].sum)
			what = "programs that have changed since";
	if (!what && (a->sockets != b->sockets || a->cores != b->cores ||
		      a->threads != b->threads))
		what = "other nodes";
	if (!what && (a->per_task != b->per_task || a->nodes != b->nodes ||
		      a->unconstrained != b->unconstrained))
		what = "other options (--nodes, --cpus-per-task, "
		       "--unconstrained)";
	if (!what && strcmp(old->options, now->options))
		what = "another --sbatch";
	if (!what)
		return 0;
	return cs_err_set(err, -EINVAL,
			  "'%.200s' has a measurement with %s, expected the "
			  "same or another --folder",
			  name, what);
}
