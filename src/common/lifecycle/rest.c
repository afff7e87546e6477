/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resting jobs: a time slice has stopped them, and others run on their cores in the
 * meantime.
 *
 * Rules.
 *  1. A resting job holds no core and is in no list of its nodes; without swap it keeps
 *     its memory.  So the machine shows the jobs running now, and no core has two of
 *     them.
 *  2. A requested stop counts as done unless refused.  If refused, the job is back on
 *     its cores, which no job has taken: the next decide starts or resumes jobs only
 *     when all stops have been answered.
 *  3. Its slice knows where it resumes; only its end, or a suspend by the host, gives
 *     that up.
 */
#include "lifecycle/rest.h"

#include <errno.h>

#include "job/progress.h"
#include "lifecycle/booking.h"
#include "slice/slice.h"
#include "state/jobtable.h"

static void rest(struct cs_engine *e, struct cs_ejob *j)
{
	cs_booking_rest(e, j);
	cs_jobtable_move(e, j, CS_STOPPED);
	cs_speed_note(e, j);
}

static int back(struct cs_engine *e, struct cs_ejob *j)
{
	int rc;

	e->sm = cs_sm_of(e, j);
	if (!cs_occ_is_free(&e->sm->now, j->alloc))
		return -EINVAL;
	cs_progress_bring(j, e->now_us);
	cs_jobtable_move(e, j, CS_RUNNING);
	rc = cs_booking_back(e, j);
	if (rc)
		cs_jobtable_move(e, j, CS_STOPPED);
	cs_speed_note(e, j);
	return rc;
}

void cs_rest_begin(struct cs_engine *e, struct cs_ejob *j)
{
	if (e->params.swap != CS_NO)
		cs_booking_give_memory(e, j);
	cs_jobtable_move(e, j, CS_STOPPED);
	cs_tell(e->slice, booked, e, j, 1);
	cs_speed_note(e, j);
	j->retry_us = e->now_us + e->params.slice_rest_s * CS_SECOND_US;
}

int cs_rest_stop(struct cs_engine *e, struct cs_ejob *j)
{
	if (!cs_slice_ask(e, j, CS_ACT_SUSPEND))
		return -ENOMEM;
	rest(e, j);
	return 0;
}

int cs_rest_go_on(struct cs_engine *e, struct cs_ejob *j)
{
	int rc = cs_actions_reserve(e, 1) ?: back(e, j);

	if (!rc)
		cs_slice_ask(e, j, CS_ACT_RESUME);
	return rc;
}

int cs_rest_refused(struct cs_engine *e, struct cs_ejob *j)
{
	int rc = 0;

	if (j->state == CS_STOPPED)
		rc = back(e, j);
	else
		rest(e, j);
	j->retry_us = e->now_us + e->params.retry_s * CS_SECOND_US;
	return rc;
}

int cs_rest_moved(struct cs_engine *e, struct cs_ejob *j, bool stopped)
{
	int rc = 0;

	if (stopped)
		rest(e, j);
	else
		rc = back(e, j);
	j->retry_us = e->now_us + e->params.slice_rest_s * CS_SECOND_US;
	return rc;
}
