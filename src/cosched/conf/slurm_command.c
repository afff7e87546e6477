/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/slurm_command.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/slurm_conf.h"

#define TEXT_MAX ((size_t)16 << 20)

/* The last line of @text that is not empty, which is changed. */
static const char *last_line(char *text)
{
	char *end = text + strlen(text), *line;

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

int cs_slurm_command(const char *const *argv, int timeout_s, char **ret,
		     struct cs_err *err)
{
	char *text = NULL;
	int rc = cs_run_program((char *const *)(uintptr_t)argv, timeout_s,
				TEXT_MAX, &text);

	if (rc < 0)
		return cs_err_set(err, rc, "%s: %s", argv[0], strerror(-rc));
	if (rc) {
		const char *line = last_line(text);

		rc = cs_err_set(err, -EIO, "%s failed: %s", argv[0],
				*line ? line : "it gives no reason");
		free(text);
		return rc;
	}
	*ret = text;
	return 0;
}

int cs_slurm_command_job(char *text, uint32_t *ret, struct cs_err *err)
{
	const char *line = last_line(text);
	char *end;
	unsigned long job;

	errno = 0;
	job = strtoul(line, &end, 10);
	if (!isdigit((unsigned char)*line) || *end || errno || !job ||
	    job > UINT32_MAX)
		return cs_err_set(err, -EIO,
				  "sbatch answers '%.100s', expected a job's "
				  "number",
				  line);
	*ret = (uint32_t)job;
	return 0;
}

void cs_slurm_command_environment(void)
{
	static const char *const name[] = {
		"SQUEUE_PARTITION",  "SQUEUE_USERS",	    "SQUEUE_STATES",
		"SQUEUE_ACCOUNT",    "SQUEUE_QOS",	    "SQUEUE_FORMAT",
		"SQUEUE_NAMES",	     "SQUEUE_LICENSES",	    "SQUEUE_SORT",
		"SQUEUE_FORMAT2",    "SCANCEL_STATE",	    "SCANCEL_PARTITION",
		"SCANCEL_QOS",	     "SCANCEL_INTERACTIVE", "SCANCEL_NAME",
		"SCANCEL_WCKEY",     "SCANCEL_ACCOUNT",	    "SCANCEL_USER",
		"SBATCH_WAIT",	     "SLURM_CLUSTERS",	    "SBATCH_CLUSTERS",
		"SQUEUE_FEDERATION", "SCANCEL_BATCH",	    "SCANCEL_FULL",
		"SCANCEL_HURRY",     "SCANCEL_CRON",
	};

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		unsetenv(name[i]);
}
