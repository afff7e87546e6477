/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of an event log, read.
 *
 * Strict: a line is one JSON object by RFC 8259, in UTF-8, nested at most CS_LOG_DEPTH
 * deep, and its fields have the types that cosched-log(5) gives.  Unknown fields are
 * ignored.  Consistency between lines is not checked here.
 */
#ifndef CS_LOG_READ_LINE_H
#define CS_LOG_READ_LINE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "estimate/estimate.h"
#include "log/log_alloc.h"
#include "log/read_header.h"
#include "log/schema.h"
#include "model/action.h"

#define CS_LOG_DEPTH 32

/* Absent fields have their defaults. */
struct cs_log_line {
	enum cs_log_ev ev;
	double t; /* seconds, any finite number; not in a header */
	uint32_t job;
	bool host; /* START, SUSPEND, RESUME, LIMIT: done by the host itself, and
		      only reported to us */
	/* its type, if it is an event, and t_us; for CANCEL, FINISH, REFUSE, SUSPEND,
	 * RESUME, LIMIT, NODE, KEPT, TICK all but pointers to structs and lists */
	struct cs_event event;
	struct cs_job submitted; /* SUBMIT, CHANGE, REQUEUE: all but options */
	/* START: all but alloc; packed also if the host's own test placed it */
	struct cs_started start;
	struct cs_action action;     /* START: why; WOULD: all but alloc */
	enum cs_estimate_of of;	     /* ESTIMATES */
	struct cs_estimate estimate; /* ESTIMATE */
	struct cs_reservation reservation; /* RESERVATION: but nodes, cores */
	int64_t steps; /* DECIDE: it paused after so many; 0: it did not */
	double since;  /* START: when it really started; t if absent */
	size_t n_node;
	struct cs_range *node; /* NODE: [n_node], increasing */
	bool becomes;	       /* NODE: they become like `now` */
	struct cs_node now;
	struct cs_gpus gpus;	      /* now.gpus points here, or is NULL */
	struct cs_log_alloc *alloc;   /* START, RESUME, WOULD; may be NULL */
	struct cs_log_header *header; /* HEADER */
	struct json_object *json; /* the whole line; owns the strings above */
};

struct cs_logread;

/* NULL: no memory. */
struct cs_logread *cs_logread_create(void);
void cs_logread_free(struct cs_logread *r);

/*
 * Read the @len bytes at @text, one line without its '\n', into @ret, to be freed with
 * cs_log_line_done().  0; -EINVAL: "what, expected what" in @err, nothing to free;
 * -EPROTO: the same, and the line is a header; -ENOMEM.  O(len).
 */
int cs_logread_line(struct cs_logread *r, const char *text, size_t len,
		    struct cs_log_line *ret, struct cs_err *err);
void cs_log_line_done(struct cs_log_line *l);

#endif
