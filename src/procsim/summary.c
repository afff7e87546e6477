/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procsim/summary.h"

#include "sim/json_build.h"

static const char *const slowdowns[CS_MIX_TYPES] = {
	"slowdown_j1", "slowdown_j2", "slowdown_j3",
	"slowdown_j4", "slowdown_bt", "slowdown_mg",
	"slowdown_ft", "slowdown_is", "slowdown_cg"
};

/* @v, or null if it is negative. */
static void ratio(struct cs_build *b, const char *key, double v)
{
	if (v < 0)
		json_object_object_add(b->o, key, NULL);
	else
		cs_build_real(b, key, v);
}

int cs_summary_print(const struct cs_summary *s, const struct cs_procsim *ask,
		     const struct cs_procsim_result *r, FILE *file)
{
	struct cs_build b = cs_build_object();

	if (b.nomem)
		return cs_build_print(&b, file);
	cs_build_text(&b, "scheme", ask->scheme->name);
	cs_build_text(&b, "workload", s->workload);
	cs_build_text(&b, "load", s->load);
	cs_build_count(&b, "seed", ask->seed);
	cs_build_count(&b, "nodes", (uint64_t)ask->set->nodes);
	cs_build_count(&b, "mpl", (uint64_t)ask->set->mpl);
	cs_build_count(&b, "jobs", (uint64_t)ask->set->jobs);
	cs_build_count(&b, "jobs_ended", r->n_ended);
	cs_build_count(&b, "jobs_in_means", r->n_mean);
	cs_build_flag(&b, "capped", r->capped);
	cs_build_real(&b, "response_mean", r->response_s);
	cs_build_real(&b, "wait_mean", r->wait_s);
	cs_build_real(&b, "execution_mean", r->execution_s);
	cs_build_real(&b, "makespan", r->makespan_s);
	cs_build_real(&b, "throughput", r->throughput);
	ratio(&b, "bcr", r->bcr);
	ratio(&b, "fdr", r->fdr);
	for (unsigned t = 0; t < CS_MIX_TYPES; t++)
		ratio(&b, slowdowns[t], r->slowdown[t]);
	cs_build_count(&b, "switches", r->switches);
	cs_build_count(&b, "conflicts", r->conflicts);
	cs_build_count(&b, "falses", r->falses);
	cs_build_real(&b, "compute", r->compute_s);
	cs_build_real(&b, "communicate", r->communicate_s);
	cs_build_real(&b, "spin", r->spin_s);
	cs_build_real(&b, "switching", r->switch_s);
	cs_build_real(&b, "overhead", r->overhead_s);
	cs_build_real(&b, "idle", r->idle_s);
	cs_build_real(&b, "empty", r->empty_s);
	cs_build_real(&b, "blocked", r->blocked_s);
	cs_build_count(&b, "events", r->events);
	cs_build_real(&b, "wall_seconds", s->wall_s);
	cs_build_real(&b, "events_per_second",
		      s->wall_s > 0 ? (double)r->events / s->wall_s : 0);
	return cs_build_print(&b, file);
}
