/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory service that hangs, as an NSS module: `passwd` alone, with the users of
 * /etc/passwd.  The file $COSCHED_NSS_HANGS lists users by number, one a line: a look-up
 * of one of them, by number or name, returns only when the file is gone or lists it no
 * more.  Look-ups of others do not wait for it.
 *
 * Loaded without a change to the system by libnss_wrapper:
 *
 *	gcc -shared -fPIC -o nss_slow.so nss_slow.c
 *	LD_PRELOAD=libnss_wrapper.so NSS_WRAPPER_PASSWD=FILE NSS_WRAPPER_GROUP=/etc/group
 *	NSS_WRAPPER_MODULE_SO_PATH=nss_slow.so NSS_WRAPPER_MODULE_FN_PREFIX=cosched_slow
 *
 * where FILE has the users that are found without this module.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <nss.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool hangs(uid_t uid)
{
	const char *path = getenv("COSCHED_NSS_HANGS");
	FILE *file = path ? fopen(path, "re") : NULL;
	bool listed = false;
	unsigned of;

	if (!file)
		return false;
	while (!listed && fscanf(file, "%u", &of) == 1)
		listed = of == uid;
	fclose(file);
	return listed;
}

/* The user whose name or (NULL) number it is, once nothing hangs. */
static enum nss_status look_up(const char *name, uid_t uid,
			       struct passwd *result, char *buffer,
			       size_t buflen, int *errnop)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *found = NULL;
	int rc = ENOENT;

	if (!file) {
		*errnop = errno;
		return NSS_STATUS_UNAVAIL;
	}
	while (!(rc = fgetpwent_r(file, result, buffer, buflen, &found)))
		if (name ? !strcmp(name, found->pw_name) : uid == found->pw_uid)
			break;
	fclose(file);
	while (hangs(rc ? uid : result->pw_uid))
		usleep(50000);
	*errnop = rc;
	if (rc == ERANGE)
		return NSS_STATUS_TRYAGAIN;
	return rc ? NSS_STATUS_NOTFOUND : NSS_STATUS_SUCCESS;
}

enum nss_status _nss_cosched_slow_getpwuid_r(uid_t uid, struct passwd *result,
					     char *buffer, size_t buflen,
					     int *errnop);
enum nss_status _nss_cosched_slow_getpwuid_r(uid_t uid, struct passwd *result,
					     char *buffer, size_t buflen,
					     int *errnop)
{
	return look_up(NULL, uid, result, buffer, buflen, errnop);
}

enum nss_status _nss_cosched_slow_getpwnam_r(const char *name,
					     struct passwd *result,
					     char *buffer, size_t buflen,
					     int *errnop);
enum nss_status _nss_cosched_slow_getpwnam_r(const char *name,
					     struct passwd *result,
					     char *buffer, size_t buflen,
					     int *errnop)
{
	return look_up(name, (uid_t)-1, result, buffer, buflen, errnop);
}
