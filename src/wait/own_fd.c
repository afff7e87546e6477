// SPDX-License-Identifier: GPL-2.0-or-later
#include "wait/own_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOW_FD 200 /* above those that a program numbers by hand */

int cs_own_fd_high(int fd)
{
	int high;

	if (fd < 0)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, LOW_FD);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

bool cs_own_fd_same(int fd, dev_t dev, ino_t ino)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_dev == dev &&
	       st.st_ino == ino;
}
