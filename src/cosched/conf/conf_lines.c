/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/conf_lines.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES (4u << 20)
#define DEPTH_MAX 8 /* nested files */

struct walk {
	int (*take)(void *arg, const struct cs_confpair *p);
	void (*missing)(void *arg, const char *file, unsigned line,
			const char *name, int rc);
	void *arg;
	const char *top; /* the first file: others are relative to it */
	int depth;
};

/* A line as Slurm sees it: several file lines, joined. */
struct joined {
	char *text;	/* [room of the file + 1] */
	unsigned *line; /* of each byte */
	size_t n;
};

static int walk_file(struct walk *w, const char *path);

/* ---- the file ------------------------------------------------------------ */

static int read_file(const char *path, char **ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = NULL;
	struct stat st;
	FILE *file;
	size_t n;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_size > (off_t)FILE_BYTES || !(file = fdopen(fd, "r"))) {
		close(fd);
		return -EINVAL;
	}
	text = malloc(FILE_BYTES + 1);
	n = text ? fread(text, 1, FILE_BYTES, file) : 0;
	fclose(file);
	if (!text)
		return -ENOMEM;
	text[n] = '\0';
	*ret = text;
	return 0;
}

/* Cut the text from an unescaped '#' on. */
static void cut_comment(struct joined *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->text[i] == '#' && (!i || j->text[i - 1] != '\\'))
			j->n = i;
	j->text[j->n] = '\0';
}

/* The line at @*at with its continuation lines; false after the last. */
static bool join(const char **at, unsigned *line, struct joined *j)
{
	bool more = true;

	j->n = 0;
	if (!**at)
		return false;
	while (more && **at) {
		size_t n = strcspn(*at, "\n"), len = n;

		while (len && (*at)[len - 1] == '\r')
			len--;
		more = len && (*at)[len - 1] == '\\';
		len -= more;
		for (size_t i = 0; i < len; i++) {
			j->text[j->n] = (*at)[i];
			j->line[j->n++] = *line;
		}
		*at += n + ((*at)[n] == '\n');
		++*line;
	}
	j->line[j->n] = *line - 1;
	cut_comment(j);
	return true;
}

/* ---- pairs --------------------------------------------------------------- */

static size_t blanks(const struct joined *j, size_t at)
{
	while (at < j->n && isspace((unsigned char)j->text[at]))
		at++;
	return at;
}

static bool key_byte(char c)
{
	return isalnum((unsigned char)c) || strchr("_.-", c);
}

/* The pair at @*at; false: none. */
static bool next_pair(struct joined *j, size_t *at, struct cs_confpair *ret)
{
	size_t key = blanks(j, *at), end = key, value;

	while (end < j->n && key_byte(j->text[end]))
		end++;
	value = blanks(j, end);
	if (end == key || value >= j->n || j->text[value] != '=')
		return false;
	value = blanks(j, value + 1);
	ret->key = j->text + key;
	ret->key_line = j->line[key];
	j->text[end] = '\0';
	end = value;
	if (j->text[value] == '"') {
		end = ++value;
		while (end < j->n && j->text[end] != '"')
			end++;
	} else {
		while (end < j->n && !isspace((unsigned char)j->text[end]))
			end++;
	}
	ret->value = j->text + value;
	ret->line = j->line + value;
	j->text[end] = '\0';
	*at = end < j->n ? end + 1 : j->n;
	return true;
}

/* "Include FILE": a relative path is next to the first file. */
static int include(struct walk *w, const char *file, const struct joined *j,
		   size_t at)
{
	size_t n = strcspn(j->text + at, " \t\r");
	const char *slash = strrchr(w->top, '/');
	char path[PATH_MAX], name[PATH_MAX];
	int rc;

	snprintf(name, sizeof(name), "%.*s", (int)n, j->text + at);
	if (strchr(name, '%')) { /* Slurm fills in what we do not know */
		w->missing(w->arg, file, j->line[at], name, 0);
		return 0;
	}
	if (*name == '/' || !slash)
		rc = snprintf(path, sizeof(path), "%s", name);
	else
		rc = snprintf(path, sizeof(path), "%.*s/%s",
			      (int)(slash - w->top), w->top, name);
	if (rc >= (int)sizeof(path))
		return 0;
	rc = w->depth < DEPTH_MAX ? walk_file(w, path) : -ELOOP;
	if (rc >= 0 || rc == -ENOMEM || rc == -ECANCELED)
		return rc;
	w->missing(w->arg, file, j->line[at], path, rc);
	return 0;
}

static int walk_line(struct walk *w, const char *file, struct joined *j)
{
	struct cs_confpair p = { .file = file };
	size_t at = blanks(j, 0);
	int rc = 0;

	if (!strncasecmp(j->text + at, "include", 7) &&
	    isspace((unsigned char)j->text[at + 7]))
		return include(w, file, j, blanks(j, at + 7));
	while (!rc && next_pair(j, &at, &p))
		rc = w->take(w->arg, &p) < 0 ? -ECANCELED : 0;
	return rc;
}

static int walk_file(struct walk *w, const char *path)
{
	struct joined j = { 0 };
	char *text = NULL;
	const char *at;
	unsigned line = 1;
	int rc = read_file(path, &text);

	if (rc)
		return rc;
	j.text = malloc(strlen(text) + 1);
	j.line = malloc((strlen(text) + 1) * sizeof(*j.line));
	if (!j.text || !j.line)
		rc = -ENOMEM;
	w->depth++;
	for (at = text; !rc && join(&at, &line, &j);)
		rc = walk_line(w, path, &j);
	w->depth--;
	free(j.text);
	free(j.line);
	free(text);
	return rc;
}

int cs_conf_lines_walk(const char *path,
		       int (*take)(void *arg, const struct cs_confpair *p),
		       void (*missing)(void *arg, const char *file,
				       unsigned line, const char *name, int rc),
		       void *arg)
{
	struct walk w = { take, missing, arg, path, 0 };

	return walk_file(&w, path);
}
