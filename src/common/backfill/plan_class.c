/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of nodes: those that a plan need not distinguish.
 *
 * Nodes of one kind in the same partitions and reservations are equal for every job, so
 * a plan counts them (plan.c, rule 1).  There are at most CS_PLAN_KINDS classes; nodes
 * that would need one more stay where they are.  The same goes for nodes in the same
 * parts of the topology, each of which must hold a whole job (topology.c, rule 1), and
 * in a site.
 *
 * Known weakness: if too many parts must share a class, a job may be promised a start
 * that no part has room for; it is then promised another.
 *
 * Reserved cores are a class of their own, after those: for the jobs of the
 * reservation, which have nothing else.  The nodes' class lacks them while it lasts
 * (plan_base.c).  There are CS_PLAN_CLASSES in all; a reservation that would need one
 * more has what it leaves to others.
 *
 * Cost: O(nodes (kinds + sets)), when partitions or reservations change.
 */
#include "backfill/plan_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/site_room.h"
#include "model/sites.h"
#include "model/topology.h"

/* Split each class into the nodes that are in @set and those that are not. */
static void split(struct cs_plan *p, const struct cs_machine *m,
		  const uint64_t *set)
{
	uint32_t twin[CS_PLAN_KINDS];

	memset(twin, 0xff, sizeof(twin));
	for (uint32_t n = 0; n < m->n_node; n++) {
		uint32_t c = p->class_of[n], like = p->like[c];

		if (cs_node_vacant(&m->node[n]) ||
		    cs_bit(set, n) == cs_bit(set, like))
			continue;
		if (twin[c] == UINT32_MAX) {
			if (p->n_class == CS_PLAN_KINDS)
				continue;
			twin[c] = p->n_class++;
			p->like[twin[c]] = n;
		}
		p->class_of[n] = twin[c];
	}
}

/* Start with a class for each kind of node.  Vacant ones, which are always down, are in
 * the first. */
static void kinds(struct cs_plan *p, const struct cs_machine *m)
{
	p->n_class = 0;
	for (uint32_t n = 0; n < m->n_node; n++) {
		uint32_t c = 0;

		p->class_of[n] = 0;
		if (cs_node_vacant(&m->node[n]))
			continue;
		while (c < p->n_class &&
		       !cs_node_same_kind(&m->node[n], &m->node[p->like[c]]))
			c++;
		if (c == p->n_class && c < CS_PLAN_KINDS)
			p->like[p->n_class++] = n;
		p->class_of[n] = c < p->n_class ? c : 0;
	}
	if (!p->n_class)
		p->like[p->n_class++] = 0;
}

static void split_parts(struct cs_plan *p, const struct cs_machine *m)
{
	const struct cs_topology *t = m->topology;
	const uint32_t *part;
	uint32_t n = t && !t->whole ? cs_topology_atoms(t, &part) : 0;

	for (uint32_t i = 0; i < n; i++)
		split(p, m, t->group[part[i]].nodes);
}

static void split_sites(struct cs_plan *p, const struct cs_engine *e)
{
	for (uint32_t i = 0; cs_site_rules(e) && i < e->machine->sites->n; i++)
		split(p, e->machine, e->machine->sites->site[i].nodes);
}

/* The classes that node set @i meets. */
static int meet(struct cs_engine *e, struct cs_plan *p, uint32_t i)
{
	bool in[CS_PLAN_CLASSES] = { false };
	struct cs_classes *s = &p->set[i];

	if (!s->class)
		s->class = calloc(CS_PLAN_CLASSES, sizeof(*s->class));
	if (!s->class)
		return -ENOMEM;
	for (uint32_t n = 0; n < e->machine->n_node; n++)
		if (cs_bit(e->nodeset[i], n) &&
		    !cs_node_vacant(&e->machine->node[n]))
			in[p->class_of[n]] = true;
	s->n = 0;
	for (uint32_t c = 0; c < p->n_kind; c++)
		if (in[c])
			s->class[s->n++] = c;
	return 0;
}

/* Record in the reservations the classes of their nodes. */
static void note_kinds(struct cs_engine *e, struct cs_plan *p)
{
	const size_t sm = (size_t)(e->sm - e->sms);

	for (uint32_t h = 0; h < e->n_held; h++) {
		e->held[h].kinds[sm] = 0;
		for (uint32_t c = 0; c < p->n_kind; c++)
			if (cs_bit(e->held[h].nodes, p->like[c]))
				cs_bit_set(&e->held[h].kinds[sm], c);
	}
}

/* Classes of reserved cores. */
static void cuts(struct cs_engine *e, struct cs_plan *p)
{
	for (uint32_t c = 0; c < p->n_class; c++)
		p->of[c] = c;
	for (uint32_t h = 0; h < e->n_held; h++)
		for (uint32_t c = 0; e->held[h].cores && c < p->n_kind; c++) {
			if (!cs_bit(e->held[h].nodes, p->like[c]) ||
			    p->n_class == CS_PLAN_CLASSES)
				continue;
			p->of[p->n_class] = c;
			p->held[p->n_class] = h;
			p->like[p->n_class++] = p->like[c];
		}
}

uint32_t cs_plan_class_within(const struct cs_plan *p, uint32_t h, uint32_t c)
{
	for (uint32_t i = p->n_kind; i < p->n_class; i++)
		if (p->held[i] == h && p->of[i] == c)
			return i;
	return c;
}

/* Memory for scratch, once; a failed allocation is retried. */
static void *scratch(void *have, size_t n, size_t size)
{
	return have ? have : calloc(n, size);
}

static int room_for_classes(struct cs_engine *e, struct cs_plan *p)
{
	uint32_t nodes = e->machine->n_node;
	struct cs_classes *s;

	p->class_of = scratch(p->class_of, nodes, sizeof(*p->class_of));
	p->release = scratch(p->release, nodes, sizeof(*p->release));
	p->like = scratch(p->like, CS_PLAN_CLASSES, sizeof(*p->like));
	p->of = scratch(p->of, CS_PLAN_CLASSES, sizeof(*p->of));
	p->held = scratch(p->held, CS_PLAN_CLASSES, sizeof(*p->held));
	p->cores = scratch(p->cores, CS_PLAN_LINES, sizeof(*p->cores));
	p->unit = scratch(p->unit, CS_PLAN_CLASSES, sizeof(*p->unit));
	p->up = scratch(p->up, CS_PLAN_CLASSES, sizeof(*p->up));
	p->what_if = scratch(p->what_if, CS_PLAN_LINES, sizeof(*p->what_if));
	p->gpu_line = scratch(p->gpu_line, CS_PLAN_KINDS, sizeof(*p->gpu_line));
	if (!p->gpu_line || !p->class_of || !p->release || !p->like ||
	    !p->cores || !p->unit || !p->up || !p->what_if || !p->of ||
	    !p->held)
		return -ENOMEM;
	s = realloc(p->set, (e->n_nodeset + 1) * sizeof(*s));
	if (!s)
		return -ENOMEM;
	p->set = s;
	while (p->n_set < e->n_nodeset)
		p->set[p->n_set++] = (struct cs_classes){ 0 };
	return 0;
}

static int lines_for_classes(struct cs_plan *p, uint32_t before)
{
	struct cs_timeline **const line[] = { &p->base, &p->line, &p->trial };

	/* leave none with another number of classes if memory runs out */
	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		if (before != p->n_line) {
			cs_timeline_free(*line[i]);
			*line[i] = NULL;
		}
	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
		if (!*line[i])
			*line[i] = cs_timeline_create(p->n_line);
		if (!*line[i])
			return -ENOMEM;
	}
	return 0;
}

int cs_plan_regroup(struct cs_engine *e, struct cs_plan *p)
{
	uint32_t before = p->n_line;
	int rc = room_for_classes(e, p);

	if (rc)
		return rc;
	kinds(p, e->machine);
	split_parts(p, e->machine);
	split_sites(p, e);
	for (uint32_t i = 0; i < e->n_nodeset; i++)
		split(p, e->machine, e->nodeset[i]);
	for (uint32_t i = 0; i < e->n_held; i++)
		split(p, e->machine, e->held[i].nodes);
	p->n_kind = p->n_class;
	note_kinds(e, p);
	cuts(e, p);
	cs_plan_gpu_lines(p, e->machine);
	rc = cs_plan_times_make(e, p);
	for (uint32_t i = 0; !rc && i < e->n_nodeset; i++)
		rc = meet(e, p, i);
	if (!rc)
		rc = lines_for_classes(p, before);
	for (size_t i = 0; i < e->waiting.n; i++)
		e->waiting.job[i]->plan.made = 0;
	e->sm->regroup = rc != 0;
	e->sm->stale = true;
	return rc;
}

bool cs_plan_regroups(const struct cs_engine *e, const struct cs_plan *p)
{
	return e->sm->regroup || !p->line || p->n_set < e->n_nodeset;
}

int cs_plan_join_classes(struct cs_engine *e, uint64_t *nodes)
{
	struct cs_plan *p = e->sm->plan;
	bool meets[CS_PLAN_KINDS] = { false };
	int rc = cs_plan_regroups(e, p) ? cs_plan_regroup(e, p) : 0;

	if (rc)
		return rc;
	for (uint32_t n = 0; n < e->machine->n_node; n++)
		meets[p->class_of[n]] |= cs_bit(nodes, n);
	for (uint32_t n = 0; n < e->machine->n_node; n++)
		if (meets[p->class_of[n]])
			cs_bit_set(nodes, n);
	return 0;
}
