/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checker on a log in memory, and what it must say. */
#ifndef CS_TEST_CHECKRIG_H
#define CS_TEST_CHECKRIG_H

#include "cs_test.h"

#include "cosched/check/check_log.h"
#include "cosched/check/lines.h"
#include "common/log/read_line.h"

#define KEPT 8 /* breaches that are kept */

struct result {
	struct cs_checklog k;
	uint64_t line[KEPT];
	char text[KEPT][CS_ERR_TEXT];
	size_t n;
};

static inline void keep(void *arg, uint64_t line, const char *text)
{
	struct result *r = arg;

	if (r->n < KEPT) {
		r->line[r->n] = line;
		snprintf(r->text[r->n], CS_ERR_TEXT, "%s", text);
	}
	r->n++;
}

static inline void check_bytes(struct cs_checkstate *state, const char *log,
			       size_t len, struct result *r)
{
	FILE *file = fmemopen((void *)(uintptr_t)log, len, "r");

	memset(r, 0, sizeof(*r));
	r->k.breach = keep;
	r->k.arg = r;
	assert_non_null(file);
	assert_int_equal(cs_checklog(&r->k, state, file), 0);
	fclose(file);
	assert_int_equal(r->n, r->k.breaches);
}

static inline void check(const char *log, struct result *r)
{
	struct cs_checkstate *state = cs_checkstate_create();

	assert_non_null(state);
	check_bytes(state, log, strlen(log), r);
	cs_checkstate_free(state);
}

static inline void assert_ok(const char *log)
{
	struct result r;

	check(log, &r);
	if (r.n)
		fail_msg("line %d: %s\n%s", (int)r.line[0], r.text[0], log);
}

/* Exactly one breach, there, in these words. */
static inline void assert_breach(const char *log, int line, const char *words)
{
	struct result r;

	check(log, &r);
	if (r.n != 1 || r.line[0] != (uint64_t)line ||
	    !strstr(r.text[0], words) || !strstr(r.text[0], "expected"))
		fail_msg("%d breaches, line %d: %s; expected 1, line %d: "
			 "%s\n%s",
			 (int)r.n, (int)r.line[0], r.text[0], line, words, log);
}

#endif
