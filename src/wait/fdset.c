// SPDX-License-Identifier: GPL-2.0-or-later
#include "wait/fdset.h"

#include <string.h>
#include <sys/stat.h>

void cs_fdset_clear(struct cs_fdset *s)
{
	s->n = 0;
	s->more = false;
}

void cs_fdset_add(struct cs_fdset *s, const struct pollfd *fds, nfds_t n)
{
	if (n > CS_FDSET_MAX - s->n) {
		s->more = true;
		n = CS_FDSET_MAX - s->n;
	}
	if (n)
		memcpy(s->fd + s->n, fds, n * sizeof *fds);
	s->n += (unsigned)n;
}

bool cs_fdset_network(const struct cs_fdset *s)
{
	struct stat st;

	if (s->more)
		return false;
	/* An epoll descriptor is an anonymous inode, which has no type. */
	for (unsigned i = 0; i < s->n; i++)
		if (!fstat(s->fd[i].fd, &st) &&
		    (S_ISSOCK(st.st_mode) || !(st.st_mode & S_IFMT)))
			return true;
	return false;
}

void cs_fdset_woken(struct cs_fdset *s, const struct pollfd *woken)
{
	unsigned kept = 0, ready = 0;

	for (unsigned i = 0; i < s->n; i++) {
		ready += woken[i].revents && !(woken[i].revents & POLLNVAL);
		if (!(woken[i].revents & POLLNVAL))
			s->fd[kept++] = s->fd[i];
	}
	s->n = kept;
	if (ready && ++s->futile >= CS_FDSET_FUTILE) {
		cs_fdset_clear(s);
		s->futile = 0;
	}
}
