/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which library calls, and which are loaded: by the names of their files.
 */
#ifndef CS_WAIT_LIBRARY_H
#define CS_WAIT_LIBRARY_H

#include <stdbool.h>

enum cs_library {
	CS_LIBRARY_OTHER,
	CS_LIBRARY_OPAL,  /* Open MPI's progress loop */
	CS_LIBRARY_EVENT, /* libevent, which Open MPI polls through */
	CS_LIBRARY_FABRIC /* libfabric */
};

/* The library of the file @name, a path or not. */
enum cs_library cs_library_named(const char *name);

/* The library that the code at @address is of. */
enum cs_library cs_library_of(const void *address);

/* What Open MPI moves messages with, by the components that are loaded now. */
struct cs_library_paths {
	bool memory;	/* shared memory of a node */
	char blind[32]; /* one that no descriptor tells of; empty: none */
};

void cs_library_paths_find(struct cs_library_paths *p);

/* What the loaded file @name, a path or not, adds. */
struct cs_library_seen {
	struct cs_library_paths paths;
	bool components; /* Open MPI's are files of their own */
};
void cs_library_add(struct cs_library_seen *s, const char *name);

#endif
