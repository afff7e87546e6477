/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of an event log, read.
 *
 * Strict: a line is one JSON object as RFC 8259 has it, of UTF-8, nested no
 * deeper than CS_LOG_DEPTH, and its fields have the kinds that cosched-log(5)
 * gives.  Fields that are not known are left alone.  What the lines mean
 * together is not looked at here.
 */
#ifndef CS_LOG_READ_LINE_H
#define CS_LOG_READ_LINE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "log/log_alloc.h"
#include "log/read_header.h"

#define CS_LOG_DEPTH 32

enum cs_log_ev {
	CS_LOG_HEADER,
	CS_LOG_SUBMIT,
	CS_LOG_CHANGE,
	CS_LOG_REQUEUE,
	CS_LOG_CANCEL,
	CS_LOG_START,
	CS_LOG_REFUSE,
	CS_LOG_FINISH,
	CS_LOG_SUSPEND,
	CS_LOG_RESUME,
	CS_LOG_LIMIT,
	CS_LOG_NODE,
	CS_LOG_RESERVATION,
	CS_LOG_KEPT,
	CS_LOG_TICK,
	CS_LOG_DECIDE,
	CS_LOG_JOINED,
	CS_LOG_DISBAND,
	CS_LOG_SLICE,
	CS_LOG_BOUND,
	CS_LOG_WOULD, /* shadow mode: holds nothing */
};

/* Fields of a kind of line that are absent are 0. */
struct cs_log_line {
	enum cs_log_ev ev;
	double t;	 /* seconds, any finite number; not in a header */
	uint32_t job;
	uint32_t array;	 /* START: the array it was submitted under */
	uint32_t tasks;	 /* SUBMIT, CHANGE, REQUEUE: waiting tasks, >= 1 */
	uint32_t group;	 /* START */
	bool packed;	 /* START: outside the jobs_per_node count: packed by
			    core, or placed by the host's own test */
	bool keeps;	 /* SUSPEND: its cores are for the host alone to give */
	bool freed;	 /* TICK: a job has ended that the engine does not have */
	bool host;	 /* START, RESUME: the host's own, we were only told */
	double since;	 /* START: when it really started; t where absent */
	bool up;	 /* NODE: may be used */
	bool campaign;	 /* START: it is of a campaign; then */
	double service, finish; /* ... V, and what it is at its virtual end */
	size_t n_node;
	struct cs_range *node;	      /* NODE: [n_node], increasing */
	struct cs_log_alloc *alloc;   /* START, RESUME, WOULD; may be NULL */
	struct cs_log_header *header; /* HEADER */
	struct json_object *json;     /* all of it */
};

struct cs_logread;

/* NULL: no memory. */
struct cs_logread *cs_logread_create(void);
void cs_logread_free(struct cs_logread *r);

/*
 * Read the @len bytes at @text, one line without its '\n', to @ret, which the
 * caller gives to cs_log_line_done().  0; -EINVAL: "what, expected what" in
 * @err and nothing to free; -EPROTO: the same, and the line is a header;
 * -ENOMEM.  O(len).
 */
int cs_logread_line(struct cs_logread *r, const char *text, size_t len,
		    struct cs_log_line *ret, struct cs_err *err);
void cs_log_line_done(struct cs_log_line *l);

/* "submit" etc. */
const char *cs_log_ev_name(enum cs_log_ev ev);

#endif
