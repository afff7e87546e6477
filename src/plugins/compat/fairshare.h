/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares of users, from Slurm's associations, flattened:
 *
 *	share of a user = sum over his associations of
 *		product over it and the accounts above it of
 *			shares / shares of all that stand on its level
 *
 * so that the shares of all users add up to 1.  It is a sum, since a share is a
 * user's in Emeras12, who has his campaigns executed one after the other wherever they
 * are charged: with a share for each account he would be several users, active at
 * the same time; with that of the job's account alone his share would change from
 * job to job, and to name an account of few would be worth more.
 *
 * What is lost: an account whose users are idle leaves its share to everybody, not
 * to its siblings first, and a user may use what he has by one account for jobs of
 * another.
 * Fairshare=parent: the association has its account's share whole, and counts
 * for nothing on its level, as in Slurm.  Nobody has a share on a level where all
 * have 0, as in Slurm, too; what has none weighs 1.
 *
 * No type of Slurm's here.
 */
#ifndef CS_COMPAT_FAIRSHARE_H
#define CS_COMPAT_FAIRSHARE_H

#include <stdint.h>
#include <time.h>

struct cs_fairshare {
	uint32_t uid;
	uint32_t weight; /* 1 to 1e9, which is all of the machine */
};

struct cs_fairshares {
	struct cs_fairshare *share; /* [n] by uid; malloc'ed */
	uint32_t n;
	time_t read_s; /* when they were read; 0: never */
};

/* Read them anew.  0, or -ENOMEM with @s as it was.  Under the association read
 * lock.  O(associations log associations). */
int cs_fairshare_read(struct cs_fairshares *s, time_t now);

/* Weight of user @uid; one without an association has the mean of all; 0: nobody
 * has one. */
uint32_t cs_fairshare_of(const struct cs_fairshares *s, uint32_t uid);

#endif
