/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz the reader and checker of event logs.
 *
 * With libFuzzer:	clang -fsanitize=fuzzer,address,undefined ...
 * With AFL:		afl-fuzz ... -- fuzz_log		(input on stdin)
 * Without either:	see standalone.h.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cosched/check/check_log.h"
#include "standalone.h"

const char fuzz_name[] = "fuzz_log";

const char *const fuzz_words[] = { "\"ev\":\"start\"",
				   "\"ev\":\"submit\"",
				   "\"ev\":\"header\"",
				   "\"ev\":\"resume\"",
				   "\"ev\":\"suspend\"",
				   "\"ev\":\"requeue\"",
				   "\"alloc\":{\"0-3\":\"0-3\"}",
				   "\"tasks\":4294967295",
				   "\"array\":1",
				   "\"job\":1",
				   "\"nodes\":1048576",
				   "\"types\":[{\"nodes\":\"0-1\"}]",
				   "4294967295",
				   "-1",
				   "1e308",
				   "0-4294967295",
				   "\n",
				   "{",
				   "[",
				   "\"",
				   "\\",
				   NULL };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cs_checkstate *state;
	struct cs_checklog k = { 0 };
	FILE *file;

	if (!size)
		return 0;
	state = cs_checkstate_create();
	file = fmemopen((void *)(uintptr_t)data, size, "r");
	if (state && file)
		cs_checklog(&k, state, file);
	if (file)
		fclose(file);
	cs_checkstate_free(state);
	return 0;
}
