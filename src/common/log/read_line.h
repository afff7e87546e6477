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
#include "log/schema.h"
#include "model/action.h"

#define CS_LOG_DEPTH 32

/* Fields that are absent have their defaults. */
struct cs_log_line {
	enum cs_log_ev ev;
	double t; /* seconds, any finite number; not in a header */
	uint32_t job;
	bool host; /* START, SUSPEND, RESUME, LIMIT: the host's own, we were
			    only told */
	struct cs_event event; /* its type where it is one, and t_us; of REFUSE,
				  SUSPEND, RESUME, LIMIT, NODE, KEPT, TICK what
				  is no pointer to a struct or list */
	struct cs_job submitted; /* SUBMIT, CHANGE, REQUEUE: but its options */
	struct cs_started start; /* START: but alloc; packed too where the host's
				    own test placed it */
	struct cs_action action; /* START: why; WOULD: what, but alloc */
	struct cs_reservation reservation; /* RESERVATION: but nodes and cores */
	double since; /* START: when it really started; t where absent */
	size_t n_node;
	struct cs_range *node;	      /* NODE: [n_node], increasing */
	struct cs_log_alloc *alloc;   /* START, RESUME, WOULD; may be NULL */
	struct cs_log_header *header; /* HEADER */
	struct json_object *json;     /* all of it; strings above are its */
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

#endif
