/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Campaigns as a host lists and saves them (order=ostrich; else none).
 */
#ifndef CS_ORDER_CAMPAIGN_QUERY_H
#define CS_ORDER_CAMPAIGN_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/textbuf.h"

struct cs_engine;

/* Campaigns and the virtual schedule as lines of cs_engine_save(). */
void cs_campaign_keep(const struct cs_engine *e, struct cs_textbuf *t);

/* A campaign, for listings. */
struct cs_campaign_view {
	const char *user, *name;   /* name "": none; the engine's */
	uint32_t number;	   /* among the user's, since there last was
				    none */
	uint64_t id;		   /* among all, in order of arrival */
	uint32_t array;		   /* job array that it is; 0 */
	uint32_t rank;		   /* from 1, in the order of starts */
	uint32_t weight;	   /* of the user */
	double share;		   /* of the machine, the user's now, virtually;
				    0 if all campaigns have ended virtually */
	uint32_t waiting, running; /* jobs; tasks one by one */
	bool began, ended;	   /* virtually */
	int64_t submit_us;
	int64_t began_us, ended_us; /* virtual start; virtual end, as it was or
				       will be without submits or early ends */
	int64_t projected_us;	    /* the same with the users active now */
	double work_s, virtual_left_s; /* core seconds */
	double real_left_s;  /* of jobs that wait or run, by estimates */
	int64_t bound_us;    /* its last job ends by then unless a new user or
				       longer job comes, serial jobs (Emeras12,
				       lemma 2) */
	int64_t real_end_us; /* ... or then without submits, by the real
				schedule (campaign_query.c); CS_TIME_NONE:
				unknown; cs_campaign_query_all() */
};

/* All campaigns by rank (order=ostrich; else none): writes at most @n, returns their
 * number; -1: no memory.  O(jobs + campaigns log campaigns). */
int64_t cs_campaign_query_all(const struct cs_engine *e,
			      struct cs_campaign_view *ret, size_t n);
/* The campaign of @job_id.  0; -ENOENT: it is in none; -ENOMEM.  Cost as above. */
int cs_campaign_query(const struct cs_engine *e, uint32_t job_id,
		      struct cs_campaign_view *ret);
/*
 * Waiting jobs in the order of their starts (order=ostrich), as of now: writes at most
 * @n ids, returns their number; -1: no memory.  Partition tiers are ignored: in each
 * partition it is the order.  O(n log n); with @n 0 O(n).
 */
int64_t cs_campaign_ranked(struct cs_engine *e, uint32_t *id, size_t n);
/* Active users: with a campaign that has not ended virtually. */
uint32_t cs_campaign_active_users(const struct cs_engine *e);

#endif
