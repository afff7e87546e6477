/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's comment: "cosched:profile=cg,share=no" somewhere in it.
 */
#ifndef CS_PROFILE_JOB_COMMENT_H
#define CS_PROFILE_JOB_COMMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Letters, digits and "._+-": what values are made of. */
bool cs_job_comment_name_byte(char c);

/*
 * The value of item @key of a job's comment: in "cosched:profile=cg,share=no"
 * the items behind "cosched:" (which stands at the start or behind a blank or a
 * ';') up to the next blank or ';'.  The value is copied to @buf, cut at size -
 * 1; a value with bytes other than letters, digits and "._+-" does not count.
 * Returns whether there is one.  Safe on any bytes; O(length), at most 4096 of
 * them are read.
 */
bool cs_job_comment_item(const char *comment, const char *key, char *buf,
			 size_t size);

/* The same; it tells a value that does not count from none. */
enum cs_comment_found { CS_COMMENT_ABSENT, CS_COMMENT_BAD, CS_COMMENT_GOOD };
enum cs_comment_found cs_job_comment_find(const char *comment, const char *key,
					  char *buf, size_t size);

/* The campaign that the comment names (order=ostrich), into @buf of
 * CS_COMMENT_CAMPAIGN bytes: "" and false where it names none, or with more or
 * other bytes than a name may have. */
#define CS_COMMENT_CAMPAIGN 64
bool cs_job_comment_campaign(const char *comment, char *buf);

/* What it says crossing sites costs its job ("across=0.3"), in millionths, 0 to 100;
 * false: nothing, or something else. */
bool cs_job_comment_across(const char *comment, int64_t *ret);

/*
 * Is everything behind "cosched:" as it should be?  Else what is wrong first, in
 * @buf, clean text ("" where it is right).  *ret_no_share: it says share=no, or
 * something that may have been meant to: a share other than yes, an unknown key
 * with the value no.
 */
bool cs_job_comment_check(const char *comment, bool *ret_no_share, char *buf,
			  size_t size);

#endif
