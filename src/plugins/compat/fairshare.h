/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares of users, from Slurm's associations, flattened:
 *
 *	share of a user = sum over the user's associations of
 *		product over it and the accounts above it of
 *			shares / shares of all on its level
 *
 * so that the shares of all users add up to 1.  It is a sum, since in Emeras12 a share
 * belongs to a user, whose campaigns run one after the other wherever they are charged:
 * with a share for each account a user would count as several, active at the same time;
 * with only that of the job's account the share would change from job to job, and
 * naming an account with few users would pay.
 *
 * What is lost: an account whose users are idle leaves its share to all, not to its
 * siblings first, and a user may spend one account's share on jobs of another.
 * Fairshare=parent: the association has its account's whole share, and does not count
 * on its level, as in Slurm.  If all on a level have 0, none has a share, also as in
 * Slurm; what has none weighs 1.
 *
 * No Slurm types here.
 */
#ifndef CS_COMPAT_FAIRSHARE_H
#define CS_COMPAT_FAIRSHARE_H

#include <stdint.h>
#include <time.h>

struct cs_fairshare {
	uint32_t uid;
	uint32_t weight; /* 1 to 1e9, the whole machine */
};

struct cs_fairshares {
	struct cs_fairshare *share; /* [n] by uid; malloc'ed */
	uint32_t n;
	time_t read_s; /* when they were read; 0: never */
};

/* Read them again.  0, or -ENOMEM with @s unchanged.  Under the association read lock.
 * O(associations log associations). */
int cs_fairshare_read(struct cs_fairshares *s, time_t now);

/* Weight of user @uid; the mean of all without an association; 0: there are none. */
uint32_t cs_fairshare_of(const struct cs_fairshares *s, uint32_t uid);

#endif
