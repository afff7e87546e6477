/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's own plugin behind a shadow.
 *
 * "Not our own folder" is decided by device and inode, not by spelling:
 * PluginDir may name our folder through a link.
 *
 * As Slurm does, a file of another release is passed over: during an upgrade PluginDir
 * may name the folders of both.
 *
 * PluginDir is copied under slurm_conf's own lock: the thread that changes a mode and
 * loads the stock scheduler holds none of slurmctld's, and a reconfigure frees the
 * text.
 */
#include "slurm.h"

#include "stockfile.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Folder of the shadow that contains this code; 0, or -1 if unknown. */
static int own_folder(struct stat *ret)
{
	static const char here;
	char path[PATH_MAX];
	Dl_info info;
	char *slash;

	if (!dladdr(&here, &info) || !info.dli_fname)
		return -1;
	if (snprintf(path, sizeof(path), "%s", info.dli_fname) >=
	    (int)sizeof(path))
		return -1;
	slash = strrchr(path, '/');
	if (!slash)
		return -1;
	*slash = '\0';
	return stat(path, ret);
}

/* Has the folder @path our table, of whatever release?  Then its plugins are shadows too. */
static bool has_table(const char *path)
{
	static const char table[] = "libcosched_plan";
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)))
		found = !strncmp(entry->d_name, table, strlen(table));
	closedir(dir);
	return found;
}

/* What is looked for, and why none was found. */
struct search {
	const char *name;
	struct stat own; /* our folder, if it is known */
	char *why;
	size_t size;
};

/* Load the file s->path; false: it cannot be, or is of another release. */
static bool load(struct cs_stockfile *s, const struct search *x)
{
	const uint32_t *version;

	s->handle = dlopen(s->path, RTLD_LAZY | RTLD_LOCAL);
	if (!s->handle) {
		snprintf(x->why, x->size, "dlopen: %s", dlerror());
		return false;
	}
	version = dlsym(s->handle, "plugin_version");
	if (version && *version == SLURM_VERSION_NUMBER)
		return true;
	snprintf(x->why, x->size,
		 "%s is of Slurm release %#x, expected %#x (%s)", s->path,
		 version ? *version : 0, SLURM_VERSION_NUMBER,
		 SLURM_VERSION_STRING);
	dlclose(s->handle);
	s->handle = NULL;
	return false;
}

/* Is there such a file in @dir (of @len bytes), which is not ours?  Then it is loaded. */
static bool try_folder(struct cs_stockfile *s, const char *dir, size_t len,
		       const struct search *x)
{
	struct stat st;

	if (!len || len >= sizeof(s->path))
		return false;
	memcpy(s->path, dir, len);
	s->path[len] = '\0';
	if (stat(s->path, &st))
		return false;
	if (st.st_dev == x->own.st_dev && st.st_ino == x->own.st_ino)
		return false;
	if (has_table(s->path))
		return false;
	if (len + 1 + strlen(x->name) >= sizeof(s->path))
		return false;
	snprintf(s->path + len, sizeof(s->path) - len, "/%s", x->name);
	return !stat(s->path, &st) && S_ISREG(st.st_mode) && load(s, x);
}

/* PluginDir, to be freed; NULL: unset, or no memory. */
static char *plugin_dirs(void)
{
	const slurm_conf_t *conf = slurm_conf_lock();
	char *dirs = conf->plugindir ? strdup(conf->plugindir) : NULL;

	slurm_conf_unlock();
	return dirs;
}

/* The first of the folders @dirs, by colons, that has it. */
static bool try_folders(struct cs_stockfile *s, const char *dirs,
			const struct search *x)
{
	while (*dirs) {
		size_t len = strcspn(dirs, ":");

		if (try_folder(s, dirs, len, x))
			return true;
		dirs += len + (dirs[len] == ':');
	}
	return false;
}

static bool find(struct cs_stockfile *s, const char *dirs, struct search *x)
{
	bool own = !own_folder(&x->own);

	return (own && dirs && try_folders(s, dirs, x)) ||
	       try_folders(s, CS_STOCK_PLUGINDIR, x);
}

int cs_stockfile_open(struct cs_stockfile *s, const char *name, char *ret_why,
		      size_t size)
{
	struct search x = { .name = name, .why = ret_why, .size = size };
	char *dirs = plugin_dirs();
	int (*init)(void);
	bool found;

	s->handle = NULL;
	snprintf(ret_why, size,
		 "no %s of Slurm's own in PluginDir=%s nor in %s", name,
		 dirs ? dirs : "", CS_STOCK_PLUGINDIR);
	found = find(s, dirs, &x);
	free(dirs);
	if (!found)
		return -1;
	init = dlsym(s->handle, "init");
	if (!init || !init())
		return 0;
	snprintf(ret_why, size, "init() of %s failed", s->path);
	dlclose(s->handle);
	s->handle = NULL;
	return -1;
}

void *cs_stockfile_symbol(const struct cs_stockfile *s, const char *symbol)
{
	return dlsym(s->handle, symbol);
}

void cs_stockfile_close(struct cs_stockfile *s)
{
	void (*fini)(void);

	if (!s->handle)
		return;
	fini = dlsym(s->handle, "fini");
	if (fini)
		fini();
	dlclose(s->handle);
	s->handle = NULL;
}
