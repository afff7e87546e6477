/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schema of the event log: the kinds of lines, and the fields that represent
 * members of structs.
 *
 * These tables drive write_line.c, read_line.c and read_event.c, and a test compares
 * cosched-log(5) with them: a new field is a row in schema.c and its description in the
 * manual.  What no row can express (cores, node sets, a proposal beside its outcome) is
 * written by name in write_line.c and read in read_event.c.
 */
#ifndef CS_LOG_SCHEMA_H
#define CS_LOG_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- kinds of lines ------------------------------------------------------ */

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
	CS_LOG_BEGIN,
	CS_LOG_RESIZE,
	CS_LOG_LIMIT,
	CS_LOG_NODE,
	CS_LOG_NODESETS,
	CS_LOG_RESERVATION,
	CS_LOG_KEPT,
	CS_LOG_TICK,
	CS_LOG_DECIDE,
	CS_LOG_JOINED,
	CS_LOG_DISBAND,
	CS_LOG_SLICE,
	CS_LOG_BOUND,
	CS_LOG_ESTIMATES,
	CS_LOG_ESTIMATE,
	CS_LOG_WOULD, /* shadow mode: proposed, not started */
	CS_LOG_EVS
};

struct cs_log_kind {
	const char *name; /* "ev" */
	int event;	  /* enum cs_event_type; -1: no event */
	bool job, alloc;  /* required fields */
};

extern const struct cs_log_kind cs_log_kinds[CS_LOG_EVS];

/* "submit" and so on. */
const char *cs_log_ev_name(enum cs_log_ev ev);
/* The kind of line for an enum cs_event_type. */
enum cs_log_ev cs_log_ev_of(int event);
/* "start" and so on, of an enum cs_action_type. */
const char *cs_log_action_name(uint32_t type);

/* ---- fields -------------------------------------------------------------- */

enum cs_log_form {
	CS_LOG_U32,
	CS_LOG_U64,
	CS_LOG_I32,
	CS_LOG_MEMORY,	/* uint64_t in MB, CS_MEM_ALL as "all" */
	CS_LOG_US,	/* int64_t in microseconds, as seconds */
	CS_LOG_EXACT,	/* double, all digits */
	CS_LOG_ROUNDED, /* double, six decimals or null; write only */
	CS_LOG_TEXT,	/* const char *, left out if NULL or empty */
	CS_LOG_WHOLE,	/* the same, written even if empty, not cut */
	CS_LOG_TRUE,	/* bool, left out if false */
	CS_LOG_BOOL,	/* bool */
	CS_LOG_NAME,	/* uint32_t or enum, as name() says */
	CS_LOG_FLAGS,	/* uint32_t, list of name(i) per bit i; left out if 0 */
	CS_LOG_NODESET, /* uint32_t, cs_engine_nodeset(); left out without an engine */
	CS_LOG_BY, /* no member: "host" if the host did it */
};

/* When a field is left out; a reader then sets that value. */
enum cs_log_left {
	CS_LOG_NEVER, /* always written; 0 if absent */
	CS_LOG_IF,    /* if it equals `usual` */
	CS_LOG_IF_T,  /* if it equals the line's t */
	CS_LOG_IF_LIKE, /* if it equals the member (CS_LOG_US) at offset `usual` */
	CS_LOG_UNLESS, /* unless said(); 0 if absent */
};

struct cs_log_field {
	const char *key;
	enum cs_log_form form;
	enum cs_log_left left;
	size_t at; /* offset of the member in its struct */
	int64_t usual;
	bool (*said)(const void *of);	 /* UNLESS */
	const char *(*name)(uint32_t i); /* NAME, FLAGS; NULL: no more */
};

/* Adjacent fields of a line, all of one struct. */
struct cs_log_fields {
	size_t n;
	const struct cs_log_field *field; /* [n] */
};

extern const struct cs_log_fields cs_log_job;	       /* of struct cs_job */
extern const struct cs_log_fields cs_log_option;       /* cs_job_partition */
extern const struct cs_log_fields cs_log_start;	       /* cs_started: which */
extern const struct cs_log_fields cs_log_start_option; /* ... partition */
extern const struct cs_log_fields cs_log_start_group; /* ... without an action */
extern const struct cs_log_fields cs_log_start_times; /* ... when */
extern const struct cs_log_fields cs_log_proposal;    /* cs_action: which */
extern const struct cs_log_fields cs_log_reasons;     /* cs_action: why */
extern const struct cs_log_fields cs_log_outcome; /* cs_action: what follows */
extern const struct cs_log_fields cs_log_job_id;  /* cs_event: of CANCEL */
extern const struct cs_log_fields cs_log_finish;  /* of FINISH */
extern const struct cs_log_fields cs_log_stop;	  /* of SUSPEND, RESUME */
extern const struct cs_log_fields cs_log_begin;	  /* of BEGIN */
extern const struct cs_log_fields cs_log_resize;  /* of RESIZE */
extern const struct cs_log_fields cs_log_limit;	  /* of LIMIT */
extern const struct cs_log_fields cs_log_refused; /* of REFUSED */
extern const struct cs_log_fields cs_log_node;	  /* of NODE */
extern const struct cs_log_fields cs_log_nodeset; /* of NODESET */
extern const struct cs_log_fields cs_log_kept;	  /* of KEPT */
extern const struct cs_log_fields cs_log_tick;	  /* of TICK */
extern const struct cs_log_fields cs_log_reservation; /* cs_reservation: which */
extern const struct cs_log_fields cs_log_reservation_times;
extern const struct cs_log_fields cs_log_reservation_flags;
extern const struct cs_log_fields cs_log_estimates; /* cs_estimate */
extern const struct cs_log_fields cs_log_forecast;  /* cs_forecast */

/* All of them, for the test; *ret_n: how many. */
const struct cs_log_fields *const *cs_log_parts(size_t *ret_n);

#endif
