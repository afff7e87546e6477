/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check one event log from its first byte to its last.
 */
#ifndef CS_COSCHED_CHECK_CHECK_LOG_H
#define CS_COSCHED_CHECK_CHECK_LOG_H

#include <stdint.h>
#include <stdio.h>

#include "check/check_state.h"

struct cs_checklog {
	/* A breach, "what, expected what".  May be NULL. */
	void (*breach)(void *arg, uint64_t line, const char *text);
	void *arg;
	/* Results. */
	uint64_t lines, breaches;
	struct cs_check_counts counts;
};

/*
 * Read @file to its end through @state, which may have seen earlier files
 * (rotated ones, oldest first).  0: read whole, whatever its content; -ENOMEM
 * or the file's error.
 */
int cs_checklog(struct cs_checklog *k, struct cs_checkstate *state, FILE *file);

#endif
