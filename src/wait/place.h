/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a process stands in its MPI job, by what its launcher left in the environment.
 */
#ifndef CS_WAIT_PLACE_H
#define CS_WAIT_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

#define CS_PLACE_KEY 17 /* 16 hexadecimal digits, and the end */

struct cs_place {
	char key[CS_PLACE_KEY]; /* the same for all ranks of the job on this node */
	int slot; /* the rank among them, from 0; -1: no launcher that is known */
	int local; /* how many they are; 0: not known */
};

/*
 * By Open MPI's mpirun, MPICH's or Intel's mpiexec (Hydra), or srun, in this order: an
 * mpirun inside a step of Slurm leaves both.  @get is getenv(); @parent, the parent's
 * process, tells jobs of one launcher apart.  Allocates nothing.
 */
void cs_place_find(struct cs_place *p, char *(*get)(const char *),
		   pid_t parent);

#endif
