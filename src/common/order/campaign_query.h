/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Campaigns as a host lists and keeps them (order=ostrich; else there are none).
 */
#ifndef CS_ORDER_CAMPAIGN_QUERY_H
#define CS_ORDER_CAMPAIGN_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cs_engine;

/*
 * What has to outlive a restart besides the jobs: campaigns and the virtual
 * schedule (order=ostrich; else nothing), a line each, each ended by '\n', as
 * snprintf: returns the length that it has.  A new engine is given the lines, in
 * their order and without '\n', as CS_EV_KEPT, and then the jobs.  One that is
 * refused is left out.
 */
size_t cs_campaign_save(const struct cs_engine *e, char *buf, size_t size);

/* A campaign, for listings. */
struct cs_campaign_view {
	const char *user, *name; /* name "": none; the engine's */
	uint32_t number;	 /* of the user's, since he last had none */
	uint64_t id;		 /* among all, in the order they came */
	uint32_t array;		 /* job array that it is; 0 */
	uint32_t rank;		 /* from 1, in the order of starts */
	uint32_t weight;	 /* of the user */
	double share;		 /* of the machine that he has now, virtually; 0
				    where all of his have ended virtually */
	uint32_t waiting, running; /* jobs; tasks one by one */
	bool began, ended;	   /* virtually */
	int64_t submit_us;
	int64_t began_us, ended_us; /* virtual start; virtual end as it was, or
				       will be if nobody submits or ends early */
	int64_t projected_us;	    /* the same with the active users of now */
	double work_s, virtual_left_s; /* core seconds */
	double real_left_s;  /* of jobs that wait or run, by estimates */
	int64_t bound_us;    /* its last job ends by then if no further
				       user and no longer job comes, serial
				       jobs (Emeras12, lemma 2) */
	int64_t real_end_us; /* ... and by then if nobody submits, as the real
				schedule stands (campaign_query.c); CS_TIME_NONE:
				not known; cs_campaign_query_all() alone */
};

/* All campaigns by rank (order=ostrich; else none): writes at most @n, returns how
 * many there are; -1: no memory.  O(jobs + campaigns log campaigns). */
int64_t cs_campaign_query_all(const struct cs_engine *e,
			      struct cs_campaign_view *ret, size_t n);
/* The campaign of @job_id.  0; -ENOENT: it is in none; -ENOMEM.  Cost as above. */
int cs_campaign_query(const struct cs_engine *e, uint32_t job_id,
		      struct cs_campaign_view *ret);
/*
 * Waiting jobs in the order of their starts (order=ostrich), as of now: writes at
 * most @n ids, returns how many there are; -1: no memory.  Partition tiers are
 * left out: in each partition it is the order.  O(n log n); with @n 0 O(n).
 */
int64_t cs_campaign_ranked(struct cs_engine *e, uint32_t *id, size_t n);
/* Active users: with a campaign that has not ended virtually. */
uint32_t cs_campaign_active_users(const struct cs_engine *e);

#endif
