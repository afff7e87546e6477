/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Promised starts, kept or not.
 *
 * Problem.  A site wants to know how far its users may rely on a promised start.
 *
 * Rules.
 *  1. The first start that a job is promised counts, on the host's clock: by a
 *     reservation (easy.c), a plan (plan.c), a time slot or the host's own forecast.
 *     Later promises, better or worse, do not.
 *  2. When the job starts by our proposal, the promise is kept if that is at most
 *     CS_PLEDGE_LATE_US after it, else late.  A job that starts in its first pass was
 *     promised nothing, and counts in neither.
 *  3. A promise does not bind once the request has changed, or the job is blocked
 *     (held, say): it is then the owner's doing.  All else does count: jobs of higher
 *     priority that come later, lost nodes, limits that were raised.
 *  4. Each task of an array has its own; the array has that of its next one.
 *
 * The tolerance.  Slurm looks at time limits every 30 s and gives a job 30 s (KillWait)
 * to end, so nodes promised at a job's limit may be free a minute later.
 *
 * Known weakness: an engine that is built anew has its jobs' promises from then on.  A
 * job that is cancelled after its promised start is in neither count.
 */
#include "job/pledge.h"

#include "job/progress.h"
#include "state/pass.h"

void cs_pledge_note(const struct cs_engine *e, struct cs_ejob *j)
{
	if (!j->pledged_us && cs_waits(j) &&
	    j->verdict.start_us != CS_TIME_NONE)
		j->pledged_us =
			cs_progress_host_start_us(e, j, j->verdict.start_us);
}

void cs_pledge_started(struct cs_engine *e, struct cs_ejob *j, int64_t start_us)
{
	if (j->pledged_us && start_us - j->pledged_us <= CS_PLEDGE_LATE_US)
		e->pledges.kept++;
	else if (j->pledged_us)
		e->pledges.late++;
	j->pledged_us = 0;
}

void cs_pledge_hand_over(struct cs_ejob *to, struct cs_ejob *from)
{
	if (from->pledged_us &&
	    (!to->pledged_us || from->pledged_us < to->pledged_us))
		to->pledged_us = from->pledged_us;
	from->pledged_us = 0;
}

void cs_pledge_drop(struct cs_ejob *j)
{
	j->pledged_us = 0;
}
