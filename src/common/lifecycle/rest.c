/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that rest: a time slice has stopped them, and others run on their cores meanwhile.
 *
 * Rules.
 *  1. Who rests holds no core and stands in no list of his nodes; without swap he
 *     keeps his memory.  So the machine shows who runs at this moment, and no core has
 *     two of those.
 *  2. A stop that was asked for is done until it is refused.  Then the job is back on its
 *     cores, which nobody has taken meanwhile: only when all stops of a decide have been
 *     answered does another let somebody start or go on.
 *  3. Its slice knows where it comes back to; only an end, or a suspend by somebody else,
 *     gives that up.
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
