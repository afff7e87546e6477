/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors of the shim inside a program that knows nothing of them.
 */
#ifndef CS_WAIT_OWN_FD_H
#define CS_WAIT_OWN_FD_H

#include <stdbool.h>
#include <sys/types.h>

/* @fd as a number that programs do not use by hand, closed at exec; @fd itself if there
 * is none, or if it is negative. */
int cs_own_fd_high(int fd);

/* Is @fd still the file of @dev and @ino?  A program may close what it has not opened,
 * and open a file of its own by the same number. */
bool cs_own_fd_same(int fd, dev_t dev, ino_t ino);

#endif
