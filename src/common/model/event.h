/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a host tells the engine has happened: cs_engine_event().
 */
#ifndef CS_MODEL_EVENT_H
#define CS_MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"
#include "model/machine.h"

enum cs_event_type {
	CS_EV_SUBMIT,  /* job: a waiting job, or one to be STARTED at once */
	CS_EV_CHANGE,  /* job: a waiting job's new description */
	CS_EV_CANCEL,  /* job_id: a waiting job is gone */
	CS_EV_STARTED, /* start: confirms seq, or (seq 0) reports a job that the
			      host started or that ran before we did */
	CS_EV_REFUSED, /* refused: the host could not do what we proposed */
	CS_EV_FINISH,  /* job_id: a running or suspended job has ended */
	CS_EV_REQUEUE, /* job_id: a running job waits again, as described */
	CS_EV_SUSPEND, /* job_id: the host stopped it: cores free, memory held;
			      `keeps`: cores free only for jobs that the host
			      puts there */
	CS_EV_RESUME,  /* job_id: it resumes on its cores */
	CS_EV_BEGIN,   /* begin: a started job's nodes have booted, or what the
			      host runs before it is over: its time counts anew */
	CS_EV_RESIZE,  /* resize: a started job has fewer or more nodes or
			      cores now */
	CS_EV_LIMIT,   /* limit: the host changed a running job's limit */
	CS_EV_NODE,    /* node: may starts use it?  What is it from now on? */
	CS_EV_NODESET, /* nodeset: a partition, say, has got or lost nodes */
	CS_EV_RESERVATION, /* reservation: made, changed or (n = 0) gone */
	CS_EV_KEPT,	   /* kept: a line of cs_engine_save() */
	CS_EV_TICK,	   /* only time, or a job unknown to the engine freed
			      something */
};

enum cs_refused {
	CS_REFUSED_CHANGED, /* not again before the job or the nodes change, or
			       30 times retry_s pass: the host may know of
			       changes that we do not see */
	CS_REFUSED_TIMED, /* again after a pause (refused.c), from retry_s on */
	CS_REFUSED_PLACE, /* the host refuses those nodes or cores, or finds
			       none: again after such a pause, or after a
			       change; see refused.c */
	CS_REFUSED_LIMIT, /* something the host counts is used up (limits,
			       licences): as TIMED, or after a change */
	CS_REFUSED_GROUP, /* the action it needs was refused; again at once */
};

enum cs_role { CS_ROLE_NONE, CS_ROLE_PRIMARY, CS_ROLE_MATCHED };

struct cs_started {
	uint32_t seq;	   /* of the action, or 0 */
	uint32_t job_id;   /* the job; for an array, the task's new id */
	uint32_t array_id; /* the id it was proposed under, if another; 0 */
	uint32_t option;   /* index of the partition it runs in */
	int64_t start_us;
	int64_t limit_us;	      /* the host's present one */
	const struct cs_alloc *alloc; /* what it really got; copied */
	bool packed;		      /* by core beside its kind; seq 0 only */
	/* Known again after a restart of the host, else 0: */
	uint32_t group;
	enum cs_role role;
	int64_t done_us;  /* progress, in time of the estimate, ... */
	int64_t at_us;	  /* ... at that instant */
	int64_t ran_us;	  /* running time until then; 0: all since from_us */
	double slowdown;  /* seconds that one of it took from then on; 0: one */
	int64_t from_us;  /* its time counts from then (BEGIN); 0: start_us */
	int64_t floor_us; /* what crossing sites raised its limit to; 0 */
};

/* The host's own prediction for a job that it could not start. */
struct cs_forecast {
	int64_t start_us;
	uint32_t n;	      /* > 0 */
	const uint32_t *node; /* [n] indexes, increasing */
};

/* Kinds of reservations of the host; their effect is in resv.h. */
enum cs_reservation_flag {
	CS_RESV_MAINT = 1 << 0,	  /* its jobs ignore other reservations */
	CS_RESV_OVERLAP = 1 << 1, /* ... except those for maintenance */
	CS_RESV_FLEX = 1 << 2,	/* its jobs may run elsewhere, at other times */
	CS_RESV_FLOAT = 1 << 3, /* start_us and end_us always count from now */
	CS_RESV_ALL = 1 << 4,	/* for no job at all: such nodes are away */
	CS_RESV_TAKEN = 1 << 5, /* ... but for CS_JOB_SHARES_CORES: held by jobs
				     unknown to the engine */
	CS_RESV_LENDS = 1 << 6, /* its jobs may wait delay_s seconds for
				     CS_JOB_BORROWS to leave */
};

struct cs_reservation {
	uint32_t id;	      /* > 0 */
	uint32_t n;	      /* nodes; 0: the reservation is gone */
	const uint32_t *node; /* [n] indexes, increasing */
	int64_t start_us, end_us;
	uint32_t flags;		      /* enum cs_reservation_flag */
	uint32_t delay_s;	      /* CS_RESV_LENDS */
	const struct cs_alloc *cores; /* of those nodes (its other fields do not
					 matter); NULL: whole nodes */
};

/* Bytes of a line that is kept, with its 0. */
#define CS_EVENT_KEPT 4096

struct cs_event {
	enum cs_event_type type;
	bool keeps; /* SUSPEND */
	bool freed; /* TICK: cores are free that it never counted as taken */
	bool failed; /* FINISH: not by itself and with status 0, or nobody knows how */
	int64_t t_us;
	union {
		const struct cs_job *job; /* SUBMIT, CHANGE, REQUEUE */
		uint32_t job_id;	  /* CANCEL, FINISH, SUSPEND, RESUME */
		const struct cs_started *start;
		struct {
			uint32_t seq;
			enum cs_refused class;
			const char *why; /* for explain and the log */
			const struct cs_forecast *forecast; /* if a HOST_START
					     asked for it, or NULL */
		} refused;
		struct {
			uint32_t job_id;
			int64_t limit_us;
		} limit;
		struct {
			uint32_t job_id;
			int64_t start_us; /* as the host has it now */
			int64_t from_us;  /* >= start_us: its time counts
					     from then */
		} begin;
		struct {
			uint32_t job_id;
			const struct cs_alloc *alloc; /* all of it; copied */
		} resize;
		struct {
			uint32_t index;
			bool up;
			const struct cs_node *now; /* event_node.c, rule 2;
					     NULL: it stays what it is */
			const char *why;
		} node;
		struct {
			/* cs_engine_nodeset(): waiting jobs that may use the
			 * nodes of the one may use those of the other instead */
			uint32_t from, to;
		} nodeset;
		const struct cs_reservation *reservation;
		const char *kept; /* of less than CS_EVENT_KEPT bytes; before
				     the first job; its jobs are submitted at
				     the same t_us, later they are gone */
	};
};

#endif
