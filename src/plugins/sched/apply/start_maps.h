/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's nodes and cores as Slurm's bitmaps, and back.  Under locks.
 */
#ifndef CS_SCHED_APPLY_START_MAPS_H
#define CS_SCHED_APPLY_START_MAPS_H

#include "compat/job.h"

#include "sched/feed/adapter_state.h"

/* The nodes of an allocation, of a set.  The caller frees them. */
bitstr_t *cs_start_maps_nodes(const struct cs_adapter *b,
			      const struct cs_alloc *a);
bitstr_t *cs_start_maps_set(const struct cs_adapter *b, uint32_t set);
/* The cores of an allocation.  The caller frees them. */
bitstr_t *cs_start_maps_cores(const struct cs_adapter *b,
			      const struct cs_alloc *a);
/* Those, and the free ones of its nodes.  The caller frees them; NULL: no memory. */
bitstr_t *cs_start_maps_open(const struct cs_adapter *b,
			     const struct cs_alloc *a);
/* The idle cores of nodes with jobs that are not packed, or beside which job @id may
 * not be packed: it would share without consent.  On nodes @checked (NULL: none)
 * share_scope has been checked. */
bitstr_t *cs_start_maps_kept(const struct cs_adapter *b, uint32_t id,
			     const bitstr_t *checked);

/* A forecast of @start (0: none) on @nodes, whose indexes the caller frees; false:
 * none. */
bool cs_start_maps_forecast(const struct cs_adapter *b, time_t start,
			    const bitstr_t *nodes, struct cs_forecast *ret);

#endif
