// SPDX-License-Identifier: GPL-2.0-or-later
#include "wait/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define CALLERS 16

/* Of Open MPI: ways of messages without a descriptor that could be polled. */
static const char *const BLIND[] = {
	"mca_mtl_",	    "mca_btl_openib", "mca_btl_ofi",
	"mca_btl_uct",	    "mca_btl_ugni",   "mca_btl_usnic",
	"mca_btl_portals4", "libpsm2.",	      "libpsm_infinipath.",
};

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

enum cs_library cs_library_named(const char *name)
{
	name = base_of(name);
	/* opal_progress() ends in a jump to sched_yield(): the address is often that of
	 * the caller of opal_progress(), such as mca_pml_ob1.so. */
	if (begins(name, "libopen-") || begins(name, "libmpi.so") ||
	    begins(name, "mca_") || begins(name, "liboshmem"))
		return CS_LIBRARY_OPAL;
	if (begins(name, "libevent"))
		return CS_LIBRARY_EVENT;
	return begins(name, "libfabric.") ? CS_LIBRARY_FABRIC
					  : CS_LIBRARY_OTHER;
}

/* A progress loop calls from one place, millions of times. */
enum cs_library cs_library_of(const void *address)
{
	static struct {
		const void *address;
		enum cs_library is;
	} known[CALLERS];
	unsigned at = (unsigned)((unsigned long)address >> 2) % CALLERS;
	Dl_info info;

	if (known[at].address != address) {
		known[at].is = dladdr(address, &info) && info.dli_fname
				       ? cs_library_named(info.dli_fname)
				       : CS_LIBRARY_OTHER;
		known[at].address = address;
	}
	return known[at].is;
}

void cs_library_add(struct cs_library_seen *s, const char *name)
{
	name = base_of(name);
	s->components |= begins(name, "mca_btl_");
	s->paths.memory |=
		begins(name, "mca_btl_vader") || begins(name, "mca_btl_sm");
	for (unsigned i = 0; i < sizeof BLIND / sizeof *BLIND; i++)
		if (begins(name, BLIND[i]))
			snprintf(s->paths.blind, sizeof s->paths.blind, "%.*s",
				 (int)strcspn(name, "."), name);
}

static int add(struct dl_phdr_info *info, size_t size, void *seen)
{
	(void)size;
	cs_library_add(seen, info->dlpi_name);
	return 0;
}

void cs_library_paths_find(struct cs_library_paths *p)
{
	struct cs_library_seen s = { .components = false };

	dl_iterate_phdr(add, &s);
	/* Where components are part of one library, memory may be among them. */
	s.paths.memory |= !s.components;
	*p = s.paths;
}
