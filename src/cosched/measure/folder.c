/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/jobs.h"
#include "sweep/sweep_files.h"

#define ROOM (CS_MEASURE_PATH + 64)
#define SCRIPT_MAX ((size_t)4 << 20)
#define STATE_MAX ((off_t)64 << 20) /* a job has 200 bytes */

static int failed(const char *path, int rc, struct cs_err *err)
{
	return cs_err_set(err, rc, "'%.250s': %s", path, strerror(-rc));
}

/* ---- programs ---------------------------------------------------------------------- */

/* The file's name without folder and ending, with '_' for what a profile's name may not
 * have. */
static void name_of(const char *path, char name[CS_PROFILE_NAME])
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *dot = strrchr(base, '.');
	size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base);

	snprintf(name, CS_PROFILE_NAME, "%.*s",
		 (int)(n < CS_PROFILE_NAME ? n : CS_PROFILE_NAME - 1), base);
	for (char *c = name; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-",
			    *c))
			*c = '_';
}

int cs_measure_folder_program(const char *script,
			      struct cs_measure_program *ret,
			      struct cs_measure_options *ret_options,
			      struct cs_err *err)
{
	char *text;
	size_t size;
	int rc = cs_sweep_read(script, &text, &size);

	if (rc)
		return cs_err_set(err, rc,
				  "'%.250s': %s, expected a batch script",
				  script, strerror(-rc));
	if (size < 2 || strncmp(text, "#!", 2) || size > SCRIPT_MAX) {
		rc = cs_err_set(err, -EINVAL,
				"'%.200s' does not begin with #!, expected a "
				"batch script",
				script);
	} else {
		name_of(script, ret->name);
		ret->sum = cs_sweep_sum(CS_SWEEP_SUM, text, size);
		rc = cs_measure_options_script(ret_options, text, script, err);
	}
	free(text);
	return rc;
}

static int copy_programs(const struct cs_measure_folder *f, char *const *script,
			 size_t n, struct cs_err *err)
{
	char path[ROOM];
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		snprintf(path, sizeof(path), "%s/program.%zu", f->path, i);
		rc = cs_sweep_copy(script[i], path, err);
		if (!rc && chmod(path, 0755))
			rc = failed(path, -errno, err);
	}
	return rc;
}

/* ---- the folder -------------------------------------------------------------------- */

static int take_lock(struct cs_measure_folder *f, struct cs_err *err)
{
	char path[ROOM];

	snprintf(path, sizeof(path), "%s/lock", f->path);
	f->lock = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (f->lock < 0)
		return failed(path, -errno, err);
	if (flock(f->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return cs_err_set(err, -EBUSY,
				  "another command measures in '%.250s'",
				  f->path);
	return 0;
}

/* The jobs of before, if there is a state; -ENOENT: there is none. */
static int read_state(const struct cs_measure_folder *f,
		      struct cs_measure_state *state, struct cs_err *err)
{
	struct cs_measure_state old = { .n = 0 };
	char path[ROOM], *text;
	struct stat st;
	size_t size;
	int rc;

	snprintf(path, sizeof(path), "%s/state", f->path);
	if (!stat(path, &st) && st.st_size > STATE_MAX)
		return cs_err_set(err, -EFBIG,
				  "'%.200s' has %jd bytes, expected the state "
				  "of a measurement",
				  path, (intmax_t)st.st_size);
	rc = cs_sweep_read(path, &text, &size);
	if (rc)
		return rc == -ENOENT ? rc : failed(path, rc, err);
	rc = cs_measure_state_read(&old, text, path, err);
	free(text);
	if (rc)
		return rc;
	rc = cs_measure_state_same(&old, state, f->path, err);
	if (!rc) {
		state->job = old.job;
		state->n_job = old.n_job;
		state->room = old.room;
		old.job = NULL;
	}
	cs_measure_state_done(&old);
	return rc;
}

/* A folder that has files but no state belongs to something else.  An earlier command
 * may have left the lock, and a state that it had not yet renamed. */
static int check_empty(const struct cs_measure_folder *f, struct cs_err *err)
{
	DIR *dir = opendir(f->path);
	const struct dirent *d;
	int rc = dir ? 0 : failed(f->path, -errno, err);

	while (!rc && (d = readdir(dir)))
		if (d->d_name[0] != '.' && strcmp(d->d_name, "lock") &&
		    strncmp(d->d_name, "state.", 6))
			rc = cs_err_set(err, -EEXIST,
					"'%.200s' has other files ('%.60s'), "
					"expected an empty folder, or that of "
					"a measurement",
					f->path, d->d_name);
	if (dir)
		closedir(dir);
	return rc;
}

/* A name of its own, by the folder's path and the user. */
static void name_jobs(struct cs_measure_folder *f)
{
	uint64_t sum = cs_sweep_sum(CS_SWEEP_SUM, f->path, strlen(f->path));
	uint64_t user = (uint64_t)getuid();

	sum = cs_sweep_sum(sum, &user, sizeof(user));
	snprintf(f->name, sizeof(f->name), "cosched-profile-%016" PRIx64, sum);
}

int cs_measure_folder_open(struct cs_measure_folder *f, const char *path,
			   char *const *script, struct cs_measure_state *state,
			   struct cs_err *err)
{
	char job[ROOM], *real;
	int rc;

	f->lock = -1;
	if (mkdir(path, 0777) && errno != EEXIST)
		return failed(path, -errno, err);
	real = realpath(path, NULL);
	if (!real || strlen(real) >= sizeof(f->path)) {
		rc = failed(path, real ? -ENAMETOOLONG : -errno, err);
		free(real);
		return rc;
	}
	strcpy(f->path, real);
	free(real);
	name_jobs(f);
	rc = take_lock(f, err);
	if (rc)
		return rc;
	rc = read_state(f, state, err);
	/* The state is the first file: whatever follows is known to be ours. */
	if (rc == -ENOENT) {
		rc = check_empty(f, err);
		if (!rc)
			rc = cs_measure_folder_save(f, state, err);
	}
	snprintf(job, sizeof(job), "%s/job.sh", f->path);
	if (!rc)
		rc = cs_sweep_write(job, cs_measure_jobs_script,
				    strlen(cs_measure_jobs_script), err);
	if (!rc && chmod(job, 0755))
		rc = failed(job, -errno, err);
	return rc ? rc : copy_programs(f, script, state->n, err);
}

void cs_measure_folder_close(struct cs_measure_folder *f)
{
	if (f->lock >= 0)
		close(f->lock);
	f->lock = -1;
}

int cs_measure_folder_save(const struct cs_measure_folder *f,
			   const struct cs_measure_state *state,
			   struct cs_err *err)
{
	char path[ROOM], *text = cs_measure_state_text(state);
	int rc;

	snprintf(path, sizeof(path), "%s/state", f->path);
	rc = text ? cs_sweep_write(path, text, strlen(text), err)
		  : cs_err_set(err, -ENOMEM, "no memory");
	free(text);
	return rc;
}

/* ---- records ------------------------------------------------------------------------ */

int cs_measure_folder_record(const struct cs_measure_folder *f, uint32_t job,
			     struct cs_measure_record *ret)
{
	char path[ROOM], *text;
	size_t size;

	snprintf(path, sizeof(path), "%s/job.%" PRIu32, f->path, job);
	if (cs_sweep_read(path, &text, &size)) {
		text = strdup("");
		if (!text)
			return -ENOMEM;
	}
	return cs_measure_record_read(ret, text);
}

static int adopt(const struct cs_measure_folder *f,
		 struct cs_measure_state *state, uint32_t number)
{
	struct cs_measure_record r;
	int rc = cs_measure_folder_record(f, number, &r);
	struct cs_measure_job j;

	if (rc)
		return rc;
	j = (struct cs_measure_job){ .job = number,
				     .experiment = r.experiment,
				     .with = r.with,
				     .nodes = r.nodes,
				     .limit_s = r.limit_s,
				     .role = r.role };
	if (r.role && r.job == number && r.nodes &&
	    r.experiment < cs_measure_experiments(state->n))
		rc = cs_measure_state_add(state, &j);
	cs_measure_record_done(&r);
	return rc;
}

int cs_measure_folder_adopt(const struct cs_measure_folder *f,
			    struct cs_measure_state *state)
{
	DIR *dir = opendir(f->path);
	const struct dirent *d;
	int rc = 0;

	while (!rc && dir && (d = readdir(dir))) {
		uint32_t number;
		int n = 0;

		if (sscanf(d->d_name, "job.%" SCNu32 "%n", &number, &n) == 1 &&
		    !d->d_name[n] && number &&
		    !cs_measure_state_find(state, number))
			rc = adopt(f, state, number);
	}
	if (dir)
		closedir(dir);
	return rc;
}
