/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of users, one table for the process.
 *
 * slurmctld's job records do not always have them, and a directory service may hang, so
 * no caller waits for it: a name is known, or is being looked up by threads of this
 * file.  After CS_USERS_PATIENCE_US a caller gets the user's number in its place.  What was
 * once returned for a user is his for ever (cs_users_owns()).
 *
 * The threads are detached, and may outlive the plugins that asked: slurmctld can unload
 * a plugin and end while a look-up hangs.  So this file is in libcosched_plan.so, which
 * is never unmapped (-z nodelete).
 *
 * Thread safe; no call blocks.  Strings live as long as the process.  Time is
 * cs_gate_now_us().
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
 * table; "" with no memory. */
const char *cs_users_note(uint32_t uid, const char *name);

/* The name that cs_users_name() would return without waiting, or NULL: the number. */
const char *cs_users_known(uint32_t uid);

/* Has @name been returned for @uid, and for no other user? */
bool cs_users_owns(uint32_t uid, const char *name);

/* All names as lines "user UID NAME", the present one of a user first: as snprintf(),
 * writes at most @size bytes and returns the length. */
size_t cs_users_print(char *buf, size_t size);
/* Increases with each new line of that. */
uint64_t cs_users_version(void);

#endif
