/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job as the engine sees it: its request, state, promised start and progress; and the
 * lists of jobs.
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
struct cs_lesson;

#define CS_REFUSED_LIFE 30 /* lifetime of a refusal until changed, in retry_s */

enum cs_state {
	CS_WAITING,
	CS_PROPOSED,
	CS_RUNNING,
	CS_STOPPED, /* by a time slice: it keeps its nodes for itself, or rests */
	CS_SUSPENDED, /* by the host: others may use its nodes */
};

/* Why a waiting job did not start in the last pass. */
enum cs_why {
	CS_WHY_NEW,	/* no pass has seen it */
	CS_WHY_BLOCKED, /* by something other than resources */
	CS_WHY_BEGIN,	/* its time has not come */
	CS_WHY_AFTER,	/* licences are in use, or its burst buffer is not
			   filled; it may hold a promise */
	CS_WHY_REFUSED, /* the host refused its last start */
	CS_WHY_NEVER,	/* it does not fit the machine, even empty */
	CS_WHY_HEAD,	/* first that does not fit: it holds a reservation */
	CS_WHY_PLANNED, /* its promised start is still to come */
	CS_WHY_FAR,	/* its start is an estimate, which keeps nothing */
	CS_WHY_BEHIND,	/* behind a head: one of the next two (explain.c) */
	CS_WHY_NO_ROOM, /* behind a head, and no room anyway */
	CS_WHY_DELAYS,	/* there is room, but it would delay a head */
	CS_WHY_DEPTH,	/* the pass did not get that far */
	CS_WHY_VIRTUAL, /* its campaign has not begun in the virtual schedule */
	CS_WHY_TURN,	/* the host's test has had enough jobs this second */
	CS_WHY_ROUND,	/* the pass ended before it; another follows at once */
};

struct cs_verdict {
	uint64_t walk; /* engine->walks at the time */
	enum cs_why why;
	uint32_t option;  /* BEHIND, HEAD: the partition tried */
	uint32_t head;	  /* job that it must not delay; 0: none */
	int64_t start_us; /* HEAD: start of its reservation; FAR: start; else
			     NONE */
	bool bound; /* FAR: it starts no earlier than that, no one knows when */
	uint32_t wide; /* HEAD: waits for so many nodes, to share them; or 0 */
};

/* No site had room for a job, and its rule makes it wait (backfill/site_ahead.c). */
struct cs_site_wait {
	uint64_t walk; /* engine->walks at the time */
	int64_t start_us; /* the start that it waits for; CS_TIME_NONE: none known */
	int64_t end_us;
	uint32_t fragments; /* ... over so many sites */
	uint32_t split;	    /* over so many sites now; 0: no room */
	int64_t split_end_us;
	int64_t lacks_us; /* the limit that it would need then and may not have; 0 */
};

/* A waiting job's part of a group; valid until the job changes. */
struct cs_part {
	bool made;	 /* the rest is valid, for ... */
	uint32_t option; /* ... that partition */
	bool any;	 /* it has one */
	struct cs_shape shape;
	double pace, self, bearable; /* as in struct cs_candidate */
};

/* A waiting job's place by order/shifted.c. */
struct cs_shift {
	int64_t usual_us; /* usual limit when it was submitted; 0: another order */
	double shift_us; /* how much later a job may come and still be before it */
	double discount; /* part of its age that does not count */
	/* as of the last refresh: */
	double rule_us; /* the largest is first */
	double points;	/* taken off the site's priority */
	uint32_t hand;	/* priority set by hand: its number behind another; 0 */
	bool pinned;	/* it keeps its planned start */
};

#define CS_TURN_QUEUE INT64_MIN /* its turn is its place in the queue */

/* A waiting job's promise; in struct cs_ejob. */
struct cs_planned {
	int64_t start_us, end_us; /* CS_TIME_NONE: nothing */
	int64_t far_us;	 /* no promise: the start that was found, which keeps
			   nothing (horizon.c); 0: none */
	int64_t turn_us; /* the promised start, its own or another's, that sets
			    its turn when promises are remade; NONE: the last */
	uint32_t option; /* the partition it is promised in */
	uint32_t made;	 /* engine->layouts at the time; 0: none */
	bool late;    /* no promise where it was refused (forecast.c, rule 6) */
	bool by_core; /* packed by rule 7 of alone.c, not by request */
	struct cs_shape shape; /* alone */
	int64_t run_us;	       /* in that shape */
	uint32_t fragments; /* with sites: 1, or several (2, or the fewest that
			       can hold it) */
	int32_t *cores;	    /* [n_class] taken, by count of the plan's time
			       line; NULL: none yet */
	uint32_t n_class;   /* length of cores */
	uint64_t rank;	    /* scratch: place in the queue */
	bool out;	    /* scratch: it would no longer wait */
};

struct cs_ejob {
	struct cs_job job; /* strings and options are owned, in `own` */
	void *own;
	uint32_t slot;	     /* in engine->slot */
	uint32_t pos;	     /* in engine->list[state == WAITING ? 0 : 1] */
	uint32_t speed;	     /* its index in engine->speeds + 1; 0: none */
	bool queued;	     /* it is in its slice machine's queue */
	enum cs_class class; /* by its estimate at submission */
	int profile;	     /* index or CS_PROFILE_NONE */
	uint32_t kind; /* its place in what was learned, from 1; 0: none */
	enum cs_state state;

	/* Waiting.  Here, since a walk asks every job for it. */
	struct cs_verdict verdict;
	struct cs_planned plan; /* its layout alone, and its promise under
				   conservative backfill */

	struct cs_lesson *lesson; /* what it will tell; NULL: nothing */

	/* order=ostrich; campaign.c */
	struct cs_campaign *campaign; /* NULL: not yet free to start */
	cs_u128 work;		      /* counted for it there */
	uint32_t due;	 /* its index in campaigns.due + 1; 0: none */
	int64_t mlpt_us; /* campaign_order=mlpt: start, from now, by mlpt.c */

	double expansion;  /* order=expansion: as of the last refresh */
	double arrival_us; /* order=work: when it counts as having come */

	struct cs_shift shift; /* order=shifted */

	/* Promised at submission (Zeng09, eq. 4); 0: nothing. */
	int64_t est_us, max_us;
	int64_t pledged_us; /* the first start promised it; 0: none (pledge.c) */

	/* Waiting, too. */
	struct cs_site_wait site;
	struct cs_part part;
	struct cs_refusals *refusals; /* [n_option]; NULL: none */
	bool forecast;		      /* it holds forecast nodes (forecast.c) */
	bool asked;		      /* ... and asked for one */
	uint32_t broken;	      /* forecasts missing or wrong, in a row */

	/* Proposed, running, suspended. */
	uint32_t seq;	 /* while a start, stop or resume is proposed */
	uint32_t master; /* proposed task of an array: id of the array's record */
	uint32_t proposed; /* array's record: how many of its tasks are */
	uint32_t needs;	   /* seq of a primary job's start, or of a stop */
	struct cs_alloc *alloc;
	bool keeps; /* suspended: it keeps its cores that no other job uses:
		       alloc, packed; it resumes on these: */
	struct cs_alloc *whole; /* NULL: it holds none */
	enum cs_node_use whole_hold;
	uint32_t option;
	enum cs_node_use hold;
	bool placed_by_host;
	int64_t asked_us;     /* start left to the host in the second of ... */
	bool asked_early;     /* ... asks.since_us; before its pause was over */
	bool asked_beside;    /* offered to the host beside enough idle nodes */
	uint32_t group;	      /* 0: none */
	struct cs_ejob *mate; /* next in its group's ring; NULL: none */
	enum cs_role role;
	uint32_t partner_id; /* a partner's job id */
	int64_t retry_us;    /* of a refused stop or resume; 0: none */
	uint32_t seat; /* slice=gang: its number in the matrix + 1, of who waits,
			  too; 0: none */
	uint32_t disbanded; /* group that ended, not yet reported; 0: none */
	int64_t start_us;
	int64_t from_us;    /* its time counts from then; 0: from start_us */
	bool resized;	    /* or shared cores: its run measures nothing */
	int64_t at_us;	    /* instant of the three below */
	int64_t ran_us;	    /* running time so far */
	int64_t done_us;    /* progress, in time of the estimate */
	double slowdown;    /* seconds that one of the estimate takes now */
	int64_t limit_us;   /* the host's, as last told or set */
	int64_t floor_us;   /* granted for crossing: ours is never lower; 0 */
	int64_t told_us;    /* the host's own limit: ours is never lower; 0 */
	double co_slowdown; /* the coscheduling part of slowdown, and ... */
	double cores_slow;  /* ... that of jobs on its own cores */
	uint64_t refreshed; /* engine->refreshes at the last update */
	bool limit_dirty;   /* the slowdown changed since it was set */
};

struct cs_slots { /* jobs on a node */
	uint32_t n, cap;
	uint32_t *slot;
};

struct cs_list { /* of jobs, unordered; ejob->pos is the index */
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
	/* the first ones are sorted, as of the last time */
	uint32_t n, cap, sorted;
	uint32_t seen; /* the first ones are in all promises; others are new */
	struct cs_ending *ending;
};

/* Waiting, and not an array whose last task is proposed. */
static inline bool cs_waits(const struct cs_ejob *j)
{
	return j->state == CS_WAITING && j->job.tasks;
}
/* An array task without an id of its own goes by the array's. */
static inline struct cs_who cs_who_is(const struct cs_ejob *j)
{
	return (struct cs_who){ j->profile, j->job.id ? j->job.id : j->master,
				j->kind };
}
static inline uint32_t cs_job_flags(const struct cs_ejob *j, uint32_t option)
{
	return j->job.flags | j->job.option[option].flags;
}
/* By id; array tasks without an id of their own, by seq. */
static inline int cs_ejob_cmp(const struct cs_ejob *a, const struct cs_ejob *b)
{
	if (a->job.id != b->job.id)
		return a->job.id < b->job.id ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

#endif
