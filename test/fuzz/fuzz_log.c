/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz the reader and checker of event logs.
 *
 * With libFuzzer:	clang -fsanitize=fuzzer,address,undefined ...
 * With AFL:		afl-fuzz ... -- fuzz_log		(input on stdin)
 * Without either:	fuzz_log [-n TIMES] [-s SEED] FILE...
 *
 * The last form (-DFUZZ_STANDALONE) checks each file as it is and then TIMES
 * mutations of each, the same for the same SEED; a crash is the only failure.
 * The input of the run under way stands in fuzz_log.input if it crashes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cosched/checklog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

#ifdef FUZZ_STANDALONE

#include <unistd.h>

#define INPUT_MAX (1u << 20)

static uint64_t seed = 1;

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014) */
static size_t draw(size_t n)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (size_t)((z ^ z >> 31) % n);
}

static const char *const words[] = {
	"\"ev\":\"start\"", "\"ev\":\"submit\"", "\"ev\":\"header\"",
	"\"ev\":\"resume\"", "\"ev\":\"suspend\"", "\"ev\":\"requeue\"",
	"\"alloc\":{\"0-3\":\"0-3\"}", "\"tasks\":4294967295", "\"array\":1",
	"\"job\":1", "\"nodes\":1048576", "\"types\":[{\"nodes\":\"0-1\"}]",
	"4294967295", "-1", "1e308", "0-4294967295", "\n", "{", "[", "\"", "\\",
};

/* One change of the @len bytes at @data, in a buffer of INPUT_MAX. */
static size_t mutate(uint8_t *data, size_t len)
{
	size_t at = draw(len), n = 1 + draw(32), from = draw(len);
	const char *word = words[draw(sizeof(words) / sizeof(words[0]))];

	if (n > len - at)
		n = len - at;
	switch (draw(5)) {
	case 0:
		data[at] = (uint8_t)draw(256);
		return len;
	case 1: /* cut out */
		memmove(data + at, data + at + n, len - at - n);
		return len - n ? len - n : 1;
	case 2: /* copy over */
		if (n > len - from)
			n = len - from;
		memmove(data + at, data + from, n);
		return len;
	case 3: /* insert a word */
		n = strlen(word);
		if (len + n > INPUT_MAX)
			return len;
		memmove(data + at + n, data + at, len - at);
		memcpy(data + at, word, n);
		return len + n;
	default: /* another digit */
		while (at < len && (data[at] < '0' || data[at] > '9'))
			at++;
		if (at < len)
			data[at] = (uint8_t)('0' + draw(10));
		return len;
	}
}

static void note_input(const uint8_t *data, size_t len)
{
	FILE *file = fopen("fuzz_log.input", "w");

	if (!file)
		return;
	fwrite(data, 1, len, file);
	fclose(file);
}

static void fuzz(const uint8_t *start, size_t len, long times)
{
	uint8_t *data = malloc(INPUT_MAX);

	LLVMFuzzerTestOneInput(start, len);
	for (long i = 0; data && len && i < times; i++) {
		size_t n = len;

		memcpy(data, start, len);
		for (size_t k = 1 + draw(8); k; k--)
			n = mutate(data, n);
		note_input(data, n);
		LLVMFuzzerTestOneInput(data, n);
	}
	free(data);
}

static int fuzz_file(FILE *file, const char *name, long times)
{
	uint8_t *data = malloc(INPUT_MAX);
	size_t len = file && data ? fread(data, 1, INPUT_MAX, file) : 0;

	if (!file || !data || ferror(file)) {
		fprintf(stderr, "fuzz_log: cannot read '%s'\n", name);
		free(data);
		return 1;
	}
	fuzz(data, len, times);
	free(data);
	printf("%s: %ld runs\n", name, times + 1);
	return 0;
}

int main(int argc, char **argv)
{
	long times = 0;
	int c, failed = 0;

	while ((c = getopt(argc, argv, "n:s:")) != -1) {
		if (c == '?')
			return 2;
		if (c == 'n')
			times = atol(optarg);
		else
			seed = strtoull(optarg, NULL, 10);
	}
	if (optind == argc)
		return fuzz_file(stdin, "stdin", times);
	printf("seed %llu\n", (unsigned long long)seed);
	for (int i = optind; i < argc; i++) {
		FILE *file = fopen(argv[i], "r");

		failed |= fuzz_file(file, argv[i], times);
		if (file)
			fclose(file);
	}
	if (!failed)
		unlink("fuzz_log.input");
	return failed;
}

#endif
