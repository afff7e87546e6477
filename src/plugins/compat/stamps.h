/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has Slurm changed since the last look?  From its stamps of changes.  No Slurm here.
 *
 * Slurm stamps the last change of its jobs, nodes, partitions and reservations in whole
 * seconds, ours as well as those of others.  Rules.
 *  1. A stamp that differs from the one of our last unlock is a change by others.
 *  2. Our own writes are no change: they are made under locks that keep others out.
 *  3. A stamp of the second of the look, or of a later one, hides other changes of that
 *     second.  So one more look follows, once that second is over.
 *  4. A clock that was set back makes changes seem long past: look again.
 */
#ifndef CS_COMPAT_STAMPS_H
#define CS_COMPAT_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

#define CS_STAMPS 4

struct cs_stamps {		 /* zeroed: no look yet */
	int64_t looked_s;	 /* when the last look began */
	int64_t last[CS_STAMPS]; /* at our last unlock */
	bool changed;		 /* by others, since that look began */
};

/* A look begins at @now_s, under locks, with the stamps @now. */
void cs_stamps_look(struct cs_stamps *s, int64_t now_s,
		    const int64_t now[CS_STAMPS]);
/* Other locks are held now, or are about to be released. */
void cs_stamps_locked(struct cs_stamps *s, const int64_t now[CS_STAMPS]);
void cs_stamps_unlock(struct cs_stamps *s, const int64_t now[CS_STAMPS]);

/* Is a look due at @now_s? */
bool cs_stamps_changed(const struct cs_stamps *s, int64_t now_s,
		       const int64_t now[CS_STAMPS]);

#endif
