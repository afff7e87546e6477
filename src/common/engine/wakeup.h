/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instants that waiting jobs wait for.
 */
#ifndef CS_ENGINE_WAKEUP_H
#define CS_ENGINE_WAKEUP_H

#include <stdbool.h>

struct cs_engine;

/* Does a waiting job wait for an instant? */
bool cs_engine_timers(const struct cs_engine *e);

#endif
