/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's comment: "cosched:profile=cg,share=no" somewhere in it.
 */
#ifndef CS_PROFILE_JOB_COMMENT_H
#define CS_PROFILE_JOB_COMMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Letters, digits and "._+-": the bytes of values. */
bool cs_job_comment_name_byte(char c);

/*
 * The value of item @key of a job's comment: in "cosched:profile=cg,share=no"
 * the items after "cosched:" (at the start or after a blank or ';') up to the next
 * blank or ';'. The value is copied to @buf, cut at size - 1; a value with bytes other
 * than letters, digits and "._+-" does not count.  Returns whether there is one.  Safe
 * on any bytes; O(length), reads at most 4096.
 */
bool cs_job_comment_item(const char *comment, const char *key, char *buf,
			 size_t size);

/* The same; distinguishes a value that does not count from none. */
enum cs_comment_found { CS_COMMENT_ABSENT, CS_COMMENT_BAD, CS_COMMENT_GOOD };
enum cs_comment_found cs_job_comment_find(const char *comment, const char *key,
					  char *buf, size_t size);

/* The campaign that the comment names (order=ostrich), into @buf of
 * CS_COMMENT_CAMPAIGN bytes: "" and false if it names none, or not a valid name. */
#define CS_COMMENT_CAMPAIGN 64
bool cs_job_comment_campaign(const char *comment, char *buf);

/* The job's cost of crossing sites ("across=0.3"), in millionths, 0 to 100; false:
 * none, or invalid. */
bool cs_job_comment_across(const char *comment, int64_t *ret);

/* How the job's ranks wait for messages ("wait=ib"), by the modes of libcosched-wait.so but
 * without what follows ':'. */
enum cs_comment_wait {
	CS_COMMENT_WAIT_NONE,  /* it does not say, or no mode */
	CS_COMMENT_WAIT_SPINS, /* local, off */
	CS_COMMENT_WAIT_YIELDS /* any other: their cores go to others meanwhile */
};
enum cs_comment_wait cs_job_comment_wait(const char *comment);

/*
 * Is everything after "cosched:" valid?  Else the first fault into @buf, clean text (""
 * if valid).  *ret_no_share: it says share=no, or may have meant to: a share other than
 * yes, an unknown key with the value no.
 */
bool cs_job_comment_check(const char *comment, bool *ret_no_share, char *buf,
			  size_t size);

#endif
