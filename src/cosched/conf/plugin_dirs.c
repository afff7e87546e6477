/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/plugin_dirs.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/plugin_file.h"

#define LIST_MAX 8192

/* The plugins by their files; the first NEEDED must all be of the release that runs. */
#define NEEDED 2
#define FILES 3
static const char *const files[FILES] = { "select_cons_tres.so",
					  "sched_backfill.so",
					  "site_factor_ostrich.so" };

/* For which releases are the plugins in a folder?  0: no such plugin. */
struct folder {
	const char *dir;
	uint32_t release[FILES];
};

static void look(struct folder *f, const char *dir)
{
	char path[PATH_MAX];

	f->dir = dir;
	for (int i = 0; i < FILES; i++) {
		int n = snprintf(path, sizeof(path), "%s/%s", dir, files[i]);

		f->release[i] = n > 0 && n < (int)sizeof(path)
					? cs_plugin_file_release(path)
					: 0;
	}
}

static bool is_empty(const struct folder *f)
{
	for (int i = 0; i < FILES; i++)
		if (f->release[i])
			return false;
	return true;
}

/* A file that is missing is another check's (cs_site_look_files). */
static bool fits(const struct folder *f, uint32_t release)
{
	bool any = false;

	for (int i = 0; i < NEEDED; i++) {
		if (f->release[i] && f->release[i] != release)
			return false;
		any |= f->release[i] != 0;
	}
	return any;
}

/* Does any folder of @dirs fit @release?  *ret_any: has one of them any plugin? */
static bool any_fits(const char *dirs, uint32_t release, bool *ret_any)
{
	char list[LIST_MAX], *rest = list;
	bool found = false;
	struct folder f;

	*ret_any = false;
	snprintf(list, sizeof(list), "%s", dirs);
	for (char *dir; (dir = strsep(&rest, ":")) != NULL;) {
		look(&f, dir);
		*ret_any |= !is_empty(&f);
		found |= fits(&f, release);
	}
	return found;
}

static void add(struct cs_said *said, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct cs_said *said, const char *fmt, ...)
{
	size_t n = strlen(said->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(said->text + n, sizeof(said->text) - n, fmt, ap);
	va_end(ap);
}

static void add_release(struct cs_said *said, uint32_t release)
{
	add(said, "%u.%02u.%u", release >> 16, release >> 8 & 255,
	    release & 255);
}

/* "DIR are for 24.11.5", or file by file where they differ. */
static void add_folder(struct cs_said *said, const struct folder *f)
{
	uint32_t one = 0;
	bool differ = false;

	for (int i = 0; i < FILES; i++) {
		differ |= one && f->release[i] && f->release[i] != one;
		one = one ? one : f->release[i];
	}
	if (!differ) {
		add(said, "those in %s are for ", f->dir);
		add_release(said, one);
		return;
	}
	add(said, "in %s", f->dir);
	for (int i = 0, n = 0; i < FILES; i++) {
		if (!f->release[i])
			continue;
		add(said, "%s %s is for ", n++ ? "," : "", files[i]);
		add_release(said, f->release[i]);
	}
}

static void add_folders(struct cs_said *said, const char *dirs)
{
	char list[LIST_MAX], *rest = list;
	struct folder f;
	int n = 0;

	snprintf(list, sizeof(list), "%s", dirs);
	for (char *dir; (dir = strsep(&rest, ":")) != NULL;) {
		look(&f, dir);
		if (is_empty(&f))
			continue;
		add(said, "%s", n++ ? "; " : "");
		add_folder(said, &f);
	}
}

void cs_plugin_dirs(const struct cs_slurmconf *c, const char *ours, char *buf,
		    size_t size)
{
	char list[LIST_MAX], *rest = list;
	size_t used = 0;

	*buf = '\0';
	if (!cs_slurmconf_get(c, "PluginDir", list, sizeof(list)))
		*list = '\0';
	for (char *dir; (dir = strsep(&rest, ":")) != NULL;) {
		size_t n = strlen(dir);

		if (!n || !cs_site_look_is_ours(dir, ours) ||
		    used + n + 2 > size)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 used ? ":" : "", dir);
	}
	if (!used)
		snprintf(buf, size, "%s", ours);
}

bool cs_plugin_dirs_look(const struct cs_slurmconf *c, const char *dirs,
			 struct cs_said *said)
{
	uint32_t runs = cs_site_look_slurm(c);
	uint32_t here = c->live ? cs_site_look_installed() : 0;
	bool any, taken = any_fits(dirs, runs, &any);

	cs_said(said, "%s", any ? "" : "no plugins here to compare");
	if (!any)
		return false;
	if (runs) {
		add(said, "Slurm ");
		add_release(said, runs);
		add(said, c->live ? " runs; of our plugins "
				  : " is here; of our plugins ");
	} else {
		add(said, "no Slurm is known; of our plugins ");
	}
	add_folders(said, dirs);
	if (runs && !taken) {
		add(said,
		    ". slurmctld passes over what is for another, and Slurm's "
		    "own scheduler decides. Build ours for ");
		add_release(said, runs);
		add(said, " (contrib/package, or configure --with-slurm), "
			  "install them, then restart slurmctld.");
		return true;
	}
	if (runs && here && here != runs && !any_fits(dirs, here, &any)) {
		add(said, ". The slurmctld that is installed is ");
		add_release(said, here);
		add(said,
		    ", and passes over them from its next start on. Build "
		    "ours for it before that.");
		return true;
	}
	add(said, ". Before an upgrade of Slurm build ours for its release.");
	return false;
}

bool cs_plugin_dirs_skipped(const struct cs_slurmconf *c, const char *dirs,
			    struct cs_said *said)
{
	uint32_t runs = c->live ? cs_site_look_slurm(c) : 0;
	bool any;

	if (!runs || any_fits(dirs, runs, &any) || !any)
		return false;
	cs_said(said, "Slurm ");
	add_release(said, runs);
	add(said, " runs, and passes over our plugins (");
	add_folders(said, dirs);
	add(said, "): Slurm's own scheduler decides. See cosched doctor");
	return true;
}

void cs_plugin_dirs_choose(const struct cs_slurmconf *c, char *dirs)
{
	char list[LIST_MAX], *rest = list, *first = NULL, *any = NULL;
	uint32_t runs = cs_site_look_slurm(c);
	struct folder f;

	snprintf(list, sizeof(list), "%s", dirs);
	for (char *dir; (dir = strsep(&rest, ":")) != NULL;) {
		look(&f, dir);
		first = first ? first : dir;
		if (!any && !is_empty(&f))
			any = dir;
		if (runs && fits(&f, runs)) {
			any = dir;
			break;
		}
	}
	strcpy(dirs, any ? any : first);
}

/* ---- what PluginDir should name -------------------------------------------- */

/* The folders of releases below @base, and which of them count. */
struct wanted {
	const char *base;
	uint32_t runs;
	char *buf;
	size_t size, used;
	bool full;
};

static void put_dir(struct wanted *w, const char *below)
{
	int n = snprintf(w->buf + w->used, w->size - w->used, "%s%s%s%s",
			 w->used ? ":" : "", w->base, *below ? "/" : "", below);

	if (n < 0 || (size_t)n >= w->size - w->used)
		w->full = true;
	else
		w->used += (size_t)n;
}

static bool counts(const struct wanted *w, const char *name)
{
	uint32_t release = cs_plugin_file_release_number(name);
	char dir[PATH_MAX];
	struct folder f;
	int n = snprintf(dir, sizeof(dir), "%s/%s", w->base, name);

	if (n < 0 || n >= (int)sizeof(dir) || !cs_site_look_is_folder(dir))
		return false;
	look(&f, dir);
	return release == w->runs || (release > w->runs && !is_empty(&f));
}

static int is_release(const struct dirent *d)
{
	return cs_site_look_is_release(d->d_name);
}

static int by_release(const struct dirent **a, const struct dirent **b)
{
	uint32_t x = cs_plugin_file_release_number((*a)->d_name);
	uint32_t y = cs_plugin_file_release_number((*b)->d_name);

	return (x > y) - (x < y);
}

bool cs_plugin_dirs_wanted(const struct cs_slurmconf *c, const char *base,
			   const char *next, char *buf, size_t size)
{
	struct wanted w = { .base = base,
			    .runs = cs_site_look_slurm(c),
			    .buf = buf,
			    .size = size };
	struct dirent **names = NULL;
	int n = scandir(base, &names, is_release, by_release);
	struct folder f;

	*buf = '\0';
	look(&f, base);
	if (!is_empty(&f))
		put_dir(&w, "");
	for (int i = 0; i < n; i++) {
		if (w.runs && counts(&w, names[i]->d_name)) {
			put_dir(&w, names[i]->d_name);
			if (next && !strcmp(next, names[i]->d_name))
				next = NULL;
		}
		free(names[i]);
	}
	free(names);
	if (!w.used)
		put_dir(&w, "");
	if (next)
		put_dir(&w, next);
	return !w.full;
}
