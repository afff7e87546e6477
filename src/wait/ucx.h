/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UCX, as MPICH (ch4:ucx) and Open MPI (pml ucx) use it: its wake-up descriptors.
 *
 * No header of UCX is needed: workers and contexts are pointers, a status is an int (0:
 * well), and struct ucp_params begins with two words that have never changed.
 */
#ifndef CS_WAIT_UCX_H
#define CS_WAIT_UCX_H

#include <poll.h>
#include <stdbool.h>

#define CS_UCX_WORKERS 8

/* The functions of libucp itself; NULL: there is no such library. */
void *cs_ucx_real(const char *name);

/* As ucp_init_version(), with the feature of waking up; without, where UCX refuses it. */
int cs_ucx_init(unsigned major, unsigned minor, const void *params,
		const void *config, void *context);

/* The worker that the library makes progress with. */
void cs_ucx_saw(void *worker);
void cs_ucx_forget(void *worker);

/* Has a worker been seen, and does every worker have a descriptor? */
bool cs_ucx_any(void);
bool cs_ucx_wakes(void);

/* Arms all workers, and fills @fds, of room for CS_UCX_WORKERS.  How many; -1: an event
 * came in the meantime, the library must make progress first. */
int cs_ucx_arm(struct pollfd *fds);

#endif
