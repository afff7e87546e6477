/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulator's settings, by key; the table is setting_list.h. */
#ifndef CS_PROCSIM_SETTING_H
#define CS_PROCSIM_SETTING_H

#include <stdint.h>

#include "base/err.h"
#include "procsim/setting_list.h"

enum cs_setting_kind { CS_SETTING_WHOLE, CS_SETTING_REAL, CS_SETTING_CHOICE };

/* Choices, numbered as in the table. */
enum { CS_LENGTHS_EXPONENTIAL, CS_LENGTHS_UNIFORM, CS_LENGTHS_FIXED };
enum { CS_ARRIVALS_POISSON, CS_ARRIVALS_ZERO };
enum { CS_SIZES_UNIFORM, CS_SIZES_POW2 };
enum { CS_PATTERN_MIXED, CS_PATTERN_NN, CS_PATTERN_AA };
enum { CS_PENDING_READABLE, CS_PENDING_AWAITED, CS_PENDING_UNREAD };
enum { CS_CNP_UNREAD, CS_CNP_READY };
enum { CS_LOWEST_SOURCES, CS_LOWEST_JOBS, CS_LOWEST_ALL };
enum { CS_COMMUNICATES_PENDING, CS_COMMUNICATES_PEERS };
enum { CS_ORACLE_ELAPSED, CS_ORACLE_LATEST };
enum { CS_AVERAGES_NODES, CS_AVERAGES_SUMS };
enum { CS_BOOST_OVER_ANY, CS_BOOST_OVER_SPINNING };
enum { CS_BOOST_UNTIL_WAIT, CS_BOOST_UNTIL_QUANTUM };
enum { CS_SENDER_TAKEN, CS_SENDER_RECEIVED };

#define CS_SETTING_TYPE_WHOLE int64_t
#define CS_SETTING_TYPE_REAL double
#define CS_SETTING_TYPE_CHOICE int
#define CS_SETTING_MEMBER(field, kind, ...) CS_SETTING_TYPE_##kind field;
struct cs_setting {
	CS_SETTING_TABLE(CS_SETTING_MEMBER)
};
#undef CS_SETTING_MEMBER

/* A row of the table; figures of a choice are 0. */
struct cs_setting_row {
	const char *key;
	enum cs_setting_kind kind;
	const char *unit, *standard;
	double low, high;
	const char *names; /* of a choice, separated by '|' */
	const char *source, *text;
};

void cs_setting_defaults(struct cs_setting *s);
/* Set "KEY=VALUE".  0; -EINVAL, with @err (may be NULL) set and nothing changed. */
int cs_setting_set(struct cs_setting *s, const char *text, struct cs_err *err);
/* Do the settings fit each other?  0; -EINVAL with @err set. */
int cs_setting_check(const struct cs_setting *s, struct cs_err *err);
/* The row number @i, from 0; NULL: there are fewer. */
const struct cs_setting_row *cs_setting_row(unsigned i);

/* @us microseconds in nanoseconds. */
static inline int64_t cs_setting_ns(double us)
{
	return (int64_t)(us * 1000 + .5);
}

#endif
