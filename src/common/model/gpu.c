/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* FNV-1a. */
uint32_t cs_gpu_id(const char *type)
{
	uint32_t h = 2166136261U;

	if (!type || !*type)
		return 0;
	for (; *type; type++)
		h = (h ^ (unsigned char)*type) * 16777619U;
	return h ? h : 1;
}

uint64_t cs_gpus_of(const struct cs_gpus *g, uint32_t id)
{
	uint64_t set = 0;
	uint32_t first = 0;

	for (uint32_t k = 0; g && k < g->n_kind; k++) {
		if (!id || g->kind[k].id == id)
			set |= cs_bit_all(g->kind[k].n, 0) << first;
		first += g->kind[k].n;
	}
	return set;
}

const char *cs_gpu_type(const struct cs_gpus *g, uint32_t i)
{
	uint32_t k = 0;

	while (k + 1 < g->n_kind && i >= g->kind[k].n)
		i -= g->kind[k++].n;
	return g->kind[k].type;
}

bool cs_gpus_same(const struct cs_gpus *a, const struct cs_gpus *b)
{
	if (!a || !b)
		return a == b;
	if (a->n_kind != b->n_kind || a->n != b->n)
		return false;
	for (uint32_t k = 0; k < a->n_kind; k++)
		if (a->kind[k].n != b->kind[k].n ||
		    strcmp(a->kind[k].type, b->kind[k].type))
			return false;
	return true;
}

int cs_gpus_add(struct cs_gpus *g, const char *type, uint32_t n,
		struct cs_err *err)
{
	struct cs_gpu_kind *kind = &g->kind[g->n_kind];

	if (!type)
		type = "";
	if (!n || n > CS_GPUS_MOST - g->n)
		return cs_err_set(err, -EINVAL,
				  "%u GPUs '%.40s' of a node, expected 1 to %u",
				  n, type, CS_GPUS_MOST - g->n);
	if (g->n_kind == CS_GPU_KINDS)
		return cs_err_set(err, -EINVAL,
				  "GPUs '%.40s', expected at most %d types on "
				  "a node",
				  type, CS_GPU_KINDS);
	if (strlen(type) >= CS_GPU_NAME)
		return cs_err_set(err, -EINVAL,
				  "GPUs '%.40s...', expected a name of at most "
				  "%d bytes",
				  type, CS_GPU_NAME - 1);
	for (uint32_t k = 0; k < g->n_kind; k++)
		if (!strcmp(g->kind[k].type, type))
			return cs_err_set(err, -EINVAL,
					  "GPUs '%.40s' twice, expected each "
					  "type once",
					  type);
	memset(kind, 0, sizeof(*kind));
	memcpy(kind->type, type, strlen(type));
	kind->id = cs_gpu_id(type);
	kind->n = n;
	g->n_kind++;
	g->n += n;
	return 0;
}

static int wrong(const char *text, struct cs_err *err)
{
	return cs_err_set(err, -EINVAL,
			  "GPUs '%.80s', expected N or TYPE:N such as a100:8, "
			  "of at most %d in all; several joined by ','",
			  text, CS_GPUS_MOST);
}

/* The digits at @c, to their end @end, as a number of at most CS_GPUS_MOST; -1: not so. */
static int count_of(const char *c, const char *end)
{
	int n = 0;

	if (c == end)
		return -1;
	for (; c < end; c++) {
		if (*c < '0' || *c > '9')
			return -1;
		n = 10 * n + (*c - '0');
		if (n > CS_GPUS_MOST)
			return -1;
	}
	return n;
}

int cs_gpus_parse(struct cs_gpus *ret, const char *text, struct cs_err *err)
{
	struct cs_gpus g = { 0 };

	for (const char *c = text, *end;; c = end + 1) {
		char type[CS_GPU_NAME] = "";
		const char *colon;
		int n;

		end = c + strcspn(c, ",");
		colon = memchr(c, ':', (size_t)(end - c));
		n = count_of(colon ? colon + 1 : c, end);
		if (n < 0 || colon == c ||
		    (colon && (size_t)(colon - c) >= sizeof(type)))
			return wrong(text, err);
		if (colon)
			memcpy(type, c, (size_t)(colon - c));
		if (!n && (colon || *text != '0' || text[1]))
			return wrong(text, err);
		if (n && cs_gpus_add(&g, type, (uint32_t)n, err))
			return -EINVAL;
		if (!*end)
			break;
	}
	*ret = g;
	return 0;
}
