/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100 /* names, if others write the same file */

/* ---- signals ------------------------------------------------------------- */

static const int deadly[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU
};

#define N_DEADLY (sizeof(deadly) / sizeof(deadly[0]))

/* Those with a fresh name, of this process (not of its forks); changed only
 * while signals are blocked. */
static struct cs_outfile *unfinished;
static pid_t owner;

static struct {
	const char *folder; /* NULL: none */
	char *const *file;
	const size_t *n;
} scratch;

static void drop_scratch(void)
{
	for (size_t i = 0; scratch.folder && i < *scratch.n; i++)
		unlink(scratch.file[i]);
	if (scratch.folder)
		rmdir(scratch.folder);
}

static void die(int sig)
{
	if (getpid() == owner) {
		for (struct cs_outfile *o = unfinished; o; o = o->next)
			unlink(o->fresh);
		drop_scratch();
	}
	signal(sig, SIG_DFL);
	raise(sig); /* blocked until this returns */
}

static void catch_deadly(void)
{
	struct sigaction die_of_it = { .sa_handler = die }, is;

	sigfillset(&die_of_it.sa_mask);
	for (size_t i = 0; i < N_DEADLY; i++)
		if (!sigaction(deadly[i], NULL, &is) &&
		    is.sa_handler == SIG_DFL)
			sigaction(deadly[i], &die_of_it, NULL);
	owner = getpid();
}

static void hold_back(sigset_t *ret_was)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, ret_was);
}

static void let_through(const sigset_t *was)
{
	sigprocmask(SIG_SETMASK, was, NULL);
}

void cs_outfile_scratch(const char *folder, char *const *file, const size_t *n)
{
	sigset_t was;

	hold_back(&was);
	scratch.folder = folder;
	scratch.file = file;
	scratch.n = n;
	if (folder)
		catch_deadly();
	let_through(&was);
}

/* o->fresh is no longer ours. */
static void forget(struct cs_outfile *o)
{
	struct cs_outfile **at = &unfinished;
	sigset_t was;

	hold_back(&was);
	while (*at && *at != o)
		at = &(*at)->next;
	if (*at)
		*at = o->next;
	let_through(&was);
	free(o->fresh);
	o->fresh = NULL;
}

/* ---- files --------------------------------------------------------------- */

static int failed(struct cs_outfile *o, int error, const char *path,
		  struct cs_err *err)
{
	int rc = error ? -error : -EIO;

	cs_err_set(err, rc, "'%s': %s", path, strerror(-rc));
	cs_outfile_drop(o);
	return rc;
}

/* The real target of writing to @path; NULL: see errno. */
static char *place_of(const char *path, bool *ret_direct)
{
	struct stat st;
	bool there = !stat(path, &st);

	*ret_direct = there && !S_ISREG(st.st_mode);
	errno = ENOMEM;
	return there ? realpath(path, NULL) : strdup(path);
}

/* A fresh file beside o->path. */
static int open_beside(struct cs_outfile *o)
{
	size_t size = strlen(o->path) + 32;
	sigset_t was;
	int fd = -1;

	errno = ENOMEM;
	o->fresh = malloc(size);
	if (!o->fresh)
		return -1;
	if (!unfinished)
		catch_deadly();
	hold_back(&was);
	for (int i = 0; i < TRIES && fd < 0; i++) {
		snprintf(o->fresh, size, "%s.%ld.%d.new", o->path,
			 (long)getpid(), i);
		fd = open(o->fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		free(o->fresh);
		o->fresh = NULL;
	} else {
		o->next = unfinished;
		unfinished = o;
	}
	let_through(&was);
	return fd;
}

bool cs_outfile_over(const char *path, const char *input)
{
	struct stat a, b;

	return !stat(path, &a) && !stat(input, &b) && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool written_already(const char *place)
{
	for (const struct cs_outfile *x = unfinished; x; x = x->next)
		if (!strcmp(x->path, place))
			return true;
	return false;
}

int cs_outfile_open(struct cs_outfile *o, const char *path, struct cs_err *err)
{
	bool direct;
	int fd;

	*o = (struct cs_outfile){ 0 };
	if (!strcmp(path, "-")) {
		o->file = stdout;
		return 0;
	}
	o->path = place_of(path, &direct);
	if (!o->path)
		return failed(o, errno, path, err);
	if (written_already(o->path)) {
		cs_outfile_drop(o);
		return cs_err_set(err, -EEXIST,
				  "'%s' is given for two outputs, expected a "
				  "file for each",
				  path);
	}
	fd = direct ? open(path, O_WRONLY | O_CLOEXEC) : open_beside(o);
	if (fd < 0)
		return failed(o, errno, path, err);
	o->file = fdopen(fd, "w");
	if (!o->file) {
		int error = errno;

		close(fd);
		return failed(o, error, path, err);
	}
	return 0;
}

static const char *name_of(const struct cs_outfile *o)
{
	return o->path ? o->path : "standard output";
}

int cs_outfile_flush(struct cs_outfile *o, struct cs_err *err)
{
	errno = 0;
	if (fflush(o->file) || ferror(o->file))
		return failed(o, errno, name_of(o), err);
	return 0;
}

int cs_outfile_keep(struct cs_outfile *o, struct cs_err *err)
{
	const char *name = name_of(o);
	int rc = cs_outfile_flush(o, err);

	if (rc)
		return rc;
	if (o->file != stdout && fclose(o->file)) {
		o->file = NULL;
		return failed(o, errno, name, err);
	}
	o->file = NULL;
	if (o->fresh && rename(o->fresh, o->path))
		return failed(o, errno, name, err);
	if (o->fresh)
		forget(o);
	cs_outfile_drop(o);
	return 0;
}

void cs_outfile_drop(struct cs_outfile *o)
{
	if (o->file && o->file != stdout)
		fclose(o->file);
	if (o->fresh) {
		unlink(o->fresh);
		forget(o);
	}
	free(o->path);
	*o = (struct cs_outfile){ 0 };
}
