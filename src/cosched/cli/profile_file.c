/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"

#define FILE_MAX (16u << 20)
#define NOISE_MAX 100 /* per cent */

static int read_bytes(FILE *file, char **ret_text, size_t *ret_len)
{
	char *text = malloc(FILE_MAX + 1);
	int rc = 0;

	if (!text)
		return -ENOMEM;
	errno = 0;
	*ret_len = fread(text, 1, FILE_MAX + 1, file);
	if (ferror(file))
		rc = errno ? -errno : -EIO;
	else if (*ret_len > FILE_MAX)
		rc = -EFBIG;
	if (rc)
		free(text);
	else
		*ret_text = text;
	return rc;
}

/* Only regular files are opened: a FIFO would block until it has a writer. */
static int open_file(const char *name, FILE **ret, struct cs_err *err)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st)) {
		rc = cs_err_set(err, -errno, "'%s': %s", name, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		rc = cs_err_set(err, -EINVAL,
				"'%s': no regular file, expected one, or - for "
				"standard input",
				name);
	} else {
		*ret = fdopen(fd, "r");
		if (*ret)
			return 0;
		rc = cs_err_set(err, -ENOMEM, "no memory");
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Read file @name ("-": standard input); the caller frees the text. */
static int take_file(const char *name, char **ret_text, size_t *ret_len,
		     struct cs_err *err)
{
	FILE *file = stdin;
	int rc = strcmp(name, "-") ? open_file(name, &file, err) : 0;

	if (rc)
		return rc;
	rc = read_bytes(file, ret_text, ret_len);
	if (file != stdin)
		fclose(file);
	return rc ? cs_err_set(err, rc, "'%s': %s", name, strerror(-rc)) : 0;
}

int cs_profile_file_read(const char *name, struct cs_profiles **ret,
			 struct cs_err *err)
{
	char *text = NULL;
	size_t len = 0;
	int rc = take_file(name, &text, &len, err);

	if (!rc)
		rc = cs_profiles_read(ret, text, len, name, err);
	free(text);
	return rc;
}

int cs_profile_file_errors(const char *name,
			   void (*tell)(void *arg, const char *text), void *arg)
{
	struct cs_err err;
	char *text = NULL;
	size_t len = 0;
	int rc = take_file(name, &text, &len, &err);

	if (rc && rc != -ENOMEM) {
		tell(arg, err.text);
		return 1;
	}
	if (!rc)
		rc = cs_profiles_errors(text, len, name, tell, arg);
	free(text);
	return rc;
}

int cs_profile_file(const char *cmd, const char *name, struct cs_profiles **ret)
{
	struct cs_err err = { "no memory" };

	return cs_profile_file_read(name, ret, &err)
		       ? cs_cmd_bad("%s: %s", cmd, err.text)
		       : CS_EXIT_OK;
}

int cs_truth_option(const char *cmd, struct cs_truth_option *o)
{
	char *end;

	if (o->noise) {
		o->noise_percent = strtod(o->noise, &end);
		if (end == o->noise || *end ||
		    !(o->noise_percent >= 0 && o->noise_percent <= NOISE_MAX))
			return cs_cmd_bad(
				"%s: --truth-noise is '%.100s', expected "
				"per cent from 0 to %d",
				cmd, o->noise, NOISE_MAX);
	}
	if (o->noise && !o->file)
		return cs_cmd_bad("%s: --truth-noise without --truth, expected "
				  "both",
				  cmd);
	return o->file ? cs_profile_file(cmd, o->file, &o->truth) : CS_EXIT_OK;
}
