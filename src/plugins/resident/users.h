/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of users, one table for the process.
 *
 * slurmctld's job records do not always have them, and a directory service may hang, so
 * no caller waits for it: a name is known, or is being looked up by threads of this
 * file.  After CS_USERS_PATIENCE_US a caller gets the user's number in its place.
 *
 * The threads are detached, and may outlive the plugins that asked: slurmctld can unload
 * a plugin and end while a look-up hangs.  So this file is in libcosched_plan.so, which
 * is never unmapped (-z nodelete).
 *
 * Thread safe; no call blocks.  A string that a call returns is held: it lives until
 * cs_users_drop(), once for each time that it was returned or held.  "" need not be
 * dropped.  Time is cs_gate_now_us().
 */
#ifndef CS_RESIDENT_USERS_H
#define CS_RESIDENT_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A caller waits at most so long for the name of a user, from the first question on. */
#define CS_USERS_PATIENCE_US INT64_C(2000000)

/*
 * The name of user @uid, else his number; NULL: his name is being looked up, ask again
 * at *@ret_due_us at the latest (a number then), or after a wake-up by CS_WAKE_NAMES.
 * Out of memory: "".
 *
 * A look-up that failed is repeated for later questions, not before a minute has passed.
 * While one hangs, the number is returned without another wait.  A name is looked up
 * again after an hour, and is used until the answer is there.
 */
const char *cs_users_name(uint32_t uid, int64_t *ret_due_us);

/* Number of look-ups that have ended. */
uint64_t cs_users_answers(void);

/* User @uid is called @name by Slurm or by a saved state.  Returns the string of this
 * table, held; "" with no memory. */
const char *cs_users_note(uint32_t uid, const char *name);

/* Hold @name, which is held (or "") already, once more; returns it. */
const char *cs_users_hold(const char *name);
/* For some days yet it stays the user's, and is saved. */
void cs_users_drop(const char *name);

/* The name that cs_users_name() would return without waiting, or NULL: the number.  To be
 * compared with one that is held, not to be read. */
const char *cs_users_known(uint32_t uid);

/*
 * Is @name one of those returned for user @uid, and his?  If another user has had it,
 * only once a look-up has found it for @uid, and later than for the other; this looks @uid
 * up again, for a later question.
 */
bool cs_users_owns(uint32_t uid, const char *name);

/* All names as lines "user UID NAME", the present one of a user first: as snprintf(),
 * writes at most @size bytes and returns the length. */
size_t cs_users_print(char *buf, size_t size);
/* Increases with each new line of that. */
uint64_t cs_users_version(void);

#endif
