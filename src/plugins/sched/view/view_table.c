/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for names and for node sets, and the hash that finds these.
 *
 * A name or a set keeps its number as long as its table lives; tables only grow (a
 * set is a few hundred bytes; cs_adapter_outgrown() says when it is enough).
 */
#include "sched/view/view_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

uint64_t cs_view_hash(uint64_t h, const void *p, size_t n)
{
	const unsigned char *b = p;
	uint64_t w;

	for (; n >= 8; n -= 8, b += 8) {
		memcpy(&w, b, 8);
		h = (h ^ w) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	for (; n; n--, b++)
		h = (h ^ *b) * UINT64_C(0x100000001b3);
	h ^= h >> 32;
	return h * UINT64_C(0xff51afd7ed558ccd);
}

uint64_t cs_view_hash_text(uint64_t h, const char *text)
{
	return text ? cs_view_hash(h + 1, text, strlen(text))
		    : h * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* ---- names ----------------------------------------------------------------- */

struct cs_view_names {
	char **name; /* [n] */
	uint32_t n, cap;
};

struct cs_view_names *cs_view_names_create(void)
{
	return calloc(1, sizeof(struct cs_view_names));
}

/* A cluster has few partitions: a linear search, from where the last was. */
uint32_t cs_view_name(struct cs_view_names *t, const char *name)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (!strcmp(t->name[i], name))
			return i;
	if (cs_array_room(&t->name, &t->cap, (size_t)t->n + 1))
		return UINT32_MAX;
	t->name[t->n] = strdup(name);
	return t->name[t->n] ? t->n++ : UINT32_MAX;
}

const char *cs_view_name_of(const struct cs_view_names *t, uint32_t number)
{
	return number < t->n ? t->name[number] : "?";
}

void cs_view_names_free(struct cs_view_names *t)
{
	for (uint32_t i = 0; t && i < t->n; i++)
		free(t->name[i]);
	if (t)
		free(t->name);
	free(t);
}

/* ---- sets ------------------------------------------------------------------ */

struct cs_view_sets {
	uint64_t **words; /* [n] */
	uint64_t *hash;	  /* [n] */
	uint32_t n, cap;
	uint32_t *slot; /* [slots] number + 1, 0: free */
	uint32_t slots;
};

struct cs_view_sets *cs_view_sets_create(void)
{
	return calloc(1, sizeof(struct cs_view_sets));
}

static bool sets_grow(struct cs_view_sets *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : 64, slots = 4 * cap;
	uint64_t **w = realloc(t->words, cap * sizeof(*w));
	uint64_t *h;
	uint32_t *s;

	if (!w)
		return false;
	t->words = w;
	h = realloc(t->hash, cap * sizeof(*h));
	if (!h)
		return false;
	t->hash = h;
	s = calloc(slots, sizeof(*s));
	if (!s)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t k = (uint32_t)h[i] & (slots - 1);

		while (s[k])
			k = (k + 1) & (slots - 1);
		s[k] = i + 1;
	}
	free(t->slot);
	t->slot = s;
	t->slots = slots;
	t->cap = cap;
	return true;
}

uint32_t cs_view_set(struct cs_view_sets *t, const uint64_t *words, uint32_t n)
{
	uint64_t h = cs_view_hash(1, words, n * sizeof(*words));
	uint32_t k;

	if (t->n == t->cap && !sets_grow(t))
		return UINT32_MAX;
	for (k = (uint32_t)h & (t->slots - 1); t->slot[k];
	     k = (k + 1) & (t->slots - 1)) {
		uint32_t i = t->slot[k] - 1;

		if (t->hash[i] == h &&
		    !memcmp(t->words[i], words, n * sizeof(*words)))
			return i;
	}
	t->words[t->n] = malloc(n * sizeof(*words));
	if (!t->words[t->n])
		return UINT32_MAX;
	memcpy(t->words[t->n], words, n * sizeof(*words));
	t->hash[t->n] = h;
	t->slot[k] = ++t->n;
	return t->n - 1;
}

const uint64_t *cs_view_set_words(const struct cs_view_sets *t, uint32_t number)
{
	return number < t->n ? t->words[number] : NULL;
}

uint32_t cs_view_set_count(const struct cs_view_sets *t)
{
	return t->n;
}

void cs_view_sets_free(struct cs_view_sets *t)
{
	for (uint32_t i = 0; t && i < t->n; i++)
		free(t->words[i]);
	if (t) {
		free(t->words);
		free(t->hash);
		free(t->slot);
	}
	free(t);
}
