/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload.h"

#include <errno.h>
#include <string.h>

#include "lublin.h"
#include "common/params/params.h"
#include "uniformlog.h"

static const struct cs_workload models[] = {
	{ "lublin", true, 128, 10000, 1, 0, 0, 0, false, false,
	  CS_RESIZE_POW2 },
	{ "uniform-log", false, 128, 10000, 1, 0, .7, 0, false, false,
	  CS_RESIZE_POW2 },
	{ "w1", true, 128, 10000, 1, 10.33, 0, 0, false, true, CS_RESIZE_POW2 },
	{ "w2", true, 128, 10000, 1, 9.83, 0, 0, false, true, CS_RESIZE_POW2 },
};

int cs_workload_model(struct cs_workload *ret, const char *name)
{
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		if (strcmp(name, models[i].model))
			continue;
		*ret = models[i];
		return 0;
	}
	return -EINVAL;
}

static int generate(const struct cs_workload *w, struct cs_trace *t,
		    struct cs_err *err)
{
	const struct cs_lublin lublin = { .nodes = (uint32_t)w->nodes,
					  .jobs = (uint32_t)w->jobs,
					  .seed = (uint64_t)w->seed,
					  .types = w->types,
					  .alpha = w->alpha };
	const struct cs_uniformlog log = { .nodes = (uint32_t)w->nodes,
					   .jobs = (uint32_t)w->jobs,
					   .seed = (uint64_t)w->seed,
					   .load = w->load,
					   .slot_s = (uint32_t)w->slot_s };

	return w->lublin ? cs_lublin_generate(t, &lublin, err)
			 : cs_uniformlog_generate(t, &log, err);
}

int cs_workload_generate(struct cs_trace *ret, const struct cs_workload *w,
			 struct cs_err *err)
{
	struct cs_resize_limits limits;
	struct cs_params params;
	int rc;

	if (cs_params_init(&params, CS_HOST_SIM))
		return cs_err_set(err, -ENOMEM, "no memory");
	limits = (struct cs_resize_limits){ params.max_slowdown,
					    params.self_slowdown2 };
	cs_params_done(&params);
	rc = generate(w, ret, err);
	if (!rc && w->modify)
		cs_resize_trace(ret, (uint64_t)w->seed, (uint32_t)w->nodes,
				w->resize, &limits);
	return rc;
}
