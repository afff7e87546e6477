// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spank_cosched_wait.so: `srun --cosched-wait=MODE` preloads libcosched-wait.so into the
 * tasks of a step (src/wait).
 *
 * A line of plugstack.conf loads it, on the hosts where srun runs and on the nodes:
 *
 *	optional /usr/lib/.../cosched/spank_cosched_wait.so [default=MODE]
 *		[allowed=MODE,...] [library=PATH]
 *
 * The option wins over COSCHED_WAIT in the environment of srun, which an outer step may
 * have from this plugin; COSCHED_WAIT wins over the site's default.
 *
 * The tasks of srun alone are treated: neither batch scripts nor what sbatch, salloc or
 * a login starts.  A step that launches Open MPI's daemons (orted, prted) is left alone:
 * the ranks that mpirun starts beside itself would spin while the others sleep.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/spank.h>

#include "wait/mode.h"

SPANK_PLUGIN(cosched_wait, 1)

#define MODES "off, local, yield, ib, sb, sb:US, hybrid or proc-b"
#define FIRST_SPECIAL_STEP 0xfffffff0 /* batch, extern, interactive and so on */

static struct {
	char library[PATH_MAX];
	char wish[32]; /* off, or what COSCHED_WAIT shall be */
	bool allowed[CS_WAIT_N_MODE];
	bool chosen; /* by the option, not by the site's default */
	bool broken; /* plugstack.conf is wrong: nothing is treated */
} site = { .library = CS_WAIT_LIBRARY, .wish = "off" };

static int chosen(int val, const char *text, int remote);

static struct spank_option option = {
	.name = (char *)"cosched-wait",
	.arginfo = (char *)"MODE",
	.usage =
		(char *)"how MPI ranks wait for messages: off, local, yield, ib, "
			"sb[:US], hybrid or proc-b",
	.has_arg = 1,
	.cb = chosen,
};

static bool is_off(const char *text)
{
	return !strcmp(text, "off");
}

/* @text as the mode of this step.  False: it is none, or the site forbids it. */
static bool take(const char *text)
{
	struct cs_wait_setting s;

	if (!is_off(text) &&
	    (cs_wait_mode_parse(text, &s) || !site.allowed[s.mode] ||
	     strlen(text) >= sizeof site.wish))
		return false;
	snprintf(site.wish, sizeof site.wish, "%s", text);
	return true;
}

static int chosen(int val, const char *text, int remote)
{
	(void)val;
	if (take(text)) {
		site.chosen = true;
		return ESPANK_SUCCESS;
	}
	/* What srun refused never comes to a node; there a job must not die of it. */
	if (!remote)
		slurm_error(
			"--cosched-wait=%s: expected one of %s that this site allows",
			text, MODES);
	return remote ? ESPANK_SUCCESS : ESPANK_BAD_ARG;
}

static bool read_allowed(const char *list)
{
	char copy[128], *save = NULL;
	struct cs_wait_setting s;

	memset(site.allowed, 0, sizeof site.allowed);
	if ((size_t)snprintf(copy, sizeof copy, "%s", list) >= sizeof copy)
		return false;
	for (char *name = strtok_r(copy, ",", &save); name;
	     name = strtok_r(NULL, ",", &save)) {
		if (cs_wait_mode_parse(name, &s))
			return false;
		site.allowed[s.mode] = true;
	}
	return true;
}

/* One word of the line in plugstack.conf. */
static bool read_word(const char *word, const char **ret_default)
{
	if (!strncmp(word, "default=", 8))
		*ret_default = word + 8;
	else if (!strncmp(word, "allowed=", 8))
		return read_allowed(word + 8);
	else if (!strncmp(word, "library=/", 9) &&
		 strlen(word + 8) < sizeof site.library)
		snprintf(site.library, sizeof site.library, "%s", word + 8);
	else
		return false;
	return true;
}

int slurm_spank_init(spank_t sp, int ac, char **av)
{
	const char *by_default = "off";

	memset(site.allowed, 1, sizeof site.allowed);
	for (int i = 0; i < ac && !site.broken; i++) {
		site.broken = !read_word(av[i], &by_default);
		if (site.broken)
			slurm_error(
				"cosched-wait: '%s' in plugstack.conf, expected "
				"default=MODE, allowed=MODE,... or library=/PATH; "
				"it is off",
				av[i]);
	}
	if (!site.broken && !take(by_default)) {
		slurm_error(
			"cosched-wait: default=%s in plugstack.conf, expected one of "
			"%s that allowed= names; it is off",
			by_default, MODES);
		site.broken = true;
	}
	if (spank_context() == S_CTX_LOCAL || spank_remote(sp) == 1)
		return spank_option_register(sp, &option);
	return ESPANK_SUCCESS;
}

/* Is the command one that launches ranks on its node, and others elsewhere? */
static bool launches_ranks(spank_t sp)
{
	const char *slash;
	char **argv;
	int argc;

	if (spank_get_item(sp, S_JOB_ARGV, &argc, &argv) || argc < 1)
		return false;
	slash = strrchr(argv[0], '/');
	slash = slash ? slash + 1 : argv[0];
	return !strcmp(slash, "orted") || !strcmp(slash, "prted");
}

/* To the job's stderr, by one task of the step. */
static void say(spank_t sp, const char *text)
{
	uint32_t task;

	if (!spank_get_item(sp, S_TASK_GLOBAL_ID, &task) && task)
		return;
	fprintf(stderr, "cosched-wait: off: %s\n", text);
}

static void set_mode(spank_t sp, const char *mode)
{
	if (spank_setenv(sp, "COSCHED_WAIT", mode, 1))
		say(sp, "the environment cannot be changed");
}

static void preload(spank_t sp)
{
	char was[PATH_MAX], now[2 * PATH_MAX + 1];
	int rc = spank_getenv(sp, "LD_PRELOAD", was, sizeof was);

	if (rc && rc != ESPANK_ENV_NOEXIST) {
		say(sp, "LD_PRELOAD is too long to be added to");
		return;
	}
	if (!rc && strstr(was, site.library))
		snprintf(now, sizeof now, "%s", was);
	else
		snprintf(now, sizeof now, "%s%s%s", site.library,
			 rc || !*was ? "" : ":", rc ? "" : was);
	if (spank_setenv(sp, "LD_PRELOAD", now, 1))
		say(sp, "the environment cannot be changed");
	else
		set_mode(sp, site.wish);
}

/* As the user, in the task, before its program. */
int slurm_spank_task_init(spank_t sp, int ac, char **av)
{
	bool none = is_off(site.wish) || !strcmp(site.wish, "local");
	uint32_t step;
	char own[2];
	bool is_set;

	(void)ac;
	(void)av;
	if (site.broken || (none && !site.chosen) ||
	    spank_get_item(sp, S_JOB_STEPID, &step) ||
	    step >= FIRST_SPECIAL_STEP)
		return ESPANK_SUCCESS;
	/* by the user, or for the step that srun is started in */
	is_set = spank_getenv(sp, "COSCHED_WAIT", own, sizeof own) !=
		 ESPANK_ENV_NOEXIST;
	if (is_set && !site.chosen)
		return ESPANK_SUCCESS;
	if (none) {
		if (is_set)
			set_mode(sp, "local");
		return ESPANK_SUCCESS;
	}
	if (launches_ranks(sp))
		say(sp,
		    "the step is Open MPI's daemon, start the ranks by srun");
	else if (access(site.library, R_OK))
		say(sp, "its library is not on this node");
	else
		preload(sp);
	return ESPANK_SUCCESS;
}
