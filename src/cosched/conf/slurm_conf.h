/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's settings for the command: from `scontrol show config` if it answers,
 * else from slurm.conf itself.
 */
#ifndef CS_COSCHED_CONF_SLURM_CONF_H
#define CS_COSCHED_CONF_SLURM_CONF_H

#include <stdbool.h>
#include <stddef.h>

struct cs_slurmconf {
	bool live;    /* from slurmctld itself */
	char *source; /* "scontrol show config" or the file's path; NULL: none
			 found */
	char *why;    /* !live: scontrol's message, one line */
	char *text;   /* lines, terminated by 0s instead of '\n' */
	size_t len;
};

/*
 * Ask scontrol, for at most @timeout_s seconds, else read $SLURM_CONF, or
 * /etc/slurm/slurm.conf, or slurmd's copy of a configless slurmctld's.  0, also if
 * nothing was found (@c->source is NULL then); -ENOMEM.
 */
int cs_slurmconf_read(struct cs_slurmconf *c, int timeout_s);
/* Read the file @path.  0, -ENOMEM, or a negative errno: it cannot be read. */
int cs_slurmconf_file(struct cs_slurmconf *c, const char *path);
void cs_slurmconf_done(struct cs_slurmconf *c);

/*
 * Value of @key (ignoring case; scontrol's trailing [0] is not part of the name) into
 * @buf; the last one counts.  Returns whether there is one that is not "(null)" and
 * fits.
 */
bool cs_slurmconf_get(const struct cs_slurmconf *c, const char *key, char *buf,
		      size_t size);

/*
 * Pass each reason why Slurm's own parser refuses the file @path to @tell: keys that
 * this release does not have, values of the wrong kind.  None if it takes the file, if
 * no Slurm is on this host, or if it gives no answer in time.  0; -ENOMEM.
 */
int cs_slurmconf_errors(const char *path,
			void (*tell)(void *arg, const char *text), void *arg);

/*
 * The output of a program, both streams, at most @max bytes, as a string that the
 * caller frees.  Returns its exit status; -ETIMEDOUT or another negative errno with
 * *ret_text unchanged.
 */
int cs_run_program(char *const *argv, int timeout_s, size_t max,
		   char **ret_text);

#endif
