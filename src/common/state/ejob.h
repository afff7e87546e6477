/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job as the engine has it: what was asked, where it stands, what it is promised, how
 * far it is; and the lists that jobs stand in.
 */
#ifndef CS_STATE_EJOB_H
#define CS_STATE_EJOB_H

#include "base/u128.h"
#include "model/action.h"
#include "model/event.h"
#include "model/layout.h"
#include "model/occupancy.h"
#include "profile/slowdown.h"

struct cs_campaign;

#define CS_REFUSED_LIFE 30 /* of a refusal until changed, in retry_s */

enum cs_state {
	CS_WAITING,
	CS_PROPOSED,
	CS_RUNNING,
	CS_STOPPED, /* by a time slice: it keeps its nodes for itself, or rests */
	CS_SUSPENDED, /* by the host: others may have its nodes */
};

/* Why a waiting job did not start in the last pass. */
enum cs_why {
	CS_WHY_NEW,	/* no pass has seen it */
	CS_WHY_BLOCKED, /* not for want of resources */
	CS_WHY_BEGIN,	/* its time has not come */
	CS_WHY_AFTER,	/* licences are in use; it may be planned */
	CS_WHY_REFUSED, /* the host refused its last start */
	CS_WHY_NEVER,	/* no machine of ours could hold it */
	CS_WHY_HEAD,	/* first that does not fit: it holds a reservation */
	CS_WHY_PLANNED, /* its promised start is still to come */
	CS_WHY_BEHIND,	/* behind a head: one of the two next (explain.c) */
	CS_WHY_NO_ROOM, /* behind a head, and no room anyway */
	CS_WHY_DELAYS,	/* there is room, but a head would start later */
	CS_WHY_DEPTH,	/* the pass did not come so far */
	CS_WHY_VIRTUAL, /* its campaign has not begun in the virtual schedule */
	CS_WHY_TURN,	/* enough were left to the host's test this second */
	CS_WHY_ROUND,	/* the pass ended before it; another follows at once */
};

struct cs_verdict {
	uint64_t walk; /* engine->walks when it was made */
	enum cs_why why;
	uint32_t option;  /* BEHIND, HEAD: the partition looked at */
	uint32_t head;	  /* job that it must not delay; 0: none */
	int64_t start_us; /* HEAD: start of its reservation, else NONE */
};

/* No site had room for a job, and its rule has it wait (backfill/site_ahead.c). */
struct cs_site_wait {
	uint64_t walk;	   /* engine->walks when that was found */
	int64_t single_us; /* the first start on one site; CS_TIME_NONE: never */
	int64_t single_end_us;
	uint32_t split; /* by a start then it would be over so many; 0: there was no
			   room for one */
	int64_t split_end_us;
};

/* A waiting job's part of a group: it stays while the job is not changed. */
struct cs_part {
	bool made;	 /* the rest holds, for ... */
	uint32_t option; /* ... that partition */
	bool any;	 /* it has one */
	struct cs_shape shape;
	double pace, self, bearable; /* as in struct cs_candidate */
};

#define CS_TURN_QUEUE INT64_MIN /* a turn by the place in the queue */

/* What a waiting job is promised; in struct cs_ejob. */
struct cs_planned {
	int64_t start_us, end_us; /* CS_TIME_NONE: nothing */
	int64_t turn_us; /* the promised start that it goes by when promises are
			    made anew, its own or another's; NONE: the last */
	uint32_t option; /* the partition it is promised in */
	uint32_t made;	 /* layouts this was made for; 0: none */
	bool late;    /* where it was refused: nothing (forecast.c, rule 6) */
	bool by_core; /* packed by rule 7 of alone.c, of its free will */
	struct cs_shape shape; /* alone */
	int64_t run_us;	       /* in that shape */
	uint32_t fragments; /* where sites count: it is promised over several (2, or the
			       fewest that ever hold it), or on one */
	int32_t *cores;	  /* [n_class] taken; NULL: none yet */
	uint32_t n_class; /* length of cores */
	uint64_t rank;	  /* scratch: place in the queue */
	bool out;	  /* scratch: it would no more wait */
};

struct cs_ejob {
	struct cs_job job; /* strings and options are owned, in `own` */
	void *own;
	uint32_t slot;	     /* in engine->slot */
	uint32_t pos;	     /* in engine->list[state == WAITING ? 0 : 1] */
	uint32_t speed;	     /* its place in engine->speeds + 1; 0: not there */
	bool queued;	     /* it stands in its slice machine's queue */
	enum cs_class class; /* by its estimate when it came */
	int profile;	     /* index or CS_PROFILE_NONE */
	enum cs_state state;

	/* order=ostrich; campaign.c */
	struct cs_campaign *campaign; /* NULL: it was not free to start yet */
	cs_u128 work;		      /* that is counted for it there */
	uint32_t due; /* its place in campaigns.due + 1; 0: not there */
	int64_t mlpt_us; /* campaign_order=mlpt: start, from now, as mlpt.c deals it */

	/* What it was promised when it came (Zeng09, eq. 4); 0: nothing. */
	int64_t est_us, max_us;

	/* Waiting. */
	struct cs_verdict verdict;
	struct cs_site_wait site;
	uint64_t *reserved;	/* node set of its reservation, or NULL */
	struct cs_planned plan; /* its layout alone, and what conservative
				   backfilling promises it */
	struct cs_part part;
	struct cs_refusals *refusals; /* [n_option]; NULL: none */
	bool forecast;		      /* it holds nodes by forecast.c */
	bool asked;		      /* ... and the host is asked for one */
	uint32_t broken; /* times in a row that none came or came true */

	/* Proposed, running, suspended. */
	uint32_t seq;	 /* while a start, stop or resume is proposed */
	uint32_t master; /* proposed task of an array: id of the array's record */
	uint32_t needs; /* seq of a primary job's start, or of a stop */
	struct cs_alloc *alloc;
	bool keeps; /* suspended: it keeps those of its cores that nobody else
		       has; they are alloc then, packed, and what it comes
		       back to are these: */
	struct cs_alloc *whole; /* NULL: it holds none */
	enum cs_node_use whole_hold;
	uint32_t option;
	enum cs_node_use hold;
	bool placed_by_host;
	int64_t asked_us; /* its start was left to the host in the second of ... */
	bool asked_early;     /* ... asks.since_us, before its pause was over */
	uint32_t group;	      /* 0: none */
	struct cs_ejob *mate; /* the next of its group, in a ring; NULL: none */
	enum cs_role role;
	uint32_t partner_id; /* a partner's job id */
	int64_t retry_us; /* a stop or resume was refused: not again before; 0 */
	uint32_t seat; /* slice=gang: its number in the matrix + 1, of who waits,
			  too; 0: none */
	uint32_t disbanded; /* group that ended and was not reported yet; 0 */
	int64_t start_us;
	int64_t at_us;	    /* instant of the three below */
	int64_t ran_us;	    /* running time so far */
	int64_t done_us;    /* progress, in time of the estimate */
	double slowdown;    /* time an estimate's second takes now */
	double co_slowdown; /* coscheduling part of it */
	uint64_t refreshed; /* engine->refreshes when they were looked at */
	int64_t limit_us;   /* the host's, as last told or set */
	int64_t told_us;  /* limit that the host chose itself: none below; 0 */
	bool limit_dirty; /* the factor changed since it was set */
};

struct cs_slots { /* jobs on a node */
	uint32_t n, cap;
	uint32_t *slot;
};

struct cs_list { /* of jobs, in no order; ejob->pos is the way back */
	size_t n, cap;
	struct cs_ejob **job;
};

struct cs_entry { /* of the queue: a waiting job in one of its partitions */
	struct cs_ejob *job;
	uint32_t option;
};

struct cs_queue { /* entry [begin] to [end - 1]; the theory is in queue.c */
	struct cs_entry *entry; /* [cap] */
	size_t cap, begin, end;
	size_t sorted; /* those before it are in order */
};

struct cs_ending { /* when a job leaves its nodes */
	int64_t end_us;
	const struct cs_ejob *job;
};

struct cs_endings { /* [n] of a slice machine's jobs; easy.c */
	/* the first are in order, as of the last time */
	uint32_t n, cap, sorted;
	uint32_t seen; /* the first are in all promises; the others just started */
	struct cs_ending *ending;
};

/* Waiting, and not an array whose last task has been proposed. */
static inline bool cs_waits(const struct cs_ejob *j)
{
	return j->state == CS_WAITING && j->job.tasks;
}
/* A task of an array that has no id of its own yet goes by the array's. */
static inline struct cs_who cs_who_is(const struct cs_ejob *j)
{
	return (struct cs_who){ j->profile, j->job.id ? j->job.id : j->master };
}
static inline uint32_t cs_job_flags(const struct cs_ejob *j, uint32_t option)
{
	return j->job.flags | j->job.option[option].flags;
}
/* By id; tasks of an array that have no id of their own yet, by seq. */
static inline int cs_ejob_cmp(const struct cs_ejob *a, const struct cs_ejob *b)
{
	if (a->job.id != b->job.id)
		return a->job.id < b->job.id ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

#endif
