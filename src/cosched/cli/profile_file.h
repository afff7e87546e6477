/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the profile file for a command. */
#ifndef CS_COSCHED_CLI_PROFILE_FILE_H
#define CS_COSCHED_CLI_PROFILE_FILE_H

#include "common/profile/profile.h"

/* Read the profiles of file @name ("-": standard input).  0: *ret becomes the caller's;
 * else a negative errno, and @err says what is wrong with which file. */
int cs_profile_file_read(const char *name, struct cs_profiles **ret,
			 struct cs_err *err);

/* Report every error of the file through @tell; returns how many (a file that cannot be
 * read has one), or -ENOMEM. */
int cs_profile_file_errors(const char *name,
			   void (*tell)(void *arg, const char *text),
			   void *arg);

/* Read the file for command @cmd.  CS_EXIT_OK: *ret becomes the caller's; else a
 * message has been printed. */
int cs_profile_file(const char *cmd, const char *name,
		    struct cs_profiles **ret);

/* --truth FILE and --truth-noise PERCENT of the commands that simulate. */
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
