/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profilefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

#define FILE_MAX (16u << 20)

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

/* A FIFO would let us wait for a writer, so nothing but a file is opened. */
static int open_file(const char *cmd, const char *name, FILE **ret)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		cs_bad("%s: '%s': %s", cmd, name, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		cs_bad("%s: '%s': no regular file, expected one, or - for "
		       "standard input",
		       cmd, name);
	} else {
		*ret = fdopen(fd, "r");
		if (*ret)
			return CS_EXIT_OK;
		cs_bad("%s: no memory", cmd);
	}
	if (fd >= 0)
		close(fd);
	return CS_EXIT_USAGE;
}

int cs_profilefile(const char *cmd, const char *name, struct cs_profiles **ret)
{
	FILE *file = stdin;
	struct cs_err err = { "no memory" };
	char *text = NULL;
	size_t len = 0;
	int rc;

	if (strcmp(name, "-") && open_file(cmd, name, &file))
		return CS_EXIT_USAGE;
	rc = read_bytes(file, &text, &len);
	if (file != stdin)
		fclose(file);
	if (rc)
		return cs_bad("%s: '%s': %s", cmd, name, strerror(-rc));
	rc = cs_profiles_read(ret, text, len, name, &err);
	free(text);
	return rc ? cs_bad("%s: %s", cmd, err.text) : CS_EXIT_OK;
}
