/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the Slurm of this host says of a slurm.conf. */
#ifndef CS_COSCHED_CONF_SLURM_PARSER_H
#define CS_COSCHED_CONF_SLURM_PARSER_H

/*
 * Pass each reason why Slurm's own parser refuses the file @path to @tell: keys that
 * this release does not have, values of the wrong kind.  None if it takes the file, if
 * no Slurm is on this host, or if it gives no answer in time.  0; -ENOMEM.
 */
int cs_slurm_parser_errors(const char *path,
			   void (*tell)(void *arg, const char *text),
			   void *arg);

#endif
