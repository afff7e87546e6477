/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the unit tests share: cmocka with what it needs before it, comparisons
 * of doubles, seeded draws, allocations that fail, test files.
 *
 * CS_TEST_SEED=N in the environment gives random tests another seed,
 * CS_TEST_WORLDS=N so many random worlds (or rounds) each.
 *
 * A test program that defines CS_TEST_ALLOC before including this and is linked
 * with
 *
 *	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup
 *	-Wl,--wrap=strndup,--wrap=free
 *
 * can let its n-th allocation fail, and fails itself if memory is left at its end;
 * without the flags nothing ever fails.
 */
#ifndef CS_TEST_H
#define CS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* @got is @want within the part @rtol of the larger of the two. */
#define assert_close(got, want, rtol) \
	cs_test_close(got, want, rtol, #got, __FILE__, __LINE__)

static inline void cs_test_close(double got, double want, double rtol,
				 const char *what, const char *file, int line)
{
	double a = got < 0 ? -got : got, b = want < 0 ? -want : want;
	double off = got > want ? got - want : want - got;

	if (off <= rtol * (a > b ? a : b))
		return;
	print_error("%s is %.17g, expected %.17g within %g\n", what, got, want,
		    rtol);
	_fail(file, line);
}

/* @text holds @part. */
#define assert_contains(text, part) \
	cs_test_contains(text, part, __FILE__, __LINE__)

static inline void cs_test_contains(const char *text, const char *part,
				    const char *file, int line)
{
	if (strstr(text, part))
		return;
	print_error("'%s' does not hold '%s'\n", text, part);
	_fail(file, line);
}

/* ----------------------------------------------------------------- draws */

/* Prints the seed: who sees a failure can repeat it. */
static inline uint64_t cs_test_seed(void)
{
	const char *env = getenv("CS_TEST_SEED");
	uint64_t seed = env ? strtoull(env, NULL, 10) : 1;

	print_message("CS_TEST_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

/* How many random worlds a test shall try: @n, or what CS_TEST_WORLDS says. */
static inline uint64_t cs_test_worlds(uint64_t n)
{
	const char *env = getenv("CS_TEST_WORLDS");

	return env ? strtoull(env, NULL, 10) : n;
}

/* 0 .. n - 1; splitmix64 (Steele, Lea and Flood, OOPSLA 2014) */
static inline uint64_t cs_test_draw(uint64_t *seed, uint64_t n)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % n;
}

/* 0 <= x < 1 */
static inline double cs_test_unit(uint64_t *seed)
{
	const uint64_t n = UINT64_C(1) << 53;

	return (double)cs_test_draw(seed, n) / (double)n;
}

/* ----------------------------------------------------------------- files */

/* Path of @name in test/unit/data, run from the source or a build folder. */
static inline const char *cs_test_path(const char *name)
{
	static char path[4096];
	const char *src = getenv("srcdir");
	const char *const folder[] = { src ? src : ".", ".", "..", "../.." };

	for (size_t i = 0; i < sizeof(folder) / sizeof(folder[0]); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/test/unit/data/%s", folder[i],
			 name);
		f = fopen(path, "r");
		if (!f)
			continue;
		fclose(f);
		return path;
	}
	print_error("no test/unit/data/%s: set srcdir\n", name);
	fail();
	return NULL;
}

/* The file @name of test/unit/data, with a 0 behind it; free() it. */
static inline char *cs_test_file(const char *name, size_t *ret_len)
{
	FILE *f = fopen(cs_test_path(name), "r");
	char *text = NULL;
	size_t n = 0, room = 0;

	assert_non_null(f);
	do {
		if (room - n < 4096) {
			char *more = realloc(text, room = 2 * room + 8192);

			assert_non_null(more);
			text = more;
		}
		n += fread(text + n, 1, room - n - 1, f);
	} while (!feof(f) && !ferror(f));
	fclose(f);
	text[n] = '\0';
	if (ret_len)
		*ret_len = n;
	return text;
}

/* ----------------------------------------------------------- allocations */

#ifdef CS_TEST_ALLOC
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void __wrap_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);

/* Without the linker's flags these are what is called, and never used. */
#pragma weak __real_malloc
#pragma weak __real_calloc
#pragma weak __real_realloc
#pragma weak __real_free

static long cs_test_left = -1; /* allocations until one fails; -1: none does */
static bool cs_test_hit;
static _Atomic long cs_test_live; /* allocations that are not freed yet */

static inline bool cs_test_fails(void)
{
	if (cs_test_left < 0 || cs_test_left-- > 0)
		return false;
	cs_test_hit = true;
	return true;
}

static inline void *cs_test_counted(void *p)
{
	cs_test_live += p != NULL;
	return p;
}

void *__wrap_malloc(size_t size)
{
	return cs_test_fails() ? NULL : cs_test_counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return cs_test_fails() ? NULL : cs_test_counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	void *q;

	if (cs_test_fails())
		return NULL;
	q = __real_realloc(p, size);
	return p ? q : cs_test_counted(q);
}

void __wrap_free(void *p)
{
	cs_test_live -= p != NULL;
	__real_free(p);
}

/* What libc has allocated and the program frees counts as less than nothing. */
__attribute__((destructor)) static void cs_test_nothing_is_left(void)
{
	if (cs_test_live <= 0)
		return;
	fprintf(stderr, "%ld allocations are not freed\n", (long)cs_test_live);
	_exit(1);
}

char *__wrap_strndup(const char *text, size_t n)
{
	size_t len = strnlen(text, n);
	char *copy = __wrap_malloc(len + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *__wrap_strdup(const char *text)
{
	return __wrap_strndup(text, SIZE_MAX);
}

/* Let the allocation after the next @n ones fail. */
static inline void cs_test_fail_after(long n)
{
	cs_test_left = n;
	cs_test_hit = false;
}

/* Let all succeed again; whether one has failed. */
static inline bool cs_test_failed(void)
{
	cs_test_left = -1;
	return cs_test_hit;
}

/*
 * Run @call with each of its allocations failing in turn, until none is left to
 * fail: @is_failure must then, and only then, be false.
 */
#define CS_TEST_EACH_ALLOC(call, is_failure)        \
	for (long n_ = 0, more_ = 1; more_; n_++) { \
		bool failure_;                      \
                                                    \
		cs_test_fail_after(n_);             \
		call;                               \
		failure_ = (is_failure);            \
		more_ = cs_test_failed();           \
		assert_int_equal(failure_, more_);  \
		assert_true(n_ < 10000);            \
	}
#endif

#endif
