/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simestimates.h"

int cs_simestimates_make(struct cs_estimator *s, const struct cs_engine *e,
			 const struct cs_jobids *ids, struct cs_simlog *log,
			 int64_t now_us, struct cs_estimate *ret,
			 struct cs_err *err)
{
	const struct cs_estimate *made;
	uint32_t n;
	bool more;
	int rc = cs_estimator_begin(s, e, CS_ESTIMATE_NEW, &more, err);

	if (rc || !more)
		return rc;
	cs_simlog_estimates(log, now_us);
	while (!rc && more)
		rc = cs_estimator_step(s, INT64_MAX, &more);
	if (rc)
		return rc;
	made = cs_estimator_made(s, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (made[i].start_us != CS_TIME_NONE)
			ret[cs_jobids_find(ids, made[i].job_id)] = made[i];
		cs_simlog_estimate(log, &made[i]);
	}
	return 0;
}
