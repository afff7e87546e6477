/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slowdowns drawn from table 4 of Zeng09 (slowdown.h), for simulations of unknown jobs
 * (slowdowns=table4).
 *
 * Each is a function of its arguments only: the simulator, the engine and the workload
 * generator see the same jobs. O(1), a hash.
 */
#ifndef CS_PROFILE_TABLE4_H
#define CS_PROFILE_TABLE4_H

#include <stdint.h>

/* SL_scr of job @id: its processes on cores of one socket, 1 <= x < 1.7. */
double cs_table4_scr(uint64_t seed, uint32_t id);

/* SL_sno of job @id: its processes on sockets of one node, .9 <= x < 1.4. */
double cs_table4_sno(uint64_t seed, uint32_t id);

/* SL_cos of job @of beside job @beside, 1 <= x < 1.8. */
double cs_table4_cos(uint64_t seed, uint32_t of, uint32_t beside);

#endif
