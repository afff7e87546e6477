/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that read a log of mode shadow; the rules are in shadow_read.c. */
#ifndef CS_COSCHED_SHADOW_SHADOW_READER_H
#define CS_COSCHED_SHADOW_SHADOW_READER_H

#include <sys/types.h>

#include "cli/progress_bar.h"
#include "shadow/shadow_known.h"

/* A job proposed at the last instant with proposals. */
struct cs_shadow_proposed {
	uint32_t id;
	struct cs_shadow_who who;
	struct cs_range *node; /* [n_node], owned */
	size_t n_node;
	size_t moment; /* index of its moment, if new; SIZE_MAX */
};

struct cs_shadow_reader {
	struct cs_shadow *s;
	struct cs_shadow_all all;
	struct cs_shadow_proposed *now; /* [n_now] at now_us */
	size_t n_now, cap_now;
	int64_t now_us;
	bool shadow; /* the last header's mode is shadow */
	int64_t boot_us;
	uint64_t bad; /* bad lines; the first is in `why` */
	FILE *file;
	off_t size; /* of the file; 0: unknown */
	uint64_t lines;
	struct cs_bar bar;
	bool behind;	   /* a good line follows a bad one */
	struct cs_err why; /* what ended the reading, or the bad line */
};

/* ---- shadow_would.c: what was proposed */

void cs_shadow_now_clear(struct cs_shadow_reader *r);
/* The last instant is over: no later proposal belongs to it. */
void cs_shadow_instant_ends(struct cs_shadow_reader *r);
/* A line `would`.  0, -ENOMEM. */
int cs_shadow_propose(struct cs_shadow_reader *r, const struct cs_log_line *l);
/* Take the first moment of @k; it may have none. */
struct cs_shadow_would cs_shadow_take_first(struct cs_shadow_reader *r,
					    struct cs_shadow_known *k);
/* Is it reported?  By the same time as in cs_import_job(). */
bool cs_shadow_counts(const struct cs_shadow *s,
		      const struct cs_shadow_known *k);

#endif
