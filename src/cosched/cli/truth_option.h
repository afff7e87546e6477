/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --truth FILE and --truth-noise PERCENT of the commands that simulate. */
#ifndef CS_COSCHED_CLI_TRUTH_OPTION_H
#define CS_COSCHED_CLI_TRUTH_OPTION_H

struct cs_profiles;

struct cs_truth_option {
	const char *file;	   /* NULL: none */
	const char *noise;	   /* as given; NULL: none */
	struct cs_profiles *truth; /* owned */
	double noise_percent;
};

/* Read what was given.  0; CS_EXIT_USAGE: a message in @cmd's name has been printed.
 * The caller frees what was read, even on error. */
int cs_truth_option(const char *cmd, struct cs_truth_option *o);

#endif
