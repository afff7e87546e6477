/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/slurm_conf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (4u << 20)
#define SLURM_CONF "/etc/slurm/slurm.conf"
#define ASK_S 10
#define PARSER_MAX (64u << 10)
#define REFUSES "Unable to process configuration file"
#define SENT_CONF "/run/slurm/conf/slurm.conf"

/* Cut @c->text into lines, each its own string. */
static void cut_lines(struct cs_slurmconf *c)
{
	c->len = strlen(c->text);
	for (size_t i = 0; i < c->len; i++)
		if (c->text[i] == '\n')
			c->text[i] = '\0';
}

/* ---- sources ------------------------------------------------------------- */

/* scontrol's lines that name no cause: munge's hint, and the consequences of a
 * plugin left behind by an upgrade of Slurm. */
static bool is_cause(const char *line)
{
	static const char *const noise[] = { "If munged is up", "Incompatible",
					     "auth_g_create",
					     "authentication error" };

	for (size_t i = 0; i < sizeof(noise) / sizeof(*noise); i++)
		if (strcasestr(line, noise[i]))
			return false;
	return line[strspn(line, " \t\r")] != '\0';
}

/* Cut @text down to the line that says why; the first if none does. */
static void keep_cause(char *text)
{
	char *rest = text, *first = text;

	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (!is_cause(line))
			continue;
		memmove(first, line, strlen(line) + 1);
		return;
	}
}

static int ask_scontrol(struct cs_slurmconf *c, int timeout_s)
{
	static const char program[] = "scontrol";
	char *argv[] = { (char *)program, (char *)"show", (char *)"config",
			 NULL };
	int rc = cs_run_program(argv, timeout_s, TEXT_MAX, &c->text);

	if (rc == -ENOMEM)
		return rc;
	c->live = !rc && strstr(c->text, "SlurmctldHost");
	if (c->live) {
		c->source = strdup("scontrol show config");
		cut_lines(c);
		return c->source ? 0 : -ENOMEM;
	}
	if (rc >= 0) {
		keep_cause(c->text);
		c->why = c->text;
		c->text = NULL;
		return 0;
	}
	if (asprintf(&c->why, "scontrol: %s",
		     rc == -ENOENT	? "not found"
		     : rc == -ETIMEDOUT ? "no answer in time"
					: strerror(-rc)) < 0)
		c->why = NULL;
	return c->why ? 0 : -ENOMEM;
}

/* Not to hang on a FIFO, only a regular file. */
static int read_file(struct cs_slurmconf *c, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *file;
	size_t n;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    !(file = fdopen(fd, "r"))) {
		close(fd);
		return -EINVAL;
	}
	c->text = malloc(TEXT_MAX + 1);
	n = c->text ? fread(c->text, 1, TEXT_MAX, file) : 0;
	fclose(file);
	c->source = strdup(path);
	if (!c->text || !c->source)
		return -ENOMEM;
	c->text[n] = '\0';
	cut_lines(c);
	return 0;
}

/* The last place is where slurmd puts what a configless slurmctld sends. */
static int find_file(struct cs_slurmconf *c)
{
	const char *path = getenv("SLURM_CONF");
	int rc = -ENOENT;

	if (path && *path)
		rc = read_file(c, path);
	else if ((rc = read_file(c, SLURM_CONF)) == -ENOENT)
		rc = read_file(c, SENT_CONF);
	return rc == -ENOMEM ? rc : 0;
}

int cs_slurmconf_read(struct cs_slurmconf *c, int timeout_s)
{
	int rc;

	memset(c, 0, sizeof(*c));
	rc = ask_scontrol(c, timeout_s);
	if (!rc && !c->live)
		rc = find_file(c);
	if (rc)
		cs_slurmconf_done(c);
	return rc;
}

int cs_slurmconf_file(struct cs_slurmconf *c, const char *path)
{
	int rc;

	memset(c, 0, sizeof(*c));
	rc = read_file(c, path);
	if (rc)
		cs_slurmconf_done(c);
	return rc;
}

void cs_slurmconf_done(struct cs_slurmconf *c)
{
	free(c->source);
	free(c->why);
	free(c->text);
	memset(c, 0, sizeof(*c));
}

/* ---- values -------------------------------------------------------------- */

/* The value of @line, "Key = value" or "Key=value", if it is @key's. */
static const char *value_of(const char *line, const char *key)
{
	size_t n = strlen(key);

	line += strspn(line, " \t");
	if (strncasecmp(line, key, n))
		return NULL;
	line += n;
	if (!strncmp(line, "[0]", 3))
		line += 3;
	line += strspn(line, " \t");
	if (*line != '=')
		return NULL;
	line++;
	return line + strspn(line, " \t");
}

/* Copy without surrounding quotes; the file's value ends at a blank or '#',
 * scontrol's at the end of the line. */
static bool copy_value(const struct cs_slurmconf *c, const char *v, char *buf,
		       size_t size)
{
	size_t n = *v == '"' ? strcspn(v + 1, "\"")
			     : strcspn(v, c->live ? "" : "# \t");

	v += *v == '"';
	while (n && strchr(" \t\r", v[n - 1]))
		n--;
	if (n >= size || (n == 6 && !strncmp(v, "(null)", n)))
		return false;
	memcpy(buf, v, n);
	buf[n] = '\0';
	return true;
}

bool cs_slurmconf_get(const struct cs_slurmconf *c, const char *key, char *buf,
		      size_t size)
{
	const char *found = NULL;

	if (!c->text)
		return false;
	for (size_t at = 0; at < c->len; at += strlen(c->text + at) + 1) {
		const char *v = value_of(c->text + at, key);

		found = v ? v : found;
	}
	return found && copy_value(c, found, buf, size);
}

/* ---- what Slurm's parser says ---------------------------------------------- */

/* scontrol reads its slurm.conf before anything else, and with `show hostlist` asks no
 * daemon. */

/* The reason in a @line of scontrol's; NULL: it has none. */
static const char *reason_in(const char *line)
{
	static const char error[] = "error: ";
	static const char caller[] = "_parse_next_key: ";
	const char *at = strstr(line, error);

	if (!at || strstr(at, "specified more than once"))
		return NULL;
	at += strlen(error);
	return strncmp(at, caller, strlen(caller)) ? at : at + strlen(caller);
}

int cs_slurmconf_errors(const char *path,
			void (*tell)(void *arg, const char *text), void *arg)
{
	char conf[PATH_MAX + 16] = "SLURM_CONF=";
	const char *argv[] = { "env",	   conf, "scontrol", "show",
			       "hostlist", "n",	 NULL };
	char *text, *at, *line;
	int rc;

	if (!realpath(path, conf + strlen(conf)))
		return 0;
	rc = cs_run_program((char *const *)argv, ASK_S, PARSER_MAX, &text);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	if (rc && strstr(text, REFUSES))
		for (at = text; (line = strsep(&at, "\n")) != NULL;)
			if (reason_in(line))
				tell(arg, reason_in(line));
	free(text);
	return 0;
}
