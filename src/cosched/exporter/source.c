/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exporter/source.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options.h"
#include "exporter/page.h"

extern char **environ;

int cs_source_init(struct cs_source *s, const char *socket)
{
	*s = (struct cs_source){ .socket = socket, .fd = -1 };
	s->text = malloc(CS_SOURCE_TEXT_MAX + 1);
	return s->text ? 0 : -ENOMEM;
}

/* ---- the process --------------------------------------------------------- */

/* A group of its own, which is ended whole: scontrol is in it. */
static int spawn_in(struct cs_source *s, int out,
		    posix_spawn_file_actions_t *files, posix_spawnattr_t *attr)
{
	char *argv[] = { "cosched",	    "status",
			 "--json",	    s->socket ? "--socket" : NULL,
			 (char *)s->socket, NULL };
	sigset_t none, usual;
	int rc;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGTERM);
	sigaddset(&usual, SIGINT);
	rc = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP |
						    POSIX_SPAWN_SETSIGMASK |
						    POSIX_SPAWN_SETSIGDEF);
	rc = rc ? rc : posix_spawnattr_setsigmask(attr, &none);
	rc = rc ? rc : posix_spawnattr_setsigdefault(attr, &usual);
	rc = rc ? rc
		: posix_spawn_file_actions_addopen(files, 0, "/dev/null",
						   O_RDONLY, 0);
	rc = rc ? rc : posix_spawn_file_actions_adddup2(files, out, 1);
	rc = rc ? rc : posix_spawn_file_actions_adddup2(files, out, 2);
	return rc ? rc
		  : posix_spawn(&s->pid, "/proc/self/exe", files, attr, argv,
				environ);
}

static int spawn(struct cs_source *s, int out)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc)
		return rc;
	rc = posix_spawnattr_init(&attr);
	if (!rc) {
		rc = spawn_in(s, out, &files, &attr);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

static void end(struct cs_source *s)
{
	if (!s->pid)
		return;
	kill(-s->pid, SIGKILL);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(s->fd);
	s->pid = 0;
	s->fd = -1;
}

static int start(struct cs_source *s)
{
	int fd[2], rc;

	if (pipe2(fd, O_CLOEXEC))
		return errno;
	s->len = 0;
	s->pid = 0;
	rc = fcntl(fd[0], F_SETFL, O_NONBLOCK) ? errno : spawn(s, fd[1]);
	close(fd[1]);
	if (rc) {
		close(fd[0]);
		s->pid = 0;
		return rc;
	}
	s->fd = fd[0];
	return 0;
}

void cs_source_done(struct cs_source *s)
{
	end(s);
	free(s->text);
	free(s->page);
}

/* ---- what it says -------------------------------------------------------- */

static void tell(struct cs_source *s, const char *why)
{
	if (!strncmp(s->why, why, sizeof(s->why) - 1))
		return;
	snprintf(s->why, sizeof(s->why), "%s", why);
	if (*why)
		cs_cmd_failed("exporter: nobody answers: %s", s->why);
	else
		cs_cmd_failed("exporter: the plugin answers");
}

/* What the command that was asked says, without its name: ours comes before. */
static const char *bare(const char *said)
{
	static const char name[] = "cosched: status: ";
	size_t n = strlen(name);

	return strncmp(said, name, n) ? said : said + n;
}

/* A page of what was said; without memory for one the last stays. */
static void settle(struct cs_source *s, const char *trouble)
{
	struct json_object *o = NULL;
	char *page;

	s->text[s->len] = '\0';
	if (!trouble)
		o = json_tokener_parse(s->text);
	if (!json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		o = NULL;
		s->text[strcspn(s->text, "\n")] = '\0';
		tell(s, trouble	   ? trouble
			: *s->text ? bare(s->text)
				   : "no answer");
	} else {
		tell(s, "");
	}
	page = cs_page(o);
	json_object_put(o);
	if (!page)
		return;
	free(s->page);
	s->page = page;
}

bool cs_source_fresh(struct cs_source *s, int64_t now_ms)
{
	int rc;

	if (s->pid)
		return false;
	if (s->page && now_ms - s->asked_ms < CS_SOURCE_FRESH_MS)
		return true;
	s->asked_ms = now_ms;
	s->again = false;
	rc = start(s);
	if (!rc)
		return false;
	s->len = 0;
	settle(s, strerror(rc));
	return s->page != NULL;
}

/* A plugin that answered may be opening its socket anew, at a reconfigure. */
static bool once_more(struct cs_source *s, int64_t now_ms)
{
	bool first = !s->again && s->page && !*s->why;

	if (!first || *s->text == '{' ||
	    now_ms - s->asked_ms >= CS_SOURCE_LIMIT_MS / 2)
		return false;
	s->again = true;
	return !start(s);
}

bool cs_source_read(struct cs_source *s, int64_t now_ms)
{
	const char *trouble = NULL;
	ssize_t n;

	if (!s->pid)
		return false;
	do {
		n = read(s->fd, s->text + s->len, CS_SOURCE_TEXT_MAX - s->len);
		if (n > 0)
			s->len += (size_t)n;
	} while ((n > 0 && s->len < CS_SOURCE_TEXT_MAX) ||
		 (n < 0 && errno == EINTR));
	if (s->len == CS_SOURCE_TEXT_MAX)
		trouble = "the answer is too long";
	else if (n < 0 && now_ms - s->asked_ms >= CS_SOURCE_LIMIT_MS)
		trouble = "no answer in time";
	else if (n < 0 && errno == EAGAIN)
		return false;
	end(s);
	s->text[s->len] = '\0';
	if (!trouble && once_more(s, now_ms))
		return false;
	settle(s, trouble);
	return true;
}
