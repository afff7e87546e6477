/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields that a line leaves out have the values that cosched-log(5) gives in [].
 */
#include "log/read_event.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields -------------------------------------------------------------- */

int64_t cs_replay_us(double s)
{
	const double most = 6.3e12;

	return (int64_t)rint((s > most ? most : s < -most ? -most : s) * 1e6);
}

/* All read_*: absent is well, *ret stays. */

static int wrong(struct json_object *v, const char *key, const char *expected,
		 struct cs_err *err)
{
	return cs_err_set(err, -EINVAL, "\"%s\" is %.40s, expected %s", key,
			  json_object_to_json_string(v), expected);
}

static int read_u64(struct json_object *o, const char *key, uint64_t *ret,
		    struct cs_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v))
		return 0;
	if (!json_object_is_type(v, json_type_int) ||
	    json_object_get_int64(v) < 0)
		return wrong(v, key, "an integer of 0 or more", err);
	*ret = json_object_get_uint64(v);
	return 0;
}

static int read_u32(struct json_object *o, const char *key, uint32_t *ret,
		    struct cs_err *err)
{
	int rc = cs_log_uint(o, key, 0, UINT32_MAX, ret, err);

	return rc == -ENOENT ? 0 : rc;
}

static int read_i32(struct json_object *o, const char *key, int32_t *ret,
		    struct cs_err *err)
{
	struct json_object *v;
	int64_t n;

	if (!json_object_object_get_ex(o, key, &v))
		return 0;
	n = json_object_get_int64(v);
	if (!json_object_is_type(v, json_type_int) || n < INT32_MIN ||
	    n > INT32_MAX)
		return wrong(v, key, "a number of 32 bits", err);
	*ret = (int32_t)n;
	return 0;
}

static int read_real(struct json_object *o, const char *key, double *ret,
		     struct cs_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v))
		return 0;
	if (!json_object_is_type(v, json_type_int) &&
	    !json_object_is_type(v, json_type_double))
		return wrong(v, key, "a number", err);
	*ret = json_object_get_double(v);
	return isfinite(*ret) ? 0 : wrong(v, key, "a finite number", err);
}

static int read_us(struct json_object *o, const char *key, int64_t *ret,
		   struct cs_err *err)
{
	double s = NAN;
	int rc = read_real(o, key, &s, err);

	if (!rc && !isnan(s))
		*ret = cs_replay_us(s);
	return rc;
}

static int read_text(struct json_object *o, const char *key, const char **ret,
		     struct cs_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v))
		return 0;
	if (!json_object_is_type(v, json_type_string))
		return wrong(v, key, "a string", err);
	*ret = json_object_get_string(v);
	return 0;
}

/* The flags of @o by name, the first of @names [@n] being bit 0. */
static int read_names_of(struct json_object *o, const char *const *names,
			 unsigned n, uint32_t *ret, struct cs_err *err)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, "flags", &v))
		return 0;
	if (!json_object_is_type(v, json_type_array))
		return wrong(v, "flags", "a list", err);
	for (size_t i = 0; i < json_object_array_length(v); i++) {
		struct json_object *x = json_object_array_get_idx(v, i);

		for (unsigned k = 0; k < n; k++)
			if (json_object_is_type(x, json_type_string) &&
			    !strcmp(json_object_get_string(x), names[k]))
				*ret |= 1u << k;
	}
	return 0;
}

static int read_flags(struct json_object *o, uint32_t *ret, struct cs_err *err)
{
	static const char *const names[] = { "exclusive", "no_share", "host",
					     "blocked", "requeued",
					     "priority_set", "user_nodes",
					     "shares_cores", "borrows",
					     "across" };

	return read_names_of(o, names, sizeof(names) / sizeof(names[0]), ret,
			     err);
}

static int read_resv_flags(struct json_object *o, uint32_t *ret,
			   struct cs_err *err)
{
	static const char *const names[] = { "maint", "overlap", "flex",
					     "float", "all", "taken",
					     "lends" };

	return read_names_of(o, names, sizeof(names) / sizeof(names[0]), ret,
			     err);
}

/* ---- sets of nodes ------------------------------------------------------- */

static int beyond(const char *what, uint32_t n, uint32_t most,
		  struct cs_err *err)
{
	return cs_err_set(err, -EINVAL, "%s %u, expected at most %u", what, n,
			  most);
}

/* "0-3,7" into @set of @n bits; "" is none. */
static int read_set(const char *text, const char *what, uint64_t *set,
		    uint32_t n, struct cs_err *err)
{
	struct cs_range *r;
	size_t k;
	int rc;

	if (!*text)
		return 0;
	rc = cs_ranges_read(text, what, &r, &k, err);
	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < k; i++) {
		if (r[i].last >= n)
			rc = beyond(what, r[i].last, n - 1, err);
		for (uint32_t b = r[i].first; !rc && b <= r[i].last; b++)
			cs_bit_set(set, b);
	}
	free(r);
	return rc;
}

/* The engine's number of the nodes of @o, by default all. */
static int read_nodeset(const struct cs_replay_on *on, struct json_object *o,
			uint32_t *ret, struct cs_err *err)
{
	uint32_t n = on->machine->n_node;
	uint64_t *set = calloc(cs_node_words(on->machine), sizeof(*set));
	const char *text = NULL;
	int64_t number = -ENOMEM;
	int rc = set ? 0 : -ENOMEM;

	if (!rc && o)
		rc = read_text(o, "nodes", &text, err);
	if (!rc && text)
		rc = read_set(text, "node", set, n, err);
	for (uint32_t i = 0; !rc && !text && i < n; i++)
		cs_bit_set(set, i);
	if (!rc)
		number = cs_engine_nodeset(on->engine, set);
	free(set);
	if (rc)
		return rc;
	if (number < 0)
		return (int)number;
	*ret = (uint32_t)number;
	return 0;
}

/* ---- jobs ---------------------------------------------------------------- */

static int read_option(const struct cs_replay_on *on, struct json_object *o,
		       struct cs_job_partition *ret, struct cs_err *err)
{
	int rc;

	*ret = (struct cs_job_partition){ .limit_max_us = CS_TIME_NONE };
	if (o && !json_object_is_type(o, json_type_object))
		return wrong(o, "options", "objects", err);
	rc = read_nodeset(on, o, &ret->nodeset, err);
	if (rc || !o)
		return rc;
	return read_u32(o, "partition", &ret->partition, err) ?:
	       read_u32(o, "tier", &ret->tier, err) ?:
	       read_u64(o, "priority", &ret->priority, err) ?:
	       read_us(o, "limit_max", &ret->limit_max_us, err) ?:
	       read_u32(o, "reservation", &ret->reservation, err) ?:
	       read_flags(o, &ret->flags, err);
}

static int read_options(const struct cs_replay_on *on, struct json_object *o,
			struct cs_replay_event *e, struct cs_err *err)
{
	struct json_object *list = NULL;
	size_t n = 1;
	int rc = 0;

	if (json_object_object_get_ex(o, "options", &list)) {
		if (!json_object_is_type(list, json_type_array))
			return wrong(list, "options", "a list", err);
		n = json_object_array_length(list);
	}
	e->option = calloc(n ? n : 1, sizeof(*e->option));
	if (!e->option)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++)
		rc = read_option(on,
				 list ? json_object_array_get_idx(list, i)
				      : NULL,
				 &e->option[i], err);
	e->job.option = e->option;
	e->job.n_option = (uint32_t)n;
	return rc;
}

static int read_memory(struct json_object *o, struct cs_job *j,
		       struct cs_err *err)
{
	struct json_object *v;
	int rc = read_u64(o, "mem_cpu_mb", &j->mem_cpu_mb, err);

	if (rc || !json_object_object_get_ex(o, "mem_node_mb", &v))
		return rc;
	if (!json_object_is_type(v, json_type_string))
		return read_u64(o, "mem_node_mb", &j->mem_node_mb, err);
	j->mem_node_mb = CS_MEM_ALL;
	return 0;
}

static int read_wishes(struct json_object *o, struct cs_job *j,
		       struct cs_err *err)
{
	return read_u32(o, "procs", &j->procs, err) ?:
	       read_u32(o, "cpus", &j->cpus_per_proc, err) ?:
	       read_u32(o, "nodes_min", &j->min_nodes, err) ?:
	       read_u32(o, "nodes_max", &j->max_nodes, err) ?:
	       read_u32(o, "ppn", &j->procs_per_node, err) ?:
	       read_u32(o, "base_procs", &j->base_procs, err) ?:
	       read_u32(o, "cpus_least", &j->least_cpus, err) ?:
	       read_u32(o, "threads", &j->threads, err) ?:
	       read_u32(o, "mem_threads", &j->mem_threads, err) ?:
	       read_u32(o, "reservation", &j->reservation, err) ?:
	       read_u32(o, "warn", &j->warn_s, err) ?:
	       read_u32(o, "wishes", &j->wishes, err) ?:
	       read_real(o, "across", &j->across, err) ?:
	       read_memory(o, j, err);
}

static int read_names(struct json_object *o, struct cs_job *j,
		      struct cs_err *err)
{
	return read_text(o, "user", &j->user, err) ?:
	       read_text(o, "account", &j->account, err) ?:
	       read_text(o, "name", &j->name, err) ?:
	       read_text(o, "partition", &j->partition, err) ?:
	       read_text(o, "profile", &j->profile, err) ?:
	       read_text(o, "campaign", &j->campaign, err) ?:
	       read_u32(o, "share", &j->share, err) ?:
	       read_i32(o, "nice", &j->nice, err);
}

static int read_job(const struct cs_replay_on *on, const struct cs_log_line *l,
		    struct cs_replay_event *e, struct cs_err *err)
{
	struct cs_job *j = &e->job;
	int rc;

	*j = (struct cs_job){ .id = l->job, .tasks = l->tasks,
			      .cpus_per_proc = 1, .min_nodes = 1,
			      .submit_us = e->ev.t_us };
	e->ev.job = j;
	rc = read_us(l->json, "submit", &j->submit_us, err);
	j->eligible_us = j->submit_us;
	return rc ?: read_us(l->json, "eligible", &j->eligible_us, err) ?:
	       read_us(l->json, "after", &j->after_us, err) ?:
	       read_us(l->json, "estimate", &j->estimate_us, err) ?:
	       read_u32(l->json, "array", &j->array_id, err) ?:
	       read_flags(l->json, &j->flags, err) ?:
	       read_wishes(l->json, j, err) ?: read_names(l->json, j, err) ?:
	       read_options(on, l->json, e, err);
}

/* ---- allocations --------------------------------------------------------- */

static int fill_part(const struct cs_machine *m, const struct cs_log_alloc *from,
		     const struct cs_log_part *p, struct cs_alloc *a,
		     struct cs_err *err)
{
	for (uint32_t n = p->nodes.first; n <= p->nodes.last; n++) {
		uint64_t *cores = cs_alloc_cores(a, a->n_node);
		uint32_t most = cs_node_cores(&m->node[n]);

		a->node[a->n_node++] = (struct cs_alloc_node){ .node = n };
		for (size_t i = 0; i < p->n_core; i++) {
			const struct cs_range *r = &from->core[p->core + i];

			if (r->last >= most)
				return beyond("core", r->last, most - 1, err);
			for (uint32_t c = r->first; c <= r->last; c++)
				cs_bit_set(cores, c);
		}
	}
	return 0;
}

static int make_alloc(const struct cs_machine *m,
		      const struct cs_log_alloc *from, struct cs_alloc **ret,
		      struct cs_err *err)
{
	uint32_t n = 0;
	struct cs_alloc *a;
	int rc = 0;

	for (size_t i = 0; i < from->n_part; i++) {
		if (from->part[i].nodes.last >= m->n_node)
			return beyond("node", from->part[i].nodes.last,
				      m->n_node - 1, err);
		n += from->part[i].nodes.last - from->part[i].nodes.first + 1;
	}
	a = cs_alloc_create(n, m->words);
	if (!a)
		return -ENOMEM;
	a->n_node = 0;
	for (size_t i = 0; !rc && i < from->n_part; i++)
		rc = fill_part(m, from, &from->part[i], a, err);
	if (rc)
		cs_alloc_free(a);
	else
		*ret = a;
	return rc;
}

static void put_count(struct cs_alloc_node *node, bool memory, int64_t v)
{
	if (memory)
		node->mem_mb = (uint64_t)v;
	else
		node->procs = (uint32_t)v;
}

/* @v for the nodes "0-3,7" of the allocation. */
static int count_nodes(struct cs_alloc *a, const char *nodes, bool memory,
		       int64_t v, struct cs_err *err)
{
	struct cs_range *r;
	size_t n, k = 0;
	int rc = cs_ranges_read(nodes, "nodes", &r, &n, err);

	for (uint32_t i = 0; !rc && i < a->n_node; i++) {
		while (k < n && r[k].last < a->node[i].node)
			k++;
		if (k < n && r[k].first <= a->node[i].node)
			put_count(&a->node[i], memory, v);
	}
	if (!rc)
		free(r);
	return rc;
}

/* {"0-3":2,...} under @key: processes, or memory. */
static int read_counts(struct json_object *o, const char *key, bool memory,
		       struct cs_alloc *a, struct cs_err *err)
{
	struct json_object *v;
	int rc = 0;

	if (!json_object_object_get_ex(o, key, &v))
		return 0;
	if (!json_object_is_type(v, json_type_object))
		return wrong(v, key, "an object", err);
	json_object_object_foreach (v, nodes, x) {
		if (!json_object_is_type(x, json_type_int) ||
		    json_object_get_int64(x) < 0)
			rc = wrong(x, key, "integers of 0 or more", err);
		if (!rc)
			rc = count_nodes(a, nodes, memory,
					 json_object_get_int64(x), err);
		if (rc)
			break;
	}
	return rc;
}

int cs_replay_alloc(const struct cs_machine *m, struct json_object *line,
		    const char *key, const char *procs, const char *memory,
		    struct cs_alloc **ret, struct cs_err *err)
{
	struct cs_log_alloc *from = NULL;
	struct json_object *v;
	uint32_t ppn = 1;
	int rc;

	*ret = NULL;
	if (!json_object_object_get_ex(line, key, &v))
		return 0;
	rc = read_u32(line, "ppn", &ppn, err) ?:
	     cs_log_alloc_read(v, &from, err);
	if (!rc)
		rc = make_alloc(m, from, ret, err);
	cs_log_alloc_free(from);
	for (uint32_t i = 0; !rc && i < (*ret)->n_node; i++)
		(*ret)->node[i].procs = ppn;
	if (!rc)
		rc = read_counts(line, procs, false, *ret, err) ?:
		     read_counts(line, memory, true, *ret, err);
	if (rc) {
		cs_alloc_free(*ret);
		*ret = NULL;
	}
	return rc;
}

/* ---- starts and the rest ------------------------------------------------- */

static int read_past(struct json_object *o, struct cs_started *s,
		     struct cs_err *err)
{
	int rc = read_us(o, "done", &s->done_us, err) ?:
		 read_us(o, "at", &s->at_us, err);

	if (rc || !s->at_us)
		return rc;
	s->ran_us = s->at_us - s->start_us;
	return read_us(o, "ran", &s->ran_us, err) ?:
	       read_real(o, "factor", &s->slowdown, err);
}

static int read_start(const struct cs_replay_on *on,
		      const struct cs_log_line *l, struct cs_replay_event *e,
		      struct cs_err *err)
{
	struct cs_started *s = &e->start;
	const char *role = "";
	int rc = cs_replay_alloc(on->machine, l->json, "alloc", "node_procs",
				 "node_mem_mb", &e->alloc, err);

	*s = (struct cs_started){ .job_id = l->job, .array_id = l->array,
				  .start_us = e->ev.t_us, .group = l->group,
				  .limit_us = CS_TIME_NONE, .alloc = e->alloc,
				  .packed = l->packed };
	e->ev.start = s;
	rc = rc ?: read_u32(l->json, "seq", &s->seq, err) ?:
	     read_u32(l->json, "option", &s->option, err) ?:
	     read_us(l->json, "start", &s->start_us, err) ?:
	     read_us(l->json, "limit", &s->limit_us, err) ?:
	     read_text(l->json, "role", &role, err) ?:
	     read_past(l->json, s, err);
	if (!strcmp(role, "primary"))
		s->role = CS_ROLE_PRIMARY;
	else if (!strcmp(role, "matched"))
		s->role = CS_ROLE_MATCHED;
	return rc;
}

static int read_node(const struct cs_log_line *l, struct cs_event *ev,
		     struct cs_err *err)
{
	ev->node.index = l->node[0].first;
	ev->node.up = l->up;
	ev->node.why = NULL;
	return read_text(l->json, "why", &ev->node.why, err);
}

/* The indexes of @nodes, a set, into e->node; how many into *ret_n. */
static int read_indexes(const struct cs_replay_on *on, const char *nodes,
			struct cs_replay_event *e, uint32_t *ret_n,
			struct cs_err *err)
{
	uint32_t n = on->machine->n_node;
	uint64_t *set = calloc(cs_node_words(on->machine), sizeof(*set));
	int rc = -ENOMEM;

	*ret_n = 0;
	e->node = calloc(n, sizeof(*e->node));
	if (set && e->node)
		rc = read_set(nodes, "node", set, n, err);
	for (uint32_t i = 0; !rc && i < n; i++)
		if (cs_bit(set, i))
			e->node[(*ret_n)++] = i;
	free(set);
	return rc;
}

/* What the host predicted for a start that it refused. */
static int read_forecast(const struct cs_replay_on *on,
			 const struct cs_log_line *l, struct cs_replay_event *e,
			 struct cs_err *err)
{
	const char *nodes = NULL;
	int rc = read_text(l->json, "nodes", &nodes, err);

	if (rc || !nodes)
		return rc;
	e->ev.refused.forecast = &e->forecast;
	rc = read_indexes(on, nodes, e, &e->forecast.n, err);
	e->forecast.node = e->node;
	return rc ?: read_us(l->json, "start", &e->forecast.start_us, err);
}

static int read_refused(const struct cs_replay_on *on,
			const struct cs_log_line *l, struct cs_replay_event *e,
			struct cs_err *err)
{
	const char *class = "changed", *why = NULL;
	int rc = read_u32(l->json, "seq", &e->ev.refused.seq, err) ?:
		 read_text(l->json, "class", &class, err) ?:
		 read_text(l->json, "why", &why, err);

	e->ev.refused.why = why;
	e->ev.refused.class = !strcmp(class, "timed")	? CS_REFUSED_TIMED
			      : !strcmp(class, "group") ? CS_REFUSED_GROUP
			      : !strcmp(class, "place") ? CS_REFUSED_PLACE
			      : !strcmp(class, "limit") ? CS_REFUSED_LIMIT
							: CS_REFUSED_CHANGED;
	return rc ?: read_forecast(on, l, e, err);
}

static int read_reservation(const struct cs_replay_on *on,
			    const struct cs_log_line *l,
			    struct cs_replay_event *e, struct cs_err *err)
{
	struct cs_reservation *r = &e->reservation;
	const char *nodes = "";
	int rc = read_text(l->json, "nodes", &nodes, err);

	*r = (struct cs_reservation){ .end_us = CS_TIME_NONE };
	e->ev.reservation = r;
	if (!rc)
		rc = read_indexes(on, nodes, e, &r->n, err);
	r->node = e->node;
	if (!rc)
		rc = cs_replay_alloc(on->machine, l->json, "cores", "", "",
				     &e->alloc, err);
	r->cores = e->alloc;
	return rc ?: read_u32(l->json, "reservation", &r->id, err) ?:
	       read_us(l->json, "start", &r->start_us, err) ?:
	       read_us(l->json, "end", &r->end_us, err) ?:
	       read_u32(l->json, "delay", &r->delay_s, err) ?:
	       read_resv_flags(l->json, &r->flags, err);
}

static const struct {
	bool is;
	enum cs_event_type type;
} types[] = {
	[CS_LOG_SUBMIT] = { true, CS_EV_SUBMIT },
	[CS_LOG_CHANGE] = { true, CS_EV_CHANGE },
	[CS_LOG_REQUEUE] = { true, CS_EV_REQUEUE },
	[CS_LOG_CANCEL] = { true, CS_EV_CANCEL },
	[CS_LOG_START] = { true, CS_EV_STARTED },
	[CS_LOG_REFUSE] = { true, CS_EV_REFUSED },
	[CS_LOG_FINISH] = { true, CS_EV_FINISH },
	[CS_LOG_SUSPEND] = { true, CS_EV_SUSPEND },
	[CS_LOG_RESUME] = { true, CS_EV_RESUME },
	[CS_LOG_LIMIT] = { true, CS_EV_LIMIT },
	[CS_LOG_NODE] = { true, CS_EV_NODE },
	[CS_LOG_RESERVATION] = { true, CS_EV_RESERVATION },
	[CS_LOG_KEPT] = { true, CS_EV_KEPT },
	[CS_LOG_TICK] = { true, CS_EV_TICK },
	[CS_LOG_WOULD] = { false, 0 }, /* the last */
};

static int read_fields(const struct cs_replay_on *on,
		       const struct cs_log_line *l, struct cs_replay_event *e,
		       struct cs_err *err)
{
	switch (e->ev.type) {
	case CS_EV_SUBMIT:
	case CS_EV_CHANGE:
	case CS_EV_REQUEUE:
		return read_job(on, l, e, err);
	case CS_EV_STARTED:
		return read_start(on, l, e, err);
	case CS_EV_REFUSED:
		return read_refused(on, l, e, err);
	case CS_EV_LIMIT:
		e->ev.limit.job_id = l->job;
		e->ev.limit.limit_us = CS_TIME_NONE;
		return read_us(l->json, "limit", &e->ev.limit.limit_us, err);
	case CS_EV_NODE:
		return read_node(l, &e->ev, err);
	case CS_EV_RESERVATION:
		return read_reservation(on, l, e, err);
	case CS_EV_CANCEL:
	case CS_EV_FINISH:
	case CS_EV_SUSPEND:
	case CS_EV_RESUME:
		e->ev.job_id = l->job;
		e->ev.keeps = l->keeps;
		return 0;
	case CS_EV_KEPT:
		e->ev.kept = "";
		return read_text(l->json, "line", &e->ev.kept, err);
	case CS_EV_TICK:
		e->ev.freed = l->freed;
		return 0;
	}
	return -ENOENT;
}

int cs_replay_event_read(const struct cs_replay_on *on,
			 const struct cs_log_line *l,
			 struct cs_replay_event *ret, struct cs_err *err)
{
	int rc;

	memset(ret, 0, sizeof(*ret));
	if (!types[l->ev].is)
		return -ENOENT;
	ret->ev.type = types[l->ev].type;
	ret->ev.t_us = cs_replay_us(l->t);
	rc = read_fields(on, l, ret, err);
	if (rc)
		cs_replay_event_done(ret);
	if (rc == -ENOMEM)
		cs_err_set(err, rc, "no memory");
	return rc;
}

void cs_replay_event_done(struct cs_replay_event *e)
{
	free(e->option);
	free(e->node);
	cs_alloc_free(e->alloc);
	memset(e, 0, sizeof(*e));
}
