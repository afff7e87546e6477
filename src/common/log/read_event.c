/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What read_line.c leaves out: all that needs the machine, such as sets of nodes and
 * cores. */
#include "log/read_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log/read_field.h"

/* ---- sets of nodes ------------------------------------------------------- */

static int beyond(const char *what, uint32_t n, uint32_t most,
		  struct cs_err *err)
{
	return cs_err_set(err, -EINVAL, "%s %u, expected at most %u", what, n,
			  most);
}

/* "0-3,7" into @set of @n bits; "" is the empty set. */
static int read_set(const char *text, const char *what, uint64_t *set,
		    uint32_t n, struct cs_err *err)
{
	struct cs_range *r;
	size_t k;
	int rc;

	if (!*text)
		return 0;
	rc = cs_log_ranges_read(text, what, &r, &k, err);
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

int cs_log_read_decide_nodes(const struct cs_machine *m,
			     const struct cs_log_line *l, uint64_t **ret,
			     struct cs_err *err)
{
	const char *text = NULL;
	int rc = cs_log_text(l->json, "nodes", &text, err);

	*ret = NULL;
	if (rc || !text)
		return rc;
	*ret = calloc(cs_node_words(m), sizeof(**ret));
	rc = *ret ? read_set(text, "node", *ret, m->n_node, err) : -ENOMEM;
	if (rc) {
		free(*ret);
		*ret = NULL;
	}
	return rc;
}

/* The engine's number for the node set @key of @o; by default all nodes. */
static int read_nodeset(const struct cs_replay_on *on, struct json_object *o,
			const char *key, uint32_t *ret, struct cs_err *err)
{
	uint32_t n = on->machine->n_node;
	uint64_t *set = calloc(cs_node_words(on->machine), sizeof(*set));
	const char *text = NULL;
	int64_t number = -ENOMEM;
	int rc = set ? 0 : -ENOMEM;

	if (!rc && o)
		rc = cs_log_text(o, key, &text, err);
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
	struct cs_log_in in = { o, 0, false };
	int rc;

	*ret = (struct cs_job_partition){ .limit_max_us = CS_TIME_NONE };
	if (o && !json_object_is_type(o, json_type_object))
		return cs_log_wrong(o, "options", "objects", err);
	rc = read_nodeset(on, o, "nodes", &ret->nodeset, err);
	return rc || !o ? rc
			: cs_log_read_fields(&in, &cs_log_option, ret, err);
}

static int read_options(const struct cs_replay_on *on, struct json_object *o,
			struct cs_replay_event *e, struct cs_err *err)
{
	struct json_object *list = NULL;
	size_t n = 1;
	int rc = 0;

	if (json_object_object_get_ex(o, "options", &list)) {
		if (!json_object_is_type(list, json_type_array))
			return cs_log_wrong(list, "options", "a list", err);
		n = json_object_array_length(list);
	}
	e->option = calloc(n ? n : 1, sizeof(*e->option));
	if (!e->option)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++)
		rc = read_option(
			on, list ? json_object_array_get_idx(list, i) : NULL,
			&e->option[i], err);
	e->job.option = e->option;
	e->job.n_option = (uint32_t)n;
	return rc;
}

static int read_job(const struct cs_replay_on *on, const struct cs_log_line *l,
		    struct cs_replay_event *e, struct cs_err *err)
{
	e->job = l->submitted;
	e->ev.job = &e->job;
	return read_options(on, l->json, e, err);
}

/* ---- allocations --------------------------------------------------------- */

const struct cs_log_alloc_keys cs_log_alloc_keys = { "alloc", "node_procs",
						     "node_mem_mb",
						     "node_gpus" };
const struct cs_log_alloc_keys cs_log_planned_keys = {
	"planned", "planned_procs", "planned_mem_mb", "planned_gpus"
};

static int fill_part(const struct cs_machine *m,
		     const struct cs_log_alloc *from,
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

/* Set @v for the nodes "0-3,7" of the allocation. */
static int count_nodes(struct cs_alloc *a, const char *nodes, bool memory,
		       int64_t v, struct cs_err *err)
{
	struct cs_range *r;
	size_t n, k = 0;
	int rc = cs_log_ranges_read(nodes, "nodes", &r, &n, err);

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
		return cs_log_wrong(v, key, "an object", err);
	json_object_object_foreach(v, nodes, x) {
		if (!json_object_is_type(x, json_type_int) ||
		    json_object_get_int64(x) < 0)
			rc = cs_log_wrong(x, key, "integers of 0 or more", err);
		if (!rc)
			rc = count_nodes(a, nodes, memory,
					 json_object_get_int64(x), err);
		if (rc)
			break;
	}
	return rc;
}

/* The GPUs @v, a list of numbers, for the nodes "0-3,7" of the allocation; "" is written for
 * nodes on which the job has none. */
static int gpus_of_nodes(const struct cs_machine *m, struct cs_alloc *a,
			 const char *nodes, const char *v, struct cs_err *err)
{
	struct cs_range *r = NULL;
	size_t n, k = 0;
	uint64_t set = 0;
	int rc = cs_log_ranges_read(nodes, "nodes", &r, &n, err)
			 ?: cs_log_gpus_read(v, &set, err);

	for (uint32_t i = 0; !rc && i < a->n_node; i++) {
		uint32_t at = a->node[i].node;

		while (k < n && r[k].last < at)
			k++;
		if (k == n || r[k].first > at)
			continue;
		if (set & ~cs_gpus_of(m->node[at].gpus, 0))
			rc = cs_err_set(err, -EINVAL,
					"GPUs '%.40s' of node %u, expected "
					"some that it has",
					v, at);
		a->node[i].gpus = set;
	}
	free(r);
	return rc;
}

/* {"0-3":"0,2",...} under @key. */
static int read_gpus(const struct cs_machine *m, struct json_object *o,
		     const char *key, struct cs_alloc *a, struct cs_err *err)
{
	struct json_object *v;
	int rc = 0;

	if (!json_object_object_get_ex(o, key, &v))
		return 0;
	if (!json_object_is_type(v, json_type_object))
		return cs_log_wrong(v, key, "an object", err);
	json_object_object_foreach(v, nodes, x) {
		if (!json_object_is_type(x, json_type_string))
			rc = cs_log_wrong(x, key, "lists such as \"0-2,5\"",
					  err);
		else
			rc = gpus_of_nodes(m, a, nodes,
					   json_object_get_string(x), err);
		if (rc)
			break;
	}
	return rc;
}

int cs_log_read_alloc(const struct cs_machine *m, struct json_object *line,
		      const struct cs_log_alloc_keys *key,
		      struct cs_alloc **ret, struct cs_err *err)
{
	struct cs_log_alloc *from = NULL;
	struct json_object *v;
	uint32_t ppn = 1;
	int rc;

	*ret = NULL;
	if (!json_object_object_get_ex(line, key->cores, &v))
		return 0;
	rc = cs_log_uint(line, "ppn", 0, UINT32_MAX, &ppn, err);
	if (rc && rc != -ENOENT)
		return rc;
	rc = cs_log_alloc_read(v, &from, err);
	if (!rc)
		rc = make_alloc(m, from, ret, err);
	cs_log_alloc_free(from);
	for (uint32_t i = 0; !rc && i < (*ret)->n_node; i++)
		(*ret)->node[i].procs = ppn;
	if (!rc)
		rc = read_counts(line, key->procs, false, *ret, err) ?:
		     read_counts(line, key->memory, true, *ret, err) ?:
		     read_gpus(m, line, key->gpus, *ret, err);
	if (rc) {
		cs_alloc_free(*ret);
		*ret = NULL;
	}
	return rc;
}

/* ---- starts and the rest ------------------------------------------------- */

static int read_start(const struct cs_replay_on *on,
		      const struct cs_log_line *l, struct cs_replay_event *e,
		      struct cs_err *err)
{
	int rc = cs_log_read_alloc(on->machine, l->json, &cs_log_alloc_keys,
				   &e->alloc, err);

	e->start = l->start;
	e->start.alloc = e->alloc;
	e->ev.start = &e->start;
	return rc;
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

/* The host's prediction for a start that it refused. */
static int read_forecast(const struct cs_replay_on *on,
			 const struct cs_log_line *l, struct cs_replay_event *e,
			 struct cs_err *err)
{
	struct cs_log_in in = { l->json, e->ev.t_us, false };
	const char *nodes = NULL;
	int rc = cs_log_text(l->json, "nodes", &nodes, err);

	if (rc || !nodes)
		return rc;
	e->ev.refused.forecast = &e->forecast;
	rc = read_indexes(on, nodes, e, &e->forecast.n, err);
	e->forecast.node = e->node;
	return rc
		       ?: cs_log_read_fields(&in, &cs_log_forecast,
					     &e->forecast, err);
}

static int read_reservation(const struct cs_replay_on *on,
			    const struct cs_log_line *l,
			    struct cs_replay_event *e, struct cs_err *err)
{
	static const struct cs_log_alloc_keys cores = { "cores", "", "", "" };
	struct cs_reservation *r = &e->reservation;
	const char *nodes = "";
	int rc = cs_log_text(l->json, "nodes", &nodes, err);

	*r = l->reservation;
	e->ev.reservation = r;
	if (!rc)
		rc = read_indexes(on, nodes, e, &r->n, err);
	r->node = e->node;
	if (!rc)
		rc = cs_log_read_alloc(on->machine, l->json, &cores, &e->alloc,
				       err);
	r->cores = e->alloc;
	return rc;
}

static int read_resize(const struct cs_replay_on *on,
		       const struct cs_log_line *l, struct cs_replay_event *e,
		       struct cs_err *err)
{
	int rc = cs_log_read_alloc(on->machine, l->json, &cs_log_alloc_keys,
				   &e->alloc, err);

	e->ev.resize.alloc = e->alloc;
	return rc;
}

static int read_nodesets(const struct cs_replay_on *on, struct json_object *o,
			 struct cs_event *ev, struct cs_err *err)
{
	return read_nodeset(on, o, "from", &ev->nodeset.from, err)
		       ?: read_nodeset(on, o, "to", &ev->nodeset.to, err);
}

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
	case CS_EV_RESIZE:
		return read_resize(on, l, e, err);
	case CS_EV_REFUSED:
		return read_forecast(on, l, e, err);
	case CS_EV_NODESET:
		return read_nodesets(on, l->json, &e->ev, err);
	case CS_EV_RESERVATION:
		return read_reservation(on, l, e, err);
	case CS_EV_NODE:
		e->now = l->now;
		e->gpus = l->gpus;
		e->now.gpus = l->now.gpus ? &e->gpus : NULL;
		e->ev.node.now = l->becomes ? &e->now : NULL;
		return 0;
	default:
		return 0;
	}
}

int cs_replay_event_read(const struct cs_replay_on *on,
			 const struct cs_log_line *l,
			 struct cs_replay_event *ret, struct cs_err *err)
{
	int rc;

	memset(ret, 0, sizeof(*ret));
	if (cs_log_kinds[l->ev].event < 0)
		return -ENOENT;
	ret->ev = l->event;
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
