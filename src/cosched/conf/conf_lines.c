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
	void (*broken)(void *arg, const char *file, unsigned line,
		       const char *text);
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

static int read_file(const char *path, char **ret, size_t *ret_n)
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
		return !S_ISREG(st.st_mode) ? -EINVAL : -EFBIG;
	}
	text = malloc(FILE_BYTES + 1);
	n = text ? fread(text, 1, FILE_BYTES, file) : 0;
	fclose(file);
	if (!text)
		return -ENOMEM;
	text[n] = '\0';
	*ret = text;
	*ret_n = n;
	return 0;
}

/* What Slurm's parser, which reads lines as strings, makes of @n bytes of @text. */
static void clean(struct walk *w, const char *path, char *text, size_t n)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t at = strncmp(text, mark, 3) ? 0 : 3, to = 0;
	unsigned line = 1;
	bool cut = false;

	if (at)
		w->broken(
			w->arg, path, 1,
			"a byte order mark, and Slurm would die: expected none");
	for (; at < n; at++) {
		if (!text[at] && !cut)
			w->broken(
				w->arg, path, line,
				"a NUL byte, behind which Slurm reads nothing "
				"of its line: expected none");
		line += text[at] == '\n';
		cut = (cut || !text[at]) && text[at] != '\n';
		if (!cut)
			text[to++] = text[at];
	}
	text[to] = '\0';
}

/* Bytes of the line @at before an unescaped '#'. */
static size_t comment_at(const char *at, size_t n)
{
	bool escaped = false;

	for (size_t i = 0; i < n; i++) {
		if (at[i] == '#' && !escaped)
			return i;
		escaped = at[i] == '\\' && !escaped;
	}
	return n;
}

/* Does a line of @n bytes go on in the next?  An odd number of backslashes says so, also
 * before blanks; @ret_n is without the last. */
static bool goes_on(const char *at, size_t n, size_t *ret_n)
{
	size_t end = n, slashes = 0;

	while (end && isspace((unsigned char)at[end - 1]))
		end--;
	while (slashes < end && at[end - 1 - slashes] == '\\')
		slashes++;
	*ret_n = slashes % 2 ? end - 1 : n;
	return slashes % 2;
}

/* The line at @*at with its continuation lines; false after the last. */
static bool join(const char **at, unsigned *line, struct joined *j)
{
	bool more = true;

	j->n = 0;
	if (!**at)
		return false;
	while (more && **at) {
		size_t n = strcspn(*at, "\n"), len;

		more = goes_on(*at, comment_at(*at, n), &len);
		for (size_t i = 0; i < len; i++) {
			j->text[j->n] = (*at)[i];
			j->line[j->n++] = *line;
		}
		*at += n + ((*at)[n] == '\n');
		++*line;
	}
	j->line[j->n] = *line - 1;
	j->text[j->n] = '\0';
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
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The end of the value at @at, in @ret_next what follows it: a quoted value may have
 * blanks, if one follows it, too. */
static size_t value_end(const struct joined *j, size_t at, size_t *ret_next)
{
	size_t end = at + 1;

	while (end < j->n && j->text[end] != '"')
		end++;
	if (j->text[at] == '"' && end < j->n &&
	    (end + 1 == j->n || isspace((unsigned char)j->text[end + 1]))) {
		*ret_next = end + 1;
		return end;
	}
	for (end = at; end < j->n && !isspace((unsigned char)j->text[end]);)
		end++;
	*ret_next = end;
	return end;
}

/* The pair at @*at; false: none. */
static bool next_pair(struct joined *j, size_t *at, struct cs_confpair *ret)
{
	size_t key = blanks(j, *at), end = key, value, next;

	while (end < j->n && key_byte(j->text[end]))
		end++;
	value = blanks(j, end);
	if (end == key || value >= j->n)
		return false;
	value += strchr("-*+/", j->text[value]) != NULL; /* Slurm's operators */
	if (value >= j->n || j->text[value] != '=')
		return false;
	value = blanks(j, value + 1);
	if (value >= j->n)
		return false;
	ret->key = j->text + key;
	ret->key_line = j->line[key];
	j->text[end] = '\0';
	end = value_end(j, value, &next);
	value += end < next; /* the quote */
	ret->value = j->text + value;
	ret->line = j->line + value;
	j->text[end] = '\0';
	*at = next < j->n ? next + 1 : j->n;
	return true;
}

/* May more pairs follow that of @key in its line? */
static bool has_more(const char *key)
{
	static const char *const all[] = { "DownNodes",	    "FrontendName",
					   "NodeName",	    "NodeSet",
					   "PartitionName", "SlurmctldHost" };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcasecmp(key, all[i]))
			return true;
	return false;
}

/* Slurm's parser, from every daemon to every command, dies of what is left of a line,
 * behind the pair of @key; NULL: where a pair may be. */
static void rest(struct walk *w, const char *file, struct joined *j, size_t at,
		 const char *key)
{
	char text[512];
	size_t n = j->n;

	at = blanks(j, at);
	while (n > at && isspace((unsigned char)j->text[n - 1]))
		n--;
	if (n == at)
		return;
	j->text[n] = '\0';
	if (key)
		snprintf(text, sizeof(text),
			 "'%.200s' behind the value of %.60s, and Slurm would "
			 "die: a blank ends a value, expected none, or quotes "
			 "around it all",
			 j->text + at, key);
	else
		snprintf(text, sizeof(text),
			 "'%.200s': Slurm would die, expected KEY=VALUE",
			 j->text + at);
	w->broken(w->arg, file, j->line[at], text);
}

/* "Include FILE": a relative path is next to the first file. */
static int include(struct walk *w, const char *file, struct joined *j,
		   size_t at)
{
	size_t n = strcspn(j->text + at, " \t\r");
	const char *slash = strrchr(w->top, '/');
	char path[PATH_MAX], name[PATH_MAX];
	int rc;

	snprintf(name, sizeof(name), "%.*s", (int)n, j->text + at);
	rest(w, file, j, at + n, "Include");
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
	size_t at = 0;
	bool many;
	int rc = 0;

	if (!strncasecmp(j->text, "include", 7) &&
	    isspace((unsigned char)j->text[7]))
		return include(w, file, j, blanks(j, 7));
	if (next_pair(j, &at, &p))
		rc = w->take(w->arg, &p) < 0 ? -ECANCELED : 0;
	many = p.key && has_more(p.key);
	p.more = true;
	while (!rc && many && next_pair(j, &at, &p))
		rc = w->take(w->arg, &p) < 0 ? -ECANCELED : 0;
	if (!rc)
		rest(w, file, j, at, many ? NULL : p.key);
	return rc;
}

static int walk_file(struct walk *w, const char *path)
{
	struct joined j = { 0 };
	char *text = NULL;
	const char *at;
	unsigned line = 1;
	size_t n = 0;
	int rc = read_file(path, &text, &n);

	if (rc)
		return rc;
	clean(w, path, text, n);
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
		       void (*broken)(void *arg, const char *file,
				      unsigned line, const char *text),
		       void *arg)
{
	struct walk w = { take, missing, broken, arg, path, 0 };

	return walk_file(&w, path);
}
