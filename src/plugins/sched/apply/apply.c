/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's actions, one by one in order, until the locks must be released or
 * scheduling is halted.  Every start, stop and resume is answered; one whose `needs` was
 * refused is refused too, as part of its group, and so is a job left to Slurm's test after
 * another has started by it.  Before a start the jobs are tried that go before it and may
 * preempt (preempt.c, rule 6).
 */
#include "sched/apply/apply.h"

#include "sched/apply/apply_slice.h"
#include "sched/apply/start_step.h"
#include "sched/feed/feed_event.h"

static bool was_refused(const struct cs_adapter *b, uint32_t seq)
{
	for (size_t i = 0; i < b->batch.n_refused; i++)
		if (b->batch.refused[i] == seq)
			return true;
	return false;
}

static int one(struct cs_adapter *b, const struct cs_action *a,
	       int64_t until_us, struct cs_err *err)
{
	static const struct cs_refusal group = { CS_REFUSED_GROUP,
						 "its partner could not start",
						 false };
	static const struct cs_refusal behind = {
		CS_REFUSED_GROUP, "another job was placed first", false
	};

	cs_feed_now_us(b);
	switch (a->type) {
	case CS_ACT_HOST_START:
		if (b->batch.host_started)
			return cs_start_step_refuse(b, a, &behind, err);
		return cs_apply_start(b, a, until_us, err);
	case CS_ACT_START:
		if (a->needs && was_refused(b, a->needs))
			return cs_start_step_refuse(b, a, &group, err);
		return cs_apply_start(b, a, until_us, err);
	case CS_ACT_LIMIT:
		cs_feed_log_action(b, a, false); /* the engine relies on it */
		cs_apply_limit(b, a);
		return 0;
	case CS_ACT_DISBAND:
		cs_apply_disband(b, a);
		return 0;
	case CS_ACT_JOINED:
		cs_apply_joined(b, a);
		return 0;
	case CS_ACT_SUSPEND:
	case CS_ACT_RESUME:
		if (a->needs && was_refused(b, a->needs))
			return cs_start_step_refuse(b, a, &group, err);
		return cs_apply_slice(b, a, err);
	case CS_ACT_SLICE:
		cs_feed_log_action(b, a, false);
		return 0;
	}
	return 0;
}

int cs_apply(struct cs_adapter *b, int64_t until_us, struct cs_err *err)
{
	int rc = 0;

	while (!rc && b->batch.next < b->batch.n_action) {
		const struct cs_action *a = &b->batch.action[b->batch.next];

		if (cs_apply_slice_guards(b, a))
			return CS_ADAPTER_GUARD;
		if (a->type == CS_ACT_START || a->type == CS_ACT_HOST_START)
			rc = cs_preempt(b, a, until_us, err);
		if (rc)
			break;
		b->batch.next++;
		rc = one(b, a, until_us, err);
		if (cs_step_over(b, until_us))
			break;
	}
	return rc ? rc : b->batch.next < b->batch.n_action;
}

int cs_apply_refuse(struct cs_adapter *b, const struct cs_refusal *why,
		    struct cs_err *err)
{
	int rc = 0;

	while (!rc && b->batch.next < b->batch.n_action) {
		const struct cs_action *a = &b->batch.action[b->batch.next++];

		rc = a->seq ? cs_start_step_refuse(b, a, why, err)
			    : one(b, a, 0, err);
	}
	return rc;
}
