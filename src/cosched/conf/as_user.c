/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/as_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* @text is scontrol's "slurm(64030)", or the file's name or number. */
static struct passwd *find(const char *text, uid_t *ret_uid)
{
	char name[256];
	const char *id = strchr(text, '(');
	struct passwd *pw;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "("), text);
	if (!id && *text && text[strspn(text, "0123456789")] == '\0')
		id = text;
	if (id) {
		*ret_uid = (uid_t)strtoul(id + (*id == '('), NULL, 10);
		return getpwuid(*ret_uid);
	}
	pw = getpwnam(name);
	*ret_uid = pw ? pw->pw_uid : 0;
	return pw;
}

void cs_asuser_init(struct cs_asuser *u, const struct cs_slurmconf *c)
{
	char text[256];
	struct passwd *pw;

	memset(u, 0, sizeof(*u));
	if (geteuid() || !cs_slurmconf_get(c, "SlurmUser", text, sizeof(text)))
		return;
	pw = find(text, &u->uid);
	u->other = u->uid != 0;
	u->in_passwd = pw != NULL;
	u->gid = pw ? pw->pw_gid : (gid_t)u->uid;
	if (pw)
		snprintf(u->name, sizeof(u->name), "%s", pw->pw_name);
	else
		snprintf(u->name, sizeof(u->name), "%u", (unsigned)u->uid);
}

/* In a child: a changed user id cannot be changed back. */
static int try(const struct cs_asuser *u, const char *path, int mode)
{
	if (u->in_passwd ? initgroups(u->name, u->gid) : setgroups(0, NULL))
		return errno;
	if (setgid(u->gid) || setuid(u->uid))
		return errno;
	return access(path, mode) ? errno : 0;
}

int cs_asuser_access(const struct cs_asuser *u, const char *path, int mode)
{
	int status;
	pid_t pid;

	if (!u->other)
		return access(path, mode) ? -errno : 0;
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(try(u, path, mode));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -ECHILD;
}
