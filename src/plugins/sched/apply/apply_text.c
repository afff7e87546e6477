/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What squeue shows for a waiting job: why it waits, when and where it will start.
 *
 * A job whose reason is none, priority or resources gets the engine's line behind that
 * word, as Slurm has its own ("ReqNodeNotAvail, UnavailableNodes:n1"), so that who looks
 * for the word finds it; any other reason is Slurm's and stays, say of one of the job's
 * partitions that is down.  A job with such a reason has the start that it is promised,
 * and no line: Slurm takes that away whenever it looks at the job.  The snapshot holds a
 * hash of what was shown, so only what differs is looked up and written.
 * Stock's main loop, where a site leaves it on, writes its own reasons: ours come
 * back behind its next pass.  A start is predicted in whole seconds; one that should
 * have come by now is not shown.
 *
 * When mode act ends all that is taken back; stock's backfill writes its own with its
 * next pass.  Every start predicted until then is ours, also where no reason says so.
 *
 * A job that could not run with all nodes up and empty is named in the log, once, and
 * in cosched status while it waits.
 */
#include "sched/apply/apply.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sched/apply/reason.h"
#include "sched/view/view_table.h"

#define MARK "cosched: "

struct shown {
	char text[192];	 /* MARK and the line */
	int64_t start_s; /* 0: not predicted */
	const uint64_t *nodes;
};

static bool compute(const struct cs_adapter *b, uint32_t id, struct shown *ret)
{
	int64_t at;
	size_t mark = strlen(MARK);

	memcpy(ret->text, MARK, mark + 1);
	if (cs_reason(b, id, ret->text + mark, sizeof(ret->text) - mark) < 0)
		return false;
	if (!ret->text[mark])
		return false;
	if (!strncmp(ret->text + mark, MARK, mark))
		memmove(ret->text, ret->text + mark,
			strlen(ret->text + mark) + 1);
	ret->nodes = NULL;
	at = cs_engine_host_start_us(b->engine, id, &ret->nodes);
	ret->start_s = at == CS_TIME_NONE || at <= b->now_us
			       ? 0
			       : (at + 999999) / 1000000;
	return true;
}

/* Slurm's word for why it waits, where that is ours to say more of. */
static const char *word(bool priority)
{
	return priority ? "Priority, " : "Resources, ";
}

/* What squeue shows with that word; NULL where it shows Slurm's own. */
static const char *whole(const struct shown *s, bool priority, bool theirs,
			 char *buf, size_t size)
{
	snprintf(buf, size, "%s%s", word(priority), s->text);
	return theirs ? NULL : buf;
}

static char *node_names(const struct cs_adapter *b, const uint64_t *words)
{
	bitstr_t *nodes;
	char *names;

	if (!words)
		return NULL;
	nodes = bit_alloc(b->view->machine->n_node);
	for (uint32_t i = 0; i < b->view->machine->n_node; i++)
		if (cs_bit(words, i))
			bit_set(nodes, i);
	names = bitmap2node_name(nodes);
	FREE_NULL_BITMAP(nodes);
	return names;
}

static void show(const struct cs_adapter *b, uint32_t id, const struct shown *s)
{
	job_record_t *job_ptr = find_job_record(id);
	char text[256];
	bool theirs;

	if (!job_ptr || !IS_JOB_PENDING(job_ptr) || !job_ptr->priority)
		return;
	/* Slurm looks at it again only when it starts a job itself */
	if (job_ptr->state_reason == WAIT_NO_REASON ||
	    (job_ptr->state_reason == WAIT_RESERVATION && job_ptr->resv_ptr &&
	     job_ptr->resv_ptr->start_time <= time(NULL)) ||
	    (cs_job_lacks_nodes(job_ptr) && !cs_explain_never(b->engine, id)))
		job_ptr->state_reason = WAIT_RESOURCES;
	theirs = job_ptr->state_reason != WAIT_RESOURCES &&
		 job_ptr->state_reason != WAIT_PRIORITY;
	whole(s, job_ptr->state_reason == WAIT_PRIORITY, theirs, text,
	      sizeof(text));
	if (!theirs && xstrcmp(job_ptr->state_desc, text)) {
		xfree(job_ptr->state_desc);
		job_ptr->state_desc = xstrdup(text);
	}
	job_ptr->start_time = (time_t)s->start_s;
	xfree(job_ptr->sched_nodes);
	if (s->start_s)
		job_ptr->sched_nodes = node_names(b, s->nodes);
	last_job_update = time(NULL);
}

/* Could it not run with all nodes up and empty?  Asked once per description. */
static bool fits_nowhere(const struct cs_adapter *b, struct cs_known_job *k)
{
	if (!cs_explain_never(b->engine, k->id) &&
	    k->kept != CS_KEPT_PART_NODES)
		return false;
	if (k->fit == CS_FIT_UNKNOWN)
		k->fit = cs_engine_could_run(b->engine, k->id) ? CS_FIT_SOME
							       : CS_FIT_NONE;
	return k->fit == CS_FIT_NONE;
}

/* Report once per job. */
static void say_never(struct cs_adapter *b, struct cs_known_job *k)
{
	if (k->said_never ||
	    !cs_rate_lets(b, &b->texts.never,
			  "jobs wait that no set of nodes can hold"))
		return;
	k->said_never = true;
	cs_say(false,
	       "job %u waits: no set of nodes can hold it, were all up and empty",
	       k->id);
}

static void note_never(struct cs_adapter *b, uint32_t id)
{
	struct cs_known_job *k = cs_known_find(&b->known, id);

	if (!k || k->ghost || !fits_nowhere(b, k))
		return;
	if (!b->texts.n_never++)
		b->texts.first_never = id;
	say_never(b, k);
}

int cs_apply_text(struct cs_adapter *b, int64_t until_us)
{
	struct cs_view_job *j = cs_view_next(b->view, NULL);
	uint32_t i = 0;

	if (!b->texts.next) {
		cs_apply_account(b);
		cs_apply_limit_tidy(b);
		b->texts.n_never = 0;
	}
	for (; j && i < b->texts.next; i++)
		j = cs_view_next(b->view, j);
	for (; j; j = cs_view_next(b->view, j), i++) {
		struct shown s;
		char text[256];
		uint64_t hash;

		if (i && !(i % 64) && i > b->texts.next &&
		    cs_step_over(b, until_us)) {
			b->texts.next = i;
			return 1;
		}
		if (j->state != CS_VIEW_WAITING)
			continue;
		note_never(b, j->id);
		if ((j->desc.flags & CS_JOB_BLOCKED) || !j->plain ||
		    !compute(b, j->id, &s))
			continue;
		hash = cs_view_hash_text((uint64_t)s.start_s,
					 whole(&s, j->turn,
					       j->plain == CS_VIEW_PLAIN_START,
					       text, sizeof(text)));
		if (hash == j->shown)
			continue;
		j->shown = hash;
		show(b, j->id, &s);
	}
	return 0;
}

/* Is it a text of ours?  Before the words it began with the mark. */
static bool is_ours(const char *desc)
{
	for (int priority = 0; desc && priority < 2; priority++)
		if (!xstrncmp(desc, word(priority), strlen(word(priority))))
			return !xstrncmp(desc + strlen(word(priority)), MARK,
					 strlen(MARK));
	return !xstrncmp(desc, MARK, strlen(MARK));
}

/* Its reason, its predicted start and our part of its comment.  One that completes
 * still needs its last start. */
static int withdraw(void *x, void *arg)
{
	const bool *predicted = arg;
	job_record_t *job_ptr = x;
	bool ours = is_ours(job_ptr->state_desc);

	if (!IS_JOB_PENDING(job_ptr))
		return 0;
	if (ours)
		xfree(job_ptr->state_desc);
	if ((ours || *predicted) && !IS_JOB_COMPLETING(job_ptr)) {
		xfree(job_ptr->sched_nodes);
		job_ptr->start_time = 0;
	}
	if (job_ptr->system_comment)
		cs_comment_set(job_ptr, "", "");
	last_job_update = time(NULL);
	return 0;
}

void cs_apply_leave(bool predicted)
{
	if (job_list)
		list_for_each(job_list, withdraw, &predicted);
}
