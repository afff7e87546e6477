/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event log's lines after the header: the fields of schema.c, and what no row there
 * can express.  A field whose value is its default (cosched-log(5)) is left out.
 */
#include "log/write_line.h"

#include <string.h>

#include "log/json_writer.h"
#include "log/schema.h"
#include "model/topology.h"

/* ---- fields -------------------------------------------------------------- */

/* A line, and what its fields depend on besides their struct. */
struct line {
	struct cs_log_out out;
	const struct cs_engine *engine; /* NULL: no node sets */
	int64_t t_us;
	bool host; /* the host did it */
};

static struct line line_start(char *buf, size_t size, int64_t t_us,
			      const char *ev)
{
	struct line l = { { buf, size, 0, false }, NULL, t_us, false };

	cs_log_put_line_start(&l.out, t_us, ev);
	return l;
}

/* The member of @f as a whole number. */
static int64_t whole(const struct cs_log_field *f, const void *member)
{
	switch (f->form) {
	case CS_LOG_U32:
	case CS_LOG_NAME:
	case CS_LOG_FLAGS:
		return *(const uint32_t *)member;
	case CS_LOG_I32:
		return *(const int32_t *)member;
	case CS_LOG_U64:
	case CS_LOG_MEMORY:
		return (int64_t) * (const uint64_t *)member;
	case CS_LOG_US:
		return *(const int64_t *)member;
	case CS_LOG_TRUE:
		return *(const bool *)member;
	default:
		return 1;
	}
}

static bool left_out(const struct line *l, const struct cs_log_field *f,
		     const void *of)
{
	const char *member = (const char *)of + f->at;

	if (f->form == CS_LOG_BY)
		return !l->host;
	if (f->form == CS_LOG_TEXT)
		return !*(const char *const *)member ||
		       !**(const char *const *)member;
	switch (f->left) {
	case CS_LOG_IF:
		return whole(f, member) == f->usual;
	case CS_LOG_IF_T:
		return whole(f, member) == l->t_us;
	case CS_LOG_IF_LIKE:
		return whole(f, member) ==
		       *(const int64_t *)((const char *)of + f->usual);
	case CS_LOG_UNLESS:
		return !f->said(of);
	case CS_LOG_NEVER:
		break;
	}
	return (f->form == CS_LOG_FLAGS || f->form == CS_LOG_TRUE) &&
	       !whole(f, member);
}

static void put_flags(struct cs_log_out *o, const struct cs_log_field *f,
		      uint32_t flags)
{
	cs_log_put_open(o, '[');
	for (uint32_t i = 0; i < 32 && f->name(i); i++) {
		if (!(flags >> i & 1))
			continue;
		cs_log_put_element(o);
		cs_log_put_string(o, f->name(i), CS_LOG_STRING);
	}
	cs_log_put_close(o, ']');
}

static void put_value(struct cs_log_out *o, const struct cs_log_field *f,
		      const void *member)
{
	switch (f->form) {
	case CS_LOG_U32:
		cs_log_put_unsigned(o, *(const uint32_t *)member);
		break;
	case CS_LOG_U64:
		cs_log_put_unsigned(o, *(const uint64_t *)member);
		break;
	case CS_LOG_I32:
		cs_log_put_int(o, *(const int32_t *)member);
		break;
	case CS_LOG_MEMORY:
		if (*(const uint64_t *)member == CS_MEM_ALL)
			cs_log_put_text(o, "\"all\"");
		else
			cs_log_put_unsigned(o, *(const uint64_t *)member);
		break;
	case CS_LOG_US:
		cs_log_put_seconds(o, *(const int64_t *)member);
		break;
	case CS_LOG_EXACT:
		cs_log_put_exact(o, *(const double *)member);
		break;
	case CS_LOG_ROUNDED:
		cs_log_put_real(o, *(const double *)member);
		break;
	case CS_LOG_TEXT:
		cs_log_put_string(o, *(const char *const *)member,
				  CS_LOG_STRING);
		break;
	case CS_LOG_WHOLE:
		cs_log_put_string(o, *(const char *const *)member,
				  CS_EVENT_KEPT);
		break;
	case CS_LOG_TRUE:
	case CS_LOG_BOOL:
		cs_log_put_text(o, *(const bool *)member ? "true" : "false");
		break;
	case CS_LOG_NAME:
		cs_log_put_string(o, f->name(*(const uint32_t *)member),
				  CS_LOG_STRING);
		break;
	case CS_LOG_FLAGS:
		put_flags(o, f, *(const uint32_t *)member);
		break;
	case CS_LOG_BY:
		cs_log_put_text(o, "\"host\"");
		break;
	case CS_LOG_NODESET:
		break; /* put_nodeset() */
	}
}

static void put_nodeset(struct line *l, const struct cs_log_field *f,
			uint32_t nodeset)
{
	uint32_t words = 0;
	const uint64_t *set =
		l->engine ? cs_engine_nodeset_words(l->engine, nodeset, &words)
			  : NULL;

	if (!set)
		return;
	cs_log_put_key(&l->out, f->key);
	cs_log_put_set(&l->out, set, words);
}

/* Write the fields @part of the struct @of. */
static void put_fields(struct line *l, const struct cs_log_fields *part,
		       const void *of)
{
	for (size_t i = 0; i < part->n; i++) {
		const struct cs_log_field *f = &part->field[i];
		const void *member = (const char *)of + f->at;

		if (f->form == CS_LOG_NODESET) {
			put_nodeset(l, f, *(const uint32_t *)member);
		} else if (!left_out(l, f, of)) {
			cs_log_put_key(&l->out, f->key);
			put_value(&l->out, f, member);
		}
	}
}

/* ---- nodes and cores ----------------------------------------------------- */

/* Indexes in the given order, as "0-3,7". */
static void put_list(struct cs_log_out *o, const uint32_t *index, uint32_t n)
{
	cs_log_put_byte(o, '"');
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = index[i];

		if (i)
			cs_log_put_byte(o, ',');
		while (i + 1 < n && index[i + 1] == index[i] + 1)
			i++;
		cs_log_put_range(o, from, index[i]);
	}
	cs_log_put_byte(o, '"');
}

/* The nodes of @a in the same form. */
static void put_nodes(struct cs_log_out *o, const struct cs_alloc *a)
{
	cs_log_put_byte(o, '"');
	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t from = a->node[i].node;

		if (i)
			cs_log_put_byte(o, ',');
		while (i + 1 < a->n_node &&
		       a->node[i + 1].node == a->node[i].node + 1)
			i++;
		cs_log_put_range(o, from, a->node[i].node);
	}
	cs_log_put_byte(o, '"');
}

/* What is equal on all nodes of a range. */
enum alike { ALIKE_CORES, ALIKE_PROCS, ALIKE_MEMORY, ALIKE_GPUS };

static bool is_alike(const struct cs_alloc *a, uint32_t i, uint32_t k,
		     enum alike what)
{
	switch (what) {
	case ALIKE_CORES:
		return !memcmp(cs_alloc_cores(a, i), cs_alloc_cores(a, k),
			       a->words * sizeof(*a->cores));
	case ALIKE_PROCS:
		return a->node[i].procs == a->node[k].procs;
	case ALIKE_MEMORY:
		return a->node[i].mem_mb == a->node[k].mem_mb;
	case ALIKE_GPUS:
		return a->node[i].gpus == a->node[k].gpus;
	}
	return false;
}

/* {"0-7":..,"8":..}: ranges of nodes on which @what is equal. */
static void member_by_node(struct cs_log_out *o, const char *key,
			   const struct cs_alloc *a, enum alike what)
{
	cs_log_put_key(o, key);
	cs_log_put_open(o, '{');
	for (uint32_t i = 0, k; i < a->n_node; i = k) {
		for (k = i + 1; k < a->n_node; k++)
			if (a->node[k].node != a->node[k - 1].node + 1 ||
			    !is_alike(a, i, k, what))
				break;
		cs_log_put_element(o);
		cs_log_put_byte(o, '"');
		cs_log_put_range(o, a->node[i].node, a->node[k - 1].node);
		cs_log_put_text(o, "\":");
		if (what == ALIKE_CORES)
			cs_log_put_set(o, cs_alloc_cores(a, i), a->words);
		else if (what == ALIKE_GPUS)
			cs_log_put_set(o, &a->node[i].gpus, 1);
		else
			cs_log_put_unsigned(o, what == ALIKE_PROCS
						       ? a->node[i].procs
						       : a->node[i].mem_mb);
	}
	cs_log_put_close(o, '}');
}

/* ppn, alloc, and what differs between its nodes. */
static void put_alloc(struct cs_log_out *o, const struct cs_alloc *a,
		      uint32_t ppn)
{
	bool even = true, memory = false, gpus = false, count = !ppn;

	if (!a)
		return;
	for (uint32_t i = 0; count && i < a->n_node; i++)
		if (a->node[i].procs > ppn)
			ppn = a->node[i].procs;
	for (uint32_t i = 0; i < a->n_node; i++) {
		even &= a->node[i].procs == ppn;
		memory |= a->node[i].mem_mb != 0;
		gpus |= a->node[i].gpus != 0;
	}
	cs_log_add_unsigned(o, "ppn", ppn);
	member_by_node(o, "alloc", a, ALIKE_CORES);
	if (!even)
		member_by_node(o, "node_procs", a, ALIKE_PROCS);
	if (memory)
		member_by_node(o, "node_mem_mb", a, ALIKE_MEMORY);
	if (gpus)
		member_by_node(o, "node_gpus", a, ALIKE_GPUS);
}

static bool has_gpus(const struct cs_alloc *a)
{
	for (uint32_t i = 0; i < a->n_node; i++)
		if (a->node[i].gpus)
			return true;
	return false;
}

/* The proposal, if @got differs from it. */
static void put_planned(struct cs_log_out *o, const struct cs_action *a,
			const struct cs_alloc *got)
{
	const struct cs_alloc *p = a->alloc;

	if (!p || p == got)
		return;
	if (a->type == CS_ACT_HOST_START) {
		cs_log_put_key(o, "within");
		put_nodes(o, p);
	} else if (!cs_alloc_equal(p, got)) {
		member_by_node(o, "planned", p, ALIKE_CORES);
		member_by_node(o, "planned_procs", p, ALIKE_PROCS);
		member_by_node(o, "planned_mem_mb", p, ALIKE_MEMORY);
		if (has_gpus(p) || has_gpus(got))
			member_by_node(o, "planned_gpus", p, ALIKE_GPUS);
	}
}

/* ---- events -------------------------------------------------------------- */

static void put_job(struct line *l, const struct cs_job *j)
{
	struct cs_log_out *o = &l->out;

	put_fields(l, &cs_log_job, j);
	if (!j->n_option)
		return;
	cs_log_put_key(o, "options");
	cs_log_put_open(o, '[');
	for (uint32_t i = 0; i < j->n_option; i++) {
		cs_log_put_element(o);
		cs_log_put_open(o, '{');
		put_fields(l, &cs_log_option, &j->option[i]);
		cs_log_put_close(o, '}');
	}
	cs_log_put_close(o, ']');
}

static void put_started(struct line *l, const struct cs_started *s,
			const struct cs_action *a)
{
	struct cs_log_out *o = &l->out;

	l->host = !s->seq;
	put_fields(l, &cs_log_start, s);
	if (a && a->type == CS_ACT_HOST_START)
		cs_log_add_string(o, "placed", "host");
	put_fields(l, &cs_log_start_option, s);
	put_alloc(o, s->alloc,
		  a && a->type == CS_ACT_START ? a->procs_per_node : 0);
	if (a) {
		put_planned(o, a, s->alloc);
		cs_log_add_unless(o, "needs", a->needs, 0);
		put_fields(l, &cs_log_reasons, a);
		if (a->limit_us && a->limit_us != s->limit_us)
			cs_log_add_seconds(o, "limit_asked", a->limit_us);
	} else {
		put_fields(l, &cs_log_start_group, s);
	}
	put_fields(l, &cs_log_start_times, s);
}

static void put_refused(struct line *l, const struct cs_event *ev,
			const struct cs_action *a)
{
	const struct cs_forecast *f = ev->refused.forecast;

	if (a)
		cs_log_add_unsigned(&l->out, "job", a->job_id);
	put_fields(l, &cs_log_refused, ev);
	if (!f)
		return;
	put_fields(l, &cs_log_forecast, f);
	cs_log_put_key(&l->out, "nodes");
	put_list(&l->out, f->node, f->n);
}

static void put_reservation(struct line *l, const struct cs_reservation *r)
{
	put_fields(l, &cs_log_reservation, r);
	cs_log_put_key(&l->out, "nodes");
	put_list(&l->out, r->node, r->n);
	if (!r->n)
		return;
	put_fields(l, &cs_log_reservation_times, r);
	if (r->cores)
		member_by_node(&l->out, "cores", r->cores, ALIKE_CORES);
	put_fields(l, &cs_log_reservation_flags, r);
}

static void put_event(struct line *l, const struct cs_event *ev,
		      const struct cs_action *action)
{
	switch (ev->type) {
	case CS_EV_SUBMIT:
	case CS_EV_CHANGE:
	case CS_EV_REQUEUE:
		put_job(l, ev->job);
		break;
	case CS_EV_CANCEL:
		put_fields(l, &cs_log_job_id, ev);
		break;
	case CS_EV_FINISH:
		put_fields(l, &cs_log_finish, ev);
		break;
	case CS_EV_SUSPEND:
	case CS_EV_RESUME:
		l->host = !action;
		put_fields(l, &cs_log_stop, ev);
		break;
	case CS_EV_STARTED:
		put_started(l, ev->start, action);
		break;
	case CS_EV_REFUSED:
		put_refused(l, ev, action);
		break;
	case CS_EV_BEGIN:
		put_fields(l, &cs_log_begin, ev);
		break;
	case CS_EV_RESIZE:
		put_fields(l, &cs_log_resize, ev);
		put_alloc(&l->out, ev->resize.alloc, 0);
		break;
	case CS_EV_LIMIT:
		l->host = true;
		put_fields(l, &cs_log_limit, ev);
		break;
	case CS_EV_NODE:
		cs_log_add_unsigned(&l->out, "node", ev->node.index);
		put_fields(l, &cs_log_node, ev);
		if (ev->node.now) {
			cs_log_put_shape(&l->out, ev->node.now);
			cs_log_add_string(&l->out, "name", ev->node.now->name);
		}
		break;
	case CS_EV_NODESET:
		put_fields(l, &cs_log_nodeset, ev);
		break;
	case CS_EV_RESERVATION:
		put_reservation(l, ev->reservation);
		break;
	case CS_EV_KEPT:
		put_fields(l, &cs_log_kept, ev);
		break;
	case CS_EV_TICK:
		put_fields(l, &cs_log_tick, ev);
		break;
	}
}

int cs_log_event(char *buf, size_t size, const struct cs_engine *e,
		 const struct cs_event *ev, const struct cs_action *action)
{
	struct line l = line_start(buf, size, ev->t_us,
				   cs_log_ev_name(cs_log_ev_of(ev->type)));

	l.engine = e;
	put_event(&l, ev, action);
	return cs_log_put_line_end(&l.out);
}

/* ---- decisions ----------------------------------------------------------- */

int cs_log_decide(char *buf, size_t size, int64_t t_us, size_t actions,
		  int64_t steps, const uint64_t *nodes, uint32_t words)
{
	struct line l =
		line_start(buf, size, t_us, cs_log_ev_name(CS_LOG_DECIDE));

	cs_log_add_unsigned(&l.out, "actions", actions);
	if (steps)
		cs_log_add_unsigned(&l.out, "steps", (uint64_t)steps);
	if (nodes) {
		cs_log_put_key(&l.out, "nodes");
		cs_log_put_set(&l.out, nodes, words);
	}
	return cs_log_put_line_end(&l.out);
}

int cs_log_action(char *buf, size_t size, int64_t t_us,
		  const struct cs_action *action, bool would)
{
	const char *name = cs_log_action_name(action->type);
	struct line l = line_start(buf, size, t_us,
				   would ? cs_log_ev_name(CS_LOG_WOULD) : name);

	if (would)
		cs_log_add_string(&l.out, "do", name);
	put_fields(&l, &cs_log_proposal, action);
	put_alloc(&l.out, action->alloc,
		  action->type == CS_ACT_START ? action->procs_per_node : 0);
	put_fields(&l, &cs_log_reasons, action);
	put_fields(&l, &cs_log_outcome, action);
	return cs_log_put_line_end(&l.out);
}

int cs_log_estimates_begin(char *buf, size_t size, int64_t t_us,
			   enum cs_estimate_of of)
{
	struct line l =
		line_start(buf, size, t_us, cs_log_ev_name(CS_LOG_ESTIMATES));

	if (of == CS_ESTIMATE_ALL)
		cs_log_add_string(&l.out, "of", "all");
	return cs_log_put_line_end(&l.out);
}

int cs_log_estimate(char *buf, size_t size, int64_t t_us,
		    const struct cs_estimate *x)
{
	struct line l =
		line_start(buf, size, t_us, cs_log_ev_name(CS_LOG_ESTIMATE));

	put_fields(&l, &cs_log_estimates, x);
	return cs_log_put_line_end(&l.out);
}
