/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz the parser of parameters, as of slurm.conf and of --set; what it accepts
 * comes back from its own text.  How to run it: fuzz_log.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/params/params.h"
#include "standalone.h"

#define LIST_MAX (1 << 17)

const char fuzz_name[] = "fuzz_params";

const char *const fuzz_words[] = { "cosched_",
				   "cosched_mode=off",
				   "cosched_policy=glts",
				   "policy=easy",
				   "seed=",
				   "max_slowdown=",
				   "profiles=/a",
				   "partition_modes=a:act+b:off",
				   "share_partitions=",
				   "=",
				   ",",
				   "+",
				   ":",
				   " ",
				   "9223372036854775808",
				   "-1",
				   "1e308",
				   "nan",
				   "0x10",
				   "1.",
				   "\xff",
				   "\n",
				   NULL };

/* All parameters of @p as a list; false: one holds a ',' or more does not fit. */
static bool list_of(const struct cs_params *p, char *list)
{
	size_t n, used = 0;
	const struct cs_param_row *row = cs_params_rows(&n);
	char value[CS_PATH_MAX + 1];

	for (size_t i = 0; i < n; i++) {
		cs_params_print(p, &row[i], value, sizeof(value));
		if (strchr(value, ',') || used + sizeof(value) + 64 > LIST_MAX)
			return false;
		used += (size_t)snprintf(list + used, LIST_MAX - used,
					 "%s%s=%s", i ? "," : "", row[i].key,
					 value);
	}
	return true;
}

static void there_and_back(const struct cs_params *p, enum cs_param_host host)
{
	static char list[LIST_MAX], again[LIST_MAX];
	struct cs_params q = { 0 };
	struct cs_err err = { "" };

	if (!list_of(p, list))
		return;
	if (cs_params_parse(&q, host, list, "", &err)) {
		fprintf(stderr, "%s\n%s\n", list, err.text);
		abort();
	}
	if (!list_of(&q, again) || strcmp(list, again))
		abort();
	cs_params_done(&q);
}

static void parse(enum cs_param_host host, const char *text, const char *prefix)
{
	struct cs_params p = { 0 };
	struct cs_err err = { "" };
	int rc = cs_params_parse(&p, host, text, prefix, &err);

	if (rc && (rc != -EINVAL || !*err.text))
		abort();
	if (rc)
		return;
	there_and_back(&p, host);
	cs_params_mode_of(&p, "a");
	cs_params_listed(p.share_partitions, "a", true);
	cs_params_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(size + 1, 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	parse(CS_HOST_LIVE, text, "cosched_");
	parse(CS_HOST_SIM, text, "");
	cs_params_says_off(text, "cosched_");
	free(text);
	return 0;
}
