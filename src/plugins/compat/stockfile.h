/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's own plugin behind a shadow: find its file, load it, unload it.
 *
 * The shadow has the same file name and comes earlier in PluginDir.  The stock
 * file is the first of that name in PluginDir outside our folders (during an upgrade
 * there is one for each release), else the one in the folder configured at build time.  It is loaded by absolute path,
 * lazily and with local symbols as Slurm itself does; never linked: it would
 * bind to our symbols of the same names.
 */
#ifndef CS_COMPAT_STOCKFILE_H
#define CS_COMPAT_STOCKFILE_H

#include <limits.h>
#include <stddef.h>

struct cs_stockfile {
	void *handle;	     /* of dlopen, NULL when not loaded */
	char path[PATH_MAX]; /* what was loaded, or tried last */
};

/*
 * Load the stock plugin @name ("select_cons_tres.so"), check that it is of our
 * release, and call its init().  0, or -1 with one line in @ret_why[@size].
 */
int cs_stockfile_open(struct cs_stockfile *s, const char *name, char *ret_why,
		      size_t size);

/* Look up a symbol, or NULL. */
void *cs_stockfile_symbol(const struct cs_stockfile *s, const char *symbol);

/* Call its fini() and unmap it.  Does nothing if it is not loaded. */
void cs_stockfile_close(struct cs_stockfile *s);

#endif
