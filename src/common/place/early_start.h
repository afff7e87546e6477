/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts before a promised time; the theory is in early_start.c. */
#ifndef CS_PLACE_EARLY_START_H
#define CS_PLACE_EARLY_START_H

#include "state/pass.h"

/* Start jobs before their time, where nobody passes his R_max by it.  0, -ENOMEM. */
int cs_early_start(struct cs_pass *p);

#endif
