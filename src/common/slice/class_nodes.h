/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes by the class of the jobs that run there; the rules are in class_nodes.c. */
#ifndef CS_SLICE_CLASS_NODES_H
#define CS_SLICE_CLASS_NODES_H

#include "slice/slices.h"

/* How many running jobs are on node @n? */
uint32_t cs_slice_busy_on(const struct cs_slices *s, uint32_t n);

#endif
