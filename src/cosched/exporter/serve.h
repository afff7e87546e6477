/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The server: one thread, one poll(), a request a connection.
 *
 * A connection is there for CS_SERVE_LIMIT_MS at most, whatever it does.  Where all
 * CS_SERVE_MAX are taken a new one takes the place of the oldest that has not put a
 * whole request, or has been answered; where all wait for the page it waits itself.
 */
#ifndef CS_COSCHED_EXPORTER_SERVE_H
#define CS_COSCHED_EXPORTER_SERVE_H

#include "common/base/err.h"
#include "exporter/source.h"

#define CS_SERVE_MAX 32
#define CS_SERVE_LIMIT_MS 5000

/* A listening socket at @where, ADDR:PORT or [ADDR]:PORT (port 0: any), in *ret_fd.
 * 0; a negative errno with one line in @err. */
int cs_serve_listen(const char *where, int *ret_fd, struct cs_err *err);

/* Serve what @s gives at @fd until SIGTERM or SIGINT: 0.  A negative errno: poll(2)
 * failed, or there is no memory.  Closes @fd. */
int cs_serve(int fd, struct cs_source *s);

/* Milliseconds of a clock that goes on. */
int64_t cs_serve_now_ms(void);

#endif
