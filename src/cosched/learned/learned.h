/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was learned, as people see it: a table, the partners of one kind, a profile file.
 *
 * It comes as the lines of cs_past_write(), from the plugin's state file, from a log, or
 * from a file that `cosched learn` wrote.
 */
#ifndef CS_COSCHED_LEARNED_LEARNED_H
#define CS_COSCHED_LEARNED_LEARNED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/err.h"
#include "common/learn/admission.h"

struct cs_learned_file {
	struct cs_past *past; /* NULL: no whole state was there */
	struct cs_admission *admission;
	int64_t now_us; /* the last end that was learned from */
};

/* Read @text, in which lines of a state stand among any others ("virtual " may be before
 * them); of several states the last whole one.  0, -ENOENT: there is none, -EINVAL,
 * -ENOMEM; @err says what. */
int cs_learned_read(struct cs_learned_file *f, char *text, struct cs_err *err);
void cs_learned_done(struct cs_learned_file *f);

/* A kind of job. */
struct cs_learned_row {
	const char *name;
	uint64_t ended; /* jobs */
	uint32_t runs;	/* of them, that say something */
	double spread;	/* its time spread and alone over that on full nodes */
	uint32_t partners; /* kinds that it ran beside */
	double bound;	   /* the least of its bounds; 0: none */
	uint32_t admitted; /* kinds with which it may share */
};
/* Beside another. */
struct cs_learned_pair {
	const char *name; /* of the other */
	double bound;	  /* of the slowdown; 0: not known */
	uint32_t runs;
	bool may_share;
};
int cs_learned_kinds(const struct cs_learned_file *f);
const char *cs_learned_name(const struct cs_learned_file *f, int kind);
struct cs_learned_row cs_learned_row(const struct cs_learned_file *f, int kind,
				     double max_slowdown);
struct cs_learned_pair cs_learned_pair(const struct cs_learned_file *f, int of,
				       int beside, double max_slowdown);

/* A row a kind: how often it ended, how many runs say something, its time spread and
 * alone over that on full nodes, its partners, the least bound, how many may share with
 * it. */
void cs_learned_print(const struct cs_learned_file *f, double max_slowdown);
/* A line for each that kind @name was judged beside.  False: there is none. */
bool cs_learned_partners(const struct cs_learned_file *f, const char *name,
			 double max_slowdown);
/* The same two as JSON.  0; -ENOENT: there is no kind @name; -ENOMEM, or the file's
 * error. */
int cs_learned_json(const struct cs_learned_file *f, double max_slowdown,
		    FILE *file);
int cs_learned_partners_json(const struct cs_learned_file *f, const char *name,
			     double max_slowdown, FILE *file);
/* A profile file for nodes of @cores: of all pairs that have a bound, that.
 * 0, or the file's error. */
int cs_learned_export(const struct cs_learned_file *f, uint32_t cores,
		      FILE *file);

#endif
