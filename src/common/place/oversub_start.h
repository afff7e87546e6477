/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job on cores that other jobs have already (oversub_start.c). */
#ifndef CS_PLACE_OVERSUB_START_H
#define CS_PLACE_OVERSUB_START_H

#include "state/pass.h"

/* Where cores may have several jobs: 1 started, 0 not now, -ENOMEM. */
int cs_oversub_start(struct cs_pass *p, const struct cs_entry *entry);

#endif
