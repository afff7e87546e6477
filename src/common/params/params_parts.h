/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the parameters.  No other file includes this.
 *
 *	params.c	a list of settings read, over defaults and a preset
 *	param_table.c	the rows
 *	param_preset.c	the presets
 *	param_value.c	a value as text, read and printed
 *	param_check.c	what keys require of each other; lists within a value
 *	host_key.c	Slurm's own keys
 */
#ifndef CS_PARAMS_PARAMS_PARTS_H
#define CS_PARAMS_PARAMS_PARTS_H

#include <string.h>

#include "params/params.h"

/* Rows of the table. */
#define CS_ROW_OF(f, k, kd, u, l, s, lo, hi, nm, tx) CS_ROW_##f,
enum { CS_PARAM_TABLE(CS_ROW_OF) CS_N_PARAM };
#undef CS_ROW_OF

/* An item of the list, for messages: the key as the user wrote it. */
struct cs_param_item {
	const char *key, *value;
	size_t n_key, n_value;
};

/* Bytes of the value in a message: short enough to leave room for the rest. */
#define CS_PARAM_SHOWN 48
static inline int cs_param_shown(size_t n)
{
	return n < CS_PARAM_SHOWN ? (int)n : CS_PARAM_SHOWN;
}

static inline bool cs_param_is(const char *text, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(text, word, n);
}

/* Length of the item at @text, up to @sep or the end. */
static inline size_t cs_param_len(const char *text, char sep)
{
	const char *end = strchr(text, sep);

	return end ? (size_t)(end - text) : strlen(text);
}

/* An ASCII letter in lower case. */
static inline char cs_param_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* param_table.c */
extern const struct cs_param_row cs_param_rows[CS_N_PARAM];
/* Row of the key of @n bytes at @key, by its name or its old one, or -1. */
int cs_param_find(const char *key, size_t n);
/* The key nearest to the @n bytes at @key. */
const char *cs_param_nearest(const char *key, size_t n);
/* Row of what the @n bytes at @key, without our prefix, are meant to be: in any case, with
 * '-' for '_', or a long one with one edit; or -1. */
int cs_param_meant(const char *key, size_t n);
/* Edits (insert, drop, change a byte, in any case) from the @n bytes at @text to
 * @word. */
size_t cs_param_distance(const char *text, size_t n, const char *word);

/* param_preset.c */
/* Apply the preset of p->policy, given as @it, to the keys not @given. */
int cs_param_preset(struct cs_params *p, const bool *given,
		    const struct cs_param_item *it, struct cs_err *err);

/* param_value.c */
bool cs_param_same(const char *a, const char *b, size_t n); /* in any case */
/* Are the @n bytes at @key one of Slurm's keys of SchedulerParameters? */
bool cs_param_slurms(const char *key, size_t n);
/* Index of the @n bytes at @text in the '|'-joined @names, or -1. */
int cs_param_name(const char *names, const char *text, size_t n);
bool cs_param_int(const char *text, size_t n, int64_t *ret);
bool cs_param_real(const char *text, size_t n, double *ret);
int cs_param_refuse(struct cs_err *err, const struct cs_param_item *it,
		    const char *what);
/* Set the field of @row; @live: a value with a key that Slurm would find is an
 * error. */
int cs_param_set(struct cs_params *p, const struct cs_param_row *row,
		 const struct cs_param_item *it, bool live, struct cs_err *err);

/* param_check.c */
struct cs_param_check {
	size_t next; /* next rule; 0 at the start */
	bool alone;  /* only those about one key */
	int row;     /* of the key that the last error is about */
	bool across; /* ... and other keys */
};

/* Continue from c->next; 0: no rule is broken; -EINVAL: the one before c->next is. */
int cs_param_check(const struct cs_params *p, enum cs_param_host host,
		   const char *prefix, struct cs_param_check *c,
		   struct cs_err *err);

#endif
