/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mailbox between the socket's thread and the scheduling thread.
 *
 * The engine belongs to the scheduling thread, so questions are put into the mailbox,
 * and that thread is woken and answers them at its next safe point, where it holds none
 * of Slurm's locks.  Neither thread waits for the other: the socket's thread is notified
 * by an eventfd.  For `status` there is a second way: the last one published, so that a
 * busy or hung thread can still be observed.
 *
 * Order.  Questions of operators come first; then each user's first question, each
 * user's second, and so on; of equals the older one.  One answer serves all who ask the
 * same, if it is the same for all.
 *
 * Thread safe.
 */
#ifndef CS_SCHED_CONTROL_CONTROL_QUEUE_H
#define CS_SCHED_CONTROL_CONTROL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CS_CONTROL_QUESTIONS 64 /* at once */

enum cs_ask_cmd {
	CS_ASK_STATUS,
	CS_ASK_EXPLAIN,
	CS_ASK_GROUPS,
	CS_ASK_USERS,
	CS_ASK_SITES,
	CS_ASK_SLICES,
	CS_ASK_TOP,
	CS_ASK_PARAMS
};

struct cs_ask {
	enum cs_ask_cmd cmd;
	uint32_t job;  /* EXPLAIN: a job, or ... */
	uint32_t task; /* ... this task of array `job`; UINT32_MAX: none */
	bool fields, verbose; /* EXPLAIN: an object; all partners in its text */
	uid_t uid;	      /* the asker */
	bool privileged;      /* root, SlurmUser, operator: may ask all */
};

/* "status" and so on; false: no such command. */
bool cs_ask_cmd_of(const char *name, enum cs_ask_cmd *ret);

/* Empty the mailbox; before the first thread. */
void cs_control_queue_reset(void);

/* ---- the socket's side --------------------------------------------------- */

/* Write to the eventfd @fd at each answer; -1: no more. */
void cs_control_queue_notify(int fd);

/* Put a question; returns its number, 0: the mailbox is full. */
uint64_t cs_control_queue_put(const struct cs_ask *ask);

/* The answer to question @number, malloc'ed, and then that number is over; NULL: there
 * is none yet. */
char *cs_control_queue_collect(uint64_t number);

/* The asker of question @number has left; its answer is discarded. */
void cs_control_queue_drop(uint64_t number);

/* A copy of the last status published, with its age; NULL: none yet. */
char *cs_control_queue_published(int64_t *ret_age_us);

/* ---- the scheduling thread's side ---------------------------------------- */

/* Take the next question; false: there is none. */
bool cs_control_queue_take(struct cs_ask *ret, uint64_t *ret_number);

/* Answer the question that was taken (takes ownership of @answer; NULL: none, no
 * memory). */
void cs_control_queue_answer(uint64_t number, char *answer);

/* Keep @answer (ownership) as the current status. */
void cs_control_queue_publish(char *answer);

#endif
