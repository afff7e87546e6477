// SPDX-License-Identifier: GPL-2.0-or-later
#include "wait/place.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wait/board.h"

/* @text as a whole number from 0 to @max; -1: it is none. */
static int number(const char *text, int max)
{
	char *end;
	long n;

	if (!text || !isdigit((unsigned char)*text))
		return -1;
	n = strtol(text, &end, 10);
	return *end || n > max ? -1 : (int)n;
}

/* FNV-1a, 64 bits. */
static void add(uint64_t *sum, const char *text)
{
	for (; *text; text++)
		*sum = (*sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
}

static void make_key(struct cs_place *p, const char *kind, const char *a,
		     const char *b)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	add(&sum, kind);
	add(&sum, a);
	add(&sum, "/");
	add(&sum, b);
	snprintf(p->key, sizeof p->key, "%016" PRIx64, sum);
}

void cs_place_find(struct cs_place *p, char *(*get)(const char *), pid_t parent)
{
	const char *job = get("SLURM_JOB_ID"), *step = get("SLURM_STEP_ID");
	const char *space = get("PMIX_NAMESPACE"),
		   *node = get("SLURMD_NODENAME");
	char launcher[24], on[64];

	memset(p, 0, sizeof *p);
	snprintf(launcher, sizeof launcher, "%ld", (long)parent);
	p->slot = number(get("OMPI_COMM_WORLD_LOCAL_RANK"), CS_BOARD_SLOTS - 1);
	p->local = number(get("OMPI_COMM_WORLD_LOCAL_SIZE"), CS_BOARD_SLOTS);
	make_key(p, "ompi", space ? space : launcher, "");
	if (p->slot < 0) {
		p->slot = number(get("MPI_LOCALRANKID"), CS_BOARD_SLOTS - 1);
		p->local = number(get("MPI_LOCALNRANKS"), CS_BOARD_SLOTS);
		make_key(p, "hydra", launcher, "");
	}
	/* The step's tasks by node are a list: how many there are here is not told. */
	if (p->slot < 0 && job && step) {
		p->slot = number(get("SLURM_LOCALID"), CS_BOARD_SLOTS - 1);
		p->local = number(get("SLURM_NTASKS"), 1) == 1;
		/* several slurmd may run on a host */
		snprintf(on, sizeof on, "%s@%s", step, node ? node : "");
		make_key(p, "slurm", job, on);
	}
	if (p->local < 0)
		p->local = 0;
}
