/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes a job gets, and when: first come, first served; rules in allocator.c. */
#ifndef CS_PROCSIM_ALLOCATOR_H
#define CS_PROCSIM_ALLOCATOR_H

#include "procsim/world.h"

/* Job @job arrives. */
void cs_allocator_arrive(struct cs_world *w, uint32_t job);
/* Process @p has ended: its place on the node is free. */
void cs_allocator_remove(struct cs_world *w, struct cs_process *p);
/* A process of job @job has ended; the job ends with its last one, and others start. */
void cs_allocator_end(struct cs_world *w, uint32_t job);

#endif
