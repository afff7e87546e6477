// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The node page: what is counted, by core and by job.
 *
 * Times of ranks are what their boards claim; here they are bounded by the lives that
 * the same rows claim, and these by the agent's clock.
 */
#include <string.h>

#include "agent/agent.h"

static uint64_t at_most(uint64_t x, uint64_t bound)
{
	return x < bound ? x : bound;
}

static struct cs_node_job *job_of(struct cs_node_report *p,
				  const struct cs_rank *r)
{
	struct cs_node_job *j;

	for (uint32_t i = 0; i < p->n_job; i++)
		if (p->job[i].uid == r->uid && !strcmp(p->job[i].key, r->key))
			return &p->job[i];
	if (p->n_job == CS_NODE_JOBS)
		return NULL;
	j = &p->job[p->n_job++];
	memset(j, 0, sizeof *j);
	memcpy(j->key, r->key, sizeof r->key);
	j->uid = r->uid;
	j->job = r->row.job;
	j->step = r->row.step;
	j->mode = r->row.mode;
	return j;
}

static void add_rank(struct cs_node_report *p, const struct cs_rank *r,
		     int64_t now_ns)
{
	struct cs_node_job *j = job_of(p, r);
	uint64_t posted_ns = at_most(r->row.posted_ns, (uint64_t)now_ns);
	uint64_t life_ns = posted_ns - at_most(r->row.begun_ns, posted_ns);
	uint64_t slept_ns = at_most(r->row.slept_ns, life_ns);

	if (!j)
		return;
	j->ranks++;
	j->life_ns += life_ns;
	j->slept_ns += slept_ns;
	j->spun_ns += at_most(r->row.spun_ns, life_ns - slept_ns);
	j->sleeps += at_most(r->row.sleeps, UINT32_MAX);
	j->tokens += r->tokens;
}

static void add_core(struct cs_agent *a, int cpu, uint32_t ranks)
{
	const struct cs_core *c = &a->core[cpu];
	struct cs_node_report *p = &a->report;

	if (!ranks && !c->counts.switches)
		return;
	p->core[p->n_core++] = (struct cs_node_core){
		.cpu = (uint32_t)cpu,
		.ranks = ranks,
		.switches = c->counts.switches,
		.conflicts = c->counts.conflicts,
		.falses = c->counts.falses,
		.forced = c->forced,
		.boosts = a->boosts[cpu],
		.ed_ns = c->l.ed_ns,
		.enp = c->l.enp,
	};
}

/* The node's ED and ENP: the mean of its cores. */
static void mean_of_cores(struct cs_agent *a)
{
	const struct cs_node_report *p = &a->report;
	struct cs_proc_latency sum = { 0 };

	for (uint32_t i = 0; i < p->n_core; i++) {
		sum.ed_ns += p->core[i].ed_ns;
		sum.enp += p->core[i].enp;
	}
	if (p->n_core) {
		sum.ed_ns /= p->n_core;
		sum.enp /= p->n_core;
	}
	a->here = sum;
}

int cs_agent_report(struct cs_agent *a, int64_t now_ns)
{
	struct cs_node_report *p = &a->report;
	uint32_t ranks[CS_NODE_CPUS] = { 0 };

	p->n_core = p->n_job = 0;
	p->head.n_rank = 0;
	for (uint32_t i = 0; i < a->rows; i++) {
		const struct cs_rank *r = &a->rank[i];

		if (!r->used)
			continue;
		p->head.n_rank++;
		add_rank(p, r, now_ns);
		if (r->p.cpu >= 0 && r->p.cpu < CS_NODE_CPUS)
			ranks[r->p.cpu]++;
	}
	for (int cpu = 0; cpu < CS_NODE_CPUS; cpu++)
		add_core(a, cpu, ranks[cpu]);
	mean_of_cores(a);
	p->head.boost = a->boost;
	p->head.sees = a->sees;
	p->head.refused = a->refused + a->bad;
	p->head.beat_ns = (uint64_t)now_ns;
	return cs_node_page_write(a->page, p);
}
