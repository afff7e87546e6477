/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz the reader of profile files; of what it accepts, every job finds a
 * profile and a slowdown.  The same bytes are also read as a job's comment.
 * How to run it: fuzz_log.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/profile/job_comment.h"
#include "common/profile/profile.h"
#include "common/profile/slowdown.h"
#include "standalone.h"

#define AT_ONCE 8 /* profiles that are tried together */

const char fuzz_name[] = "fuzz_profile";

const char *const fuzz_words[] = { "{\"version\":1",
				   "\"default\":\"cg\"",
				   "\"profiles\":{",
				   "\"pairs\":[",
				   "\"rules\":[",
				   "\"cg\":{}",
				   "\"self\":{\"1\":1}",
				   "\"resources\":{",
				   "\"cpu\":1",
				   "\"of\":\"cg\"",
				   "\"beside\":\"io\"",
				   "\"slowdown\":1.1",
				   "\"user\":\"*\"",
				   "\"name\":\"[a\"",
				   "\"profile\":\"cg\"",
				   "cosched:profile=cg",
				   ",share=no",
				   "4294967296",
				   "-1",
				   "1e308",
				   "\\u0000",
				   "\\ud800",
				   "\xff",
				   "//",
				   "/*",
				   "\"",
				   "[",
				   "{",
				   "null",
				   NULL };

static void slow(const struct cs_profiles *p)
{
	struct cs_slowdown m = { .profiles = p, .unknown_pair = 1.5 };
	struct cs_who who[AT_ONCE];
	size_t n = 0;

	for (int i = 0; i < p->n_profile && n < AT_ONCE; i++)
		who[n++] =
			(struct cs_who){ .profile = i, .id = (uint32_t)i + 1 };
	for (size_t i = 0; i < n; i++) {
		if (!(cs_slowdown_self(&m, who[i], 3, 2, 8) > 0) ||
		    !(cs_slowdown_beside(&m, who[i], who, n) > 0))
			abort();
	}
}

static void match(const struct cs_profiles *p, const char *text)
{
	int i = cs_profiles_match(p, text, text, "a", text, NULL);

	if (i < CS_PROFILE_NONE || i >= p->n_profile)
		abort();
	for (i = 0; i < p->n_profile; i++)
		if (cs_profiles_find(p, p->profile[i].name) != i)
			abort();
}

/* What is said is one line of clean text. */
static void check_clean(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ')
			abort();
}

static void comment(const char *text)
{
	char value[CS_PROFILE_NAME], said[128];
	bool no_share;

	cs_job_comment_item(text, "profile", value, sizeof(value));
	cs_job_comment_check(text, &no_share, said, sizeof(said));
	check_clean(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cs_profiles *p = NULL;
	struct cs_err err = { "" };
	char *text = calloc(size + 1, 1);
	int rc;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	rc = cs_profiles_read(&p, text, size, "fuzz", &err);
	if (rc && (rc != -EINVAL || p || strncmp(err.text, "fuzz:", 5)))
		abort();
	check_clean(err.text);
	if (!rc) {
		slow(p);
		match(p, text);
	}
	cs_profiles_free(p);
	comment(text);
	free(text);
	return 0;
}
