/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The desk between the socket's thread and the scheduling thread.
 *
 * The engine belongs to the scheduling thread, so a question is laid on the desk
 * (one at a time), that thread is woken, and answers it at its next safe point,
 * where it holds no lock of Slurm's.  Who asks waits no longer than a deadline, and
 * never holds up the scheduling thread.  For `status` there is a second way:
 * what was published last, so that a busy or hung thread can still be seen.
 */
#ifndef CS_SCHED_CONTROL_CONTROL_QUEUE_H
#define CS_SCHED_CONTROL_CONTROL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum cs_ask_cmd {
	CS_ASK_STATUS,
	CS_ASK_EXPLAIN,
	CS_ASK_GROUPS,
	CS_ASK_USERS,
	CS_ASK_SITES,
	CS_ASK_SLICES,
	CS_ASK_PARAMS
};

struct cs_ask {
	enum cs_ask_cmd cmd;
	uint32_t job;	 /* EXPLAIN: a job, or ... */
	uint32_t task;	 /* ... this task of array `job`; UINT32_MAX: none */
	uid_t uid;	 /* who asks */
	bool privileged; /* root, SlurmUser, operator: may ask all */
};

/* "status" and so on; returns whether there is such a command. */
bool cs_ask_cmd_of(const char *name, enum cs_ask_cmd *ret);

/* Empty the desk; before the first thread. */
void cs_control_queue_reset(void);

/*
 * Socket's side.  The answer, malloc'ed, or NULL at @deadline_us
 * (cs_gate_now_us()): the scheduling thread was busy.
 */
char *cs_control_queue_ask(const struct cs_ask *ask, int64_t deadline_us);

/* What was published last, a copy, with its age; NULL: nothing yet. */
char *cs_control_queue_published(int64_t *ret_age_us);

/* Scheduling thread's side.  Is there a question?  Take it, answer it (takes
 * ownership of @answer). */
bool cs_control_queue_take(struct cs_ask *ret);
void cs_control_queue_answer(char *answer);

/* Keep @answer (ownership) as the status of this moment. */
void cs_control_queue_publish(char *answer);

#endif
