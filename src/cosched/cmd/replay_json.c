/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/replay_json.h"

#include <string.h>

/* Names if the log has them, else indexes. */
static struct cs_build nodes(const struct cs_replay *r,
			     const struct cs_alloc *a)
{
	struct cs_build list = cs_build_list();
	size_t n = r->names ? json_object_array_length(r->names) : 0;

	for (uint32_t i = 0; i < a->n_node; i++) {
		uint32_t node = a->node[i].node;

		if (node < n)
			cs_build_add(&list, NULL,
				     json_object_get(json_object_array_get_idx(
					     r->names, node)));
		else
			cs_build_count(&list, NULL, node);
	}
	return list;
}

/* {"start":S,"nodes":[...]}, {"not_before":S}, or {}: no start. */
static void add_side(struct cs_build *to, const char *key,
		     const struct cs_replay *r, int64_t t_us,
		     const struct cs_alloc *a)
{
	struct cs_build o = cs_build_object(), where;

	if (a) {
		cs_build_time(&o, "start", t_us);
		where = nodes(r, a);
		cs_build_part(&o, "nodes", &where);
	} else if (t_us != CS_TIME_NONE) {
		cs_build_time(&o, "not_before", t_us);
	}
	cs_build_part(to, key, &o);
}

void cs_replay_json_start(struct cs_build *list, const struct cs_replay *r,
			  const struct cs_replay_start *s)
{
	struct cs_build o = cs_build_object();

	cs_build_count(&o, "job", s->job);
	add_side(&o, "then", r, s->then_us, s->then);
	add_side(&o, "now", r, s->now_us, s->now);
	if (s->then && s->now && s->now_us < s->then_us) {
		cs_build_text(&o, "change", "earlier");
		cs_build_time(&o, "seconds", s->then_us - s->now_us);
	} else if (s->then && !s->now) {
		cs_build_text(&o, "change", "later");
		if (s->now_us != CS_TIME_NONE)
			cs_build_time(&o, "seconds", s->now_us - s->then_us);
	} else {
		cs_build_text(&o, "change", s->then ? "elsewhere" : "more");
	}
	cs_build_part(list, NULL, &o);
}

/* A line of a log, as the JSON object that it is. */
static void add_line(struct cs_build *to, const char *key, const char *line)
{
	struct json_object *o = line ? json_tokener_parse(line) : NULL;

	if (o)
		cs_build_add(to, key, o);
	else if (line)
		cs_build_text(to, key, line);
}

static void add_would(struct cs_build *to, const struct cs_replay_would *w)
{
	struct cs_build o = cs_build_object();

	cs_build_count(&o, "log", w->starts);
	cs_build_count(&o, "same", w->same);
	cs_build_count(&o, "elsewhere", w->elsewhere);
	cs_build_count(&o, "earlier", w->earlier);
	if (w->earlier)
		cs_build_real(&o, "earlier_mean_s",
			      w->earlier_s / (double)w->earlier);
	cs_build_count(&o, "later", w->later);
	cs_build_count(&o, "later_known", w->known);
	if (w->known)
		cs_build_real(&o, "later_mean_s",
			      w->later_s / (double)w->known);
	cs_build_count(&o, "more", w->more);
	cs_build_part(to, "starts", &o);
}

int cs_replay_json(const struct cs_replay *r, const char *name,
		   struct cs_build *list)
{
	struct cs_build o = cs_build_object();

	cs_build_count(&o, "left_out", r->skipped);
	if (r->settings) {
		add_would(&o, &r->would);
		cs_build_part(&o, "jobs", list);
		return cs_build_print(&o, stdout);
	}
	json_object_put(cs_build_take(list));
	cs_build_flag(&o, "same", !r->line);
	cs_build_count(&o, "decides", r->decides);
	cs_build_count(&o, "actions", r->actions);
	if (!r->line && r->starts) {
		cs_build_count(&o, "started", r->starts);
		cs_build_real(&o, "mean_wait", r->wait_s / (double)r->starts);
	}
	if (r->line) {
		cs_build_text(&o, "log", name);
		cs_build_count(&o, "line", r->line);
		add_line(&o, "then", r->log);
		add_line(&o, "now", r->engine);
	}
	return cs_build_print(&o, stdout);
}
