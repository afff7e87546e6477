/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GPUs of a node, by type.
 *
 * A node's GPUs are numbered type by type: those of kind[0] come first.  A GPU is whole, or
 * shared: then each of its jobs holds a number of thousandths of it.  A set of a node's
 * GPUs is one word of 64 bits.
 */
#ifndef CS_MODEL_GPU_H
#define CS_MODEL_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define CS_GPU_KINDS 4	  /* types on one node */
#define CS_GPU_NAME 64	  /* bytes of a type's name, with its end */
#define CS_GPUS_MOST 64	  /* of one node */
#define CS_GPU_WHOLE 1000 /* thousandths */

struct cs_gpu_kind {
	char type[CS_GPU_NAME]; /* "": it has no name */
	uint32_t id;		/* cs_gpu_id() of it */
	uint32_t n;		/* >= 1 */
};

struct cs_gpus {
	uint32_t n_kind; /* >= 1 */
	uint32_t n;	 /* in all */
	struct cs_gpu_kind kind[CS_GPU_KINDS];
};

/* The number by which a type is compared: a hash of its name, never 0; NULL or "": 0, any
 * type. */
uint32_t cs_gpu_id(const char *type);

/* The GPUs of @g (NULL: none) of type @id (0: of any). */
uint64_t cs_gpus_of(const struct cs_gpus *g, uint32_t id);

/* The type of GPU @i < g->n. */
const char *cs_gpu_type(const struct cs_gpus *g, uint32_t i);

/* Have both (NULL: none) as many of each type, in the same order? */
bool cs_gpus_same(const struct cs_gpus *a, const struct cs_gpus *b);

/* @n more GPUs of @type (NULL or "": without a name), a type that @g does not have yet.  0;
 * -EINVAL: n is 0, too many in all, too many types, one that it has, or a long name. */
int cs_gpus_add(struct cs_gpus *g, const char *type, uint32_t n,
		struct cs_err *err);

/*
 * "8", "a100:8" or "a100:4,t4:2" as GPUs into @ret.  "0" is none: ret->n is 0 then.
 * 0, -EINVAL.
 */
int cs_gpus_parse(struct cs_gpus *ret, const char *text, struct cs_err *err);

#endif
