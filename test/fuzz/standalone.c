/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "standalone.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define INPUT_MAX (1u << 20)

static uint64_t seed = 1;
static size_t n_words;
static int input; /* file of the input under way */

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014) */
static size_t draw(size_t n)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (size_t)((z ^ z >> 31) % n);
}

/* One change of the @len bytes at @data, in a buffer of INPUT_MAX. */
static size_t mutate(uint8_t *data, size_t len)
{
	size_t at = draw(len), n = 1 + draw(32), from = draw(len);
	const char *word = fuzz_words[draw(n_words)];

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

/* The file stays open: a disk may take a thousand times as long as the trial when it
 * is emptied and closed each time. */
static bool note_input(const uint8_t *data, size_t len)
{
	return pwrite(input, data, len, 0) == (ssize_t)len &&
	       !ftruncate(input, (off_t)len);
}

static int fuzz(const uint8_t *start, size_t len, long times)
{
	uint8_t *data = malloc(INPUT_MAX);
	bool ok = data && note_input(start, len);

	if (ok)
		LLVMFuzzerTestOneInput(start, len);
	for (long i = 0; ok && len && i < times; i++) {
		size_t n = len;

		memcpy(data, start, len);
		for (size_t k = 1 + draw(8); k; k--)
			n = mutate(data, n);
		ok = note_input(data, n);
		if (ok)
			LLVMFuzzerTestOneInput(data, n);
	}
	if (!ok)
		fprintf(stderr, "%s: cannot keep the input\n", fuzz_name);
	free(data);
	return ok ? 0 : 1;
}

static int fuzz_file(FILE *file, const char *name, long times)
{
	uint8_t *data = malloc(INPUT_MAX);
	size_t len = file && data ? fread(data, 1, INPUT_MAX, file) : 0;
	int failed;

	if (!file || !data || ferror(file)) {
		fprintf(stderr, "%s: cannot read '%s'\n", fuzz_name, name);
		free(data);
		return 1;
	}
	failed = fuzz(data, len, times);
	free(data);
	return failed;
}

static int fuzz_files(char *const *names, long times)
{
	int failed = 0;

	for (; *names; names++) {
		FILE *file = fopen(*names, "r");

		failed |= fuzz_file(file, *names, times);
		if (file)
			fclose(file);
	}
	return failed;
}

/* The files in turn until @seconds are over. */
static int fuzz_on(char *const *names, long times, long seconds)
{
	time_t from = time(NULL);
	long runs = 0;
	int failed;

	printf("seed %llu\n", (unsigned long long)seed);
	do {
		failed = fuzz_files(names, times);
		for (size_t i = 0; names[i]; i++)
			runs += times + 1;
	} while (!failed && time(NULL) - from < seconds);
	printf("%ld runs in %ld s\n", runs, (long)(time(NULL) - from));
	return failed;
}

int main(int argc, char **argv)
{
	long times = 0, seconds = 0;
	char name[64];
	int c, failed;

	while (fuzz_words[n_words])
		n_words++;
	snprintf(name, sizeof(name), "%s.input", fuzz_name);
	while ((c = getopt(argc, argv, "n:t:s:")) != -1) {
		if (c == '?')
			return 2;
		if (c == 'n')
			times = atol(optarg);
		else if (c == 't')
			seconds = atol(optarg);
		else
			seed = strtoull(optarg, NULL, 10);
	}
	input = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (input < 0) {
		fprintf(stderr, "%s: cannot write '%s'\n", fuzz_name, name);
		return 1;
	}
	if (optind == argc)
		failed = fuzz_file(stdin, "stdin", times);
	else
		failed = fuzz_on(argv + optind, times, seconds);
	if (!failed)
		unlink(name);
	return failed;
}
