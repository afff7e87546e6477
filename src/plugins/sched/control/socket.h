/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket: `cosched status`, explain, groups, params (wire/wire.h).
 *
 * It has its own thread, which takes Slurm's locks only to look up the asker's rights,
 * and for which the scheduling thread never waits.  Everything is bounded: connections,
 * bytes of a question, seconds of a connection.  Only holders of a munge credential of
 * the cluster get an answer, which only they can read; ordinary users may have their
 * own jobs explained, root, SlurmUser and operators may ask all.
 */
#ifndef CS_SCHED_CONTROL_SOCKET_H
#define CS_SCHED_CONTROL_SOCKET_H

#include <stdbool.h>

#include "common/base/err.h"

/* Copy the needed parts of slurm_conf: under its read lock, and between stop and
 * start. */
void cs_socket_read_conf(void);

/* Does it listen as cs_socket_start(@where) was asked to, and would now?  Under the read
 * lock of slurm_conf. */
bool cs_socket_serves(const char *where);

/*
 * Listen at @where: an absolute path, or a port number at the address of this
 * slurmctld's SlurmctldHost; "": cosched.sock in StateSaveLocation.  Under no lock: a
 * name service may be slow.  Stops an older one first. 0 or a negative errno with @err,
 * and then no socket.
 */
int cs_socket_start(const char *where, struct cs_err *err);

/* Joins the thread, removes the socket file if it is still ours. */
void cs_socket_stop(void);

/* Where it listens, "" if it does not. */
const char *cs_socket_where(void);

#endif
